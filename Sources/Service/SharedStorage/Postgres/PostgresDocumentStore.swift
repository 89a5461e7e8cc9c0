public import Storage
import Threads

/// Documents in a PostgreSQL database, which several servers may share.
///
/// Writing transactions of all processes exclude each other by one lock of the database. Readers do
/// not wait. After a restart of the database the store reconnects; calls during the restart throw
/// `.unavailable`. A body never runs twice.
public final class PostgresDocumentStore: DocumentStore {
  private let session: PostgresSession
  private let writer: ConditionMutex<PostgresDocuments>
  /// The changes that wait for the next transaction. The limit for one transaction bounds the
  /// waiting time.
  private let changes = GroupedWork<PendingChange>(limit: 64)
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
    writer = ConditionMutex(PostgresDocuments(session, for: .writing))
    readers = PostgresPool(
      limit: limits.readers, waitMilliseconds: limits.waitMilliseconds,
      subject: session.address.description)
    feed = PostgresChangeFeed(session)
  }

  deinit { feed.stop() }

  /// The URL of the database, without password.
  public var address: String { session.address.description }

  /// A random number that identifies this database and its copies.
  public var identity: Int64? {
    get throws {
      try read { reader in try (reader as? PostgresDocuments)?.identity() }
    }
  }

  /// Gives the database a new identity and returns it, because it continues from an earlier state
  /// than other places have seen.
  package func renewIdentity() throws -> Int64? {
    try change(at: Moment(microseconds: 0)) { try ($0 as? PostgresDocuments)?.renewIdentity() }
  }

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

  /// Runs a body in one transaction, after those of other threads and processes. Threads that
  /// arrive during a transaction wait, and share the next one: it runs their bodies one after the
  /// other, each with its own moment, and one flush makes all changes durable. A body that throws
  /// undoes only its own changes.
  ///
  /// Throws `.unavailable` if the connection is lost. If that happens during the commit, the result
  /// is unknown, as the error says.
  @discardableResult
  public func change<Result>(
    at moment: Moment, _ body: (any DocumentTransaction) throws -> Result
  ) throws -> Result {
    try changes.change(at: moment, body) { group in
      writer.withLock { documents in documents.run(group) }
    }
  }

  /// Like `change(at:_:)`, with a preparation that runs after the transaction has begun, in
  /// parallel for all changes that share it.
  @discardableResult
  public func change<Preparation, Result>(
    at moment: Moment, preparing prepare: () throws -> Preparation,
    _ body: (any DocumentTransaction, Preparation) throws -> Result
  ) throws -> Result {
    try changes.change(at: moment, preparing: prepare, body) { group in
      writer.withLock { documents in documents.run(group) }
    }
  }

  /// Like `change(preparing:)`, for bodies that change files; later preparations run after it.
  @discardableResult
  public func changeWithFiles<Result>(
    at moment: Moment, _ body: (any DocumentTransaction) throws -> Result
  ) throws -> Result {
    try changes.change(at: moment, altersFiles: true, body) { group in
      writer.withLock { documents in documents.run(group) }
    }
  }

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
