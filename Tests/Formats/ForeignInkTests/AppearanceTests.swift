import InkFiles
import Compression
import Foundation
import Graphics
import JSON
import PNGFormat
import Rasterization
import Strokes
import TestSupport
import Testing
import VectorExport

@testable import ForeignInk

/// The look of strokes in the formats of other programs.
struct AppearanceTests {
  /// A wave of an ink as PencilKit stores it, drawn `width` points wide.
  static func stroke(
    _ type: PKInk.InkType, _ color: Color, y: Double, width: Double, opacity: Double = 1,
    swell: Double = 0
  ) -> PKStroke {
    let ink = PKInk(type, color: color)
    let points = (0..<30).map { index in
      let x = 20 + 8 * Double(index)
      let drawn = width * (1 + swell * sin(Double(index) / 4))
      let blade =
        type == .marker
        ? Size(width: 1.3 * drawn, height: 0.5 * drawn) : Size(width: drawn, height: drawn)
      return PKStrokePoint(
        location: Point(x: x, y: y + 12 * sin(Double(index) / 5)), timeOffset: Double(index) / 60,
        size: ink.pencilKitSize(drawing: blade), opacity: opacity, force: 1, azimuth: 0,
        altitude: 1.2)
    }
    return PKStroke(
      ink: ink, path: PKStrokePath(controlPoints: points), randomSeed: 3,
      id: Identifier.zero.derived("appearance", Int(y)))
  }

  static let blue = Color(red: 0.1, green: 0.3, blue: 0.8)
  static let canvas = Recording.Canvas(size: Size(width: 280, height: 120), background: .white)

  /// A page of one ink with the properties of captured ink.
  static func page(of type: PKInk.InkType) -> InkContents {
    let isFaint = [.pencil, .watercolor].contains(type)
    let drawing = PKDrawing(strokes: [
      stroke(
        type, blue, y: 30, width: type == .pen ? 3 : 12, opacity: isFaint ? 0.2 : 1, swell: 0.2),
      stroke(
        type, Color(red: 1, green: 0.8, blue: 0.1, alpha: 0.8), y: 85, width: type == .pen ? 5 : 16,
        opacity: isFaint ? 0.4 : 1),
    ])
    return InkContents(drawing, on: canvas)
  }

  private func text(
    _ page: InkContents, as format: DrawingFile.Format
  ) throws -> (text: String, notes: [String]) {
    let file = try DrawingFile.encode([page], as: format, paints: InkPaint.measured(of:))
    let bytes =
      format == .xournal ? try Inflate.inflate(file.bytes, limit: 1 << 24) : file.bytes
    return (String(decoding: bytes, as: UTF8.self), file.notes.counts.map(\.text))
  }

  private func values(_ name: String, in text: String) -> [String] {
    text.components(separatedBy: name + "=\"").dropFirst().map {
      String($0.prefix { $0 != "\"" })
    }
  }

  @Test(arguments: [PKInk.InkType.watercolor, .pencil, .crayon, .reed, .marker])
  func `no export format makes a translucent ink opaque`(type: PKInk.InkType) throws {
    let page = Self.page(of: type)
    let paints = InkPaint.measured(of: page.drawing).paints
    #expect(paints.allSatisfy { $0.opacity > 0.02 && $0.opacity < 0.95 }, "\(paints)")

    let json = try text(page, as: .excalidraw)
    let opacities = json.text.components(separatedBy: "\"opacity\": ").dropFirst().map {
      Int($0.prefix { $0.isNumber })
    }
    #expect(opacities == paints.map { Int(($0.opacity * 100).rounded()) })

    let ink = try text(page, as: .inkML)
    let transparencies = ink.text.components(separatedBy: "name=\"transparency\" value=\"")
      .dropFirst()
      .map { Int($0.prefix { $0.isNumber }) }
    #expect(transparencies == paints.map { Int(((1 - $0.opacity) * 255).rounded()) })
    for notes in [json.notes, ink.notes, try text(page, as: .xournal).notes] {
      #expect(notes.contains { $0.contains("one opacity for a stroke") }, "\(notes)")
    }
  }

  @Test func `an exported blade has the width that it draws across its direction`() throws {
    // An upright blade of 24 by 6 points that moves along its long side, and then across it.
    func line(_ end: Point) -> PKStroke {
      let ink = PKInk(.marker, color: Self.blue)
      let points = [Point(x: 100, y: 100), end].map {
        PKStrokePoint(
          location: $0, timeOffset: 0,
          size: ink.pencilKitSize(drawing: Size(width: 24, height: 6)), opacity: 1, force: 1,
          azimuth: 0, altitude: 1)
      }
      return PKStroke(ink: ink, path: PKStrokePath(controlPoints: points))
    }
    for (stroke, width) in [
      (line(Point(x: 200, y: 100)), 6.0), (line(Point(x: 100, y: 200)), 24.0),
    ] {
      let curve = try #require(stroke.drawnCurves(in: [0...1]).first)
      for point in curve.points { #expect(abs(point.width - width) < 0.2) }
      // A round end covers the same area as the end of the blade.
      let (first, last) = (curve.points[0].location, curve.points[1].location)
      let area = first.distance(to: last) * width + .pi / 4 * width * width
      #expect(abs(area - (100 + (width == 6 ? 24.0 : 6.0)) * width) < 0.02 * area)
    }
  }

  @Test func `translucent pens become highlighters in Xournal++`() throws {
    let shade = Color(red: 0, green: 0, blue: 0, alpha: 64.0 / 255)
    let ink = PKInk(.pen, color: shade, widthLaw: .plain)
    let points = [Point(x: 10, y: 10), Point(x: 90, y: 10)].map {
      PKStrokePoint(
        location: $0, timeOffset: 0, size: Size(width: 8, height: 8), opacity: 1, force: 1,
        azimuth: 0, altitude: 1)
    }
    let drawing = PKDrawing(strokes: [
      PKStroke(ink: ink, path: PKStrokePath(controlPoints: points))
    ])
    let page = InkContents(drawing)
    let file = try text(page, as: .xournal)
    #expect(values("tool", in: file.text) == ["highlighter"])
    #expect(file.notes.isEmpty)
    // Xournal++ multiplies with 47 %, whatever alpha is written. The written colour compensates for
    // it.
    let color = try #require(values("color", in: file.text).last.flatMap { Color(hex: $0) })
    let light = 1 - XournalMark.highlighterOpacity * (1 - color.red)
    #expect(abs(light - (1 - 64.0 / 255)) < 0.01)
  }

  @Test func `Xournal++ marks show the ink's colour on their paper`() {
    var random = SplitMix64(seed: 8)
    func part() -> Double { Double.random(in: 0...1, using: &random) }
    for _ in 0..<2_000 {
      let paper =
        [Color.white, Color(red: 1, green: 0.98, blue: 0.9), .black].randomElement(
          using: &random) ?? .white
      let mix = [InkPaint.Mix.over, .darken, .multiply].randomElement(using: &random) ?? .over
      let paint = InkPaint(
        color: Color(red: part(), green: part(), blue: part()), opacity: part(), mix: mix)
      let mark = XournalMark(paint, on: paper, isEven: true)
      for (ink, ground, written) in [
        (paint.color.red, paper.red, mark.color.red),
        (paint.color.green, paper.green, mark.color.green),
        (paint.color.blue, paper.blue, mark.color.blue),
      ] {
        let mixed = mix == .over ? ink : mix == .darken ? min(ink, ground) : ink * ground
        let wanted = ground + (mixed - ground) * paint.opacity
        let opacity = mark.isHighlighter ? XournalMark.highlighterOpacity : 1
        let shown = mark.isHighlighter ? ground * (1 - opacity + opacity * written) : written
        #expect(abs(shown - wanted) < 0.03, "\(paint) on \(paper): \(mark)")
      }
    }
  }

  @Test func `a strong highlighter does not cover what was written before it`() throws {
    let text = Self.stroke(.pen, .black, y: 30, width: 2)
    let marker = Self.stroke(.marker, Color(red: 1, green: 0.9, blue: 0), y: 31, width: 14)
    let drawing = PKDrawing(strokes: [text, marker])
    let page = InkContents(drawing)
    let file = try self.text(page, as: .xournal)
    #expect(values("tool", in: file.text) == ["pen", "pen"])
    #expect(values("color", in: file.text).last == "#000000ff")
    #expect(file.notes.contains { $0.contains("becomes opaque") })
  }

  @Test func `Xournal++ highlighters are imported round and round-trip`() throws {
    let source = """
      <?xml version="1.0"?><xournal fileversion="4"><page width="200" height="100">
      <background type="solid" color="#ffffffff" style="plain"/><layer>
      <stroke tool="highlighter" color="#00ff007f" width="16">40 40 150 40</stroke>
      </layer></page></xournal>
      """
    let file = try DrawingFile(Array(source.utf8))
    let stroke = try #require(file.strokes().strokes.first)
    let nib = try #require(stroke.nibChains().first?.first?.nib)
    #expect(nib.exponent == 2 && nib.halfExtent == Size(width: 8, height: 8))
    let paint = try #require(InkPaint.measured(of: PKDrawing(strokes: [stroke])).paints.first)
    #expect(abs(paint.opacity - XournalMark.highlighterOpacity) < 0.005)
    #expect(paint.mix == .darken && paint.texture == .flat)
    let page = InkContents(PKDrawing(strokes: [stroke]))
    let again = try text(page, as: .xournal).text
    #expect(values("tool", in: again) == ["highlighter"])
    let color = try #require(values("color", in: again).last.flatMap { Color(hex: $0) })
    #expect(color.red < 0.02 && color.green > 0.98 && color.blue < 0.02)
    // A corner of the square tip contains ink.
    let picture = try Renderer(RenderOptions(extent: .scale(1))).picture(
      of: file.strokes().drawing, on: file.canvas)
    let (corner, middle) = (picture[33, 33], picture[100, 40])
    #expect(corner.red == 65_535 && middle.red < 40_000)
  }

  @Test func `a Xournal++ line of corners is exported with at most half more bytes`() throws {
    let corners = (0..<2_000).map { "\($0 % 500) \($0 % 2 == 0 ? 400 : $0 % 97)" }
    let source = """
      <?xml version="1.0"?><xournal fileversion="4"><page width="600" height="800">
      <background type="solid" color="#ffffffff" style="plain"/><layer>
      <stroke tool="pen" color="#000000ff" width="1">\(corners.joined(separator: " "))</stroke>
      </layer></page></xournal>
      """
    let file = try DrawingFile(Array(source.utf8))
    let again = try text(file.contents(), as: .xournal).text
    #expect(again.utf8.count < 3 * source.utf8.count / 2, "\(again.utf8.count)")
  }

  @Test func `an export without erased strokes notes that they are missing`() throws {
    let stroke = Self.stroke(.pen, .black, y: 30, width: 2)
    var recording = Recording(PKDrawing(strokes: [stroke]))
    let end = recording.events.last?.time ?? .referenceDate
    recording.events.append(.init(time: end, action: .cleared))
    let page = InkContents(recording)
    #expect(page.drawing.strokes.isEmpty)
    for format in [DrawingFile.Format.xournal, .excalidraw, .inkML] {
      #expect(try text(page, as: format).notes.contains { $0.contains("erased or undone") })
    }
  }

  @Test func `Excalidraw elements have all fields that the format requires`() throws {
    // The published structure: `_ExcalidrawElementBase` and `ExcalidrawFreeDrawElement` of
    // packages/element/src/types.ts.
    let base = [
      "id", "x", "y", "strokeColor", "backgroundColor", "fillStyle", "strokeWidth", "strokeStyle",
      "roundness", "roughness", "opacity", "width", "height", "angle", "seed", "version",
      "versionNonce", "index", "isDeleted", "groupIds", "frameId", "boundElements", "updated",
      "link", "locked", "type", "points", "pressures", "simulatePressure", "lastCommittedPoint",
    ]
    let data = Data(try text(Self.page(of: .watercolor), as: .excalidraw).text.utf8)
    let file = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(file["type"] as? String == "excalidraw" && file["version"] as? Int == 2)
    let elements = try #require(file["elements"] as? [[String: Any]])
    #expect(elements.count == 2)
    for element in elements {
      #expect(Set(element.keys) == Set(base))
      let opacity = try #require(element["opacity"] as? Int)
      #expect((0...100).contains(opacity))
      let points = try #require(element["points"] as? [[Double]])
      #expect(points.allSatisfy { $0.count == 2 } && points.first == [0, 0])
      #expect((element["pressures"] as? [Double])?.count == points.count)
    }
  }
}

private enum XournalProgram {
  static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/xournalpp")
}

/// Compares Xournal++'s rendering of our files with our own pictures.
@Suite(.enabled(if: XournalProgram.isInstalled, "skipped: install xournalpp"))
struct XournalAgreementTests {
  private static let scale = 2

  /// The amount of ink: the darkness of all pixels on white paper.
  private func mass(
    _ width: Int, _ height: Int, _ pixel: (Int, Int) -> (Double, Double, Double, Double)
  ) -> Double {
    var sum = 0.0
    for y in 0..<height {
      for x in 0..<width {
        let (red, green, blue, alpha) = pixel(x, y)
        sum += 3 * alpha - red - green - blue
      }
    }
    return sum
  }

  @Test(arguments: [PKInk.InkType.pen, .marker, .watercolor, .pencil, .crayon])
  func `Xournal++ draws as much ink as our renderer`(type: PKInk.InkType) throws {
    let page = AppearanceTests.page(of: type)
    let ours = try Renderer(RenderOptions(extent: .scale(Double(Self.scale)))).picture(
      of: page.drawing, on: page.canvas)
    let folder = try TemporaryFolder()
    let file = try DrawingFile.encode([page], as: .xournal, paints: InkPaint.measured(of:))
    try Data(file.bytes).write(to: folder.file("in.xopp"))
    _ = try Program.shell(
      "xournalpp --export-png-dpi=\(72 * Self.scale) -i out.png in.xopp >/dev/null 2>&1",
      in: folder.url)
    let theirs = try PNGDecoder().decode([UInt8](Data(contentsOf: folder.file("out.png"))))
    #expect(abs(ours.width - theirs.width) <= 1 && abs(ours.height - theirs.height) <= 1)
    let full = 65_535.0
    let expected = mass(ours.width, ours.height) { x, y in
      let pixel = ours[x, y]
      return (Double(pixel.red), Double(pixel.green), Double(pixel.blue), Double(pixel.alpha))
    }
    let found = mass(theirs.width, theirs.height) { x, y in
      let pixel = theirs[x, y]
      let alpha = Double(pixel.w) / full
      return (
        Double(pixel.x) * alpha, Double(pixel.y) * alpha, Double(pixel.z) * alpha, Double(pixel.w)
      )
    }
    #expect(abs(found / expected - 1) < 0.05, "\(type.rawValue): \(found / expected)")
  }
}
