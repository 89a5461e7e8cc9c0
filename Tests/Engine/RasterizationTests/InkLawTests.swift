import Graphics
import Strokes
import TestSupport
import Testing

@testable import Rasterization

extension SceneInk: CustomTestStringConvertible {
  var testDescription: String { type.name }

  /// Whether its look depends on its seed.
  fileprivate var hasSeed: Bool {
    switch type {
    case .pen, .monoline, .fountainPen, .other: false
    case .pencil, .crayon, .marker, .reed, .watercolor: true
    }
  }

  /// Whether some of its grain belongs to the paper.
  fileprivate var hasPaperGrain: Bool { type == .pencil || type == .watercolor }
}

extension Pixmap {
  /// The components of all pixels, 8 bits each.
  fileprivate var bytes: [UInt8] { (0..<height).flatMap { bytes(ofRow: $0) } }
}

struct InkLawTests {
  private let page = Size(width: 80, height: 80)

  private func picture(
    _ strokes: [PKStroke], scale: Double = 2, _ change: (inout RenderOptions) -> Void = { _ in }
  ) throws -> Pixmap {
    var options = RenderOptions(extent: .scale(scale))
    change(&options)
    return try Renderer(options).picture(
      of: PKDrawing(strokes: strokes), on: Recording.Canvas(size: page))
  }

  // MARK: - Growing

  @Test(arguments: SceneInk.all)
  func `a growing stroke changes only pixels around its moving end`(_ ink: SceneInk) throws {
    for figure in [Figure.loop, Figure.zigzag] {
      let stroke = ink.stroke(
        figure, part: { 0.7 + 0.1 * Double($0 % 3) },
        change: { $1.azimuth = -0.75 + 0.1 * Double($0) })
      let end = stroke.path.parameterRange.upperBound
      let whole = try picture([stroke]).bytes
      for time in [0.7, 2, 3.45, end - 0.6] {
        let part = try picture([stroke.substroke(range: 0...time)]).bytes
        // The wobbling rim of watercolor; or a fading edge, the path of a marker without its
        // tremor, the deviation of chords from the path, and the extent of a pixel.
        let rim = ink.type == .watercolor ? 2.5 : ink.type == .marker ? 2 : 1
        let reach = 2 * (ink.width * 0.9 * 0.57 + rim) + 0.3 + 1
        let way = stride(from: time, through: end, by: 0.02).map {
          stroke.path.interpolatedPoint(at: $0).location * 2
        }
        var (outside, lighter) = (0, 0)
        for pixel in 0..<whole.count / 4 {
          let channels = 4 * pixel..<4 * pixel + 4
          guard channels.contains(where: { whole[$0] != part[$0] }) else { continue }
          let middle = Point(x: Double(pixel % 160) + 0.5, y: Double(pixel / 160) + 0.5)
          if !way.contains(where: { ($0 - middle).length < reach }) { outside += 1 }
          // A joint replaces the cap, which differs by a few samples around the tip.
          let tolerance = (way[0] - middle).length < reach ? 12 : 0
          if channels.contains(where: { Int(whole[$0]) > Int(part[$0]) + tolerance }) {
            lighter += 1
          }
        }
        #expect(outside == 0, "at \(time)")
        // The dark rim of watercolor and the wet tip of a reed disappear as the stroke moves on.
        if ![.watercolor, .reed].contains(ink.type) {
          // The path of a marker without its tremor depends on the points that follow closely.
          #expect(lighter <= (ink.type == .marker ? 2 : 0), "at \(time)")
        }
      }
    }
  }

  // MARK: - Grain

  @Test(arguments: SceneInk.all)
  func `the same seed gives the same grain, and another seed another grain`(_ ink: SceneInk) throws
  {
    func draw(_ seed: UInt32) throws -> [UInt8] {
      let change = { (_: Int, point: inout PKStrokePoint) in
        if ink.type == .reed { point.opacity = 0.5 }
      }
      return try picture([ink.stroke(Figure.curve, seed: seed, change: change)]).bytes
    }
    #expect(try draw(7) == draw(7))
    #expect(try (draw(7) == draw(8)) == !ink.hasSeed)
  }

  @Test func `the paper's grain lines up between strokes`() throws {
    let pencil = SceneInk.of(.pencil)
    func shade(_ start: Double, _ seed: UInt32) throws -> Pixmap {
      try picture([
        pencil.stroke(
          Figure.points((start, 40), (start + 30, 40), (start + 60, 40)), part: { _ in 6 },
          seed: seed,
          change: {
            $1.lateralJitter = 0
            $1.opacity = 0.15
          })
      ])
    }
    let (one, other) = (try shade(4, 1), try shade(11.3, 2))
    var differing = 0
    for y in 64..<96 {
      for x in 50..<100 {
        if abs(Int(one[x, y].red) - Int(other[x, y].red)) > 3 * 257 { differing += 1 }
      }
    }
    #expect(differing == 0)
    #expect(Set((50..<100).map { one[$0, 80].red }).count > 10)
  }

  @Test(arguments: SceneInk.all)
  func `moving a stroke by whole pixels moves its pixels`(_ ink: SceneInk) throws {
    guard !ink.hasPaperGrain else { return }
    let stroke = ink.stroke(Figure.loop)
    let here = try picture([stroke])
    var moved = stroke
    moved.transform = AffineTransform(translationX: 6.5, y: -3)
    let there = try picture([moved])
    var differing = 0
    for y in 0..<154 {
      for x in 0..<147 where here[x, y + 6] != there[x + 13, y] { differing += 1 }
    }
    #expect(differing == 0)
  }

  @Test(arguments: [PKInkingTool.InkType.pen, .monoline, .fountainPen])
  func `moving the points of a pen's stroke by whole pixels moves its pixels`(
    _ type: PKInkingTool.InkType
  ) throws {
    let ink = SceneInk.of(type)
    let here = try picture([ink.stroke(Figure.loop)])
    let there = try picture([
      ink.stroke(Figure.loop.map { $0 + Point(x: 6, y: -3) })
    ])
    var differing = 0
    for y in 0..<154 {
      for x in 0..<148 where here[x, y + 6] != there[x + 12, y] { differing += 1 }
    }
    #expect(differing == 0)
  }

  // MARK: - Together

  @Test(
    arguments: [Color.white, Color(red: 0.98, green: 0.95, blue: 0.85), .black],
    RenderOptions.Style.allCases)
  func `a transparent picture laid over paper equals the picture on paper`(
    _ paper: Color, _ style: RenderOptions.Style
  ) throws {
    let strokes = SceneInk.all.enumerated().map { index, ink in
      ink.stroke(index % 2 == 0 ? Figure.curve : Figure.zigzag)
    }
    let clear = try picture(strokes) {
      $0.background = .transparent
      $0.style = style
    }
    let whole = try picture(strokes) {
      $0.background = .color(paper)
      $0.style = style
    }
    let ground = [paper.red, paper.green, paper.blue].map { ($0 * 255).rounded() }
    var largest = 0.0
    for y in 0..<clear.height {
      for x in 0..<clear.width {
        let (top, both) = (clear[x, y], whole[x, y])
        let rest = 1 - Double(top.alpha) / 65535
        for (channel, below) in zip([\Pixmap.Pixel.red, \.green, \.blue], ground) {
          let laid = Double(top[keyPath: channel]) / 257 + below * rest
          largest = max(largest, abs(laid - Double(both[keyPath: channel]) / 257))
        }
      }
    }
    #expect(largest <= 1, "\(largest)")
  }

  @Test(arguments: [PKInkingTool.InkType.pen, .fountainPen])
  func `a line whose opacity changes shows no steps`(_ type: PKInkingTool.InkType) throws {
    let stroke = SceneInk(type: type, color: .black, width: 16).stroke(
      Figure.points((10, 40), (30, 40), (50, 40), (70, 40)),
      change: { $1.opacity = 0.1 + 0.3 * Double($0) })
    let picture = try picture([stroke], scale: 4) { $0.background = .transparent }
    let tones = (60..<260).map { Int(picture[$0, 160].alpha / 257) }
    #expect(tones[199] - tones[0] > 100)
    for (before, after) in zip(tones, tones.dropFirst()) { #expect(abs(after - before) <= 4) }
  }

  @Test func `unknown ink is drawn as pen, and reported`() throws {
    let pen = SceneInk(type: .pen, color: .black, width: 3)
    let unknown = SceneInk(type: .other(identifier: "com.example.glitter"), color: .black, width: 3)
    let rendering = try Renderer(RenderOptions(extent: .scale(2))).rendering(
      of: PKDrawing(strokes: [unknown.stroke(Figure.loop)]), on: Recording.Canvas(size: page))
    #expect(rendering.unknownInks == ["com.example.glitter"])
    #expect(try rendering.pixmap.differences(from: picture([pen.stroke(Figure.loop)])) == 0)
  }
}
