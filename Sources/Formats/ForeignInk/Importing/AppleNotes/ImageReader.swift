import InkFiles
import CSQLite

/// Reads a SQLite database from its bytes. It writes nothing and runs no code from the database.
final class ImageReader {
  private let memory: UnsafeMutableRawBufferPointer
  private let database: OpaquePointer
  private var steps = 0

  /// Limits queries, since a damaged database can make one loop forever. This many thousand steps
  /// are enough for a lifetime of notes.
  private static let stepLimit = 2_000_000

  init(_ bytes: [UInt8]) throws(ImportError) {
    memory = .allocate(byteCount: max(bytes.count, 1), alignment: 8)
    memory.copyBytes(from: bytes)
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(":memory:", &opened, flags, nil) == SQLITE_OK, let opened else {
      _ = sqlite3_close_v2(opened)
      memory.deallocate()
      throw ImportError(.unsupported("a database without memory for it"), at: 0)
    }
    database = opened
    sqliteDistrusts(database)
    _ = sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 1 << 28)
    let size = sqlite3_int64(bytes.count)
    let start = memory.baseAddress?.assumingMemoryBound(to: UInt8.self)
    guard
      sqlite3_deserialize(
        database, "main", start, size, size, UInt32(SQLITE_DESERIALIZE_READONLY)) == SQLITE_OK
    else { throw error() }
    sqlite3_progress_handler(
      database, 1_000,
      { reader in
        guard let reader else { return 1 }
        let own = Unmanaged<ImageReader>.fromOpaque(reader).takeUnretainedValue()
        own.steps += 1
        return own.steps > ImageReader.stepLimit ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    _ = sqlite3_close_v2(database)
    memory.deallocate()
  }

  private func error() -> ImportError {
    let text = sqlite3_errmsg(database).map { String(cString: $0) } ?? "unknown"
    return ImportError(.syntax("the database cannot be read: \(text)"), at: 0)
  }

  /// The names of a table's columns, in capitals; none if there is no such table.
  func columns(of table: String) throws(ImportError) -> Set<String> {
    var names: Set<String> = []
    try rows("SELECT name FROM pragma_table_info('\(table)')") { row throws(ImportError) in
      names.insert(row.text(0).uppercased())
    }
    return names
  }

  /// Calls a function with each row of a query.
  func rows(
    _ query: String, _ body: (ImageRow) throws(ImportError) -> Void
  ) throws(ImportError) {
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v2(database, query, -1, &prepared, nil) == SQLITE_OK, let prepared else {
      throw error()
    }
    defer { sqlite3_finalize(prepared) }
    while true {
      switch sqlite3_step(prepared) {
      case SQLITE_ROW: try body(ImageRow(statement: prepared))
      case SQLITE_DONE: return
      default: throw error()
      }
    }
  }
}

/// The current row of a query.
struct ImageRow {
  fileprivate let statement: OpaquePointer

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

  func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(statement, column)) }

  /// A number; nil if there is none.
  func number(_ column: Int32) -> Double? {
    isNull(column) ? nil : sqlite3_column_double(statement, column)
  }

  func text(_ column: Int32) -> String { String(decoding: memory(column), as: UTF8.self) }

  func bytes(_ column: Int32) -> [UInt8] { Array(memory(column)) }

  private func memory(_ column: Int32) -> UnsafeRawBufferPointer {
    // The blob must be read before its size, since reading it may convert it.
    let start = sqlite3_column_blob(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
  }
}
