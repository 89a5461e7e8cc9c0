import Storage

/// The tables, and the migrations of older ones.
///
/// They are those of the SQLite store, with paths instead of the numbers of collections, which
/// would need a query in every transaction. `patterns` lists the indexes, and `places` holds their
/// entries, sorted by the keys of their values. In an index of texts an entry also has its terms.
enum PostgresSchema {
  /// "PKds", the first half of the locks' keys.
  static let lockClass: Int64 = 0x504B_6473
  /// The maximum number of a key's bytes in the index of `places`. An index entry may have 2,704
  /// bytes, of which the longest path takes 1,934 and the longest name 128.
  static let headCount = 480

  /// Each migration upgrades the tables by one version.
  private static let migrations = [
    [
      """
      CREATE TABLE facts (name text COLLATE "C" PRIMARY KEY, value bigint NOT NULL)
      WITH (fillfactor = 50)
      """,
      """
      INSERT INTO facts VALUES ('lastSequence', 0), ('indexChanges', 0), ('version', 0),
      ('identity', (random() * 9007199254740992)::bigint * 1021 + (random() * 1020)::bigint)
      """,
      """
      CREATE TABLE collections (
      path text COLLATE "C" PRIMARY KEY, name text COLLATE "C" NOT NULL, count bigint NOT NULL)
      WITH (fillfactor = 80)
      """,
      "CREATE INDEX collections_name ON collections (name)",
      """
      CREATE TABLE documents (
      collection text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, fields bytea,
      created bigint NOT NULL, updated bigint NOT NULL, sequence bigint NOT NULL,
      checksum bigint NOT NULL, PRIMARY KEY (collection, id))
      """,
      "CREATE UNIQUE INDEX documents_sequence ON documents (sequence)",
      "CREATE UNIQUE INDEX documents_collection_sequence ON documents (collection, sequence)",
      """
      CREATE TABLE patterns (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      collection text COLLATE "C" NOT NULL, fields text COLLATE "C" NOT NULL,
      UNIQUE (collection, fields))
      """,
      """
      CREATE TABLE places (
      pattern bigint NOT NULL, collection text COLLATE "C" NOT NULL, head bytea NOT NULL,
      rest bytea NOT NULL, id text COLLATE "C" NOT NULL,
      PRIMARY KEY (pattern, collection, head, id))
      """,
    ],
    // Version 2 has indexes of texts. A search also reads the list of new entries, hence its limit
    // in kilobytes.
    [
      "ALTER TABLE places ADD COLUMN terms bigint[]",
      """
      CREATE INDEX places_terms ON places USING gin (terms) WITH (gin_pending_list_limit = 256)
      WHERE terms IS NOT NULL
      """,
    ],
  ]

  /// The version that this program writes.
  static var version: Int { migrations.count }

  /// Throws if a name is not valid for a schema. Statements contain it, so only plain names are
  /// accepted.
  static func check(_ name: String) throws(StorageError) {
    let isPlain = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isPlain, 1...48 ~= name.utf8.count, name.utf8.first.map({ $0 > 57 }) ?? false,
      !name.hasPrefix("pg_")
    else {
      throw StorageError(
        .badValue("a schema has 1 to 48 small letters, digits and '_'"), "schema")
    }
  }

  /// The version of the tables; 0 if there are none.
  private static func version(
    _ connection: PostgresConnection, _ schema: String
  ) throws(StorageError) -> Int {
    // Not by `to_regclass`, which misses tables that another program has created while this one
    // waited for the lock.
    let hasTables = try connection.integer(
      """
      SELECT 1::bigint FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relname = 'facts'
      """, .text(schema))
    guard hasTables != nil else { return 0 }
    return Int(try connection.integer("SELECT value FROM facts WHERE name = 'version'") ?? 0)
  }

  /// Creates or migrates the tables. If several programs do this at once, one does it and the
  /// others wait. Throws `.notFound` if there are none and none may be created.
  static func migrate(
    _ connection: PostgresConnection, _ schema: String, creates: Bool
  ) throws(StorageError) {
    func isCurrent() throws(StorageError) -> Bool {
      let found = try version(connection, schema)
      guard found > 0 || creates else { throw connection.error(.notFound) }
      guard found <= version else { throw connection.error(.newerVersion(found)) }
      return found == version
    }
    // Usually all tables exist, and no right to create is needed.
    if try isCurrent() { return }
    do throws(StorageError) {
      connection.later("BEGIN")
      _ = try connection.rows(
        "SELECT pg_advisory_xact_lock($1::int4, 0::int4)", .integer(lockClass))
      if try !isCurrent() {
        let found = try version(connection, schema)
        if try connection.integer(
          "SELECT 1::bigint FROM pg_namespace WHERE nspname = $1", .text(schema)) == nil
        {
          connection.later("CREATE SCHEMA \(schema)")
        }
        for statement in migrations[found...].joined() { connection.later(statement) }
        connection.later(
          "UPDATE facts SET value = $1 WHERE name = 'version'", .integer(Int64(version)))
      }
      connection.later("COMMIT")
      try connection.finish()
    } catch {
      connection.forgetQueue()
      _ = try? connection.rows("ROLLBACK")
      throw error
    }
  }
}
