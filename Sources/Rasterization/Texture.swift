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

  /// The texture of a stroke; nil for inks without one. `scale` is pixels a point of the page,
  /// `inkScale` those of the stroke's own points.
  init?(
    _ style: InkStyle, of stroke: PKStroke, page: AffineTransform, scale: Double,
    transform: AffineTransform, isDark: Bool, overlap: RenderOptions.Overlap?
  ) {
    let inkScale = transform.meanScale
    // Of the grain only what is larger than a pixel can be seen.
    func detail(_ cell: Double) -> Float {
      let t = min(max((cell * inkScale - 0.4) / 1, 0), 1)
      return Float(t * t * (3 - 2 * t))
    }
    let ceiling: Float = overlap == .discard ? 1 : 4
    func length(_ points: Double) -> Float { Float(points * inkScale) }
    // Depths are told up to 500 pixels.
    func deep(_ points: Double) -> Float { min(length(points), 400) }
    // A soft edge keeps its middle where it would be too narrow, so that thumbnails keep their ink.
    func edge(_ out: Double, _ inwards: Double) -> (out: Float, in: Float) {
      let (half, middle) = (max(length(inwards + out), 0.5) / 2, length(inwards - out) / 2)
      return (half - middle, half + middle)
    }
    let seed = stroke.randomSeed
    let first = stroke.path.first
    switch style.body {
    case .flat: return nil
    case .tooth(let tooth):
      let grain = Grain.make(tooth.grain, scale: tooth.isPaper ? scale : inkScale)
      grains = [grain]
      deposit = RasterDeposit()
      deposit.seed = seed
      let jitter = first.map { $0.lateralJitter * $0.secondaryScale } ?? 1
      deposit.wander =
        detail(tooth.wanderCell) > 0.5 ? Float(tooth.wander * min(max(jitter, 0), 4)) : 0
      deposit.wanderCell = length(tooth.wanderCell)
      deposit.lanes = Float(tooth.lanes) * detail(tooth.laneWidth)
      deposit.laneWidth = length(tooth.laneWidth)
      deposit.laneLength = length(tooth.laneLength)
      deposit.isRounded = tooth.isRounded ? 1 : 0
      tone = .tooth(
        RasterTooth(
          grain: tooth.isPaper
            ? RasterGrain(grain, fixedTo: page)
            : RasterGrain(grain, fixedTo: transform, on: page, scale: inkScale, seed: seed),
          depth: Float(tooth.depth), gain: Float(tooth.gain), cap: Float(tooth.cap),
          detail: detail(tooth.grain.cells.fine), ceiling: ceiling))
      bleed = 2
    case .marker(let marker):
      deposit = RasterDeposit()
      deposit.seed = seed
      (deposit.featherOut, deposit.featherIn) = edge(marker.featherOut, marker.featherIn)
      // Where an eraser cut a stroke no blade touched down.
      deposit.hasPrint = stroke.visiblePathRange.lowerBound > 0 ? 0 : 1
      deposit.lanes = Float(marker.lanes) * detail(marker.laneWidth)
      deposit.laneWidth = length(marker.laneWidth)
      tone = .marker(
        RasterMarker(ceiling: ceiling, print: Float(marker.flow * marker.print)))
      bleed = deposit.featherOut + 2
    case .reed(let reed):
      deposit = RasterDeposit()
      deposit.seed = seed
      deposit.lanes = 1
      deposit.laneWidth = length(reed.fibreWidth)
      deposit.laneLength = length(reed.fibreLength)
      deposit.featherOut = length(reed.edge) + 0.5
      tone = .reed(
        RasterReed(
          edge: length(reed.edge), depth: max(deep(reed.depth), 0.5), rough: Float(reed.rough),
          dry: Float(reed.dry), detail: detail(reed.fibreWidth)))
      bleed = 3
    case .wash(let wash):
      deposit = RasterDeposit()
      deposit.seed = seed
      deposit.hasDepth = 1
      let sway = (wash.swayA + wash.swayB) / 2
      let (edgeOut, edgeIn) = edge(wash.edgeOut, wash.edgeIn)
      deposit.featherOut = deep(sway) + edgeOut
      let width = stroke.ink.drawnSize(
        of: Size(width: Double(stroke.path.widths.first ?? 0), height: 0)
      ).width
      let wobble = max(wash.wobbleCell.least, width * wash.wobbleCell.part)
      let swell =
        max(1, (width / wash.referenceWidth).squareRoot())
        * min(max(first?.secondaryScale ?? 1, 0.1), 4)
      func grain(_ cell: Double, _ salt: UInt32) -> Grain {
        Grain.make(
          GrainStyle(cells: (cell, cell), share: 0.5, contrast: 1), scale: inkScale, seed: salt)
      }
      let made = [
        grain(wobble, 10), grain(wobble / 2.5, 20), grain(wash.clouds.cells.coarse, 30),
        grain(wash.clouds.cells.fine, 40), grain(wash.pigmentCell, 50),
      ]
      grains = made
      func anchored(_ number: Int) -> RasterGrain {
        RasterGrain(
          made[number], fixedTo: transform, on: page, scale: inkScale,
          seed: seed &+ UInt32(number))
      }
      tone = .wash(
        RasterWash(
          wobbleA: anchored(0), wobbleB: anchored(1), cloudA: anchored(2), cloudB: anchored(3),
          pigment: RasterGrain(made[4], fixedTo: page), swayA: deep(wash.swayA),
          swayB: deep(wash.swayB), edgeOut: edgeOut, edgeIn: edgeIn, rim: length(wash.rim * swell),
          pool: length(wash.pool * swell), detail: detail(wash.pigmentCell),
          strength: isDark ? Float(wash.strengthInTheDark) : 1))
      bleed = deposit.featherOut + 2
    }
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
  fileprivate init(_ grain: Grain, fixedTo page: AffineTransform) {
    self.init(
      texels: UnsafePointer(grain.texels.base), x: Int32(truncatingIfNeeded: whole(-page.tx)),
      y: Int32(truncatingIfNeeded: whole(-page.ty)), xx: 0, xy: 0, yx: 0, yy: 0, isUpright: 1)
  }

  /// Grain that moves with a stroke, each seed another part of it.
  fileprivate init(
    _ grain: Grain, fixedTo transform: AffineTransform, on page: AffineTransform, scale: Double,
    seed: UInt32
  ) {
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
