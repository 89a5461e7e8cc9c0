/// The documents of a database through one connection, within one transaction.
final class SQLiteDocuments: GroupTransaction {
  /// Internal instead of private because tests fill the disk through it.
  let connection: SQLiteConnection
  let path: String
  /// The stored indexes by the last name of their collections. In the tables each is a row of
  /// `patterns`, and its entries are rows of `places`.
  var patterns: [Substring: [IndexPattern]] = [:]
  /// The value of `indexChanges` in the database when `patterns` was read.
  private var indexChanges: Int64 = -1
  /// A cache of collection numbers, valid in one transaction: between two transactions another
  /// connection may erase a collection, and a new collection may get its number.
  var numbers: [CollectionPath: Int64] = [:]
  /// The first failed change of this transaction. The database may have rolled back the earlier
  /// changes.
  var failure: StorageError?
  var moment = Moment(microseconds: 0)

  init(_ connection: SQLiteConnection, _ path: String) throws(StorageError) {
    self.connection = connection
    self.path = path
  }

  // MARK: - Transactions

  /// Begins a transaction with `BEGIN` or `BEGIN IMMEDIATE`, and reads the indexes if they have
  /// changed.
  func begin(_ statement: String) throws(StorageError) {
    try connection.run(statement)
    numbers = [:]
    failure = nil
    do throws(StorageError) {
      // The first read also fixes the snapshot that a reader sees.
      let changes = try connection.integer("SELECT value FROM facts WHERE name = 'indexChanges'")
      if changes != indexChanges {
        try readPatterns()
        indexChanges = changes ?? 0
      }
    } catch {
      rollBack()
      throw error
    }
  }

  func begin() throws(StorageError) { try begin("BEGIN IMMEDIATE") }

  func save() throws(StorageError) { try connection.run("SAVEPOINT change") }

  func release() throws(StorageError) { try connection.run("RELEASE change") }

  func undo() throws(StorageError) {
    // The cache may hold collections that this change created.
    numbers = [:]
    try connection.run("ROLLBACK TO change; RELEASE change")
  }

  var isOpen: Bool { connection.isInTransaction }

  var failureOfRollback: StorageError {
    StorageError(.unavailable("the transaction was rolled back"), path)
  }

  func commit() throws(StorageError) {
    if let failure { throw failure }
    try connection.run("COMMIT")
  }

  /// Runs a change, and refuses all changes after one that failed: the database may have ended the
  /// transaction by itself, and would then commit each following change on its own.
  private func runChange<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    if let failure { throw failure }
    do throws(StorageError) {
      return try body()
    } catch {
      failure = error
      throw error
    }
  }

  /// Ends a transaction that only read.
  func end() { try? connection.run("COMMIT") }

  func rollBack() {
    try? connection.run("ROLLBACK")
    // The cache may hold collections that this transaction created.
    numbers = [:]
  }

  /// Moves the contents of the write-ahead log into the database file.
  func checkpoint() throws(StorageError) { try connection.run("PRAGMA wal_checkpoint(TRUNCATE)") }

  /// The random number that identifies this database and its copies.
  func identity() throws(StorageError) -> Int64? {
    try connection.integer("SELECT value FROM facts WHERE name = 'identity'")
  }

  func renewIdentity() throws(StorageError) {
    try connection.run("UPDATE facts SET value = random() WHERE name = 'identity'")
  }

  func copy(to other: SQLiteConnection) throws(StorageError) { try connection.copy(to: other) }

  // MARK: - Writing

  private func nextSequence() throws(StorageError) -> Int64 {
    // From the cache: preparing it would take longer than running it.
    try connection.statement("UPDATE facts SET value = value + 1 WHERE name = 'lastSequence'")
      .finish()
    return try lastSequence()
  }

  @discardableResult
  func set(_ path: DocumentPath, _ fields: Fields) throws(StorageError) -> Document {
    try fields.checkAsDocument(path)
    return try runChange { () throws(StorageError) in try store(path, fields) }
  }

  func copy(_ document: Document) throws(StorageError) -> Document {
    try document.fields.checkAsDocument(document.path)
    return try runChange { () throws(StorageError) in
      try store(document.path, document.fields, (document.created, document.updated))
    }
  }

  /// Stores a document. Its times default to the moment of the transaction.
  private func store(
    _ path: DocumentPath, _ fields: Fields, _ times: (created: Moment, updated: Moment)? = nil
  ) throws(StorageError) -> Document {
    let collection = try numberOrNew(of: path.collection)
    let before = try storedRow(path, collection)
    var (created, updated) = times ?? (moment, moment)
    if times == nil, case .document(let document) = before { created = document.created }
    let document = Document(
      path: path, fields: fields, created: created, updated: updated,
      sequence: try nextSequence())
    let checksum = DocumentRow(
      path: path, fields: fields.bytes, created: created, updated: updated,
      sequence: document.sequence
    ).checksum
    // A deleted document still has a row.
    try connection.run(
      """
      INSERT INTO documents (collection, id, fields, created, updated, sequence, checksum)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (collection, id) DO UPDATE SET
      fields = ?3, created = ?4, updated = ?5, sequence = ?6, checksum = ?7
      """, .integer(collection), .text(path.id), .bytes(fields.bytes),
      .integer(document.created.microseconds), .integer(updated.microseconds),
      .integer(document.sequence), .integer(checksum))
    try updateIndexes(path, from: before, to: fields, collection)
    return document
  }

  /// The number of a collection, which is created if it has never held a document.
  private func numberOrNew(of collection: CollectionPath) throws(StorageError) -> Int64 {
    if let number = try number(of: collection) { return number }
    try connection.run(
      "INSERT INTO collections (path, name) VALUES (?1, ?2)",
      .text(collection.description), .text(String(collection.name)))
    numbers[collection] = connection.lastRow
    return connection.lastRow
  }

  func noteDeletion(of path: DocumentPath, at moment: Moment) throws(StorageError) {
    try runChange { () throws(StorageError) in
      let collection = try numberOrNew(of: path.collection)
      let before = try storedRow(path, collection)
      if case .none = before {
        // Inserts a row for the deletion to update. Its sequence number, which no other row has, is
        // replaced at once by that of the deletion.
        try connection.run(
          """
          INSERT INTO documents (collection, id, fields, created, updated, sequence, checksum)
          VALUES (?1, ?2, NULL, 0, 0, -1, 0)
          """, .integer(collection), .text(path.id))
      }
      try delete(path, at: moment, before, collection)
    }
  }

  @discardableResult
  func delete(_ path: DocumentPath, at moment: Moment) throws(StorageError) -> Bool {
    guard let collection = try number(of: path.collection) else { return false }
    let before = try storedRow(path, collection)
    guard before.isCounted else { return false }
    try runChange { () throws(StorageError) in try delete(path, at: moment, before, collection) }
    return true
  }

  private func delete(
    _ path: DocumentPath, at moment: Moment, _ before: StoredRow, _ collection: Int64
  ) throws(StorageError) {
    var created = moment
    if case .document(let document) = before { created = document.created }
    let sequence = try nextSequence()
    let checksum = DocumentRow(
      path: path, fields: nil, created: created, updated: moment, sequence: sequence
    ).checksum
    try connection.run(
      """
      UPDATE documents SET fields = NULL, created = ?6, updated = ?3, sequence = ?4, checksum = ?5
      WHERE collection = ?1 AND id = ?2
      """, .integer(collection), .text(path.id), .integer(moment.microseconds),
      .integer(sequence), .integer(checksum), .integer(created.microseconds))
    try updateIndexes(path, from: before, to: nil, collection)
  }

  func erase(_ path: DocumentPath) throws(StorageError) {
    guard let collection = try number(of: path.collection) else { return }
    try runChange { () throws(StorageError) in try erase(path, collection) }
  }

  private func erase(_ path: DocumentPath, _ collection: Int64) throws(StorageError) {
    try updateIndexes(path, from: storedRow(path, collection), to: nil, collection)
    try connection.run(
      "DELETE FROM documents WHERE collection = ?1 AND id = ?2", .integer(collection),
      .text(path.id))
  }

  func erase(_ collection: CollectionPath) throws(StorageError) {
    guard let number = try number(of: collection) else { return }
    try runChange { () throws(StorageError) in try erase(collection, number) }
  }

  private func erase(_ collection: CollectionPath, _ number: Int64) throws(StorageError) {
    for pattern in patterns[collection.name] ?? [] {
      try connection.run(
        "DELETE FROM places WHERE pattern = ?1 AND collection = ?2", .integer(pattern.number),
        .integer(number))
      if !pattern.texts.isEmpty { try deleteAllTerms(pattern, number, collection) }
    }
    try connection.run("DELETE FROM documents WHERE collection = ?1", .integer(number))
    try connection.run("DELETE FROM collections WHERE number = ?1", .integer(number))
    numbers[collection] = nil
  }
}
