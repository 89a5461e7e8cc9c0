import CRasterKernels
import Graphics
import Strokes

extension InkStyle {
  /// A pale cloudy body with a thin dark rim and a wavering outline.
  static let watercolor = InkStyle(
    mix: .multiply,
    texture: .wash(
      WashStyle(
        swayA: 2.4, swayB: 0.96, wobbleCell: (minimum: 8, part: 0.25), edgeOut: 0.8, edgeIn: 0.5,
        cloudCells: (fine: 5.6, coarse: 15), pigmentCell: 1.1, rim: 2.4, pool: 6.6,
        referenceWidth: 19, strengthInTheDark: 1.45)))
}

/// Wet colour that gathers at its rim.
struct WashStyle {
  /// How far the outline wavers in large waves (A), and in waves 2.5 times shorter (B), from one
  /// extreme to the other, in points.
  var swayA: Double
  var swayB: Double
  /// The length of the large waves: a fraction of the stroke's width, but at least `minimum`
  /// points.
  var wobbleCell: (minimum: Double, part: Double)
  /// How far the soft edge reaches outwards and inwards of the outline, in points.
  var edgeOut: Double
  var edgeIn: Double
  /// The cells of the body's clouds, in points.
  var cloudCells: (fine: Double, coarse: Double)
  /// The cell of single specks of pigment on the paper, in points.
  var pigmentCell: Double
  /// How far the dark rim and the paler pool reach inwards, in points, for a stroke of
  /// `referenceWidth` points; they grow with the root of the width.
  var rim: Double
  var pool: Double
  var referenceWidth: Double
  /// The factor on its strength in the dark style, where it would hardly be seen otherwise.
  var strengthInTheDark: Double
}

extension Texture {
  init(_ style: WashStyle, of stroke: PKStroke, in space: TextureSpace) {
    let seed = stroke.randomSeed
    let (edgeOut, edgeIn) = space.edge(style.edgeOut, style.edgeIn)
    var deposit = RasterDeposit(seed: seed)
    deposit.hasDepth = 1
    deposit.featherOut = space.depth((style.swayA + style.swayB) / 2) + edgeOut
    let width = stroke.ink.drawnSize(
      of: Size(width: Double(stroke.path.widths.first ?? 0), height: 0)
    ).width
    let swell =
      max(1, (width / style.referenceWidth).squareRoot())
      * min(max(stroke.path.first?.secondaryScale ?? 1, 0.1), 4)
    let wobble = max(style.wobbleCell.minimum, width * style.wobbleCell.part)
    func grain(_ cell: Double, _ salt: UInt32) -> Grain {
      Grain.make(
        GrainStyle(cells: (cell, cell), share: 0.5, contrast: 1), scale: space.inkScale,
        seed: salt)
    }
    let grains = [
      grain(wobble, 10), grain(wobble / 2.5, 20), grain(style.cloudCells.coarse, 30),
      grain(style.cloudCells.fine, 40), grain(style.pigmentCell, 50),
    ]
    func anchored(_ number: Int) -> RasterGrain {
      RasterGrain(grains[number], fixedTo: space, seed: seed &+ UInt32(number))
    }
    self.init(
      deposit,
      .wash(
        RasterWash(
          wobbleA: anchored(0), wobbleB: anchored(1), cloudA: anchored(2), cloudB: anchored(3),
          pigment: RasterGrain(grains[4], fixedTo: space.page), swayA: space.depth(style.swayA),
          swayB: space.depth(style.swayB), edgeOut: edgeOut, edgeIn: edgeIn,
          rim: space.length(style.rim * swell), pool: space.length(style.pool * swell),
          detail: space.detail(style.pigmentCell),
          strength: space.isDark ? Float(style.strengthInTheDark) : 1)),
      bleed: deposit.featherOut + 2, grains: grains)
  }
}
