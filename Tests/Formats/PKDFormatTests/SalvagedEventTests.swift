import Graphics
import Strokes
import TestSupport
import Testing

@testable import InkFiles
@testable import PKDFormat

struct SalvagedEventTests {
  @Test(arguments: 0..<4) func `strokes behind an eraser are not mistaken for lost ones`(
    _ seed: UInt64
  ) throws {
    var random = RandomInk(seed: seed)
    let before = random.drawing(strokeCount: 30...30, pointCount: 20...30).strokes
    let after = random.drawing(strokeCount: 60...60, pointCount: 20...30).strokes
    var recording = Recording(PKDrawing(strokes: before))
    // An eraser that meets no stroke still has its own path.
    let now = try #require(recording.events.last).time
    for _ in 0..<3 {
      recording.events.append(
        Recording.Event(
          time: now,
          action: .erased(
            PKEraserTool(.vector), along: random.path(pointCount: 8...8), changes: [])))
    }
    recording.events += Recording(PKDrawing(strokes: after)).events
    let bytes = try PKDWriter.encode(recording, options: .inChunks)
    let reader = try PKDReader(bytes)
    let all = reader.readDrawing().value.strokes
    #expect(all.count == 90)
    let blocks = reader.chunks.filter { $0.type == .strokes }
    try #require(blocks.count > 4)
    for block in blocks.suffix(3) {
      var damaged = bytes
      damaged[block.payload.lowerBound + 20] ^= 1
      let verification = try PKDVerification(damaged)
      let repaired = try PKDReader(try verification.repaired { _ in true }.bytes)
      let kept = repaired.readDrawing().value.strokes
      #expect(kept.count == verification.recoverable.strokes)
      #expect(kept.count >= 60 && kept.count < 90)
      #expect(kept.allSatisfy { all.contains($0) })
    }
  }
}
