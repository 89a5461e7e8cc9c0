import Graphics
import Strokes
import TestSupport
import Testing

@testable import PencilKitArchive

struct WritingTests {
  @Test(arguments: 0..<60) func `a random drawing round-trips`(_ seed: UInt64) throws {
    var random = RandomInk(seed: seed)
    let drawing = random.drawing()
    let again = try PKDrawing(data: drawing.dataRepresentation())
    #expect(again == drawing)
    #expect(again.dataRepresentation() == drawing.dataRepresentation())
  }

  @Test(arguments: 0..<60)
  func `an erased drawing looks the same after a round trip, and can be erased further`(
    _ seed: UInt64
  ) throws {
    var random = RandomInk(seed: seed)
    var drawing = random.erasedDrawing()
    for _ in 0..<2 {
      let archive = drawing.dataRepresentation()
      let again = try PKDrawing(data: archive)
      #expect(drawing.differences(inLookOf: again) == [])
      #expect(again.dataRepresentation() == archive)
      drawing = again
      random.erase(&drawing)
    }
  }

  @Test func `an archive starts like PencilKit's`() {
    let bytes = PKDrawing().dataRepresentation()
    #expect(bytes.starts(with: [0x77, 0x72, 0x64, 0xF0, 1, 0]))
    // Apple writes 42 bytes; the other eight belong to one number.
    #expect(bytes.count == 42 - 8)
  }

  @Test func `a removed stroke stays in the archive as a deleted one`() throws {
    var drawing = try PKDrawing(data: ArchiveSamples.wrd)
    drawing.strokes.remove(at: 1)
    let reader = try PencilKitReader(drawing.dataRepresentation())
    #expect(reader.drawing == drawing)
    #expect(reader.summary.deletedStrokeCount == 1)
    #expect(reader.drawing.dataRepresentation() == drawing.dataRepresentation())
  }

  @Test func `an added stroke belongs to one more replica`() throws {
    var drawing = try PKDrawing(data: ArchiveSamples.wrd)
    let before = try #require(PencilKitSummary(of: drawing))
    var random = RandomInk(seed: 5)
    drawing.strokes.insert(random.stroke(), at: 1)
    let reader = try PencilKitReader(drawing.dataRepresentation())
    #expect(reader.drawing == drawing)
    #expect(reader.summary.replicaCount == before.replicaCount + 1)
    #expect(reader.summary.deletedStrokeCount == 0)
  }

  @Test func `the first stroke of an empty archive gets a replica of its own`() throws {
    var drawing = try PKDrawing(data: PKDrawing().dataRepresentation())
    drawing.strokes = [Self.line()]
    let bytes = drawing.dataRepresentation()
    var reader = WireReader(bytes, in: WrdDecoder.headerSize..<bytes.count)
    var replicas: [Identifier] = []
    while let field = try reader.nextField() {
      if field.number == DrawingField.replicas { replicas.append(try reader.identifier(field, "")) }
      if field.number == DrawingField.strokes {
        let version = try #require(field.message(in: reader).first(StrokeField.version))
        #expect(version.message(in: reader).first(2)?.value == 1)
      }
    }
    #expect(replicas.count == 2 && replicas.first == .zero && replicas.last != .zero)
  }

  @Test func `strokes in another order are written in that order`() throws {
    var drawing = try PKDrawing(data: ArchiveSamples.wrd)
    drawing.strokes.reverse()
    #expect(try PKDrawing(data: drawing.dataRepresentation()) == drawing)
  }

  @Test func `points of an archive without secondary widths have the scale 1`() throws {
    let old = try PKDrawing(data: ArchiveSamples.zlib2018)
    #expect(old.strokes[0].path.allSatisfy { $0.secondaryScale == 1 })
    let new = try PKDrawing(data: old.dataRepresentation())
    #expect(new.strokes[0].path.allSatisfy { $0.secondaryScale == 1 })
  }

  @Test func `inks of iOS 17 are written with version 2 of the container`() throws {
    var stroke = Self.line()
    #expect(PKDrawing(strokes: [stroke]).dataRepresentation()[4] == 1)
    stroke.ink = PKInk(.watercolor)
    #expect(PKDrawing(strokes: [stroke]).dataRepresentation()[4] == 2)
  }

  @Test func `every change of a stroke is written`() throws {
    let original = try PKDrawing(data: ArchiveSamples.wrd)
    var random = RandomInk(seed: 6)
    let changes: [(inout PKStroke) -> Void] = [
      { $0.ink.color = Color(red: 0.25, green: 0.5, blue: 0.75) },
      { $0.ink.inkType = .other(identifier: "com.example.ink") },
      { $0.transform = AffineTransform(translationX: 3, y: 4) },
      { $0.transform = .identity },
      { $0.mask = Path(Rect(x: 1, y: 2, width: 30, height: 40)) },
      { $0.mask = nil },
      { $0.randomSeed = 77 },
      { $0.renderGroupID = Identifier(high: 3, low: 4) },
      { $0.renderGroupID = nil },
      { [path = random.path(pointCount: 3...3)] in $0.path = path },
    ]
    for change in changes {
      for index in original.strokes.indices {
        var drawing = original
        change(&drawing.strokes[index])
        #expect(try PKDrawing(data: drawing.dataRepresentation()) == drawing)
      }
    }
  }

  @Test func `an erased stroke is written as pieces of one stroke`() throws {
    var drawing = PKDrawing(strokes: [Self.line()])
    drawing.erase(Path(Rect(x: 90, y: 0, width: 20, height: 200)))
    #expect(drawing.strokes.count == 2)
    let reader = try PencilKitReader(drawing.dataRepresentation())
    #expect(reader.drawing == drawing)
    #expect(reader.summary.pieceCount == 2)
    #expect(reader.drawing.strokes.allSatisfy { $0.maskedPathRanges.count == 1 })
  }

  @Test func `a masked stroke that comes from no archive is written as one piece`() throws {
    var stroke = Self.line()
    stroke.mask = Path(Rect(x: 0, y: 0, width: 60, height: 200))
    let reader = try PencilKitReader(PKDrawing(strokes: [stroke]).dataRepresentation())
    #expect(reader.summary.pieceCount == 1)
    #expect(reader.drawing.strokes.map(\.mask) == [stroke.mask])
    // A stroke that an archive contains is cut at its position.
    var drawing = try PKDrawing(data: PKDrawing(strokes: [Self.line()]).dataRepresentation())
    drawing.strokes[0].mask = stroke.mask
    let again = try PencilKitReader(drawing.dataRepresentation())
    #expect(again.drawing == drawing)
  }

  @Test func `a stroke cut after it was read keeps its record in the archive`() throws {
    var drawing = try PKDrawing(data: PKDrawing(strokes: [Self.line()]).dataRepresentation())
    drawing.erase(Path(Rect(x: 90, y: 0, width: 20, height: 200)))
    let reader = try PencilKitReader(drawing.dataRepresentation())
    #expect(reader.drawing == drawing)
    #expect(reader.summary.deletedStrokeCount == 0 && reader.summary.pieceCount == 2)
  }

  @Test func `a mask with a hole is written with both of its contours`() throws {
    var stroke = Self.line()
    stroke.mask = Path(polygons: [
      Rect(x: 0, y: 0, width: 100, height: 100).corners,
      Rect(x: 40, y: 40, width: 20, height: 20).corners.reversed(),
    ])
    let read = try PKDrawing(data: PKDrawing(strokes: [stroke]).dataRepresentation())
    let mask = try #require(read.strokes.first?.mask)
    #expect(mask == stroke.mask)
    #expect(!mask.contains(Point(x: 50, y: 50)) && mask.contains(Point(x: 20, y: 70)))
  }

  @Test func `a mask with the even-odd rule is written as contours of the same area`() throws {
    var stroke = Self.line()
    let squares = [
      Rect(x: 0, y: 0, width: 100, height: 100), Rect(x: 40, y: 40, width: 20, height: 20),
    ]
    stroke.mask = Path(polygons: squares.map(\.corners), fillRule: .evenOdd)
    let read = try PKDrawing(data: PKDrawing(strokes: [stroke]).dataRepresentation())
    let mask = try #require(read.strokes.first?.mask)
    #expect(mask.contains(Point(x: 20, y: 70)))
    #expect(!mask.contains(Point(x: 50, y: 50)))
  }

  @Test func `a masked stroke and a part of it stay two records`() throws {
    var stroke = Self.line()
    stroke.mask = Path(Rect(x: 0, y: 90, width: 100, height: 20))
    let drawing = PKDrawing(strokes: [stroke, stroke.substroke(range: 1...3)])
    let archive = drawing.dataRepresentation()
    let read = try PKDrawing(data: archive)
    #expect(drawing.differences(inLookOf: read) == [])
    #expect(read.dataRepresentation() == archive)
  }

  @Test func `parts whose colours differ by less than a float's precision stay two parts`() throws {
    var parts = [0...4, 5...9].map { Self.line().substroke(range: $0) }
    parts[0].ink.color.red = 0.5
    parts[1].ink.color.red = 0.5 + 1e-12
    let archive = PKDrawing(strokes: parts).dataRepresentation()
    let read = try PKDrawing(data: archive)
    #expect(read.strokes.map(\.id) == parts.map(\.id))
    #expect(read.dataRepresentation() == archive)
  }

  @Test func `an invisible stroke does not enlarge the drawing's bounds`() throws {
    var hidden = Self.line().renamed(Identifier(high: 5, low: 7))
    hidden.mask = Path()
    var stroke = Self.line()
    stroke.transform = AffineTransform(translationX: 500, y: 500)
    let drawing = PKDrawing(strokes: [hidden, stroke])
    let read = try PKDrawing(data: drawing.dataRepresentation())
    #expect(drawing.bounds == stroke.renderBounds)
    #expect(read.bounds == drawing.bounds)
  }

  @Test func `the mask of a part includes the texture along its sides`() throws {
    var stroke = Self.line()
    stroke.ink = PKInk(.watercolor)
    let part = stroke.substroke(range: 2...5)
    // Other readers skip the part's range, and apply only the mask.
    let read = try PKDrawing(
      data: PrivateFields.without(PKDrawing(strokes: [part]).dataRepresentation()))
    let mask = try #require(read.strokes.first?.mask)
    // The ink extends 5.25 points to each side here, and its rim bleeds 2.5 points further.
    #expect(mask.contains(Point(x: 70, y: 100 + 6.2)))
    #expect(mask.contains(Point(x: 70, y: 100 + 7.7)))
  }

  @Test func `a part of a stroke is written as a piece with its range`() throws {
    let part = Self.line().substroke(range: 2...5.5)
    let read = try PKDrawing(data: PKDrawing(strokes: [part]).dataRepresentation())
    let stroke = try #require(read.strokes.first)
    #expect(stroke.maskedPathRanges == [2...5.5])
    #expect(stroke.path == part.path && stroke.randomSeed == part.randomSeed)
  }

  @Test func `ink of the plain width law is written with sizes that draw the same`() throws {
    for type in PKInk.InkType.known {
      var stroke = Self.line()
      stroke.ink = PKInk(type, color: .black, widthLaw: .plain)
      let drawn = stroke.ink.drawnSize(of: stroke.path[0].size)
      let read = try PKDrawing(data: PKDrawing(strokes: [stroke]).dataRepresentation())
      let ink = try #require(read.strokes.first)
      let again = ink.ink.drawnSize(of: ink.path[0].size)
      #expect(abs(again.width - drawn.width) < 0.01 && abs(again.height - drawn.height) < 0.02)
    }
  }

  @Test func `a drawing of 2018 is rounded to the nearest values of today's archives`() throws {
    let old = try PKDrawing(data: ArchiveSamples.zlib2018)
    let new = try PKDrawing(data: old.dataRepresentation())
    #expect(old.strokes.count == 1 && new.strokes.count == 1)
    for (a, b) in zip(old.strokes[0].path, new.strokes[0].path) {
      #expect(a.location == b.location && a.timeOffset == b.timeOffset && a.size == b.size)
      #expect(a.force == b.force)
      #expect(abs(a.azimuth - b.azimuth - 2 * .pi) < 5e-5 || abs(a.azimuth - b.azimuth) < 5e-5)
      #expect(abs(a.altitude - b.altitude) < 1.3e-5 && abs(a.opacity - b.opacity) < 1.6e-5)
    }
  }

  @Test func `the message of 2018 leaves out removed strokes and cannot hold new ones`() throws {
    var drawing = try PKDrawing(data: ArchiveSamples.zlib2018)
    #expect(PencilKitWriter.notes2018Message(drawing) == ArchiveSamples.message2018)
    let removed = drawing.strokes.removeFirst()
    let message = try #require(PencilKitWriter.notes2018Message(drawing))
    #expect(try Notes2018Decoder.decode(message).strokes.isEmpty)
    drawing.strokes = [removed.renamed(Identifier(high: 9, low: 9))]
    #expect(PencilKitWriter.notes2018Message(drawing) == nil)
  }

  @Test func `an archive with unknown fields everywhere is written again byte for byte`() throws {
    var archive = WireWriter()
    archive.append(WrdDecoder.magic + [2, 0])
    archive.field(DrawingField.inks) { ink in
      ink.field(InkField.identifier, bytes: "com.apple.ink.pen".utf8)
      ink.field(31, number: 5)
    }
    archive.field(DrawingField.strokes) { stroke in
      stroke.field(StrokeField.identifier, identifier: Identifier(high: 1, low: 1))
      stroke.field(StrokeField.ink, number: 0)
      stroke.field(StrokeField.path) { path in
        path.field(PathField.creationDate, double: 5)
        path.field(PathField.count, number: 1)
        path.field(PathField.pointChannels, number: 1)
        path.field(PathField.constantChannels, number: 0)
        path.field(PathField.points, bytes: [0, 0, 0, 0, 0, 0, 128, 63])
        path.field(9, number: 0)
        path.field(40, double: 0.5)
      }
      stroke.field(StrokeField.bounds, floats: 1, 2, 3, 4)
      stroke.field(StrokeField.flags, number: 3)
      stroke.field(15, floats: 1, 0, 0, -1, 0, 0)
      stroke.field(99, bytes: [1, 2, 3])
    }
    archive.field(1000, number: 8)
    let drawing = try PKDrawing(data: archive.bytes)
    #expect(drawing.dataRepresentation() == archive.bytes)
  }

  @Test func `strokes can be added to an archive whose clocks are at the maximum`() throws {
    var archive = WireWriter()
    archive.append(WrdDecoder.magic + [1, 0])
    let last = ArchiveVersion(clock: .max, replica: .max, subClock: .max)
    archive.field(DrawingField.clocks, version: last)
    var drawing = try PKDrawing(data: archive.bytes)
    drawing.strokes = [Self.line(), Self.line()]
    #expect(try PKDrawing(data: drawing.dataRepresentation()).strokes.count == 2)
  }

  private static func line() -> PKStroke {
    PKStroke(
      ink: PKInk(.pen),
      path: PKStrokePath(
        controlPoints: (0..<10).map { index in
          PKStrokePoint(
            location: Point(x: Double(20 * index), y: 100), timeOffset: Double(index) / 100,
            size: Size(width: 6, height: 6), opacity: 1, force: 1, azimuth: 0, altitude: 1)
        }), randomSeed: 3, id: Identifier(high: 5, low: 6))
  }
}
