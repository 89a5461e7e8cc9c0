import Graphics
import Strokes
import TestSupport
import Testing

@testable import Rasterization

private typealias Paper = RenderOptions.Paper

/// The picture of a page without ink.
private func picture(
  _ paper: Paper, page: Size? = Size(width: 200, height: 160), scale: Double = 1,
  region: Rect? = nil, background: RenderOptions.Background = .page,
  style: RenderOptions.Style = .light, showsPattern: Bool = true
) throws -> Pixmap {
  let options = RenderOptions(
    extent: .scale(scale), region: region, background: background, paper: paper,
    showsPattern: showsPattern, style: style)
  return try Renderer(options).picture(
    of: PKDrawing(strokes: []), on: Recording.Canvas(size: page))
}

extension Pixmap {
  /// The sum over all pixels of how much darker than white they are.
  fileprivate var darkness: Int {
    (0..<height).reduce(0) { sum, y in
      (0..<width).reduce(sum) { $0 + Int(255 - self[$1, y].red / 257) }
    }
  }

  /// Whether a pixel is not white.
  fileprivate func isDrawn(_ x: Int, _ y: Int) -> Bool { self[x, y].red != 65_535 }

  /// The rows in which lines cross a column.
  fileprivate func lines(down x: Int) -> [Int] { (0..<height).filter { isDrawn(x, $0) } }

  fileprivate func lines(along y: Int) -> [Int] { (0..<width).filter { isDrawn($0, y) } }
}

struct PaperTests {
  private static let ruled = Paper.allCases.filter { $0 != .blank }

  @Test func `blank paper has no pattern`() throws {
    #expect(try picture(.blank).darkness == 0)
  }

  @Test(arguments: Paper.allCases)
  fileprivate func `a recording is shown on its own paper unless another one is named`(
    _ paper: Paper
  ) throws {
    var canvas = Recording.Canvas(size: Size(width: 200, height: 160))
    #expect(canvas.paper == .blank)
    canvas.paper = paper
    #expect(canvas.metadata == (paper == .blank ? [:] : ["paper": paper.rawValue]))
    #expect(canvas.paper == paper)
    func picture(_ options: RenderOptions) throws -> Pixmap {
      try Renderer(options).picture(of: PKDrawing(strokes: []), on: canvas)
    }
    #expect(try picture(RenderOptions()) == RasterizationTests.picture(paper))
    #expect(try picture(RenderOptions(showsPattern: false)).darkness == 0)
    for other in Paper.allCases {
      #expect(try picture(RenderOptions(paper: other)) == RasterizationTests.picture(other))
    }
  }

  @Test(arguments: ["", "Lined", "lined ", "hexagons", "blank"])
  func `a recording on unknown paper is shown on blank paper`(_ text: String) throws {
    var canvas = Recording.Canvas(
      size: Size(width: 99, height: 99), metadata: ["paper": text, "author": "a", "title": "t"])
    #expect(canvas.paper == .blank)
    let page = try Renderer().picture(of: PKDrawing(strokes: []), on: canvas)
    #expect(page.darkness == 0)
    // The unknown text is kept until another paper is set; the other texts stay, in order.
    #expect(canvas.metadata["paper"] == text)
    canvas.paper = .grid
    #expect(canvas.texts.map { $0.name } == ["author", "paper", "title"])
    canvas.paper = .blank
    #expect(canvas.texts.map { $0.name } == ["author", "title"])
  }

  @Test(arguments: ruled) fileprivate func `a pattern can be left out`(_ paper: Paper) throws {
    #expect(try picture(paper).darkness > 0)
    #expect(try picture(paper, showsPattern: false) == picture(.blank))
  }

  @Test func `lines lie at multiples of their pitch, but not on the page's edges`() throws {
    // A line at y covers 0.4 points above and below, so it colours the rows y − 1 and y.
    let lined = try picture(.lined)
    #expect(
      lined.lines(down: 3) == [23, 24, 47, 48, 71, 72, 95, 96, 119, 120, 143, 144])
    #expect(lined.lines(down: 199) == lined.lines(down: 3))
    let grid = try picture(.grid)
    #expect(grid.lines(down: 10) == (1...7).flatMap { [20 * $0 - 1, 20 * $0] })
    #expect(grid.lines(along: 10) == (1...9).flatMap { [20 * $0 - 1, 20 * $0] })
  }

  @Test func `graph paper has five fine squares along a coarse one`() throws {
    let graph = try picture(.graph, scale: 4)
    func darkness(_ x: Int) -> Int { 65_535 - Int(graph[x, 4 * 4].green) }
    let (fine, coarse) = (darkness(8 * 4), darkness(40 * 4))
    #expect(fine > 0 && coarse > fine)
    #expect((1...4).allSatisfy { darkness(8 * 4 * $0) == fine })
    #expect(darkness(4 * 4) == 0)
  }

  @Test func `dots are discs at the crossings of a grid`() throws {
    let dotted = try picture(.dotted, scale: 4)
    // The dot at (20, 20) has a radius of one point.
    #expect(dotted.isDrawn(80, 80) && dotted.isDrawn(82, 80) && !dotted.isDrawn(85, 80))
    #expect(!dotted.isDrawn(83, 83) && !dotted.isDrawn(120, 80))
    #expect(dotted.lines(along: 40).isEmpty)
  }

  @Test func `staves have five lines each, and a page has only whole staves`() throws {
    let staves = try picture(.staves, page: Size(width: 50, height: 230), scale: 4)
    let lines = staves.lines(down: 20)
    let starts = lines.filter { !lines.contains($0 - 1) }
    #expect(starts.count == 10)
    #expect((1...4).allSatisfy { starts[$0] - starts[$0 - 1] == 32 })
    #expect(starts[5] - starts[0] == 88 * 4)
  }

  @Test func `Cornell paper has a column for cues between title and summary`() throws {
    let page = try picture(.cornell, page: Size(width: 600, height: 800), scale: 1)
    func isColumn(_ y: Int) -> Bool { page.isDrawn(168, y) && !page.isDrawn(160, y) }
    #expect(!isColumn(60) && isColumn(82) && isColumn(590) && !isColumn(700))
    // Without a page the column has no end.
    let strip = try picture(
      .cornell, page: nil, region: Rect(x: 0, y: 5_000, width: 200, height: 30))
    #expect(strip.lines(along: 20).contains(168))
  }

  @Test func `isometric lines meet in one point at every corner`() throws {
    let scale = 8.0
    let page = try picture(.isometric, scale: scale)
    let column = 24 * 0.75.squareRoot()
    // Corners are half a side lower in every other column.
    for (x, y) in [(1.0, 12.0), (1, 36), (2, 24), (2, 48), (3, 12)] {
      let (px, py) = (Int(column * x * scale), Int(y * scale))
      #expect(page.isDrawn(px, py), "\(x) \(y)")
      #expect(page.isDrawn(px, py + 40), "the vertical line continues")
      #expect(
        page.isDrawn(px + 70, py + 40) && page.isDrawn(px - 69, py + 40), "so do the slanted lines")
      #expect(!page.isDrawn(px + 40, py), "nothing is drawn between them")
    }
  }

  @Test(arguments: ruled)
  fileprivate func `a region of a page shows the page's lines`(_ paper: Paper) throws {
    for size in [Size(width: 400, height: 300), nil] {
      let frame = Rect(x: 0, y: 0, width: 400, height: 300)
      let whole = try picture(paper, page: size, scale: 1.5, region: frame)
      let part = try picture(
        paper, page: size, scale: 1.5, region: Rect(x: 120, y: 62, width: 150, height: 200))
      var different = 0
      for y in 0..<part.height {
        for x in 0..<part.width where part[x, y] != whole[x + 180, y + 93] { different += 1 }
      }
      #expect(different == 0)
    }
  }

  @Test(arguments: ruled)
  fileprivate func `lines show on white, black and transparent backgrounds`(_ paper: Paper) throws {
    let light = try picture(paper)
    let dark = try picture(paper, style: .dark)
    let clear = try picture(paper, background: .transparent)
    var (drawn, seen) = (0, 0)
    for y in 0..<light.height {
      for x in 0..<light.width where light.isDrawn(x, y) {
        drawn += 1
        if dark[x, y].blue > 0, clear[x, y].alpha > 0, clear[x, y].alpha < 65_535 { seen += 1 }
      }
    }
    #expect(drawn > 0 && drawn == seen)
  }

  @Test func `lines closer than three pixels are left out`() throws {
    let page = Size(width: 4_000, height: 4_000)
    for paper in Self.ruled {
      #expect(try picture(paper, page: page, scale: 0.02).darkness == 0, "\(paper)")
    }
    // Graph paper keeps its coarse lines.
    #expect(try picture(.graph, page: page, scale: 0.1).lines(along: 2).count < 250)
    #expect(try picture(.graph, page: page, scale: 0.1).darkness > 0)
  }

  @Test(arguments: ruled)
  fileprivate func `extreme regions and scales take no time`(_ paper: Paper) throws {
    for region in [
      Rect(x: 1e9, y: -1e9, width: 50, height: 50),
      Rect(x: 1e200, y: 0, width: 1e199, height: 1e199),
      Rect(x: 3, y: 3, width: 1e-200, height: 1e-200),
    ] {
      for page in [nil, Size(width: 1e300, height: 1e300)] {
        let options = RenderOptions(
          extent: .longerSide(64), region: region, paper: paper)
        let picture = try? Renderer(options).picture(
          of: PKDrawing(strokes: []), on: Recording.Canvas(size: page))
        #expect(picture?.width ?? 64 == 64)
      }
    }
  }

  @Test(arguments: ruled)
  fileprivate func `16 bits show the lines that 8 bits show`(_ paper: Paper) throws {
    let eight = try picture(paper)
    var options = RenderOptions(paper: paper, depth: .sixteen)
    let canvas = Recording.Canvas(size: Size(width: 200, height: 160))
    let sixteen = try Renderer(options).picture(of: PKDrawing(strokes: []), on: canvas)
    options.blending = .linear
    let light = try Renderer(options).picture(of: PKDrawing(strokes: []), on: canvas)
    for y in 0..<eight.height {
      for x in 0..<eight.width {
        #expect(abs(Int(eight[x, y].green) - Int(sixteen[x, y].green)) < 400)
        #expect(eight.isDrawn(x, y) == light.isDrawn(x, y))
      }
    }
  }

  @Test func `patterns end at the page's edges`() throws {
    let options = RenderOptions(margin: .points(30), paper: .grid)
    let picture = try Renderer(options).picture(
      of: PKDrawing(strokes: []), on: Recording.Canvas(size: Size(width: 100, height: 100)))
    #expect(picture.lines(down: 40).allSatisfy { 30..<130 ~= $0 })
    #expect(picture.lines(down: 10).isEmpty)
  }
}
