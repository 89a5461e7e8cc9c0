import CRasterKernels
import Graphics
import Strokes

/// The parameters of the kernels for one mark of a textured ink, in pixels.
struct Texture {
  enum Tone {
    case tooth(RasterTooth)
    case marker(RasterMarker)
    /// A flat ink whose passes add up.
    case passes(RasterPasses)
    case reed(RasterFibres)
    case wash(RasterWash)
  }

  var deposit: RasterDeposit
  var tone: Tone
  /// The extent of ink beyond the nib, in pixels.
  var bleed: Float
  /// The number of times that the sides of its pixels are doubled relative to the scene's; see
  /// `WideNibs`.
  var coarseness = 0

  init(_ deposit: RasterDeposit, _ tone: Tone, bleed: Float) {
    (self.deposit, self.tone, self.bleed) = (deposit, tone, bleed)
  }

  /// The texture of a stroke; nil for inks without one.
  init?(_ style: InkStyle, of stroke: PKStroke, in space: TextureSpace) {
    switch style.texture {
    case nil: return nil
    case .tooth(let tooth): self.init(tooth, of: stroke, in: space)
    case .marker(let marker): self.init(marker, of: stroke, in: space)
    case .reed(let reed): self.init(reed, of: stroke, in: space)
    case .wash(let wash): self.init(wash, of: stroke, in: space)
    }
  }
}

/// Converts an ink's lengths to pixels, for one stroke of one picture.
struct TextureSpace {
  /// From points of the page to pixels, and the number of pixels per point.
  let page: AffineTransform
  let pageScale: Double
  /// From the stroke's own points to pixels, and the number of pixels per point.
  let transform: AffineTransform
  let inkScale: Double
  let isDark: Bool
  /// The maximum dwell that counts: 1 pass if overlaps are discarded; otherwise 4, where inks are
  /// saturated.
  let ceiling: Float

  init(
    page: AffineTransform, scale: Double, transform: AffineTransform, isDark: Bool,
    overlap: RenderOptions.Overlap?
  ) {
    (self.page, pageScale, self.transform, self.isDark) = (page, scale, transform, isDark)
    inkScale = transform.meanScale
    ceiling = overlap == .discard ? 1 : 4
  }

  /// The paper's grain.
  var paper: GrainPlane { GrainPlane(page, scale: pageScale) }

  /// Grain that moves with the stroke.
  var ink: GrainPlane { GrainPlane(transform, scale: inkScale) }

  /// The share of detail of a size in points that remains in pixels, from 0 to 1.
  func detail(_ points: Double) -> Float {
    Float(Grain.amplitude(ofCells: points * inkScale))
  }

  /// Smoothstep from 0 where a length has `low` pixels to 1 where it has `high`.
  func visibility(of points: Double, from low: Double, to high: Double) -> Float {
    let t = min(max((points * inkScale - low) / (high - low), 0), 1)
    return Float(t * t * (3 - 2 * t))
  }

  /// A length in pixels.
  func length(_ points: Double) -> Float { Float(points * inkScale) }

  /// A depth below a stroke's edge in pixels, at most 400: kernels clamp depths at 500.
  func depth(_ points: Double) -> Float { min(length(points), 400) }

  /// A soft edge in pixels, at least half a pixel wide. Widening keeps its middle, so that
  /// thumbnails keep their ink.
  func edge(_ out: Double, _ inwards: Double) -> (out: Float, in: Float) {
    let (half, middle) = (max(length(inwards + out), 0.5) / 2, length(inwards - out) / 2)
    return (half - middle, half + middle)
  }
}

extension RasterDeposit {
  init(seed: UInt32) {
    self.init()
    self.seed = seed
    rest = 0.35
  }
}

extension Texture {
  /// The passes of a flat ink with an opacity; nil if passes do not add up.
  init?(passesOf alpha: Double, overlap: RenderOptions.Overlap?) {
    guard overlap == .accumulate || overlap == .saturate, alpha < 1 else { return nil }
    deposit = RasterDeposit(seed: 0)
    deposit.countsPasses = 1
    tone = .passes(
      RasterPasses(rest: Float(1 - alpha), ceiling: overlap == .saturate ? 2 : 16))
    bleed = 2
  }

  /// Whether the ink is flat; then its exact edge comes from samples.
  var isFlat: Bool { if case .passes = tone { true } else { false } }
}
