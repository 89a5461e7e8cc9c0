import InkFiles
import Graphics
import ForeignInk
import PKDFormat
import Strokes
import TestSupport
import Testing

@testable import ForeignSamples

struct SupernoteTests {
  private typealias Notebook = SupernoteNotebook
  private typealias Stroke = SupernoteNotebook.Stroke

  /// Points (1/72 inch) per pixel of the tablet that made these notebooks.
  private let unit = 72.0 / 226

  private func file(
    _ notebook: SupernoteNotebook, _ change: (inout ImportOptions) -> Void = { _ in }
  ) throws -> DrawingFile {
    var options = ImportOptions()
    options.fit = nil
    change(&options)
    return try DrawingFile(notebook.bytes, options: options)
  }

  private func file(_ strokes: [SupernoteNotebook.Stroke]) throws -> DrawingFile {
    try file(Notebook(pages: [.init(strokes: strokes)]))
  }

  private func drawn(_ strokes: [SupernoteNotebook.Stroke]) throws -> [PKStroke] {
    try file(strokes).strokes().strokes
  }

  private func notes(_ file: DrawingFile) -> [String] {
    file.page?.notes.counts.map(\.text) ?? []
  }

  private func failure(_ bytes: [UInt8]) -> ImportError? {
    do throws(DrawingFileError) {
      _ = try DrawingFile(bytes, as: .supernote)
      return nil
    } catch {
      guard case .imported(.supernote, let error) = error else { return nil }
      return error
    }
  }

  private func errors(_ file: DrawingFile) -> [ImportError] {
    file.damage.compactMap { error in
      if case .imported(_, let error) = error { error } else { nil }
    }
  }

  /// The widths along a stroke, in pixels.
  private func widths(_ stroke: PKStroke) -> [Double] { stroke.path.map { $0.size.width / unit } }

  /// A box as an outline.
  private func box(
    _ x: ClosedRange<Float>, _ y: ClosedRange<Float>
  ) -> [(x: Float, y: Float)] {
    [
      (x.lowerBound, y.lowerBound), (x.upperBound, y.lowerBound), (x.upperBound, y.upperBound),
      (x.lowerBound, y.upperBound),
    ]
  }

  // MARK: - Strokes

  @Test func `Supernote points are mirrored from the digitizer to the page`() throws {
    let file = try file([Stroke()])
    #expect(file.format == .supernote && file.version == 20_230_015 && file.pageCount == 1)
    let points = Array(try #require(file.strokes().strokes.first).path)
    // A tenth of a digitizer unit is a pixel here: 1403 − 1303 and 1403 − 1203.
    #expect(points.map { ($0.location.x / unit * 1000).rounded() / 1000 } == [100, 200])
    #expect(points.map { ($0.location.y / unit * 1000).rounded() / 1000 } == [200, 200])
    #expect(abs(points[0].force - 1000 / 2047.5) < 1e-3)
    #expect(abs(points[1].force - 2000 / 2047.5) < 1e-3)
    #expect(abs(points[0].altitude - .pi / 2) < 1e-3 && abs(points[1].altitude - .pi / 4) < 1e-3)
    let size = try #require(file.canvas.size)
    #expect(abs(size.width - 1404 * unit) < 1e-9 && abs(size.height - 1872 * unit) < 1e-9)
    #expect(file.page?.source.points == 2 && file.damage.isEmpty)
    #expect(file.page?.name == "")
  }

  @Test func `Supernote needle pens have their set width at any pressure`() throws {
    let stroke = try #require(try drawn([Stroke(outline: [box(90...210, 190...210)])]).first)
    #expect(widths(stroke).allSatisfy { abs($0 - 4) < 1e-3 })
    #expect(stroke.ink == PKInk(.monoline, color: .black, widthLaw: .plain))
  }

  @Test func `Supernote markers have the mean width of their outline`() throws {
    // A line of 100 pixels with round ends of 20 has this area; the box is made of the same area.
    let area = 100 * 20 + Float.pi * 100
    let stroke = Stroke(
      pen: 11, color: 1, thickness: 3_800, outline: [box(100...200, 200...(200 + area / 100))])
    let drawn = try #require(try drawn([stroke]).first)
    #expect(widths(drawn).allSatisfy { abs($0 - 20.85) < 1e-2 })
    #expect(drawn.ink.inkType == .pen)
    // Without an outline, the set width is used.
    let plain = try #require(try self.drawn([Stroke(pen: 5, thickness: 3_800)]).first)
    #expect(widths(plain).allSatisfy { abs($0 - 38) < 1e-2 })
  }

  @Test(arguments: [UInt32(1), 15, 16])
  func `swelling Supernote pens are as wide as their outline at each point`(pen: UInt32) throws {
    // Steps of ten pixels, from 4 to 24 pixels wide; the outline extends by half of the width.
    let points = (0...100).map { (x: UInt32(13_030 - 100 * $0), y: UInt32(5_000)) }
    let wedge: [(x: Float, y: Float)] = [
      (98, 498), (1112, 488), (1112, 512), (98, 502),
    ]
    let stroke = Stroke(
      pen: pen, thickness: 1_200, points: points,
      pressures: [UInt16](repeating: 1_000, count: 101), tilts: [], outline: [wedge])
    let found = widths(try #require(try drawn([stroke]).first))
    #expect(found.count == 101)
    for (index, width) in found.enumerated().dropFirst(3).dropLast(3) {
      #expect(abs(width - (4.85 + 0.2 * Double(index))) < 0.5, "\(index)")
    }
  }

  @Test func `a Supernote stroke is not wider where it crosses itself`() throws {
    // A cross of two bars of 6 pixels; the stroke runs along both.
    let bars: [(x: Float, y: Float)] = [
      (200, 297), (297, 297), (297, 200), (303, 200), (303, 297), (400, 297), (400, 303),
      (303, 303), (303, 400), (297, 400), (297, 303), (200, 303),
    ]
    let across = (0...20).map { (x: 12_030 - 100 * UInt32($0), y: UInt32(3_000)) }
    let down = (0...20).map { (x: UInt32(11_030), y: 2_000 + 100 * UInt32($0)) }
    let stroke = Stroke(
      pen: 16, thickness: 600, points: across + down, pressures: [], tilts: [], outline: [bars])
    let found = widths(try #require(try drawn([stroke]).first))
    #expect(found.allSatisfy { $0 < 10 })
    #expect(abs(found[5] - 6.85) < 1)
  }

  @Test func `pressure gives the width of a Supernote stroke without an outline`() throws {
    let file = try file([
      Stroke(pen: 16, thickness: 1_000), Stroke(pen: 1, thickness: 1_000, pressures: [0, 0]),
      Stroke(pen: 15, thickness: 1_000, outline: [[(.nan, 0), (1, 1), (2, 0)]]),
    ])
    let found = file.strokes().strokes.map(widths)
    let expected = [[7.7 / 1.5, 7.7 / 0.75], [18, 18], [3.8 / 1.5, 3.8 / 0.75]]
    for (found, expected) in zip(found.joined(), expected.joined()) {
      #expect(abs(found - expected - 0.85) < 1e-2)
    }
    #expect(
      file.page?.notes.counts.first {
        $0.text == "widths of strokes without an outline are estimated by their pressure"
      }?.count == 3)
  }

  @Test func `Supernote ruler lines are straight and even`() throws {
    let line = Stroke(
      inkClass: 0, kind: "straightLine",
      points: [(13_030, 2_000), (12_030, 2_000), (12_030, 3_000)], pressures: [0, 0, 0])
    let stroke = try #require(try drawn([line]).first)
    // A corner is three control points.
    #expect(stroke.path.count == 5)
    #expect(stroke.path.allSatisfy { $0.force == 1 })
  }

  @Test func `Supernote colours are greys, numbered one higher for markers`() throws {
    let colors: [UInt32] = [0, 1, 48, 157, 158, 80, 81, 201, 202, 254, 100]
    let file = try file(colors.map { Stroke(color: $0) })
    let (dark, light) = (157.0 / 255, 201.0 / 255)
    #expect(
      file.strokes().strokes.map(\.ink.color.red)
        == [0, 0, dark, dark, dark, light, light, light, light, 1, 100.0 / 255])
    #expect(notes(file).contains("unknown colours are drawn as a grey of their number"))
  }

  @Test func `erased Supernote strokes, lassos and boxes are counted, not drawn`() throws {
    let file = try file([
      Stroke(state: -99), Stroke(state: -2), Stroke(pen: 3, color: 255, inkClass: -2),
      Stroke(pen: 9, color: 255, inkClass: -4), Stroke(pen: 4, inkClass: -5),
      Stroke(inkClass: 0, kind: "0001"), Stroke(pen: 77),
    ])
    #expect(file.strokes().strokes.count == 1)
    #expect(file.page?.source.strokes == 7)
    #expect(
      notes(file).filter { !$0.contains("pace") && !$0.contains("outline") } == [
        "boxes of headings, links and stars are left out",
        "unknown pens are drawn as an ink pen",
      ])
  }

  // MARK: - Pages

  @Test func `Supernote pages come by number, with the size of the tablet`() throws {
    let sizes: [(String, String, Double, Double)] = [
      ("A5X", "1000", 1404 / 226.0, 1872 / 226.0), ("A6X", "1000", 4.68, 6.24),
      ("N6", "1090", 6.24, 4.68), ("N5", "1000", 6.4, 1920 / 225.0),
    ]
    for (equipment, orientation, width, height) in sizes {
      let pages = (0..<12).map {
        Notebook.Page(
          strokes: [Stroke](repeating: Stroke(), count: $0), orientation: orientation)
      }
      let file = try file(Notebook(equipment: equipment, pages: pages))
      #expect(file.pageCount == 12)
      let counts = try (0..<12).map { try file.page($0).strokes().strokes.count }
      #expect(counts == Array(0..<12))
      let size = try #require(file.canvas.size)
      #expect(abs(size.width - 72 * width) < 1e-6, "\(equipment)")
      #expect(abs(size.height - 72 * height) < 1e-6, "\(equipment)")
    }
  }

  @Test func `hidden Supernote layers are drawn only on request`() throws {
    var page = Notebook.Page(strokes: [
      Stroke(color: 254, layer: 1), Stroke(color: 201, layer: 0), Stroke(color: 0, layer: 2),
      Stroke(color: 157, layer: 0), Stroke(color: 48, layer: 3),
    ])
    page.sequence = "LAYER1,MAINLAYER,LAYER2,BGLAYER"
    page.info =
      ##"[{"layerId"#2,"name"#"a # \" b","isVisible"#false,"isDeleted"#false},"##
      + ##"{"layerId"#3,"isVisible"#true,"isDeleted"#true},{"layerId"#0,"isVisible"#true}]"##
    let notebook = Notebook(pages: [page])
    let hidden = try file(notebook)
    func greys(_ file: DrawingFile) -> [Double] {
      file.strokes().strokes.map { ($0.ink.color.red * 255).rounded() }
    }
    #expect(greys(hidden) == [201, 157, 255])
    #expect(hidden.page?.source.strokes == 5)
    #expect(notes(hidden).contains("strokes of hidden layers are left out"))
    #expect(greys(try file(notebook) { $0.readsHidden = true }) == [157, 0, 201, 157, 255])
  }

  @Test func `pictures behind Supernote ink are left out`() throws {
    let lined = try file(Notebook(pages: [.init(style: "user_Lined")]))
    #expect(notes(lined) == ["the picture behind the page is left out"])
    #expect(notes(try file(Notebook(pages: [.init(style: "style_white_a5x2")]))).isEmpty)
    let mark = try file(Notebook(start: "markSN_FILE_VER_20230015"))
    #expect(mark.strokes().strokes.count == 1)
    #expect(mark.imported?.notes.counts.map(\.text) == ["the document below the ink is left out"])
  }

  // MARK: - Damage

  @Test func `Supernote notebooks of pictures, and other files, are refused`() {
    #expect(
      failure(Array("SN_FILE_ASA_20190529".utf8))?.reason
        == .unsupported("a Supernote notebook that holds only pictures"))
    #expect(failure(Array("notes".utf8))?.reason == .expected("the start of a Supernote notebook"))
    #expect(failure(Array("noteSN_FILE_VER_2023".utf8))?.reason == .truncated)
    #expect(failure(Notebook(pages: []).bytes)?.reason == .missing("a page"))
    let keys = String(repeating: "<:>", count: 100_001)
    #expect(
      failure(Notebook(footer: keys).bytes)?.reason == .tooMany("keys in a text", limit: 100_000))
    var bytes = Notebook().bytes
    bytes[bytes.count - 1] = 0xFF
    #expect(failure(bytes)?.reason == .truncated)
  }

  @Test func `a Supernote page that is listed twice is one page`() throws {
    var notebook = Notebook()
    let bytes = String(decoding: notebook.bytes, as: UTF8.self)
    let address = try #require(bytes.split(separator: "<PAGE1:").last?.prefix { $0 != ">" })
    notebook.footer = "<PAGE2:\(address)><PAGE3:x><PAGEX:7>"
    #expect(try file(notebook).pageCount == 1)
  }

  @Test func `a damaged Supernote page loses no others`() throws {
    var notebook = Notebook()
    notebook.footer = "<PAGE0:99999999>"
    let bytes = notebook.bytes
    let file = try DrawingFile(bytes)
    #expect(file.strokes().strokes.isEmpty && file.damage.count == 1)
    #expect(try file.page(1).strokes().strokes.count == 1)
  }

  @Test func `a damaged Supernote stroke loses no others`() throws {
    var page = Notebook.Page(strokes: [Stroke(), Stroke(), Stroke(), Stroke()])
    page.damaged[0] = Stroke(height: 0).bytes
    var cut = Stroke().bytes
    cut.bytes.removeLast(80)
    page.damaged[2] = cut
    var counted = TabletBytes()
    counted.bytes = Array(Stroke().bytes.bytes.prefix(208)) + [0xFF, 0xFF, 0xFF, 0xFF]
    page.damaged[3] = counted
    let file = try file(Notebook(pages: [page]))
    #expect(file.strokes().strokes.count == 1)
    #expect(
      errors(file).map(\.reason) == [
        .expected("the size of the digitizer"), .truncated,
        .tooMany("values of a stroke", limit: 0),
      ])
  }

  @Test func `too complex Supernote outlines leave the set width`() throws {
    // All edges and all points are in one cell.
    let zigzag: [(x: Float, y: Float)] = (0..<20_000).map { (index: Int) in
      (x: Float(100 + index % 3), y: Float(200 + index % 2))
    }
    let points = [(x: UInt32, y: UInt32)](repeating: (13_030, 2_000), count: 20_000)
    let stroke = Stroke(pen: 16, points: points, pressures: [], tilts: [], outline: [zigzag])
    let clock = ContinuousClock()
    let time = try clock.measure { _ = try drawn([stroke]) }
    #expect(time < .seconds(2))
  }

  @Test func `damaged Supernote notebooks are refused or read in part`() {
    let wedge: [(x: Float, y: Float)] = [(98, 198), (212, 188), (212, 212), (98, 202)]
    let notebook = Notebook(pages: [
      .init(strokes: [Stroke(pen: 16, outline: [wedge]), Stroke(pen: 11, outline: [wedge])])
    ])
    Damage.expectSurvival(of: notebook.bytes, as: .supernote, changes: 4_000)
  }

  // MARK: - Real notebooks

  /// The strokes and points of each page, counted by an independent reader.
  static let counts: [(name: String, strokes: [Int], drawn: [Int])] = [
    ("erase-n5-20260016-no-white-pen", [10], [0]),
    ("ink-a5x-2.14.28-old-pen-width", [146], [146]),
    ("line-n5-20260016-ruler-tool", [6, 2, 1], [6, 2, 0]),
    ("stroke-n5-20260016-isolation-tools-colors-widths", [1, 4, 4, 4, 2], [1, 4, 4, 4, 2]),
  ]

  @Test(.enabled(if: Corpus.isPresent, "\(Corpus.absence)"), arguments: counts.indices)
  func `real Supernote notebooks have the counted pages and strokes`(index: Int) throws {
    let (name, strokes, drawn) = Self.counts[index]
    let file = try DrawingFile(try Corpus.bytes("supernote/\(name).note"))
    #expect(file.format == .supernote)
    let pages = try (0..<file.pageCount).map { try file.page($0) }
    #expect(pages.map { $0.page?.source.strokes } == strokes)
    #expect(pages.map { $0.strokes().strokes.count } == drawn)
    #expect(pages.allSatisfy { $0.damage.isEmpty })
    for page in pages { _ = try page.contents().encodeRecording() }
  }
}
