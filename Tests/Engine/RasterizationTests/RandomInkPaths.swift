import CRasterKernels
import TestSupport

@testable import Rasterization

/// Kinds of paths that are likely to find errors in the kernels of textured inks.
enum InkPathKind: CaseIterable {
  case handwriting, fatStroke, hairline, dot, samePoints, tinySteps, steepTaper, sharpTurns
  case hugeNib, atTheLimits, acrossTheTile

  private func shape(
    _ random: inout SplitMix64
  ) -> (count: Int, step: Double, radius: ClosedRange<Float>) {
    let count = Int.random(in: 2...5, using: &random)
    switch self {
    case .handwriting: return (count, 5, 0.6...2.5)
    case .fatStroke: return (3, 20, 8...40)
    case .hairline: return (count, 8, 0...0.3)
    case .dot: return (1, 0, 0.01...20)
    case .samePoints: return (count, 0, 0.1...12)
    case .tinySteps: return (count, 0.003, 0.1...12)
    case .steepTaper: return (count, 3, 0...25)
    case .sharpTurns: return (count, 20, 0.3...5)
    case .hugeNib: return (2, 500, 1000...131_072)
    case .atTheLimits: return (3, 0, 0.1...40)
    case .acrossTheTile: return (2, 400, 0.5...9)
    }
  }

  /// A random path near a tile.
  func path(_ random: inout SplitMix64, left: Int, top: Int) -> PlainInkPath {
    let (count, step, radii) = shape(&random)
    var path = PlainInkPath()
    var x = Double.random(in: -10...138, using: &random) + Double(left)
    var y = Double.random(in: -10...138, using: &random) + Double(top)
    let constant = Bool.random(using: &random)
    var radius = Float.random(in: radii, using: &random)
    var arc: Float = [0, 3.5, 900_000].randomElement(using: &random) ?? 0
    var (dx, dy) = (step, 0.4 * step)
    for _ in 0..<count {
      if self == .atTheLimits, Bool.random(using: &random) {
        x = [-262_143.999, 262_143.999].randomElement(using: &random) ?? x
        y = [-262_143.999, 262_143.999, y].randomElement(using: &random) ?? y
      }
      if !constant { radius = Float.random(in: radii, using: &random) }
      // Multiples of a right angle, and any other angle.
      let tangent =
        [0, 1, -1, Float.random(in: -1...1, using: &random)]
        .randomElement(using: &random) ?? 0
      let flip: Float = Bool.random(using: &random) ? 1 : -1
      let square = tangent * tangent
      path.x.append(Int32(x * 1024))
      path.y.append(Int32(y * 1024))
      path.radius.append(radius)
      path.thickness.append(radius * ([0.02, 0.3, 1, 3].randomElement(using: &random) ?? 1))
      path.cosine.append(flip * (1 - square) / (1 + square))
      path.sine.append(2 * tangent / (1 + square))
      path.flow.append([0, 0.4, 1, 2, 900].randomElement(using: &random) ?? 1)
      path.arc.append(arc)
      path.lean.append(constant ? 0 : Float.random(in: -1.5...1.5, using: &random))
      if Bool.random(using: &random) {
        dx = Double.random(in: -step...step, using: &random)
        dy =
          [0, Double.random(in: -step...step, using: &random)].randomElement(using: &random) ?? 0
      }
      x = min(max(x + dx, -262_143.999), 262_143.999)
      y = min(max(y + dy, -262_143.999), 262_143.999)
      arc += Float((dx * dx + dy * dy).squareRoot())
    }
    return path
  }
}

extension RasterDeposit {
  /// Random parameters, including edge cases.
  static func random(_ random: inout SplitMix64) -> RasterDeposit {
    func chance() -> UInt8 { UInt8.random(in: 0...1, using: &random) }
    func one(of values: [Float]) -> Float { values.randomElement(using: &random) ?? 0 }
    return RasterDeposit(
      seed: .random(in: 0...(.max), using: &random), wander: one(of: [0, 0.05, 0.14, 0.56]),
      wanderLimit: one(of: [0, 0.4, 3, 20]), wanderCell: one(of: [0, 0.3, 1.4, 50]),
      lanes: one(of: [0, 0, 0.26, 1]),
      laneWidth: one(of: [0, 0.01, 1.2, 30]), laneLength: one(of: [0, 0.5, 24]),
      laneRadius: one(of: [0, 4]),
      featherOut: one(of: [0, 0.3, 1, 8]), featherIn: one(of: [0.5, 0.75, 6]),
      strip: one(of: [0.5, 5, 40]), rest: one(of: [0.35, 1]), hasPrint: chance(),
      isRounded: chance(), countsPasses: chance(), hasDepth: chance())
  }
}

extension RasterGrain {
  /// Grain with random octaves, some of which are left out.
  static func random(_ random: inout SplitMix64) -> RasterGrain {
    let steps: [UInt32] = [0, 65_536, 46_341, 0xFFFF_0000, 123_456_789, .max]
    func octave() -> RasterOctave {
      func step() -> UInt32 { steps.randomElement(using: &random) ?? 0 }
      return RasterOctave(
        ux: step(), uy: step(), u: .random(in: 0...(.max), using: &random), vx: step(), vy: step(),
        v: .random(in: 0...(.max), using: &random), seed: .random(in: 0...65_535, using: &random),
        weight: [0, 10_922, 9_000].randomElement(using: &random) ?? 0)
    }
    return RasterGrain(octaves: (octave(), octave(), octave()))
  }
}

extension RasterFibres {
  /// Random fibres, some scales of which are left out.
  static func random(_ random: inout SplitMix64) -> RasterFibres {
    func one(of values: [Float]) -> Float { values.randomElement(using: &random) ?? 0 }
    func three(_ values: [Float]) -> (Float, Float, Float) {
      (one(of: values), one(of: values), one(of: values))
    }
    return RasterFibres(
      width: three([0.9, 1.6, 20]), length: three([40, 55, 440]), weight: three([0, 0.3, 0.8]),
      ramp: one(of: [0.08, 0.5]), variance: 0.744, endDryness: one(of: [0, 0.16]),
      body: one(of: [0.74, 1]),
      tear: one(of: [0, 0.7]), tearLength: one(of: [1, 10]))
  }
}
