import Storage

/// The documents of a database through one connection, within one transaction.
///
/// Changes are sent with the next awaited statement, at the latest with the end of the transaction.
/// Storing a document takes three round trips: the beginning, the former row, the end.
final class PostgresDocuments: GroupTransaction {
  private let session: PostgresSession
  private let purpose: PostgresSession.Purpose
  private var opened: PostgresConnection?
  /// The second half of the lock of all writing transactions; the first half is
  /// `PostgresSchema.lockClass`. It is different for each schema, so that two stores in one
  /// database do not wait for each other.
  private var lock: Int64 = 0
  /// The stored indexes by the last name of their collections.
  private(set) var patterns: [Substring: [IndexPattern]] = [:]
  /// The value of `indexChanges` in the database when `patterns` was read.
  private var indexChanges: Int64 = -1
  /// The last sequence number, including the changes of this transaction.
  private var last: Int64 = 0
  /// The stored last sequence number, and the one at the last `save`.
  private var (storedLast, savedLast): (Int64, Int64) = (0, 0)
  /// The error of the first failed statement of a change. The server refuses all statements after
  /// it.
  var failure: StorageError?
  var moment = Moment(microseconds: 0)

  /// Connects when a transaction begins.
  init(_ session: PostgresSession, for purpose: PostgresSession.Purpose) {
    (self.session, self.purpose) = (session, purpose)
  }

  /// Uses an existing connection for maintenance.
  init(_ session: PostgresSession, _ connection: PostgresConnection) throws(StorageError) {
    (self.session, purpose) = (session, .maintenance)
    try take(connection)
  }

  private func take(_ connection: PostgresConnection) throws(StorageError) {
    lock = try connection.integer("SELECT 'facts'::regclass::oid::bigint - 2147483648") ?? 0
    opened = connection
    indexChanges = -1
  }

  var isBroken: Bool { opened?.isBroken ?? true }

  /// An error of this store.
  func error(_ problem: StorageError.Problem) -> StorageError {
    StorageError(problem, session.address.description)
  }

  // MARK: - Transactions

  /// Begins a transaction that excludes all other writers, of any process. Each statement sees all
  /// earlier commits; while this one has the lock there are no new ones, so that all statements see
  /// the same.
  func begin() throws(StorageError) {
    try begin {
      $0.later("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
      $0.later(
        "SELECT pg_advisory_xact_lock($1::int4, $2::int4)", .integer(PostgresSchema.lockClass),
        .integer(lock))
    }
  }

  /// Begins reading a snapshot.
  func beginReading() throws(StorageError) {
    try begin { $0.later("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") }
  }

  /// Begins a transaction. If the connection turns out to be lost, reconnects and begins again,
  /// since nothing of the transaction has run.
  private func begin(_ body: (PostgresConnection) -> Void) throws(StorageError) {
    let isNew = isBroken
    do throws(StorageError) {
      try beginOnce(body)
    } catch {
      rollBack()
      guard isBroken, !isNew else { throw error }
      do throws(StorageError) {
        try beginOnce(body)
      } catch {
        rollBack()
        throw error
      }
    }
  }

  private func beginOnce(_ body: (PostgresConnection) -> Void) throws(StorageError) {
    if isBroken {
      opened = nil
      try take(session.connect(for: purpose))
    }
    failure = nil
    guard let connection = opened else { throw error(.unavailable("there is no connection")) }
    body(connection)
    // This statement also fixes the reader's snapshot.
    let facts = try connection.rows("SELECT name, value FROM facts")
    var changes: Int64 = 0
    for row in 0..<facts.count {
      switch facts.text(row, 0) {
      case "lastSequence": last = facts.integer(row, 1)
      case "indexChanges": changes = facts.integer(row, 1)
      default: break
      }
    }
    (storedLast, savedLast) = (last, last)
    if changes != indexChanges {
      try readPatterns()
      indexChanges = changes
    }
  }

  func readPatterns() throws(StorageError) {
    patterns = [:]
    let rows = try rows("SELECT number, collection, fields FROM patterns ORDER BY number")
    for row in 0..<rows.count {
      let index = DocumentIndex(rows.text(row, 1), lines: rows.text(row, 2))
      patterns[Substring(index.collection), default: []].append(
        IndexPattern(number: rows.integer(row, 0), index))
    }
  }

  /// Ends a reading transaction without waiting for the result; the next transaction receives it.
  func end() {
    later("COMMIT")
    try? opened?.send()
  }

  private static let point = "SAVEPOINT change"

  func save() throws(StorageError) {
    savedLast = last
    later(Self.point)
  }

  func release() throws(StorageError) {
    later("RELEASE change")
    try finish()
  }

  func undo() throws(StorageError) {
    last = savedLast
    failure = nil
    // A change that ended before its first statement has nothing to undo, not even the savepoint.
    let isUnsent = opened?.isWaiting(Self.point) ?? false
    opened?.forgetQueue()
    if isUnsent { return }
    later("ROLLBACK TO change")
    later("RELEASE change")
    try finish()
  }

  func commit() throws(StorageError) {
    if let failure { throw failure }
    if last != storedLast {
      later("UPDATE facts SET value = $1 WHERE name = 'lastSequence'", .integer(last))
      // The server notifies listeners after the commit.
      later(
        "SELECT pg_notify($1, $2)", .text(PostgresChangeFeed.channel(session.schema)),
        .text("\(last)"))
    }
    do throws(StorageError) {
      let result = try rows("COMMIT")
      guard result.tag == "COMMIT" else { throw failureOfRollback }
    } catch {
      guard isBroken else { throw error }
      throw StorageError(
        .unavailable("\(error.reason); the transaction was ending, and may be stored"),
        error.subject)
    }
  }

  func rollBack() {
    guard let connection = opened else { return }
    connection.forgetQueue()
    last = storedLast
    if !connection.isBroken { _ = try? connection.rows("ROLLBACK") }
  }

  var isOpen: Bool { opened?.isInTransaction ?? false }

  var failureOfRollback: StorageError { error(.unavailable("the transaction was rolled back")) }

  // MARK: - Statements

  /// Runs a statement of a transaction. After an error the server refuses all others, so they throw
  /// that error too.
  func rows(
    _ text: String, _ values: PostgresConnection.Value...
  ) throws(StorageError) -> PostgresRows {
    try rows(text, values)
  }

  func rows(
    _ text: String, _ values: [PostgresConnection.Value]
  ) throws(StorageError) -> PostgresRows {
    try run { (connection) throws(StorageError) in try connection.rows(text, values) }
  }

  func later(_ text: String, _ values: PostgresConnection.Value...) {
    opened?.later(text, values)
  }

  /// Sends the queued statements.
  func finish() throws(StorageError) {
    try run { (connection) throws(StorageError) in _ = try connection.finish() }
  }

  func run<Result>(
    _ body: (PostgresConnection) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    if let failure { throw failure }
    guard let connection = opened else { throw error(.unavailable("there is no connection")) }
    do throws(StorageError) {
      return try body(connection)
    } catch {
      failure = error
      throw error
    }
  }

  // MARK: - Facts

  func lastSequence() throws(StorageError) -> Int64 { last }

  func identity() throws(StorageError) -> Int64? {
    let rows = try rows("SELECT value FROM facts WHERE name = 'identity'")
    return rows.isEmpty ? nil : rows.integer(0, 0)
  }

  func renewIdentity() throws(StorageError) {
    _ = try rows(
      """
      UPDATE facts SET value = (random() * 9007199254740992)::bigint * 1021
      + (random() * 1020)::bigint WHERE name = 'identity'
      """)
  }

  func note(lastSequence: Int64) { last = max(last, lastSequence) }

  // MARK: - Writing

  @discardableResult
  func set(_ path: DocumentPath, _ fields: Fields) throws(StorageError) -> Document {
    try store(path, fields)
  }

  @discardableResult
  func copy(_ document: Document) throws(StorageError) -> Document {
    try store(document.path, document.fields, (document.created, document.updated))
  }

  /// Stores a document. Its times default to the moment of the transaction.
  private func store(
    _ path: DocumentPath, _ fields: Fields, _ times: (created: Moment, updated: Moment)? = nil
  ) throws(StorageError) -> Document {
    try fields.checkAsDocument(path)
    if let failure { throw failure }
    let before = try storedRow(path)
    last += 1
    let row = DocumentRow(
      path: path, fields: fields.bytes,
      created: times?.created ?? before.document?.created ?? moment,
      updated: times?.updated ?? moment, sequence: last)
    store(row)
    updateIndexes(path, from: before, to: fields)
    return Document(
      path: path, fields: fields, created: row.created, updated: row.updated,
      sequence: row.sequence)
  }

  private func store(_ row: DocumentRow) {
    later(
      """
      INSERT INTO documents (collection, id, fields, created, updated, sequence, checksum)
      VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (collection, id) DO UPDATE SET
      fields = $3, created = $4, updated = $5, sequence = $6, checksum = $7
      """, .text(row.path.collection.description), .text(row.path.id), .bytes(row.fields),
      .integer(row.created.microseconds), .integer(row.updated.microseconds),
      .integer(row.sequence), .integer(row.checksum))
  }

  func noteDeletion(of path: DocumentPath, at moment: Moment) throws(StorageError) {
    if let failure { throw failure }
    delete(path, at: moment, try storedRow(path))
  }

  @discardableResult
  func delete(_ path: DocumentPath, at moment: Moment) throws(StorageError) -> Bool {
    if let failure { throw failure }
    let before = try storedRow(path)
    guard before.isCounted else { return false }
    delete(path, at: moment, before)
    return true
  }

  private func delete(_ path: DocumentPath, at moment: Moment, _ before: StoredRow) {
    last += 1
    store(
      DocumentRow(
        path: path, fields: nil, created: before.document?.created ?? moment, updated: moment,
        sequence: last))
    updateIndexes(path, from: before, to: nil)
  }

  func erase(_ path: DocumentPath) throws(StorageError) {
    if let failure { throw failure }
    updateIndexes(path, from: try storedRow(path), to: nil)
    later(
      "DELETE FROM documents WHERE collection = $1 AND id = $2",
      .text(path.collection.description), .text(path.id))
  }

  func erase(_ collection: CollectionPath) throws(StorageError) {
    if let failure { throw failure }
    let path = collection.description
    for pattern in patterns[collection.name] ?? [] {
      later(
        "DELETE FROM places WHERE pattern = $1 AND collection = $2", .integer(pattern.number),
        .text(path))
    }
    later("DELETE FROM documents WHERE collection = $1", .text(path))
    later("DELETE FROM collections WHERE path = $1", .text(path))
  }
}
