import Foundation
import Graphics
import PNGFormat
import Rasterization
import Strokes
import TestSupport
import Testing
import XML

@testable import VectorExport

struct SVGTests {
  /// The elements of a text in order, read as XML.
  private final class Elements: XMLHandler {
    var all: [XMLElement] = []
    var texts: [String] = []

    func begin(_ element: XMLElement) { all.append(element) }
    func text(_ bytes: UnsafeBufferPointer<UInt8>) {
      texts.append(String(decoding: bytes, as: UTF8.self))
    }
    func end(_ name: String) {}

    func named(_ name: String) -> [XMLElement] { all.filter { $0.name == name } }
  }

  private func elements(
    _ drawing: PKDrawing, _ options: VectorOptions = VectorOptions(),
    canvas: Recording.Canvas = Samples.canvas, precision: Int = 2
  ) throws -> Elements {
    let bytes = try SVGExporter(options, precision: precision).svg(of: drawing, on: canvas)
    let elements = Elements()
    try XMLReader.read(bytes, into: elements)
    return elements
  }

  @Test func `an SVG line is written with the fewest characters`() throws {
    let drawing = PKDrawing(strokes: [
      Samples.stroke(.monoline, Samples.path([(10, 20, 3), (30, 20, 3), (50.5, 20.25, 3)]))
    ])
    let canvas = Recording.Canvas(size: Size(width: 60, height: 40))
    let text = String(
      decoding: try SVGExporter().svg(of: drawing, on: canvas), as: UTF8.self)
    #expect(
      text == """
        <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" \
        version="1.1" width="60pt" height="40pt" viewBox="0 0 60 40">
        <rect x="0" y="0" width="60" height="40" fill="#fff"/>
        <path fill="none" stroke="#000" stroke-width="3" stroke-linecap="round" \
        stroke-linejoin="round" d="M10 20c13.5-.02 27 .07 40.5.25"/>
        </svg>

        """)
  }

  @Test func `every exported SVG is well-formed, with a path for each flat stroke`() throws {
    for type in Samples.inks {
      let found = try elements(Samples.drawing(of: type))
      let isTextured = [.pencil, .crayon, .watercolor, .reed].contains(type)
      #expect(found.named("path").count == (isTextured ? 0 : 3), "\(type.rawValue)")
      #expect(found.named("image").isEmpty == !isTextured, "\(type.rawValue)")
      let flat = try elements(Samples.drawing(of: type), VectorOptions(isFlat: true))
      #expect(flat.named("path").count == 3 && flat.named("image").isEmpty, "\(type.rawValue)")
    }
  }

  @Test func `an empty drawing is exported as a blank SVG page`() throws {
    let found = try elements(PKDrawing(), canvas: Recording.Canvas())
    #expect(found.all.map(\.name) == ["svg", "rect"])
    #expect(found.all[0]["width"] == "1pt")
  }

  @Test func `an exported page has the frame of the options`() throws {
    let region = Rect(x: 10, y: -5, width: 100, height: 50)
    let picture = RenderOptions(extent: .scale(2), region: region, background: .transparent)
    let found = try elements(Samples.drawing(of: .pen), VectorOptions(picture: picture))
    let root = found.all[0]
    #expect(root["width"] == "200pt" && root["height"] == "100pt")
    #expect(root["viewBox"] == "10 -5 100 50")
    #expect(found.named("rect").isEmpty)
    var square = VectorOptions()
    square.picture.extent = .pixels(width: 100, height: 100)
    let fitted = try elements(Samples.drawing(of: .pen), square).all[0]
    #expect(fitted["width"] == "100pt" && fitted["height"] == "100pt")
    #expect(fitted["viewBox"] == "0 -30 220 220")
  }

  @Test func `export options that are not finite are errors`() {
    var options = VectorOptions()
    options.tolerance = 0
    #expect(throws: RenderError(.notANumber("tolerance"))) {
      try SVGExporter(options).svg(of: PKDrawing())
    }
    options = VectorOptions(pixelsPerPoint: .nan)
    #expect(throws: RenderError(.notANumber("resolution"))) {
      try SVGExporter(options).svg(of: PKDrawing())
    }
    options = VectorOptions(picture: RenderOptions(extent: .scale(-1)))
    #expect(throws: RenderError(.notANumber("scale"))) {
      try SVGExporter(options).svg(of: PKDrawing())
    }
  }

  @Test func `SVG information is escaped, without characters that XML forbids`() throws {
    let information = DocumentInformation(
      title: "Q&A <1> \u{1}\"ä\"", author: "A & B", subject: "<S>",
      creationDate: Timestamp(secondsSinceReferenceDate: 0))
    let found = try elements(PKDrawing(), VectorOptions(information: information))
    let text = found.texts.joined()
    #expect(text.contains("Q&A <1> \"ä\"") && text.contains("A & B") && text.contains("<S>"))
    #expect(text.contains("2001-01-01T00:00:00Z"))
    #expect(found.named("title").count >= 1 && found.named("metadata").count == 1)
    #expect(try elements(PKDrawing()).named("metadata").isEmpty)
  }

  @Test func `SVG strokes of one colour share a group`() throws {
    let pen = Samples.wave(y: 40, width: 3)
    let red = Color(red: 1, green: 0, blue: 0)
    let found = try elements(
      PKDrawing(strokes: [
        Samples.stroke(.pen, pen), Samples.stroke(.pen, pen), Samples.stroke(.pen, pen, color: red),
      ]))
    #expect(found.all.map(\.name) == ["svg", "rect", "g", "path", "path", "path"])
    #expect(found.named("g")[0]["fill"] == "#000" && found.named("path")[0]["fill"] == nil)
    #expect(found.named("path")[2]["fill"] == "#f00")
  }

  @Test func `a translucent stroke has one opacity where it crosses itself`() throws {
    let half = Color(red: 0, green: 0, blue: 1, alpha: 0.5)
    let found = try elements(
      PKDrawing(strokes: [Samples.stroke(.pen, Samples.wave(y: 80, width: 5), color: half)]))
    #expect(found.named("path").count == 1)
    #expect(found.named("path")[0]["fill-opacity"] == ".5")
  }

  @Test func `an SVG highlighter moves below a pen whose colour it would not change`() throws {
    let yellow = Color(red: 1, green: 1, blue: 0, alpha: 0.9)
    let line = Samples.path([(20, 80, 20), (200, 80, 20)])
    let pen = Samples.stroke(.pen, Samples.wave(y: 80, width: 3))
    let marker = Samples.stroke(.marker, line, color: yellow)
    let found = try elements(PKDrawing(strokes: [pen, marker])).named("path")
    #expect(found[0]["stroke"] ?? found[0]["fill"] == "#ff0")
    #expect(found[0]["style"] == "mix-blend-mode:darken")
    // White ink would become darker under the highlighter.
    let white = Samples.stroke(.pen, Samples.wave(y: 80, width: 3), color: .white)
    let other = try elements(PKDrawing(strokes: [white, marker])).named("path")
    #expect(other[0]["fill"] == "#fff" && other[0]["style"] == nil)
  }

  @Test func `a stroke of many points is split, and stays translucent as a whole`() throws {
    let points = (0..<150_000).map { index in
      let t = Double(index) / 10
      return (
        x: 110 + 90 * cos(t) * sin(t / 5), y: 80 + 70 * sin(t * 1.3), width: 1 + 0.4 * sin(t * 2)
      )
    }
    let color = Color(red: 0, green: 0, blue: 0, alpha: 0.5)
    let drawing = PKDrawing(strokes: [Samples.stroke(.pen, Samples.path(points), color: color)])
    let found = try elements(drawing)
    let paths = found.named("path")
    #expect(paths.count > 1)
    for path in paths {
      let commands = (path["d"] ?? "").utf8.count { $0 == UInt8(ascii: "z") }
      #expect(commands > 0)
    }
    #expect(found.named("g")[0]["opacity"] == ".5")
  }

  @Test func `parts of an SVG path have at most the allowed number of vertices`() {
    var path = Path()
    for index in 0..<1000 {
      path.append(Path(Rect(x: Double(index), y: 0, width: 1, height: 1)))
    }
    let parts = path.parts(vertices: 100)
    #expect(parts.allSatisfy { $0.count <= 105 })
    #expect(parts.allSatisfy { if case .move? = $0.first { true } else { false } })
    #expect(parts.flatMap { Array($0) } == path.elements)
    #expect(Path().parts(vertices: 100).isEmpty)
  }

  @Test func `an embedded picture contains only the pixels of its ink`() throws {
    let drawing = Samples.drawing(of: .pencil)
    let found = try elements(drawing).named("image")
    let first = try #require(found.first)
    let text = try #require(first["href"])
    let data = try #require(
      Data(base64Encoded: String(text.dropFirst("data:image/png;base64,".count))))
    let image = try PNGDecoder().decode([UInt8](data))
    #expect(image.hasAlpha)
    let (width, height) = (Double(first["width"] ?? "") ?? 0, Double(first["height"] ?? "") ?? 0)
    #expect(
      image.width == Int((width * 2.5).rounded()) && image.height == Int((height * 2.5).rounded()))
  }

  @Test func `nibs that are larger than their page are refused where they take too much work`()
    throws
  {
    func stroke(width: Double, count: Int) -> PKStroke {
      let points = (0..<count).map { number -> (Double, Double, Double) in
        let (x, y) = (Double(number % 5 * 40), Double(number % 7 * 30))
        return (x, y, number % 2 == 0 ? 1 : width)
      }
      return Samples.stroke(.pencil, Samples.path(points))
    }
    func marks(_ strokes: [PKStroke]) throws -> [VectorMark] {
      try VectorPage.marks(of: strokes, on: Size(width: 600, height: 600))
    }
    #expect(try marks([stroke(width: 8e3, count: 4)]).count == 1)
    #expect(try marks((0..<40).map { _ in stroke(width: 4, count: 24) }).count == 1)
    let error = #expect(throws: RenderError.self) {
      try marks([stroke(width: 8e3, count: 200)])
    }
    guard case .tooMuchWork = error?.problem else {
      Issue.record("\(String(describing: error))")
      return
    }
    // Many pictures, each of which is within the limit.
    #expect(throws: RenderError.self) {
      try marks(
        (0..<20).map { number in
          var stroke = stroke(width: 8e3, count: 100)
          stroke.ink.color = Color(red: Double(number) / 255, green: 0, blue: 0)
          return stroke
        })
    }
  }

  @Test func `masks whose edges cross millions of times are refused`()
    throws
  {
    func marks(corners: Int) throws -> [VectorMark] {
      var stroke = Samples.stroke(.pen, Samples.path([(50, 150, 90), (250, 150, 90)]))
      // A star in which each edge crosses nearly all others.
      stroke.mask = Path(polygons: [
        (0..<corners).map { number in
          let angle = Double(number * (corners / 2)) / Double(corners) * 2 * Double.pi
          return Point(x: 150 + 120 * cos(angle), y: 150 + 120 * sin(angle))
        }
      ])
      return try VectorPage.marks(of: [stroke], on: Size(width: 300, height: 300))
    }
    #expect(try marks(corners: 101).count == 1)
    let error = #expect(throws: RenderError.self) { try marks(corners: 4_001) }
    guard case .tooMuchWork = error?.problem else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a page of handwriting has at most two fifths of the bytes of naive polygons`() throws
  {
    let drawing = PKDrawing(
      strokes: (0..<12).map { line in
        Samples.stroke(.pen, Samples.wave(y: Double(line) * 12, width: 2, count: 300))
      })
    var naive = 0
    for stroke in drawing.strokes {
      for polygon in stroke.outline().flattened(tolerance: 0.1) {
        naive += polygon.reduce(0) { $0 + String(format: "L%.2f,%.2f ", $1.x, $1.y).utf8.count }
      }
    }
    let bytes = try SVGExporter().svg(of: drawing, on: Samples.canvas)
    #expect(bytes.count * 5 <= naive * 2, "\(bytes.count) of \(naive)")
    let coarse = try SVGExporter(precision: 1).svg(of: drawing, on: Samples.canvas)
    #expect(coarse.count < bytes.count)
  }
}

extension VectorPage<PKDrawing> {
  /// The marks of strokes, from back to front.
  fileprivate static func marks(of strokes: [PKStroke], on size: Size) throws -> [VectorMark] {
    let page = try VectorPage(
      of: PKDrawing(strokes: strokes), on: Recording.Canvas(size: size), VectorOptions())
    var marks: [VectorMark] = []
    do throws(VectorFailure<Never>) {
      try page.forEachMark(encode: { CodedMark(mark: $0, code: ()) }, begin: { _ in }) {
        (mark) throws(Never) in marks.append(mark.mark)
      }
    } catch {
      throw error.drawing
    }
    return marks
  }
}
