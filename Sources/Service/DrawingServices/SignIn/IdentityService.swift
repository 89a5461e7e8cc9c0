import Storage

/// Users at a provider of OpenID Connect, and the users that they are here.
package enum IdentityService {
  /// A user at a provider.
  package struct Identity: Hashable, Sendable {
    package let issuer: String
    package let subject: String

    package init(issuer: String, subject: String) {
      (self.issuer, self.subject) = (issuer, subject)
    }

    /// The name of the document: both texts with their lengths, so that no two identities have one.
    fileprivate var key: String {
      ContentHash.of(Array("\(issuer.utf8.count):\(issuer)\(subject)".utf8))
    }

    /// The user of an identity that was never linked to one. Tokens of the issuer name the same
    /// user; subjects of any other issuer are hashed with it.
    package func user(tokenIssuer: String) -> String {
      issuer == tokenIssuer
        ? UserName.of(subject) : UserName.of("\(issuer.utf8.count):\(issuer) \(subject)")
    }
  }

  /// Links an identity to a user, and returns the user that it has been linked to.
  static func link(
    _ identity: Identity, to uid: String, in transaction: any DocumentTransaction
  ) throws -> String {
    let path = try DocumentKind.identities.collection.document(identity.key)
    if let known = try transaction.readable(path).document?["uid"]?.textValue { return known }
    try transaction.set(
      path,
      [
        "uid": .text(uid), "issuer": .text(identity.issuer), "subject": .text(identity.subject),
        "createdAt": .moment(transaction.moment),
      ])
    return uid
  }

  /// Whether an identity is linked to a user.
  package static func isKnown(
    _ identity: Identity, in environment: ServiceEnvironment
  ) throws -> Bool {
    try environment.documents.read { try user(of: identity, in: $0) } != nil
  }

  /// The user of an identity; nil if it is linked to none.
  static func user(
    of identity: Identity, in reader: any DocumentReader
  ) throws -> String? {
    try reader.readable(DocumentKind.identities.collection.document(identity.key))
      .document?["uid"]?.textValue
  }

  static func query(of uid: String) -> Query {
    Query(DocumentKind.identities.collection).filtered("uid", .equal(.text(uid)))
      .ordered(by: "createdAt")
  }
}
