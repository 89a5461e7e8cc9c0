import PencilKitArchive

/// A database with the tables and columns of Notes that matter for drawings.
final class NotesDatabase {
  private let database: SQLiteFile
  static let account = "8A3C0B1E-0000-4000-8000-000000000001"

  static func identifier(_ key: Int) -> String {
    "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - String(key).count) + "\(key)"
  }

  /// A file with a log beside it, or a small database in memory.
  init(at path: String? = nil) throws {
    database = try SQLiteFile(path ?? ":memory:")
    try database.run(
      path == nil
        ? "PRAGMA page_size=512" : "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0")
    try database.run(
      """
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR);
      INSERT INTO Z_PRIMARYKEY VALUES (5,'ICAttachment'),(12,'ICNote'),(14,'ICAccount'),(15,'ICFolder');
      CREATE TABLE ZICCLOUDSYNCINGOBJECT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZIDENTIFIER VARCHAR,
        ZTYPEUTI VARCHAR, ZMERGEABLEDATA BLOB, ZMERGEABLEDATA1 BLOB, ZNOTE INTEGER, ZNOTE1 INTEGER,
        ZTITLE VARCHAR, ZTITLE1 VARCHAR, ZTITLE2 VARCHAR, ZNAME VARCHAR, ZFOLDER INTEGER, ZPARENT INTEGER,
        ZACCOUNT4 INTEGER, ZFOLDERTYPE INTEGER, ZISPASSWORDPROTECTED INTEGER, ZMARKEDFORDELETION INTEGER,
        ZFALLBACKIMAGEGENERATION VARCHAR);
      CREATE TABLE ZICNOTEDATA (Z_PK INTEGER PRIMARY KEY, ZNOTE INTEGER, ZDATA BLOB);
      INSERT INTO ZICCLOUDSYNCINGOBJECT (Z_PK, Z_ENT, ZNAME, ZIDENTIFIER) VALUES (1, 14, 'iCloud', '\(Self.account)');
      INSERT INTO ZICCLOUDSYNCINGOBJECT (Z_PK, Z_ENT, ZTITLE2, ZPARENT, ZFOLDERTYPE) VALUES
        (3, 15, 'Animals', NULL, 0), (4, 15, 'Pets', 3, 0), (5, 15, 'Recently Deleted', NULL, 1);
      """)
  }

  func run(_ text: String) throws { try database.run(text) }

  /// The database's bytes.
  var bytes: [UInt8] { database.bytes }

  func add(
    note key: Int, _ title: String, folder: Int, isLocked: Bool = false, order: [Int] = []
  ) throws {
    try run(
      """
      INSERT INTO ZICCLOUDSYNCINGOBJECT (Z_PK, Z_ENT, ZTITLE1, ZFOLDER, ZACCOUNT4, ZISPASSWORDPROTECTED)
        VALUES (\(key), 12, '\(title)', \(folder), 1, \(isLocked ? 1 : 0))
      """)
    guard !order.isEmpty else { return }
    // Document, note, and runs with attachments, each a field with its length.
    func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
      [number << 3 | 2, UInt8(content.count & 0x7F | (content.count > 127 ? 0x80 : 0))]
        + (content.count > 127 ? [UInt8(content.count >> 7)] : []) + content
    }
    let runs = order.flatMap { field(5, field(12, field(1, Array(Self.identifier($0).utf8)))) }
    let data = Packing.gzip(field(2, field(3, runs)))
    try run("INSERT INTO ZICNOTEDATA (ZNOTE, ZDATA) VALUES (\(key), X'\(data.hexadecimal)')")
  }

  func add(
    drawing key: Int, of note: Int, _ archive: [UInt8], column: String = "ZMERGEABLEDATA1",
    noteColumn: String = "ZNOTE"
  ) throws {
    try run(
      """
      INSERT INTO ZICCLOUDSYNCINGOBJECT (Z_PK, Z_ENT, ZIDENTIFIER, ZTYPEUTI, \(column), \(noteColumn))
        VALUES (\(key), 5, '\(Self.identifier(key))', 'com.apple.drawing.2', X'\(archive.hexadecimal)', \(note))
      """)
  }

  func add(empty type: String, _ key: Int, of note: Int, generation: String = "") throws {
    try run(
      """
      INSERT INTO ZICCLOUDSYNCINGOBJECT (Z_PK, Z_ENT, ZIDENTIFIER, ZTYPEUTI, ZNOTE, ZFALLBACKIMAGEGENERATION)
        VALUES (\(key), 5, '\(Self.identifier(key))', '\(type)', \(note), '\(generation)')
      """)
  }
}

extension ForeignSample {
  /// A database of Notes without drawings.
  public static func emptyNotes() throws -> [UInt8] {
    let database = try NotesDatabase()
    try database.add(note: 10, "Shopping", folder: 3)
    return database.bytes
  }
}

extension SampleDrawing {
  /// A database of Notes with the drawing in a note.
  func notes() throws -> [UInt8] {
    let database = try NotesDatabase()
    try database.add(note: 10, "Tea", folder: 3, order: [11])
    try database.add(drawing: 11, of: 10, drawing.dataRepresentation())
    return database.bytes
  }
}

extension [UInt8] {
  fileprivate var hexadecimal: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
