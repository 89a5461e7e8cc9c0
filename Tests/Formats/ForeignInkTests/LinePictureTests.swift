import Graphics
import PNGFormat
import Rasterization
import Strokes
import TestSupport
import Testing

/// Pictures of data sets, which have their own drawing and encoding code.
struct LinePictureTests {
  /// Some lines in pixels, and the index behind the last point of each.
  private struct Lines {
    var points: [Point] = []
    var ends: [Int] = []

    init(_ lines: [[Point]]) {
      for line in lines {
        points += line
        ends.append(points.count)
      }
    }

    init(random: inout RandomInk, side: Double) {
      let lines = (0..<random.whole(1...6)).map { _ in
        (0..<random.whole(1...9)).map { _ in
          Point(
            x: random.number(-0.1 * side...1.1 * side), y: random.number(-0.1 * side...1.1 * side))
        }
      }
      self.init(lines)
    }
  }

  /// Draws lines of a radius, and returns the pixels with those of the decoded file.
  private static func draw(
    _ lines: Lines, radius: Double, with painter: LinePainter, _ encoder: GreyEncoder
  ) throws -> (drawn: [UInt8], decoded: [UInt8]) {
    encoder.clear()
    painter.paint(
      ends: lines.ends, radius: Float(radius), into: encoder.pixels, pitch: encoder.pitch
    ) { (Float(lines.points[$0].x), Float(lines.points[$0].y)) }
    let drawn = (0..<painter.height).flatMap { y in
      (0..<painter.width).map { x in encoder.pixels[y * encoder.pitch + x] }
    }
    let image = try PNGDecoder().decode(Array(encoder.encoded()))
    let decoded = (0..<image.height).flatMap { y in
      (0..<image.width).map { x in UInt8(image[x, y].x / 257) }
    }
    #expect(!image.hasAlpha && image.width == painter.width && image.height == painter.height)
    return (drawn, decoded)
  }

  private static let sample = Lines([[Point(x: 1, y: 1), Point(x: 20, y: 9), Point(x: 3, y: 22)]])

  private static func pair(width: Int, height: Int) -> (LinePainter, GreyEncoder) {
    let painter = LinePainter(width: width, height: height)
    let encoder = GreyEncoder(width: width, height: height, levels: LinePainter.levels)
    encoder.clear()
    painter.paint(
      ends: sample.ends, radius: 1, into: encoder.pixels, pitch: encoder.pitch
    ) { (Float(sample.points[$0].x), Float(sample.points[$0].y)) }
    encoder.fit()
    return (painter, encoder)
  }

  @Test(arguments: [(8, 8), (28, 28), (100, 31), (128, 128), (129, 300), (256, 256)])
  func `a file of line pictures has the drawn pixels, one picture after another`(
    width: Int, height: Int
  ) throws {
    var random = RandomInk(seed: UInt64(width))
    let (painter, encoder) = Self.pair(width: width, height: height)
    for _ in 0..<40 {
      let lines = Lines(random: &random, side: Double(max(width, height)))
      let (drawn, decoded) = try Self.draw(
        lines, radius: random.number(0.4...20), with: painter, encoder)
      #expect(drawn == decoded)
      #expect(Set(drawn).isSubset(of: LinePainter.levels))
    }
    // No pixels of earlier pictures are left.
    let (drawn, decoded) = try Self.draw(Lines([]), radius: 1, with: painter, encoder)
    #expect(drawn.allSatisfy { $0 == 255 } && decoded == drawn)
  }

  @Test func `line pictures look like strokes of a pen of one width`() throws {
    var random = RandomInk(seed: 5)
    let (painter, encoder) = Self.pair(width: 200, height: 150)
    for _ in 0..<20 {
      // Only one stroke: overlapping strokes are one shape here, but two layers in the renderer.
      let points = (0..<random.whole(2...8)).map { _ in
        Point(x: random.number(10...190), y: random.number(10...140))
      }
      let radius = random.number(0.7...6)
      let (drawn, _) = try Self.draw(Lines([points]), radius: radius, with: painter, encoder)
      // Three control points at each corner make the lines between them straight.
      let corners = points.enumerated().flatMap { index, point in
        Array(
          repeating: PKStrokePoint(
            location: point, timeOffset: 0,
            size: Size(width: 2 * radius, height: 2 * radius), opacity: 1, force: 1, azimuth: 0,
            altitude: 1), count: index == 0 || index == points.count - 1 ? 1 : 3)
      }
      let stroke = PKStroke(
        ink: PKInk(.monoline, color: .black, widthLaw: .plain),
        path: PKStrokePath(controlPoints: corners))
      let options = RenderOptions(region: Rect(x: 0, y: 0, width: 200, height: 150))
      let picture = try Renderer(options).picture(of: PKDrawing(strokes: [stroke]))
      var difference = 0
      for y in 0..<150 {
        for x in 0..<200 {
          let expected = Int(picture[x, y].red / 257)
          difference = max(difference, abs(expected - Int(drawn[y * 200 + x])))
        }
      }
      // A curve has more points than its corners, so some samples at edges differ.
      #expect(difference <= 24)
    }
  }

  @Test func `line pictures skip points that are not finite`() throws {
    let (painter, encoder) = Self.pair(width: 28, height: 28)
    let wild = Lines([
      [Point(x: 5, y: 5), Point(x: .nan, y: 5), Point(x: 1e30, y: 5), Point(x: 20, y: 5)],
      [Point(x: .infinity, y: -.infinity)], [],
    ])
    let plain = Lines([[Point(x: 5, y: 5), Point(x: 20, y: 5)]])
    let first = try Self.draw(wild, radius: 1, with: painter, encoder).drawn
    #expect(try Self.draw(plain, radius: 1, with: painter, encoder).decoded == first)
    #expect(first.contains(0))
  }
}
