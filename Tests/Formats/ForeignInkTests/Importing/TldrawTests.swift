import InkFiles
import Graphics
import ForeignInk
import JSON
import Strokes
import Testing

struct TldrawTests {
  private static func open(_ text: String) throws -> DrawingFile {
    var options = ImportOptions()
    options.fit = nil
    return try DrawingFile(Array(text.utf8), options: options)
  }

  // MARK: - The first version

  private static func first(_ shapes: String) -> String {
    #"{"name":"N","fileHandle":null,"document":{"id":"doc","version":15.3,"pages":{"#
      + #""p2":{"id":"p2","name":"Second","childIndex":2,"shapes":{}},"#
      + #""p":{"id":"p","name":"One","childIndex":1,"shapes":{\#(shapes)}}}}}"#
  }

  private static func firstDraw(_ id: String, _ order: Int, _ more: String = "") -> String {
    #""\#(id)":{"id":"\#(id)","type":"draw","parentId":"p","childIndex":\#(order),"point":[20,40],"#
      + #""rotation":0,"style":{"color":"red","size":"large","dash":"draw"},"#
      + #""points":[[0,0,0.5],[20,0,1],[40,0,0]]\#(more)}"#
  }

  @Test func `pages and shapes of tldraw's first version are in their order`() throws {
    let file = try Self.open(
      Self.first(
        Self.firstDraw("b", 2, #","style":{"color":"blue","dash":"solid"}"#) + ","
          + Self.firstDraw("a", 1) + #","t":{"type":"text","parentId":"p","childIndex":3}"#))
    #expect(file.format == .tldraw)
    #expect(file.version == 15)
    #expect(file.pageCount == 2)
    #expect(file.page?.name == "One")
    let strokes = file.strokes().strokes
    #expect(strokes.map(\.ink.color) == [Color(hex: "#FF2133"), Color(hex: "#1C7ED6")])
    #expect(
      strokes[0].path.map(\.location) == [
        Point(x: 15, y: 30), Point(x: 30, y: 30), Point(x: 45, y: 30),
      ])
    // 8.5 pixels: 2 · 8.5 · (0.5 − 0.65 (0.5 − p))²; the second point has its own pressure.
    for (point, width) in zip(strokes[0].path, [4.25, 11.5706, 0.5206]) {
      #expect(abs(point.size.width - 0.75 * width) < 0.001)
    }
    #expect(strokes[1].ink.inkType == .monoline)
    #expect(
      file.page?.notes.counts.contains {
        $0.text == "shapes that are no ink are left out: texts" && $0.count == 1
      } == true)
    #expect(try file.page(1).page?.name == "Second")
  }

  @Test func `tldraw groups are drawn in their order, rotated around their middle`() throws {
    let file = try Self.open(
      Self.first(
        Self.firstDraw("a", 1, #","parentId":"g","rotation":3.141592653589793"#) + ","
          + Self.firstDraw("z", 1) + #","g":{"type":"group","parentId":"p","childIndex":9}"#))
    let strokes = file.strokes().strokes
    #expect(strokes.count == 2)
    #expect(strokes[0].path[0].location == Point(x: 15, y: 30))
    #expect(strokes[1].path[0].location.distance(to: Point(x: 45, y: 30)) < 1e-4)
  }

  @Test func `a damaged shape of tldraw's first version loses no other one`() throws {
    let file = try Self.open(
      Self.first(
        Self.firstDraw("a", 1) + #","x":{"type":"draw","points":[[1]]},"y":3,"#
          + Self.firstDraw("b", 2)))
    #expect(file.strokes().strokes.count == 2)
    #expect(file.damage.count == 2)
  }

  // MARK: - Records

  private static func records(_ shapes: String...) -> String {
    #"{"tldrawFileFormatVersion":1,"schema":{"schemaVersion":2},"records":["#
      + shapes.map { $0 + "," }.joined()
      + #"{"typeName":"page","id":"page:b","name":"B","index":"a2"},"#
      + #"{"typeName":"page","id":"page:a","name":"A","index":"a1"},{"typeName":"camera"}]}"#
  }

  private static func shape(
    _ props: String, id: String = "shape:1", type: String = "draw", parent: String = "page:a",
    _ more: String = #""index":"a1","x":10,"y":20,"rotation":0,"opacity":1"#
  ) -> String {
    #"{"typeName":"shape","id":"\#(id)","type":"\#(type)","parentId":"\#(parent)",\#(more),"#
      + #""props":{\#(props)}}"#
  }

  private static let segments =
    #""segments":[{"type":"free","points":[{"x":0,"y":0,"z":0.5},{"x":10,"y":0,"z":1},{"x":10,"y":30}]}]"#
  private static let look = #""color":"light-blue","size":"l","dash":"draw","fill":"none""#

  @Test func `tldraw pages are in their order, and pressure sets the width`() throws {
    let file = try Self.open(
      Self.records(Self.shape(Self.segments + "," + Self.look + #","isPen":true,"scale":2"#)))
    #expect(file.format == .tldraw)
    #expect(file.version == 1)
    #expect(file.pageCount == 2)
    #expect(file.page?.name == "A")
    let stroke = file.strokes().strokes[0]
    #expect(stroke.ink.color == Color(hex: "#4BA1F1") && stroke.ink.inkType == .pen)
    #expect(
      stroke.path.map(\.location) == [
        Point(x: 7.5, y: 15), Point(x: 15, y: 15), Point(x: 15, y: 37.5),
      ])
    // Size 15.4; at 0.5: 30.8 · (0.325 + 0.35 · sin(π/4)), at 1: 30.8 · (0.65 · 0.81 + 0.35 ·
    // sin(0.81 π/2)).
    for (point, width) in zip(stroke.path, [17.6326, 26.5191, 17.6326]) {
      #expect(abs(point.size.width - 0.75 * width) < 0.01, "\(point.size.width)")
    }
  }

  @Test func `the three tldraw codings of points give the same points`() throws {
    // 1.5, 2, 0.5 and 3.5, −1, 0.75 as half floats. The path has the first point as floats, then
    // the difference.
    let absolute: [UInt8] = [
      0x00, 0x3E, 0x00, 0x40, 0x00, 0x38, 0x00, 0x43, 0x00, 0xBC, 0x00, 0x3A,
    ]
    let path: [UInt8] = [
      0, 0, 0xC0, 0x3F, 0, 0, 0, 0x40, 0, 0, 0, 0x3F, 0x00, 0x40, 0x00, 0xC2, 0x00, 0x34,
    ]
    let flat: [UInt8] = [0, 0, 0xC0, 0x3F, 0, 0, 0, 0x40, 0x00, 0x40, 0x00, 0xC2]
    func text(_ bytes: [UInt8]) -> String { Base64.encode(bytes) }
    let segments = [
      #"{"type":"free","points":[{"x":1.5,"y":2,"z":0.5},{"x":3.5,"y":-1,"z":0.75}]}"#,
      #"{"type":"free","points":"\#(text(absolute))"}"#,
      #"{"type":"free","path":"\#(text(path))"}"#,
      #"{"type":"free","path":"\#(text(flat))","dim":2}"#,
    ]
    for (index, segment) in segments.enumerated() {
      let file = try Self.open(
        Self.records(Self.shape(#""segments":[\#(segment)],"isPen":true,"scaleX":2,"scaleY":4"#)))
      let path = file.strokes().strokes[0].path
      #expect(path.map(\.location) == [Point(x: 9.75, y: 21), Point(x: 12.75, y: 12)])
      #expect(abs(path[1].force - (index == 3 ? 1 : 1.5)) < 0.001)
    }
  }

  @Test func `tldraw coordinates that are not finite do not affect later points`() throws {
    // Infinity and NaN as half floats.
    let absolute = Base64.encode([
      0, 0x7C, 0, 0, 0, 0, 0, 0x40, 0, 0x40, 0, 0x38, 1, 0x7E, 0, 0, 0, 0,
    ])
    let path = Base64.encode([0, 0, 0, 0, 0, 0, 0, 0, 0, 0x7C, 0, 0x40, 0, 0x40, 0, 0xFE])
    let file = try Self.open(
      Self.records(
        Self.shape(#""segments":[{"points":"\#(absolute)"},{"points":[{"x":null,"y":1}]}]"#),
        Self.shape(#""segments":[{"path":"\#(path)","dim":2}]"#, id: "shape:2")))
    let strokes = file.strokes().strokes
    #expect(strokes[0].path.map(\.location) == [Point(x: 9, y: 16.5)])
    #expect(
      strokes[1].path.map(\.location) == [
        Point(x: 7.5, y: 15), Point(x: 7.5, y: 16.5), Point(x: 9, y: 16.5),
      ])
  }

  @Test func `tldraw groups move, turn and fade their shapes`() throws {
    let file = try Self.open(
      Self.records(
        Self.shape(
          Self.segments, parent: "shape:g",
          #""index":"a1","x":10,"y":0,"rotation":0,"opacity":0.5"#),
        Self.shape(
          "", id: "shape:g", type: "group",
          #""index":"a1","x":100,"y":100,"rotation":1.5707963267948966,"opacity":0.5"#)))
    let stroke = file.strokes().strokes[0]
    #expect(stroke.path[0].location.distance(to: Point(x: 75, y: 82.5)) < 1e-4)
    #expect(stroke.path[1].location.distance(to: Point(x: 75, y: 90)) < 1e-4)
    #expect(abs(stroke.ink.color.alpha - 0.25) < 1e-9)
  }

  @Test func `tldraw highlighters are below, other shapes follow their indices`()
    throws
  {
    let file = try Self.open(
      Self.records(
        Self.shape(
          Self.segments + #","color":"red","dash":"dotted""#, id: "shape:z", #""index":"a2""#),
        Self.shape(
          Self.segments + #","color":"green","fill":"solid""#, id: "shape:y", #""index":"a1V""#),
        Self.shape(
          Self.segments + #","color":"yellow","size":"s""#, id: "shape:h", type: "highlight",
          #""index":"a9""#),
        Self.shape("", id: "shape:t", type: "text", #""index":"a3""#),
        Self.shape(Self.segments, id: "shape:o", parent: "page:none")))
    let strokes = file.strokes().strokes
    #expect(strokes.map(\.ink.color.hex) == ["#FDDD00D1", "#099268", "#E03131"])
    #expect(strokes[0].path.allSatisfy { abs($0.size.width - 0.75 * 18 * 1.12) < 1e-6 })
    // The width is 3.5 pixels plus 1.
    #expect(strokes[2].path.allSatisfy { $0.size.width == 3.375 })
    #expect(strokes[2].ink.inkType == .monoline)
    let notes = file.page?.notes.counts.map(\.text) ?? []
    for text in [
      "dashed lines are drawn whole", "fills are left out",
      "shapes that are no ink are left out: texts",
    ] {
      #expect(notes.contains(text), "\(text)")
    }
  }

  @Test func `tldraw shapes without ink are noted by their kinds`() throws {
    let kinds = [
      "frame": "frames", "geo": "figures", "arrow": "arrows", "line": "lines", "text": "texts",
      "note": "notes", "image": "pictures", "bookmark": "web pages", "carousel": "others",
    ]
    for (kind, name) in kinds {
      let file = try Self.open(
        Self.records(Self.shape("", id: "shape:2", type: kind), Self.shape(Self.segments)))
      #expect(file.strokes().strokes.count == 1)
      let notes = file.page?.notes.counts.map(\.text) ?? []
      #expect(notes.contains("shapes that are no ink are left out: \(name)"), "\(kind)")
    }
  }

  @Test func `an unknown tldraw colour or size becomes the default`() throws {
    let file = try Self.open(
      Self.records(Self.shape(Self.segments + #","color":"plaid","size":"xxxl""#)))
    let stroke = try #require(file.strokes().strokes.first)
    #expect(stroke.ink.color == Color(hex: "#1D1D1D"))
    let notes = file.page?.notes.counts.map(\.text) ?? []
    #expect(notes.contains("colours that are unknown are black"))
  }

  @Test func `a straight tldraw segment stays straight`() throws {
    let file = try Self.open(
      Self.records(
        Self.shape(
          #""segments":[{"type":"straight","points":[{"x":0,"y":0},{"x":5,"y":9},{"x":80,"y":0}]}]"#
        )))
    let path = file.strokes().strokes[0].path
    #expect(path.count == 9)
    #expect(path.allSatisfy { $0.location.y == 15 })
    #expect(path[8].location == Point(x: 67.5, y: 15))
  }

  @Test func `tldraw snapshots with a store are read as well`() throws {
    let record = Self.shape(Self.segments)
    let page = #"{"typeName":"page","id":"page:a","name":"A","index":"a1"}"#
    let store = #""store":{"page:a":\#(page),"shape:1":\#(record)},"schema":{}"#
    for text in ["{\(store)}", #"{"document":{\#(store)},"session":{}}"#] {
      let file = try Self.open(text)
      #expect(file.format == .tldraw)
      #expect(file.strokes().strokes.count == 1)
    }
  }

  @Test func `damaged tldraw shapes lose no others, and circular groups end`() throws {
    let file = try Self.open(
      Self.records(
        Self.shape(#""segments":[{"points":"A*=="}]"#, id: "shape:2"),
        Self.shape(#""segments":[{"path":"AAAA"}]"#, id: "shape:3"),
        Self.shape(#""segments":[{"points":"AAAA"}]"#, id: "shape:4"),
        Self.shape(#""segments":[3]"#, id: "shape:5"), Self.shape(Self.segments), "7",
        Self.shape("", id: "shape:g", type: "group", parent: "shape:k"),
        Self.shape("", id: "shape:k", type: "group", parent: "shape:g"),
        Self.shape("", id: "page:a", type: "group")))
    #expect(file.strokes().strokes.count == 1)
    #expect(file.damage.count == 4)
  }

  @Test func `a cut tldraw file gives the records before the cut`() throws {
    let page = #"{"typeName":"page","id":"page:a","name":"A","index":"a1"}"#
    let file = try Self.open(
      #"{"tldrawFileFormatVersion":1,"records":[\#(page),\#(Self.shape(Self.segments)),{"typeN"#)
    #expect(file.strokes().strokes.count == 1)
    #expect(file.damage.count == 1)
    #expect(throws: DrawingFileError.self) {
      try Self.open(#"{"tldrawFileFormatVersion":1,"records":[]}"#)
    }
  }

  @Test func `a tldraw file with any value replaced is read or refused`() {
    let texts = [
      Self.first(Self.firstDraw("a", 1, #","isGhost":false"#)),
      Self.records(
        Self.shape(
          Self.segments + "," + Self.look + #","isPen":true,"scale":2,"scaleX":1,"scaleY":1"#)),
      Self.records(Self.shape(#""segments":[{"type":"free","dim":2,"path":"AAAA"}]"#)),
    ]
    for text in texts { LackingValueTests.expectSurvival(ofJSON: Array(text.utf8), as: .tldraw) }
  }

  @Test func `fills and hidden shapes of tldraw's first version are not drawn`() throws {
    let file = try Self.open(
      Self.first(
        Self.firstDraw("a", 1, #","style":{"color":"red","isFilled":true}"#) + ","
          + Self.firstDraw("b", 2, #","isGhost":true"#)))
    #expect(file.page?.notes.counts.contains { $0.text == "fills are left out" } == true)
    #expect(file.strokes().strokes.count == 1)
  }

  @Test func `damaged tldraw files do not trap`() {
    Damage.expectSurvival(of: Array(Self.first(Self.firstDraw("a", 1)).utf8), as: .tldraw)
  }
}
