public import Storage

/// Mood entries, which devices name and keep in step.
public struct MoodEntryService: Sendable {
  private let gate: Gate

  /// The entries that a caller may see and change.
  public init(_ environment: ServiceEnvironment, as caller: Caller) {
    gate = Gate(environment: environment, caller: caller)
  }

  /// How many entries a page has unless another number is asked for.
  public static let pageSize = 50

  /// Keeps an entry under the name that the device gave it. Creating the same again is no error.
  @discardableResult
  public func create(_ fields: Fields, of uid: String, id: String? = nil) throws -> Document {
    let path = try UserPaths(uid).moodEntries.document(id ?? gate.environment.newID())
    return try gate.change { try $0.create(path, fields) }
  }

  /// One entry.
  public func entry(_ id: String, of uid: String) throws -> Document {
    let path = try UserPaths(uid).moodEntries.document(id)
    return try gate.read { try $0.existing(path) }
  }

  /// Puts fields over those of an entry. Devices say when they changed it, which decides between them: what
  /// is older than the stored entry changes nothing. Otherwise the moment is the service's.
  @discardableResult
  public func update(
    _ id: String, of uid: String, _ changes: Fields
  ) throws -> Updated<Document> {
    let path = try UserPaths(uid).moodEntries.document(id)
    return try gate.change { try $0.stampedUpdate(path, changes) }
  }

  /// Takes an entry away, and says whether there was one.
  @discardableResult
  public func delete(_ id: String, of uid: String) throws -> Bool {
    let path = try UserPaths(uid).moodEntries.document(id)
    return try gate.change { try $0.delete(path) }
  }

  /// A page of entries, newest first by when they were logged.
  public func page(
    of uid: String, limit: Int = pageSize, after cursor: Query.Cursor? = nil
  ) throws -> Query.Page {
    let query = Query(try UserPaths(uid).moodEntries)
      .ordered(by: "timestamp", descending: true).page(limit, after: cursor)
    return try gate.read { try $0.page(query) }
  }
}
