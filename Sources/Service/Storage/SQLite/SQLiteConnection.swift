import CSQLite

/// A connection to a database file with a cache of prepared statements. One thread at a time may
/// use it.
final class SQLiteConnection {
  private let path: String
  private let database: OpaquePointer
  private let timeoutMilliseconds: Int32
  private var statements: [String: SQLiteStatement] = [:]

  enum Purpose {
    case reading, writing
    /// Reading a file that no program can change, on a read-only disk for example. The path must
    /// come from `path(ofImmutable:)`.
    case readingImmutable
  }

  /// The URI by which SQLite opens a file without locks and without a log.
  static func path(ofImmutable path: String) -> String {
    let isPlain = { (byte: UInt8) in
      switch byte {
      case 45...57, 65...90, 95, 97...122: true
      default: false
      }
    }
    let digits = Array("0123456789ABCDEF")
    return "file:"
      + path.utf8.map { byte in
        isPlain(byte)
          ? String(Unicode.Scalar(byte)) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }.joined() + "?immutable=1"
  }

  /// Opens a connection. While another connection holds the lock, calls wait up to the timeout,
  /// then throw `.locked`.
  init(
    _ path: String, for purpose: Purpose, timeoutMilliseconds: Int32 = 10_000
  ) throws(StorageError) {
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    switch purpose {
    case .reading, .writing: flags |= SQLITE_OPEN_READWRITE
    case .readingImmutable: flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    }
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard let database = opened else { throw StorageError(.system(12), path) }
    guard code == SQLITE_OK else {
      defer { _ = sqlite3_close_v2(database) }
      throw Self.error(code, database, path)
    }
    self.path = path
    self.database = database
    self.timeoutMilliseconds = timeoutMilliseconds
    _ = sqlite3_busy_timeout(database, timeoutMilliseconds)
  }

  deinit {
    statements = [:]
    _ = sqlite3_close_v2(database)
  }

  private static func error(_ code: Int32, _ database: OpaquePointer, _ path: String)
    -> StorageError
  {
    let message = sqlite3_errmsg(database).map { String(cString: $0) } ?? "unknown"
    let problem: StorageError.Problem
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED: problem = .locked
    case SQLITE_FULL: problem = .full
    case SQLITE_READONLY: problem = .readOnly
    case SQLITE_CORRUPT, SQLITE_NOTADB: problem = .damaged(message)
    case SQLITE_IOERR, SQLITE_CANTOPEN:
      let number = sqlite3_system_errno(database)
      if number != 0 { return StorageError(code: number, path) }
      problem = .database(message)
    default: problem = .database(message)
    }
    return StorageError(problem, path)
  }

  func error(_ code: Int32) -> StorageError { Self.error(code, database, path) }

  /// Runs SQL statements without parameters and without results.
  func run(_ text: String) throws(StorageError) {
    let code = sqlite3_exec(database, text, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Calls a body with another timeout for other connections' locks.
  func waiting<Result>(
    _ milliseconds: Int32, _ body: (SQLiteConnection) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    _ = sqlite3_busy_timeout(database, milliseconds)
    defer { _ = sqlite3_busy_timeout(database, timeoutMilliseconds) }
    return try body(self)
  }

  /// A prepared statement from the cache, ready to be bound.
  func statement(_ text: String) throws(StorageError) -> SQLiteStatement {
    if let statement = statements[text] {
      statement.reset()
      return statement
    }
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(
      database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw error(code) }
    let statement = SQLiteStatement(prepared, of: self)
    statements[text] = statement
    return statement
  }

  /// Binds values to a statement and runs it to its end.
  func run(_ text: String, _ values: SQLiteStatement.Value...) throws(StorageError) {
    try statement(text).bind(values).finish()
  }

  /// The integer in the first column of the first row; nil if there is no row.
  func integer(_ text: String, _ values: SQLiteStatement.Value...) throws(StorageError) -> Int64? {
    let statement = try statement(text).bind(values)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Whether a transaction is open. After a failure the database may have ended it.
  var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }

  /// The number of the last inserted row.
  var lastRow: Int64 { sqlite3_last_insert_rowid(database) }

  /// Copies a snapshot of the whole database.
  func copy(to other: SQLiteConnection) throws(StorageError) {
    guard let copy = sqlite3_backup_init(other.database, "main", database, "main") else {
      throw other.error(sqlite3_errcode(other.database))
    }
    let code = sqlite3_backup_step(copy, -1)
    let end = sqlite3_backup_finish(copy)
    guard code == SQLITE_DONE, end == SQLITE_OK else {
      throw other.error(code == SQLITE_DONE ? end : code)
    }
  }
}

/// A prepared statement. Column values are valid until the next step.
final class SQLiteStatement {
  private let statement: OpaquePointer
  private unowned let connection: SQLiteConnection

  enum Value {
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
    case null
  }

  fileprivate init(_ statement: OpaquePointer, of connection: SQLiteConnection) {
    self.statement = statement
    self.connection = connection
  }

  deinit { sqlite3_finalize(statement) }

  /// Binds the values to the parameters ?1, ?2, …
  @discardableResult
  func bind(_ values: [Value]) throws(StorageError) -> SQLiteStatement {
    for (index, value) in values.enumerated() {
      let parameter = Int32(index + 1)
      let code: Int32
      switch value {
      case .integer(let number): code = sqlite3_bind_int64(statement, parameter, number)
      case .bytes(let bytes):
        code = bytes.withUnsafeBytes {
          // A null pointer would bind NULL instead of an empty blob.
          $0.isEmpty
            ? sqlite3_bind_zeroblob(statement, parameter, 0)
            : sqlite3_bind_blob64(
              statement, parameter, $0.baseAddress, UInt64($0.count), sqliteCopiesValue())
        }
      case .text(var text):
        code = text.withUTF8 { text in
          text.withMemoryRebound(to: CChar.self) {
            sqlite3_bind_text64(
              statement, parameter, $0.baseAddress, UInt64($0.count), sqliteCopiesValue(),
              UInt8(SQLITE_UTF8))
          }
        }
      case .null: code = sqlite3_bind_null(statement, parameter)
      }
      guard code == SQLITE_OK else { throw connection.error(code) }
    }
    return self
  }

  /// Goes to the next row; false after the last one.
  func step() throws(StorageError) -> Bool {
    let code = sqlite3_step(statement)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      // The message must be read before the reset, which replaces it.
      let error = connection.error(code)
      reset()
      throw error
    }
  }

  /// Runs the statement to its end and resets it.
  func finish() throws(StorageError) {
    while try step() {}
    reset()
  }

  func reset() { _ = sqlite3_reset(statement) }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

  func bytes(_ column: Int32) -> [UInt8] { Array(memory(column)) }

  func text(_ column: Int32) -> String { String(decoding: memory(column), as: UTF8.self) }

  private func memory(_ column: Int32) -> UnsafeRawBufferPointer {
    // The bytes must be read before their count, as reading may convert them.
    let start = sqlite3_column_blob(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
  }
}
