package import Storage

/// Sessions: browsers that are signed in, each with a secret in its cookie.
///
/// A session ends 90 days after its last use, and a year after it began.
package struct SessionService: Sendable {
  private let gate: AccessGate
  private var environment: ServiceEnvironment { gate.environment }

  /// Sessions with the access of a caller.
  package init(_ environment: ServiceEnvironment, as caller: Caller) {
    gate = AccessGate(environment, as: caller)
  }

  /// How a user has signed in.
  package enum Method: String, Sendable {
    case passkey, openid, invitation
  }

  /// A session.
  package struct Session: Hashable, Sendable {
    /// The name for the user, which grants nothing.
    package let id: String
    /// The name of the document, the hash of the secret.
    package let key: String
    package let uid: String
    package let method: String
    /// Browser and system, in short; empty if they are unknown.
    package let agent: String
    package let created: Moment
    package let lastUsed: Moment
    package let expires: Moment

    fileprivate init?(_ document: Document) {
      guard let id = document["id"]?.textValue, let uid = document["uid"]?.textValue,
        let created = document["createdAt"]?.momentValue,
        let lastUsed = document["lastUsed"]?.momentValue,
        let expires = document["expires"]?.momentValue
      else { return nil }
      key = document.id
      (self.id, self.uid, self.created) = (id, uid, created)
      (self.lastUsed, self.expires) = (lastUsed, expires)
      method = document["method"]?.textValue ?? ""
      agent = document["agent"]?.textValue ?? ""
    }
  }

  /// The beginning of every session's secret.
  package static let prefix = "pkds_"
  /// The time without use after which a session ends, and its maximum, in seconds.
  package static let idleSeconds: Int64 = 90 * 86_400
  package static let longestSeconds: Int64 = 365 * 86_400
  /// The interval at which the last use is stored, in seconds.
  package static let touchSeconds: Int64 = 3600
  /// The maximum number of a user's sessions: a new one ends the one that was used least recently.
  private static let limit = 100
  private static let agentLimit = 100

  /// Begins a session of a user who has proved to be one. Only the caller of this ever has the
  /// secret.
  package static func begin(
    of uid: String, by method: Method, agent: String, in environment: ServiceEnvironment
  ) throws -> (secret: String, session: Session) {
    try environment.documents.change(at: environment.now()) {
      try begin(of: uid, by: method, agent: agent, in: $0, environment)
    }
  }

  static func begin(
    of uid: String, by method: Method, agent: String, in transaction: any DocumentTransaction,
    _ environment: ServiceEnvironment
  ) throws -> (secret: String, session: Session) {
    let secret = AccessSecret.random(prefix)
    let now = transaction.moment
    var others = try environment.documents(query(of: uid), in: transaction).compactMap {
      Session($0)
    }
    for ended in others where ended.expires <= now { try transaction.erase(path(ended.key)) }
    others = others.filter { $0.expires > now }.sorted { $0.lastUsed > $1.lastUsed }
    for old in others.dropFirst(limit - 1) { try transaction.erase(path(old.key)) }
    let document = try transaction.create(
      path(AccessSecret.name(of: secret)),
      [
        "id": .text(environment.newID()), "uid": .text(uid), "method": .text(method.rawValue),
        "agent": .text(String(agent.prefix(agentLimit))), "createdAt": .moment(now),
        "lastUsed": .moment(now), "expires": .moment(now + idleSeconds),
      ])
    guard let session = Session(document) else {
      throw StorageError(.notFound, document.path.description)
    }
    return (secret, session)
  }

  /// The session with a key; nil if there is none or it has ended.
  package static func session(
    key: String, in environment: ServiceEnvironment
  ) throws -> Session? {
    guard let path = try? path(key) else { return nil }
    let now = environment.now()
    return try environment.documents.read { try $0.readable(path).document }
      .flatMap { Session($0) }.flatMap { $0.expires > now ? $0 : nil }
  }

  /// Whether the last use of a session shall be stored.
  package static func isTouchDue(_ session: Session, at now: Moment) -> Bool {
    now >= session.lastUsed + touchSeconds
  }

  /// Stores that a session is used now, and prolongs it.
  package static func touch(key: String, in environment: ServiceEnvironment) throws {
    let path = try path(key)
    try environment.documents.change(at: environment.now()) { transaction in
      // It may have ended meanwhile.
      guard let document = try transaction.readable(path).document,
        let session = Session(document), session.expires > transaction.moment,
        isTouchDue(session, at: transaction.moment)
      else { return }
      let now = transaction.moment
      let end = min(now + idleSeconds, session.created + longestSeconds)
      try transaction.set(
        path,
        document.fields.merging(["lastUsed": .moment(now), "expires": .moment(end)]))
    }
  }

  /// The sessions of a user, the last used first.
  package func all(of uid: String) throws -> [Session] {
    try gate.check(.read, .document(try UserPaths(uid).profile))
    let now = environment.now()
    return try environment.documents.read { reader in
      try environment.documents(Self.query(of: uid), in: reader).compactMap { Session($0) }
        .filter { $0.expires > now }.sorted { $0.lastUsed > $1.lastUsed }
    }
  }

  /// Ends the sessions of a user that a condition selects, and returns their keys.
  @discardableResult
  package func end(of uid: String, where isChosen: (Session) -> Bool) throws -> [String] {
    try gate.check(.delete, .document(try UserPaths(uid).profile))
    return try environment.documents.change(at: environment.now()) { transaction in
      let sessions = try environment.documents(Self.query(of: uid), in: transaction)
        .compactMap { Session($0) }.filter(isChosen)
      for session in sessions { try transaction.erase(Self.path(session.key)) }
      return sessions.map(\.key)
    }
  }

  /// Ends the session with a key, for its holder.
  package static func end(key: String, in environment: ServiceEnvironment) throws {
    guard let path = try? path(key) else { return }
    try environment.documents.change(at: environment.now()) { try $0.erase(path) }
  }

  private static func path(_ key: String) throws(StorageError) -> DocumentPath {
    try DocumentKind.sessions.collection.document(key)
  }

  private static func query(of uid: String) -> Query {
    Query(DocumentKind.sessions.collection).filtered("uid", .equal(.text(uid)))
      .ordered(by: "createdAt")
  }
}
