import InkFiles
import Foundation
import Graphics
import ForeignInk
import Strokes
import TestSupport
import Testing

@testable import ForeignSamples

struct XournalTests {
  private func document(_ body: String, attributes: String = "fileversion='4'") -> String {
    "<?xml version='1.0' standalone='no'?>\n<xournal creator='test' \(attributes)>"
      + "<title>t</title><preview>AAAA</preview>\(body)</xournal>\n"
  }

  private func page(
    _ strokes: String, background: String = "type='solid' color='#ffffffff' style='plain'"
  )
    -> String
  {
    "<page width='100.5' height='200'><background \(background)/><layer>\(strokes)</layer></page>"
  }

  private func stroke(_ text: String, _ attributes: String = "color='#000000ff' width='2'")
    -> String
  {
    "<stroke tool='pen' \(attributes)>\(text)</stroke>"
  }

  /// Opens a file without fitting curves, so that points keep their locations.
  private func open(_ text: String, page: Int = 0) throws -> DrawingFile {
    try open(Array(text.utf8), page: page)
  }

  private func open(_ bytes: [UInt8], page: Int = 0) throws -> DrawingFile {
    var options = ImportOptions()
    options.fit = nil
    return try DrawingFile(bytes, page: page, options: options)
  }

  private func points(_ file: DrawingFile, _ stroke: Int = 0) -> [PKStrokePoint] {
    let strokes = file.strokes().strokes
    return strokes.indices.contains(stroke) ? Array(strokes[stroke].path) : []
  }

  private func notes(_ file: DrawingFile) -> [String] {
    file.page?.notes.counts.map(\.text) ?? []
  }

  @Test func `a Xournal stroke has the points and the width of the file`() throws {
    let file = try open(document(page(stroke("\n1.5 2 3e0 -4 5 6.25\n"))))
    #expect(file.format == .xournal)
    #expect(file.version == 4)
    #expect(file.canvas.size == Size(width: 100.5, height: 200))
    #expect(file.canvas.background == .white)
    #expect(file.canvas.metadata.isEmpty)
    let points = points(file)
    #expect(
      points.map(\.location) == [Point(x: 1.5, y: 2), Point(x: 3, y: -4), Point(x: 5, y: 6.25)])
    #expect(points.map(\.size.width) == [2, 2, 2])
    let ink = try #require(file.strokes().strokes.first?.ink)
    #expect(ink == PKInk(.pen, color: .black, widthLaw: .plain))
    #expect(file.page?.source.strokes == 1)
    #expect(file.page?.source.points == 3)
    #expect(file.damage.isEmpty)
    #expect(notes(file) == ["strokes without times are drawn at the pace of a hand"])
  }

  @Test func `a Xournal point has the mean width of the segments beside it`() throws {
    let file = try open(document(page(stroke("0 0 9 0 18 0 27 0", "color='red' width='4 1 2 3'"))))
    #expect(points(file).map(\.size.width) == [1, 1.5, 2.5, 3])
    // The force is the fraction of the tool's width.
    #expect(points(file).map(\.force) == [0.25, 0.375, 0.625, 0.75])
  }

  private static let widths: [(String, [Double])] = [
    ("2 nan 1 -1 3", [1, 1, 1, 2, 3.0]), ("2 -nan 0 -0.0 nan", [2, 2, 2, 2, 2]),
    ("2 1", [1, 1, 1, 1, 1]), ("2 1 1 1 1 9 9", [1, 1, 1, 1, 1]),
    ("nan", [1.41, 1.41, 1.41, 1.41, 1.41]),
    ("-3", [1.41, 1.41, 1.41, 1.41, 1.41]), ("", [1.41, 1.41, 1.41, 1.41, 1.41]),
    ("2 inf 4 4 4", [4, 4, 4, 4, 4]),
  ]

  @Test(arguments: widths)
  func `invalid Xournal widths come from neighbours`(width: String, expected: [Double]) throws {
    let file = try open(document(page(stroke("0 0 7 0 14 0 21 0 28 0", "width='\(width)'"))))
    let found = points(file).map(\.size.width)
    #expect(found.count == 5)
    for (a, b) in zip(found, expected) { #expect(abs(a - b) < 1e-6, "\(found)") }
  }

  private static let colors: [(String, Color)] = [
    ("#11223344", Color(red: 17 / 255, green: 34 / 255, blue: 51 / 255, alpha: 68 / 255)),
    ("#ff8000", Color(red: 1, green: 128 / 255, blue: 0)),
    ("lightblue", Color(red: 0, green: 192 / 255, blue: 1)),
    ("black", .black), ("unknown", .black),
  ]

  @Test(arguments: colors)
  func `Xournal colours are numbers or names`(name: String, color: Color) throws {
    let file = try open(document(page(stroke("0 0 1 1", "color='\(name)' width='1'"))))
    #expect(file.strokes().strokes.first?.ink.color == color)
    #expect(notes(file).contains("colors that are unknown become black") == (name == "unknown"))
  }

  @Test func `a Xournal highlighter is translucent, and the white eraser draws`() throws {
    let file = try open(
      document(
        page(
          "<stroke tool='highlighter' color='yellow' width='8.5'>0 0 9 9</stroke>"
            + "<stroke tool='highlighter' color='#ffff007f' width='8.5'>0 0 9 9</stroke>"
            + "<stroke tool='eraser' color='white' width='10'>0 0 9 9</stroke>")))
    let inks = file.strokes().strokes.map(\.ink)
    #expect(inks.map(\.inkType) == [.marker, .marker, .monoline])
    // Xournal++ draws all highlighters with this opacity and ignores their alpha. The marker's
    // opacity counts twice, and one pass lays down 0.85 of its ink.
    for (ink, covered) in zip(inks, [120.0 / 255, 120.0 / 255]) {
      #expect(abs(0.85 * ink.color.alpha * ink.color.alpha - covered) < 1e-9)
    }
    #expect(inks.last?.color == .white)
    #expect(notes(file).first == "the strokes of the white eraser are drawn, as on paper")
  }

  private static let papers: [(String, String?)] = [
    ("lined", "lined"), ("ruled", "lined"), ("graph", "grid"), ("dotted", "dotted"),
    ("staves", "staves"), ("isograph", "isometric"), ("isodotted", "isometric"), ("plain", nil),
    ("wavy", nil),
  ]

  @Test(arguments: papers)
  func `a Xournal page keeps its ruled paper`(style: String, paper: String?) throws {
    let background = "type='solid' color='pink' style='\(style)'"
    let file = try open(document(page(stroke("0 0 1 1"), background: background)))
    #expect(file.canvas.metadata["paper"] == paper)
    #expect(file.canvas.background == Color(red: 1, green: 192 / 255, blue: 212 / 255))
    #expect(notes(file).contains("the paper's style “wavy” is unknown") == (style == "wavy"))
    #expect(notes(file).contains("the paper's lines have our distances") == (paper != nil))
  }

  @Test func `Xournal elements without ink are left out and noted`() throws {
    let strokes =
      "<text font='Sans' size='12' x='1' y='2' color='#000000ff'>1 2 3</text>"
      + "<image left='1'>AAAA</image><teximage text='x'>AAAA</teximage>"
      + stroke(
        "0 0 9 9", "color='red' width='1' fill='128' style='dash' capStyle='butt' fn='a.mp3'")
    for (type, text) in [
      ("pdf", "the page of a PDF file below the ink is left out"),
      ("pixmap", "the picture below the ink is left out"),
    ] {
      let file = try open(
        document(page(strokes, background: "type='\(type)' filename='/etc/passwd'")))
      #expect(file.strokes().strokes.count == 1)
      #expect(
        notes(file) == [
          text, "typed text is left out", "pictures are left out", "formulas are left out",
          "fills are left out; their outlines are drawn", "dashed and dotted lines are drawn whole",
          "flat ends are drawn round", "the sound that was recorded with the ink is left out",
          "strokes without times are drawn at the pace of a hand",
        ])
    }
  }

  @Test func `Xournal shapes have straight sides, and handwriting has curves`() throws {
    let corners = try open(document(page(stroke("0 0 50 0 50 50"))))
    #expect(points(corners).count == 5)
    let curve = try open(document(page(stroke("0 0 5 0 5 5"))))
    #expect(points(curve).count == 3)
    let pressed = try open(document(page(stroke("0 0 50 0 50 50", "width='2 1 1'"))))
    #expect(points(pressed).count == 3)
  }

  @Test func `Xournal layers and pages keep their order`() throws {
    let layers =
      "<page width='10' height='20'><background type='solid' color='white' style='plain'/>"
      + "<layer>\(stroke("1 1 2 2"))</layer><layer name='x'>\(stroke("3 3 4 4"))</layer></page>"
    let text = document(layers + page("") + page(stroke("5 5 6 6")))
    let file = try open(text)
    #expect(file.pageCount == 3)
    #expect(points(file, 0).first?.location == Point(x: 1, y: 1))
    #expect(points(file, 1).first?.location == Point(x: 3, y: 3))
    #expect(try file.page(1).strokes().strokes.isEmpty)
    #expect(points(try file.page(2)).first?.location == Point(x: 5, y: 5))
    let names = try (0..<3).flatMap { try file.page($0).strokes().strokes.map(\.id) }
    #expect(Set(names).count == 3)
  }

  @Test func `a Xournal document is read plain, from gzip and from a ZIP archive`() throws {
    let text = Array(document(page(stroke("1 2 3 4")), attributes: "version='0.4.8'").utf8)
    let forms = [
      text, Packing.gzip(text), Packing.zip([("content.xml", text)]),
      Packing.zip([("mimetype", Array(" application/xournal++\n".utf8)), ("content.xml", text)]),
    ]
    for bytes in forms {
      let file = try open(bytes)
      #expect(file.format == .xournal)
      #expect(file.version == 0)
      #expect(points(file).map(\.location) == [Point(x: 1, y: 2), Point(x: 3, y: 4)])
    }
  }

  @Test func `another archive with the same entry is not recognized as Xournal`() {
    let office = Packing.zip([
      ("mimetype", Array("application/vnd.oasis.opendocument.text".utf8)),
      ("content.xml", Array("<xournal/>".utf8)),
    ])
    #expect(DrawingFile.Format(recognizing: office) == nil)
    #expect(
      DrawingFile.Format(recognizing: Packing.zip([("content.xml", Array("<a/>".utf8))])) == nil)
    #expect(DrawingFile.Format(recognizing: Packing.zip([("a", [])])) == nil)
  }

  @Test func `an unreadable archive is not recognized as Xournal`() throws {
    let start: [UInt8] = [0x50, 0x4B, 3, 4]
    for bytes in [start, start + [UInt8](repeating: 0, count: 99)] {
      #expect(DrawingFile.Format(recognizing: bytes) == nil)
      #expect(throws: DrawingFileError.self) { try DrawingFile(bytes) }
    }
  }

  private static let damaged: [(String, Int, ImportError.Reason?)] = [
    ("1 2 x 4", 1, .expected("a number")),
    ("1 2 3", 1, .missing("the y of a stroke's last point")),
    ("", 0, .missing("the points of a stroke")),
    ("1 2 nan 4 inf -inf 5 6", 2, nil),
  ]

  @Test(arguments: damaged)
  func `damaged Xournal strokes are skipped`(text: String, count: Int, reason: ImportError.Reason?)
    throws
  {
    let file = try open(document(page(stroke(text) + stroke("7 8 9 9"))))
    let strokes = file.strokes().strokes
    #expect(strokes.map(\.path.count) == (count > 0 ? [count, 2] : [2]))
    guard let reason else {
      #expect(file.damage.isEmpty)
      #expect(notes(file).first == "points that are no places are left out")
      return
    }
    let offset = document(page(stroke(text))).utf8.split(separator: UInt8(ascii: "<"))
    #expect(!offset.isEmpty)
    guard case .imported(.xournal, let error) = file.damage.first else {
      Issue.record("no damage")
      return
    }
    #expect(error.reason == reason)
    let place = try #require(error.offset)
    #expect(Array(document(page(stroke(text))).utf8)[place...].starts(with: "<stroke".utf8))
  }

  @Test func `a cut Xournal document keeps the strokes before the cut`() throws {
    let text = document(
      page(stroke("1 2 3 4")) + page(stroke("5 6 7 8") + stroke("9 9 10 10 11 11")))
    let cut = try #require(text.range(of: " 11 11")).lowerBound
    let file = try open(String(text[..<cut]))
    #expect(file.pageCount == 2)
    #expect(file.damage.isEmpty)
    let last = try file.page(1)
    #expect(last.strokes().strokes.map(\.path.count) == [2, 2])
    #expect("\(last.damage)".contains("no element found"))
    // Compressed text that is cut is read in part, too.
    let packed = Packing.gzip(Array(text.utf8))
    let half = try open(Array(packed[..<(packed.count - 4)]))
    #expect(half.pageCount == 2)
    #expect(!(try half.page(1)).damage.isEmpty)
  }

  @Test func `a Xournal document without a page is refused`() throws {
    func reason(_ bytes: [UInt8], limit: Int = 1 << 20) -> ImportError.Reason? {
      var options = ImportOptions()
      options.decompressedBytes = limit
      do throws(DrawingFileError) {
        _ = try DrawingFile(bytes, as: .xournal, options: options)
        return nil
      } catch {
        guard case .imported(.xournal, let error) = error else { return nil }
        return error.reason
      }
    }
    #expect(reason(Array(document("").utf8)) == .missing("a page"))
    #expect(reason([]) == .syntax("no element found"))
    #expect(reason(Array("<xournal>".utf8)) == .syntax("no element found"))
    #expect(reason(Packing.zip([("other.xml", [])])) == .missing("content.xml"))
    let text = Array(document(page(stroke(String(repeating: "1 2 ", count: 10_000)))).utf8)
    #expect(
      reason(Packing.gzip(text), limit: 1_000) == .compression("the text has more than 1000 bytes"))
    let entity = "<!DOCTYPE xournal [<!ENTITY a 'b'>]>" + document(page(""))
    #expect(reason(Array(entity.utf8)) != nil)
  }

  @Test func `Xournal pages with impossible sizes become A4 pages`() throws {
    for size in [
      "width='0' height='-1'", "width='nan' height='1e300'", "", "width='a' height='inf'",
    ] {
      let file = try open(document("<page \(size)><layer>\(stroke("1 1 2 2"))</layer></page>"))
      #expect(file.canvas.size == Size(width: 595.28, height: 841.89))
    }
  }

  @Test func `damaged Xournal documents are read or refused`() {
    let text = document(
      page(
        stroke("1 2 3 4 5 6", "color='#0000ff80' width='2 1 nan' fill='3'"),
        background: "type='solid' color='blue' style='graph'"))
    Damage.expectSurvival(of: Array(text.utf8), as: .xournal)
    Damage.expectSurvival(of: Packing.zip([("content.xml", Array(text.utf8))]), as: .xournal)
  }
}
