import CRasterKernels
import Strokes

/// Pigment that sticks to the peaks of a grain first and to its valleys last: pencil and crayon.
///
/// For the tone t (0 to 1, from how long the nib rested on a pixel) and the grain g (0 for a peak,
/// 1 for a valley) the kernel `tooth` gives the pixel the coverage `cap · clamp(gain·t·(1 + depth)
/// − (gain − 1)/2·(1 − t) − gain·depth·g)`, averaged over the grain that is smaller than the pixel.
struct ToothStyle {
  var grain: GrainStyle
  /// Whether the grain belongs to the paper; otherwise it moves with the stroke.
  var isOnPaper: Bool
  /// The delay of valleys relative to peaks. At 0 grain is invisible; above 1 one pass leaves
  /// holes, which a second pass fills.
  var depth: Double
  /// The contrast of the tone, 1 or more: the greater, the sooner grain is fully on or off.
  var gain: Double
  /// The maximum coverage, from 0 to 1.
  var cap: Double
  /// Whether the nib deposits more ink in its middle.
  var isRounded: Bool
  /// The length of the rim's waves, in points. Their height is the nib's `wander`.
  var wanderCell: Double
  /// The radius of a tap's ink, as a multiple of the nib's.
  var rest = 1.0
  /// The contrast of lengthwise lanes, from 0 (no lanes) to 1.
  var lanes = 0.0
  /// A lane's width across the stroke and its length along it, in points.
  var laneWidth = 1.0
  var laneLength = 1.0
  /// Nibs narrower than this have weaker lanes, in points; 0 if all have the same.
  var laneNib = 0.0
}

extension Texture {
  init(_ style: ToothStyle, of stroke: PKStroke, in space: TextureSpace) {
    let grain = Grain(style.grain, on: style.isOnPaper ? space.paper : space.ink)
    let nib = stroke.ink.inkType.nibShape
    let jitter = min(max(stroke.path.first.map { $0.lateralJitter * $0.secondaryScale } ?? 1, 0), 3)
    var deposit = RasterDeposit(seed: stroke.randomSeed)
    let shown = space.visibility(of: 2 * nib.wanderLimit, from: 0.6, to: 1.5)
    deposit.rest = Float(style.rest)
    deposit.wander = Float(nib.wander * jitter) * shown
    deposit.wanderLimit = space.length(nib.wanderLimit * jitter) * shown
    deposit.wanderCell = space.length(style.wanderCell)
    deposit.lanes = Float(style.lanes) * space.detail(style.laneWidth)
    deposit.laneWidth = space.length(style.laneWidth)
    deposit.laneLength = space.length(style.laneLength)
    deposit.laneRadius = space.length(style.laneNib / 2)
    deposit.isRounded = style.isRounded ? 1 : 0
    self.init(
      deposit,
      .tooth(
        RasterTooth(
          grain: grain.raster, range: grain.range,
          spread: Float(style.gain * style.depth) * grain.spread, depth: Float(style.depth),
          gain: Float(style.gain), cap: Float(style.cap), ceiling: space.ceiling)),
      bleed: 2)
  }
}
