import Strokes
import TestSupport
import Testing

@testable import PKDFormat

struct ScriptTests {
  @Test func `the script of a file agrees with that of its recording`() throws {
    var random = RandomInk(seed: 51)
    for number in 0..<400 {
      let recording =
        number % 3 == 0
        ? Recording(PKDrawing(strokes: (0..<5).map { _ in random.stroke() }))
        : random.recording(eventCount: 0...24)
      guard let bytes = try? PKDWriter.encode(recording) else { continue }
      let reader = try PKDReader(bytes)
      let (script, expected) = (reader.script, RecordedStrokes(reader.readRecording().value).script)
      #expect(script.events.map(\.action) == expected.events.map(\.action))
      for (index, (event, other)) in zip(script.events, expected.events).enumerated() {
        // Durations are stored to a millisecond, and later events may depend on several of them.
        let distance = (event.time - other.time).magnitude
        #expect(
          distance <= 0.001 * Double(index + 1) || !(distance <= 1e9),
          "\(event.time) is not \(other.time)")
      }
      for number in 0..<reader.strokeCount {
        let stroke = try reader.stroke(at: number)
        #expect(reader.id(ofStroke: number) == stroke.id)
        #expect(reader.parentID(ofStroke: number) == stroke.parentID)
      }
    }
  }

  @Test func `the script of a cut file refers only to strokes that are left`() throws {
    var random = RandomInk(seed: 52)
    for _ in 0..<12 {
      let bytes = try PKDWriter.encode(random.recording(eventCount: 8...20))
      for end in stride(from: 40, to: bytes.count, by: 7) {
        guard let reader = try? PKDReader(Array(bytes[..<end])) else { continue }
        for event in reader.script.events {
          if case .strokeBegun(let number) = event.action { #expect(number < reader.strokeCount) }
        }
      }
    }
  }
}
