import Graphics
import Strokes
import TestSupport
import Testing

@testable import PKDFormat

/// The chunk of recognized words.
struct WordListTests {
  /// A recording with some words of random letters, boxes and strokes.
  private static func recording(_ random: inout RandomInk) -> Recording {
    var recording = random.recording()
    let ids = RecordList(recording).records.filter { !$0.isBare }.map(\.stroke.id)
    let letters = ["quick", "", "Übung", "筆", "a b", "e\u{301}", "\u{1F58B}"]
    let words = (0..<random.whole(0...9)).map { _ in
      let strokes = ids.filter { _ in random.chance(0.3) }
      let box = Rect(
        x: random.number(-9...900), y: random.number(-9...900), width: random.number(0...99),
        height: random.number(0...20))
      return RecognizedText.Word(
        letters[random.whole(0...letters.count - 1)], box: box, strokes: unique(strokes))
    }
    recording.words = RecognizedText(
      recognizer: "reader", version: "1.2", language: random.chance() ? "zh-TW" : "", words: words)
    return recording
  }

  private static func unique(_ ids: [Identifier]) -> [Identifier] {
    var seen = Set<Identifier>()
    return ids.filter { seen.insert($0).inserted }
  }

  @Test func `recognized words round-trip in pages and in chunks`() throws {
    var random = RandomInk(seed: 1)
    for _ in 0..<60 {
      let recording = Self.recording(&random)
      var options = PKDWriter.Options()
      options.allowsPage = random.chance()
      let bytes = try PKDWriter.encode(recording, options: options)
      let reader = try PKDReader(bytes)
      #expect(reader.isFinished && reader.damage == nil)
      let (value, damage) = reader.readRecording()
      #expect(damage == nil)
      #expect(value.events == recording.events)
      let (found, given) = (try #require(value.words), try #require(recording.words))
      #expect(found.text == given.text && found.language == given.language)
      for (a, b) in zip(found.words, given.words) {
        #expect(a.text == b.text && a.box == b.box && Set(a.strokes) == Set(b.strokes))
      }
      #expect(try PKDWriter.encode(value, options: options) == bytes)
      #expect(try PKDVerification(bytes).problems == [])
    }
  }

  @Test func `a recording without words has no chunk, and ink alone has none either`() throws {
    var random = RandomInk(seed: 2)
    var recording = Self.recording(&random)
    #expect(
      try PKDReader(PKDWriter.encode(recording, options: .init(inkOnly: true))).readWords() == nil)
    let with = try PKDWriter.encode(recording)
    recording.words = nil
    let without = try PKDWriter.encode(recording)
    #expect(without.count < with.count)
    #expect(try PKDReader(without).readWords() == nil)
    #expect(SizeBreakdown(try PKDReader(with)).parts[.words] ?? 0 > 10)
    #expect(SizeBreakdown(try PKDReader(without)).parts[.words] == nil)
  }

  @Test func `the Python reader agrees on words`() throws {
    var random = RandomInk(seed: 3)
    var files = SecondReader.Files()
    for _ in 0..<10 {
      // In a recording that was read, the strokes of words are in the order of records.
      let bytes = try PKDWriter.encode(Self.recording(&random))
      try files.add(PKDReader(bytes).readRecording().value, bytes: bytes)
    }
    try SecondReader.compare(files)
  }

  @Test func `a damaged chunk of words loses no ink`() throws {
    var random = RandomInk(seed: 4)
    let recording = Self.recording(&random)
    let bytes = try PKDWriter.encode(recording)
    let chunk = try #require(try PKDReader(bytes).chunks.last { $0.type == .words })
    for _ in 0..<3000 {
      var damaged = Array(bytes[chunk.payload])
      for _ in 0...random.whole(0...3) where !damaged.isEmpty {
        let place = random.whole(0...damaged.count - 1)
        switch random.whole(0...2) {
        case 0: damaged[place] = UInt8(random.whole(0...255))
        case 1: damaged.remove(at: place)
        default: damaged.insert(UInt8(random.whole(0...255)), at: place)
        }
      }
      var writer = ByteWriter()
      writer.append(bytes[..<chunk.offset])
      writer.chunk(.words, damaged)
      let reader = try PKDReader(writer.bytes)
      #expect(reader.damage == nil)
      let (value, damage) = reader.readRecording()
      #expect(value.events == recording.events)
      if damage != nil { #expect(value.words == nil) }
    }
  }

  @Test func `a repair keeps the words whose strokes are left`() throws {
    var random = RandomInk(seed: 5)
    let drawing = PKDrawing(
      strokes: (0..<40).map { _ in
        var stroke = random.stroke(pointCount: 0...1)
        stroke.path = random.path(pointCount: 60...90)
        return stroke
      })
    var recording = Recording(drawing)
    recording.words = RecognizedText(
      words: drawing.strokes.enumerated().map { number, stroke in
        RecognizedText.Word("w\(number)", box: .zero, strokes: [stroke.id])
      } + [RecognizedText.Word("unknown", box: .zero)])
    var bytes = try PKDWriter.encode(recording)
    let blocks = try PKDReader(bytes).chunks.filter { $0.type == .strokes }
    try #require(blocks.count > 2)
    bytes[blocks[1].payload.lowerBound + 9] ^= 1
    let verification = try PKDVerification(bytes)
    let repaired = try PKDReader(verification.repaired { _ in true }.bytes).readRecording().value
    let left = Set(repaired.drawing.strokes.map(\.id))
    #expect(left.count < 40 && !left.isEmpty)
    let words = try #require(repaired.words).words
    #expect(words.count == left.count + 1)
    #expect(words.allSatisfy { $0.strokes.allSatisfy(left.contains) })
    #expect(words.last?.text == "unknown")
  }

  @Test func `words that readers would refuse are not written`() throws {
    func problem(_ text: RecognizedText) -> PKDContentError.Reason? {
      do throws(PKDContentError) {
        _ = try PKDWriter.encode(Recording(words: text))
        return nil
      } catch {
        return error.reason
      }
    }
    let infinite = Rect(x: 0, y: 0, width: .infinity, height: 1)
    #expect(problem(RecognizedText(words: [.init("a", box: infinite)])) == .notFinite("word's box"))
    #expect(problem(RecognizedText(words: [.init("a", box: .null)])) == .notFinite("word's box"))
    let long = String(repeating: "a", count: 1 << 17)
    #expect(problem(RecognizedText(words: [.init(long, box: .zero)])) != nil)
    #expect(problem(RecognizedText(recognizer: long)) != nil)
  }
}
