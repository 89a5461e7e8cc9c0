import Checksums
public import Storage

/// Exclusive access by name for all processes that use one database. A lock ends with its connection, so that of a
/// process that has died is free at once.
public final class PostgresLocks: Sendable {
  private let session: PostgresSession
  private let connections: PostgresPool<PostgresConnection>

  /// Locks in the namespace of a schema, which need not exist. At most `limit` are held or waited for at the same
  /// time, each with a connection.
  public init(
    _ url: String, schema: String = "pentimento", limit: Int = 16,
    limits: PostgresLimits = PostgresLimits()
  ) throws(StorageError) {
    session = try PostgresSession(url, schema: schema, limits)
    connections = PostgresPool(
      limit: limit, waitMilliseconds: limits.waitMilliseconds,
      subject: session.address.description)
  }

  /// A lock that is held.
  public struct Lease {
    fileprivate let connection: PostgresConnection

    /// Throws `.unavailable` if the lock was lost with its connection, so that another process may have it. To be
    /// called before a step that must not happen twice.
    public func check() throws(StorageError) { _ = try connection.rows("SELECT") }

    /// The process of the server that holds the lock.
    func process() throws(StorageError) -> Int64 { Int64(connection.serverProcess) }
  }

  /// Calls a body while this thread alone has a name. Throws `.locked` if another one has it for longer than the
  /// limit of waiting, and `.unavailable` after the body if the lock was lost meanwhile.
  public func withExclusiveAccess<Result>(
    to name: String, _ body: (Lease) throws -> Result
  ) throws -> Result {
    guard let result = try withAccess(to: name, waits: true, body) else {
      throw StorageError(.locked, name)
    }
    return result
  }

  /// Calls a body like `withExclusiveAccess`, unless another thread or process has the name: then returns nil at once.
  public func withAccessIfFree<Result>(
    to name: String, _ body: (Lease) throws -> Result
  ) throws -> Result? {
    try withAccess(to: name, waits: false, body)
  }

  private func withAccess<Result>(
    to name: String, waits: Bool, _ body: (Lease) throws -> Result
  ) throws -> Result? {
    // Names with the same 64 bits of a hash would only wait for each other.
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
      // The connection may have been lost long ago; nothing depends on it yet.
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
      // The lock must not stay behind on a connection that others use.
      isReusable = (try? connection.rows("SELECT pg_advisory_unlock($1)", .integer(key))) != nil
      throw error
    }
  }

  /// Takes a lock and returns whether it has it.
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
  /// Calls a body while nobody else who uses this database has the lock of this name.
  public func withLock<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
    try withExclusiveAccess(to: name) { _ in try body() }
  }

  /// Calls a body unless somebody has the lock of this name.
  public func withLockIfFree<Result>(
    _ name: String, _ body: () throws -> Result
  ) throws -> Result? {
    try withAccessIfFree(to: name) { _ in try body() }
  }
}
