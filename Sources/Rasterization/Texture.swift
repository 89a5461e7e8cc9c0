import CRasterKernels
import Graphics
import Strokes

/// The parameters of the kernels for one mark of a textured ink, in pixels.
struct Texture {
  enum Tone {
    case tooth(RasterTooth)
    case marker(RasterMarker)
    /// A flat ink of which each pass counts.
    case passes(RasterPasses)
    case reed(RasterReed)
    case wash(RasterWash)
  }

  var deposit: RasterDeposit
  var tone: Tone
  /// How far ink reaches beyond the nib, in pixels.
  var bleed: Float
  /// Keeps the grains alive that the tone has pointers to.
  private var grains: [Grain] = []

  init(_ deposit: RasterDeposit, _ tone: Tone, bleed: Float, grains: [Grain] = []) {
    (self.deposit, self.tone, self.bleed, self.grains) = (deposit, tone, bleed, grains)
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

  /// How clearly a grain shows, from 0 to 1: it fades out between cells of 1.4 and 0.4 pixels.
  func detail(_ cell: Double) -> Float {
    let t = min(max((cell * inkScale - 0.4) / 1, 0), 1)
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
  }
}

extension Texture {
  /// The passes of a flat ink with an opacity; nil if passes do not count.
  init?(passesOf alpha: Double, overlap: RenderOptions.Overlap?) {
    guard overlap == .accumulate || overlap == .saturate, alpha < 1 else { return nil }
    deposit = RasterDeposit()
    deposit.countsPasses = 1
    tone = .passes(
      RasterPasses(rest: Float(1 - alpha), ceiling: overlap == .saturate ? 2 : 16))
    bleed = 2
  }

  /// Whether the ink is flat; then its exact edge comes from samples.
  var isFlat: Bool { if case .passes = tone { true } else { false } }
}

extension RasterGrain {
  /// Grain that is fixed to the paper.
  init(_ grain: Grain, fixedTo page: AffineTransform) {
    self.init(
      texels: UnsafePointer(grain.texels.base), x: Int32(truncatingIfNeeded: whole(-page.tx)),
      y: Int32(truncatingIfNeeded: whole(-page.ty)), xx: 0, xy: 0, yx: 0, yy: 0, isUpright: 1)
  }

  /// Grain that moves with a stroke. Each seed shows another part of it.
  init(_ grain: Grain, fixedTo space: TextureSpace, seed: UInt32) {
    let (transform, page, scale) = (space.transform, space.page, space.inkScale)
    let mixed = (seed &* 0x9E37_79B1) ^ (seed &* 0x85EB_CA77) >> 13
    let (u, v) = (Int32(mixed & 255), Int32(mixed >> 8 & 255))
    let texels = UnsafePointer(grain.texels.base)
    let isUpright =
      abs(transform.b) + abs(transform.c) + abs(transform.a - transform.d) < 1e-6 * scale
      && transform.a > 0
    // Positions are relative to a whole pixel near the page's corner, so that a region of the page
    // has the grain of the whole page.
    let (left, top) = (whole(page.tx), whole(page.ty))
    let placed = transform.concatenating(
      AffineTransform(translationX: -Double(left), y: -Double(top)))
    guard !isUpright, let back = placed.inverted() else {
      self.init(
        texels: texels, x: Int32(truncatingIfNeeded: whole(-transform.tx)) &+ u,
        y: Int32(truncatingIfNeeded: whole(-transform.ty)) &+ v, xx: 0, xy: 0, yx: 0, yy: 0,
        isUpright: 1)
      return
    }
    func texel(_ value: Double) -> Int32 {
      Int32(truncatingIfNeeded: whole(value * scale * 65_536))
    }
    self.init(
      texels: texels, x: texel(back.tx + (back.a + back.c) / 2) &+ u << 16,
      y: texel(back.ty + (back.b + back.d) / 2) &+ v << 16, xx: texel(back.a), xy: texel(back.c),
      yx: texel(back.b), yy: texel(back.d), isUpright: 0)
    self = shifted(
      toLeft: Int32(truncatingIfNeeded: -left), top: Int32(truncatingIfNeeded: -top))
  }

  /// The grain relative to the first pixel of a tile.
  func shifted(toLeft left: Int, top: Int) -> RasterGrain {
    shifted(toLeft: Int32(left), top: Int32(top))
  }

  private func shifted(toLeft dx: Int32, top dy: Int32) -> RasterGrain {
    var grain = self
    if isUpright != 0 {
      grain.x &+= dx
      grain.y &+= dy
    } else {
      grain.x &+= xx &* dx &+ xy &* dy
      grain.y &+= yx &* dx &+ yy &* dy
    }
    return grain
  }
}

/// The nearest integer; halves are rounded up.
private func whole(_ value: Double) -> Int { Int(clamping: (value + 0.5).rounded(.down)) }
