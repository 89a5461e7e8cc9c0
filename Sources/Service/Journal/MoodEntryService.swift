public import DrawingServices
public import Storage

/// Mood entries, which devices name and synchronize.
public struct MoodEntryService: Sendable {
  private let gate: AccessGate

  /// Mood entries with the access of a caller.
  /// With `expecting`, changes only a document that still has this sequence number.
  public init(
    _ environment: ServiceEnvironment, as caller: Caller, expecting sequence: Int64? = nil
  ) {
    gate = AccessGate(environment, as: caller, expecting: sequence)
  }

  /// The default number of entries in a page.
  public static let pageSize = 50

  /// Stores an entry with the id from the device. Creating the same entry again is not an error.
  @discardableResult
  public func create(_ fields: Fields, of uid: String, id: String? = nil) throws -> Document {
    let path = try UserPaths(uid).moodEntries.document(id ?? gate.environment.newID())
    return try gate.change { try $0.create(path, fields) }
  }

  /// One entry; throws if there is none.
  public func entry(_ id: String, of uid: String) throws -> Document {
    let path = try UserPaths(uid).moodEntries.document(id)
    return try gate.read { try $0.existing(path) }
  }

  /// Overwrites some fields of an entry. If the changes have the time of the device, an update that
  /// is older than the stored entry has no effect; without a time the current time is used.
  @discardableResult
  public func update(
    _ id: String, of uid: String, _ changes: Fields
  ) throws -> Updated<Document> {
    let path = try UserPaths(uid).moodEntries.document(id)
    return try gate.change { try $0.stampedUpdate(path, changes) }
  }

  /// Deletes an entry and returns whether it existed.
  @discardableResult
  public func delete(_ id: String, of uid: String) throws -> Bool {
    let path = try UserPaths(uid).moodEntries.document(id)
    return try gate.change { try $0.delete(path) }
  }

  /// One page of entries, the most recently logged first.
  public func page(
    of uid: String, limit: Int = pageSize, after cursor: Query.Cursor? = nil
  ) throws -> Query.Page {
    let query = Query(try UserPaths(uid).moodEntries)
      .ordered(by: "timestamp", descending: true).page(limit, after: cursor)
    return try gate.read { try $0.page(query) }
  }
}
