import Foundation
import StorageTestSupport
import TestSupport
import Testing
import Threads

@testable import Storage

/// Tests that only the SQLite store has: its file, files of other programs, and damage.
struct SQLiteStoreTests {
  private let folder: TemporaryFolder
  private let path: String
  private let notes: CollectionPath

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("documents").path
    notes = try CollectionPath("users/ann/notes")
  }

  private func open(_ indexes: [DocumentIndex] = []) throws -> SQLiteDocumentStore {
    try SQLiteDocumentStore(path, indexes: indexes, timeoutMilliseconds: 0)
  }

  /// Stores `count` documents with random fields.
  private func fill(_ store: SQLiteDocumentStore, _ count: Int = 40) throws {
    var random = RandomValues(seed: 5)
    try store.change(at: Moment(seconds: 1)) { transaction throws in
      for number in 0..<count {
        try transaction.set(notes.document("d\(number)"), random.fields())
      }
      for number in 0..<count / 8 { try transaction.delete(notes.document("d\(number * 8)")) }
    }
  }

  /// All documents and changes that a store returns.
  private func contents(_ store: SQLiteDocumentStore) throws -> [DocumentChange] {
    try store.read { try $0.changes(after: 0, in: nil, limit: .max) }
  }

  private func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: folder.file("documents"))) }

  private func write(_ bytes: [UInt8]) throws {
    for end in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(at: folder.file("documents" + end))
    }
    try Data(bytes).write(to: folder.file("documents"))
  }

  // MARK: - Opening again

  @Test func `a SQLite store that is opened again has all its contents`() throws {
    var before: [DocumentChange] = []
    do {
      let store = try open()
      try fill(store)
      before = try contents(store)
      #expect(before.count == 40 && before.contains { $0.document == nil })
    }
    for indexes in [[], DocumentStoreKind.indexes, []] {
      let store = try open(indexes)
      #expect(try contents(store) == before)
      #expect(try store.read { try $0.lastSequence() } == 45)
      #expect(try store.problems() == [])
    }
    // Sequence numbers continue.
    let next = try open().change(at: Moment(seconds: 2)) {
      try $0.set(notes.document("next"), [:])
    }
    #expect(next.sequence == 46)
  }

  @Test func `indexes are created and deleted as declared`() throws {
    let sets: [[DocumentIndex]] = [
      [], [DocumentIndex("notes", "a")], DocumentStoreKind.indexes,
      [DocumentIndex("notes", "b", "a")],
      [DocumentIndex("notes", "b", "a"), DocumentIndex("notes")], [DocumentIndex("other", "a")], [],
    ]
    try fill(try open())
    let query = Query(notes).filtered("b", .atLeast(0)).ordered(by: "b", "a")
    let results = try open().documents(query)
    #expect(results.count > 2)
    for (number, indexes) in sets.enumerated() {
      let store = try open(indexes)
      #expect(try store.problems() == [])
      #expect(try store.documents(query) == results)
      // Documents stored meanwhile are in all indexes, also in later ones.
      try store.change(at: Moment(seconds: 1)) {
        try $0.set(notes.document("z\(number)"), ["a": .integer(Int64(number)), "b": "text"])
      }
      let texts = try store.documents(
        Query(notes).filtered("b", .equal("text")).filtered("a", .atLeast(0)).ordered(by: "b", "a"))
      #expect(texts.map(\.id) == (0...number).map { "z\($0)" })
    }
  }

  @Test func `a program that opens the file with other indexes changes no results`()
    throws
  {
    let index = [DocumentIndex("notes", "a")]
    let first = try open(index)
    try fill(first)
    let query = Query(notes).filtered("a", .greater(0)).ordered(by: "a")
    let results = try first.documents(query)
    #expect(results.count > 2)
    let second = try open([DocumentIndex("notes", "b")])
    #expect(try first.documents(query) == results && second.documents(query) == results)
    // Both write, each to the current indexes.
    let (one, two) = (try notes.document("one"), try notes.document("two"))
    try first.change(at: Moment(seconds: 1)) { try $0.set(one, ["a": 1, "b": 1]) }
    try second.change(at: Moment(seconds: 1)) { try $0.set(two, ["a": 1, "b": 1]) }
    for store in [first, second, try open(index), first, second] {
      let found = try store.documents(Query(notes).filtered("a", .equal(1)).ordered(by: "a"))
      #expect(found.map(\.id).suffix(2) == ["one", "two"])
      #expect(try store.problems() == [])
    }
  }

  @Test func `another program's erased collections are not mistaken for new ones`() throws {
    let (first, second) = (try open(), try open())
    let (mine, other) = (try notes.document("x"), try CollectionPath("other").document("y"))
    try first.change(at: Moment(seconds: 1)) { try $0.set(mine, ["a": 1]) }
    #expect(try second.document(mine) != nil)
    try first.change(at: Moment(seconds: 2)) { transaction throws in
      try transaction.erase(notes)
      try transaction.set(other, [:])
    }
    #expect(try second.documents(Query(notes)) == [])
    try second.change(at: Moment(seconds: 3)) { try $0.set(mine, ["a": 2]) }
    #expect(try first.documents(Query(notes)).map(\.path) == [mine])
    #expect(try first.documents(Query(other.collection)).map(\.path) == [other])
  }

  @Test func `an index has a valid collection name and fields without newlines`() throws {
    #expect(
      problem { try open([DocumentIndex("notes", "a\nb")]) }
        == .badValue("not a field name for an index"))
    #expect(
      problem { try open([DocumentIndex("notes", "")]) }
        == .badValue("not a field name for an index"))
    guard case .badPath = problem({ try open([DocumentIndex("users/notes", "a")]) }) else {
      Issue.record("a path was taken for a name")
      return
    }
    // All other characters are allowed.
    let store = try open([DocumentIndex("notes", "é b\0", "e\u{301}")])
    try store.change(at: Moment(seconds: 1)) {
      try $0.set(notes.document("x"), ["é b\0": 1, "e\u{301}": 2])
    }
    let query = Query(notes).filtered("é b\0", .equal(1)).ordered(by: "e\u{301}")
    #expect(try store.documents(query).map(\.id) == ["x"])
    #expect(try store.problems() == [])
  }

  @Test func `an index is not used for a field that only looks the same`() throws {
    let store = try open([DocumentIndex("notes", "\u{e9}", "a"), DocumentIndex("notes", "a")])
    try store.change(at: Moment(seconds: 1)) { transaction throws in
      try transaction.set(notes.document("one"), ["\u{e9}": 1, "e\u{301}": 2])
      try transaction.set(notes.document("two"), ["\u{e9}": 2, "e\u{301}": 1])
    }
    let base = Query(notes)
    for (name, ids) in [("\u{e9}", ["one", "two"]), ("e\u{301}", ["two", "one"])] {
      #expect(try store.documents(base.ordered(by: name, "a")).map(\.id) == ids)
      let first = base.filtered(name, .equal(1))
      #expect(try store.documents(first.ordered(by: "a")).map(\.id) == [ids[0]])
      #expect(try store.documents(first.ordered(by: name, "a")).map(\.id) == [ids[0]])
      #expect(try store.read { try $0.count(first.ordered(by: "a")) } == 1)
      #expect(
        try store.documents(base.filtered(name, .greater(1)).ordered(by: "\u{e9}", "a")).map(\.id)
          == [ids[1]])
    }
  }

  // MARK: - Other files

  @Test func `another program's database is refused and left unchanged`() throws {
    do {
      #expect(FileManager.default.createFile(atPath: path, contents: nil))
      let other = try SQLiteConnection(path, for: .writing)
      try other.run("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)")
    }
    let before = try bytes()
    #expect(problem { try open() } == .damaged("another program's database"))
    #expect(try bytes() == before)
    // An empty database may be used.
    try write([])
    try fill(try open())
  }

  @Test func `a newer program's file is refused and left unchanged`() throws {
    try fill(try open())
    let version = SQLiteSchema.version
    for (found, problem) in [
      (version + 1, StorageError.Problem.newerVersion(version + 1)),
      (Int(Int32.max), .newerVersion(Int(Int32.max))),
      (0, .damaged("it claims to have version 0")),
      (-1, .damaged("it claims to have version -1")),
      (Int(Int32.min), .damaged("it claims to have version \(Int32.min)")),
    ] {
      do {
        let connection = try SQLiteConnection(path, for: .writing)
        try connection.run("PRAGMA user_version = \(found)")
      }
      let before = try bytes()
      #expect(StorageTestSupport.problem { try open() } == problem)
      #expect(try bytes() == before)
    }
  }

  @Test func `a file of garbage is refused and left unchanged`() throws {
    var random = SplitMix64(seed: 1)
    let garbage = (0..<10_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    for bytes in [
      garbage, Array("<html>not a database at all</html>".utf8), [0, 0], [0, 0, 0, 0],
    ] {
      try write(bytes)
      guard case .damaged = problem({ try open() }) else {
        Issue.record("\(bytes.count) bytes of garbage were taken")
        continue
      }
      #expect(try self.bytes() == bytes)
    }
  }

  @Test func `a database path where no file can be is refused with the system's reason`() throws {
    #expect(
      problem { try SQLiteDocumentStore(folder.file("missing/documents").path) } == .notFound)
    try Data([1]).write(to: folder.file("file"))
    #expect(
      problem { try SQLiteDocumentStore(folder.file("file/documents").path) }
        == .system(ENOTDIR))
    #expect(problem { try SQLiteDocumentStore(folder.url.path) } == .system(EISDIR))
    let store = try open()
    for path in ["missing/copy", "file/copy"] {
      #expect(problem { try store.copy(to: folder.file(path).path) } != nil)
    }
  }

  // MARK: - Damage

  @Test func `a SQLite file truncated anywhere is detected without a trap`() throws {
    do { try fill(try open(DocumentStoreKind.indexes), 200) }
    let (whole, before) = (try bytes(), try contents(try open(DocumentStoreKind.indexes)))
    #expect(whole.count > 20 * 4096)
    // At the ends of pages, and between them. A file of at most one byte counts as new.
    let lengths =
      [2, 15, 16, 50, 99, 100, 101, 512, 4095, 4097]
      + stride(from: 4096, to: whole.count, by: 3 * 4096) + [whole.count - 1]
    var foundCount = 0
    for length in lengths {
      try write(Array(whole[..<length]))
      if try isFoundOut(before, "cut off at \(length)") { foundCount += 1 }
    }
    // The last byte may be unused.
    #expect(foundCount >= lengths.count - 1)
  }

  @Test func `a flipped bit of a SQLite file is detected or changes no result`() throws {
    do { try fill(try open([DocumentIndex("notes", "a")])) }
    let (whole, before) = (try bytes(), try contents(try open([DocumentIndex("notes", "a")])))
    var foundCount = 0
    for offset in Array(stride(from: 0, to: 100, by: 2))
      + stride(from: 101, to: whole.count, by: 797)
    {
      var copy = whole
      copy[offset] ^= 1 << UInt8(offset / 2 % 8)
      try write(copy)
      if try isFoundOut(before, "byte \(offset)") { foundCount += 1 }
    }
    #expect(foundCount > 25, "much of the file is of use")
  }

  /// Whether opening, reading or checking reports damage. If not, the damage was in unused bytes,
  /// or in an index that was rebuilt; then no result may differ.
  private func isFoundOut(_ before: [DocumentChange], _ what: String) throws -> Bool {
    do {
      let store = try open([DocumentIndex("notes", "a")])
      for change in before { _ = try store.document(change.path) }
      _ = try contents(store)
      if try !store.problems().isEmpty { return true }
    } catch {
      // Each error is a `StorageError` with a subject.
      #expect((error as? StorageError)?.subject.isEmpty == false, "\(what)")
      return true
    }
    let store = try open([DocumentIndex("notes", "a")])
    #expect(try contents(store) == before, "\(what)")
    let all = try store.documents(Query(notes).ordered(by: "a"))
    #expect(Set(all) == Set(before.compactMap(\.document)), "\(what)")
    return false
  }

  @Test func `every flipped bit of a document is found by reading it`() throws {
    let path = try notes.document("d")
    let fields: Fields = ["text": "to be found", "n": 12_345]
    do {
      try open().change(at: Moment(microseconds: 0x0123_4567_89AB)) { try $0.set(path, fields) }
    }
    let whole = try bytes()
    let count = fields.bytes.count
    let start = try #require(
      (0...whole.count - count).first { Array(whole[$0..<$0 + count]) == fields.bytes })
    for offset in start..<start + count {
      for bit in UInt8(0)..<8 {
        var copy = whole
        copy[offset] ^= 1 << bit
        try write(copy)
        let store = try open()
        #expect(problem { try store.document(path) } == .damaged("its checksum is wrong"))
        if bit == 0 { #expect(try store.problems().count == 1) }
      }
    }
  }

  @Test func `a damaged document keeps its name, and erasing it removes it from all indexes`()
    throws
  {
    let path = try notes.document("d")
    let indexes = [DocumentIndex("notes", "n")]
    do {
      let store = try SQLiteDocumentStore(self.path, indexes: indexes)
      try store.change(at: Moment(seconds: 0)) { transaction in
        for name in ["c", "d", "e"] { try transaction.set(notes.document(name), ["n": 1]) }
      }
    }
    do {
      let connection = try SQLiteConnection(self.path, for: .writing)
      try connection.run("UPDATE documents SET fields = x'a0' WHERE id = 'd'")
    }
    let store = try SQLiteDocumentStore(self.path, indexes: indexes)
    #expect(try store.read { try $0.names(in: notes, after: nil, limit: 9) } == ["c", "d", "e"])
    #expect(problem { try store.document(path) } == .damaged("its checksum is wrong"))
    try store.change(at: Moment(seconds: 1)) { try $0.erase(path) }
    #expect(try store.read { try $0.names(in: notes, after: nil, limit: 9) } == ["c", "e"])
    #expect(try store.documents(Query(notes).ordered(by: "n")).map(\.id) == ["c", "e"])
    #expect(try store.problems().isEmpty)
  }

  /// SQLite finds no damage after each of these.
  @Test(arguments: [
    "UPDATE documents SET fields = (SELECT fields FROM documents WHERE id = 'd2') WHERE id = 'd1'",
    "UPDATE documents SET id = 'swapped' WHERE id = 'd1'",
    "UPDATE documents SET created = created + 1 WHERE id = 'd1'",
    "UPDATE documents SET updated = updated - 1 WHERE id = 'd1'",
    "UPDATE documents SET sequence = 1000 WHERE id = 'd1'",
    "UPDATE documents SET checksum = checksum + 4294967296 WHERE id = 'd1'",
    "UPDATE documents SET fields = NULL WHERE id = 'd1'",
    "UPDATE documents SET fields = x'a0' WHERE id = 'd0'",
    "UPDATE documents SET collection = 2 WHERE id = 'd1'",
    "UPDATE collections SET path = 'users/bob/notes' WHERE number = 1",
    "DELETE FROM places WHERE document = 2",
    "DELETE FROM documents WHERE id = 'd1'",
    "DELETE FROM collections",
    "UPDATE places SET document = 3 WHERE document = 2",
    "UPDATE places SET key = x'03' WHERE document = 2",
    "UPDATE places SET collection = 9 WHERE document = 2",
    "INSERT INTO places VALUES (1, 1, x'0301', 2)",
    "UPDATE facts SET value = 3 WHERE name = 'lastSequence'",
  ])
  func `a check reports rows that were changed`(_ statement: String) throws {
    let index = [DocumentIndex("notes", "a")]
    do {
      let store = try open(index)
      try fill(store, 20)
      try store.change(at: Moment(seconds: 1)) {
        try $0.set(CollectionPath("users/eve/notes").document("x"), [:])
      }
      #expect(try store.problems() == [])
    }
    let connection = try SQLiteConnection(path, for: .writing)
    try connection.run(statement)
    #expect(try !open(index).problems().isEmpty)
  }

  // MARK: - Other programs

  @Test func `a file that another program writes to is reported as locked after the timeout`()
    throws
  {
    let store = try open()
    try fill(store)
    let other = try SQLiteConnection(path, for: .writing, timeoutMilliseconds: 0)
    try other.run("BEGIN IMMEDIATE")
    #expect(
      problem { try store.change(at: Moment(seconds: 1)) { try $0.set(notes.document("x"), [:]) } }
        == .locked)
    // Neither reading nor opening waits for a writer.
    #expect(try contents(open()).count == 40)
    #expect(try contents(store).count == 40)
    try other.run("COMMIT")
    try store.change(at: Moment(seconds: 1)) { try $0.set(notes.document("x"), [:]) }
    #expect(try contents(open()).count == 41)
  }

  @Test func `many threads can open one new SQLite file at once`() throws {
    let problems = ConditionMutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      do {
        let store = try SQLiteDocumentStore(path, indexes: DocumentStoreKind.indexes)
        try store.change(at: Moment(seconds: 1)) {
          try $0.set(notes.document("d\(number)"), ["a": .integer(Int64(number))])
        }
      } catch {
        problems.withLock { $0.append("\(error)") }
      }
    }
    problems.withLock { #expect($0 == []) }
    let store = try open(DocumentStoreKind.indexes)
    #expect(try store.documents(Query(notes).ordered(by: "a")).count == 8)
    #expect(try store.problems() == [])
  }

  @Test func `several stores on one file write and read at once and lose nothing`() throws {
    let stores = try (0..<3).map { _ in
      try SQLiteDocumentStore(path, indexes: DocumentStoreKind.indexes)
    }
    let counter = try notes.document("counter")
    let problems = ConditionMutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 48) { number in
      do {
        let store = stores[number % 3]
        try store.change(at: Moment(seconds: 1)) { transaction throws in
          let count = try transaction.document(counter)?["count"]?.integerValue ?? 0
          try transaction.set(counter, ["count": .integer(count + 1)])
          try transaction.set(notes.document("d\(number)"), ["a": .integer(count)])
        }
        try stores[(number + 1) % 3].read { reader throws in
          // One snapshot, during any concurrent writes.
          let count = try reader.document(counter)?["count"]?.integerValue ?? 0
          let found = try reader.documents(
            Query(notes).filtered("a", .atLeast(0)).ordered(by: "a", "b"))
          if found.map({ $0["a"]?.integerValue }) != (0..<count).map({ $0 }) { throw Mishap() }
        }
      } catch {
        problems.withLock { $0.append("\(error)") }
      }
    }
    problems.withLock { #expect($0 == []) }
    #expect(try stores[0].document(counter)?["count"] == 48)
    #expect(try stores[0].problems() == [])
  }

  @Test func `more SQLite readers than connections wait for each other`() throws {
    let store = try open()
    try fill(store)
    let problems = ConditionMutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 40) { number in
      do {
        let count = try store.read { try $0.count(Query(notes)) }
        if count != 35 { throw Mishap() }
      } catch {
        problems.withLock { $0.append("\(error)") }
      }
    }
    problems.withLock { #expect($0 == []) }
  }

  // MARK: - Full disk

  @Test func `a full disk is reported and changes no document`() throws {
    let store = try open(DocumentStoreKind.indexes)
    try fill(store)
    let before = try contents(store)
    let large: Fields = ["a": .bytes([UInt8](repeating: 1, count: 200_000))]
    // One of the changes that are rolled back is small and would have fitted.
    #expect(
      problem {
        try store.change(at: Moment(seconds: 2)) { transaction throws in
          try Self.allow(40, transaction)
          try transaction.set(notes.document("small"), ["a": 1])
          try transaction.set(notes.document("large"), large)
        }
      } == .full)
    #expect(try contents(store) == before)
    // A body that ignores the error changes nothing, either.
    let goingOn = problem {
      try store.change(at: Moment(seconds: 3)) { transaction throws in
        try transaction.set(notes.document("before"), ["a": 1])
        #expect(problem { try transaction.set(notes.document("large"), large) } == .full)
        #expect(problem { try transaction.set(notes.document("after"), ["a": 1]) } == .full)
        #expect(problem { try transaction.delete(notes.document("d1")) } == .full)
        #expect(problem { try transaction.erase(notes) } == .full)
      }
    }
    #expect(goingOn == .full)
    #expect(try contents(store) == before)
    // With free space the store works again.
    try store.change(at: Moment(seconds: 4)) { transaction throws in
      try Self.allow(1_000_000, transaction)
      try transaction.set(notes.document("large"), large)
    }
    #expect(try store.document(notes.document("large"))?.fields == large)
    #expect(try store.problems() == [])
  }

  /// Limits the number of pages of the file, like a full disk.
  private static func allow(_ pages: Int, _ transaction: any DocumentTransaction) throws {
    let documents = try #require(transaction as? SQLiteDocuments)
    try documents.connection.run("PRAGMA max_page_count = \(pages)")
  }

  // MARK: - Copies

  @Test func `a copy of a SQLite store is a snapshot in one file`() throws {
    let store = try open(DocumentStoreKind.indexes)
    try fill(store)
    let before = try contents(store)
    let copy = folder.file("copy").path
    try store.copy(to: copy)
    try store.change(at: Moment(seconds: 2)) { try $0.erase(notes) }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names.filter { $0.hasPrefix("copy") } == ["copy"], "without a log")
    let opened = try SQLiteDocumentStore(copy, indexes: DocumentStoreKind.indexes)
    #expect(try contents(opened) == before && opened.problems() == [])
    #expect(try contents(store) == [])
  }

  @Test func `a copy of a SQLite store does not replace an existing file`() throws {
    let store = try open()
    try fill(store)
    try Data("mine".utf8).write(to: folder.file("other"))
    for path in [folder.file("other").path, path] {
      #expect(problem { try store.copy(to: path) } == .alreadyExists)
    }
    #expect(try Data(contentsOf: folder.file("other")) == Data("mine".utf8))
    #expect(try contents(store).count == 40 && store.problems() == [])
  }

  @Test func `copies made during writes are consistent snapshots`() throws {
    let store = try open()
    let problems = ConditionMutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { number in
      do {
        for round in 0..<8 {
          if number == 0 {
            let copy = folder.file("copy\(round)").path
            try store.copy(to: copy)
            let opened = try SQLiteDocumentStore(copy)
            let found = try contents(opened).compactMap(\.document)
            // Each transaction is copied whole or not at all.
            if found.count % 2 != 0 { throw Mishap() }
            if try Int64(found.count) != opened.read({ try $0.lastSequence() }) { throw Mishap() }
          } else {
            try store.change(at: Moment(seconds: 1)) { transaction throws in
              try transaction.set(notes.document("a\(number)-\(round)"), [:])
              try transaction.set(notes.document("b\(number)-\(round)"), [:])
            }
          }
        }
      } catch {
        problems.withLock { $0.append("\(error)") }
      }
    }
    problems.withLock { #expect($0 == []) }
    #expect(try contents(store).count == 48)
  }
}
