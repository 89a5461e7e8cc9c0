public import Storage
import Threads

/// Documents in a PostgreSQL database, which several servers may share.
///
/// Writing transactions of all processes exclude each other by one lock of the database. Readers do
/// not wait. After a restart of the database the store reconnects; calls during the restart throw
/// `.unavailable`. A body never runs twice.
public final class PostgresDocumentStore: DocumentStore {
  private let session: PostgresSession
  private let writer: GroupedWriter<PostgresDocuments>
  private let readers: PostgresPool<PostgresDocuments>
  private let feed: PostgresChangeFeed

  /// Opens the documents in a schema of a database, and creates the tables if there are none.
  /// Creates missing indexes, which takes a moment for many documents; deletes indexes that are not
  /// in the list. Throws `.notFound` if there are no tables and it may not create them.
  public init(
    _ url: String, schema: String = "pentimento", indexes: [DocumentIndex] = [],
    creates: Bool = true, limits: PostgresLimits = PostgresLimits()
  ) throws(StorageError) {
    session = try PostgresSession(url, schema: schema, limits)
    let maintenance = try session.connect(for: .maintenance)
    try PostgresSchema.migrate(maintenance, schema, creates: creates)
    try PostgresDocuments(session, maintenance).declare(indexes)
    writer = GroupedWriter(PostgresDocuments(session, for: .writing))
    readers = PostgresPool(
      limit: limits.readers, waitMilliseconds: limits.waitMilliseconds,
      subject: session.address.description)
    feed = PostgresChangeFeed(session)
  }

  deinit { feed.stop() }

  /// The URL of the database, without password.
  public var address: String { session.address.description }

  /// Calls a body with a snapshot of the documents. Waits while all connections for readers are in
  /// use.
  public func read<Result>(_ body: (any DocumentReader) throws -> Result) throws -> Result {
    let documents = try readers.borrow { () throws(StorageError) in
      PostgresDocuments(session, for: .reading)
    }
    defer { readers.giveBack(documents.isBroken ? nil : documents) }
    try documents.beginReading()
    defer { documents.end() }
    return try body(documents)
  }

  /// Runs a change in one transaction, after those of other threads and processes.
  ///
  /// Throws `.unavailable` if the connection is lost. If that happens during the commit, the result
  /// is unknown, as the error says.
  public func carryOut(_ change: PendingChange) throws { try writer.carryOut(change) }

  /// Waits until any process has stored a change after a sequence number, and returns the last
  /// number. After the timeout returns that of the last known change, which may be the same.
  /// Changes of other processes are known within milliseconds.
  public func waitForChange(after sequence: Int64, timeoutMilliseconds: Int32) throws -> Int64 {
    try feed.wait(after: sequence, milliseconds: timeoutMilliseconds)
  }

  /// Calls a body after each change by any process, with the last sequence number, until the
  /// observation is released. It runs on a thread of the store and must be brief. Numbers may be
  /// skipped or repeated.
  public func observeChanges(
    _ body: @escaping @Sendable (Int64) -> Void
  ) -> ChangeObservation? {
    feed.observe(body)
  }

  /// Checks all documents and all indexes, and returns the problems. The integrity of the server's
  /// files is up to its checksums.
  public func problems() throws(StorageError) -> [StorageError] {
    let documents = try PostgresDocuments(session, session.connect(for: .maintenance))
    try documents.beginReading()
    defer { documents.end() }
    return try documents.problems()
  }

  /// Deletes a schema with all its contents.
  package static func deleteAll(_ url: String, schema: String) throws(StorageError) {
    let session = try PostgresSession(url, schema: schema, PostgresLimits())
    _ = try session.connect(for: .maintenance).rows("DROP SCHEMA IF EXISTS \(schema) CASCADE")
  }

  /// Rebuilds indexes and counts from the readable documents. Other transactions wait.
  public func repairIndexes() throws(StorageError) {
    try PostgresDocuments(session, session.connect(for: .maintenance)).repairIndexes()
  }
}
