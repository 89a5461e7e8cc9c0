import Storage

/// Limits of a store on PostgreSQL; the defaults suit a server on the same network.
public struct PostgresLimits: Sendable {
  /// The maximum number of concurrent readers, each with a connection. One more connection writes, and one listens
  /// for changes if anybody waits for them.
  public var readers = 8
  /// How long connecting may take, in milliseconds.
  public var connectMilliseconds = 5_000
  /// How long a caller waits for a free connection, or for transactions of other processes.
  public var waitMilliseconds = 10_000
  /// How long the server may take to answer one statement.
  public var answerMilliseconds = 30_000
  /// How long a transaction that writes may be silent before the server ends it: the process may have been stopped, and all
  /// others wait for it.
  public var silenceMilliseconds = 60_000

  /// The default limits.
  public init() {}
}

/// How to connect to the tables of one store.
struct PostgresSession: Sendable {
  let address: PostgresAddress
  let schema: String
  let limits: PostgresLimits

  enum Purpose {
    /// Statements that are made for one index each.
    case reading, writing
    /// Statements that look at whole tables, and may take long.
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
      // The server notices a client that is gone without a word, and frees its locks, within half a minute as well.
      ("tcp_keepalives_idle", "10"), ("tcp_keepalives_interval", "5"),
      ("tcp_keepalives_count", "3"), ("tcp_user_timeout", "20000"),
      // A reader may take its time, as nobody waits for it.
      (
        "idle_in_transaction_session_timeout",
        purpose == .reading ? "0" : "\(limits.silenceMilliseconds)"
      ),
    ]
    if purpose == .reading || purpose == .writing {
      settings.append(("statement_timeout", "\(limits.answerMilliseconds)"))
      // Each statement is made for one index. Statistics, which lag behind a growing table, must not talk the server out
      // of using it, nor should it plan the same statement again and again.
      settings.append(("plan_cache_mode", "force_generic_plan"))
      settings.append(("jit", "off"))
      for way in ["seqscan", "bitmapscan", "hashjoin", "mergejoin", "sort"] {
        settings.append(("enable_\(way)", "off"))
      }
    }
    for (name, value) in settings {
      connection.later("SELECT set_config($1, $2, false)", .text(name), .text(value))
    }
    // A transaction is durable when it ends, whatever the server's default is.
    connection.later(
      """
      SELECT set_config('synchronous_commit', 'on', false)
      WHERE current_setting('synchronous_commit') = 'off'
      """)
    try connection.finish()
    return connection
  }
}
