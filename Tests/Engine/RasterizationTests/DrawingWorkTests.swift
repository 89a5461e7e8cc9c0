import Graphics
import Strokes
import TestSupport
import Testing

@testable import Rasterization

/// A stroke of twelve points, one of which is far wider than the others.
private func stroke(
  _ ink: SceneInk, width: Double, at left: Double = 100, count: Int = 12,
  isWide: (Int) -> Bool = { $0 == 6 }
) -> PKStroke {
  let points = (0..<count).map { number in
    Point(x: left + 5 * Double(number), y: 100 + 7 * Double(number % 12))
  }
  return ink.stroke(
    points,
    change: { number, point in
      let side = isWide(number) ? width : 3
      point.size = Size(width: side, height: side)
    })
}

private func rendering(_ strokes: [PKStroke], side: Int) throws -> Rendering {
  let options = RenderOptions(
    extent: .longerSide(side), margin: .ofThumbnails, background: .color(.white))
  return try Renderer(options).rendering(of: PKDrawing(strokes: strokes))
}

@Suite struct `The work of drawing` {
  private static let widths = [1, 10, 100, 300, 1_000, 10_000, 100_000, 1e6]

  /// A visit of a pixel takes at most 6 ns, or at most 1 ns if the pixel is only blended.
  @Test(arguments: SceneInk.all, widths)
  func `thumbnails take little work for any nib width`(_ ink: SceneInk, _ width: Double) throws {
    let one = try rendering([stroke(ink, width: width)], side: 64).work.visits
    #expect(one < 10e6, "\(one)")
    let strokes = (0..<10).map { stroke(ink, width: width, at: 100 + 20 * Double($0)) }
    let ten = try rendering(strokes, side: 64).work.visits
    #expect(ten < 90e6, "\(ten)")
  }

  @Test(arguments: SceneInk.all, [256, 1024])
  func `the work of larger pictures grows with their pixels`(_ ink: SceneInk, _ side: Int) throws {
    for width in Self.widths {
      let work = try rendering([stroke(ink, width: width)], side: side).work.visits
      #expect(work < 150 * Double(side * side) + 20e6, "\(width): \(work)")
    }
  }

  @Test func `the counted work is the same with any number of threads`() throws {
    let strokes = (0..<200).map { number in
      stroke(SceneInk.all[number % 8], width: 40, at: Double(number))
    }
    let works = try [1, 3].map { threads in
      let options = RenderOptions(extent: .scale(1), threads: threads)
      return try Renderer(options).rendering(of: PKDrawing(strokes: strokes)).work
    }
    #expect(works[0].visits == works[1].visits && works[0].limit == works[1].limit)
  }

  @Test(arguments: SceneInk.all)
  func `drawing beyond the limit of work is an error`(_ ink: SceneInk) throws {
    let hostile = (0..<40).map { number in
      stroke(ink, width: 1e5, at: Double(number), count: 500) { $0 % 2 == 0 }
    }
    let error = #expect(throws: RenderError.self) { try rendering(hostile, side: 1024) }
    guard case .tooMuchWork = error?.problem else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `ten thousand scribbles of all inks stay far below the limit of work`() throws {
    var random = SplitMix64(seed: 3)
    let strokes = (0..<10_000).map { number in
      let ink = SceneInk.all[number % SceneInk.all.count]
      let start = Point(
        x: .random(in: 0...1000, using: &random), y: .random(in: 0...700, using: &random))
      return ink.stroke(
        (0..<20).map { step in
          Point(
            x: start.x + 4 * Double(step), y: start.y + .random(in: -20...20, using: &random))
        })
    }
    for scale in [0.25, 1, 3] {
      let options = RenderOptions(extent: .scale(scale))
      let work = try Renderer(options).rendering(of: PKDrawing(strokes: strokes)).work
      #expect(work.visits < work.limit / 4, "\(scale): \(work.visits) of \(work.limit)")
    }
  }
}

@Suite struct `Wide nibs` {
  private static let textured = SceneInk.all.filter { InkStyle.of($0.type).texture != nil }

  @Test(arguments: textured)
  func `wide nibs look in small pictures like large pictures scaled down`(_ ink: SceneInk) throws {
    let strokes = [
      stroke(ink, width: 900), stroke(ink, width: 700, at: 600),
      stroke(.of(.pen), width: 40, at: 700),
    ]
    let (small, large) = (
      try rendering(strokes, side: 64).pixmap, try rendering(strokes, side: 1024).pixmap
    )
    var difference = 0.0
    for y in 0..<small.height {
      for x in 0..<small.width {
        var sum = 0
        for partY in 0..<16 where 16 * y + partY < large.height {
          for partX in 0..<16 where 16 * x + partX < large.width {
            sum += Int(large[16 * x + partX, 16 * y + partY].green)
          }
        }
        difference += abs(Double(small[x, y].green) - Double(sum) / 256) / 257
      }
    }
    let mean = difference / Double(small.width * small.height)
    #expect(mean <= 4, "\(mean)")
  }

  @Test(arguments: SceneInk.all, [nil, RenderOptions.Overlap.saturate])
  func `wide nibs give the same pixels in every way of rendering`(
    _ ink: SceneInk, _ overlap: RenderOptions.Overlap?
  ) throws {
    var masked = stroke(ink, width: 500, at: 300)
    masked.mask = Path(Rect(x: 0, y: 0, width: 330, height: 900))
    let strokes = [
      stroke(.of(.marker), width: 20), stroke(ink, width: 600), masked,
      stroke(.of(.watercolor), width: 30, at: 200),
    ]
    let canvas = Recording.Canvas(size: Size(width: 900, height: 900))
    for style in [RenderOptions.Style.light, .dark] {
      var options = RenderOptions(extent: .scale(0.1), style: style)
      options.overlap = overlap
      let drawing = PKDrawing(strokes: strokes)
      let whole = try Renderer(options).picture(of: drawing, on: canvas)
      for level in kernelLevels {
        options.level = level
        options.threads = Int(level) + 1
        let other = try Renderer(options).picture(of: drawing, on: canvas)
        #expect(other.differences(from: whole) == 0, "level \(level)")
      }
      options.level = .max
      var part = options
      part.region = Rect(x: 130, y: 70, width: 400, height: 300)
      let region = try Renderer(part).picture(of: drawing, on: canvas)
      var differing = 0
      for y in 0..<region.height {
        for x in 0..<region.width where region[x, y] != whole[x + 13, y + 7] { differing += 1 }
      }
      #expect(differing == 0)
      let page = try PaintedPage(canvas: canvas, options: options, isIsolated: true) { .null }
      _ = try page.add(strokes.prefix(2).map { [$0] })
      _ = try page.add([[strokes[2]]])
      let all = PixelRect(width: page.width, height: page.height)
      // A stroke on top that grows until its nib is a wide one.
      for end in [2.0, 5, 6.5, 11] {
        var growing = strokes[1]
        growing.pathRange = 0...end
        _ = try page.setTop([[growing]])
        page.show(end == 2 ? all : page.topGrowth)
        let rows = (0..<page.height).map(page.picture.bytes(ofRow:))
        page.show(all)
        #expect(rows == (0..<page.height).map(page.picture.bytes(ofRow:)), "\(end)")
      }
      _ = try page.setTop([[strokes[3]]])
      page.show(all)
      #expect(page.picture.differences(from: whole) == 0)
    }
  }

  @Test func `nibs of a tool's width are never coarsened`() {
    for ink in SceneInk.all {
      let tool = ink.stroke(Figure.line) { _ in 140 / ink.width }
      #expect(WideNibs.coarseness(reduction: 32, scale: 0.9, reach: { tool.maximumReach }) == 0)
    }
    let wide = stroke(.of(.pencil), width: 1000)
    #expect(WideNibs.coarseness(reduction: 1, scale: 1, reach: { wide.maximumReach }) == 0)
    #expect(WideNibs.coarseness(reduction: 8, scale: 1, reach: { wide.maximumReach }) == 3)
    #expect(WideNibs.coarseness(reduction: 32, scale: 1, reach: { wide.maximumReach }) == 4)
  }
}

@Suite struct `The work of masks` {
  /// A mask with corners all over the stroke, so that its edges cross rows and each other.
  private static func mask(corners: Int, seed: UInt64) -> Path {
    var random = SplitMix64(seed: seed)
    return Path(polygons: [
      (0..<corners).map { _ in
        Point(x: .random(in: 80..<420, using: &random), y: .random(in: 80..<420, using: &random))
      }
    ])
  }

  @Test func `masks beyond the limit of work are an error, also in small pictures`() throws {
    var masked = stroke(.of(.pen), width: 40)
    masked.mask = Self.mask(corners: 100_000, seed: 1)
    for side in [64, 1024] {
      let error = #expect(throws: RenderError.self) { try rendering([masked], side: side) }
      guard case .tooMuchWork = error?.problem else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test func `a mask of a thousand corners stays far below the limit of work`() throws {
    var masked = stroke(.of(.pen), width: 40)
    masked.mask = Self.mask(corners: 1_000, seed: 2)
    let work = try rendering([masked], side: 1024).work
    #expect(work.visits < work.limit / 8, "\(work.visits)")
  }

  /// Edges left of a tile count, those right of it do not, and rows of tiles have their own edges.
  @Test(arguments: [Path.FillRule.nonZero, .evenOdd])
  func `a mask covers each pixel by the share that is inside it`(_ rule: Path.FillRule) throws {
    for seed in 1...8 as ClosedRange<UInt64> {
      var random = SplitMix64(seed: seed)
      let corners = (0..<12).map { _ in
        Point(
          x: .random(in: -100..<300, using: &random), y: .random(in: -100..<300, using: &random))
      }
      let path = Path(polygons: [corners], fillRule: rule)
      let shape = MaskShape(path, through: .identity, tileRows: 3)
      let tile = MaskTile()
      for (column, row) in [(0, 0), (1, 0), (2, 2), (0, 2), (1, 1)] {
        let (left, top) = (column * TileBins.side, row * TileBins.side)
        shape.cover(tile, left: left, top: top, samples: 8)
        for y in stride(from: 0, to: TileBins.side, by: 7) {
          for x in stride(from: 0, to: TileBins.side, by: 5) {
            // As many samples horizontally as vertically.
            var inside = 0
            for part in 0..<64 {
              let point = Point(
                x: Double(left + x) + (Double(part % 8) + 0.5) / 8,
                y: Double(top + y) + (Double(part / 8) + 0.5) / 8)
              if path.contains(point) { inside += 1 }
            }
            let found = Double(tile.coverage[y * TileBins.side + x]) / 255
            #expect(abs(found - Double(inside) / 64) < 0.15, "\(seed): \(left + x), \(top + y)")
          }
        }
      }
    }
  }

  @Test func `the points of pieces that share a path count once`() throws {
    let whole = stroke(.of(.pen), width: 3, count: 600)
    let pieces = (0..<300).map { number in
      var piece = whole
      piece.mask = Path(Rect(x: 100 + 5 * Double(number), y: 90, width: 5, height: 200))
      return piece
    }
    var paths = CountedPaths()
    #expect(pieces.reduce(0) { $0 + paths.countOfNew($1.path) } == 600)
    #expect(paths.countOfNew(whole.path) == 0)
    #expect(paths.countOfNew(stroke(.of(.pen), width: 3, count: 600).path) == 600)
  }
}
