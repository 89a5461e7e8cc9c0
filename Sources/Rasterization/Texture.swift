import CRasterKernels
import Graphics
import Strokes

/// What the kernels must know of one mark of a textured ink, in pixels.
struct Texture {
  enum Tone {
    case tooth(RasterTooth)
    case marker(RasterMarker)
    /// A flat ink whose passes count.
    case passes(RasterPasses)
    case reed(RasterReed)
    case wash(RasterWash)
  }

  var deposit: RasterDeposit
  var tone: Tone
  /// How far ink reaches beyond the nib, in pixels.
  var bleed: Float
  /// Keeps the grains alive that the tone points into.
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

/// What turns an ink's lengths into pixels, for one stroke on one picture.
struct TextureSpace {
  /// From points of the page to pixels, and pixels a point.
  let page: AffineTransform
  let pageScale: Double
  /// From the stroke's own points to pixels, and pixels a point.
  let transform: AffineTransform
  let inkScale: Double
  let isDark: Bool
  /// The dwell at which ink is full: 1 pass where overlaps are discarded, otherwise 4, beyond which
  /// inks are saturated.
  let ceiling: Float

  init(
    page: AffineTransform, scale: Double, transform: AffineTransform, isDark: Bool,
    overlap: RenderOptions.Overlap?
  ) {
    (self.page, pageScale, self.transform, self.isDark) = (page, scale, transform, isDark)
    inkScale = transform.meanScale
    ceiling = overlap == .discard ? 1 : 4
  }

  /// How much of a grain shows, from 0 to 1: only what is larger than a pixel.
  func detail(_ cell: Double) -> Float {
    let t = min(max((cell * inkScale - 0.4) / 1, 0), 1)
    return Float(t * t * (3 - 2 * t))
  }

  /// A length in pixels.
  func length(_ points: Double) -> Float { Float(points * inkScale) }

  /// A depth below a stroke's edge in pixels; kernels know depths up to 500.
  func depth(_ points: Double) -> Float { min(length(points), 400) }

  /// A soft edge in pixels. Where it would be too narrow it keeps its middle, so that thumbnails keep
  /// their ink.
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
  /// Passes of a flat ink of some opacity, where they are to count.
  init?(passesOf alpha: Double, overlap: RenderOptions.Overlap?) {
    guard overlap == .accumulate || overlap == .saturate, alpha < 1 else { return nil }
    deposit = RasterDeposit()
    deposit.countsPasses = 1
    tone = .passes(
      RasterPasses(rest: Float(1 - alpha), ceiling: overlap == .saturate ? 2 : 16))
    bleed = 2
  }

  /// Whether ink is flat, and its exact edge comes from elsewhere.
  var isFlat: Bool { if case .passes = tone { true } else { false } }
}

extension RasterGrain {
  /// Grain that lies on the paper.
  init(_ grain: Grain, fixedTo page: AffineTransform) {
    self.init(
      texels: UnsafePointer(grain.texels.base), x: Int32(truncatingIfNeeded: whole(-page.tx)),
      y: Int32(truncatingIfNeeded: whole(-page.ty)), xx: 0, xy: 0, yx: 0, yy: 0, isUpright: 1)
  }

  /// Grain that moves with a stroke, each seed another part of it.
  init(_ grain: Grain, fixedTo space: TextureSpace, seed: UInt32) {
    let (transform, page, scale) = (space.transform, space.page, space.inkScale)
    let mixed = (seed &* 0x9E37_79B1) ^ (seed &* 0x85EB_CA77) >> 13
    let (u, v) = (Int32(mixed & 255), Int32(mixed >> 8 & 255))
    let texels = UnsafePointer(grain.texels.base)
    let isUpright =
      abs(transform.b) + abs(transform.c) + abs(transform.a - transform.d) < 1e-6 * scale
      && transform.a > 0
    // Seen from a whole pixel near the page's corner: a part of the page has the grain of the whole.
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
    self = seen(
      fromLeft: Int32(truncatingIfNeeded: -left), top: Int32(truncatingIfNeeded: -top))
  }

  /// The grain as it is seen from a tile's first pixel.
  func seen(fromLeft left: Int, top: Int) -> RasterGrain {
    seen(fromLeft: Int32(left), top: Int32(top))
  }

  private func seen(fromLeft dx: Int32, top dy: Int32) -> RasterGrain {
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

/// The nearest whole number, of two the greater.
private func whole(_ value: Double) -> Int { Int(clamping: (value + 0.5).rounded(.down)) }
