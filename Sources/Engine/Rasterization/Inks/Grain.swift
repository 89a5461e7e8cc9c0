import CRasterKernels
import Graphics

/// Noise of up to three octaves, each on a lattice that is turned against the others, because
/// upright lattices show as little bricks. The noise depends on positions in points, so that the
/// grain is the same at every scale, and never repeats.
struct GrainStyle {
  /// The cell of each octave in points, and its weight.
  var octaves: [(cell: Double, weight: Double)]
  /// Distinguishes lattices with equal cells.
  var seed: UInt32
}

/// The plane that a grain belongs to: the paper, or the points of a stroke.
struct GrainPlane {
  /// From pixels, counted from `left` and `top`, to the plane's points.
  let points: AffineTransform
  /// The whole pixel nearest to the plane's origin. Positions are relative to it, so that a region
  /// of a page has the grain of the whole page.
  let left: Int
  let top: Int
  /// The number of pixels per point.
  let scale: Double

  init(_ transform: AffineTransform, scale: Double) {
    self.scale = scale
    (left, top) = (nearest(transform.tx), nearest(transform.ty))
    let placed = transform.concatenating(
      AffineTransform(translationX: -Double(left), y: -Double(top)))
    points =
      placed.inverted() ?? AffineTransform(scaleX: 1 / max(scale, 1e-9), y: 1 / max(scale, 1e-9))
  }
}

/// A grain in pixels.
struct Grain {
  let raster: RasterGrain
  /// The difference between its extremes. The middle is ½.
  let range: Float
  /// The half width of a uniform distribution with the variance of all detail that is smaller than
  /// a pixel.
  let spread: Float

  /// The standard deviation of one octave, of which the extremes differ by 1.
  private static let deviation = 0.2144
  /// Octaves with a smaller amplitude, after averaging over a pixel, are left out.
  private static let minimumAmplitude = 0.12
  /// The directions of the octaves' lattices: Pythagorean triangles.
  private static let turns = [(4 / 5.0, 3 / 5.0), (12 / 13.0, 5 / 13.0), (15 / 17.0, 8 / 17.0)]

  init(_ style: GrainStyle, on plane: GrainPlane, variant: UInt32 = 0) {
    let kept = style.octaves.map { octave in
      let amplitude = Self.amplitude(ofCells: octave.cell * plane.scale)
      return amplitude < Self.minimumAmplitude ? 0 : amplitude
    }
    let weights = zip(style.octaves, kept).map { $0.weight * $1 }
    let lost = zip(style.octaves, kept).reduce(0) { sum, octave in
      sum + octave.0.weight * octave.0.weight * (1 - octave.1 * octave.1)
    }
    let total = weights.reduce(0, +)
    let octaves = (0..<Int(RasterGrainOctaves)).map { index in
      guard index < weights.count, weights[index] > 0 else { return RasterOctave() }
      return RasterOctave(
        cell: style.octaves[index].cell, turn: Self.turns[index], plane,
        seed: style.seed &+ 31 &* UInt32(index) &+ 7919 &* variant,
        weight: Int32(weights[index] / total * 32_767))
    }
    raster = RasterGrain(octaves: (octaves[0], octaves[1], octaves[2]))
    range = Float(total)
    spread = Float((3 * lost).squareRoot() * Self.deviation)
  }

  /// The share of the amplitude of noise that remains after averaging over one pixel, for cells of
  /// some pixels. A fit to sums over boxes, exact within 0.02.
  static func amplitude(ofCells pixels: Double) -> Double {
    pixels > 0 ? pixels / (pixels * pixels + 0.6).squareRoot() : 0
  }
}

extension RasterOctave {
  fileprivate init(
    cell: Double, turn: (cosine: Double, sine: Double), _ plane: GrainPlane, seed: UInt32,
    weight: Int32
  ) {
    let perCell = 65_536 / cell
    func fixed(_ x: Double, _ y: Double) -> UInt32 {
      UInt32(truncatingIfNeeded: nearest(perCell * (turn.cosine * x + turn.sine * y)))
    }
    let (p, origin) = (plane.points, Point(x: 0.5, y: 0.5).applying(plane.points))
    self.init(
      ux: fixed(p.a, p.b), uy: fixed(p.c, p.d), u: fixed(origin.x, origin.y),
      vx: fixed(-p.b, p.a), vy: fixed(-p.d, p.c), v: fixed(-origin.y, origin.x),
      seed: seed & 0xFFFF, weight: weight)
    let (left, top) = (
      UInt32(truncatingIfNeeded: plane.left), UInt32(truncatingIfNeeded: plane.top)
    )
    u &-= ux &* left &+ uy &* top
    v &-= vx &* left &+ vy &* top
  }
}

/// The nearest integer; halves are rounded up.
private func nearest(_ value: Double) -> Int { Int(clamping: (value + 0.5).rounded(.down)) }
