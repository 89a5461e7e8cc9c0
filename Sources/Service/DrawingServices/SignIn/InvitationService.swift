package import Storage

/// Invitations: codes of the operator with which somebody becomes, or is again, a user. Each works
/// once, until it expires.
package enum InvitationService {
  /// An invitation.
  package struct Invitation: Hashable, Sendable {
    package let uid: String
    /// The user's name for people; empty for none.
    package let name: String
    package let expires: Moment

    fileprivate init?(_ document: Document) {
      guard let uid = document["uid"]?.textValue, let expires = document["expires"]?.momentValue
      else { return nil }
      (self.uid, self.expires) = (uid, expires)
      name = document["name"]?.textValue ?? ""
    }
  }

  /// The beginning of every code.
  package static let prefix = "pkdi_"
  /// The maximum number of open invitations of one user.
  private static let limit = 20

  /// Invites a user, new or not, and returns the code. Only for operators.
  package static func invite(
    _ uid: String, name: String, days: Int, in environment: ServiceEnvironment
  ) throws -> String {
    let code = AccessSecret.random(prefix)
    let path = try path(code)
    // The id must be valid as a user's.
    _ = try UserPaths(uid)
    try environment.documents.change(at: environment.now()) { transaction in
      var openCount = 0
      for document in try environment.documents(query(of: uid), in: transaction) {
        if let found = Invitation(document), found.expires > transaction.moment {
          openCount += 1
        } else {
          try transaction.erase(document.path)
        }
      }
      guard openCount < limit else {
        throw ServiceError.badRequest("a user has at most \(limit) open invitations")
      }
      try transaction.create(
        path,
        [
          "uid": .text(uid), "name": .text(name), "createdAt": .moment(transaction.moment),
          "expires": .moment(transaction.moment + Int64(days) * 86_400),
        ])
    }
    return code
  }

  /// The open invitation with a code; nil if there is none.
  package static func invitation(
    _ code: String, in environment: ServiceEnvironment
  ) throws -> Invitation? {
    let now = environment.now()
    return try environment.documents.read { try open(code, in: $0, at: now) }
  }

  /// Uses up the invitation with a code. Nil if there is none, or it was used.
  static func use(
    _ code: String, in transaction: any DocumentTransaction
  ) throws -> Invitation? {
    guard let found = try open(code, in: transaction, at: transaction.moment) else { return nil }
    try transaction.erase(path(code))
    return found
  }

  private static func open(
    _ code: String, in reader: any DocumentReader, at now: Moment
  ) throws -> Invitation? {
    guard let found = try reader.readable(path(code)).document.flatMap({ Invitation($0) }),
      found.expires > now
    else { return nil }
    return found
  }

  private static func path(_ code: String) throws(StorageError) -> DocumentPath {
    try DocumentKind.admissions.collection.document(AccessSecret.name(of: code))
  }

  private static func query(of uid: String) -> Query {
    Query(DocumentKind.admissions.collection).filtered("uid", .equal(.text(uid)))
      .ordered(by: "createdAt")
  }
}
