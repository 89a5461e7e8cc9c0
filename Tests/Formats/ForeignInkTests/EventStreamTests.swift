import InkFiles
import Graphics
import PencilKitArchive
import Strokes
import TestSupport
import Testing

@testable import ForeignInk

struct EventStreamTests {
  /// A recording with every kind of event.
  private static func recording(seed: UInt64) -> Recording {
    var random = RandomInk(seed: seed)
    var recording = Recording(
      canvas: Recording.Canvas(
        size: Size(width: 640, height: 480), background: random.wideColor(),
        metadata: ["title": "a \"page\"\n", "": "ä"]))
    var now = Timestamp(secondsSinceReferenceDate: random.number(0...9e8))
    func add(_ action: Recording.Action) {
      now = now + random.number(0...1)
      recording.events.append(Recording.Event(time: now, action: action))
    }
    for _ in 0..<3 {
      add(.toolChanged(.inking(PKInkingTool(ink: random.ink()))))
      let stroke = random.stroke(pointCount: 0...12)
      add(.strokeBegun(stroke))
      for _ in 0..<random.whole(0...3) {
        add(.strokeExtended(stroke.id, by: random.path(pointCount: 0...8)))
      }
      add(.strokeEnded(stroke.id))
    }
    recording.erase(along: random.path(pointCount: 2...3), with: PKEraserTool(.bitmap), at: now)
    recording.erase(along: random.path(pointCount: 2...3), with: PKEraserTool(.vector), at: now)
    add(.toolChanged(.lasso))
    add(.toolChanged(.eraser(PKEraserTool(.fixedWidthBitmap, width: 7))))
    add(.moved(recording.drawing.strokes.map(\.id), by: random.transform()))
    for action in [Recording.Action.undone, .redone, .cleared, .undone] { add(action) }
    return recording
  }

  private static func text(_ recording: Recording) -> [UInt8] {
    var writer = EventStreamWriter()
    return recording.events.reduce(EventStreamWriter.header(recording.canvas)) {
      $0 + writer.line($1)
    }
  }

  private static func read(_ bytes: [UInt8], pieces: Int = 1 << 20) throws -> Recording {
    var reader = EventStreamReader()
    var events: [Recording.Event] = []
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      reader.append(bytes[start..<min(start + pieces, bytes.count)])
      while let event = try reader.next() { events.append(event) }
    }
    reader.end()
    while let event = try reader.next() { events.append(event) }
    return Recording(canvas: try #require(reader.canvas), events: events)
  }

  private static func error(_ lines: String...) -> EventStreamError? {
    do {
      _ = try read(Array(lines.joined(separator: "\n").utf8))
      return nil
    } catch {
      return error as? EventStreamError
    }
  }

  private static let header = #"{"format": "pentimento-events", "version": 1}"#

  @Test(arguments: 0..<12) func `a recording round-trips through events`(_ seed: UInt64) throws {
    let recording = Self.recording(seed: seed)
    let again = try Self.read(Self.text(recording))
    #expect(again == recording)
    #expect(again.drawing == recording.drawing)
  }

  @Test(arguments: 0..<30)
  func `an event stream keeps erased strokes and their stored points`(
    _ seed: UInt64
  ) throws {
    var random = RandomInk(seed: seed)
    let drawing = random.erasedDrawing()
    let again = try Self.read(Self.text(Recording(drawing))).drawing
    #expect(again == drawing)
    #expect(
      JSONDrawingWriter.encode(again)
        == JSONDrawingWriter.encode(PKDrawing(strokes: drawing.strokes)))
  }

  @Test func `an event stream may arrive in pieces of any size`() throws {
    let recording = Self.recording(seed: 5)
    let bytes = Self.text(recording)
    for size in [1, 7, 100, 4096] { #expect(try Self.read(bytes, pieces: size) == recording) }
  }

  @Test func `an event is read as soon as its line is complete`() throws {
    var reader = EventStreamReader()
    reader.append((Self.header + "\n" + #"{"event": "undo", "time": 1}"#).utf8)
    #expect(try reader.next() == nil)
    reader.append("\n".utf8)
    #expect(try reader.next()?.action == .undone)
    #expect(reader.lineCount == 2)
  }

  @Test func `fields that a line leaves out follow from the lines before`() throws {
    let lines = [
      Self.header, #"{"event": "begin", "time": 100}"#,
      #"{"event": "points", "points": [[1, 2, 0], [3, 4, 0.5, 6]]}"#, #"{"event": "end"}"#,
      #"{"event": "erase", "eraser": {"type": "vector"}, "points": [[1, 2], [3, 4]]}"#,
    ]
    let recording = try Self.read(Array(lines.joined(separator: "\n").utf8))
    #expect(recording.events.map(\.time.secondsSinceReferenceDate) == [100, 100.5, 100.5, 100.5])
    let drawn = recording.drawing(after: 3)
    #expect(drawn.strokes.map(\.path.count) == [2])
    #expect(drawn.strokes[0].path[1].size == Size(width: 6, height: 6))
    #expect(recording.drawing.strokes.isEmpty)
  }

  @Test func `an error says which line is wrong and why`() {
    let begin = #"{"event": "begin", "time": 0}"#
    let cases: [(EventStreamError?, line: Int, String)] = [
      (Self.error(), 1, "the first line must be"),
      (Self.error("{}"), 1, "the first line must be"),
      (Self.error(#"{"format": "pentimento-events", "version": 9}"#), 1, "version 9"),
      (Self.error(Self.header, "", "{"), 3, "at column 2"),
      (Self.error(Self.header, "{}"), 2, "the key 'event' is missing"),
      (Self.error(Self.header, #"{"event": "begin"}"#), 2, "the key 'time' is missing"),
      (Self.error(Self.header, #"{"event": "jump", "time": 0}"#), 2, "'jump' is not known"),
      (Self.error(Self.header, #"{"event": "end", "time": 0}"#), 2, "no stroke has begun"),
      (Self.error(Self.header, begin, #"{"event": "points"}"#), 3, "'points' is missing"),
      (
        Self.error(Self.header, begin, #"{"event": "points", "points": [[1]]}"#), 3,
        "a point has no x or no y at column 32"
      ),
      (
        Self.error(
          Self.header, begin,
          #"{"event": "points", "points": [[\#(String(repeating: "1, ", count: 15))1]]}"#),
        3, "a point has too many numbers"
      ),
      (
        Self.error(
          Self.header, begin,
          #"{"event": "end", "id": "00000000-0000-0000-0000-000000000001"}"#), 3,
        "there is no stroke"
      ),
    ]
    for (error, line, text) in cases {
      #expect(
        error?.line == line && error?.description.contains(text) == true,
        "\(text): \(String(describing: error))")
    }
  }

  @Test(
    arguments: [
      (#"{"event": "erase", "time": 0, "points": []}"#, "the key 'eraser' is missing"),
      (#"{"event": "erase", "eraser": {"type": "vector"}, "points": []}"#, "the key 'time'"),
      (#"{"event": "erase", "time": 0, "eraser": {"type": "sponge"}, "points": []}"#, "eraser"),
      (#"{"event": "erase", "time": 0, "eraser": {"kind": "ink"}, "points": []}"#, "'eraser'"),
      (#"{"event": "erase", "time": 0, "eraser": {}, "points": [], "changes": [{}]}"#, "no id"),
      (#"{"event": "move", "time": 0}"#, "the key 'ids' is missing"),
      (#"{"event": "move", "time": 0, "ids": []}"#, "the key 'transform' is missing"),
      (#"{"event": "tool", "time": 0}"#, "the key 'tool' is missing"),
      (#"{"event": "tool", "time": 0, "tool": {"kind": "glue"}}"#, "the kind of a tool"),
      (#"{"event": "undo"}"#, "the key 'time' is missing"),
      (
        #"{"event": "begin", "time": 0, "pointsOf": "00000000-0000-0000-0000-000000000001"}"#,
        "there is no stroke"
      ),
    ])
  func `an event that lacks what it needs is refused`(_ line: String, _ text: String) throws {
    let error = try #require(Self.error(Self.header, line))
    #expect(error.line == 2 && error.description.contains(text), "\(error)")
  }

  @Test(
    arguments: [
      (#"{"size": [-1, 5]}"#, "a page's sides"), (#"{"size": [5, 1e9]}"#, "a page's sides"),
      (#"{"metadata": {"k": "\#(String(repeating: "x", count: 1 << 21))"}}"#, "too long"),
    ])
  func `a page that cannot be stored is refused`(_ canvas: String, _ text: String) throws {
    let error = try #require(
      Self.error(#"{"format": "pentimento-events", "version": 1, "canvas": \#(canvas)}"#))
    #expect(error.line == 1 && error.description.contains(text), "\(error)")
  }

  @Test func `an event stream skips keys of later versions`() throws {
    let header =
      #"{"new": 1, "format": "pentimento-events", "version": 1, "canvas": {"new": [], "#
      + #""background": {"new": {}, "color": [1, 0, 0, 1]}}}"#
    let lines = [
      header, #"{"event": "tool", "time": 1, "tool": {"kind": "ink", "new": 3}}"#,
      #"{"event": "tool", "time": 1, "tool": {"kind": "eraser"}}"#,
      #"{"event": "erase", "eraser": {}, "points": [], "changes": [{"new": 1, "id": "#
        + #""00000000-0000-0000-0000-000000000001", "strokes": []}]}"#,
    ]
    let recording = try Self.read(Array(lines.joined(separator: "\n").utf8))
    #expect(recording.canvas.background == Color(red: 1, green: 0, blue: 0))
    #expect(recording.events.count == 3)
    guard case .toolChanged(.inking(let tool)) = recording.events[0].action else {
      Issue.record("no tool")
      return
    }
    #expect(tool.inkType == .pen)
  }

  @Test func `reading an event stream continues after an invalid line`() throws {
    var reader = EventStreamReader()
    reader.append((Self.header + "\nnonsense\n" + #"{"event": "clear", "time": 3}"# + "\n").utf8)
    #expect(throws: EventStreamError.self) { try reader.next() }
    #expect(try reader.next()?.action == .cleared)
  }

  @Test func `a damaged event stream ends in an error or a recording`() throws {
    let bytes = Self.text(Self.recording(seed: 9))
    var mutation = Mutation(seed: 4)
    for _ in 0..<300 { _ = try? Self.read(mutation.mutated(bytes)) }
  }
}
