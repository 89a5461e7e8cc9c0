import Storage

/// The names of users. Issuers of tokens call their users what they like, such as `auth0|5f7c…`, `us-east-1:1234` or
/// `ann@example.org`, but here a name is also that of a folder.
package enum UserName {
  private static let prefix = "sub-"

  /// The name that a user has here. A subject that can be a name is the name; any other one gets a name from its hash, the
  /// same everywhere and at any time. A subject that looks like such a name gets another one, so that no issuer's user
  /// can be taken for somebody else.
  package static func of(_ subject: String) -> String {
    if StorageName.isValid(subject), !looksMapped(subject) { return subject }
    return prefix + ContentHash.of(Array(subject.utf8))
  }

  /// Whether a name is one that `of` gives.
  private static func looksMapped(_ name: String) -> Bool {
    let hash = name.utf8.dropFirst(prefix.utf8.count)
    return name.hasPrefix(prefix) && hash.count == 64
      && hash.allSatisfy { 48...57 ~= $0 || 97...102 ~= $0 }
  }

  /// The user whom an operator means: by the name here, or by the subject in tokens, if it looks like those of issuers.
  /// Other texts are taken as they are, so that they are refused as names: a slip must not make a user.
  package static func meant(by text: String) -> String {
    let bytes = text.utf8
    let isOfIssuer =
      bytes.contains { [UInt8(ascii: "|"), UInt8(ascii: ":"), UInt8(ascii: "@")].contains($0) }
      || bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "_")
    let isPlain = bytes.allSatisfy { 33...126 ~= $0 && $0 != UInt8(ascii: "/") }
    return isOfIssuer && isPlain && !StorageName.isValid(text) ? of(text) : text
  }

  /// The user that a text of a request names: the caller, if it is a subject of the caller. Anything else is taken as it
  /// is, and refused where a name is checked.
  package static func of(_ text: String, inRequestBy caller: Caller) -> String {
    guard !StorageName.isValid(text), caller == .user(of(text)) else { return text }
    return of(text)
  }
}
