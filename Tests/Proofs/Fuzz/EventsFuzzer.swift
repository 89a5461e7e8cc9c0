import InkFiles
import ForeignInk
import Strokes

@testable import PKDFormat

/// Events as lines of text: reading, writing and reading again gives equal recordings, also through
/// a `.pkd` file.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = bytes(data, count)
  let (recording, error) = EventText.recording(input)
  let lineLimit = 1 + input.count { $0 == UInt8(ascii: "\n") } + 1
  if let error, !(1...lineLimit).contains(error.line) {
    violated("an error in line \(error.line) of \(lineLimit)")
  }
  guard let recording else { return 0 }
  let (again, fault) = EventText.recording(EventText.text(recording))
  if let fault { violated("events that were written cannot be read: \(fault)") }
  if again != recording { violated("events change when they are written") }
  if let violation = RecordingProperties.roundTripViolation(recording) { violated(violation) }
  return 0
}

/// Mutates lines, the values in a line, or bytes.
@_cdecl("LLVMFuzzerCustomMutator")
public func customMutator(
  _ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int, _ seed: CUnsignedInt
) -> Int {
  mutate(data, count, maximum: maximum, seed: seed) { input, random in
    var text = EventText(input)
    for _ in 0...random.below(4) { text.mutate(&random) }
    return text.bytes
  }
}

/// Lines of events, valid or not.
private struct EventText {
  private var lines: [[UInt8]]

  init(_ bytes: [UInt8]) {
    lines = bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
  }

  var bytes: [UInt8] { lines.flatMap { $0 + [UInt8(ascii: "\n")] } }

  /// The recording of a text, without unreadable lines, and the first error; no recording if the
  /// first line is invalid. The reader gets the text in two parts, as from a pipe.
  static func recording(_ text: [UInt8]) -> (Recording?, EventStreamError?) {
    var reader = EventStreamReader()
    var events: [Recording.Event] = []
    var first: EventStreamError?
    for part in [text[..<(text.count / 2)], text[(text.count / 2)...]] {
      reader.append(part)
      if part.endIndex == text.count { reader.end() }
      var isDone = false
      while !isDone {
        let lineCount = reader.lineCount
        do throws(EventStreamError) {
          if let event = try reader.next() { events.append(event) } else { isDone = true }
        } catch {
          first = first ?? error
          // An error that does not belong to a line is thrown by every call.
          isDone = reader.lineCount == lineCount
        }
      }
    }
    return (reader.canvas.map { Recording(canvas: $0, events: events) }, first)
  }

  /// The lines of a recording.
  static func text(_ recording: Recording) -> [UInt8] {
    var writer = EventStreamWriter()
    return EventStreamWriter.header(recording.canvas)
      + recording.events.flatMap { writer.line($0) }
  }

  mutating func mutate(_ random: inout Randomness) {
    guard !lines.isEmpty else {
      lines = [Array(#"{"format": "pentimento-events", "version": 1}"#.utf8)]
      return
    }
    let index = random.below(lines.count)
    switch random.below(12) {
    case 0: lines.remove(at: index)
    case 1: lines.insert(lines[index], at: random.below(lines.count + 1))
    case 2: lines.swapAt(index, random.below(lines.count))
    case 3, 4: lines.insert(Self.event(&random), at: random.below(lines.count + 1))
    case 5: addKey(&random, at: index)
    default:
      var line = JSONTokens(lines[index])
      line.mutate(&random)
      lines[index] = line.bytes
    }
  }

  private mutating func addKey(_ random: inout Randomness, at index: Int) {
    guard let brace = lines[index].firstIndex(of: UInt8(ascii: "{")) else { return }
    lines[index].insert(contentsOf: Array("\(Self.key(&random)),".utf8), at: brace + 1)
  }

  // MARK: - Events that are usually valid

  private static func event(_ random: inout Randomness) -> [UInt8] {
    let kind = random.pick([
      "begin", "points", "end", "erase", "undo", "redo", "move", "clear", "tool",
    ])
    var keys = ["\"event\":\"\(kind)\""]
    switch kind {
    case "begin", "points": keys.append("\"points\":\(points(&random))")
    case "erase":
      keys += ["\"eraser\":{\"type\":\"\(random.pick(erasers))\",\"width\":\(number(&random))}"]
      keys += ["\"points\":\(points(&random))"]
    case "move":
      keys += ["\"ids\":[\"\(id(&random))\"]", "\"transform\":[1,0,0,1,\(number(&random)),0]"]
    case "tool": keys.append("\"tool\":\(tool(&random))")
    default: break
    }
    for _ in 0..<random.below(3) { keys.append(key(&random)) }
    return Array("{\(keys.joined(separator: ","))}".utf8)
  }

  private static let erasers = ["vector", "bitmap", "fixedWidthBitmap"]

  /// One of a few identifiers, so that several events refer to the same stroke.
  private static func id(_ random: inout Randomness) -> String {
    "0000000\(random.below(4))-0000-0000-0000-000000000000"
  }

  private static func number(_ random: inout Randomness) -> String {
    random.pick([
      "0", "-0.0", "1", "4", "12.5", "100", "-7", "1e-9", "1e9", "3e38", "1e300", "800000000.25",
      "\(random.below(300))",
    ])
  }

  private static func points(_ random: inout Randomness) -> String {
    let points = (0..<random.below(4)).map { number -> String in
      let time = random.oneIn(4) ? self.number(&random) : "0.0\(number)"
      return "[\(random.below(200)),\(random.below(200)),\(time)"
        + (random.oneIn(2) ? "]" : ",4,4,1,0.5,0,1]")
    }
    return "[\(points.joined(separator: ","))]"
  }

  private static func tool(_ random: inout Randomness) -> String {
    switch random.below(3) {
    case 0: #"{"kind":"ink","type":"marker","color":[0,1,0],"width":\#(number(&random))}"#
    case 1:
      #"{"kind":"eraser","type":"\#(random.pick(erasers))","width":\#(number(&random))}"#
    default: #"{"kind":"lasso"}"#
    }
  }

  private static func key(_ random: inout Randomness) -> String {
    switch random.below(12) {
    case 0, 1: "\"id\":\"\(id(&random))\""
    case 2, 3: "\"time\":\(number(&random))"
    case 4: "\"date\":\(number(&random))"
    case 5: "\"pieceOf\":\"\(id(&random))\""
    case 6: "\"group\":\"\(id(&random))\""
    case 7: "\"pointsOf\":\"\(id(&random))\""
    case 8:
      "\"changes\":[{\"id\":\"\(id(&random))\",\"strokes\":[{\"id\":\"\(id(&random))\","
        + "\"pieceOf\":\"\(id(&random))\",\"points\":\(points(&random))}]}]"
    case 9: #""maskPath":"M 0 0 L 90 0 L 90 90 Z""#
    case 10: "\"part\":[\(random.below(3)),\(number(&random))]"
    default: #""canvas":{"size":[\#(number(&random)),9],"metadata":{"title":"a"}}"#
    }
  }
}
