import CRasterKernels
import Graphics
import Strokes

extension InkStyle {
  /// A pale cloudy body with a thin dark rim and a wavering outline.
  static let watercolor = InkStyle(
    mix: .multiply, flow: FlowLaw(dabs: 6, base: 0.86, rise: 0.2),
    texture: .wash(
      WashStyle(
        sway: (limit: 2.4, part: 0.22), wobbleCell: (minimum: 8, part: 0.25),
        edgeOut: (limit: 0.8, part: 0.25), edgeIn: (limit: 0.5, part: 0.16),
        clouds: GrainStyle(octaves: [(8.5, 0.62), (3.8, 0.38)], seed: 303), cloudiness: 0.8,
        pigment: GrainStyle(octaves: [(2, 0.5), (0.95, 0.7), (0.45, 0.5)], seed: 305),
        pigmentation: 0.34, rim: (limit: 2.4, part: 0.5), pool: (limit: 6.6, part: 1.2),
        referenceWidth: 19, strengthInTheDark: 1.9)))
}

/// Wet colour that gathers at its rim.
struct WashStyle {
  /// A length of at most `limit` points, and of `part` of the stroke's first width.
  typealias Bounded = (limit: Double, part: Double)

  /// The range of the outline's large waves, from one extreme to the other; waves 2.5 times shorter
  /// have 0.4 of it.
  var sway: Bounded
  /// The length of the large waves: a fraction of the stroke's width, but at least `minimum`
  /// points.
  var wobbleCell: (minimum: Double, part: Double)
  /// The extent of the soft edge outwards and inwards of the outline.
  var edgeOut: Bounded
  var edgeIn: Bounded
  /// The clouds of the body, and their contrast.
  var clouds: GrainStyle
  var cloudiness: Double
  /// The pigment in the paper's grain, and its contrast.
  var pigment: GrainStyle
  var pigmentation: Double
  /// The inward extent of the dark rim and of the paler pool, for a stroke of `referenceWidth`
  /// points; they grow with the square root of the width.
  var rim: Bounded
  var pool: Bounded
  var referenceWidth: Double
  /// The factor on its strength in the dark style, where it would hardly be seen otherwise.
  var strengthInTheDark: Double

  /// The number of different clouds and outlines. Strokes share them by their seeds, so that they
  /// are computed once for a tile.
  static let variants: UInt32 = 4
}

extension Texture {
  init(_ style: WashStyle, of stroke: PKStroke, in space: TextureSpace) {
    let width = stroke.ink.drawnSize(
      of: Size(width: Double(stroke.path.widths.first ?? 0), height: 0)
    ).width
    func bounded(_ length: WashStyle.Bounded, _ swell: Double = 1) -> Double {
      min(length.limit * swell, length.part * width)
    }
    let variant = stroke.randomSeed % WashStyle.variants
    let (sway, cell) = (
      bounded(style.sway), max(style.wobbleCell.minimum, width * style.wobbleCell.part)
    )
    // Waves become coarser in steps, so that strokes of nearly the same width share them.
    let step = 4 * (Double(Int(clamping: (cell / 4).rounded(.up))))
    let wobble = Grain(
      GrainStyle(octaves: [(step, 1), (step / 2.5, 0.4)], seed: 301), on: space.ink,
      variant: variant)
    let clouds = Grain(style.clouds, on: space.ink, variant: variant)
    let pigment = Grain(style.pigment, on: space.paper)
    let (edgeOut, edgeIn) = space.edge(bounded(style.edgeOut), bounded(style.edgeIn))
    var deposit = RasterDeposit(seed: stroke.randomSeed)
    deposit.hasDepth = 1
    deposit.featherOut = space.depth(sway * 1.4 / 2) + edgeOut
    let swell =
      max(1, (width / style.referenceWidth).squareRoot())
      * min(max(stroke.path.first?.secondaryScale ?? 1, 0.1), 4)
    self.init(
      deposit,
      .wash(
        RasterWash(
          wobble: wobble.raster, cloud: clouds.raster, pigment: pigment.raster,
          sway: space.depth(sway) * wobble.range, clouds: Float(style.cloudiness) * clouds.range,
          specks: Float(style.pigmentation) * pigment.range, edgeOut: edgeOut, edgeIn: edgeIn,
          rim: space.length(bounded(style.rim, swell)),
          pool: space.length(bounded(style.pool, swell)),
          strength: space.isDark ? Float(style.strengthInTheDark) : 1)),
      bleed: deposit.featherOut + 2)
  }
}
