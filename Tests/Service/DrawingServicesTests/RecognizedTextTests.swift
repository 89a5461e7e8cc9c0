import Calendar
import Foundation
import Graphics
import Journal
import PKDFormat
import Strokes
import TestSupport
import Testing

@testable import DrawingServices
@testable import Storage

/// Recognized words in the documents of drawings, and the search for them.
struct RecognizedTextTests {
  private let fixture = ServiceFixture()
  private var service: DrawingService { fixture.drawings() }

  private static func text(_ words: String...) -> RecognizedText {
    RecognizedText(
      recognizer: "mine", version: "1", language: "en",
      words: words.enumerated().map { index, word in
        RecognizedText.Word(word, box: Rect(x: Double(index) * 20, y: 5, width: 18.5, height: 9))
      })
  }

  /// A recording with words, or without if they are nil.
  private static func recording(_ seed: UInt64, _ text: RecognizedText?) throws -> [UInt8] {
    var recording = Recording(Recordings.drawing(seed))
    recording.words = text
    return try PKDWriter.encode(recording)
  }

  private static func submission(
    _ seed: UInt64, _ text: RecognizedText?, id: String
  ) throws -> DrawingService.Submission {
    var submission = DrawingService.Submission(recording: try recording(seed, text))
    submission.id = id
    submission.rendersImageLater = true
    return submission
  }

  private func words(_ id: String = "d1", in service: DrawingService? = nil) throws -> [String]? {
    try (service ?? self.service).drawing(id, of: "ann").recognizedText?.words.map(\.text)
  }

  /// Stores a document with words.
  private func set(_ id: String, _ text: RecognizedText?, prompt: String? = nil, at seconds: Int64?)
    throws
  {
    let record = try fixture.setDrawing(id, at: seconds.map { ServiceFixture.start + $0 })
    try fixture.set(
      record.document.path.description,
      record.document.fields.merging([
        "recognizedText": text.map { .map($0.fields) }, "promptUsed": prompt.map { .text($0) },
      ]))
  }

  private func found(_ text: String) throws -> [String] {
    try service.search(text, of: "ann").results.map(\.drawing.id)
  }

  // MARK: - The field

  @Test func `recognized words round-trip in a field, and long lists are cut`() throws {
    var text = Self.text("Every", "line", "你好")
    text.words[1].strokes = [Identifier(), Identifier()]
    #expect(RecognizedText(text.fields) == text)
    text.words = (0..<3_000).map { number in
      RecognizedText.Word(
        String(repeating: "好", count: 70) + "\(number)",
        box: Rect(x: 0.123456, y: 0, width: 1e8, height: 1),
        strokes: (0..<9).map { _ in Identifier() })
    }
    text.words.insert(
      RecognizedText.Word("far", box: Rect(x: .infinity, y: 0, width: 1, height: 1)), at: 0)
    let cut = try #require(RecognizedText(text.fields))
    #expect(cut.words.count == 2_000 && cut.words[0].text == String(repeating: "好", count: 66))
    #expect(cut.words[0].box.minX == 0.12 && cut.words.map(\.strokes.count).reduce(0, +) <= 5_000)
    #expect(text.fields.bytes.count < Document.maximumByteCount * 3 / 4)
    // Recordings refuse such boxes.
    text.words.removeFirst()
    try service.submit(try Self.submission(2, text, id: "d1"), of: "ann")
    #expect(try words()?.count == 2_000)
  }

  @Test func `users may set recognized words in the right form`() throws {
    try service.submit(try Self.submission(2, nil, id: "d1"), of: "ann")
    #expect(try words() == nil)
    try service.update("d1", of: "ann", ["recognizedText": .map(Self.text("mine").fields)])
    #expect(try words() == ["mine"])
    func isRefused(_ value: FieldValue) -> Bool {
      thrown { try service.update("d1", of: "ann", ["recognizedText": value]) } is FieldError
    }
    let box: FieldValue = [0, 0, 1, 1]
    func word(_ fields: Fields) -> FieldValue { .map(["words": [.map(fields)]]) }
    #expect(!isRefused(word(["text": "a", "box": box])))
    for value: FieldValue in [
      "text", .map([:]), .map(["words": "a"]), word(["text": "a"]), word(["box": box]),
      word(["text": "a", "box": [0, 0, 1]]), word(["text": "a", "box": [0, 0, 1, -1]]),
      word(["text": "a", "box": [0, 0, 1, 1e10]]), word(["text": "a", "box": ["0", 0, 1, 1]]),
      word(["text": 1, "box": box]), word(["text": "a", "box": box, "strokes": [1]]),
      word(["text": .text(String(repeating: "a", count: 201)), "box": box]),
      .map(["words": .list(Array(repeating: .map(["text": "a", "box": box]), count: 2_001))]),
    ] {
      #expect(isRefused(value), "\(value)")
    }
    try service.update("d1", of: "ann", ["recognizedText": .null])
    #expect(try words() == nil)
  }

  @Test func `any value in the field of words is refused or read`() throws {
    var random = RandomInk(seed: 7)
    func value(_ depth: Int) -> FieldValue {
      switch Int(random.number(0...(depth > 3 ? 5.99 : 8.99))) {
      case 0: .null
      case 1: .bool(true)
      case 2: .integer(Int64(random.number(-1e6...1e6)))
      case 3: .number(random.number(-1e12...1e12))
      case 4: .text(["", "a", "\u{0}é", "words"][Int(random.number(0...3.99))])
      case 5: .bytes([1, 2])
      case 6: .list((0..<Int(random.number(0...5.99))).map { _ in value(depth + 1) })
      default:
        .map(
          Fields(
            ["words", "text", "box", "strokes", "recognizer"]
              .filter { _ in random.number(0...1) < 0.7 }.map { ($0, value(depth + 1)) }))
      }
    }
    for number in 0..<2_000 {
      let field = value(0)
      _ = field.mapValue.flatMap { RecognizedText($0) }
      guard number % 20 == 0 else { continue }
      let record = try fixture.setDrawing("d\(number)", at: ServiceFixture.start)
      try fixture.set(
        record.document.path.description, record.document.fields.merging(["recognizedText": field]))
    }
    _ = try found("a")
  }

  // MARK: - Submits and revisions

  @Test func `the words of a recording go into its document, and a retry changes nothing`() throws {
    let submission = try Self.submission(2, Self.text("Every", "line"), id: "d1")
    let record = try service.submit(submission, of: "ann")
    #expect(try words() == ["Every", "line"])
    #expect(try service.submit(submission, of: "ann") == record)
    // The same holds after the words in the document were changed.
    try service.update("d1", of: "ann", ["recognizedText": .map(Self.text("other").fields)])
    try service.submit(submission, of: "ann")
    #expect(try words() == ["other"])
    var given = try Self.submission(4, Self.text("stored"), id: "d2")
    given.recognizedText = Self.text("given")
    try service.submit(given, of: "ann")
    #expect(try words("d2") == ["given"])
  }

  @Test func `a revision has its own recognized words, or none`() throws {
    try service.submit(try Self.submission(2, Self.text("first"), id: "d1"), of: "ann")
    func revise(_ seed: UInt64, _ text: RecognizedText?) throws {
      try service.revise(
        Self.recording(seed, text), ofDrawing: "d1", of: "ann", replacing: .any)
    }
    try revise(4, Self.text("second"))
    #expect(try words() == ["second"])
    // Repeating it is no revision.
    try service.update("d1", of: "ann", ["recognizedText": .map(Self.text("mine").fields)])
    try revise(4, Self.text("second"))
    #expect(try words() == ["mine"])
    try revise(6, nil)
    #expect(try words() == nil)
  }

  @Test func `the words after a crash in a revision are those of the stored recording`()
    throws
  {
    for step in 0...5 {
      let notes = Notes()
      let fixture = ServiceFixture(
        documents: NotingDocumentStore(notes: notes), blobs: NotingBlobStore(notes: notes))
      let service = fixture.drawings()
      try service.submit(try Self.submission(2, Self.text("old"), id: "d1"), of: "ann")
      notes.reset(callsThatSucceed: step)
      let newer = try Self.recording(4, Self.text("new"))
      _ = thrown {
        try service.revise(newer, ofDrawing: "d1", of: "ann", replacing: .any)
      }
      notes.reset()
      _ = try service.finishRevision(ofDrawing: "d1", of: "ann")
      let isNew =
        try service.file(DrawingFiles.recording, ofDrawing: "d1", of: "ann").bytes == newer
      #expect(try words(in: service) == [isNew ? "new" : "old"], "step \(step)")
    }
  }

  @Test func `a lost document is recreated with the words of its recording`() throws {
    let blobs = InMemoryBlobStore()
    try ServiceFixture(blobs: blobs).drawings()
      .submit(try Self.submission(2, Self.text("kept"), id: "d1"), of: "ann")
    let empty = ServiceFixture(blobs: blobs)
    #expect(try DocumentRecovery(environment: empty.environment).recover("d1", of: "ann"))
    #expect(try words(in: empty.drawings()) == ["kept"])
  }

  @Test func `words are set only for the ink that they were recognized in`() throws {
    let record = try service.submit(try Self.submission(2, nil, id: "d1"), of: "ann")
    let hash = try #require(record.recordingSHA256)
    func set(_ word: String) throws -> Bool {
      try service.setRecognizedText(Self.text(word), of: record, fromRecording: hash)
    }
    // Other fields of the drawing may change meanwhile.
    try service.update("d1", of: "ann", ["promptUsed": "a tree"])
    #expect(try set("first") && words() == ["first"])
    // Other callers have set words, revised the drawing, or deleted it.
    #expect(try !set("second") && words() == ["first"])
    try service.revise(Self.recording(4, nil), ofDrawing: "d1", of: "ann", replacing: .any)
    #expect(try !set("third") && words() == nil)
    try service.delete("d1", of: "ann")
    #expect(try !set("fourth"))
  }

  // MARK: - Synchronization

  @Test func `words are stored with their ink, also beside later other changes`() throws {
    let server = fixture
    var device = ServiceFixture().environment
    device.deviceID = "phone"
    let name = SyncName(.drawings, "d1")
    func change(in environment: ServiceEnvironment) throws -> SyncChange {
      let replica = try Replica(environment, as: .operator, of: "ann")
      var change = try #require(
        try environment.documents.read { try replica.stored(name, in: $0) })
      let bytes = try DrawingService(environment, as: .operator)
        .file(DrawingFiles.recording, ofDrawing: "d1", of: "ann").bytes
      change.files = [
        SyncFile(DrawingFiles.recording, sha256: ContentHash.of(bytes), bytes)
      ]
      return change
    }
    func join(_ change: SyncChange, in environment: ServiceEnvironment, from place: String?) throws
    {
      var sequence: Int64?
      let result = try Replica(environment, as: .operator, of: "ann")
        .joinDrawing(change, from: place, sequence: &sequence)
      #expect(result == nil, "\(String(describing: result))")
    }
    let local = DrawingService(device, as: .operator)
    func isSame(_ wanted: [String]?, prompt: String?) throws {
      for service in [service, local] {
        #expect(try words(in: service) == wanted)
        #expect(try service.drawing("d1", of: "ann").promptUsed == prompt)
      }
    }
    try service.submit(try Self.submission(2, Self.text("old"), id: "d1"), of: "ann")
    try join(change(in: server.environment), in: device, from: "here")
    try isSame(["old"], prompt: nil)
    // New ink on the server, and a prompt on the device, which does not know the ink.
    server.clock.now = server.clock.now + 10
    try service.revise(
      Self.recording(4, Self.text("new")), ofDrawing: "d1", of: "ann", replacing: .any)
    let later = server.clock.now + 10
    try local.update("d1", of: "ann", ["promptUsed": "a tree", "updatedAt": .moment(later)])
    try join(change(in: device), in: server.environment, from: nil)
    #expect(try words() == ["new"] && service.drawing("d1", of: "ann").promptUsed == "a tree")
    try join(change(in: server.environment), in: device, from: "here")
    try isSame(["new"], prompt: "a tree")
    // Recognized words are synchronized like all fields of a drawing, without new ink.
    try local.update(
      "d1", of: "ann",
      ["recognizedText": .map(Self.text("mine").fields), "updatedAt": .moment(later + 10)])
    try join(change(in: device), in: server.environment, from: nil)
    try isSame(["mine"], prompt: "a tree")
    // Ink without words removes them.
    server.clock.now = later + 20
    try service.revise(Self.recording(6, nil), ofDrawing: "d1", of: "ann", replacing: .any)
    try join(change(in: server.environment), in: device, from: "here")
    try isSame(nil, prompt: "a tree")
  }

  // MARK: - Searching

  @Test func `a search finds drawings with all its words, in any case`() throws {
    try set("old", Self.text("Shopping", "list"), at: 10)
    try set("new", Self.text("SHOP", "Café"), prompt: "Draw a blue tree", at: 20)
    try set("undated", Self.text("shop"), at: nil)
    try set("none", nil, at: 30)
    #expect(try found("shop") == ["new", "old", "undated"])
    #expect(try found(" shop \n TREE") == ["new"] && found("cafe") == ["new"])
    #expect(try found("CAFÉ blue") == ["new"] && found("cafe\u{301}") == ["new"])
    #expect(try found("shop zebra") == [] && found("shoplist") == [])
    let page = try service.search("list SHOP", of: "ann")
    #expect(page.results.map { $0.words.map(\.text) } == [["Shopping", "list"]])
    #expect(page.results[0].words[1].box == Rect(x: 20, y: 5, width: 18.5, height: 9))
    #expect(try service.search("blue", of: "ann").results[0].words.isEmpty)
  }

  @Test func `a search finds ideographs across words, but no other letters`() throws {
    try set("d1", Self.text("今", "天天", "氣很", "好", "a", "b"), at: 0)
    #expect(try service.search("天氣", of: "ann").results[0].words.map(\.text) == ["天天", "氣很"])
    #expect(try found("今天天氣很好") == ["d1"] && found("好天") == [] && found("ab") == [])
    try set("d2", Self.text("ＡＢＣ"), at: 1)
    #expect(try found("abc") == ["d2"])
  }

  @Test func `a search goes on from a cursor`() throws {
    for number in 0..<250 {
      try set(
        "d\(padded(number, 3))", Self.text(number % 50 == 0 ? "rare" : "other"), at: Int64(number))
    }
    var (ids, pages): ([String], Int) = ([], 0)
    var cursor: Query.Cursor?
    repeat {
      let page = try service.search("rare", of: "ann", limit: 2, after: cursor)
      ids += page.results.map(\.drawing.id)
      cursor = page.cursor
      pages += 1
    } while cursor != nil
    #expect(ids == ["d200", "d150", "d100", "d050", "d000"] && pages == 3)
  }

  @Test func `an index gives the same results as a look at each drawing`() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteDocumentStore(
      folder.file("documents").path, indexes: Application.journal.indexes)
    let fixture = ServiceFixture(documents: store)
    var random = RandomInk(seed: 11)
    func pick(_ texts: [String]) -> String {
      texts[min(Int(random.number(0...Double(texts.count))), texts.count - 1)]
    }
    func text(_ most: Double) -> String {
      (0...Int(random.number(0...most))).map { _ in
        pick(["a", "b", "Sh", "op", "É", "e\u{301}", "天", "氣", "好", "Ｂ", "ß", "가", "ç", "-", "ς"])
      }.joined()
    }
    for number in 0..<400 {
      var words = RecognizedText(recognizer: "r", version: "1", language: "")
      for _ in 0..<Int(random.number(0...5)) {
        words.words.append(RecognizedText.Word(text(4), box: Rect(x: 0, y: 0, width: 1, height: 1)))
      }
      var fields: Fields = random.number(0...1) < 0.8 ? ["recognizedText": .map(words.fields)] : [:]
      if random.number(0...1) < 0.5 { fields["promptUsed"] = .text(text(3) + " " + text(3)) }
      // Not in the right form: such words are not found.
      if number % 40 == 0 { fields = ["recognizedText": .map(["words": [.map(["text": "shop"])]])] }
      let record = try fixture.setDrawing(
        "d\(number)", at: number % 9 == 0 ? nil : ServiceFixture.start + Int64(number % 50))
      try fixture.set(
        record.document.path.description, record.document.fields.merging(fields))
    }
    let service = fixture.drawings()
    let query = Query(try CollectionPath("users/ann/drawings"))
      .ordered(by: "createdAt", descending: true)
    let all = try store.documents(query).map { DrawingRecord($0) }
    #expect(all.count == 400)
    for _ in 0..<300 {
      let sought =
        text(random.number(0...1) < 0.3 ? 5 : 1)
        + (random.number(0...1) < 0.3 ? " " + text(1) : "")
      var found: [String] = []
      var cursor: Query.Cursor?
      repeat {
        let page = try service.search(sought, of: "ann", limit: 7, after: cursor)
        found += page.results.map { "\($0.drawing.id) \($0.words.map(\.text))" }
        cursor = page.cursor
      } while cursor != nil
      let expected = all.compactMap { drawing in
        Self.words(in: drawing, with: sought).map { "\(drawing.id) \($0)" }
      }
      #expect(found == expected, "\(sought)")
    }
    #expect(try store.problems() == [])
  }

  /// The rule of a search, by itself: the words that contain a sought word; nil if one is missing.
  private static func words(in drawing: DrawingRecord, with text: String) -> [String]? {
    let sought = Set(text.split(separator: " ").map { FoldedText($0) })
    let prompt = drawing.promptUsed.map { FoldedText($0).bytes } ?? []
    let words = drawing.recognizedText?.words.map(\.text) ?? []
    let texts = words.map { FoldedText($0).bytes }
    var found: Set<Int> = []
    for word in sought {
      var indices = texts.indices.filter { !texts[$0].ranges(of: word.bytes).isEmpty }
      if indices.isEmpty,
        text.unicodeScalars.contains(where: { "天氣好".unicodeScalars.contains($0) }),
        String(decoding: word.bytes, as: UTF8.self).contains(where: { "天氣好".contains($0) })
      {
        let owners = texts.indices.flatMap { Array(repeating: $0, count: texts[$0].count) }
        let joined = Array(texts.joined())
        for start in joined.indices where joined[start...].starts(with: word.bytes) {
          indices += owners[start..<start + word.bytes.count]
        }
      }
      if indices.isEmpty, prompt.ranges(of: word.bytes).isEmpty { return nil }
      found.formUnion(indices)
    }
    return found.sorted().map { words[$0] }
  }

  @Test func `a search needs the owner and a short text with words`() throws {
    for text in ["", " \n", String(repeating: "a", count: 201)] {
      #expect(thrown { try service.search(text, of: "ann") } is ServiceError)
    }
    #expect(thrown { try service.search("a", of: "bob") } is AccessRefusal)
    #expect(thrown { try fixture.drawings(as: .anonymous).search("a", of: "ann") } is AccessRefusal)
  }
}
