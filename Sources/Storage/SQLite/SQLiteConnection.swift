import CSQLite

/// A connection to a database file with a cache of prepared statements. One thread at a time may use it.
final class SQLiteConnection {
  private let path: String
  private let database: OpaquePointer
  private var statements: [String: SQLiteStatement] = [:]

  enum Purpose {
    case reading, writing
    /// Reading a file that no program can change, on a read-only disk for example. The path must come
    /// from `path(ofImmutable:)`.
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

  /// Opens a connection. While another connection holds the lock, calls wait up to the timeout, then throw
  /// `.locked`.
  init(
    _ path: String, for purpose: Purpose, timeoutMilliseconds: Int32 = 10_000
  ) throws(StorageError) {
    guard sqliteIsPresent() != 0 else { throw StorageError(.missingLibrary, "libsqlite3") }
    var flags = SQLiteOpenNoMutex | SQLiteOpenExtendedCodes
    switch purpose {
    case .reading, .writing: flags |= SQLiteOpenReadWrite
    case .readingImmutable: flags |= SQLiteOpenReadOnly | SQLiteOpenURI
    }
    var opened: OpaquePointer?
    let code = sqliteOpen(path, &opened, Int32(flags))
    guard let database = opened else { throw StorageError(.system(12), path) }
    guard Int(code) == SQLiteOK else {
      defer { _ = sqliteClose(database) }
      throw Self.error(code, database, path)
    }
    self.path = path
    self.database = database
    _ = sqliteSetBusyTimeout(database, timeoutMilliseconds)
  }

  deinit {
    statements = [:]
    _ = sqliteClose(database)
  }

  private static func error(_ code: Int32, _ database: OpaquePointer, _ path: String)
    -> StorageError
  {
    let message = sqliteMessage(database).map { String(cString: $0) } ?? "unknown"
    let primary = Int(code & 0xFF)
    let problem: StorageError.Problem
    switch primary {
    case SQLiteBusy, SQLiteLocked: problem = .locked
    case SQLiteFull: problem = .full
    case SQLiteReadOnly: problem = .readOnly
    case SQLiteCorrupt, SQLiteNotADatabase: problem = .damaged(message)
    case SQLiteIOError, SQLiteCannotOpen:
      let number = sqliteSystemError(database)
      if number != 0 { return StorageError(code: number, path) }
      problem = .database(message)
    default: problem = .database(message)
    }
    return StorageError(problem, path)
  }

  func error(_ code: Int32) -> StorageError { Self.error(code, database, path) }

  /// Runs SQL statements without parameters and without results.
  func run(_ text: String) throws(StorageError) {
    let code = sqliteRun(database, text)
    guard Int(code) == SQLiteOK else { throw error(code) }
  }

  /// A prepared statement from the cache, ready to be bound.
  func statement(_ text: String) throws(StorageError) -> SQLiteStatement {
    if let statement = statements[text] {
      statement.reset()
      return statement
    }
    var prepared: OpaquePointer?
    let code = sqlitePrepare(database, text, &prepared)
    guard Int(code) == SQLiteOK, let prepared else { throw error(code) }
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

  /// The number of the last inserted row.
  var lastRow: Int64 { sqliteLastRow(database) }

  /// Copies a snapshot of the whole database.
  func copy(to other: SQLiteConnection) throws(StorageError) {
    let code = sqliteCopy(database, other.database)
    guard Int(code) == SQLiteOK else { throw other.error(code) }
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

  deinit { sqliteFinalize(statement) }

  /// Binds the values to the parameters ?1, ?2, …
  @discardableResult
  func bind(_ values: [Value]) throws(StorageError) -> SQLiteStatement {
    for (index, value) in values.enumerated() {
      let parameter = Int32(index + 1)
      let code: Int32
      switch value {
      case .integer(let number): code = sqliteBindInteger(statement, parameter, number)
      case .bytes(let bytes):
        code = bytes.withUnsafeBytes {
          sqliteBindBytes(statement, parameter, $0.baseAddress, Int64($0.count))
        }
      case .text(var text):
        code = text.withUTF8 { text in
          text.withMemoryRebound(to: CChar.self) {
            sqliteBindText(statement, parameter, $0.baseAddress, Int64($0.count))
          }
        }
      case .null: code = sqliteBindNull(statement, parameter)
      }
      guard Int(code) == SQLiteOK else { throw connection.error(code) }
    }
    return self
  }

  /// Goes to the next row; false after the last one.
  func step() throws(StorageError) -> Bool {
    let code = sqliteStep(statement)
    switch Int(code) {
    case SQLiteRow: return true
    case SQLiteDone: return false
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

  func reset() { _ = sqliteReset(statement) }

  func integer(_ column: Int32) -> Int64 { sqliteInteger(statement, column) }

  func isNull(_ column: Int32) -> Bool { sqliteIsNull(statement, column) != 0 }

  func bytes(_ column: Int32) -> [UInt8] { Array(memory(column)) }

  func text(_ column: Int32) -> String { String(decoding: memory(column), as: UTF8.self) }

  private func memory(_ column: Int32) -> UnsafeRawBufferPointer {
    var count: Int32 = 0
    let start = sqliteBytes(statement, column, &count)
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
  }
}
