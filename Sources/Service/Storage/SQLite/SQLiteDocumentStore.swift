import Glibc
import Threads

/// Documents in a SQLite database: one file that survives a power cut at any moment.
///
/// One connection writes, up to four read. A reader sees the documents as they were when it began,
/// and does not wait for writers. Other programs may use the same file at the same time.
public final class SQLiteDocumentStore: DocumentStore {
  private let path: String
  /// Nil for a store that only reads.
  private let writer: GroupedWriter<SQLiteDocuments>?
  private let readers: ConditionMutex<Readers>
  /// The mode in which readers open the file.
  private let reading: SQLiteConnection.Purpose

  /// The unused connections, and the number of all connections.
  private struct Readers {
    var idle: [SQLiteDocuments] = []
    var count = 0
  }

  /// The maximum number of concurrent readers; each caches up to 2 MiB of the file.
  private static let readerLimit = 4

  /// Opens a database, or creates one. Missing indexes are created, which takes a moment for many
  /// documents; indexes that are not in the list are deleted.
  public convenience init(_ path: String, indexes: [DocumentIndex] = []) throws(StorageError) {
    try self.init(path, indexes: indexes, timeoutMilliseconds: 10_000)
  }

  /// Opens a database with another timeout for locks that other programs hold.
  init(_ path: String, indexes: [DocumentIndex], timeoutMilliseconds: Int32) throws(StorageError) {
    self.path = path
    reading = .reading
    try Self.createPrivateFile(path)
    let connection: SQLiteConnection
    do throws(StorageError) {
      connection = try SQLiteConnection(
        path, for: .writing, timeoutMilliseconds: timeoutMilliseconds)
      // In one transaction, as another program may be creating the tables; an error closes the
      // connection.
      try connection.run("BEGIN")
      try SQLiteSchema.identify(connection, path)
      try connection.run("COMMIT")
      try SQLiteSchema.prepare(connection)
    } catch {
      // SQLite cannot create its log in a folder that is not writable.
      let isReadOnly = access(path, F_OK) == 0 && access(Self.folder(of: path), W_OK) != 0
      guard isReadOnly, error.problem == .notFound else { throw error }
      throw StorageError(.readOnly, path)
    }
    try SQLiteSchema.migrate(connection, path)
    let documents = try SQLiteDocuments(connection, path)
    try documents.declare(indexes)
    writer = GroupedWriter(documents)
    readers = ConditionMutex(Readers())
  }

  /// Opens an existing database for reading. Creates nothing, does not wait for writers, and works
  /// on a read-only disk.
  public init(reading path: String) throws(StorageError) {
    let (connection, purpose) = try Self.readingConnection(path)
    self.path = path
    reading = purpose
    writer = nil
    readers = ConditionMutex(Readers(idle: [try SQLiteDocuments(connection, path)], count: 1))
  }

  /// A connection that has already read the version, and its mode.
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
      // Readers share memory through a file beside the database, which cannot be created on a
      // read-only disk. No other program writes there either, so it is not needed. But a leftover
      // log holds the latest changes, and an immutable connection would ignore it.
      var log = stat()
      let hasLog = stat(path + "-wal", &log) == 0 && log.st_size > 0
      // On a full disk that file cannot get its first page. If it has one, another program uses the
      // database and may write.
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

  /// Creates an empty file that only its owner may read, if none exists. The file gets its name
  /// after it was closed: closing a database file releases the locks that this process holds on it.
  private static func createPrivateFile(_ path: String) throws(StorageError) {
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

  /// Calls a body with a snapshot of the documents. Waits while four other readers are active.
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

  /// Runs a change in one transaction, which it may share with changes of other threads. Waits while
  /// another transaction writes, for ten seconds at most if that is another program's.
  public func carryOut(_ change: PendingChange) throws { try writing().carryOut(change) }

  private func writing() throws(StorageError) -> GroupedWriter<SQLiteDocuments> {
    guard let writer else { throw StorageError(.readOnly, path) }
    return writer
  }

  /// The number of changes that wait for the next transaction.
  var waitingCount: Int { writer?.waitingCount ?? 0 }

  /// Copies a snapshot of the database to a new file. Throws if the file exists.
  public func copy(to path: String) throws(StorageError) {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      if errno == EEXIST { throw StorageError(.alreadyExists, path) }
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

  /// Moves the contents of the write-ahead log into the database file, so that the file alone is
  /// complete.
  public func checkpoint() throws(StorageError) {
    try writing().withDocuments { (documents) throws(StorageError) in try documents.checkpoint() }
  }

  /// The maximum wait for readers before the log is truncated, in milliseconds. A server's readers
  /// finish within this time; writers wait meanwhile, too.
  private static let cutMilliseconds: Int32 = 250

  /// Overwrites the remains of erased documents: their terms in indexes, and their pages in the
  /// log, which is copied to the file now and then truncated. Returns false if a reader still uses
  /// an old snapshot.
  public func forgetErased() throws(StorageError) -> Bool {
    try writing().withDocuments { (documents) throws(StorageError) in
      try documents.forgetErasedTerms()
      return try documents.connection.waiting(Self.cutMilliseconds) {
        (connection) throws(StorageError) in
        // The first number is zero if it succeeded.
        try connection.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0
      }
    }
  }

  /// Checks the file, all documents and all indexes, and returns the problems.
  public func problems() throws(StorageError) -> [StorageError] {
    let documents = try borrowReader()
    defer { readers.change { $0.idle.append(documents) } }
    try documents.begin("BEGIN")
    defer { documents.end() }
    return try documents.problems()
  }

  /// Rebuilds indexes and counts from the readable documents.
  public func repairIndexes() throws(StorageError) {
    try writing().withDocuments { (documents) throws(StorageError) in try documents.repairIndexes()
    }
  }
}
