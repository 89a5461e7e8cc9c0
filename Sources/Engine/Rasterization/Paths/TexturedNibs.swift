import Graphics
import Strokes

/// The nibs along the path of a textured ink.
struct TexturedNibs {
  private struct Control {
    /// Whether the point has a nib.
    var isDrawn: Bool
    /// Half its extent along its axes, in points.
    var size: SIMD2<Double>
    var angle: Double
    var flow: Double
    /// The direction in which the pen leans. Its length is the paleness of the far side.
    var lean: SIMD2<Float>
  }

  private let controls: [Control]
  private let transform: AffineTransform
  private let isTurned: Bool
  private let scale: Double
  /// The axis of a nib that is not turned.
  private let axis: Axis
  /// The maximum growth of a nib within a segment, in points of the stroke.
  private let growth: Double
  /// Half the extent above which a nib is a wide one, in points of the stroke.
  private let wide: Double

  init(_ stroke: PKStroke, _ style: InkStyle, through transform: AffineTransform) {
    self.transform = transform
    scale = transform.meanScale
    axis = Axis(0, through: transform)
    growth = Double(style.growth) / max(scale, 1e-9)
    wide = WideNibs.reach / max(stroke.transform.meanScale, 1e-9)
    isTurned = stroke.ink.inkType.nibShape.isTurnedByAzimuth
    controls = stroke.path.points.map { point in
      let nib = Nib(stroke.ink, at: point)
      let extent = nib?.halfExtent ?? .zero
      return Control(
        isDrawn: nib != nil, size: SIMD2(extent.width, extent.height), angle: nib?.angle ?? 0,
        flow: style.flow(of: point, width: 2 * extent.width),
        lean: style.lean(of: point, through: transform))
    }
  }

  /// The number of pieces of a span in which the nib hardly turns or grows: each is drawn with the
  /// mean of its ends.
  func pieceCount(_ span: Int) -> Int {
    let (a, b) = (controls[span], next(span))
    guard a.isDrawn, b.isDrawn else { return 1 }
    let grown = a.size - b.size
    var pieces = max(abs(grown.x), abs(grown.y)) / growth
    if isTurned {
      // The end of the blade moves by half a pixel at most, or the rim would be a saw.
      let reach = max(a.size.x, b.size.x) * scale
      let turn = abs(Angle.difference(from: a.angle, to: b.angle))
      pieces = max(pieces, turn / 0.15, turn * reach / 0.5)
    }
    let isWide = max(a.size.max(), b.size.max()) > wide
    return Int(clamping: min(max(pieces, 1), isWide ? WideNibs.maximumPieces : 256).rounded(.up))
  }

  private func next(_ span: Int) -> Control { controls[min(span + 1, controls.count - 1)] }

  @inline(__always)
  func nib(_ span: Int, _ u: Double) -> TexturedNib? {
    let (first, second) = (controls[span], next(span))
    guard first.isDrawn || second.isDrawn else { return nil }
    let (a, b) = (first.isDrawn ? first : second, second.isDrawn ? second : first)
    let size = a.size + (b.size - a.size) * u
    var axis = axis
    if isTurned, a.angle != b.angle || a.angle != 0 {
      axis = Axis(a.angle + Angle.difference(from: a.angle, to: b.angle) * u, through: transform)
    }
    // A blade's diagonal must lie within the limits too.
    let limit = DevicePoint.limit / 2
    return TexturedNib(
      radius: Float(min(size.x * (isTurned ? axis.stretch : scale), limit)),
      thickness: Float(min(size.y * (isTurned ? axis.otherStretch : scale), limit)),
      cosine: axis.cosine, sine: axis.sine,
      flow: Float(first.flow + (second.flow - first.flow) * u),
      lean: first.lean + (second.lean - first.lean) * Float(u))
  }

  /// The first axis of a nib in pixels.
  private struct Axis {
    let cosine: Float
    let sine: Float
    /// The pixels per point along it, and along the second axis so that areas are right.
    let stretch: Double
    let otherStretch: Double

    init(_ angle: Double, through transform: AffineTransform) {
      let (sine, cosine) = Angle.sineAndCosine(angle)
      let axis = Point(x: cosine, y: sine).applyingLinearPart(of: transform)
      stretch = axis.length
      otherStretch = stretch > 0 ? abs(transform.determinant) / stretch : 0
      self.cosine = stretch > 0 ? Float(axis.x / stretch) : 1
      self.sine = stretch > 0 ? Float(axis.y / stretch) : 0
    }
  }
}

extension InkStyle {
  /// The ink that a nib deposits at a point. For flat inks, the passes apply the opacity elsewhere.
  fileprivate func flow(of point: PKStrokePoint, width: Double) -> Double {
    texture == nil ? 1 : flow.flow(opacity: point.opacity, width: width)
  }

  /// The direction in which a pen leans. Its length is the paleness of the far side.
  fileprivate func lean(of point: PKStrokePoint, through transform: AffineTransform) -> SIMD2<Float>
  {
    guard lean > 0 else { return .zero }
    let tilt = min(max(1.4 * (1 - point.altitude / (.pi / 2)) - 0.35, 0), 1) * lean
    guard tilt > 0 else { return .zero }
    let (sine, cosine) = Angle.sineAndCosine(point.azimuth)
    let way = Point(x: cosine, y: sine).applyingLinearPart(of: transform)
    let length = way.length
    guard length > 0 else { return .zero }
    return SIMD2(Float(-tilt * way.x / length), Float(-tilt * way.y / length))
  }
}
