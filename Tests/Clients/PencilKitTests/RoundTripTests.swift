import Foundation
import PencilKit
import Testing

/// Saved drawings are read back unchanged.
struct RoundTripTests {
  private static func check(_ drawing: PKDrawing, _ name: String) throws {
    let data = drawing.dataRepresentation()
    let read = try PKDrawing(data: data)
    #expect(read == drawing, "\(name)")
    #expect(read.dataRepresentation() == data, "\(name)")
    #expect(read.strokes.map(\.id) == drawing.strokes.map(\.id), "\(name)")
    #expect(read.strokes.map(\.path.count) == drawing.strokes.map(\.path.count), "\(name)")
    #expect(read.strokes.map(\.path.id) == drawing.strokes.map(\.path.id), "\(name)")
    #expect(read.strokes.map(\.renderState) == drawing.strokes.map(\.renderState), "\(name)")
    #expect(read.strokes.map(\.mask) == drawing.strokes.map(\.mask), "\(name)")
    #expect(read.strokes.map(\.ink.color) == drawing.strokes.map(\.ink.color), "\(name)")
    #expect(read.requiredContentVersion == drawing.requiredContentVersion, "\(name)")
    #expect(Set(read.strokes.map(\.id)).count == read.strokes.count, "\(name)")
  }

  @Test(arguments: 0..<60)
  func `random drawings and their later changes round-trip`(_ seed: UInt64) throws {
    var random = RandomDrawings(seed: seed)
    var drawing = random.drawing()
    for round in 0..<3 {
      try Self.check(drawing, "seed \(seed), round \(round)")
      drawing = try PKDrawing(data: drawing.dataRepresentation())
      for _ in 0..<2 { random.change(&drawing) }
    }
  }

  @Test(arguments: 1000..<1060)
  func `drawings with extreme values round-trip`(_ seed: UInt64) throws {
    var random = RandomDrawings(seed: seed, strangeness: 12)
    try Self.check(random.drawing(atMost: 4), "seed \(seed)")
  }

  @Test func `a saved drawing looks as before`() throws {
    for seed in 0..<12 as Range<UInt64> {
      var random = RandomDrawings(seed: 500 + seed)
      let drawing = random.drawing(atMost: 4)
      let read = try PKDrawing(data: drawing.dataRepresentation())
      let frame = CGRect(x: 0, y: 0, width: 600, height: 600)
      #expect(
        read.image(from: frame, scale: 0.5).pngData()
          == drawing.image(from: frame, scale: 0.5).pngData(), "seed \(seed)")
      #expect(read.bounds == drawing.bounds, "seed \(seed)")
    }
  }

  @Test func `an unknown ink is saved with its identifier`() throws {
    let data = PKDrawing(strokes: [line(), wave()]).dataRepresentation()
    let known = Data("com.apple.ink.pencil".utf8)
    let unknown = Data("com.apple.ink.quill!".utf8)
    var changed = data
    changed.replaceSubrange(try #require(changed.range(of: known)), with: unknown)
    var drawing = try PKDrawing(data: changed)
    #expect(drawing.strokes.map(\.ink.inkType) == [.pen, .pen])
    #expect(drawing.dataRepresentation() == changed)
    #expect(drawing.requiredContentVersion.rawValue >= 4)
    // For this ink, another colour makes no other ink, but another kind does.
    drawing.strokes[1].ink.color = .green
    #expect(drawing.dataRepresentation().range(of: unknown) != nil)
    let copy = PKDrawing(strokes: drawing.strokes)
    #expect(copy.dataRepresentation().range(of: unknown) != nil)
    drawing.strokes[1].ink.inkType = .pencil
    #expect(PKDrawing(strokes: drawing.strokes).dataRepresentation().range(of: unknown) == nil)
  }

  @Test func `repeated identifiers are renamed, and the first keeps its own`() {
    let stroke = line()
    let drawing = PKDrawing(strokes: [stroke, stroke, stroke])
    #expect(drawing.strokes[0].id == stroke.id && Set(drawing.strokes.map(\.id)).count == 3)
    var other = PKDrawing()
    other.strokes = [stroke, stroke]
    other.strokes.append(stroke)
    other.strokes[1].id = stroke.id
    #expect(other.strokes[0].id == stroke.id && Set(other.strokes.map(\.id)).count == 3)
    let both = drawing.appending(other)
    #expect(Set(both.strokes.map(\.id)).count == 6)
    #expect(both.strokes.prefix(3).map(\.id) == drawing.strokes.map(\.id))
  }
}
