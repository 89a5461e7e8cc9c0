import JSON
import Storage

// The documents of the door: what proves that somebody is a user. No access rule names them, so
// that nobody but the service itself reads or writes them.

extension DocumentKind {
  /// The kinds of documents for signing in.
  static let ofSignIn = [sessions, passkeys, identities, admissions, usedChallenges]

  /// Signed-in browsers, by the hash of the secret in their cookie.
  static let sessions = DocumentKind(
    "sessions", of: .field("uid", order: "createdAt"),
    indexes: [DocumentIndex("sessions", "uid", "createdAt")], isExported: false)

  /// Passkeys, by the hash of their credential's id.
  static let passkeys = DocumentKind(
    "passkeys", of: .field("uid", order: "createdAt"),
    indexes: [DocumentIndex("passkeys", "uid", "createdAt")], isExported: false)

  /// Users at other providers, by the hash of issuer and subject.
  static let identities = DocumentKind(
    "identities", of: .field("uid", order: "createdAt"),
    indexes: [DocumentIndex("identities", "uid", "createdAt")], isExported: false)

  /// Invitations, by the hash of their code.
  static let admissions = DocumentKind(
    "admissions", of: .field("uid", order: "createdAt"),
    indexes: [DocumentIndex("admissions", "uid", "createdAt")], isExported: false)

  /// Challenges that were used and have not expired, by their hash.
  static let usedChallenges = DocumentKind(
    "used_challenges", of: .nobody, indexes: [DocumentIndex("used_challenges", "expires")],
    isExported: false)
}

/// Random texts that grant access, and the names under which they are stored: a reader of the
/// documents cannot use them.
package enum AccessSecret {
  /// A secret of 256 random bits, after a prefix by which it is recognized.
  package static func random(_ prefix: String) -> String {
    // The system's generator is suitable for keys.
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    return prefix + Base64.encodeURL(bytes)
  }

  /// The name of the document of a secret.
  package static func name(of secret: String) -> String { ContentHash.of(Array(secret.utf8)) }
}

extension DocumentReader {
  /// Whether there is a document at a path, damaged or not.
  func has(_ path: DocumentPath) throws -> Bool {
    let (document, isDamaged) = try readable(path)
    return document != nil || isDamaged
  }
}

extension DocumentTransaction {
  /// Makes the profile of a user who has none.
  func makeProfile(of uid: String, name: String) throws {
    let profile = try UserPaths(uid).profile
    guard try !has(profile) else { return }
    try set(
      profile,
      [
        "userName": name.isEmpty ? nil : .text(name), "createdAt": .moment(moment),
      ])
  }
}
