public import DrawingServices
public import Storage

/// Session logs: the growth method that a user practised, and the mood before and after. Mostly
/// categories instead of text: notes are optional, and are deleted with the other data of a user.
public struct SessionLogService: Sendable {
  private let gate: AccessGate

  /// Session logs with the access of a caller.
  /// With `expecting`, changes only a document that still has this sequence number.
  public init(
    _ environment: ServiceEnvironment, as caller: Caller, expecting sequence: Int64? = nil
  ) {
    gate = AccessGate(environment, as: caller, expecting: sequence)
  }

  /// Stores a log; the field `userId` names its owner. Creating the same log again is not an error.
  @discardableResult
  public func create(_ fields: Fields, id: String? = nil) throws -> Document {
    let named = fields["logId"]?.textValue
    let id = id ?? named ?? gate.environment.newID()
    guard named == nil || named == id else {
      throw ServiceError.badRequest("the logId differs from the id of the log")
    }
    let path = try DocumentKind.sessionLogs.collection.document(id)
    return try gate.change { try $0.create(path, fields, defaults: ["logId": .text(id)]) }
  }

  /// One log; throws if there is none.
  public func log(_ id: String) throws -> Document {
    let path = try DocumentKind.sessionLogs.collection.document(id)
    return try gate.read { try $0.existing(path) }
  }

  /// Overwrites some fields of a log, except its `logId`.
  @discardableResult
  public func update(_ id: String, _ changes: Fields) throws -> Document {
    let path = try DocumentKind.sessionLogs.collection.document(id)
    return try gate.change { transaction in
      guard changes["logId"].map({ $0 == .text(id) }) ?? true else {
        throw ServiceError.badRequest("the logId cannot change: it must be '\(id)'")
      }
      return try transaction.update(path, changes).value
    }
  }

  /// Deletes a log and returns whether it existed.
  @discardableResult
  public func delete(_ id: String) throws -> Bool {
    let path = try DocumentKind.sessionLogs.collection.document(id)
    return try gate.change { try $0.delete(path) }
  }

  /// One page of the logs of a user, newest first.
  public func page(
    of uid: String, limit: Int = 50, after cursor: Query.Cursor? = nil
  ) throws -> Query.Page {
    let query = Query(DocumentKind.sessionLogs.collection).filtered("userId", .equal(.text(uid)))
      .ordered(by: "startTime", descending: true).page(limit, after: cursor)
    return try gate.read { try $0.page(query) }
  }
}
