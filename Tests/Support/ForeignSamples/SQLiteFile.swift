import CSQLite

/// A connection that stays open, so that the log is not written into the database.
final class SQLiteFile {
  private var handle: OpaquePointer?

  struct Failure: Error {
    let message: String
  }

  init(_ path: String) throws {
    guard sqlite3_open(path, &handle) == SQLITE_OK else { throw Failure(message: path) }
  }

  deinit { sqlite3_close(handle) }

  func run(_ text: String) throws {
    guard sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else {
      throw Failure(message: String(cString: sqlite3_errmsg(handle)))
    }
  }

  /// The bytes of the database; empty if it cannot be serialized.
  var bytes: [UInt8] {
    var count: sqlite3_int64 = 0
    guard let start = sqlite3_serialize(handle, "main", &count, 0) else { return [] }
    defer { sqlite3_free(start) }
    return Array(UnsafeBufferPointer(start: start, count: Int(count)))
  }
}
