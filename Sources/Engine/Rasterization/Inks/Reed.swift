import CRasterKernels
import Graphics
import Strokes

extension InkStyle {
  /// Hard wedge-cut ends, a slightly torn edge, and parallel fibres where it runs dry.
  static let reed = InkStyle(
    hasThreshold: false, flow: FlowLaw(dabs: 2, floor: 0.34), growth: 0.5, stepPart: 8,
    maximumStep: 3,
    tap: .nothing,
    texture: .reed(
      ReedStyle(
        fibres: [(5, 110, 0.337), (1.6, 55, 0.794), (0.7, 30, 0.744)], ramp: 0.08,
        endDryness: 0.16, body: 0.74, tear: 0.35, tearLength: 5, tornNib: 8)))
}

/// A broad nib whose ink runs dry in fibres.
struct ReedStyle {
  /// Fibres of several widths across the nib and lengths along the way, in points, and the weight
  /// of their noise.
  var fibres: [(width: Double, length: Double, weight: Double)]
  /// The width of the ramp from a fibre with ink to one without, in units of the noise.
  var ramp: Double
  /// The additional dryness of the nib's ends relative to its middle, from 0 to 1.
  var endDryness: Double
  /// The share of the ink that fibres leave everywhere, so that even full opacity shows fibres.
  var body: Double
  /// The depth of the tears of both edges, and a tear's length along the stroke, in points.
  var tear: Double
  var tearLength: Double
  /// Narrower nibs have shallower tears, in points.
  var tornNib: Double

  /// The variance of the noise of one scale of fibres.
  static let variance = 0.062
}

extension Texture {
  init(_ style: ReedStyle, of stroke: PKStroke, in space: TextureSpace) {
    var deposit = RasterDeposit(seed: stroke.randomSeed)
    deposit.hasPrint = stroke.visiblePathRange.lowerBound > 0 ? 0 : 1
    var fibres = RasterFibres()
    var lost = 0.0
    var weights: [Float] = []
    for (width, _, weight) in style.fibres {
      // Points sampled across fibres that are narrower than this flicker.
      let kept = Double(space.detail(width) * space.visibility(of: width, from: 0.9, to: 2))
      lost += weight * weight * (1 - kept * kept)
      weights.append(Float(weight * kept))
    }
    let (widths, lengths) = (
      style.fibres.map { space.length($0.width) }, style.fibres.map { space.length($0.length) }
    )
    fibres.weight = (weights[0], weights[1], weights[2])
    fibres.width = (widths[0], widths[1], widths[2])
    fibres.length = (lengths[0], lengths[1], lengths[2])
    fibres.ramp = Float((style.ramp * style.ramp + 12 * ReedStyle.variance * lost).squareRoot())
    fibres.variance = Float(12 * ReedStyle.variance)
    fibres.endDryness = Float(style.endDryness)
    fibres.body = Float(style.body)
    let first = Double(stroke.path.widths.first ?? 0)
    let width = stroke.ink.drawnSize(of: Size(width: first, height: first)).width
    fibres.tear = space.length(style.tear * min(1, width / style.tornNib))
    fibres.tearLength = space.length(style.tearLength)
    self.init(deposit, .reed(fibres), bleed: 3)
  }
}
