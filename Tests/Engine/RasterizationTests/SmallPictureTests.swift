import Graphics
import Strokes
import TestSupport
import Testing

@testable import Rasterization

/// Random strokes on a page, similar to handwriting.
private struct RandomPage {
  static let size = Size(width: 1024, height: 768)
  let strokes: [PKStroke]

  init(of type: PKInkingTool.InkType, strokes count: Int, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    strokes = (0..<count).map { _ in Self.stroke(type, &random) }
  }

  /// A curved stroke of an ink's ordinary widths and of captured opacities, 2 points and wider.
  private static func stroke(
    _ type: PKInkingTool.InkType, _ random: inout SplitMix64
  ) -> PKStroke {
    let usual = SceneInk.of(type).width
    let width = max(Double.random(in: 0.6...1.4, using: &random) * usual, 2)
    let opacity = Double.random(in: 0.15...1, using: &random)
    let azimuth = Double.random(in: 0...6.2, using: &random)
    var way = Double.random(in: 0...6.2, using: &random)
    var location = Point(
      x: Double.random(in: 200...800, using: &random),
      y: Double.random(in: 200...560, using: &random))
    let points = (0..<12).map { index in
      way += Double.random(in: -0.6...0.6, using: &random)
      let (sine, cosine) = Angle.sineAndCosine(way)
      location.x += 16 * cosine
      location.y += 16 * sine
      let drawn = Size(width: width, height: type == .marker ? 2.8 * width : width)
      return PKStrokePoint(
        location: location, timeOffset: 0.01 * Double(index), size: drawn, opacity: opacity,
        force: 1, azimuth: azimuth, altitude: 1.2)
    }
    return PKStroke(
      ink: PKInk(type, color: .black, widthLaw: .plain),
      path: PKStrokePath(controlPoints: points),
      randomSeed: UInt32.random(in: 0...99, using: &random))
  }
}

/// The sum of a picture's opacities, as an area in square points.
private func mass(of strokes: [PKStroke], _ extent: RenderOptions.Extent) throws -> Double {
  let rendering = try Renderer(
    RenderOptions(extent: extent, background: .transparent, depth: .sixteen, threads: 2)
  ).rendering(
    of: PKDrawing(strokes: strokes), on: Recording.Canvas(size: RandomPage.size))
  let picture = rendering.pixmap
  var sum = 0.0
  for y in 0..<picture.height {
    for x in 0..<picture.width { sum += Double(picture[x, y].alpha) / 65_535 }
  }
  return sum / (rendering.scale * rendering.scale)
}

@Suite struct `Small pictures` {
  private static let inks = SceneInk.all.map(\.type)
  private static let sizes = [256, 128, 64, 28]

  @Test(arguments: inks)
  func `small pictures have as much ink as large ones`(_ type: PKInkingTool.InkType) throws {
    let page = RandomPage(of: type, strokes: 24, seed: 5)
    let whole = try mass(of: page.strokes, .scale(2))
    for size in Self.sizes {
      let share = try mass(of: page.strokes, .longerSide(size)) / whole
      #expect(abs(share - 1) <= 0.03, "\(share) at \(size) pixels")
    }
  }

  @Test(arguments: inks)
  func `small pictures have as much ink of each stroke`(_ type: PKInkingTool.InkType) throws {
    for stroke in RandomPage(of: type, strokes: 10, seed: 9).strokes {
      let whole = try mass(of: [stroke], .scale(2))
      for size in Self.sizes {
        let share = try mass(of: [stroke], .longerSide(size)) / whole
        #expect(
          abs(share - 1) <= 0.1,
          "\(share) at \(size) pixels, width \(stroke.path.points[0].size.width), opacity \(stroke.path.points[0].opacity)"
        )
      }
    }
  }

  @Test func `small pictures have as much ink of small writing`() throws {
    // Letters that are smaller than a pixel, with strokes that begin with nothing.
    let letters = (0..<60).map { letter in
      let corner = Point(x: 100 + Double(letter % 12) * 60, y: 100 + Double(letter / 12) * 90)
      return PKStroke(
        ink: PKInk(.pen, color: .black, widthLaw: .plain),
        path: PKStrokePath(
          controlPoints: (0..<24).map { index in
            let (sine, cosine) = Angle.sineAndCosine(Double(index) * 0.6)
            return PKStrokePoint(
              location: corner + Point(x: 5 * sine + 0.3 * Double(index), y: 6 * cosine),
              timeOffset: 0, size: Size(width: 0.06 * Double(index), height: 0.06 * Double(index)),
              opacity: 1, force: 1, azimuth: 0, altitude: 1)
          }))
    }
    let whole = try mass(of: letters, .scale(2))
    for size in Self.sizes {
      let share = try mass(of: letters, .longerSide(size)) / whole
      #expect(abs(share - 1) <= 0.03, "\(share) at \(size) pixels")
    }
  }

  @Test(arguments: [RenderOptions.Style.light, .dark])
  func `small pictures look like large ones scaled down`(_ style: RenderOptions.Style) throws {
    let strokes = Self.inks.enumerated().flatMap { index, type in
      RandomPage(of: type, strokes: 5, seed: UInt64(index)).strokes
    }
    let canvas = Recording.Canvas(size: RandomPage.size)
    let pictures = try [256, 2048].map { size in
      try Renderer(RenderOptions(extent: .longerSide(size), style: style, threads: 2)).picture(
        of: PKDrawing(strokes: strokes), on: canvas)
    }
    let (small, large) = (pictures[0], pictures[1])
    var difference = 0.0
    for y in 0..<small.height {
      for x in 0..<small.width {
        var sum = 0
        for partY in 0..<8 {
          for partX in 0..<8 { sum += Int(large[8 * x + partX, 8 * y + partY].green) }
        }
        difference += abs(Double(small[x, y].green) - Double(sum) / 64) / 257
      }
    }
    #expect(difference / Double(small.width * small.height) <= 1)
  }

  @Test(arguments: [0.2, 0.6, 0.3, 0.11, 1.3])
  func `small pictures of a region have the pixels of the page`(_ scale: Double) throws {
    let page = RandomPage(of: .crayon, strokes: 12, seed: 3)
    let canvas = Recording.Canvas(size: RandomPage.size)
    let drawing = PKDrawing(strokes: page.strokes)
    let options = RenderOptions(extent: .scale(scale))
    let whole = try Renderer(options).picture(of: drawing, on: canvas)
    // A whole number of pixels from the page's corner.
    let (left, top) = (40, 30)
    var part = options
    part.region = Rect(
      x: Double(left) / scale, y: Double(top) / scale, width: 20 / scale, height: 16 / scale)
    let region = try Renderer(part).picture(of: drawing, on: canvas)
    for y in 0..<16 {
      for x in 0..<20 { #expect(region[x, y] == whole[left + x, top + y], "\(x), \(y)") }
    }
  }

  @Test func `small pictures are drawn larger only within limits`() throws {
    func factor(
      _ extent: RenderOptions.Extent, _ page: Size, hasFineInk: Bool = true
    ) throws -> Int {
      var options = RenderOptions(extent: extent)
      options.hasFineInk = hasFineInk
      return Reduction.factor(of: options, try Framing(options: options, page: page) { .null })
    }
    let page = Size(width: 1000, height: 1000)
    #expect(try factor(.scale(0.75), page) == 1)
    #expect(try factor(.scale(0.74), page) == 1)
    #expect(try factor(.scale(0.73), page) == 2)
    #expect(try factor(.longerSide(256), page) == 4)
    #expect(try factor(.longerSide(28), page) == 32)
    // The usual thumbnail of common pages.
    #expect(try factor(.longerSide(256), Size(width: 1024, height: 1366)) == 4)
    #expect(try factor(.longerSide(256), Size(width: 1032, height: 1376)) == 4)
    // Without fine ink, half is enough, but not at a scale, where ink may be added.
    #expect(try factor(.longerSide(512), page, hasFineInk: false) == 1)
    #expect(try factor(.longerSide(256), page, hasFineInk: false) == 2)
    #expect(try factor(.longerSide(28), page, hasFineInk: false) == 16)
    #expect(try factor(.scale(0.3), page, hasFineInk: false) == 4)
    // Only the scale decides, so that regions equal their page.
    #expect(try factor(.scale(0.1), page) == 8)
    #expect(try factor(.scale(0.1), Size(width: 10, height: 9_000)) == 8)
    // A page of any size takes a limited number of pixels.
    let wall = Size(width: 100_000, height: 50_000)
    #expect(try factor(.scale(0.09), wall) == 1)
    #expect(try factor(.scale(0.01), wall) == 8)
    #expect(try factor(.longerSide(256), wall) == 16)
    #expect(try factor(.longerSide(1), wall) == 128)
  }
}
