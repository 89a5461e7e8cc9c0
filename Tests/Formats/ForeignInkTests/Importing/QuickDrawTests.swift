import InkFiles
import Graphics
import Strokes
import TestSupport
import Testing

@testable import ForeignInk

struct QuickDrawTests {
  private static let raw = """
    {"word":"cat","countrycode":"VE","timestamp":"2017-03-02 23:25:10.5 UTC","recognized":true,\
    "key_id":"18446744073709551615","drawing":[[[10,20.5,30],[5,-6,7.25],[1000,1017,1050]],\
    [[40],[8],[2500]]]}
    """
  private static let simplified =
    #"{"word":"sun","countrycode":"DE","timestamp":"2017-03-02 23:25:10 UTC","recognized":false,"#
    + #""key_id":"77","drawing":[[[0,255],[4,8]],[[3,3],[9,9]]]}"#

  private static func file(_ lines: String..., ending: String = "\n") throws -> DrawingFile {
    try DrawingFile(Array((lines.joined(separator: "\n") + ending).utf8), options: Self.unfitted)
  }

  private static var unfitted: ImportOptions {
    var options = ImportOptions()
    options.fit = nil
    return options
  }

  private static func page(_ line: String) throws -> ImportedPage {
    try #require(try DrawingFile(Array(line.utf8), as: .quickDraw, options: unfitted).page)
  }

  @Test func `a raw Quick, Draw! drawing has points, times and metadata`() throws {
    let file = try Self.file(Self.raw)
    #expect(file.format == .quickDraw && file.pageCount == 1 && file.damage.isEmpty)
    let page = try #require(file.page)
    #expect(page.name == "cat")
    #expect(
      file.canvas.metadata == [
        "title": "cat", "countrycode": "VE", "recognized": "true",
        "key_id": "18446744073709551615",
      ])
    #expect(page.source.strokes == 2 && page.source.points == 4)
    #expect(page.source.bounds == Rect(from: Point(x: 10, y: -6), to: Point(x: 40, y: 8)))
    let strokes = page.drawing.strokes
    try #require(strokes.count == 2)
    // A pixel is three quarters of a point.
    #expect(strokes[0].path.map(\.location.x) == [7.5, 15.375, 22.5])
    #expect(strokes[0].path.map(\.location.y) == [3.75, -4.5, 5.4375])
    #expect(strokes[0].path.allSatisfy { $0.size == Size(width: 3, height: 3) })
    #expect(strokes[0].ink == PKInk(.monoline, color: .black, widthLaw: .plain))
    for (point, time) in zip(strokes[0].path, [0, 0.017, 0.05]) {
      #expect(abs(point.timeOffset - time) < 1e-6)
    }
    let date = try #require(Timestamp(iso8601: "2017-03-02T23:25:10.5Z"))
    #expect(strokes[0].path.creationDate == date + 1)
    #expect(strokes[1].path.creationDate == date + 2.5)
    #expect(
      page.notes.counts.map(\.text) == [
        "the drawing has no pen: a black one of 4 pixels is taken"
      ])
  }

  @Test func `a simplified Quick, Draw! drawing has straight lines at a hand's pace`() throws {
    let page = try Self.page(Self.simplified)
    let strokes = page.drawing.strokes
    try #require(strokes.count == 2)
    #expect(strokes[0].path.map(\.location) == [Point(x: 0, y: 3), Point(x: 191.25, y: 6)])
    #expect(strokes[0].path.creationDate == Timestamp(iso8601: "2017-03-02T23:25:10Z"))
    #expect(strokes[0].path.duration > 0.5)
    #expect(strokes[1].path.creationDate > strokes[0].path.creationDate + 0.5)
    #expect(page.name == "sun" && page.source.points == 4)
    #expect(page.notes.counts.map(\.count) == [2, 1])
  }

  @Test func `the corners of a simplified Quick, Draw! drawing stay sharp`() throws {
    let page = try Self.page(#"{"word":"","drawing":[[[0,40,40],[0,0,40]]]}"#)
    let path = try #require(page.drawing.strokes.first?.path)
    #expect(path.interpolatedLocation(at: 2) == Point(x: 30, y: 0))
    #expect(path.count == 5)
  }

  @Test func `each Quick, Draw! line is a page, and blank lines are skipped`() throws {
    let file = try Self.file("", Self.raw, " \t\r", Self.simplified + "\r", "")
    #expect(file.pageCount == 2)
    #expect(try file.page(0).page?.name == "cat" && file.page(1).page?.name == "sun")
    #expect(try file.page(1).damage.isEmpty)
    #expect(try Self.file(Self.raw, Self.simplified, ending: "").pageCount == 2)
    #expect(throws: DrawingFileError.noPage(3, pageCount: 2)) { try file.page(2) }
  }

  @Test func `a Quick, Draw! line of zero bytes is damage, not a blank line`() throws {
    let file = try Self.file(Self.raw, "\0\0\0", ending: "")
    #expect(file.pageCount == 2)
    #expect(try file.page(0).damage.isEmpty && !file.page(1).damage.isEmpty)
  }

  @Test func `Quick, Draw! keys come in any order, and unknown ones are skipped`() throws {
    let page = try Self.page(
      #"{ "more" : {"drawing": [1, {"a]": "}\""}], "b": null}, "drawing" : [ [ [ 1 , 2e0 ] ,"#
        + #" [ -3 , 0.5 ] ] ] , "key_id" : 5201136883597312 , "word" : "a \u00e4" } "#)
    #expect(page.name == "a ä" && page.damage.isEmpty)
    #expect(page.canvas.metadata["key_id"] == "5201136883597312")
    let locations = page.drawing.strokes.first?.path.map(\.location)
    #expect(locations == [Point(x: 0.75, y: -2.25), Point(x: 1.5, y: 0.375)])
  }

  @Test func `a damaged Quick, Draw! line loses no other page`() throws {
    let cut = String(Self.raw.dropLast(12))
    let file = try Self.file(cut, "{", "no drawing", #"{"word":"x"}"#, Self.simplified)
    #expect(file.pageCount == 5)
    // The strokes before the damage are read.
    #expect(file.strokes().strokes.count == 1)
    #expect(
      file.damage == [
        .imported(
          .quickDraw, ImportError(.truncated, at: .part("line 1", byte: cut.utf8.count)))
      ])
    for index in 1..<4 {
      #expect(try file.page(index).damage.count == 1)
      #expect(try file.page(index).strokes().strokes.isEmpty)
    }
    #expect(
      try file.page(3).damage == [
        .imported(
          .quickDraw, ImportError(.missing("the key 'drawing'"), at: .part("line 4", byte: 0)))
      ])
    #expect(try file.page(4).damage.isEmpty && file.page(4).strokes().strokes.count == 2)
  }

  @Test func `a Quick, Draw! stroke with lists of different lengths is left out`() throws {
    let page = try Self.page(
      #"{"word":"","drawing":[[[1,2],[3],[0,1]],[[4],[5],[6]],[[7],[8]],[[9],[9],[9]]]}"#)
    #expect(page.drawing.strokes.map { $0.path[0].location.x } == [3, 6.75])
    #expect(
      page.damage.map(\.place) == [
        .part("line 1", byte: 22), .part("line 1", byte: 54),
      ])
    // A drawing in which only some strokes have times is refused, in either order.
    let mixed = [
      ("[[[1,2],[1,2]],[[3],[3],[5,6]],[[4],[4],[7]],[[5],[5]]]", [2, 1]),
      ("[[[1,2],[1,2],[0,1]],[[3],[3]],[[4],[4],[7]]]", [2, 1]),
      ("[[[],[]],[[],[],[]],[[4],[4],[7]],[[5],[5]]]", [1]),
    ]
    for (strokes, counts) in mixed {
      let page = try Self.page(#"{"word":"","drawing":"# + strokes + "}")
      #expect(page.drawing.strokes.map(\.path.count) == counts, "\(strokes)")
      #expect(!page.damage.isEmpty)
    }
    let strokes = String(repeating: "[[1],[]],", count: 500) + "[[1],[1]]"
    let damaged = try Self.page(#"{"drawing":["# + strokes + "]}")
    #expect(damaged.damage.count == 101)
  }

  @Test(arguments: [
    "[[[1,2],[3,4]]", "[[[1,2],[3,4]]]", "[[[1,2],[3,nan]]]}", "[[[1,2]]]}", "[[[1 2],[3,4]]]}",
    "{}}", "[1]}", "[[[1],[1],[1],[1]]]}", "[[[1,],[1,2]]]}", "[]} {}", "[[[1e999],[1]]]}",
    #"[],"word":"\q"}"#, #"[],"word":"}"#, "[],}",
  ])
  func `an invalid Quick, Draw! line is reported with its number`(_ rest: String) throws {
    let page = try Self.page(#"{"drawing":"# + rest)
    let error = try #require(page.damage.first)
    #expect(page.damage.count == 1)
    #expect("\(error)".hasSuffix("of line 1"), "\(error)")
  }

  @Test func `a Quick, Draw! file without lines is refused`() {
    #expect(
      throws: DrawingFileError.imported(.quickDraw, ImportError(.missing("a drawing"), at: 0))
    ) { try DrawingFile(Array(" \n".utf8), as: .quickDraw) }
  }

  @Test func `huge Quick, Draw! coordinates are left out, and huge times do not trap`() throws {
    let page = try Self.page(
      #"{"word":"","drawing":[[[1e300,5,6],[1,2,3],[-1e300,5,1e300]],[[1],[1],[1e300]]]}"#)
    #expect(page.drawing.strokes.map(\.path.count) == [2, 1])
    _ = page.drawing.bounds
  }

  @Test func `damaged Quick, Draw! files are refused or read in part`() {
    Damage.expectSurvival(of: Array(Self.simplified.utf8), as: .quickDraw)
  }

  // MARK: - Numbers

  @Test func `Quick, Draw! numbers are read as the nearest doubles`() throws {
    var random = SplitMix64(seed: 5)
    for round in 0..<20_000 {
      let digits = random.next() >> UInt64.random(in: 0..<63, using: &random)
      var text = String(digits)
      if round % 4 > 0 {
        let place = Int.random(in: 1...text.count, using: &random)
        text.insert(".", at: text.index(text.startIndex, offsetBy: place))
        text += text.hasSuffix(".") ? "5" : ""
      }
      if round % 9 == 0 { text = "-" + text }
      if round % 11 == 0 { text += "e\(Int.random(in: -20...20, using: &random))" }
      let bytes = Array(text.utf8)
      let value = bytes.withUnsafeBufferPointer { bytes in
        var scanner = TextScanner(bytes)
        let value = scanner.number()
        #expect(scanner.isAtEnd)
        return value
      }
      #expect(value == Double(text), "\(text)")
    }
    for text in ["", "-", ".5", "1.", "e5", "+1", "--1", "1.e5"] {
      Array(text.utf8).withUnsafeBufferPointer { bytes in
        var scanner = TextScanner(bytes)
        #expect(scanner.number() == nil && scanner.offset == 0, "\(text)")
      }
    }
  }
}

struct QuickDrawRecipeTests {
  private static func recipe(_ strokes: [[(Double, Double)]]) -> [[Point]] {
    QuickDrawRecipe.simplified(strokes.map { $0.map { Point(x: $0.0, y: $0.1) } })
  }

  @Test func `a simplified drawing starts top left and fills 255 units`() {
    let square = Self.recipe([[(100, -50), (150, -50), (150, 50)], [(100, 50), (100, 0)]])
    #expect(
      square == [
        [Point(x: 0, y: 0), Point(x: 128, y: 0), Point(x: 128, y: 255)],
        [Point(x: 0, y: 255), Point(x: 0, y: 128)],
      ])
  }

  @Test func `simplifying leaves out points within two units of a line`() {
    let bumps = Self.recipe([[(0, 0), (60, 1.9), (120, 0), (180, 2.3), (255, 0)]])
    #expect(
      bumps == [[Point(x: 0, y: 0), Point(x: 180, y: 2), Point(x: 255, y: 0)]])
  }

  @Test func `simplifying rounds halves to even`() {
    #expect(
      Self.recipe([[(0, 0), (510, 0)], [(1, 3), (3, 5)]])[1] == [
        Point(x: 0, y: 2), Point(x: 2, y: 2),
      ])
  }

  @Test func `simplifying keeps dots and empty strokes`() {
    #expect(Self.recipe([]).isEmpty)
    #expect(Self.recipe([[]]) == [[]])
    #expect(Self.recipe([[(7, 7)]]) == [[.zero, .zero]])
    #expect(
      Self.recipe([[(0, 0), (10, 0)], [(10, 0)]])[1]
        == Array(repeating: Point(x: 255, y: 0), count: 2))
  }

  @Test func `simplifying a stroke of 50,000 zigzag points takes limited time`() {
    let points = (0..<50_000).map { Point(x: Double($0 % 2 * 255), y: Double($0) / 1e4) }
    #expect(QuickDrawRecipe.simplified([points])[0].count < 40_000)
  }
}

struct QuickDrawWriterTests {
  private static func text(
    _ line: String, as form: QuickDrawWriter.Form
  ) throws -> String {
    var options = ImportOptions()
    options.keepsCorners = true
    let file = try DrawingFile(Array(line.utf8), as: .quickDraw, options: options)
    let line = QuickDrawWriter.line(file.strokes().drawing, on: file.canvas, as: form)
    return String(decoding: line, as: UTF8.self)
  }

  @Test func `a raw Quick, Draw! line is written as it was read`() throws {
    let line =
      #"{"word":"a \"cat\"","countrycode":"VE","timestamp":"2017-03-02 23:25:10.5 UTC","#
      + #""recognized":false,"key_id":"5201136883597312","#
      + #""drawing":[[[10,13.5],[5,-0.25],[0,17]],[[40],[8],[1500]]]}"# + "\n"
    #expect(try Self.text(line, as: .raw) == line)
  }

  @Test func `a simplified Quick, Draw! line is written as it was read`() throws {
    let line =
      #"{"word":"sun","countrycode":"","timestamp":"2017-03-02 23:25:10 UTC","recognized":true,"#
      + #""key_id":"77","drawing":[[[0,255,200],[0,8,90]],[[3,3],[9,9]]]}"# + "\n"
    #expect(try Self.text(line, as: .simplified) == line)
  }

  @Test func `times of a written raw line count from the first point`() throws {
    let line = #"{"word":"x","key_id":"1","drawing":[[[1,2],[1,2],[30,40]],[[5],[5],[990]]]}"#
    #expect(try Self.text(line, as: .raw).contains("[0,10]],[[5],[5],[960]]]"))
  }

  @Test func `long spans are sampled along the curve in a raw line`() throws {
    let line = #"{"word":"x","drawing":[[[0,32],[0,0]]]}"#
    #expect(try Self.text(line, as: .raw).contains("[[0,8,16,24,32],[0,0,0,0,0],"))
  }

  @Test func `Quick, Draw! lines have moved strokes at their new location`() throws {
    var drawing = PKDrawing(strokes: [
      PKStroke(
        ink: PKInk(.pen),
        path: PKStrokePath(controlPoints: [
          PKStrokePoint(x: 0, y: 0, width: 2), PKStrokePoint(x: 6, y: 0, width: 2),
        ]), transform: AffineTransform(translationX: 3, y: 1.5))
    ])
    func line() -> String { String(decoding: QuickDrawWriter.line(drawing), as: UTF8.self) }
    #expect(line().contains(#""drawing":[[[4,12],[2,2],[0,0]]]"#))
    drawing.strokes[0] = drawing.strokes[0].substroke(range: 0.5...1)
    #expect(line().contains(#""drawing":[[[8,12],[2,2],[0,0]]]"#))
    drawing.strokes.removeAll()
    #expect(line().contains(#""recognized":true,"key_id":"1000000000000000","drawing":[]}"#))
  }

  @Test func `written Quick, Draw! lines can be read`() throws {
    var random = RandomInk(seed: 8)
    for _ in 0..<50 {
      let drawing = random.drawing(strokeCount: 0...4)
      for form in QuickDrawWriter.Form.allCases {
        let line = QuickDrawWriter.line(drawing, as: form)
        let file = try DrawingFile(line)
        #expect(file.format == .quickDraw && file.damage.isEmpty && line.last == 10)
        #expect(!line.dropLast().contains(10))
      }
    }
  }
}

/// Quick, Draw!'s raw and simplified forms of the same drawings.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
struct QuickDrawPairTests {
  @Test func `simplifying raw drawings gives the published simplified ones`() throws {
    var raw: [String: QuickDrawRecord] = [:]
    try Self.forEachDrawing(in: "quickdraw-raw") { raw[$0.keyID] = $0 }
    var (strokeCount, equalCount) = (0, 0)
    try Self.forEachDrawing(in: "quickdraw-simplified") { simplified in
      guard let source = raw[simplified.keyID] else { return }
      let (expected, found) = (
        Self.strokes(simplified), QuickDrawRecipe.simplified(Self.strokes(source))
      )
      strokeCount += expected.count
      equalCount += zip(expected, found).filter { $0 == $1 }.count
    }
    #expect(strokeCount == 1126)
    #expect(equalCount >= 1117, "\(equalCount)")
  }

  private static func strokes(_ record: QuickDrawRecord) -> [[Point]] {
    (0..<record.strokeCount).map { index in
      record.points(ofStroke: index).map { Point(x: record.xs[$0], y: record.ys[$0]) }
    }
  }

  private static func forEachDrawing(
    in folder: String, _ body: (QuickDrawRecord) -> Void
  ) throws {
    for name in Corpus.names(in: folder, suffix: ".ndjson") {
      for line in try Corpus.bytes("\(folder)/\(name)").split(separator: 10) {
        var record = QuickDrawRecord()
        line.withUnsafeBufferPointer { record.read($0) }
        #expect(record.damage.isEmpty)
        body(record)
      }
    }
  }
}
