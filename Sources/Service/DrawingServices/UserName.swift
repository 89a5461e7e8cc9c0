import Storage

/// The names of users. Issuers of tokens use subjects such as `auth0|5f7c…`, `us-east-1:1234` or
/// `ann@example.org`; here a user's name must also be valid as a folder's name.
package enum UserName {
  private static let prefix = "sub-"

  /// The user's name for a subject. A subject that is a valid name is used as it is; any other gets
  /// a name derived from its hash, the same on all machines and at all times. A subject that looks
  /// like a derived name is hashed too, so that no issuer can impersonate another user.
  package static func of(_ subject: String) -> String {
    if StorageName.isValid(subject), !looksMapped(subject) { return subject }
    return prefix + ContentHash.of(Array(subject.utf8))
  }

  /// Whether a name looks like a derived one.
  private static func looksMapped(_ name: String) -> Bool {
    let hash = name.utf8.dropFirst(prefix.utf8.count)
    return name.hasPrefix(prefix) && hash.count == 64
      && hash.allSatisfy { 48...57 ~= $0 || 97...102 ~= $0 }
  }

  /// The user that an operator names, by the local name or by a subject that looks like an
  /// issuer's. Other texts are returned unchanged, and then refused as names: a typing error must
  /// not create a user.
  package static func meant(by text: String) -> String {
    let bytes = text.utf8
    let isOfIssuer =
      bytes.contains { [UInt8(ascii: "|"), UInt8(ascii: ":"), UInt8(ascii: "@")].contains($0) }
      || bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "_")
    let isPlain = bytes.allSatisfy { 33...126 ~= $0 && $0 != UInt8(ascii: "/") }
    return isOfIssuer && isPlain && !StorageName.isValid(text) ? of(text) : text
  }

  /// The user that a request names: the caller, if the text is the caller's subject. Other texts
  /// are returned unchanged, and refused where names are checked.
  package static func of(_ text: String, inRequestBy caller: Caller) -> String {
    // The usual case, since names are made of names again.
    if case .user(text) = caller { return text }
    guard !StorageName.isValid(text), caller == .user(of(text)) else { return text }
    return of(text)
  }
}
