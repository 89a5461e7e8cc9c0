import Foundation
import StorageTestSupport
import TestSupport
import Testing

@testable import Storage

/// Searches for words: by an index as by a look at every document.
struct TextSearchTests {
  private let folder: TemporaryFolder
  private let notes: CollectionPath
  private static let texts = ["b", "c/text"]
  private static let index = DocumentIndex("notes", "a", texts: texts)

  init() throws {
    folder = try TemporaryFolder()
    notes = try CollectionPath("users/ann/notes")
  }

  private var path: String { folder.file("documents").path }

  private func open(_ indexes: [DocumentIndex] = [index]) throws -> SQLiteDocumentStore {
    try SQLiteDocumentStore(path, indexes: indexes)
  }

  private func query(_ text: String, in collection: CollectionPath? = nil) -> Query {
    var query = Query(collection ?? notes).ordered(by: "a", descending: true)
    query.search = TextSearch(text, in: Self.texts)
    return query
  }

  // MARK: - Words and texts

  @Test func `a word is part of one text, or of several in scripts without spaces`() {
    let fields: Fields = [
      "b": "A blue Tree",
      "c": [
        .map(["text": "今天"]), .map(["text": "天氣x", "other": "far"]), .map(["text": "Café"]), 3,
      ],
      "d": "elsewhere",
    ]
    for text in [
      "blue", "TREE a", "re", "e t", "天", "今天", "今天天氣", "氣x", "天天氣xc", "氣xcafe", "cafe\u{301}", "",
      "blue 天氣 caf",
    ] {
      #expect(TextSearch(text, in: Self.texts).matches(fields), "\(text)")
    }
    // Spaces separate words, so "e t" above is two of them.
    for text in ["green", "xcafe", "xc", "天今", "far", "elsewhere", "blue green", "樹", "tree今"] {
      #expect(!TextSearch(text, in: Self.texts).matches(fields), "\(text)")
    }
    #expect(!TextSearch("a", in: Self.texts).matches([:]))
    #expect(!TextSearch("a", in: ["b/text"]).matches(["b": "a"]))
  }

  /// Texts of few letters, so that most words occur somewhere.
  private func text(_ random: inout RandomValues, _ most: Int) -> String {
    let letters = [
      "a", "b", "B", "ab", "É", "e\u{301}", "天", "氣", "好", "Ａ", "ß", "가", "ç", " ", "ς",
      "\u{1F600}",
      "\u{20000}", "\0", "\u{301}",
    ]
    return (0...random.whole(0...most)).map { _ in random.pick(letters) }.joined()
  }

  private func fields(_ random: inout RandomValues) -> Fields {
    var fields: Fields = ["a": random.pick([nil, 1, 2, "text"])]
    if random.chance(0.5) { fields["b"] = .text(text(&random, 5)) }
    if random.chance(0.7) {
      fields["c"] = .list(
        (0..<random.whole(0...5)).map { _ in .map(["text": .text(text(&random, 3))]) })
    }
    if random.chance(0.1) { fields["b"] = random.value() }
    if random.chance(0.1) { fields["c"] = random.value() }
    return fields
  }

  @Test func `a document with a word has its terms`() {
    var random = RandomValues(seed: 1)
    var foundCount = 0
    for _ in 0..<20_000 {
      let fields = fields(&random)
      let terms = TextTerm.of(fields, at: Self.texts.map { TextPath($0) })
      let search = TextSearch(text(&random, random.chance(0.5) ? 1 : 6), in: Self.texts)
      guard search.matches(fields) else { continue }
      foundCount += 1
      for term in search.words.flatMap({ TextTerm.of($0) }) {
        #expect(
          term.isWhole ? terms.contains(term) : terms.contains { $0.beginnings.contains(term) },
          "\(search), \(fields)")
      }
    }
    #expect(foundCount > 2_000)
  }

  // MARK: - Stores

  @Test(arguments: DocumentStoreKind.allCases)
  func `every store finds the documents that a look at each finds, after any changes`(
    _ kind: DocumentStoreKind
  ) throws {
    let opened = try kind.open()
    var random = RandomValues(seed: 2)
    let collections = try [notes, CollectionPath("users/bob/notes"), CollectionPath("notes")]
    for round in 0..<(RunLength.isLong ? 300 : 30) {
      let changes: [(any DocumentTransaction) throws -> Void] = (0..<random.whole(1...8)).map { _ in
        let collection = random.pick(collections)
        let number = random.whole(0...40)
        switch random.whole(0...19) {
        case 0...13:
          let fields = fields(&random)
          return { try $0.set(collection.document("d\(number)"), fields) }
        case 14...16: return { try $0.delete(collection.document("d\(number)")) }
        case 17...18: return { try $0.erase(collection.document("d\(number)")) }
        default: return { if round % 7 == 0 { try $0.erase(collection) } }
        }
      }
      let fails = random.chance(0.2)
      try? opened.change { transaction in
        for change in changes { try change(transaction) }
        if fails { throw Mishap() }
      }
      for _ in 0..<4 {
        let query = query(text(&random, 2), in: random.pick(collections))
        var all = query
        all.search = nil
        let expected = try opened.store.documents(all).filter { query.matches($0.fields) }
        let size = random.whole(1...9)
        #expect(try opened.allPages(of: query, size: size).flatMap { $0 } == expected)
        #expect(try opened.store.documents(query) == expected)
        #expect(try opened.read { try $0.count(query) } == expected.count)
        if !fails { #expect(try opened.change { try $0.documents(query) } == expected) }
      }
    }
    #expect(try opened.store.problems() == [])
    try opened.store.repairIndexes()
    #expect(try opened.store.problems() == [])
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `rare, frequent and old words are found among many documents`(
    _ kind: DocumentStoreKind
  ) throws {
    let opened = try kind.open()
    try opened.change { transaction in
      for number in 0..<1_500 {
        var words = ["all"]
        if number % 2 == 0 { words.append("half") }
        if number < 600 { words.append("old") }
        if number % 100 == 7 { words.append("rare") }
        if number % 100 == 8 { words.append("rar are") }
        try transaction.set(
          notes.document("d\(number)"),
          ["a": .integer(Int64(number)), "b": .text(words.joined(separator: " "))])
      }
    }
    for (text, count) in [
      ("all", 1_500), ("half", 750), ("old", 600), ("old half", 300), ("rare", 15), ("none", 0),
      ("l", 1_500), ("ha", 750), ("z", 0),
    ] {
      for size in count < 100 ? [10, 70] : [70, 500] {
        let pages = try opened.allPages(of: query(text), size: size)
        let found = pages.flatMap { $0 }.compactMap { $0["a"]?.integerValue }
        #expect(found.count == count && found == found.sorted(by: >), "\(text), \(size)")
        #expect(pages.dropLast().allSatisfy { $0.count == size }, "\(text), \(size)")
      }
      var ascending = query(text)
      ascending.isDescending = false
      #expect(try opened.allPages(of: ascending, size: 60).flatMap { $0 }.count == count)
    }
  }

  @Test func `a page compares a limited number of documents, and has a cursor then`() throws {
    let store = try open()
    try store.change(at: Moment(seconds: 0)) { transaction in
      for number in 0..<900 {
        try transaction.set(
          notes.document("d\(number)"),
          ["a": .integer(Int64(number)), "b": .text(number % 300 == 0 ? "abcde" : "abcd bcde")])
      }
    }
    var query = query("abcde")
    query.comparisonLimit = 400
    let first = try store.read { try $0.page(query.page(5)) }
    #expect(first.documents.map(\.id) == ["d600"])
    let second = try store.read { try $0.page(query.page(5, after: first.cursor)) }
    #expect(second.documents.map(\.id) == ["d300"])
    let last = try store.read { try $0.page(query.page(5, after: second.cursor)) }
    #expect(last.documents.map(\.id) == ["d0"] && last.cursor == nil)
  }

  // MARK: - Files

  @Test func `texts are indexed when a file is opened with their index, and forgotten without`()
    throws
  {
    let document = try notes.document("d")
    do {
      _ = try open([DocumentIndex("notes", "a")]).change(at: Moment(seconds: 0)) {
        try $0.set(document, ["a": 1, "b": "shopping"])
      }
    }
    let connection = try SQLiteConnection(path, for: .writing)
    try connection.run("PRAGMA user_version = 2")
    for indexes in [[Self.index], [], [Self.index, DocumentIndex("notes")]] {
      let store = try open(indexes)
      #expect(try store.documents(query("hop")).map(\.path) == [document])
      #expect(try store.documents(query("shopped")).isEmpty)
      #expect(try store.problems() == [])
      let reader = try SQLiteDocumentStore(reading: path)
      #expect(try reader.documents(query("hop")).map(\.path) == [document])
      #expect(try reader.problems() == [])
    }
    #expect(try connection.integer("PRAGMA user_version") == 3)
    _ = try open([])
    #expect(
      try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name LIKE 't%'") == 0)
  }

  @Test func `a damaged document leaves no terms`() throws {
    let store = try open()
    let bob = try CollectionPath("users/bob/notes")
    try store.change(at: Moment(seconds: 0)) { transaction in
      for number in 0..<5 {
        for collection in [notes, bob] {
          try transaction.set(
            collection.document("d\(number)"), ["a": 1, "b": .text("zebra\(number)")])
        }
      }
    }
    let connection = try SQLiteConnection(path, for: .writing)
    try connection.run("UPDATE documents SET checksum = checksum + 1")
    #expect(try store.documents(query("zebra")).isEmpty)
    try store.change(at: Moment(seconds: 1)) { transaction in
      try transaction.set(notes.document("d0"), ["b": "horse"])
      try transaction.delete(notes.document("d1"))
      for number in 2..<5 { try transaction.erase(notes.document("d\(number)")) }
      try transaction.erase(bob)
    }
    #expect(try store.problems() == [])
    #expect(try store.documents(query("horse")).count == 1)
    #expect(try connection.integer("SELECT count(DISTINCT term) FROM terms1") == 5)
  }

  @Test func `no terms of erased documents stay in the file`() throws {
    let store = try open()
    func holdsTerm() throws -> Bool {
      let digits = Array("a6562".utf8)
      return try ["", "-wal"].contains { suffix in
        let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path + suffix)))
        return !bytes.ranges(of: digits).isEmpty
      }
    }
    try store.change(at: Moment(seconds: 0)) { try $0.set(notes.document("d"), ["b": "zebra"]) }
    #expect(try holdsTerm())
    for _ in 0..<3 {
      try store.change(at: Moment(seconds: 0)) {
        try $0.set(CollectionPath("other/x/notes").document("d"), ["b": "horse"])
      }
    }
    try store.change(at: Moment(seconds: 1)) { try $0.erase(notes) }
    #expect(try store.forgetErased())
    #expect(try !holdsTerm())
    #expect(try store.problems() == [])
  }

  @Test(arguments: [
    "INSERT INTO texts1 (texts1) VALUES ('delete-all')",
    "INSERT INTO texts1 (rowid, terms) VALUES (1, '1x7a7a7a')",
    "INSERT INTO texts1 (rowid, terms) VALUES (9, '1x7a6562')",
    "UPDATE texts1_data SET block = zeroblob(length(block)) WHERE id > 100",
    "UPDATE texts1_data SET block = zeroblob(10) WHERE id > 100",
    "DELETE FROM texts1_data WHERE id > 100",
    "DELETE FROM texts1_data",
  ])
  func `a check reports an index with other texts, and a repair rebuilds it`(
    _ statement: String
  ) throws {
    do {
      let store = try open()
      try store.change(at: Moment(seconds: 0)) { transaction in
        for number in 0..<4 {
          try transaction.set(
            notes.document("d\(number)"), ["a": 1, "b": .text("zebra\(number)")])
        }
      }
      #expect(try store.problems() == [])
    }
    do { try SQLiteConnection(path, for: .writing).run(statement) }
    let store = try open()
    #expect(try !store.problems().isEmpty)
    try store.repairIndexes()
    #expect(try store.problems() == [])
    #expect(try store.documents(query("zebra")).count == 4)
  }
}
