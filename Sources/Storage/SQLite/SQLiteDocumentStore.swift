import Glibc

/// Documents in a SQLite database: one file, safe when the power is cut at any moment.
///
/// One connection writes, a few read; readers see the documents as they were when they began, and wait
/// for nobody. Other programs may use the same file meanwhile.
public final class SQLiteDocumentStore: DocumentStore {
  private let path: String
  /// Nil for a store that only reads.
  private let writer: Monitor<SQLiteDocuments>?
  private let readers: Monitor<Readers>
  /// How readers open the file.
  private let reading: SQLiteConnection.Purpose

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
    reading = .reading
    try Self.makePrivateFile(path)
    let connection: SQLiteConnection
    do throws(StorageError) {
      connection = try SQLiteConnection(path, for: .writing, patience: patience)
      // In one moment, as others may be making the tables; an error closes the connection.
      try connection.run("BEGIN")
      try SQLiteSchema.identify(connection, path)
      try connection.run("COMMIT")
      try SQLiteSchema.prepare(connection)
    } catch {
      // What cannot be made is the log beside it.
      let isThere = access(path, F_OK) == 0 && access(Self.folder(of: path), W_OK) != 0
      guard isThere, error.problem == .notFound else { throw error }
      throw StorageError(.readOnly, path)
    }
    try SQLiteSchema.migrate(connection, path)
    let documents = try SQLiteDocuments(connection, path)
    try documents.declare(indexes)
    writer = Monitor(documents)
    readers = Monitor(Readers())
  }

  /// Opens a database that is there to read it alone. Nothing is made, and nobody who writes is waited
  /// for; the disk may be one that nothing can be written to.
  public init(reading path: String) throws(StorageError) {
    let (connection, purpose) = try Self.readingConnection(path)
    self.path = path
    reading = purpose
    writer = nil
    readers = Monitor(Readers(idle: [try SQLiteDocuments(connection, path)], count: 1))
  }

  /// A connection that was seen to work.
  private static func readingConnection(
    _ path: String
  ) throws(StorageError) -> (SQLiteConnection, SQLiteConnection.Purpose) {
    func connection(
      for purpose: SQLiteConnection.Purpose
    ) throws(StorageError) -> SQLiteConnection {
      let name = purpose == .reading ? path : SQLiteConnection.path(ofImmutable: path)
      let connection = try SQLiteConnection(name, for: purpose)
      try SQLiteSchema.prepareReading(connection)
      try SQLiteSchema.identify(connection, path)
      let found = try SQLiteSchema.version(of: connection)
      guard found == SQLiteSchema.version else { throw StorageError(.olderVersion(found), path) }
      return connection
    }
    do throws(StorageError) {
      return (try connection(for: .reading), .reading)
    } catch {
      // Readers share some memory in a file beside it, which cannot be made on a disk that is not written
      // to. There nobody else writes either, so none is needed; but a log that was left holds the latest
      // changes, and would not be read.
      var log = stat()
      let hasLog = stat(path + "-wal", &log) == 0 && log.st_size > 0
      // A full disk has no room for its first page either, unless somebody has it, who then may write.
      var memory = stat()
      let isShared = stat(path + "-shm", &memory) == 0 && memory.st_size >= 4096
      let isAlone =
        access(folder(of: path), W_OK) != 0 || error.problem == .full && !isShared
      guard !hasLog, access(path, R_OK) == 0, isAlone else { throw error }
      return (try connection(for: .readingImmutable), .readingImmutable)
    }
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Makes an empty file that only its owner may read, where there is none. It gets its name when it is
  /// closed: closing a database's file would take away the locks that others here have on it.
  private static func makePrivateFile(_ path: String) throws(StorageError) {
    guard access(path, F_OK) != 0 else { return }
    let random = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    let temporary = "\(folder(of: path))/.new-\(random).db"
    let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw StorageError(code: errno, path) }
    close(file)
    defer { unlink(temporary) }
    guard link(temporary, path) == 0 || errno == EEXIST else {
      throw StorageError(code: errno, path)
    }
    try Folder(folder(of: path)).synchronize()
  }

  /// A number that this database alone has, and its copies.
  package var identity: Int64? {
    get throws {
      try read { reader in try (reader as? SQLiteDocuments)?.identity() }
    }
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
      let isShared = reading == .reading
      let name = isShared ? path : SQLiteConnection.path(ofImmutable: path)
      let connection = try SQLiteConnection(name, for: reading)
      try SQLiteSchema.prepareReading(connection)
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
    guard let writer else { throw StorageError(.readOnly, path) }
    return try writer.withLock { documents in
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
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      if errno == EEXIST { throw StorageError(.alreadyThere, path) }
      throw StorageError(code: errno, path)
    }
    close(file)
    do throws(StorageError) {
      let other = try SQLiteConnection(path, for: .writing)
      try other.run("PRAGMA synchronous = EXTRA")
      let documents = try borrowReader()
      defer { readers.change { $0.idle.append(documents) } }
      try documents.copy(to: other)
      // The copy is one file, without a log of its own.
      try other.run("PRAGMA journal_mode = DELETE")
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Puts all that its log holds into the file itself, so that the file alone is everything.
  public func settle() throws(StorageError) {
    guard let writer else { throw StorageError(.readOnly, path) }
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

  /// As `DocumentStore` says.
  public func repairIndexes() throws(StorageError) {
    guard let writer else { throw StorageError(.readOnly, path) }
    try writer.withLock { (documents) throws(StorageError) in try documents.repairIndexes() }
  }
}
