import Graphics
import PencilKitArchive
import Strokes
import TestSupport
import Testing

@testable import PKDFormat

struct RoundTripTests {
  @Test(arguments: 0..<40) func `a random drawing round-trips in a file`(_ seed: UInt64) throws {
    var random = RandomInk(seed: seed)
    let drawing = random.drawing()
    let reader = try PKDReader(try PKDWriter.encode(drawing))
    #expect(reader.readDrawing().value == drawing)
    #expect(reader.wholeDamage == nil)
    #expect(reader.isFinished)
  }

  @Test(arguments: 0..<40)
  func `a drawing with erased strokes round-trips in a file`(_ seed: UInt64) throws {
    var random = RandomInk(seed: seed)
    let drawing = random.erasedDrawing()
    let bytes = try PKDWriter.encode(drawing)
    let again = try PKDReader(bytes).readDrawing().value
    #expect(again == drawing)
    #expect(try PKDWriter.encode(again) == bytes)
  }

  @Test(.enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
  func `every real archive round-trips in a file byte for byte`() throws {
    for name in Corpus.names(in: "pkdrawing", suffix: ".drawing") {
      let drawing = try PKDrawing(data: Corpus.bytes("pkdrawing/" + name))
      let again = try PKDReader(try PKDWriter.encode(drawing)).readDrawing().value
      #expect(again == drawing)
      #expect(again.dataRepresentation() == drawing.dataRepresentation(), "\(name)")
    }
  }

  @Test func `events that replace a stroke by two add one stroke each time`() throws {
    let start = Timestamp.referenceDate
    let stroke = PKStroke(ink: PKInk(.pen), path: PKStrokePath(), id: Identifier(high: 1, low: 1))
    var recording = Recording(events: [.init(time: start, action: .strokeBegun(stroke))])
    for _ in 0..<40 {
      let change = StrokeChange(strokeID: stroke.id, replacements: [stroke, stroke])
      recording.events.append(
        .init(
          time: start,
          action: .erased(PKEraserTool(.bitmap), along: PKStrokePath(), changes: [change])))
    }
    let reader = try PKDReader(try PKDWriter.encode(recording))
    #expect(reader.readDrawing().value.strokes.count == 41)
  }

  @Test(arguments: 0..<20)
  func `storing ink only loses nothing but identifiers`(_ seed: UInt64) throws {
    var random = RandomInk(seed: seed)
    let drawing = random.drawing()
    let again = try PKDReader(try PKDWriter.encode(drawing, options: .init(inkOnly: true)))
      .readDrawing().value
    #expect(again.strokes.count == drawing.strokes.count)
    for (a, b) in zip(again.strokes, drawing.strokes) {
      #expect(a.path == b.path && a.ink == b.ink && a.mask == b.mask)
      #expect(a.transform == b.transform && a.randomSeed == b.randomSeed)
    }
  }
}
