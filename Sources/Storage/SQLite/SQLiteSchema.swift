/// The tables that documents lie in, and how older files come to have them.
///
/// `places` holds what indexes say: for each pattern of fields the documents of a collection, sorted by
/// the keys of their values. A query that a pattern fits reads one run of it.
enum SQLiteSchema {
  /// "PKds", by which a file says what it is.
  private static let applicationID: Int64 = 0x504B_6473

  /// What makes a file of one version one of the next; the first makes an empty one the first.
  private static let migrations = [
    """
    CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO facts VALUES ('lastSequence', 0), ('indexChanges', 0);
    CREATE TABLE collections (
      number INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, name TEXT NOT NULL);
    CREATE INDEX collectionNames ON collections (name);
    CREATE TABLE documents (
      number INTEGER PRIMARY KEY,
      collection INTEGER NOT NULL REFERENCES collections,
      id TEXT NOT NULL,
      fields BLOB,
      created INTEGER NOT NULL,
      updated INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      checksum INTEGER NOT NULL,
      UNIQUE (collection, id));
    CREATE UNIQUE INDEX changes ON documents (sequence);
    CREATE UNIQUE INDEX changesOfCollection ON documents (collection, sequence);
    CREATE TABLE patterns (
      number INTEGER PRIMARY KEY, collection TEXT NOT NULL, fields TEXT NOT NULL,
      UNIQUE (collection, fields));
    CREATE TABLE places (
      pattern INTEGER NOT NULL, collection INTEGER NOT NULL, key BLOB NOT NULL,
      document INTEGER NOT NULL,
      PRIMARY KEY (pattern, collection, key)) WITHOUT ROWID;
    """,
    // How many documents a collection has, so that nobody counts them, and which database this is, by a
    // number that no other one has.
    """
    ALTER TABLE collections ADD COLUMN count INTEGER NOT NULL DEFAULT 0;
    UPDATE collections SET count = (SELECT count(*) FROM documents d
      WHERE d.collection = collections.number AND d.fields IS NOT NULL);
    INSERT INTO facts VALUES ('identity', random());
    """,
  ]

  static var version: Int { migrations.count }

  /// Throws for a file that is not ours, or not any more, before anything in it is touched.
  static func identify(_ connection: SQLiteConnection, _ path: String) throws(StorageError) {
    let id = try connection.integer("PRAGMA application_id") ?? 0
    let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
    guard id == applicationID || tables == 0 else {
      throw StorageError(.damaged("another program's database"), path)
    }
    let found = try version(of: connection)
    guard found <= version else { throw StorageError(.newerVersion(found), path) }
    guard id == applicationID ? found > 0 : found == 0 else {
      throw StorageError(.damaged("it says that it is of version \(found)"), path)
    }
  }

  /// The version of a file; 0 for an empty one.
  static func version(of connection: SQLiteConnection) throws(StorageError) -> Int {
    Int(try connection.integer("PRAGMA user_version") ?? 0)
  }

  /// How a connection works that changes nothing.
  static func prepareReading(_ connection: SQLiteConnection) throws(StorageError) {
    try connection.run(
      """
      PRAGMA query_only = ON; PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY;
      PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
      """)
  }

  /// How a connection works: what a transaction did is on the disk when it ends. Where the disk allows
  /// no write-ahead log, the folder has to be safe for that, too, which is what EXTRA says.
  static func prepare(_ connection: SQLiteConnection) throws(StorageError) {
    try connection.run(
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = EXTRA; PRAGMA cache_size = -8192;
      PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 8388608;
      PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
      """)
  }

  /// Brings a file to this version.
  static func migrate(_ connection: SQLiteConnection, _ path: String) throws(StorageError) {
    if try version(of: connection) == version { return }
    try connection.run("BEGIN IMMEDIATE")
    do throws(StorageError) {
      // Somebody else may have made it meanwhile.
      try identify(connection, path)
      let found = try version(of: connection)
      if found < version {
        for step in migrations[found...] { try connection.run(step) }
        try connection.run(
          "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
      }
      try connection.run("COMMIT")
    } catch {
      try? connection.run("ROLLBACK")
      throw error
    }
  }
}
