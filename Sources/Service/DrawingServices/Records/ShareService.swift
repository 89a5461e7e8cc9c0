public import Storage

/// Shares: drawings that everybody with the link may see, until the owner ends the share or it
/// expires.
///
/// The name of a share is random and grants access by itself. Only the service reads the documents
/// of shares, so the owner sees them through this type.
public struct ShareService: Sendable {
  private let gate: AccessGate
  private var environment: ServiceEnvironment { gate.environment }

  /// Shares with the access of a caller.
  public init(_ environment: ServiceEnvironment, as caller: Caller) {
    gate = AccessGate(environment, as: caller)
  }

  /// A shared drawing.
  public struct Share: Hashable, Sendable {
    /// The name in the link.
    public let id: String
    /// The owner of the drawing.
    public let uid: String
    /// The drawing.
    public let drawing: String
    /// Whether the replay with every stroke ever drawn is shared, or only the picture.
    public let showsReplay: Bool
    /// The title above the drawing; empty for none.
    public let title: String
    /// The time of expiry; nil for none.
    public let expires: Moment?
    /// When the drawing was first stored; nil for a share of an older program. A later drawing with
    /// the same name is not shared.
    fileprivate let created: Moment?

    init?(_ document: Document) {
      guard let uid = document["uid"]?.textValue, let drawing = document["drawing"]?.textValue
      else {
        return nil
      }
      id = document.id
      (self.uid, self.drawing) = (uid, drawing)
      showsReplay = document["showsReplay"]?.boolValue ?? false
      title = document["title"]?.textValue ?? ""
      expires = document["expires"]?.momentValue
      created = document["drawingCreated"]?.momentValue
    }

    /// Whether the share has neither expired nor ended with its drawing.
    fileprivate func isOpen(in reader: any DocumentReader, at now: Moment) throws -> Bool {
      if let expires, expires <= now { return false }
      let path = try UserPaths(uid).drawings.document(drawing)
      guard let document = try reader.readable(path).document else { return false }
      return created.map { $0 == document.created } ?? true
    }
  }

  /// The default lifetime of a share, in seconds: thirty days.
  public static let usualSeconds: Int64 = 30 * 86_400
  /// The maximum number of shares of one user.
  public static let limit = 1000
  /// The maximum size of a title, in bytes.
  public static let titleLimit = 200

  /// Shares a drawing of a user until a moment; with nil, until the drawing is deleted.
  public func share(
    _ drawing: String, of uid: String, showsReplay: Bool, title: String = "",
    expires: Moment?
  ) throws -> Share {
    guard title.utf8.count <= Self.titleLimit else {
      throw ServiceError.badRequest("a title has at most \(Self.titleLimit) bytes")
    }
    let paths = try UserPaths(uid)
    let path = try paths.drawings.document(drawing)
    let id = environment.newID()
    return try environment.documents.change(at: environment.now()) { transaction in
      // Only the owner may give others access.
      let stored = try transaction.document(path)
      try gate.check(.delete, .document(path, now: stored?.fields), in: transaction)
      guard stored != nil else { throw StorageError(.notFound, path.description) }
      if try transaction.count(Self.query(of: uid)) >= Self.limit {
        try Self.eraseEnded(of: uid, in: transaction, environment)
      }
      guard try transaction.count(Self.query(of: uid)) < Self.limit else {
        throw ServiceError.badRequest("a user has at most \(Self.limit) shares")
      }
      let document = try transaction.create(
        Collections.shares.document(id),
        [
          "uid": .text(uid), "drawing": .text(drawing), "showsReplay": .bool(showsReplay),
          "title": .text(title), "expires": expires.map { .moment($0) },
          "drawingCreated": stored.map { .moment($0.created) },
          "createdAt": .moment(transaction.moment),
        ])
      guard let share = Share(document) else { throw StorageError(.notFound, id) }
      return share
    }
  }

  /// The share with a name, for everybody; nil if there is none or it has ended.
  public static func share(_ id: String, in environment: ServiceEnvironment) throws -> Share? {
    guard let path = try? Collections.shares.document(id) else { return nil }
    let now = environment.now()
    return try environment.documents.read { reader in
      guard let share = try reader.readable(path).document.flatMap({ Share($0) }),
        try share.isOpen(in: reader, at: now)
      else { return nil }
      return share
    }
  }

  /// The user's shares that have not ended, newest first.
  public func all(of uid: String) throws -> [Share] {
    try gate.check(.read, .document(try UserPaths(uid).profile))
    let now = environment.now()
    return try environment.documents.read { reader in
      try environment.documents(Self.query(of: uid), in: reader).compactMap { Share($0) }
        .filter { try $0.isOpen(in: reader, at: now) }
    }
  }

  /// Ends a share and returns whether it existed.
  @discardableResult
  public func end(_ id: String, of uid: String) throws -> Bool {
    try gate.check(.delete, .document(try UserPaths(uid).profile))
    let path = try Collections.shares.document(id)
    return try environment.documents.change(at: environment.now()) { transaction in
      guard try transaction.readable(path).document?["uid"]?.textValue == uid else { return false }
      try transaction.erase(path)
      return true
    }
  }

  /// Ends all shares of a drawing that is being deleted.
  static func endAll(
    of uid: String, drawing: String, in transaction: any DocumentTransaction,
    _ environment: ServiceEnvironment
  ) throws {
    for document in try environment.documents(query(of: uid), in: transaction)
    where document["drawing"]?.textValue == drawing {
      try transaction.erase(document.path)
    }
  }

  /// Erases the ended shares of a user, and returns their number.
  @discardableResult
  static func eraseEnded(
    of uid: String, in transaction: any DocumentTransaction, _ environment: ServiceEnvironment
  ) throws -> Int {
    var count = 0
    for document in try environment.documents(query(of: uid), in: transaction) {
      if let share = Share(document),
        try share.isOpen(in: transaction, at: transaction.moment)
      {
        continue
      }
      try transaction.erase(document.path)
      count += 1
    }
    return count
  }

  static func query(of uid: String) -> Query {
    Query(Collections.shares).filtered("uid", .equal(.text(uid)))
      .ordered(by: "createdAt", descending: true)
  }
}
