import CRasterKernels
import Strokes

extension InkStyle {
  /// A soft-edged blade that keeps text readable. It is heavier at its own folds and along the
  /// blade.
  ///
  /// The tool's opacity counts twice, as measured on two of PencilKit's pictures.
  static let marker = InkStyle(
    mix: .darken, opacityPower: 2, flow: MarkerStyle.passFlow, growth: 0.5, tap: .step,
    texture: .marker(
      MarkerStyle(print: 0.65, featherOut: 0.3, featherIn: 0.75, lanes: 0.26, laneWidth: 1.2)))
}

/// A soft blade whose ink builds up to a ceiling.
struct MarkerStyle {
  /// The ink that one pass across the blade lays down; 4 saturate.
  fileprivate static let passFlow = 1.98

  /// The ink that the blade leaves where it touches down, as a fraction of a pass.
  var print: Double
  /// How far the soft edge reaches outwards and inwards, in points.
  var featherOut: Double
  var featherIn: Double
  /// How much streaks along the way differ, from 0 (no streaks) to 1.
  var lanes: Double
  /// A streak's width, in points.
  var laneWidth: Double
}

extension Texture {
  init(_ style: MarkerStyle, of stroke: PKStroke, in space: TextureSpace) {
    var deposit = RasterDeposit(seed: stroke.randomSeed)
    (deposit.featherOut, deposit.featherIn) = space.edge(style.featherOut, style.featherIn)
    // Where an eraser cut the stroke, no blade touched down.
    deposit.hasPrint = stroke.visiblePathRange.lowerBound > 0 ? 0 : 1
    deposit.lanes = Float(style.lanes) * space.detail(style.laneWidth)
    deposit.laneWidth = space.length(style.laneWidth)
    self.init(
      deposit,
      .marker(
        RasterMarker(
          ceiling: space.ceiling, print: Float(MarkerStyle.passFlow * style.print))),
      bleed: deposit.featherOut + 2)
  }
}
