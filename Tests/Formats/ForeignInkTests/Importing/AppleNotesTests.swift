import InkFiles
import Foundation
import Graphics
import ForeignInk
import PencilKitArchive
import Strokes
import TestSupport
import Testing

@testable import ForeignSamples

/// Databases in the form of Notes, with drawings of our own.
struct AppleNotesTests {
  private let folder: TemporaryFolder
  private let store: NotesDatabase

  init() throws {
    folder = try TemporaryFolder()
    store = try NotesDatabase(at: folder.file("NoteStore.sqlite").path)
  }

  /// Opens the database with the files beside it.
  private func open(hidden: Bool = false, log: Bool = true) throws -> DrawingFile {
    var options = ImportOptions()
    options.readsHidden = hidden
    let path = folder.url.path
    options.companion = { companion in
      let name =
        switch companion {
        case .named(let suffix): log ? "NoteStore.sqlite\(suffix)" : "none"
        case .beside(let name): name
        }
      return (try? Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))).map(Array.init)
    }
    let bytes = try Data(contentsOf: folder.file("NoteStore.sqlite"))
    return try DrawingFile(bytes, options: options)
  }

  private func names(_ file: DrawingFile) throws -> [String] {
    try (0..<file.pageCount).map { try file.page($0).page?.name ?? "" }
  }

  @Test func `drawings of all notes are pages, named by account, folder and title`() throws {
    try store.add(note: 10, "Cats", folder: 3)
    try store.add(drawing: 11, of: 10, x: 5)
    try store.add(note: 12, "Dogs", folder: 4)
    try store.add(drawing: 13, of: 12, x: 6, column: "ZMERGEABLEDATA", noteColumn: "ZNOTE1")
    try store.add(drawing: 14, of: 12, x: 7)
    let file = try open()
    #expect(file.format == .appleNotes)
    #expect(
      try names(file) == [
        "iCloud/Animals/Cats", "iCloud/Animals/Pets/Dogs 1", "iCloud/Animals/Pets/Dogs 2",
      ])
    for (index, x) in [5.0, 6, 7].enumerated() {
      let page = try file.page(index)
      #expect(page.strokes().strokes[0].path[0].location.x == x)
      #expect(page.page?.source.strokes == 1)
      // The archive is returned unchanged.
      #expect(
        page.contents().drawing.dataRepresentation() == NotesDatabase.archive(x))
    }
  }

  @Test func `changes that are only in the database's log are read`() throws {
    try store.add(note: 10, "Old", folder: 3)
    try store.add(drawing: 11, of: 10, x: 1)
    try store.run("PRAGMA wal_checkpoint(TRUNCATE)")
    try store.add(note: 20, "New", folder: 3)
    try store.add(drawing: 21, of: 20, x: 2)
    #expect(try open().pageCount == 2)
    let without = try open(log: false)
    #expect(without.pageCount == 1)
    #expect(without.imported?.notes.counts.first?.text.contains("newest changes") == true)
  }

  @Test func `a database log that is cut gives the complete transactions before the cut`() throws {
    for number in 1...6 {
      try store.add(note: number * 10, "N\(number)", folder: 3)
      try store.add(drawing: number * 10 + 1, of: number * 10, x: Double(number))
    }
    let database = [UInt8](try Data(contentsOf: folder.file("NoteStore.sqlite")))
    let log = [UInt8](try Data(contentsOf: folder.file("NoteStore.sqlite-wal")))
    var counts: [Int] = []
    for part in 0...40 {
      let cut = Array(log[..<(log.count * part / 40)])
      counts.append((try? Self.open(database, log: cut))?.pageCount ?? 0)
    }
    #expect(counts == counts.sorted() && counts.first == 0 && counts.last == 6)
  }

  @Test(arguments: [0, 9, 18, 24, 32 + 8, 32 + 16, 32 + 24 + 40])
  func `a damaged database log is read up to the damage`(offset: Int) throws {
    try store.add(note: 10, "Old", folder: 3)
    try store.add(drawing: 11, of: 10, x: 1)
    try store.run("PRAGMA wal_checkpoint(TRUNCATE)")
    try store.add(note: 20, "New", folder: 3)
    try store.add(drawing: 21, of: 20, x: 2)
    let database = [UInt8](try Data(contentsOf: folder.file("NoteStore.sqlite")))
    var log = [UInt8](try Data(contentsOf: folder.file("NoteStore.sqlite-wal")))
    log[offset] ^= 1
    let file = try Self.open(database, log: log)
    #expect(file.pageCount == 1)
    // Wrong frames are leftovers of an earlier log; a wrong header is damage.
    #expect(
      (file.imported?.notes.counts.first?.text.contains("no intact log") == true) == (offset < 32))
  }

  @Test func `a crafted database log cannot claim pages without end`() throws {
    try store.add(note: 10, "Old", folder: 3)
    try store.add(drawing: 11, of: 10, x: 1)
    try store.run("PRAGMA wal_checkpoint(TRUNCATE)")
    try store.add(note: 20, "New", folder: 3)
    let database = [UInt8](try Data(contentsOf: folder.file("NoteStore.sqlite")))
    var log = [UInt8](try Data(contentsOf: folder.file("NoteStore.sqlite-wal")))
    // The last page of the largest possible database, in one that declares this many pages.
    log.replaceSubrange(32..<40, with: [0xFF, 0xFF, 0xFF, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF])
    Self.sum(&log)
    #expect(try Self.open(database, log: log).pageCount == 1)
    // There is no page 0, and a transaction of no pages is ignored.
    log.replaceSubrange(32..<40, with: [0, 0, 0, 0, 0, 0, 0, 0])
    Self.sum(&log)
    #expect(try Self.open(database, log: log).pageCount == 1)
  }

  private static func open(_ database: [UInt8], log: [UInt8]) throws -> DrawingFile {
    var options = ImportOptions()
    options.companion = { if case .named = $0 { log } else { nil } }
    return try DrawingFile(database, options: options)
  }

  /// Keeps the first frame of a log, and gives it a valid checksum.
  private static func sum(_ log: inout [UInt8]) {
    func word(_ offset: Int) -> UInt32 {
      log[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    let size = Int(word(8))
    log.removeLast(log.count - (32 + 24 + size))
    var (first, second) = (word(24), word(28))
    for offset in [32] + stride(from: 56, to: 56 + size, by: 8) {
      // The lowest bit of the magic number is the byte order.
      let (a, b) =
        log[3] & 1 == 1
        ? (word(offset), word(offset + 4))
        : (word(offset).byteSwapped, word(offset + 4).byteSwapped)
      first = first &+ a &+ second
      second = second &+ b &+ first
    }
    log.replaceSubrange(
      48..<56,
      with: [first, second].flatMap { word in
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
      })
  }

  @Test func `drawings of a note follow the order in its text`() throws {
    try store.add(note: 10, "Three", folder: 3, order: [13, 11])
    for (index, key) in [11, 12, 13].enumerated() {
      try store.add(drawing: key, of: 10, x: Double(index))
    }
    let file = try open()
    #expect(file.pageCount == 2)
    #expect(try file.page(0).strokes().strokes[0].path[0].location.x == 2)
    #expect(try file.page(1).strokes().strokes[0].path[0].location.x == 0)
  }

  @Test func `deleted, locked and missing drawings are counted, not shown`() throws {
    try store.add(note: 10, "Here", folder: 3)
    try store.add(drawing: 11, of: 10, x: 1)
    try store.add(note: 20, "Thrown away", folder: 5)
    try store.add(drawing: 21, of: 20, x: 2)
    try store.add(note: 30, "Locked", folder: 3, isLocked: true)
    try store.add(drawing: 31, of: 30, x: 3)
    try store.add(note: 40, "Far", folder: 3)
    try store.add(empty: "com.apple.drawing.2", 41, of: 40)
    let file = try open()
    #expect(try names(file) == ["iCloud/Animals/Here"])
    let counts = file.imported?.notes.counts ?? []
    for text in ["deleted", "locked", "never loaded"] {
      #expect(counts.contains { $0.text.contains(text) && $0.count == 1 }, "\(text)")
    }
    #expect(try names(open(hidden: true)).count == 2)
  }

  @Test func `a drawing in the private format opens as the picture beside it`() throws {
    try store.add(note: 10, "Paper", folder: 3)
    try store.add(empty: "com.apple.paper", 11, of: 10, generation: "1_AB-CD")
    try store.add(note: 20, "Both", folder: 3)
    try store.add(drawing: 21, of: 20, x: 1)
    try store.add(empty: "com.apple.paper", 22, of: 20, generation: "../../etc")
    let place = folder.url.appendingPathComponent(
      "Accounts/\(NotesDatabase.account)/FallbackImages/\(NotesDatabase.identifier(11))/1_AB-CD")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try Data([0x89, 0x50]).write(to: place.appendingPathComponent("FallbackImage.png"))
    let file = try open()
    #expect(file.pageCount == 3)
    #expect(file.page?.picture == [0x89, 0x50])
    #expect(file.strokes().strokes.isEmpty)
    let copy = try file.page(1).page
    #expect(copy?.notes.counts.contains { $0.text.contains("older copy") } == true)
    #expect(try file.page(2).page?.picture == nil)
    #expect(
      file.imported?.notes.counts.contains { $0.text.contains("private") && $0.count == 2 } == true)
  }

  @Test func `a damaged drawing of a Notes database loses no other`() throws {
    try store.add(note: 10, "Bad", folder: 3)
    try store.add(drawing: 11, of: 10, x: 1)
    try store.run("UPDATE ZICCLOUDSYNCINGOBJECT SET ZMERGEABLEDATA1 = X'0102' WHERE Z_PK = 11")
    try store.add(note: 12, "Good", folder: 3)
    try store.add(drawing: 13, of: 12, x: 2)
    let file = try open()
    #expect(file.pageCount == 2 && file.strokes().strokes.isEmpty)
    #expect("\(file.damage)".contains("not a PencilKit drawing"))
    let good = try file.page(1)
    #expect(good.damage.isEmpty && good.strokes().strokes.count == 1)
  }

  @Test func `circular folders and endless names of notes are cut`() throws {
    let name = String(repeating: "a", count: 100_000)
    try store.run(
      "UPDATE ZICCLOUDSYNCINGOBJECT SET ZTITLE2 = '\(name)', ZPARENT = 4 WHERE Z_PK = 3")
    try store.add(note: 10, name, folder: 4)
    try store.add(drawing: 11, of: 10, x: 1)
    let page = try #require(try names(try open()).first)
    #expect(page.hasPrefix("iCloud/aaa") && page.contains("/Pets/aaa") && page.count < 1_000)
  }

  @Test func `a Notes database without drawings is intact and says so`() throws {
    let empty = try open()
    #expect(empty.format == .appleNotes && empty.damage.isEmpty && empty.pageCount == 1)
    #expect(empty.strokes().strokes.isEmpty && empty.page?.source.strokes == 0)
    #expect(empty.imported?.notes.counts.map(\.text) == ["no drawings that can be read"])
    try store.add(note: 30, "Locked", folder: 3, isLocked: true)
    try store.add(drawing: 31, of: 30, x: 3)
    let locked = try open()
    #expect(locked.damage.isEmpty)
    #expect(
      locked.imported?.notes.counts.map(\.text) == [
        "drawings in locked notes cannot be read", "no drawings that can be read",
      ])
  }

  @Test func `a database of another program is refused by name`() throws {
    let path = folder.file("other.sqlite").path
    let other = try SQLiteFile(path)
    try other.run("CREATE TABLE a (b); INSERT INTO a VALUES (1);")
    let error = #expect(throws: DrawingFileError.self) {
      try DrawingFile(try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    #expect("\(try #require(error))".contains("a database of Notes"))
    // A view in place of the table is not executed.
    try other.run("CREATE VIEW ZICCLOUDSYNCINGOBJECT AS SELECT 1 AS ZTYPEUTI, 2 AS Z_ENT")
    #expect(throws: DrawingFileError.self) {
      try DrawingFile(try Data(contentsOf: URL(fileURLWithPath: path)))
    }
  }
}

extension NotesDatabase {
  /// An archive with a line that begins at x.
  fileprivate static func archive(_ x: Double) -> [UInt8] {
    var random = SplitMix64(seed: UInt64(x))
    let points = [x, x + 20].map { x in
      PKStrokePoint(
        location: Point(x: x, y: 3), timeOffset: 0, size: Size(width: 4, height: 4), opacity: 1,
        force: 1, azimuth: 0, altitude: 1)
    }
    let stroke = PKStroke(
      ink: PKInk(.pen), path: PKStrokePath(controlPoints: points),
      id: Identifier(using: &random))
    return PKDrawing(strokes: [stroke]).dataRepresentation()
  }

  fileprivate func add(
    drawing key: Int, of note: Int, x: Double, column: String = "ZMERGEABLEDATA1",
    noteColumn: String = "ZNOTE"
  ) throws {
    try add(drawing: key, of: note, Self.archive(x), column: column, noteColumn: noteColumn)
  }
}
