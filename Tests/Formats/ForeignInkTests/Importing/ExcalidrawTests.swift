import InkFiles
import Foundation
import Graphics
import ForeignInk
import Strokes
import Testing

struct ExcalidrawTests {
  /// An element that was drawn by hand, with given fields before its closing brace.
  private static func freedraw(
    _ points: String, x: Double = 0, y: Double = 0, pressures: String = "[]", _ more: String = ""
  ) -> String {
    """
    {"id":"a","type":"freedraw","x":\(x),"y":\(y),"strokeColor":"#ff0000","strokeWidth":2,\
    "opacity":100,"isDeleted":false,"points":\(points),"pressures":\(pressures)\
    \(more.isEmpty ? "" : ",")\(more)}
    """
  }

  private static func document(_ elements: String...) -> String {
    """
    {"type":"excalidraw","version":2,"source":"test","elements":[\(elements.joined(separator: ","))],\
    "appState":{"gridSize":null,"viewBackgroundColor":"#ffeedd"},"files":{}}
    """
  }

  private static let pressed = freedraw(
    "[[0,0],[40,0],[40,80]]", x: 100, y: 50, pressures: "[0,0.5,1]",
    #""simulatePressure":false,"angle":0"#)

  private static func open(_ text: String) throws -> DrawingFile {
    var options = ImportOptions()
    options.fit = nil
    return try DrawingFile(Array(text.utf8), options: options)
  }

  private static func points(_ file: DrawingFile, _ index: Int = 0) -> [PKStrokePoint] {
    Array(file.strokes().strokes[index].path)
  }

  @Test func `an Excalidraw document is one page with background and drawn widths`()
    throws
  {
    let file = try Self.open(Self.document(Self.pressed))
    #expect(file.format == .excalidraw)
    #expect(file.version == 2)
    #expect(file.pageCount == 1)
    #expect(file.canvas.background == Color(hex: "#ffeedd"))
    #expect(file.canvas.size == nil)
    let stroke = file.strokes().strokes[0]
    #expect(stroke.ink.inkType == .pen)
    #expect(stroke.ink.color == Color(hex: "#ff0000"))
    let points = Self.points(file)
    // Locations are converted from pixels of 1/96 inch.
    #expect(
      points.map(\.location) == [
        Point(x: 75, y: 37.5), Point(x: 105, y: 37.5), Point(x: 105, y: 97.5),
      ])
    // 2 · 4.25 · 2 · sin(π/2 · (0.2 + 0.6 p)) pixels.
    for (point, width) in zip(points, [5.25329, 12.02082, 16.16796]) {
      #expect(abs(point.size.width - 0.75 * width) < 0.01, "\(point.size.width)")
    }
    #expect(abs(points[1].force - 1) < 0.001)
    #expect(abs(points[2].force - 2) < 0.001)
    #expect(file.page?.source.points == 3)
    #expect(file.damage.isEmpty)
  }

  @Test func `the width of Excalidraw strokes without pressure follows the pen's steps`() throws {
    let far = (0..<30).map { "[\($0 * 40),0]" }.joined(separator: ",")
    let near = (0..<200).map { "[\($0),0]" }.joined(separator: ",")
    let file = try Self.open(
      Self.document(
        Self.freedraw("[\(far)]", "\"simulatePressure\":true"),
        Self.freedraw("[\(near)]", "\"simulatePressure\":true")))
    let (fast, slow) = (Self.points(file), Self.points(file, 1))
    // Steps longer than the size give full pressure, shorter steps give some.
    #expect(abs((fast.last?.size.width ?? 0) - 0.75 * 5.25329) < 0.1)
    #expect((slow.last?.size.width ?? 0) > 0.75 * 14)
    #expect(fast.allSatisfy { abs($0.force - 1) < 0.001 })
    // The first ten steps, all longer than the size: ten times, a part of 0.25 is halved.
    var pressure = 0.25
    for index in 0..<10 {
      pressure = (pressure + (index == 0 ? pressure : pressure * (1 - 0.275))) / 2
    }
    let first = 0.75 * 17 * Self.sine((0.2 + 0.6 * pressure) * .pi / 2)
    #expect(abs(fast[0].size.width - first) < 0.01)
  }

  private static func sine(_ angle: Double) -> Double {
    Point(x: 1, y: 0).applying(AffineTransform(rotation: angle)).y
  }

  @Test func `a rotated Excalidraw stroke is turned around its middle`()
    throws
  {
    let file = try Self.open(
      Self.document(Self.freedraw("[[0,0],[40,0]]", x: 10, y: 20, "\"angle\":1.5707963267948966")))
    let places = Self.points(file).map(\.location)
    #expect(places[0].distance(to: Point(x: 22.5, y: 0)) < 1e-4)
    #expect(places[1].distance(to: Point(x: 22.5, y: 30)) < 1e-4)
    #expect(file.page?.source.bounds == Rect(x: 10, y: 20, width: 40, height: 0))
  }

  @Test func `Excalidraw strokes keep opacity, named colours and constant widths`() throws {
    let file = try Self.open(
      Self.document(
        #"{"type":"freedraw","x":0,"y":0,"strokeColor":"blue","opacity":40,"strokeWidth":4,"#
          + #""points":[[0,0],[1,1]],"strokeOptions":{"variability":"constant","streamline":0}}"#,
        Self.freedraw("[[0,0],[3,3]]", #""isDeleted":true"#),
        Self.freedraw("[[0,0],[3,3]]", #""strokeColor":"transparent""#),
        Self.freedraw("[[0,0],[3,3]]", #""strokeColor":"??""#)))
    let strokes = file.strokes().strokes
    #expect(strokes.count == 2)
    #expect(file.page?.source.strokes == 4)
    #expect(strokes[0].ink.color == Color(red: 0, green: 0, blue: 1, alpha: 0.4))
    #expect(strokes[0].ink.inkType == .monoline)
    #expect(abs(strokes[0].path[0].size.width - 0.75 * 11.2) < 0.001)
    #expect(strokes[1].ink.color == .black)
    #expect(
      file.page?.notes.counts.contains { $0.text == "colours that are unknown are black" } == true)
  }

  @Test func `other Excalidraw elements are noted by their kinds`() throws {
    let file = try Self.open(
      Self.document(
        #"{"type":"rectangle","points":7,"x":"a"}"#, #"{"type":"rectangle"}"#, Self.pressed,
        #"{"type":"odd","x":1}"#,
        Self.freedraw("[[0,0],[9,9],[1,1]]", ##""backgroundColor":"#123456""##)))
    let notes = file.page?.notes.counts ?? []
    func count(_ text: String) -> Int? { notes.first { $0.text == text }?.count }
    #expect(count("elements that are no ink are left out: rectangles") == 2)
    #expect(count("elements that are no ink are left out: others") == 1)
    #expect(count("fills of closed strokes are left out") == 1)
    #expect(file.strokes().strokes.count == 2)
  }

  @Test func `the items of an Excalidraw library are pages, in both versions`() throws {
    let items = """
      {"type":"excalidrawlib","version":2,"libraryItems":[
        {"name":"First","elements":[\(Self.pressed)]},
        {"name":"Empty","elements":[{"type":"line"}]},
        {"elements":[\(Self.pressed),\(Self.pressed)],"name":"Last"}]}
      """
    let file = try Self.open(items)
    #expect(file.pageCount == 2)
    #expect(file.page?.name == "First")
    let last = try file.page(1)
    #expect(last.page?.name == "Last")
    #expect(last.strokes().strokes.count == 2)
    #expect(
      file.imported?.notes.counts.first?.text == "items of the library without ink are left out")
    let older = try Self.open(
      #"{"type":"excalidrawlib","version":1,"library":[[\#(Self.pressed)],[\#(Self.pressed)]]}"#)
    #expect(older.pageCount == 2)
    #expect(older.version == 1)
    let empty = try Self.open(
      #"{"type":"excalidrawlib","version":2,"libraryItems":[{"elements":[]}]}"#)
    #expect(empty.pageCount == 1)
    #expect(empty.strokes().strokes.isEmpty)
  }

  @Test(arguments: [
    ("[[0,0],[1]]", "x and y are expected"), ("[[0,0],[1,\"2\"]]", "a number is expected"),
    ("[[0,0],[1,1e999]]", "a number is too large"),
  ])
  func `a damaged Excalidraw stroke loses no other one`(_ points: String, _ reason: String) throws {
    let file = try Self.open(Self.document(Self.pressed, Self.freedraw(points), Self.pressed))
    #expect(file.strokes().strokes.count == 2)
    #expect(file.damage.count == 1)
    #expect(file.damage.first.map { "\($0)".contains(reason) } == true, "\(file.damage)")
  }

  @Test func `Excalidraw points without valid coordinates are left out`() throws {
    let file = try Self.open(
      Self.document(Self.freedraw("[[0,0],[null,1],[2,2],[1e300,0]]"), Self.freedraw("[]")))
    #expect(Self.points(file).count == 2)
    #expect(file.page?.source.strokes == 2)
    #expect(file.page?.source.points == 4)
  }

  @Test func `a cut Excalidraw file gives the strokes before the cut`() throws {
    let whole = Self.document(Self.pressed, Self.pressed)
    let cut = try #require(whole.range(of: "pressures", options: .backwards))
    let file = try Self.open(String(whole[..<cut.lowerBound]))
    #expect(file.strokes().strokes.count == 1)
    #expect(!file.damage.isEmpty)
    #expect(throws: DrawingFileError.self) { try Self.open(#"{"type":"excalidraw","elem"#) }
    #expect(throws: DrawingFileError.self) { try Self.open(#"{"type":"excalidraw"}"#) }
  }

  @Test func `an Excalidraw file with any value replaced is read or refused`() {
    let options = #""strokeOptions":{"variability":"constant","streamline":0.3,"new":[]}"#
    let text = Self.document(Self.pressed, Self.freedraw("[[0,0],[9,9]]", options))
    LackingValueTests.expectSurvival(ofJSON: Array(text.utf8), as: .excalidraw)
  }

  @Test func `damaged Excalidraw files do not trap`() {
    Damage.expectSurvival(
      of: Array(#"{"type":"excalidrawlib","library":[[\#(Self.pressed)]]}"#.utf8), as: .excalidraw)
  }
}
