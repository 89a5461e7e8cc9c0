import Graphics
import Strokes
import TestSupport
import Testing

@testable import PencilKitArchive

/// The values that archives store in private fields of this package.
struct PrivateFieldTests {
  private static func line(_ change: (inout PKStrokePoint, Int) -> Void = { _, _ in }) -> PKStroke {
    let points = (0..<10).map { index in
      var point = PKStrokePoint(
        location: Point(x: Double(20 * index), y: 100), timeOffset: Double(index) / 100,
        size: Size(width: 6, height: 6), opacity: 1, force: 1, azimuth: 0, altitude: 1)
      change(&point, index)
      return point
    }
    return PKStroke(
      ink: PKInk(.crayon), path: PKStrokePath(controlPoints: points), randomSeed: 3,
      id: Identifier(high: 5, low: 6))
  }

  private static func read(_ stroke: PKStroke) throws -> PKStroke {
    let archive = PKDrawing(strokes: [stroke]).dataRepresentation()
    let drawing = try PencilKitReader(archive, identifyingPaths: true).drawing
    #expect(drawing.dataRepresentation() == archive)
    return try #require(drawing.strokes.first)
  }

  @Test func `a drawing without private values has no private fields`() throws {
    let archive = PKDrawing(strokes: [Self.line()]).dataRepresentation()
    #expect(PrivateFields.without(archive) == archive)
  }

  @Test func `lateral jitter round-trips, constant or for each point`() throws {
    let same = Self.line { point, _ in point.lateralJitter = 0.5 }
    let changing = Self.line { point, index in point.lateralJitter = Double(index) / 8 }
    for stroke in [same, changing] {
      let read = try Self.read(stroke)
      #expect(read == stroke)
      #expect(read.path.map(\.lateralJitter) == stroke.path.map(\.lateralJitter))
    }
  }

  @Test func `removed jitter is removed from the archive`() throws {
    var drawing = try PKDrawing(
      data: PKDrawing(strokes: [Self.line { point, _ in point.lateralJitter = 0.5 }])
        .dataRepresentation())
    drawing.strokes[0].path = Self.line().path
    let read = try PKDrawing(data: drawing.dataRepresentation())
    #expect(read == drawing && read.strokes[0].path[0].lateralJitter == 1)
  }

  @Test(arguments: [0.0...4.25, 2.5...2.5, 3...9, 0...9])
  func `a part of a stroke is read as that part`(_ range: ClosedRange<Double>) throws {
    let part = Self.line().substroke(range: range)
    let read = try Self.read(part)
    #expect(read == part)
    #expect(read.mask == nil && read.visiblePathRange == range)
  }

  @Test func `a part of a masked stroke keeps its range and its mask`() throws {
    var part = Self.line().substroke(range: 1.5...6)
    part.mask = Path(Rect(x: 40, y: 90, width: 50, height: 8))
    let read = try Self.read(part)
    #expect(read == part)
    let others = try PKDrawing(
      data: PrivateFields.without(PKDrawing(strokes: [part]).dataRepresentation()))
    let mask = try #require(others.strokes.first?.mask)
    #expect(mask.contains(Point(x: 60, y: 95)) && !mask.contains(Point(x: 60, y: 102)))
  }

  @Test func `the state for rendering survives until it is removed`() throws {
    var stroke = Self.line()
    for state in [
      StrokeRenderState.state(grainOffset: nil), .state(grainOffset: Point(x: 1.25, y: -7)),
    ] {
      stroke.renderState = state
      #expect(try Self.read(stroke).renderState == state)
    }
    var drawing = try PKDrawing(data: PKDrawing(strokes: [stroke]).dataRepresentation())
    let archive = drawing.dataRepresentation()
    // A source without knowledge of the state does not remove it.
    drawing.strokes[0].renderState = .unstated
    #expect(drawing.dataRepresentation() == archive)
    drawing.strokes[0].renderState = .absent
    let read = try PKDrawing(data: drawing.dataRepresentation())
    #expect(read == drawing && read.strokes[0].renderState == .absent)
  }

  @Test func `pieces of one stroke with different states become two records`() throws {
    var drawing = PKDrawing(strokes: [Self.line()])
    drawing.erase(Path(Rect(x: 90, y: 0, width: 20, height: 200)))
    #expect(drawing.strokes.count == 2)
    drawing.strokes[1].renderState = .state(grainOffset: .zero)
    let archive = drawing.dataRepresentation()
    let read = try PKDrawing(data: archive)
    #expect(read == drawing)
    #expect(read.dataRepresentation() == archive)
  }

  @Test func `a piece without a render state does not get that of another piece`() throws {
    var drawing = PKDrawing(strokes: [Self.line()])
    drawing.erase(Path(Rect(x: 90, y: 0, width: 20, height: 200)))
    drawing.strokes[0].renderState = .state(grainOffset: .zero)
    drawing = try PKDrawing(data: drawing.dataRepresentation())
    drawing.strokes.removeFirst()
    let read = try PKDrawing(data: drawing.dataRepresentation())
    #expect(read == drawing && read.strokes[0].renderState == .absent)
  }

  @Test func `a path keeps its identifier`() throws {
    var stroke = Self.line()
    #expect(try Self.read(stroke).path.identifier == stroke.id.derived("path"))
    stroke.path = stroke.path.identified(by: Identifier(high: 8, low: 9))
    #expect(try Self.read(stroke).path.identifier == Identifier(high: 8, low: 9))
    var drawing = try PKDrawing(data: PKDrawing(strokes: [stroke]).dataRepresentation())
    drawing.strokes[0].path = stroke.path.identified(by: Identifier(high: 1, low: 2))
    let archive = drawing.dataRepresentation()
    let read = try PencilKitReader(archive, identifyingPaths: true).drawing
    #expect(read.strokes[0].path.identifier == Identifier(high: 1, low: 2))
    // Most callers do not read it, but write it again.
    let plain = try PKDrawing(data: archive)
    #expect(plain.strokes[0].path.identifier == nil && plain.dataRepresentation() == archive)
  }

  @Test func `jitter of a wrong size, or that is no number, is refused`() throws {
    let stroke = Self.line { point, index in point.lateralJitter = Double(index) }
    let archive = PKDrawing(strokes: [stroke]).dataRepresentation()
    var jitter = WireWriter()
    jitter.field(
      PathField.lateralJitter,
      bytes: (0..<10).flatMap { index in
        (0..<4).map { UInt8(truncatingIfNeeded: Float(index).bitPattern >> (8 * $0)) }
      })
    let start = try #require(archive.firstRange(of: jitter.bytes)?.lowerBound)
    var cut = archive
    // A length of 40 bytes becomes 36, and the rest an unknown field without meaning.
    cut[start + 2] = 36
    #expect(throws: PencilKitError.self) { try PKDrawing(data: cut) }
    var bad = archive
    bad.replaceSubrange(start + 3..<start + 7, with: [0, 0, 0xC0, 0x7F])
    #expect(throws: PencilKitError.self) { try PKDrawing(data: bad) }
  }
}

/// Archives as seen by programs that skip the fields of this package.
enum PrivateFields {
  static func without(_ archive: [UInt8]) -> [UInt8] {
    var writer = WireWriter()
    writer.append(archive.prefix(WrdDecoder.headerSize))
    copy(
      WireReader(archive, in: WrdDecoder.headerSize..<archive.count), depth: 0, into: &writer)
    return writer.bytes
  }

  private static func copy(_ message: WireReader, depth: Int, into writer: inout WireWriter) {
    var reader = message
    while let field = try? reader.nextField() {
      guard field.number < StrokeField.renderState else { continue }
      // Descends into the drawing, its strokes, their paths and pieces.
      let isMessage =
        depth == 0 && field.number == DrawingField.strokes
        || depth == 1 && [StrokeField.path, StrokeField.pieces].contains(field.number)
      guard isMessage else {
        writer.append(field, of: reader)
        continue
      }
      let mark = writer.begin(field.number)
      copy(field.message(in: reader), depth: depth + 1, into: &writer)
      writer.end(mark)
    }
  }
}
