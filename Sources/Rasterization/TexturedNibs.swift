import Graphics
import Strokes

/// The nibs along the path of a textured ink.
struct TexturedNibs {
  private struct Control {
    /// Whether the point has a nib.
    var isDrawn: Bool
    var halfExtent: Size
    var angle: Double
    var flow: Double
    /// The direction that the pen leans to; its length is how much paler the far side is.
    var lean: SIMD2<Float>
  }

  private let controls: [Control]
  private let transform: AffineTransform
  private let isTurned: Bool
  private let scale: Double
  /// The maximum growth of a nib within a segment, in points of the stroke.
  private let growth: Double

  init(_ stroke: PKStroke, _ style: InkStyle, through transform: AffineTransform) {
    self.transform = transform
    scale = transform.meanScale
    growth = Double(style.growth) / max(scale, 1e-9)
    isTurned = stroke.ink.inkType.nibShape.isTurnedByAzimuth
    controls = stroke.path.points.map { point in
      let nib = Nib(stroke.ink, at: point)
      return Control(
        isDrawn: nib != nil, halfExtent: nib?.halfExtent ?? .zero, angle: nib?.angle ?? 0,
        flow: style.flow(of: point, width: 2 * (nib?.halfExtent.width ?? 0)),
        lean: style.lean(of: point, through: transform))
    }
  }

  /// The number of pieces of a span in which the nib hardly turns or grows: each is drawn with the
  /// mean of its ends.
  func pieceCount(_ span: Int) -> Int {
    let (a, b) = (controls[span], next(span))
    guard a.isDrawn, b.isDrawn else { return 1 }
    let (width, height) = (
      abs(a.halfExtent.width - b.halfExtent.width), abs(a.halfExtent.height - b.halfExtent.height)
    )
    var pieces = max(width, height) / growth
    if isTurned {
      // The end of the blade moves by half a pixel at most, or the rim would be a saw.
      let reach = max(a.halfExtent.width, b.halfExtent.width) * scale
      let turn = abs(Angle.difference(from: a.angle, to: b.angle))
      pieces = max(pieces, turn / 0.15, turn * reach / 0.5)
    }
    return Int(clamping: min(max(pieces, 1), 256).rounded(.up))
  }

  private func next(_ span: Int) -> Control { controls[min(span + 1, controls.count - 1)] }

  func nib(_ span: Int, _ u: Double) -> TexturedNib? {
    let (first, second) = (controls[span], next(span))
    guard first.isDrawn || second.isDrawn else { return nil }
    let (a, b) = (first.isDrawn ? first : second, second.isDrawn ? second : first)
    func between(_ a: Double, _ b: Double) -> Double { a + (b - a) * u }
    let (width, height) = (
      between(a.halfExtent.width, b.halfExtent.width),
      between(a.halfExtent.height, b.halfExtent.height)
    )
    var (sine, cosine) = (0.0, 1.0)
    if isTurned {
      (sine, cosine) = Angle.sineAndCosine(
        a.angle + Angle.difference(from: a.angle, to: b.angle) * u)
    }
    let axis = Point(x: cosine, y: sine).applyingLinearPart(of: transform)
    let stretch = axis.length
    // The scale of the second axis that makes areas right.
    let other = stretch > 0 ? abs(transform.determinant) / stretch : 0
    // A blade's diagonal must lie within the limits too.
    let limit = DevicePoint.limit / 2
    return TexturedNib(
      radius: Float(min(width * (isTurned ? stretch : scale), limit)),
      thickness: Float(min(height * (isTurned ? other : scale), limit)),
      cosine: stretch > 0 ? Float(axis.x / stretch) : 1,
      sine: stretch > 0 ? Float(axis.y / stretch) : 0,
      flow: Float(between(first.flow, second.flow)),
      lean: first.lean + (second.lean - first.lean) * Float(u))
  }
}

extension InkStyle {
  /// The ink that a nib lays down at a point. The passes of a flat ink apply its opacity elsewhere.
  fileprivate func flow(of point: PKStrokePoint, width: Double) -> Double {
    texture == nil ? 1 : flow.flow(opacity: point.opacity, width: width)
  }

  /// The direction that a pen leans to; its length is how much paler the far side is.
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
