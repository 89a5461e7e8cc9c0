import Glibc

/// Documents in a SQLite database: one file, safe when the power is cut at any moment.
///
/// One connection writes, a few read; readers see the documents as they were when they began, and wait
/// for nobody. Other programs may use the same file meanwhile.
public final class SQLiteDocumentStore: DocumentStore {
  private let path: String
  private let writer: Monitor<SQLiteDocuments>
  private let readers: Monitor<Readers>

  /// Connections that nobody uses, and how many there are in all.
  private struct Readers {
    var idle: [SQLiteDocuments] = []
    var count = 0
  }

  /// As many read side by side; each keeps up to two megabytes of the file.
  private static let readerLimit = 4

  /// Opens a database, or makes one. Indexes that it does not have yet are made, which takes a moment
  /// for many documents; those that are not named any more go.
  public convenience init(_ path: String, indexes: [DocumentIndex] = []) throws(StorageError) {
    try self.init(path, indexes: indexes, patience: 10_000)
  }

  /// The same with another time to wait for other programs, in milliseconds.
  init(_ path: String, indexes: [DocumentIndex], patience: Int32) throws(StorageError) {
    self.path = path
    let connection = try SQLiteConnection(path, for: .creating, patience: patience)
    // In one moment, as others may be making the tables; an error closes the connection.
    try connection.run("BEGIN")
    try SQLiteSchema.identify(connection, path)
    try connection.run("COMMIT")
    try SQLiteSchema.prepare(connection)
    try SQLiteSchema.migrate(connection, path)
    let documents = try SQLiteDocuments(connection, path)
    try documents.declare(indexes)
    writer = Monitor(documents)
    readers = Monitor(Readers())
  }

  /// As `DocumentStore` says.
  public func read<Result>(_ body: (any DocumentReader) throws -> Result) throws -> Result {
    let documents = try borrowReader()
    defer { readers.change { $0.idle.append(documents) } }
    try documents.begin("BEGIN")
    defer { documents.end() }
    return try body(documents)
  }

  private func borrowReader() throws(StorageError) -> SQLiteDocuments {
    let idle: SQLiteDocuments?? = readers.wait { readers in
      if let reader = readers.idle.popLast() { return .some(reader) }
      guard readers.count < Self.readerLimit else { return nil }
      readers.count += 1
      return .some(nil)
    }
    if let idle, let reader = idle { return reader }
    do throws(StorageError) {
      let connection = try SQLiteConnection(path, for: .reading)
      try SQLiteSchema.prepare(connection)
      return try SQLiteDocuments(connection, path)
    } catch {
      readers.change { $0.count -= 1 }
      throw error
    }
  }

  /// As `DocumentStore` says.
  @discardableResult
  public func change<Result>(
    at moment: Moment, _ body: (any DocumentTransaction) throws -> Result
  ) throws -> Result {
    try writer.withLock { documents in
      try documents.begin("BEGIN IMMEDIATE")
      do {
        documents.moment = moment
        let result = try body(documents)
        try documents.commit()
        return result
      } catch {
        documents.rollBack()
        throw error
      }
    }
  }

  /// Copies the database, as it is at this moment, to a file that is not there yet.
  public func copy(to path: String) throws(StorageError) {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      if errno == EEXIST { throw StorageError(.alreadyThere, path) }
      throw StorageError(code: errno, path)
    }
    close(file)
    do throws(StorageError) {
      let other = try SQLiteConnection(path, for: .writing)
      try other.run("PRAGMA synchronous = EXTRA")
      try writer.withLock { (documents) throws(StorageError) in try documents.copy(to: other) }
      // The copy is one file, without a log of its own.
      try other.run("PRAGMA journal_mode = DELETE")
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Puts all that its log holds into the file itself, so that the file alone is everything.
  public func settle() throws(StorageError) {
    try writer.withLock { (documents) throws(StorageError) in try documents.settle() }
  }

  /// Looks at everything and says what is wrong.
  public func problems() throws(StorageError) -> [StorageError] {
    let documents = try borrowReader()
    defer { readers.change { $0.idle.append(documents) } }
    try documents.begin("BEGIN")
    defer { documents.end() }
    return try documents.problems()
  }
}
