import InkFiles
import Compression
import Graphics
import Strokes
import TestSupport
import Testing
import VectorExport

@testable import ForeignInk

/// Drawings that are written in the formats of other programs and read again.
struct ExportTests {
  /// A curve whose width grows, a highlighter, and an even line.
  private static func drawing() -> PKDrawing {
    func stroke(_ ink: PKInk, _ width: (Double) -> Double, y: Double) -> PKStroke {
      var random = SplitMix64(seed: UInt64(y))
      let points = (0...20).map { index in
        let x = 20 + Double(index) * 10
        let size = width(Double(index) / 20)
        return PKStrokePoint(
          location: Point(x: x, y: y + 0.002 * (x - 120) * (x - 120)),
          timeOffset: Double(index) / 50, size: Size(width: size, height: size), opacity: 1,
          force: 1, azimuth: 0, altitude: .pi / 2)
      }
      return PKStroke(
        ink: ink,
        path: PKStrokePath(
          controlPoints: points,
          creationDate: Timestamp(secondsSinceReferenceDate: 700_000_000 + y)),
        id: Identifier(using: &random))
    }
    let red = Color(red: 1, green: 0, blue: 0)
    return PKDrawing(strokes: [
      stroke(PKInk(.pen, color: red, widthLaw: .plain), { 2 + 6 * $0 }, y: 40),
      // This is the opacity of Xournal++'s highlighters.
      stroke(
        PKInk(
          .marker, color: Color.black.withAlpha((120.0 / 255 / 0.85).squareRoot()),
          widthLaw: .plain), { _ in 12 }, y: 90),
      stroke(
        PKInk(.monoline, color: Color(red: 0, green: 0, blue: 1), widthLaw: .plain), { _ in 3 },
        y: 140),
    ])
  }

  private static let canvas = Recording.Canvas(size: Size(width: 300, height: 200))

  private static let page = {
    var page = InkContents(drawing(), on: canvas)
    page.name = "a & b"
    return page
  }()

  private func encoded(
    _ pages: [InkContents], as format: DrawingFile.Format
  ) throws -> [UInt8] {
    try DrawingFile.encode(pages, as: format, paints: InkPaint.measured(of:)).bytes
  }

  private func encoded(
    _ drawing: PKDrawing, as format: DrawingFile.Format
  ) throws -> [UInt8] {
    try encoded([InkContents(drawing)], as: format)
  }

  @Test(arguments: [DrawingFile.Format.xournal, .excalidraw, .inkML])
  func `strokes, colours and widths round-trip through foreign formats`(
    format: DrawingFile.Format
  ) throws {
    let bytes = try encoded([Self.page], as: format)
    let file = try DrawingFile(bytes)
    #expect(file.format == format && file.damage.isEmpty)
    let strokes = file.strokes().strokes
    let originals = Self.page.drawing.strokes
    try #require(strokes.count == 3)
    // Excalidraw has no page, and in all others coordinates start at the ink's box.
    for (stroke, original) in zip(strokes, originals) {
      #expect(stroke.ink.color.withAlpha(1).hex == original.ink.color.withAlpha(1).hex)
      for part in [0.0, 0.25, 0.5, 0.75, 1] {
        let place = Self.point(stroke, part).location
        let expected = Self.point(original, part).location
        #expect(place.distance(to: expected) < 0.6, "\(format) at \(part): \(place), \(expected)")
        let width = Self.point(stroke, part).size.width
        var wanted = Self.point(original, part).size.width
        // Excalidraw's thinnest line is a third of its thickest.
        if format == .excalidraw, stroke.id == strokes[0].id { wanted = max(wanted, 2.6) }
        #expect(abs(width - wanted) < max(0.15 * wanted, 0.4), "\(format) at \(part): \(width)")
      }
    }
    // Excalidraw has no highlighter, only translucent ink.
    #expect(strokes[1].ink.inkType == (format == .excalidraw ? .pen : .marker))
    if format == .xournal { #expect(file.canvas.size == Self.canvas.size) }
    if format == .inkML {
      #expect(abs(strokes[2].path.creationDate - originals[2].path.creationDate) < 0.01)
    }
  }

  @Test func `InkML keeps inks, colours, opacity and the page`() throws {
    var drawing = PKDrawing()
    let inks = PKInk.InkType.known + [.other(identifier: "com.example.ink.glass")]
    for (index, type) in inks.enumerated() {
      let color = Color(red: 0.1, green: 0.25, blue: 1 / 3.0, alpha: 0.5 + Double(index) / 20)
      let points = (0..<12).map { step in
        PKStrokePoint(
          location: Point(x: 20 + 10 * Double(step), y: 20 + 12 * Double(index)),
          timeOffset: Double(step) / 50, size: Size(width: 6, height: 6), opacity: 0.6, force: 1,
          azimuth: 1, altitude: 1)
      }
      drawing.strokes.append(
        PKStroke(
          ink: PKInk(type, color: color, widthLaw: .plain),
          path: PKStrokePath(controlPoints: points, creationDate: .referenceDate)))
    }
    drawing.strokes[2].ink.color.space = .displayP3
    var canvas = Recording.Canvas(
      size: Size(width: 300, height: 200.5), background: Color(hex: "#FFF8E0"))
    canvas.metadata = ["title": "a < b", "paper": "grid", "author": "Ann"]
    let page = InkContents(drawing, on: canvas)
    let file = try DrawingFile(encoded([page], as: .inkML))
    #expect(file.canvas == canvas)
    let strokes = file.strokes().strokes
    #expect(strokes.map(\.ink) == drawing.strokes.map(\.ink))
    for stroke in strokes {
      #expect(stroke.path.allSatisfy { abs($0.opacity - 0.6) < 0.001 })
      #expect(stroke.path.allSatisfy { abs($0.size.width - 6) < 0.3 }, "\(stroke.ink.inkType)")
    }
  }

  @Test func `annotations of other programs' brushes name no ink`() throws {
    let text = """
      <ink><brush xml:id="b"><annotation type="ink">blue</annotation>
      <annotation type="inkColor">1 0 0 nan srgb</annotation>
      <brushProperty name="color" value="#00FF00"/></brush>
      <annotation type="label">x</annotation><trace brushRef="#b">1 2, 3 4</trace></ink>
      """
    let file = try DrawingFile(Array(text.utf8))
    let ink = try #require(file.strokes().strokes.first).ink
    #expect(ink.inkType == .pen && ink.color == Color(red: 0, green: 1, blue: 0))
    #expect(file.page?.name == "x")
  }

  /// The point at a fraction of a stroke's x extent, which grows along these strokes.
  private static func point(_ stroke: PKStroke, _ part: Double) -> PKStrokePoint {
    let x = 20 + 200 * part
    let steps = 2_000
    let range = stroke.path.parameterRange
    return (0...steps).lazy.map { step in
      stroke.path.interpolatedPoint(
        at: range.lowerBound + (range.upperBound - range.lowerBound) * Double(step) / Double(steps))
    }.min { abs($0.location.x - x) < abs($1.location.x - x) } ?? stroke.path[0]
  }

  @Test func `all pages go into one file of Xournal++`() throws {
    let bytes = try encoded([Self.page, Self.page], as: .xournal)
    #expect(try DrawingFile(bytes).pageCount == 2)
    let text = String(decoding: try Inflate.inflate(bytes, limit: 1 << 20), as: UTF8.self)
    #expect(text.contains("fileversion=\"4\"") && text.hasSuffix("</xournal>\n"))
  }

  @Test func `an empty drawing and a dot are written in every format`() throws {
    let dot = PKStroke(
      ink: PKInk(.pen, widthLaw: .plain),
      path: PKStrokePath(controlPoints: [
        PKStrokePoint(
          location: Point(x: 5, y: 6), timeOffset: 0, size: Size(width: 4, height: 4), opacity: 1,
          force: 1, azimuth: 0, altitude: 1)
      ]))
    for format in DrawingFile.Format.allCases where format.isWritten {
      for drawing in [PKDrawing(), PKDrawing(strokes: [dot])] {
        let bytes = try encoded(drawing, as: format)
        // A line of Quick, Draw! is a drawing; an empty file contains none.
        guard !bytes.isEmpty else { continue }
        let file = try DrawingFile(bytes, as: format)
        #expect(file.strokes().strokes.count == drawing.strokes.count, "\(format)")
      }
    }
  }

  @Test func `a piece that an eraser left is written without the rest`() throws {
    var drawing = Self.drawing()
    let path = PKStrokePath(controlPoints: [
      PKStrokePoint(
        location: Point(x: 120, y: 0), timeOffset: 0, size: Size(width: 20, height: 20), opacity: 1,
        force: 1, azimuth: 0, altitude: 1),
      PKStrokePoint(
        location: Point(x: 120, y: 200), timeOffset: 1, size: Size(width: 20, height: 20),
        opacity: 1, force: 1, azimuth: 0, altitude: 1),
    ])
    drawing.erase(along: path, with: PKEraserTool(.bitmap, width: 20))
    let bytes = try encoded(drawing, as: .inkML)
    let strokes = try DrawingFile(bytes).strokes().strokes
    #expect(strokes.count == 6)
    for stroke in strokes {
      #expect(!stroke.path.contains { abs($0.location.x - 120) < 8 })
    }
  }
}
