public import Storage

/// What users did with a growth method, and how they felt before and after. Categories rather than prose:
/// notes are optional, and go with everything else of a user.
public struct SessionLogService: Sendable {
  private let gate: Gate

  /// The logs that a caller may see and change.
  public init(_ environment: ServiceEnvironment, as caller: Caller) {
    gate = Gate(environment: environment, caller: caller)
  }

  /// Keeps a log; the fields say whose it is. Creating the same again is no error.
  @discardableResult
  public func create(_ fields: Fields, id: String? = nil) throws -> Document {
    let named = fields["logId"]?.textValue
    let id = id ?? named ?? gate.environment.newID()
    guard named == nil || named == id else {
      throw ServiceError.badRequest("the log's logId is not the name that it should have")
    }
    let path = try Collections.sessionLogs.document(id)
    return try gate.change { try $0.create(path, fields, defaults: ["logId": .text(id)]) }
  }

  /// One log.
  public func log(_ id: String) throws -> Document {
    let path = try Collections.sessionLogs.document(id)
    return try gate.read { try $0.existing(path) }
  }

  /// Puts fields over those of a log.
  @discardableResult
  public func update(_ id: String, _ changes: Fields) throws -> Document {
    let path = try Collections.sessionLogs.document(id)
    return try gate.change { transaction in
      guard changes["logId"].map({ $0 == .text(id) }) ?? true else {
        throw ServiceError.badRequest("a log keeps its name: logId must be '\(id)'")
      }
      return try transaction.update(path, changes).value
    }
  }

  /// Takes a log away, and says whether there was one.
  @discardableResult
  public func delete(_ id: String) throws -> Bool {
    let path = try Collections.sessionLogs.document(id)
    return try gate.change { try $0.delete(path) }
  }

  /// A user's logs, newest first.
  public func page(
    of uid: String, limit: Int = 50, after cursor: Query.Cursor? = nil
  ) throws -> Query.Page {
    let query = Query(Collections.sessionLogs).filtered("userId", .equal(.text(uid)))
      .ordered(by: "startTime", descending: true).page(limit, after: cursor)
    return try gate.read { try $0.page(query) }
  }
}
