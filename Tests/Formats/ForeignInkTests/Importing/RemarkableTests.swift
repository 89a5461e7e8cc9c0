import InkFiles
import Graphics
import ForeignInk
import Strokes
import TestSupport
import Testing

@testable import ForeignSamples

struct RemarkableTests {
  private typealias Page = RemarkablePage

  /// Points (1/72 inch) per pixel.
  private let unit = 72.0 / 226

  private func file(
    _ bytes: [UInt8], _ change: (inout ImportOptions) -> Void = { _ in }
  ) throws -> DrawingFile {
    var options = ImportOptions()
    options.fit = nil
    change(&options)
    return try DrawingFile(bytes, options: options)
  }

  private func strokes(_ bytes: [UInt8]) throws -> [PKStroke] {
    try file(bytes).strokes().strokes
  }

  private func notes(_ bytes: [UInt8]) throws -> [String] {
    try #require(try file(bytes).page).notes.counts.map(\.text)
  }

  private func failure(_ bytes: [UInt8]) -> ImportError? {
    do throws(DrawingFileError) {
      _ = try DrawingFile(bytes, as: .remarkable)
      return nil
    } catch {
      guard case .imported(.remarkable, let error) = error else { return nil }
      return error
    }
  }

  private func errors(_ file: DrawingFile) -> [ImportError] {
    file.damage.compactMap { error in
      if case .imported(_, let error) = error { error } else { nil }
    }
  }

  private func isClose(_ a: Double, _ b: Double) -> Bool { abs(a - b) < 1e-4 }

  /// The first location of each stroke on the page, in rounded pixels.
  private func starts(_ bytes: [UInt8]) throws -> [[Int]] {
    try strokes(bytes).map {
      [
        Int(($0.path[0].location.x / unit).rounded()),
        Int(($0.path[0].location.y / unit).rounded()),
      ]
    }
  }

  // MARK: - Versions 3 and 5

  @Test(arguments: [3, 5])
  func `points of old reMarkable versions keep location, width and pressure`(version: Int) throws {
    let bytes = Page.layered([[.init()]], version: version)
    let file = try file(bytes)
    #expect(file.format == .remarkable && file.version == version && file.pageCount == 1)
    let strokes = file.strokes().strokes
    let points = Array(try #require(strokes.first).path)
    #expect(points.count == 2)
    #expect(isClose(points[0].location.x, 100 * unit))
    #expect(isClose(points[0].location.y, 200 * unit))
    #expect(isClose(points[1].location.x, 300 * unit))
    #expect(points.map { ($0.size.width / unit * 100).rounded() / 100 } == [4, 8])
    #expect(points.map(\.force) == [1, 2])
    #expect(strokes[0].ink == PKInk(.monoline, color: .black, widthLaw: .plain))
    let size = try #require(file.canvas.size)
    #expect(isClose(size.width, 1404 * unit) && isClose(size.height, 1872 * unit))
    #expect(file.page?.source.strokes == 1 && file.page?.source.points == 2)
    #expect(file.page?.source.bounds?.maxX == 300)
    #expect(file.damage.isEmpty)
  }

  @Test func `lower reMarkable layers are drawn first`() throws {
    let bytes =
      Page.layered([[.init(color: 1), .init(color: 7)], [], [.init(color: 6)]]) + [0]
    #expect(try file(bytes).damage.isEmpty)
    let colors = try strokes(bytes).map(\.ink.color)
    #expect(
      colors == [
        Color(white: 144.0 / 255), Color(hex: "#B33E39"), Color(hex: "#4E69C9"),
      ])
  }

  @Test func `each reMarkable tool becomes an ink that looks like it`() throws {
    let tools: [(UInt32, PKInk.InkType)] = [
      (0, .pen), (12, .pen), (1, .pencil), (14, .pencil), (2, .pen), (15, .pen), (3, .pen),
      (16, .pen), (4, .monoline), (17, .monoline), (5, .marker), (18, .marker), (7, .pencil),
      (13, .pencil), (21, .pen), (23, .pen), (99, .pen),
    ]
    let bytes = Page.layered([tools.map { .init(tool: $0.0) }])
    #expect(try strokes(bytes).map(\.ink.inkType) == tools.map(\.1))
    #expect(try strokes(bytes).allSatisfy { $0.ink.widthLaw == .plain })
    #expect(try notes(bytes).contains("unknown pens are drawn as a ballpoint"))
  }

  @Test func `the reMarkable eraser paints white, its area eraser nothing`() throws {
    let bytes = Page.layered([[.init(tool: 6), .init(tool: 8)]])
    let file = try file(bytes)
    #expect(file.strokes().strokes.map(\.ink.color) == [.white])
    #expect(file.page?.source.strokes == 2)
    #expect(try notes(bytes).contains("strokes of the eraser are drawn white"))
    #expect(try notes(bytes).contains("strokes of the area eraser are left out"))
  }

  @Test func `a reMarkable pencil gets lighter at low pressure`() throws {
    let points: [Page.PenPoint] = [(0, 0, 4, 0), (10, 0, 4, 0.25), (20, 0, 4, 1)]
    let strokes = try strokes(
      Page.layered([[.init(tool: 1, points: points), .init(tool: 15, points: points)]]))
    let opacities = strokes.map { $0.path.map { ($0.opacity * 1000).rounded() / 1000 } }
    #expect(opacities == [[0.6, 0.9, 1], [1, 1, 1]])
  }

  @Test func `a reMarkable highlighter is a blade across the stroke's direction`() throws {
    let down: [Page.PenPoint] = [(500, 0, 30, 1), (500, 50, 30, 1), (500, 100, 30, 1)]
    let stroke = try #require(
      try strokes(Page.layered([[.init(tool: 18, color: 3, points: down)]])).first)
    #expect(stroke.ink.color == Color(hex: "#FFED75"))
    for point in stroke.path {
      #expect(abs(point.azimuth - .pi / 2) < 1e-3)
      #expect(abs(point.size.height - 30 * unit) < 1e-2)
      #expect(abs(point.size.width - 5) < 1e-2)
    }
    // The drawn blade has the width of the file.
    #expect(abs(stroke.renderBounds.width - 30 * unit) < 4)
  }

  @Test func `a cut reMarkable page keeps the strokes before the cut`() throws {
    let whole = Page.layered([[.init(), .init()]])
    let file = try file(Array(whole.dropLast(5)))
    #expect(file.strokes().strokes.count == 1)
    #expect(errors(file).map(\.reason) == [.tooMany("points", limit: 1)])
    #expect(errors(file).map(\.place) == [.byte(whole.count - 48)])
  }

  @Test func `reMarkable counts that are greater than the file are refused`() throws {
    var bytes = Page.header("5")
    bytes.add(UInt32.max)
    let file = try file(bytes.bytes)
    #expect(file.strokes().strokes.isEmpty)
    #expect(errors(file).map(\.reason) == [.tooMany("layers", limit: 0)])
    #expect(errors(file).map(\.place) == [.byte(47)])
  }

  @Test func `reMarkable points without valid coordinates are left out`() throws {
    let points: [Page.PenPoint] = [
      (.nan, 0, 4, 1), (1, .infinity, 4, 1), (5, 6, .nan, .nan), (3e38, 0, 4, 1),
    ]
    let bytes = Page.layered([[.init(points: points)]])
    let stroke = try #require(try strokes(bytes).first)
    #expect(stroke.path.count == 1)
    #expect(stroke.path[0].size.width == 1)
    #expect(try notes(bytes).contains("points that are no places are left out"))
  }

  @Test func `unknown versions of reMarkable pages are refused`() {
    #expect(
      failure(Page.header("4").bytes)?.reason
        == .unsupported("a reMarkable page of an unknown version"))
    #expect(
      failure(TabletBytes("reMarkable lines with selections and layers").bytes)?.reason
        == .unsupported("a reMarkable page of a version before 3"))
    #expect(failure(Array("ink".utf8))?.reason == .expected("the start of a reMarkable page"))
    #expect(failure(Array(Page.header("5").bytes.prefix(40)))?.reason == .truncated)
  }

  // MARK: - Version 6

  @Test func `coordinates of reMarkable version 6 start in the middle of the page`() throws {
    let bytes = Page.page([Page.item(5, .init(20), Page.line())])
    let file = try file(bytes)
    #expect(file.version == 6 && file.damage.isEmpty)
    let points = Array(try #require(file.strokes().strokes.first).path)
    #expect(isClose(points[0].location.x, 100 * unit))
    #expect(isClose(points[0].location.y, 200 * unit))
    #expect(points.map { ($0.size.width / unit * 100).rounded() / 100 } == [4, 8])
    #expect(abs(points[0].force - 2 * 127.0 / 255) < 1e-3 && points[1].force == 2)
    // The bounds have the file's own coordinates.
    #expect(file.page?.source.bounds?.minX == -602)
  }

  @Test func `reMarkable blocks of the first version have points of version 5`() throws {
    let bytes = Page.page([Page.item(5, .init(20), version: 1, Page.line(old: true))])
    let new = Page.page([Page.item(5, .init(20), Page.line())])
    let (a, b) = (try strokes(bytes), try strokes(new))
    #expect(a.map(\.path.count) == [2])
    #expect(a[0].path[1] == b[0].path[1])
  }

  @Test func `a reMarkable stroke can have a colour with alpha`() throws {
    let bytes = Page.page([
      Page.item(5, .init(20), Page.line(tool: 23, color: 9, stated: 0x4021_1E1C)),
      Page.item(5, .init(21), left: .init(20), Page.line(tool: 23, color: 6)),
      Page.item(5, .init(22), left: .init(21), Page.line(tool: 18, color: 9)),
      Page.item(5, .init(23), left: .init(22), Page.line(color: 200)),
    ])
    let colors = try strokes(bytes).map(\.ink.color)
    #expect(
      colors[0]
        == Color(red: 0x21 / 255.0, green: 0x1E / 255.0, blue: 0x1C / 255.0, alpha: 64 / 255.0))
    #expect(colors[1].alpha == 64 / 255.0 && colors[1].blue == 0xC9 / 255.0)
    #expect(colors[2] == Color(hex: "#FFED75"))
    #expect(colors[3] == .black)
    #expect(try notes(bytes).contains("unknown colours are drawn black"))
  }

  @Test func `reMarkable colour numbers refer to the tablet's palette`() throws {
    func color(_ number: UInt32, tool: UInt32) throws -> Color {
      let line = Page.line(tool: tool, color: number)
      return try #require(try strokes(Page.page([Page.item(5, .init(20), line)])).first).ink.color
    }
    func hex(_ tool: UInt32) throws -> [Color] { try (0...13).map { try color($0, tool: tool) } }
    let pens = try hex(17)
    #expect(Set(pens.map { "\($0)" }).count == 13, "0 and 9 are black")
    #expect(pens[5] == Color(hex: "#FF55CF") && pens[12] == Color(hex: "#B782CD"))
    let highlighters = try hex(18)
    #expect(highlighters[9] == highlighters[3] && highlighters[10] == highlighters[4])
    #expect(highlighters[4] == Color(hex: "#A9FA5C") && highlighters[5] == Color(hex: "#FF55CF"))
  }

  @Test func `reMarkable strokes are ordered by their neighbours, not by the file`() throws {
    func line(_ x: Float) -> TabletBytes { Page.line([(x - 702, 0, 4, 1)]) }
    let bytes = Page.page([
      // 3 is behind the deleted 2, which is behind 1; 0 was inserted before 1 later.
      Page.item(5, .init(30), left: .init(29), line(3)),
      Page.item(5, .init(29), left: .init(28), nil),
      Page.item(5, .init(28), line(1)),
      Page.item(5, .init(40), right: .init(28), line(0)),
      // Two devices inserted strokes behind 3 at the same time.
      Page.item(5, .init(31, author: 2), left: .init(30), line(5)),
      Page.item(5, .init(35, author: 1), left: .init(30), line(4)),
    ])
    #expect(try starts(bytes).map { $0[0] } == [0, 1, 3, 4, 5])
    #expect(try file(bytes).page?.source.strokes == 5)
  }

  @Test func `contradicting reMarkable neighbours leave the order of the file`() throws {
    let bytes = Page.page([
      Page.item(5, .init(21), left: .init(20), Page.line([(8, 0, 4, 1)])),
      Page.item(5, .init(20), left: .init(21), Page.line([(9, 0, 4, 1)])),
      Page.item(5, .init(22), left: .init(22), right: .init(22), Page.line([(7, 0, 4, 1)])),
    ])
    #expect(try starts(bytes).map { $0[0] - 702 } == [7, 8, 9])
    #expect(
      try notes(bytes).contains("groups whose order contradicts itself keep that of the file"))
  }

  @Test func `strokes of hidden reMarkable layers are read only on request`() throws {
    let bytes = Page.page([Page.item(5, .init(20), Page.line())], isVisible: false)
    #expect(try strokes(bytes).isEmpty)
    #expect(try file(bytes).page?.source.strokes == 1)
    #expect(try notes(bytes).contains("hidden layers are left out"))
    let shown = try file(bytes) { $0.readsHidden = true }
    #expect(shown.strokes().strokes.count == 1)
  }

  @Test func `reMarkable strokes without a layer are counted, not drawn`() throws {
    let bytes = Page.page([Page.item(5, .init(20), in: .init(99), Page.line())])
    #expect(try strokes(bytes).isEmpty)
    #expect(try file(bytes).page?.source.strokes == 1)
    #expect(try notes(bytes).contains("strokes of deleted layers are left out"))
  }

  @Test func `reMarkable groups that contain each other are drawn once`() throws {
    let (a, b) = (Page.ID(50), Page.ID(51))
    let bytes = Page.page([
      Page.group(a, as: .init(60), in: .layer), Page.group(b, as: .init(61), in: a),
      Page.group(a, as: .init(62), in: b), Page.item(5, .init(63), in: b, Page.line()),
    ])
    #expect(try strokes(bytes).count == 1)
  }

  @Test func `a chain of a hundred thousand reMarkable groups is read`() throws {
    var blocks = [Page.group(.init(0), as: .init(1 << 40), in: .layer)]
    for number in 0..<UInt64(100_000) {
      blocks.append(Page.group(.init(number + 1), as: .init(1 << 40), in: .init(number)))
    }
    blocks.append(Page.item(5, .init(1 << 41), in: .init(100_000), Page.line()))
    #expect(try strokes(Page.page(blocks)).count == 1)
  }

  @Test func `reMarkable groups beside text move with its lines`() throws {
    func page(_ anchor: Page.ID, _ text: [(Page.ID, String)]?) -> [UInt8] {
      let group = Page.ID(50)
      return Page.page(
        [
          Page.node(group, anchor: anchor, originX: -464),
          Page.group(group, as: .init(60), in: .layer),
          Page.item(5, .init(61), in: group, Page.line([(0, -30, 4, 1)])),
        ] + (text.map { [Page.text($0)] } ?? []))
    }
    let end = Page.ID(0xFFFF_FFFF_FFFE, author: 0)
    let text: [(Page.ID, String)] = [(.init(14), "AB\nCD"), (.init(80), "E\n")]
    let x = 702 - 464
    #expect(try starts(page(.init(14), text)) == [[x, 216 - 30]])
    #expect(try starts(page(.init(17), text)) == [[x, 216 + 70 - 30]])
    #expect(try starts(page(.init(80), text)) == [[x, 216 + 70 - 30]])
    #expect(try starts(page(end, text)) == [[x, 216 + 140 - 30]])
    #expect(try starts(page(end, nil)) == [[x, 100 - 30]])
    // The group is above the screen; the page grows by the ink and half of its width.
    #expect(try starts(page(.init(14), nil)) == [[x, 2]])
    #expect(try notes(page(end, text)).contains("typed text is left out"))
    #expect(
      try notes(page(end, nil)).contains("places beside typed text are estimated by its lines"))
  }

  @Test func `marked reMarkable text is drawn, but does not count as a stroke`() throws {
    var boxes = Page.number(1)
    for value in [-700.0, 100, 400, 40] { boxes.add(value) }
    var fields = Page.field(4, word: 9)
    fields.add(Page.field(6, boxes))
    fields.add(Page.field(10, word: 0xFFBE_EAFE))
    let file = try file(Page.page([Page.item(3, .init(20), fields)]))
    let stroke = try #require(file.strokes().strokes.first)
    #expect(stroke.ink.color == Color(hex: "#BEEAFE"))
    #expect(stroke.path.map { ($0.location.x / unit).rounded() } == [2, 402])
    #expect(stroke.path.map { ($0.location.y / unit).rounded() } == [120, 120])
    #expect(abs(stroke.path[0].size.height - 40 * unit) < 1e-2)
    #expect(file.page?.source.strokes == 0 && file.page?.source.shapes == 1)
  }

  @Test func `a reMarkable page has its screen's size, or more if ink is below`() throws {
    var screen = TabletBytes()
    screen.add(UInt32(1620))
    screen.add(UInt32(2160))
    let blocks = [Page.block(13, version: 1, Page.field(5, screen))]
    let line = Page.item(5, .init(20), Page.line([(-810, 3000, 4, 1)]))
    let size = try #require(try file(Page.page(blocks)).canvas.size)
    #expect(isClose(size.width, 1620 * unit) && isClose(size.height, 2160 * unit))
    let longer = try #require(try file(Page.page(blocks + [line])).canvas.size)
    // The ink is 4 pixels wide.
    #expect(isClose(longer.height, 3002 * unit))
    #expect(try starts(Page.page(blocks + [line])) == [[0, 3000]])
  }

  @Test func `a reMarkable page grows to all sides that have ink`() throws {
    let line = Page.item(
      5, .init(20), Page.line([(-1000, 100, 8, 1), (900, -50, 8, 1), (0, 1000, 8, 1)]))
    let page = try file(Page.page([line]))
    let size = try #require(page.canvas.size)
    // The ink reaches 298 pixels plus half a width left of the screen, 198 right of it, and 50
    // above.
    #expect(isClose(size.width, (302 + 1404 + 202) * unit))
    #expect(isClose(size.height, (54 + 1872) * unit))
    let points = Array(try #require(page.strokes().strokes.first).path)
    let places = points.map { [$0.location.x, $0.location.y].map { ($0 / unit).rounded() } }
    #expect(places == [[4, 154], [1904, 4], [1004, 1054]])
    // The bounds have the file's own coordinates.
    #expect(page.page?.source.bounds?.minX == -1000 && page.page?.source.bounds?.minY == -50)
    #expect(page.strokes().drawing.bounds.minX >= -1 && page.strokes().drawing.bounds.minY >= -1)
  }

  @Test func `a line's width does not make a reMarkable page grow`() throws {
    let line = Page.item(5, .init(20), Page.line([(-702, 0, 30, 1), (701, 1871, 30, 1)]))
    let size = try #require(try file(Page.page([line])).canvas.size)
    #expect(isClose(size.width, 1404 * unit) && isClose(size.height, 1872 * unit))
  }

  @Test(arguments: [3, 5])
  func `old reMarkable pages grow to their drawn strokes only`(version: Int) throws {
    func size(_ stroke: Page.LayeredStroke) throws -> [Double] {
      let size = try #require(try file(Page.layered([[stroke]], version: version)).canvas.size)
      return [(size.width / unit).rounded(), (size.height / unit).rounded()]
    }
    let outside: [Page.PenPoint] = [(-100, 50, 4, 0.5), (1500, 2000, 4, 0.5)]
    #expect(try size(.init(points: outside)) == [102 + 1502, 2002])
    // The area eraser.
    #expect(try size(.init(tool: 8, points: outside)) == [1404, 1872])
  }

  @Test func `reMarkable blocks and fields of unknown kinds are skipped`() throws {
    var extra = Page.line()
    extra.add(Page.field(30, double: 1))
    extra.add(Page.field(31, TabletBytes("new")))
    let bytes = Page.page([Page.block(0x55, TabletBytes("?")), Page.item(5, .init(20), extra)])
    #expect(try strokes(bytes).count == 1)
    #expect(try file(bytes).damage.isEmpty)
    #expect(try notes(bytes).contains("blocks of unknown kinds are left out"))
  }

  @Test func `a damaged reMarkable block loses no others`() throws {
    var broken = Page.field(1, id: .layer)
    broken.add(UInt8(0x23))
    let blocks = [
      Page.block(5, broken), Page.item(5, .init(20), Page.line()),
      Page.item(5, .init(21), left: .init(20), Page.field(1, word: 17)),
      Page.item(4, .init(22), left: .init(21), Page.field(9, word: 1)),
    ]
    let file = try file(Page.page(blocks))
    #expect(file.strokes().strokes.count == 1)
    #expect(
      errors(file).map(\.reason) == [
        .expected("a field of a known kind"), .missing("the node of a group"),
        .missing("the points of a line"),
      ])
  }

  @Test func `a reMarkable page that is cut in a block keeps the blocks before`() throws {
    let whole = Page.page([
      Page.item(5, .init(20), Page.line()), Page.item(5, .init(21), Page.line()),
    ])
    let file = try file(Array(whole.dropLast()))
    #expect(file.strokes().strokes.count == 1)
    #expect(file.damage.count == 1)
    #expect(try DrawingFile(Page.header("6").bytes).strokes().strokes.isEmpty)
  }

  // MARK: - Notebooks

  private func notebook(_ list: String, _ pages: [String: [UInt8]]) -> [UInt8] {
    return Packing.zip(
      [("n.content", Array(list.utf8))]
        + pages.sorted { $0.key < $1.key }.map { ("n/\($0.key).rm", $0.value) })
  }

  @Test func `a reMarkable notebook has its pages in the order of its list`() throws {
    let one = Page.layered([[.init(color: 6)]])
    let two = Page.page([Page.item(5, .init(20), Page.line(color: 7))])
    let lists = [
      #"{"fileType": "notebook", "pages": ["b", "none", "a", "b"]}"#,
      #"{"cPages": {"x": 1, "pages": [{"id": "b"}, {"id": "c", "deleted": {"value": 1}}, "#
        + #"{"id": "none"}, {"id": "a"}]}}"#,
    ]
    for list in lists {
      let file = try file(notebook(list, ["a": one, "b": two, "c": one]))
      #expect(file.format == .remarkable && file.pageCount == 3)
      let pages = try (0..<3).map { try file.page($0) }
      let colors = pages.map { $0.strokes().strokes.map(\.ink.color) }
      #expect(
        colors.map { $0.map(Optional.some) } == [
          [Color(hex: "#B33E39")], [], [Color(hex: "#4E69C9")],
        ])
      #expect(try file.page(1).canvas.size != nil)
    }
  }

  @Test func `a damaged page of a reMarkable notebook loses no others`() throws {
    let bytes = notebook(
      #"{"pages": ["a", "b"], "fileType": "pdf"}"#,
      ["a": Page.layered([[.init()]]), "b": Array("ink".utf8)])
    let file = try file(bytes)
    #expect(file.imported?.notes.counts.map(\.text) == ["the document below the ink is left out"])
    #expect(file.strokes().strokes.count == 1)
    let page = try file.page(1)
    #expect(page.strokes().strokes.isEmpty && page.damage.count == 1)
    #expect(
      page.damage.first?.description
        == "damaged reMarkable page: the start of a reMarkable page is expected at byte 0 of n/b.rm"
    )
  }

  @Test func `a reMarkable page list may have unknown values`() throws {
    let pages = ["a": Page.layered([[.init(color: 6)]])]
    let lists = [
      #"{"new": {}, "cPages": {"pages": [7, {"new": 1}, {"id": "a", "new": []}]}}"#,
      #"{"cPages": {"new": 1, "pages": [{"id": "a"}, {"id": 7}]}}"#, #"{"pages": [7, "a", {}]}"#,
    ]
    for list in lists {
      let file = try DrawingFile(notebook(list, pages))
      #expect(file.strokes().strokes.count == 1, "\(list)")
    }
  }

  @Test func `a reMarkable notebook whose list is damaged is refused`() {
    let error = failure(notebook(#"{"pages": ["a" "b"]}"#, ["a": Page.layered([])]))
    #expect(error?.place == .part("n.content", byte: 15))
    let zip = Packing.zip([("a.rm", [])])
    #expect(failure(zip)?.reason == .missing("the list of pages"))
    #expect(DrawingFile.Format(recognizing: zip) == nil)
  }

  // MARK: - Damage

  @Test func `damaged reMarkable pages are refused or read in part`() {
    let group = Page.ID(50)
    Damage.expectSurvival(
      of: Page.page([
        Page.node(group, anchor: .init(14)), Page.group(group, as: .init(60), in: .layer),
        Page.item(5, .init(61), in: group, Page.line(tool: 18, color: 9, stated: 0x1122_3344)),
        Page.item(5, .init(62), in: group, left: .init(61), Page.line(tool: 1)),
        Page.text([(.init(14), "A\n"), (.init(16), "B")]),
      ]), as: .remarkable, changes: 4_000)
    Damage.expectSurvival(
      of: notebook(#"{"pages": ["a", "b"]}"#, ["a": Page.layered([[.init()]])]), as: .remarkable)
  }
}
