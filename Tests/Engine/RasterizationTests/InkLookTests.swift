import Graphics
import Strokes
import TestSupport
import Testing

@testable import Rasterization

/// The opacity of each pixel of a picture of black ink on a transparent background, from 0 to 1.
private struct Alpha {
  let width: Int
  let height: Int
  private let values: [Double]

  init(_ picture: Pixmap) {
    (width, height) = (picture.width, picture.height)
    values = (0..<picture.height).flatMap { y in
      (0..<picture.width).map { Double(picture[$0, y].alpha) / 65_535 }
    }
  }

  subscript(x: Int, y: Int) -> Double { values[y * width + x] }

  /// The mean over columns and rows.
  func mean(_ columns: Range<Int>, _ rows: Range<Int>) -> Double {
    rows.reduce(0) { sum, y in columns.reduce(sum) { $0 + self[$1, y] } }
      / Double(columns.count * rows.count)
  }

  /// The sum over all pixels.
  var mass: Double { values.reduce(0, +) }

  /// The correlation of a row's pixels with those `lag` columns further on.
  func correlation(row: Int, lag: Int) -> Double {
    let count = width - lag
    let mean = (0..<width).reduce(0) { $0 + self[$1, row] } / Double(width)
    let variance =
      (0..<width).reduce(0) { $0 + (self[$1, row] - mean) * (self[$1, row] - mean) } / Double(width)
    let product = (0..<count).reduce(0) {
      $0 + (self[$1, row] - mean) * (self[$1 + lag, row] - mean)
    }
    return product / Double(count) / max(variance, 1e-12)
  }
}

private let textured: [PKInkingTool.InkType] = [.pencil, .crayon, .reed, .marker, .watercolor]

/// A straight stroke from left to right, of one width and opacity.
private func line(
  _ type: PKInkingTool.InkType, width: Double, opacity: Double = 1, length: Double = 200,
  y: Double = 30, seed: UInt32 = 7
) -> PKStroke {
  let isBlade = type == .marker || type == .reed
  let size =
    type == .marker
    ? Size(width: width * 0.36, height: width)
    : Size(width: width, height: isBlade ? width * 0.17 : width)
  let points = stride(from: 20.0, through: 20 + length, by: 10).map { x in
    PKStrokePoint(
      location: Point(x: x, y: y), timeOffset: x / 500, size: size, opacity: opacity, force: 1,
      azimuth: type == .reed ? .pi / 2 : 0, altitude: 1.3)
  }
  return PKStroke(
    ink: PKInk(type, color: .black, widthLaw: .plain), path: PKStrokePath(controlPoints: points),
    randomSeed: seed)
}

private func alpha(
  _ strokes: [PKStroke], scale: Double = 2, page: Size = Size(width: 240, height: 60)
) throws -> Alpha {
  Alpha(
    try Renderer(RenderOptions(extent: .scale(scale), background: .transparent)).picture(
      of: PKDrawing(strokes: strokes), on: Recording.Canvas(size: page)))
}

@Suite struct `The look of textured inks` {
  // MARK: - Tone

  /// The mean opacity of the middle half of a line.
  private static func core(
    _ type: PKInkingTool.InkType, width: Double, opacity: Double
  ) throws -> Double {
    let alpha = try alpha([line(type, width: width, opacity: opacity)], scale: 4)
    let half = max(width, 0.5)
    return alpha.mean(160..<800, Int((120 - half).rounded())..<Int((120 + half).rounded()))
  }

  @Test func `a pencil of captured opacity draws a line of ordinary pressure`() throws {
    let core = try Self.core(.pencil, width: 2.7, opacity: 0.15)
    #expect((0.55...0.75).contains(core), "\(core)")
  }

  @Test(arguments: [
    (PKInkingTool.InkType.pencil, 2.7), (.crayon, 8), (.reed, 14), (.watercolor, 19),
  ])
  func `ink of captured opacities is clearly visible, and more opacity is darker`(
    _ type: PKInkingTool.InkType, _ width: Double
  ) throws {
    let cores = try [0.09, 0.15, 0.2, 0.5, 1].map {
      try Self.core(type, width: width, opacity: $0)
    }
    #expect(cores[1] > 0.15, "\(cores)")
    for (fainter, darker) in zip(cores, cores.dropFirst()) {
      #expect(darker > fainter - 0.01, "\(cores)")
    }
    #expect(cores[4] > cores[1] * 1.2, "\(cores)")
  }

  @Test(arguments: textured)
  func `ink has the same mass at every scale`(_ type: PKInkingTool.InkType) throws {
    let strokes = [6.0, 12, 24].enumerated().map { index, width in
      line(type, width: width, opacity: 0.4, length: 160, y: 20 + 35 * Double(index))
    }
    let page = Size(width: 200, height: 120)
    let whole = try alpha(strokes, scale: 4, page: page).mass / 16
    for scale in [0.5, 1, 2, 8] {
      let share = try alpha(strokes, scale: scale, page: page).mass / (scale * scale) / whole
      #expect(abs(share - 1) < 0.035, "\(share) at scale \(scale)")
    }
  }

  // MARK: - Grain

  @Test(arguments: [PKInkingTool.InkType.pencil, .crayon, .watercolor], [1.0, 2, 4, 8])
  func `grain never repeats`(_ type: PKInkingTool.InkType, _ scale: Double) throws {
    let width = 4600 / scale, height = 128.0
    // Several strokes of one tone whose rims are outside of the picture.
    let stroke = line(
      type, width: 400, opacity: type == .watercolor ? 1 : 0.1, length: width + 400, y: 64)
    var moved = stroke
    moved.path = PKStrokePath(
      controlPoints: stroke.path.points.map { point in
        var point = point
        point.location.x -= 200
        return point
      })
    let band = try alpha([moved], scale: scale, page: Size(width: width, height: height))
    let rows = (0..<16).map { Int((4 + 8 * Double($0)) * scale) }
    var greatest = 0.0
    for lag in stride(from: 64, through: 2048, by: 16 * RunLength.step(4)) {
      let mean = rows.reduce(0) { $0 + band.correlation(row: $1, lag: lag) } / Double(rows.count)
      greatest = max(greatest, abs(mean))
    }
    #expect(greatest <= 0.1, "\(greatest)")
  }

  @Test(arguments: [1.0, 2, 4])
  func `grain is the same at every scale`(_ scale: Double) throws {
    let stroke = line(.pencil, width: 40, opacity: 0.15, length: 100)
    let page = Size(width: 120, height: 60)
    let (fine, coarse) = (
      try alpha([stroke], scale: 8, page: page), try alpha([stroke], scale: scale, page: page)
    )
    // Sums of boxes of fine pixels against coarse pixels.
    let side = Int(8 / scale)
    var (product, squares, others) = (0.0, 0.0, 0.0)
    let columns = Int(40 * scale)..<Int(80 * scale), rows = Int(25 * scale)..<Int(35 * scale)
    let mean = coarse.mean(columns, rows)
    for y in rows {
      for x in columns {
        let box = fine.mean(x * side..<(x + 1) * side, y * side..<(y + 1) * side) - mean
        let value = coarse[x, y] - mean
        product += box * value
        squares += box * box
        others += value * value
      }
    }
    let correlation = product / (squares * others).squareRoot()
    #expect(correlation > 0.8, "\(correlation)")
  }

  // MARK: - Shapes

  @Test(arguments: [PKInkingTool.InkType.pencil, .crayon])
  func `the rim of a wide stroke is made by the grain and not by a wandering nib`(
    _ type: PKInkingTool.InkType
  ) throws {
    /// The standard deviation of the rim's height in points.
    func roughness(_ width: Double) throws -> Double {
      let strokes = (0..<6).map { _ in line(type, width: width) }
      let alpha = try alpha(strokes, scale: 4)
      let heights = (200..<760).map { x in
        Double((0..<alpha.height).first { alpha[x, $0] > 0.5 } ?? 0) / 4
      }
      let mean = heights.reduce(0, +) / Double(heights.count)
      return (heights.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(heights.count))
        .squareRoot()
    }
    #expect(try roughness(40) < 1)
  }

  @Test(arguments: [PKInkingTool.InkType.crayon, .watercolor, .pencil], [1.0, 1.5, 2])
  func `thin lines are not broken into dashes`(
    _ type: PKInkingTool.InkType, _ width: Double
  ) throws {
    let alpha = try alpha([line(type, width: width)], scale: 4)
    let columns = (200..<800).map { x in
      alpha.mean(x..<x + 1, Int(4 * (30 - width / 2))..<Int(4 * (30 + width / 2)))
    }
    let mean = columns.reduce(0, +) / Double(columns.count)
    // Means over two points along the path.
    let parts = stride(from: 0, to: 592, by: 8).map { start in
      columns[start..<start + 8].reduce(0, +) / 8
    }
    #expect((parts.min() ?? 0) > 0.4 * mean, "\(parts.min() ?? 0) of \(mean)")
  }

  @Test func `a reed's fibres run along its way without breaks`() throws {
    let alpha = try alpha([line(.reed, width: 14, opacity: 0.15)], scale: 4)
    var (along, across) = (0.0, 0.0)
    for y in Int(4 * 25)..<Int(4 * 35) {
      for x in 200..<760 {
        along += abs(alpha[x + 1, y] - alpha[x, y])
        across += abs(alpha[x, y + 1] - alpha[x, y])
      }
    }
    #expect(along < 0.1 * across, "\(along / across)")
    // At full opacity the reed is no flat blade.
    let full = try Self.core(.reed, width: 14, opacity: 1)
    #expect((0.75...0.96).contains(full), "\(full)")
  }

  @Test(arguments: [0.15, 0.5, 1])
  func `a marker begins as dark as it goes on`(_ opacity: Double) throws {
    let alpha = try alpha([line(.marker, width: 14, opacity: opacity)])
    let (start, body) = (alpha.mean(38..<44, 54..<66), alpha.mean(120..<300, 54..<66))
    #expect((0.75...1.05).contains(start / body), "\(start) of \(body)")
  }

  @Test func `a fold of a marker is darker than one pass`() throws {
    let once = try alpha([line(.marker, width: 14)]).mean(120..<300, 54..<66)
    #expect((0.78...0.9).contains(once), "\(once)")
    var points = Array(line(.marker, width: 14).path.points)
    points += points.reversed()
    let folded = PKStroke(
      ink: PKInk(.marker, color: .black, widthLaw: .plain),
      path: PKStrokePath(controlPoints: points), randomSeed: 7)
    let twice = try alpha([folded]).mean(120..<300, 54..<66)
    #expect(twice > once + 0.07, "\(twice)")
  }

  @Test func `a marker that moves along its blade has no bars across`() throws {
    let points = stride(from: 0.0, through: 140, by: 7).map { way in
      PKStrokePoint(
        location: Point(x: 40 + way, y: 15 + 0.25 * way), timeOffset: way,
        size: Size(width: 10, height: 28), opacity: 0.6, force: 1, azimuth: 0, altitude: 1.3)
    }
    let stroke = PKStroke(
      ink: PKInk(.marker, color: .black, widthLaw: .plain),
      path: PKStrokePath(controlPoints: points), randomSeed: 7)
    let alpha = try alpha([stroke], scale: 2)
    // A row of pixels in the middle of the stroke, along its direction.
    let row = (160..<280).map { x in alpha[x, Int(2 * (15 + 0.25 * (Double(x) / 2 - 40)))] }
    #expect((row.max() ?? 1) - (row.min() ?? 0) < 0.05, "\(row)")
  }

  @Test(arguments: [PKInkingTool.InkType.reed, .pencil, .crayon, .marker])
  func `the tips of sharp turns are drawn at every scale`(_ type: PKInkingTool.InkType) throws {
    let zigzag = (0..<14).map { Point(x: 30 + 12 * Double($0), y: $0 % 2 == 0 ? 8 : 52) }
    var stroke = line(type, width: 4)
    stroke.path = PKStrokePath(
      controlPoints: zigzag.map { location in
        PKStrokePoint(
          location: location, timeOffset: location.x, size: Size(width: 4, height: 4), opacity: 1,
          force: 1, azimuth: type == .reed ? 2.3 : 0, altitude: 1.3)
      })
    /// The first row in which ink covers half a pixel or more, in points.
    func top(_ scale: Double) throws -> Double {
      let alpha = try alpha([stroke], scale: scale)
      let row = (0..<alpha.height).first { y in (0..<alpha.width).contains { alpha[$0, y] > 0.5 } }
      return Double(row ?? alpha.height) / scale
    }
    let exact = try top(8)
    for scale in [1.0, 2, 4] { #expect(try abs(top(scale) - exact) * scale <= 1.2, "at \(scale)") }
  }
}
