import Rasterization
import TestSupport

/// Kinds of paths that are likely to find errors in the kernels.
enum PathKind: CaseIterable {
  case handwriting, fatStroke, hairline, dot, samePoints, tinySteps, steepTaper, sharpTurns, level
  case hugeNib, atTheLimits, allWidths, long

  /// The number of points, the step in pixels and the nib's half width.
  fileprivate func shape(
    _ random: inout SplitMix64
  ) -> (count: Int, step: Double, radius: ClosedRange<Float>) {
    let count = Int.random(in: 2...9, using: &random)
    switch self {
    case .handwriting: return (count, 6, 0.6...2.5)
    case .fatStroke: return (count, 30, 8...70)
    case .hairline: return (count, 8, 0.001...0.13)
    case .dot: return (1, 0, 0.01...20)
    case .samePoints: return (count, 0, 0.1...12)
    case .tinySteps: return (count, 0.003, 0.1...12)
    case .steepTaper: return (count, 3, 0...30)
    case .sharpTurns: return (count, 20, 0.3...5)
    case .level: return (count, 12, 0.5...10)
    case .hugeNib: return (2, 5000, 1000...262_144)
    case .atTheLimits: return (count, 0, 0.1...40)
    case .allWidths: return (count, 15, 0...12)
    case .long: return (40, 4, 0.5...2)
    }
  }

  /// A random path with round nibs near a tile.
  func round(_ random: inout SplitMix64, left: Int, top: Int) -> PlainRoundPath {
    let (count, step, radii) = shape(&random)
    var path = PlainRoundPath(x: [], y: [], radius: [])
    var x = Double.random(in: -10...138, using: &random) + Double(left)
    var y = Double.random(in: -10...138, using: &random) + Double(top)
    var radius = Float.random(in: radii, using: &random)
    let turns = self == .sharpTurns || self == .steepTaper
    var (dx, dy) = (step, 0.5 * step)
    for _ in 0..<count {
      if self == .atTheLimits, Bool.random(using: &random) {
        x = [-262_143.999, 262_143.999].randomElement(using: &random) ?? x
        y = [-262_143.999, 262_143.999, y].randomElement(using: &random) ?? y
      }
      path.x.append(Int32(x * 1024))
      path.y.append(Int32(y * 1024))
      path.radius.append(radius)
      if turns || self == .allWidths {
        // A third of the nibs are so thin that thick strokes contain hairlines.
        let thinner: Float = Int.random(in: 0..<3, using: &random) == 0 ? 0.01 : 1
        radius = Float.random(in: radii, using: &random) * thinner
      }
      if self == .handwriting || self == .hairline {
        radius = min(max(radius * Float.random(in: 0.8...1.2, using: &random), 0), 200)
      }
      if turns || step > 0, Int.random(in: 0..<4, using: &random) == 0 || turns {
        dx = Double.random(in: -step...step, using: &random)
        dy = Double.random(in: -step...step, using: &random)
      } else {
        dx += Double.random(in: -0.3...0.3, using: &random) * step
        dy += Double.random(in: -0.3...0.3, using: &random) * step
      }
      if self == .level, Bool.random(using: &random) {
        (dx, dy) = Bool.random(using: &random) ? (dx.rounded(), 0) : (0, dy.rounded())
      }
      x = min(max(x + dx, -262_143.999), 262_143.999)
      y = min(max(y + dy, -262_143.999), 262_143.999)
    }
    return path
  }

  /// A random path with elliptic nibs near a tile.
  func elliptic(_ random: inout SplitMix64, left: Int, top: Int) -> PlainEllipticPath {
    let path = round(&random, left: left, top: top)
    var result = PlainEllipticPath(x: path.x, y: path.y, xx: [], xy: [], yy: [])
    var (cosine, sine, squeeze) = (Float(1), Float(0), Float(0.5))
    for radius in path.radius {
      if Bool.random(using: &random) {
        let tangent = Float.random(in: -1...1, using: &random)
        (cosine, sine) = (
          (1 - tangent * tangent) / (1 + tangent * tangent), 2 * tangent / (1 + tangent * tangent)
        )
        squeeze = [0, 0.01, 0.3, 1].randomElement(using: &random) ?? 1
      }
      let (a, b) = (radius * radius, radius * radius * squeeze * squeeze)
      result.xx.append(a * cosine * cosine + b * sine * sine)
      result.xy.append((a - b) * cosine * sine)
      result.yy.append(a * sine * sine + b * cosine * cosine)
    }
    return result
  }
}
