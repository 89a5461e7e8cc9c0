@testable import InkFiles
import Graphics
import Strokes
import TestSupport
import Testing

@testable import ForeignInk

/// Event files, opened like other files.
struct EventFileTests {
  private static let header =
    #"{"format": "pentimento-events", "version": 1, "canvas": {"size": [80, 60]}}"#
  private static let stroke = [
    #"{"event": "begin", "time": 5, "points": [[1, 2], [3, 4]]}"#, #"{"event": "end"}"#,
  ]

  private static func file(_ lines: [String]) throws -> DrawingFile {
    try DrawingFile(Array(lines.joined(separator: "\n").utf8))
  }

  @Test func `an event file opens as a recording with its page`() throws {
    let file = try Self.file([Self.header] + Self.stroke + [#"{"event": "undo"}"#])
    #expect(file.format == .events && file.version == 1 && file.pageCount == 1)
    #expect(file.canvas.size == Size(width: 80, height: 60))
    #expect(file.recordingFacts == nil && file.damage.isEmpty && file.imported == nil)
    #expect(file.contents().recording.events.count == 3)
    #expect(file.strokes().strokes.isEmpty && file.strokes().strokes.isEmpty)
    let drawn = try Self.file([Self.header] + Self.stroke)
    #expect(drawn.strokes().strokes.first?.path.map(\.location.x) == [1, 3])
  }

  @Test func `a recording written as events is read back`() throws {
    var random = RandomInk(seed: 77)
    for _ in 0..<20 {
      var recording = Recording(
        random.drawing(strokeCount: 1...4), canvas: Recording.Canvas(metadata: ["title": "ä"]))
      let end = try #require(recording.events.last?.time)
      recording.events.append(Recording.Event(time: end + 1, action: .undone))
      let file = try DrawingFile(EventStreamWriter.encode(recording))
      let contents = file.contents()
      #expect(file.format == .events && contents.damage.isEmpty)
      let isSame = contents.recording == recording
      #expect(isSame && contents.drawing.strokes == recording.drawing.strokes)
      for format in [DrawingFile.Format.events, .pkd] {
        let bytes = try DrawingFile.encode([contents], as: format)
        let again = try DrawingFile(bytes).contents().recording
        let isSame = again == recording
        #expect(isSame, "\(format)")
      }
    }
  }

  @Test(arguments: 0..<40)
  func `a JSON drawing keeps its page, events and words`(seed: UInt64) throws {
    var random = RandomInk(seed: seed)
    var recording = random.recording()
    recording.canvas.metadata["paper"] = "grid"
    recording.canvas.metadata["title"] = "ä"
    recording.words = RecognizedText(
      recognizer: "r", version: "1", language: "de",
      words: [.init("Wort", box: Rect(x: 1, y: -2, width: 3.3, height: 4), strokes: [.zero])])
    let page = InkContents(recording)
    let text = try DrawingFile.encode([page], as: .json)
    let file = try DrawingFile(text)
    #expect(file.format == .json && file.canvas == recording.canvas)
    let contents = file.contents()
    #expect(contents.damage.isEmpty)
    // Compared outside of `#expect`, because whole strokes would fill the log.
    let (events, expected) = (contents.recording.events, recording.events)
    let different = zip(events, expected).first { $0 != $1 }.map { $0.1.action.name }
    #expect(different == nil && events.count == expected.count, "\(different ?? "")")
    #expect(contents.recording.words == recording.words)
    let isSame = contents.drawing == recording.drawing
    #expect(isSame)
    #expect(try DrawingFile.encode([contents], as: .json) == text)
  }

  @Test func `a JSON drawing without a history has no events, and a recorded one its points once`()
    throws
  {
    var random = RandomInk(seed: 5)
    let drawing = random.plainDrawing(strokeCount: 4...4)
    let plain = Recording(drawing, canvas: Recording.Canvas(size: Size(width: 90, height: 50)))
    func text(_ recording: Recording) throws -> String {
      String(
        decoding: try DrawingFile.encode(
          [InkContents(recording)], as: .json),
        as: UTF8.self)
    }
    let short = try text(plain)
    #expect(short.contains("\"size\"") && !short.contains("\"events\""))
    var changed = plain
    changed.events[1].time = changed.events[1].time + 1
    for index in changed.events.indices.dropFirst(2) {
      changed.events[index].time = changed.events[index].time + 1
    }
    let long = try text(changed)
    #expect(long.contains("\"events\"") && long.contains("\"pointsOf\""))
    #expect(long.utf8.count < 2 * short.utf8.count)
    #expect(try DrawingFile(Array(long.utf8)).contents().recording.events == changed.events)
  }

  @Test func `JSON whose events do not lead to its strokes is refused`() throws {
    let event =
      #"{"event": "begin", "id": "00000000-0000-0000-0000-000000000001", "time": 5, "points": [[1, 2]]}"#
    let stroke =
      #"{"id": "00000000-0000-0000-0000-000000000001", "date": 5, "points": [{"x": 1, "y": 2}]}"#
    func open(_ events: String) throws -> DrawingFile {
      try DrawingFile(
        Array(
          #"{"format": "pentimento-drawing", "events": [\#(events)], "strokes": [\#(stroke)]}"#.utf8
        ))
    }
    #expect(try open(event).contents().recording.events.count == 1)
    #expect(throws: DrawingFileError.self) { try open(event + #", {"event": "clear"}"#) }
    #expect(throws: DrawingFileError.self) { try open(event + #", {"event": "jump"}"#) }
    #expect(throws: DrawingFileError.self) { try open("7") }
  }

  @Test func `an invalid line of an event file loses no other line`() throws {
    let file = try Self.file(
      [Self.header, #"{"event": "jump"}"#] + Self.stroke + ["{", #"{"event": "end"}"#])
    #expect(file.strokes().strokes.count == 1)
    #expect(
      file.damage.first == .events(EventStreamError(reason: .unknownEvent("jump"), line: 2)))
    #expect(file.damage.count == 3 && file.contents().damage.count == 3)
    let many = try Self.file([Self.header] + Array(repeating: "x", count: 300))
    #expect(many.damage.count == 100)
  }

  @Test func `event text without a header, or of a newer version, is refused`() {
    #expect(
      throws: DrawingFileError.events(EventStreamError(reason: .noHeader, line: 1))
    ) { try DrawingFile(Array("{}".utf8), as: .events) }
    #expect(
      throws: DrawingFileError.events(EventStreamError(reason: .noHeader, line: 1))
    ) { try DrawingFile([], as: .events) }
    #expect(
      throws: DrawingFileError.events(EventStreamError(reason: .newerVersion(2), line: 1))
    ) { try Self.file([#"{"format": "pentimento-events", "version": 2}"#]) }
  }

  @Test func `the ending of a file's name gives the format to write`() {
    #expect(DrawingFile.Format(fileName: "a.jsonl") == .events)
    #expect(DrawingFile.Format(fileName: "a.ndjson") == .quickDraw)
    #expect(DrawingFile.Format(fileName: "a.bin") == nil)
    #expect(DrawingFile.Format.allCases.filter(\.isWritten).contains(.quickDraw))
  }

  @Test func `damaged event files are refused or read in part`() {
    let text = Array(([Self.header] + Self.stroke).joined(separator: "\n").utf8)
    var mutation = Mutation(seed: 4)
    for round in 0..<3_000 {
      let damaged = round < text.count ? Array(text[..<round]) : mutation.mutated(text)
      do throws(DrawingFileError) {
        #expect(try DrawingFile(damaged, as: .events).contents().damage.count <= 100)
      } catch {
        #expect("\(error)".hasPrefix("damaged events: line 1"))
      }
    }
  }
}
