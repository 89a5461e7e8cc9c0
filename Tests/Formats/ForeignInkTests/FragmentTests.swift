import InkFiles
import ForeignSamples
import Graphics
import ForeignInk
import PKDFormat
import PencilKitArchive
import Strokes
import TestSupport
import Testing

/// Fragments that PencilKit's eraser left have their own transforms, inks and several contours, and
/// every archive is written back with the same bytes.
struct FragmentTests {
  private static let seeds = (0..<RunLength.count(400, long: 20_000)).map(UInt64.init)

  @Test func `fragments have the ink, transform and contours that they name, or their stroke's`()
    throws
  {
    for seed in Self.seeds {
      let archive = FragmentedArchive(seed: seed)
      let reader = try PencilKitReader(archive.bytes)
      let shown = reader.drawing.strokes.map { stroke in
        let t = stroke.transform
        return FragmentedArchive.Shown(
          ink: Int((10 * stroke.ink.color.red).rounded()),
          transform: [t.a, t.b, t.c, t.d, t.tx, t.ty], contours: stroke.mask.map(Self.contours))
      }
      #expect(shown == archive.shown, "archive \(seed)")
    }
  }

  @Test func `archives in PencilKit's form round-trip without a copy of their bytes`() throws {
    for seed in Self.seeds {
      let bytes = FragmentedArchive(seed: seed).bytes
      let reader = try PencilKitReader(bytes)
      #expect(reader.drawing.dataRepresentation() == bytes, "archive \(seed)")
      let kept = reader.drawing.keepingBytes(of: bytes)
      #expect(kept.residue?.bytes == reader.drawing.residue?.bytes, "archive \(seed)")
    }
  }

  @Test func `every archive with fields in any form round-trips byte for byte`()
    throws
  {
    var random = SplitMix64(seed: 3)
    var copied = 0
    for seed in Self.seeds {
      let oddities = FragmentedArchive.Oddity.allCases.filter { _ in
        Bool.random(using: &random)
      }
      let bytes = FragmentedArchive(seed: seed, oddities: Set(oddities)).bytes
      guard let drawing = try? PKDrawing(data: bytes) else { continue }
      #expect(drawing.dataRepresentation() == bytes, "archive \(seed) with \(oddities)")
      if drawing.residue?.bytes == bytes, !drawing.strokes.isEmpty { copied += 1 }
    }
    #expect(copied > 0, "no archive had a form that outlines do not keep")
  }

  @Test func `fragmented archives round-trip through recordings and JSON`() throws {
    for seed in Self.seeds.prefix(120) {
      for oddities in [[], [.shuffled, .longLengths, .scattered]] as [Set<FragmentedArchive.Oddity>]
      {
        let bytes = FragmentedArchive(seed: seed, oddities: oddities).bytes
        guard let file = try? DrawingFile(bytes) else { continue }
        let contents = file.contents()
        let recording = try contents.encodeRecording()
        #expect(try DrawingFile(recording).gives(archive: bytes), "archive \(seed)")
        let json = try DrawingFile.encode([contents], as: .json)
        #expect(try DrawingFile(json).gives(archive: bytes), "archive \(seed)")
      }
    }
  }

  @Test func `a change of one stroke keeps the look of all others`() throws {
    var random = SplitMix64(seed: 4)
    for seed in Self.seeds.prefix(200) {
      for oddities in [[], [.shuffled, .scattered, .sparse]] as [Set<FragmentedArchive.Oddity>] {
        let bytes = FragmentedArchive(seed: seed, oddities: oddities).bytes
        guard var drawing = try? PKDrawing(data: bytes), !drawing.strokes.isEmpty else { continue }
        let index = drawing.strokes.indices.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<4, using: &random) {
        case 0: drawing.strokes.remove(at: index)
        case 1: drawing.strokes[index].transform.tx += 8
        case 2: drawing.strokes[index].ink.color.green = 0.75
        default:
          drawing.strokes[index].mask = Path(polygons: [
            Rect(x: 0, y: 0, width: 16, height: 16).corners,
            Rect(x: 4, y: 4, width: 4, height: 4).corners.reversed(),
          ])
        }
        let again = try PKDrawing(data: drawing.dataRepresentation())
        #expect(drawing.differences(inLookOf: again) == [], "archive \(seed)")
        #expect(again.dataRepresentation() == drawing.dataRepresentation(), "archive \(seed)")
      }
    }
  }

  @Test func `erasing and moving a fragment writes its transform into it, once`() throws {
    var stroke = PKStroke(
      ink: PKInk(.pen),
      path: PKStrokePath(
        controlPoints: (0..<10).map { index in
          PKStrokePoint(
            location: Point(x: Double(20 * index), y: 100), timeOffset: Double(index) / 100,
            size: Size(width: 6, height: 6), opacity: 1, force: 1, azimuth: 0, altitude: 1)
        }))
    stroke.transform = AffineTransform(translationX: 16, y: 8)
    var drawing = try PKDrawing(data: PKDrawing(strokes: [stroke]).dataRepresentation())
    drawing.erase(Path(Rect(x: 100, y: 0, width: 20, height: 200)))
    #expect(drawing.strokes.count == 2)
    drawing.strokes[1].transform = AffineTransform(translationX: 32, y: 64)
    let archive = drawing.dataRepresentation()
    let reader = try PencilKitReader(archive)
    #expect(reader.drawing == drawing)
    #expect(reader.summary.pieceCount == 2 && reader.summary.deletedStrokeCount == 0)
    #expect(reader.drawing.dataRepresentation() == archive)
  }

  private static func contours(of mask: Path) -> [[Double]] {
    mask.flattened().map { contour in contour.flatMap { [$0.x, $0.y] } }
  }
}

/// The archive of 2024 that has Apple's own picture beside it.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
struct PairedArchiveTests {
  private static func bytes() throws -> [UInt8] {
    try Corpus.bytes("pairs/calculator-pro/calc.drawing")
  }

  @Test func `a real fragmented archive round-trips through a recording and JSON`() throws {
    let bytes = try Self.bytes()
    let contents = try DrawingFile(bytes).contents()
    #expect(contents.drawing.dataRepresentation() == bytes)
    let recording = try contents.encodeRecording()
    #expect(try DrawingFile(recording).gives(archive: bytes))
    let json = try DrawingFile.encode([contents], as: .json)
    #expect(try DrawingFile(json).gives(archive: bytes))
  }

  @Test func `sixty real fragments are inside of the boxes that PencilKit stored`() throws {
    let fragments = try PKDrawing(data: try Self.bytes()).strokes.filter { $0.parentID != nil }
    #expect(fragments.count == 60)
    var crumbs = 0
    for fragment in fragments {
      let stored = try #require(fragment.archivedBounds)
      let mask = try #require(fragment.mask)
      let reach = mask.applying(fragment.transform).controlBounds.grown(by: 1)
      #expect(reach.contains(stored), "\(stored) is not in \(reach)")
      var drawn = fragment
      drawn.archivedBounds = nil
      let box = drawn.renderBounds
      guard !box.isNull else {
        // A crumb that the eraser left of the outermost edge, which our outline does not reach.
        #expect(min(stored.width, stored.height) <= 3, "\(stored)")
        crumbs += 1
        continue
      }
      for (ours, theirs) in [
        (box.minX, stored.minX), (box.minY, stored.minY), (box.maxX, stored.maxX),
        (box.maxY, stored.maxY),
      ] {
        #expect(abs(ours - theirs) <= 1, "\(box) and \(stored)")
      }
    }
    #expect(crumbs <= 13)
  }

  @Test func `a real letter cut around a hole keeps both contours`() throws {
    let masks = try PKDrawing(data: try Self.bytes()).strokes.compactMap(\.mask)
    let contours = masks.map { $0.flattened() }.filter { $0.count > 1 }
    #expect(contours.map(\.count) == [2])
    let areas = contours.joined().map { Path(polygon: $0).signedArea }
    #expect(areas.map { ($0 * 10).rounded() } == [5614, -369])
  }
}
