import Checksums
public import Storage

/// Exclusive access by name for all processes that use one database. A lock ends with its
/// connection, so the lock of a dead process is free at once.
public final class PostgresLocks: Sendable {
  private let session: PostgresSession
  private let connections: PostgresPool<PostgresConnection>

  /// Locks in the namespace of a schema, which need not exist. At most `limit` are held or awaited
  /// at the same time, each with a connection.
  public init(
    _ url: String, schema: String = "pentimento", limit: Int = 16,
    limits: PostgresLimits = PostgresLimits()
  ) throws(StorageError) {
    session = try PostgresSession(url, schema: schema, limits)
    connections = PostgresPool(
      limit: limit, waitMilliseconds: limits.waitMilliseconds,
      subject: session.address.description)
  }

  /// A held lock.
  public struct Lease {
    fileprivate let connection: PostgresConnection

    /// Throws `.unavailable` if the lock was lost with its connection, so that another process may
    /// have it. Call it before a step that must not happen twice.
    public func check() throws(StorageError) { _ = try connection.rows("SELECT") }

    /// The id of the server process that holds the lock.
    func process() throws(StorageError) -> Int64 { Int64(connection.serverProcess) }
  }

  /// Calls a body while this thread holds the lock of a name. Throws `.locked` if another one holds
  /// it for longer than the maximum wait, and `.unavailable` after the body if the lock was lost
  /// meanwhile.
  public func withExclusiveAccess<Result>(
    to name: String, _ body: (Lease) throws -> Result
  ) throws -> Result {
    guard let result = try withAccess(to: name, waits: true, body) else {
      throw StorageError(.locked, name)
    }
    return result
  }

  /// Calls a body like `withExclusiveAccess`, but returns nil at once if the lock is held.
  public func withAccessIfFree<Result>(
    to name: String, _ body: (Lease) throws -> Result
  ) throws -> Result? {
    try withAccess(to: name, waits: false, body)
  }

  private func withAccess<Result>(
    to name: String, waits: Bool, _ body: (Lease) throws -> Result
  ) throws -> Result? {
    // A hash collision of two names only makes them wait for each other.
    let hash = SHA256.of(Array("\(session.schema)\0\(name)".utf8)).bytes
    let key = Int64(bitPattern: hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    var connection = try connections.borrow { () throws(StorageError) in
      try session.connect(for: .signals)
    }
    var isReusable = false
    defer { connections.giveBack(isReusable && !connection.isBroken ? connection : nil) }
    let isTaken: Bool
    do throws(StorageError) {
      isTaken = try Self.take(key, on: connection, waits: waits)
    } catch {
      isReusable = true
      // The connection may have been lost long ago, and nothing depends on it yet.
      guard connection.isBroken else { throw error }
      isReusable = false
      connection = try session.connect(for: .signals)
      isTaken = try Self.take(key, on: connection, waits: waits)
    }
    isReusable = true
    guard isTaken else { return nil }
    isReusable = false
    do {
      let result = try body(Lease(connection: connection))
      _ = try connection.rows("SELECT pg_advisory_unlock($1)", .integer(key))
      isReusable = true
      return result
    } catch {
      // The lock must not stay on a connection that others reuse.
      isReusable = (try? connection.rows("SELECT pg_advisory_unlock($1)", .integer(key))) != nil
      throw error
    }
  }

  /// Tries to take a lock, and returns whether it succeeded.
  private static func take(
    _ key: Int64, on connection: PostgresConnection, waits: Bool
  ) throws(StorageError) -> Bool {
    if waits {
      _ = try connection.rows("SELECT pg_advisory_lock($1)", .integer(key))
      return true
    }
    return try connection.integer(
      "SELECT CASE WHEN pg_try_advisory_lock($1) THEN 1::bigint END", .integer(key)) != nil
  }
}

extension PostgresLocks: NamedLocks {
  /// Calls a body while holding the lock of this name.
  public func withLock<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
    try withExclusiveAccess(to: name) { _ in try body() }
  }

  /// Calls a body unless the lock of this name is held.
  public func withLockIfFree<Result>(
    _ name: String, _ body: () throws -> Result
  ) throws -> Result? {
    try withAccessIfFree(to: name) { _ in try body() }
  }
}
