/// The tables of the database, and the migrations of older files.
///
/// `patterns` lists the indexes. `places` holds their entries: for each index the documents of a
/// collection, sorted by the keys of their values. A query that an index fits reads one range of
/// entries. An index with texts also has a table of FTS5 (`SQLiteDocuments+Texts.swift`).
enum SQLiteSchema {
  /// "PKds", the application id in the header of the file.
  private static let applicationID: Int64 = 0x504B_6473

  /// Each migration turns a file of one version into the next version; the first one starts from an
  /// empty file.
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
    // Version 2 stores the document count of each collection, and a random number that identifies
    // the database.
    """
    ALTER TABLE collections ADD COLUMN count INTEGER NOT NULL DEFAULT 0;
    UPDATE collections SET count = (SELECT count(*) FROM documents d
      WHERE d.collection = collections.number AND d.fields IS NOT NULL);
    INSERT INTO facts VALUES ('identity', random());
    """,
    // Version 3 may have indexes of texts, which older programs would not update.
    "",
  ]

  /// The version that this program writes.
  static var version: Int { migrations.count }

  /// Throws for the database of another program or of a newer version, before anything is changed.
  static func identify(_ connection: SQLiteConnection, _ path: String) throws(StorageError) {
    let id = try connection.integer("PRAGMA application_id") ?? 0
    let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
    guard id == applicationID || tables == 0 else {
      throw StorageError(.damaged("another program's database"), path)
    }
    let found = try version(of: connection)
    guard found <= version else { throw StorageError(.newerVersion(found), path) }
    guard id == applicationID ? found > 0 : found == 0 else {
      throw StorageError(.damaged("it claims to have version \(found)"), path)
    }
  }

  /// The version of a file; 0 for an empty one.
  static func version(of connection: SQLiteConnection) throws(StorageError) -> Int {
    Int(try connection.integer("PRAGMA user_version") ?? 0)
  }

  /// Configures a connection that only reads.
  static func prepareReading(_ connection: SQLiteConnection) throws(StorageError) {
    try connection.run(
      """
      PRAGMA query_only = ON; PRAGMA cache_size = -2048; PRAGMA temp_store = MEMORY;
      PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
      """)
  }

  /// Configures a connection that writes. A transaction is durable when it ends; on disks that do
  /// not support a write-ahead log this also needs a synchronized folder, hence EXTRA. Deleted
  /// bytes are overwritten: some builds of SQLite do so by default, but the erasure of users must
  /// not depend on it.
  static func prepare(_ connection: SQLiteConnection) throws(StorageError) {
    try connection.run(
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = EXTRA; PRAGMA cache_size = -8192;
      PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 8388608;
      PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA secure_delete = ON;
      """)
  }

  /// Migrates a file to the current version.
  static func migrate(_ connection: SQLiteConnection, _ path: String) throws(StorageError) {
    if try version(of: connection) == version { return }
    try connection.run("BEGIN IMMEDIATE")
    do throws(StorageError) {
      // Another program may have migrated it in the meantime.
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
