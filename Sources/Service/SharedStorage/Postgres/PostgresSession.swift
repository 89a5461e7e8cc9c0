import Storage

/// Limits of a store on PostgreSQL; the defaults suit a server on the same network.
public struct PostgresLimits: Sendable {
  /// The maximum number of concurrent readers, each with a connection. Another connection writes,
  /// and another one listens for changes if there are observers.
  public var readers = 8
  /// The timeout for connecting, in milliseconds.
  public var connectMilliseconds = 5_000
  /// The maximum wait for a free connection, or for transactions of other processes, in
  /// milliseconds.
  public var waitMilliseconds = 10_000
  /// The timeout for one statement, in milliseconds.
  public var answerMilliseconds = 30_000
  /// The maximum idle time in a writing transaction before the server ends it, in milliseconds: the
  /// process may have been stopped, and all others wait for it.
  public var silenceMilliseconds = 60_000

  /// The default limits.
  public init() {}
}

/// The parameters of connections to one store's tables.
struct PostgresSession: Sendable {
  let address: PostgresAddress
  let schema: String
  let limits: PostgresLimits

  enum Purpose {
    /// Statements that use an index.
    case reading, writing
    /// Statements that scan whole tables, and may take long.
    case maintenance
    /// Locks and notifications.
    case signals
  }

  init(_ url: String, schema: String, _ limits: PostgresLimits) throws(StorageError) {
    address = try PostgresAddress(url)
    try PostgresSchema.check(schema)
    (self.schema, self.limits) = (schema, limits)
  }

  func connect(for purpose: Purpose) throws(StorageError) -> PostgresConnection {
    let connection = try PostgresConnection(
      address, connectMilliseconds: limits.connectMilliseconds,
      answerMilliseconds: purpose == .maintenance
        ? nil : max(limits.answerMilliseconds, limits.waitMilliseconds + 1_000))
    var settings = [
      ("search_path", "\(schema), pg_temp"),
      ("lock_timeout", "\(limits.waitMilliseconds)"),
      ("statement_timeout", "0"),
      // The server, too, notices a silently lost client within half a minute, and frees its locks.
      ("tcp_keepalives_idle", "10"), ("tcp_keepalives_interval", "5"),
      ("tcp_keepalives_count", "3"), ("tcp_user_timeout", "20000"),
      // A reader may take its time, since nobody waits for it.
      (
        "idle_in_transaction_session_timeout",
        purpose == .reading ? "0" : "\(limits.silenceMilliseconds)"
      ),
    ]
    if purpose == .reading || purpose == .writing {
      settings.append(("statement_timeout", "\(limits.answerMilliseconds)"))
      // Each statement is written for one index. Statistics of a growing table are out of date, and
      // must not make the server avoid that index; planning the same statement repeatedly would
      // also cost time.
      settings.append(("plan_cache_mode", "force_generic_plan"))
      settings.append(("jit", "off"))
      for way in ["seqscan", "bitmapscan", "hashjoin", "mergejoin", "sort"] {
        settings.append(("enable_\(way)", "off"))
      }
    }
    for (name, value) in settings {
      connection.later("SELECT set_config($1, $2, false)", .text(name), .text(value))
    }
    // Commits are durable, whatever the server's default is.
    connection.later(
      """
      SELECT set_config('synchronous_commit', 'on', false)
      WHERE current_setting('synchronous_commit') = 'off'
      """)
    try connection.finish()
    return connection
  }
}
