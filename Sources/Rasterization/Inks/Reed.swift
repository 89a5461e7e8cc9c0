import CRasterKernels
import Strokes

extension InkStyle {
  /// Hard wedge-cut ends, a slightly torn edge, and parallel fibres where it runs dry.
  static let reed = InkStyle(
    hasThreshold: false, growth: 0.5, tap: .nothing,
    texture: .reed(
      ReedStyle(edge: 0.1, depth: 0.55, rough: 0.35, dry: 1.15, fibreWidth: 0.8, fibreLength: 30)))
}

/// A broad nib that runs dry in fibres.
struct ReedStyle {
  /// How far ink reaches beyond the blade, in points.
  var edge: Double
  /// How deep the torn rim reaches into the sweep, in points.
  var depth: Double
  /// The fraction of that depth that fibres tear from the edge of a wet stroke, from 0 to 1.
  var rough: Double
  /// How far dryness parts the fibres, in units of twice the depth; above 1 a dry stroke has holes.
  var dry: Double
  /// A fibre's width across the stroke and its length along it, in points.
  var fibreWidth: Double
  var fibreLength: Double
}

extension Texture {
  init(_ style: ReedStyle, of stroke: PKStroke, in space: TextureSpace) {
    var deposit = RasterDeposit(seed: stroke.randomSeed)
    deposit.lanes = 1
    deposit.laneWidth = space.length(style.fibreWidth)
    deposit.laneLength = space.length(style.fibreLength)
    deposit.featherOut = space.length(style.edge) + 0.5
    self.init(
      deposit,
      .reed(
        RasterReed(
          edge: space.length(style.edge), depth: max(space.depth(style.depth), 0.5),
          rough: Float(style.rough), dry: Float(style.dry),
          detail: space.detail(style.fibreWidth))),
      bleed: 3)
  }
}
