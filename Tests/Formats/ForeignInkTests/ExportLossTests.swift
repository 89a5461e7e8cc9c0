import InkFiles
import Graphics
import Strokes
import TestSupport
import Testing
import VectorExport

@testable import ForeignInk

/// Notes name everything that an export loses, and nothing else is lost.
struct ExportLossTests {
  private static let formats = [DrawingFile.Format.xournal, .excalidraw, .inkML, .quickDraw]

  /// A line from x = 20 to 120 at y = 50, `width` points wide.
  private func line(
    _ ink: PKInk = PKInk(.pen, color: .black, widthLaw: .plain), width: Double = 40,
    aspect: Double = 1, azimuth: Double = 0.4
  ) -> PKStroke {
    let points = (0...10).map {
      PKStrokePoint(
        location: Point(x: 20 + 10 * Double($0), y: 50), timeOffset: Double($0) / 60,
        size: Size(width: width, height: width * aspect), opacity: 1, force: 1, azimuth: azimuth,
        altitude: 1)
    }
    return PKStroke(ink: ink, path: PKStrokePath(controlPoints: points), randomSeed: 3, id: .zero)
  }

  private func encoded(
    _ strokes: [PKStroke], as format: DrawingFile.Format, canvas: Recording.Canvas = .init()
  ) throws -> (file: DrawingFile, notes: [String]) {
    let drawing = PKDrawing(strokes: strokes)
    let page = InkContents(drawing, on: canvas)
    let (bytes, notes) = try DrawingFile.encode(
      [page], as: format, paints: InkPaint.measured(of:))
    return (try DrawingFile(bytes), notes.counts.map(\.text))
  }

  @Test(arguments: formats)
  func `exporting half-erased strokes adds a note`(format: DrawingFile.Format) throws {
    // The lower half without the centre line, and one with it.
    for (top, note) in [(52.0, "no longer have the middle"), (48, "as wide as their strokes were")]
    {
      var stroke = line()
      stroke.mask = Path(Rect(x: 0, y: top, width: 200, height: 40))
      let (file, notes) = try encoded([line(width: 5), stroke], as: format)
      #expect(notes.contains { $0.contains(note) }, "\(notes)")
      #expect(file.strokes().strokes.count == (top > 50 ? 1 : 2))
    }
    let (_, notes) = try encoded([line()], as: format)
    #expect(!notes.contains { $0.contains("piece") })
  }

  @Test(arguments: formats)
  func `an export uses the mask if archived ranges are missing or contradict it`(
    format: DrawingFile.Format
  ) throws {
    var stroke = line()
    stroke.mask = Path(Rect(x: 0, y: 0, width: 70, height: 100))
    stroke.archivedMaskRanges = []
    let half = try encoded([stroke], as: format).file.strokes().drawing
    #expect(half.strokes.count == 1)
    let width = half.bounds.width
    #expect(format == .quickDraw || (50...100).contains(width), "\(width)")
    // A mask that shows nothing.
    stroke.mask = Path()
    stroke.archivedMaskRanges = [0...10]
    #expect(stroke.maskedPathRanges.isEmpty)
    let (none, notes) = try encoded([stroke], as: format)
    #expect(none.strokes().strokes.isEmpty && !notes.contains { $0.contains("piece") })
  }

  @Test func `computing the visible ranges of masks takes limited work`() throws {
    var stroke = line()
    let polygon = (0..<100_000).map { index in
      Point(x: 20 + 100 * Double(index % 2), y: Double(index) / 1_000)
    }
    stroke.mask = Path(polygon: polygon)
    var visible = VisibleRanges()
    let counts = (0..<60).map { _ in visible.ranges(of: stroke).count }
    var notes = ImportNotes()
    visible.addNotes(to: &notes)
    #expect(notes.counts.contains { $0.text.contains("too complex") && $0.count > 10 })
    #expect(counts.last == 1)
  }

  @Test func `properties of a page that a format cannot store are noted`() throws {
    var canvas = Recording.Canvas(
      size: Size(width: 200, height: 100), background: Color(red: 1, green: 1, blue: 0.9))
    canvas.metadata = ["title": "Tea", "paper": "grid", "mood": "calm"]
    let (extent, color) = ("the extent of the page", "the color of the page")
    let (lines, title, texts) = ("the lines of the paper", "the title of the page", "texts about")
    let losses: [(DrawingFile.Format, [String])] = [
      (.pencilKit, [extent, color, lines, title, texts]),
      (.quickDraw, [extent, color, lines, texts]),
      (.xournal, [title, texts]), (.excalidraw, [extent, lines, title, texts]), (.inkML, [texts]),
      (.json, []), (.pkd, []), (.events, []),
    ]
    for (format, expected) in losses {
      let notes = try encoded([line()], as: format, canvas: canvas).notes
        .filter { !$0.contains("colors, widths") }
      #expect(notes.count == expected.count, "\(format): \(notes)")
      for text in expected { #expect(notes.contains { $0.hasPrefix(text) }, "\(format): \(notes)") }
    }
  }

  @Test func `exporting Quick, Draw! lines notes lost colours and widths`() throws {
    let ink = ForeignBrush.evenPen.ink(.black)
    let usual = line(ink, width: QuickDrawRecord.penWidth * QuickDrawRecord.unit)
    #expect(try encoded([usual], as: .quickDraw).notes.isEmpty)
    let red = PKInk(.monoline, color: Color(red: 1, green: 0, blue: 0), widthLaw: .plain)
    for other in [line(ink), line(red, width: 3), line(PKInk(.crayon, color: .black), width: 3)] {
      let notes = try encoded([usual, other], as: .quickDraw).notes
      #expect(notes == ["colors, widths and textures are left out"])
    }
  }

  @Test(
    arguments: [PKInk.InkType.reed, .marker, .crayon, .pencil, .fountainPen, .watercolor],
    [0.3, 1, 2])
  func `pen tips round-trip through InkML`(type: PKInk.InkType, aspect: Double) throws {
    let turn = AffineTransform(rotation: 0.7).scaledBy(x: 2, y: 2)
    for (transform, scale) in [(AffineTransform.identity, 1.0), (turn, 2)] {
      let ink = PKInk(type, color: .black)
      var stroke = line(ink, width: 12, aspect: aspect)
      // No ink of ours has an upright blade that was turned.
      if transform != .identity, type != .reed, type != .fountainPen { continue }
      stroke.transform = transform
      let nib = try #require(stroke.nibChains().first?.first?.nib)
      let file = try encoded([stroke], as: .inkML).file
      let again = try #require(file.strokes().strokes.first)
      let tip = try #require(again.nibChains().first?.first?.nib)
      #expect(again.ink.inkType == type)
      #expect(abs(tip.halfExtent.width / nib.halfExtent.width / scale - 1) < 0.02)
      #expect(abs(tip.halfExtent.height / nib.halfExtent.height / scale - 1) < 0.02)
      #expect(abs(tip.exponent - nib.exponent) < 1e-9)
      if nib.angle != 0 {
        #expect(abs(tip.angle - nib.angle - (transform == .identity ? 0 : 0.7)) < 0.01)
      }
    }
  }
}
