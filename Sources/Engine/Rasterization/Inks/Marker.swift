import CRasterKernels
import Strokes

extension InkStyle {
  /// A soft-edged blade that keeps text readable. It is heavier at its own folds and along the
  /// blade.
  ///
  /// The tool's opacity counts twice, as measured on two of PencilKit's pictures.
  static let marker = InkStyle(
    mix: .darken, opacityPower: 2, flow: FlowLaw(base: 1.5), growth: 0.5,
    steadiness: (part: 0.5, limit: 5), tap: .step,
    texture: .marker(
      MarkerStyle(featherOut: 0.3, featherIn: 0.75, strip: 5, lanes: 0.18, laneWidth: 1.2)))
}

extension InkStyle {
  /// An even line with a round tip that keeps text readable, as other programs draw highlighters:
  /// as strong as one pass of the blade.
  static let roundHighlighter = InkStyle(mix: .darken, opacityPower: 2, pass: 0.85)
}

/// A soft blade whose ink builds up to a ceiling.
struct MarkerStyle {
  /// The extent of the soft edge outwards and inwards, in points.
  var featherOut: Double
  var featherIn: Double
  /// The length of the blade's leading strip, the only part that deposits ink, in points.
  var strip: Double
  /// The contrast of streaks along the stroke, from 0 (no streaks) to 1.
  var lanes: Double
  /// A streak's width, in points.
  var laneWidth: Double
}

extension Texture {
  init(_ style: MarkerStyle, of stroke: PKStroke, in space: TextureSpace) {
    var deposit = RasterDeposit(seed: stroke.randomSeed)
    (deposit.featherOut, deposit.featherIn) = space.edge(style.featherOut, style.featherIn)
    deposit.strip = space.length(style.strip)
    // A stroke that an eraser cut has no touch-down of the blade at the cut.
    deposit.hasPrint = stroke.visiblePathRange.lowerBound > 0 ? 0 : 1
    deposit.lanes = Float(style.lanes) * space.detail(style.laneWidth)
    deposit.laneWidth = space.length(style.laneWidth)
    self.init(
      deposit, .marker(RasterMarker(ceiling: space.ceiling)), bleed: deposit.featherOut + 2)
  }
}
