import Foundation
import Graphics
import Rasterization
import TestSupport
import Testing

/// Compares the coverage of tiles with geometry, without reference pictures.
@Suite struct `The coverage of a path` {
  private typealias Point = SIMD2<Double>

  private static func round(_ points: [(Point, radius: Double)]) -> PlainRoundPath {
    PlainRoundPath(
      x: points.map { Int32(($0.0.x * 1024).rounded()) },
      y: points.map { Int32(($0.0.y * 1024).rounded()) }, radius: points.map { Float($0.radius) })
  }

  private static func coverage(_ tile: KernelTile, _ path: PlainRoundPath) -> [UInt8] {
    tile.sweep(path, from: 0, to: path.x.count - 1, left: 0, top: 0)
    return tile.resolve()
  }

  private static func sum(_ coverage: [UInt8]) -> Double {
    coverage.reduce(0) { $0 + Double($1) } / 255
  }

  private static func tile(_ samples: Int) throws -> KernelTile {
    try KernelTile(level: kernelLevels.last ?? 0, samples: samples)
  }

  /// The mean coverage of a shape at many positions within a pixel, as a fraction of its area.
  private static func share(of area: Double, _ draw: (Point) -> [UInt8]) -> Double {
    let count = 64
    let total = (0..<count).reduce(0.0) { total, index in
      // These positions fill the pixel evenly in all directions.
      let step = Double(index) * Point(0.754_877_666, 0.569_840_291)
      return total + sum(draw(step - step.rounded(.down)))
    }
    return total / Double(count) / area
  }

  private static func tolerance(_ samples: Int) -> Double { samples == 16 ? 0.001 : 0.005 }

  @Test(arguments: [8, 16], [1, 2.6, 12, 45])
  func `the coverage of a dot sums to the disc's area`(samples: Int, radius: Double) throws {
    let tile = try Self.tile(samples)
    let share = Self.share(of: .pi * radius * radius) {
      Self.coverage(tile, Self.round([(Point(63, 63) + $0, radius)]))
    }
    #expect(abs(share - 1) < Self.tolerance(samples), "\(share)")
  }

  @Test(arguments: [8, 16], [0.5, 1, 3, 10])
  func `the coverage of a straight stroke sums to the capsule's area`(
    samples: Int, radius: Double
  ) throws {
    let tile = try Self.tile(samples)
    for step in 0..<8 {
      let angle = Double(step) * .pi / 8 + 0.01 * Double(step)
      let way = 40 * Point(cos(angle), sin(angle))
      let share = Self.share(of: .pi * radius * radius + 80 * radius) {
        let middle = Point(63, 63) + $0
        return Self.coverage(
          tile, Self.round([(middle - way / 2, radius), (middle + way / 2, radius)]))
      }
      #expect(abs(share - 1) < Self.tolerance(samples), "\(share) at \(angle)")
    }
  }

  @Test(arguments: [8, 16], [(2.0, 6.0), (0.5, 3), (20, 4), (1, 30)])
  func `the coverage of a tapered stroke sums to the area between its ends`(
    samples: Int, radii: (Double, Double)
  ) throws {
    let tile = try Self.tile(samples)
    let (a, b) = radii
    let length = 45.0
    // Two arcs and the two common tangents of the discs.
    let lean = asin((a - b) / length)
    let tangent = (length * length - (a - b) * (a - b)).squareRoot()
    let area =
      (a + b) * tangent + a * a * (.pi / 2 + lean) + b * b * (.pi / 2 - lean)
    for angle in [0, 0.4, .pi / 2, -0.7] {
      let way = length * Point(cos(angle), sin(angle))
      let share = Self.share(of: area) {
        let middle = Point(63, 63) + $0
        return Self.coverage(tile, Self.round([(middle - way / 2, a), (middle + way / 2, b)]))
      }
      #expect(abs(share - 1) < Self.tolerance(samples), "\(share) at \(angle)")
    }
  }

  @Test(arguments: [8, 16], [(3.0, 1.0), (20, 2), (8, 8), (30, 0.4)])
  func `the coverage of elliptic nibs sums to their swept area`(
    samples: Int, axes: (Double, Double)
  ) throws {
    let tile = try Self.tile(samples)
    let (a, b) = axes
    for angle in [0, 0.3, 2.2] {
      let (c, s) = (cos(angle), sin(angle))
      let (xx, xy, yy) = (
        Float(a * a * c * c + b * b * s * s), Float((a * a - b * b) * c * s),
        Float(a * a * s * s + b * b * c * c)
      )
      for way in [Point(0, 0), Point(30, 0), Point(0, 25), Point(17, -23)] {
        // The swept parallelogram is as wide as the ellipse across the direction of movement.
        let across = -way.y * c + way.x * s
        let along = way.x * c + way.y * s
        let reach = (a * a * across * across + b * b * along * along).squareRoot()
        let share = Self.share(of: .pi * a * b + 2 * reach) {
          let (from, to) = (Point(63, 63) + $0 - way / 2, Point(63, 63) + $0 + way / 2)
          let path = PlainEllipticPath(
            x: [Int32(from.x * 1024), Int32(to.x * 1024)],
            y: [Int32(from.y * 1024), Int32(to.y * 1024)], xx: [xx, xx], xy: [xy, xy], yy: [yy, yy])
          tile.sweep(path, from: 0, to: 1, left: 0, top: 0)
          return tile.resolve()
        }
        #expect(abs(share - 1) < Self.tolerance(samples), "\(share) at \(angle), \(way)")
      }
    }
  }

  @Test(arguments: [8, 16])
  func `the coverage of two halves adds up to that of the whole`(samples: Int) throws {
    let tile = try Self.tile(samples)
    var random = SplitMix64(seed: 9)
    for _ in 0..<30 {
      let radius = Double.random(in: 0.3...20, using: &random)
      let (a, b) = (
        Point(.random(in: 30...60, using: &random), .random(in: 30...90, using: &random)),
        Point(.random(in: 64...90, using: &random), .random(in: 30...90, using: &random))
      )
      let whole = Self.coverage(tile, Self.round([(a, radius), (b, radius)]))
      let cut = Self.coverage(tile, Self.round([(a, radius), ((a + b) / 2, radius), (b, radius)]))
      // The middle is rounded, and so are the samples at the rim.
      #expect(abs(Self.sum(whole) / Self.sum(cut) - 1) < 0.002)
      let first = Self.round([(a, radius), ((a + b) / 2, radius)])
      let second = Self.round([((a + b) / 2, radius), (b, radius)])
      let dot = Self.round([((a + b) / 2, radius)])
      // Both halves cover the nib between them.
      let sum =
        Self.sum(Self.coverage(tile, first)) + Self.sum(Self.coverage(tile, second))
        - Self.sum(Self.coverage(tile, dot))
      #expect(abs(sum / Self.sum(whole) - 1) < 0.015, "\(sum / Self.sum(whole)), \(radius)")
    }
  }

  @Test(arguments: [8, 16], [0.05, 0.08, 0.1, 0.15, 0.2, 0.3, 0.5])
  func `a hairline keeps its weight at every angle`(samples: Int, width: Double) throws {
    let tile = try Self.tile(samples)
    // With 64 samples a pixel, weights are rounded to 64ths of two rows of samples.
    let steps = samples == 16 ? 256.0 : 64
    let rounding = 0.5 / steps / min(width * Double(samples) / 2, 1)
    for step in stride(from: 0, to: 16, by: RunLength.step(3)) {
      let angle = Double(step) * .pi / 16
      let way = 90 * Point(cos(angle), sin(angle))
      let share = Self.share(of: 90 * width) {
        let middle = Point(63, 63) + $0
        return Self.coverage(
          tile, Self.round([(middle - way / 2, width / 2), (middle + way / 2, width / 2)]))
      }
      #expect(abs(share - 1) < 0.01 + rounding, "\(share) at \(angle)")
    }
  }

  @Test(arguments: [8, 16], [0.4, 1.0, 2.5, 9, 30])
  func `the coverage of turns and crossings is that of the union, without seams`(
    samples: Int, radius: Double
  ) throws {
    let tile = try Self.tile(samples)
    var random = SplitMix64(seed: 10)
    for _ in 0..<2 {
      var points: [(Point, radius: Double)] = []
      var position = Point(50, 60)
      var angle = 0.3
      for index in 0..<14 {
        points.append((position, radius))
        angle += index % 5 == 4 ? 2.8 : .random(in: -0.6...0.9, using: &random)
        position += Double.random(in: 2...16, using: &random) * Point(cos(angle), sin(angle))
        position = Point(min(max(position.x, 5), 120), min(max(position.y, 5), 120))
      }
      let path = Self.round(points)
      let coverage = Self.coverage(tile, path)
      var (error, rim, worst) = (0.0, 0, 0.0)
      for y in 0..<128 {
        for x in 0..<128 {
          let exact = Self.exactCoverage(points, radius, x, y)
          let covered = Double(coverage[y * 128 + x]) / 255
          if exact == 0 || exact == 1 {
            // Tolerates soft joints' tips, and samples that are barely missed.
            guard abs(covered - exact) > 0.08 else { continue }
            Issue.record("\(covered) instead of \(exact) at \(x), \(y)")
          } else {
            rim += 1
            error += abs(covered - exact)
            worst = max(worst, abs(covered - exact))
          }
        }
      }
      #expect(error / Double(rim) < (samples == 16 ? 0.004 : 0.012), "\(error / Double(rim))")
      #expect(worst < 0.17, "\(worst)")
    }
  }

  /// The fraction of a pixel within a distance of a path, by 16×16 samples.
  private static func exactCoverage(
    _ points: [(Point, radius: Double)], _ radius: Double, _ x: Int, _ y: Int
  ) -> Double {
    let center = Point(Double(x) + 0.5, Double(y) + 0.5)
    let near = zip(points, points.dropFirst()).filter {
      distance(center, $0.0.0, $0.1.0) < radius + 0.71
    }
    if near.isEmpty { return 0 }
    if near.contains(where: { distance(center, $0.0.0, $0.1.0) < radius - 0.71 }) { return 1 }
    var count = 0
    for v in 0..<16 {
      for u in 0..<16 {
        let position = Point(
          Double(x) + (Double(u) + 0.5) / 16, Double(y) + (Double(v) + 0.5) / 16)
        if near.contains(where: { distance(position, $0.0.0, $0.1.0) < radius }) { count += 1 }
      }
    }
    return Double(count) / 256
  }

  private static func distance(_ p: Point, _ a: Point, _ b: Point) -> Double {
    let (way, from) = (b - a, p - a)
    let along = min(max((way * from).sum() / max((way * way).sum(), 1e-12), 0), 1)
    let rest = from - along * way
    return (rest * rest).sum().squareRoot()
  }
}
