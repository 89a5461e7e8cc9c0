import InkFiles
import Compression
import Foundation
import Graphics
import PKDFormat
import PNGFormat
import Strokes
import TestSupport
import Testing

@testable import ForeignInk

struct RnoteTests {
  // MARK: - Fixtures

  private static func packed(_ text: String) -> [UInt8] { DeflateStream.gzip(Array(text.utf8)) }

  private static let smooth =
    #"{"smooth":{"stroke_width":4.0,"stroke_color":{"r":1.0,"g":0.5,"b":0.0,"a":0.75},"#
    + #""fill_color":null,"pressure_curve":"linear"}}"#

  private static func brush(
    _ segments: String = #"{"lineto":{"end":{"pos":[20.0,40.0],"pressure":1.0}}}"#,
    style: String = smooth
  ) -> String {
    #"{"brushstroke":{"path":{"start":{"pos":[0.0,40.0],"pressure":0.25},"segments":[\#(segments)]},"#
      + #""style":\#(style)}}"#
  }

  private static func shape(_ shape: String, style: String = smooth) -> String {
    #"{"shapestroke":{"shape":{\#(shape)},"style":\#(style)}}"#
  }

  private static let sheet =
    #""document":{"x":0.0,"y":8.0,"width":800.0,"height":1600.0,"layout":"continuous_vertical","#
    + #""format":{"width":800.0,"height":800.0,"dpi":96.0},"background":{"color":{"r":0.5,"g":1.0,"#
    + #""b":1.0,"a":1.0},"pattern":"dots","pattern_size":[32.0,32.0]}}"#

  /// A document of strokes, with the layers and times of their slots.
  private static func document(
    _ strokes: [String], chrono: [String] = [], document: String = sheet, version: String = "0.9.4"
  ) -> [UInt8] {
    let slots = strokes.map { #"{"value":\#($0),"version":1}"# }.joined(separator: ",")
    let times = chrono.map { #"{"value":{\#($0)},"version":1}"# }.joined(separator: ",")
    return packed(
      #"{"version":"\#(version)","data":{"engine_snapshot":{\#(document),"#
        + #""stroke_components":[{"value":null,"version":0},\#(slots)],"#
        + #""chrono_components":[{"value":null,"version":0}\#(times.isEmpty ? "" : ",")\#(times)]}}}"#
    )
  }

  private static func open(_ bytes: [UInt8]) throws -> DrawingFile {
    var options = ImportOptions()
    options.fit = nil
    return try DrawingFile(bytes, options: options)
  }

  private static func user(_ time: Int, _ layer: Int = 0) -> String {
    #""t":\#(time),"layer":{"user_layer":\#(layer)}"#
  }

  // MARK: - Reading

  @Test func `Rnote ink has the locations, widths and colour of the file`() throws {
    let file = try Self.open(Self.document([Self.brush()], chrono: [Self.user(1)]))
    #expect(file.format == .rnote)
    #expect(file.version == 9)
    let stroke = file.strokes().strokes[0]
    #expect(
      stroke.ink
        == PKInk(
          .pen, color: Color(red: 1, green: 0.5, blue: 0, alpha: 0.75), widthLaw: .plain))
    // The sheet begins 8 pixels below the origin.
    #expect(stroke.path.map(\.location) == [Point(x: 0, y: 24), Point(x: 15, y: 24)])
    #expect(stroke.path.map(\.size.width) == [0.75, 3])
    #expect(stroke.path.map { ($0.force * 1000).rounded() } == [500, 2000])
    #expect(file.page?.source.points == 2)
    #expect(file.page?.source.bounds == Rect(x: 0, y: 40, width: 20, height: 0))
    #expect(file.damage.isEmpty)
  }

  @Test func `an Rnote sheet has its size, colour and pattern`() throws {
    let file = try Self.open(Self.document([Self.brush()]))
    #expect(file.canvas.size == Size(width: 600, height: 1200))
    #expect(file.canvas.background == Color(red: 0.5, green: 1, blue: 1))
    #expect(file.canvas.metadata == ["paper": "dotted"])
    let newer = try Self.open(
      Self.document(
        [Self.brush()],
        document: #""document":{"config":{"format":{"dpi":48.0},"background":{"pattern":"none"},"#
          + #""layout":"semi_infinite"},"x":-100.0,"y":-100.0,"width":9.0,"height":9.0}"#,
        version: "0.15.0"))
    #expect(newer.version == 15)
    #expect(newer.canvas == Recording.Canvas())
    #expect(newer.strokes().strokes[0].path[1].location == Point(x: 30, y: 60))
  }

  @Test func `an invalid size of an Rnote page is left out and noted`() throws {
    for width in ["1e18", "1e308", "2e6"] {
      let sheet = Self.sheet.replacing(
        #""y":8.0,"width":800.0"#, with: #""y":8.0,"width":\#(width)"#)
      let file = try Self.open(Self.document([Self.brush()], document: sheet))
      #expect(file.canvas.size == nil)
      #expect(
        file.page?.notes.counts.contains { $0 == ("a size that no page can have is left out", 1) }
          == true)
      #expect(throws: Never.self) { try file.contents().encodeRecording() }
    }
  }

  @Test(arguments: [
    ("const", 4.0), ("linear", 1), ("sqrt", 2), ("cbrt", 2.5198), ("pow2", 0.25), ("pow3", 0.0625),
  ])
  func `Rnote pressure sets the width by the style's curve`(_ curve: String, _ width: Double) throws
  {
    let style = Self.smooth.replacing("linear", with: curve)
    let file = try Self.open(Self.document([Self.brush(style: style)]))
    let stroke = file.strokes().strokes[0]
    #expect(abs(stroke.path[0].size.width - 0.75 * width) < 1e-4)
    #expect(stroke.ink.inkType == (curve == "const" ? .monoline : .pen))
  }

  @Test func `Rnote layers and times give the order of painting`() throws {
    let colors = ["0.1", "0.2", "0.3", "0.4", "0.6", "0.7"]
    let strokes = colors.map {
      Self.brush(style: Self.smooth.replacing("\"r\":1.0", with: "\"r\":\($0)"))
    }
    let file = try Self.open(
      Self.document(
        strokes,
        chrono: [
          Self.user(9, 1), Self.user(7), #""t":8,"layer":"highlighter""#, Self.user(3),
          #""layer":"Document","t":99"#, #""layer":"Image","t":5"#,
        ]))
    let found = file.strokes().strokes
    #expect(found.map(\.ink.color.red) == [0.6, 0.7, 0.3, 0.4, 0.2, 0.1])
  }

  @Test func `Rnote curves and segments of older versions are read`() throws {
    let curves = Self.brush(
      #"{"quadbezto":{"cp":[20.0,40.0],"end":{"pos":[20.0,80.0],"pressure":0.75}}},"#
        + #"{"cubbezto":{"cp1":[20.0,80.0],"cp2":[40.0,80.0],"end":{"pos":[40.0,80.0],"pressure":0.75}}}"#
    )
    let older =
      #"{"brushstroke":{"path":[{"line":{"start":{"pos":[4.0,8.0],"pressure":0.5},"end":{"pos":[8.0,8.0],"pressure":1.0}}},"#
      + #"{"line":{"start":{"pos":[8.0,8.0],"pressure":1.0},"end":{"pos":[8.0,16.0]}}}],"style":\#(Self.smooth)}}"#
    let file = try Self.open(Self.document([curves, older]))
    let strokes = file.strokes().strokes
    #expect(strokes[0].path.count == 17)
    // The middle of the first curve: a quarter of each end, and half of the control point.
    #expect(strokes[0].path[4].location == Point(x: 11.25, y: 31.5))
    #expect(abs(strokes[0].path[4].size.width - 1.5) < 1e-4)
    #expect(
      strokes[1].path.map(\.location) == [
        Point(x: 3, y: 0), Point(x: 6, y: 0), Point(x: 6, y: 6),
      ])
    #expect(strokes[1].path.map(\.size.width) == [1.5, 3, 1.5])
  }

  @Test func `simple Rnote shapes are drawn, but do not count as strokes`() throws {
    let matrix = #"[1.0,0.0,0.0,0.0,1.0,0.0,40.0,48.0,1.0]"#
    let file = try Self.open(
      Self.document([
        Self.shape(#""line":{"start":[0.0,8.0],"end":[4.0,8.0]}"#),
        Self.shape(#""arrow":{"start":[0.0,8.0],"tip":[80.0,8.0]}"#),
        Self.shape(
          #""rectangle":{"cuboid":{"half_extents":[4.0,8.0]},"transform":{"affine":\#(matrix)}}"#),
        Self.shape(#""ellipse":{"radii":[4.0,8.0],"affine":[1.0,0.0,0.0,1.0,40.0,48.0]}"#),
        Self.shape(
          #""cubbez":{"start":[0.0,8.0],"cp1":[0.0,8.0],"cp2":[8.0,8.0],"end":[8.0,8.0]}"#),
        Self.shape(#""polygon":{"start":[0.0,8.0],"path":[[4.0,8.0],[4.0,16.0]]}"#),
        Self.shape(#""star":{"start":[0.0,8.0]}"#),
      ]))
    let strokes = file.strokes().strokes
    #expect(strokes.count == 6)
    #expect(file.page?.source.strokes == 0)
    #expect(file.page?.source.shapes == 6)
    #expect(strokes.allSatisfy { $0.ink.inkType == .monoline && $0.path[0].size.width == 3 })
    #expect(strokes[0].path.map(\.location) == [Point(x: 0, y: 0), Point(x: 3, y: 0)])
    let box = strokes[2].path.map(\.location)
    #expect(box.map(\.x).min() == 27 && box.map(\.x).max() == 33)
    #expect(box.map(\.y).min() == 24 && box.map(\.y).max() == 36)
    #expect(strokes[3].path[0].location == Point(x: 33, y: 30))
    #expect(strokes[5].path.first?.location == strokes[5].path.last?.location)
    #expect(
      file.page?.notes.counts.contains { $0.text == "shapes of unknown kinds are left out" } == true
    )
  }

  @Test func `Rnote polylines are drawn, shapes without coordinates are not`() throws {
    let file = try Self.open(
      Self.document([
        Self.shape(#""polyline":{"start":[0.0,8.0],"path":[[4.0,8.0],[4.0,16.0]]}"#),
        Self.shape(#""rectangle":{}"#), Self.shape(#""ellipse":{}"#), Self.shape(#""arrow":{}"#),
        Self.shape(#""quadbez":{"start":[0.0,8.0]}"#), Self.shape(#""line":7"#),
        Self.shape(#""arrow":{"start":[8.0,8.0],"tip":[8.0,8.0]}"#),
        Self.shape(#""ellipse":{"radii":[4.0,8.0],"affine":[1.0]}"#),
      ]))
    let strokes = file.strokes().strokes
    // A corner is a point that is repeated three times.
    let corner = Point(x: 3, y: 0)
    #expect(
      strokes.first?.path.map(\.location) == [
        Point(x: 0, y: 0), corner, corner, corner, Point(x: 3, y: 6),
      ])
    #expect(file.damage.contains { "\($0)".contains("six or nine numbers are expected") })
  }

  @Test func `Rnote elements that are left out or look different are noted`() throws {
    let textured = #"{"textured":{"stroke_width":4.0,"stroke_color":{"r":0,"g":0,"b":0,"a":1}}}"#
    let rough =
      #"{"rough":{"stroke_width":2.0,"stroke_color":{"r":0,"g":0,"b":0,"a":1},"fill_color":{"r":0,"g":0,"b":0,"a":1}}}"#
    let dashed = Self.smooth.replacing(
      "\"fill_color\"", with: #""line_style":"dotted","fill_color""#)
    let invisible = Self.smooth.replacing("0.75", with: "0.0")
    let file = try Self.open(
      Self.document([
        #"{"textstroke":{"text":"x"}}"#, #"{"bitmapimage":{"data":"x"}}"#, #"{"vectorimage":7}"#,
        #"{"new":{}}"#, Self.brush(style: textured), Self.brush(style: dashed),
        Self.brush(style: invisible),
        Self.shape(#""line":{"start":[0.0,8.0],"end":[4.0,8.0]}"#, style: rough),
      ]))
    let strokes = file.strokes().strokes
    #expect(strokes.map(\.ink.inkType) == [.crayon, .pen, .monoline])
    #expect(file.page?.source.strokes == 3)
    let notes = file.page?.notes.counts ?? []
    for (text, count) in [
      ("texts are left out", 1), ("pictures are left out", 2),
      ("strokes of unknown kinds are left out", 1), ("textured strokes are drawn with a crayon", 1),
      ("dashed lines are drawn whole", 1), ("rough lines are drawn smooth", 1),
      ("fills of shapes are left out", 1), ("the lines of the paper have other distances", 1),
    ] {
      #expect(notes.contains { $0 == (text, count) }, "\(text) \(notes)")
    }
  }

  // MARK: - Damage

  @Test func `a damaged Rnote stroke loses no other one`() throws {
    let file = try Self.open(
      Self.document([
        Self.brush(), Self.brush(#"{"lineto":{"end":{"pos":[1.0]}}}"#),
        Self.brush(#"{"lineto":{"end":{}}}"#),
        Self.brush("7"), Self.brush(),
      ]))
    #expect(file.strokes().strokes.count == 2)
    #expect(file.damage.count == 3)
    #expect(file.damage.first.map { "\($0)" }?.contains("x and y are expected") == true)
  }

  @Test func `a cut Rnote file gives the strokes before the cut`() throws {
    // If all strokes were equal, a few compressed bytes would repeat them all at once.
    let last = Self.brush(#"{"lineto":{"end":{"pos":[317.25,96.875],"pressure":0.625}}}"#)
    let whole = Self.document([Self.brush(), Self.brush(), last])
    let file = try Self.open(Array(whole.dropLast(30)))
    #expect(file.strokes().strokes.count == 2)
    #expect(file.damage.first.map { "\($0)" }?.contains("damaged Rnote document") == true)
    var changed = whole
    changed[changed.count - 6] ^= 1
    let wrong = try Self.open(changed)
    #expect(wrong.strokes().strokes.count == 3)
    #expect(wrong.damage.count == 1)
  }

  @Test func `an Rnote file that is too large when decompressed is refused`() {
    var options = ImportOptions()
    options.decompressedBytes = 100
    let error = #expect(throws: DrawingFileError.self) {
      try DrawingFile(Self.document([Self.brush()]), options: options)
    }
    #expect(error.map { "\($0)" }?.contains("more than 100 bytes") == true)
  }

  @Test func `other gzip files are not recognized as Rnote documents`() {
    for text in [#"{"data":{}}"#, #"{"version":"1"}"#, "<xml/>", "", #"{"data":7}"#] {
      #expect(DrawingFile.Format(recognizing: Self.packed(text)) == .pencilKit)
    }
    let error = #expect(throws: DrawingFileError.self) {
      try DrawingFile(Self.packed("{}"), as: .rnote)
    }
    #expect(error.map { "\($0)" }?.contains("a snapshot of a document is missing") == true)
  }

  @Test func `an Rnote document with any value replaced is read or refused`() throws {
    let bytes = Self.document(
      [Self.brush(), Self.shape(#""line":{"start":[0.0,8.0],"end":[4.0,8.0]}"#)],
      chrono: [Self.user(1), #""t":8,"layer":"highlighter""#])
    // Uncompressed documents are not recognized, so the changed text is compressed again.
    let text = try Inflate.inflate(bytes, limit: 1 << 20)
    for value in LackingValueTests.valuesOfKeys(in: text) {
      for other in ["null", "7", "-1", "\"?\"", "{}", "[]", "[7,7,7]", "0,\"new\":{}"] {
        var copy = text
        copy.replaceSubrange(value, with: other.utf8)
        _ = Damage.strokes(of: DeflateStream.gzip(copy), as: .rnote)
      }
    }
  }

  @Test func `damaged Rnote files do not trap`() {
    let bytes = Self.document(
      [Self.brush(), Self.shape(#""line":{"start":[0.0,8.0],"end":[4.0,8.0]}"#)],
      chrono: [Self.user(1), #""t":8,"layer":"highlighter""#])
    Damage.expectSurvival(of: bytes, as: .rnote)
  }
}
