import Graphics
import Strokes

/// Nibs along the path of a textured ink.
struct TexturedNibs {
  private struct Control {
    /// Whether anything is drawn.
    var isDrawn: Bool
    var halfExtent: Size
    var angle: Double
    var flow: Double
    /// Where the pen leans to, as far as the ink shows that.
    var lean: SIMD2<Float>
  }

  private let controls: [Control]
  private let transform: AffineTransform
  private let isTurned: Bool
  /// Whether the nib leaves depths alone.
  private let isSunken: Bool
  /// By how much a nib may grow on the way of a segment, in points of the stroke.
  private let growth: Double

  init(_ stroke: PKStroke, _ style: InkStyle, through transform: AffineTransform) {
    self.transform = transform
    isSunken = if case .reed = style.texture { true } else { false }
    growth = Double(style.growth) / max(transform.meanScale, 1e-9)
    isTurned = stroke.ink.inkType.nibShape.isTurnedByAzimuth
    controls = stroke.path.points.map { point in
      let nib = Nib(stroke.ink, at: point)
      return Control(
        isDrawn: nib != nil, halfExtent: nib?.halfExtent ?? .zero, angle: nib?.angle ?? 0,
        flow: style.flow(of: point), lean: style.lean(of: point, through: transform))
    }
  }

  /// Into how many pieces a span must be cut so that the nib hardly turns or grows in any: each is
  /// drawn with the mean of its ends.
  func pieceCount(_ span: Int) -> Int {
    let (a, b) = (controls[span], next(span))
    guard a.isDrawn, b.isDrawn else { return 1 }
    let (width, height) = (
      abs(a.halfExtent.width - b.halfExtent.width), abs(a.halfExtent.height - b.halfExtent.height)
    )
    var pieces = max(width, height) / growth
    if isTurned {
      pieces = max(pieces, abs(Angle.difference(from: a.angle, to: b.angle)) / 0.15)
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
    // What the transform does to the other axis, so that areas are right.
    let other = stretch > 0 ? abs(transform.determinant) / stretch : 0
    // A blade's diagonal must lie within the limits too.
    let limit = DevicePoint.limit / 2
    // An edge without a field of its own fades over a pixel. Where both sides of a blade meet in one
    // pixel, this half width leaves as much ink as the true one.
    func told(_ half: Double) -> Float {
      Float(min(!isSunken || half > 0.5 ? half : (2 * half).squareRoot() - 0.5, limit))
    }
    return TexturedNib(
      radius: told(width * (isTurned ? stretch : transform.meanScale)),
      thickness: told(height * (isTurned ? other : transform.meanScale)),
      cosine: stretch > 0 ? Float(axis.x / stretch) : 1,
      sine: stretch > 0 ? Float(axis.y / stretch) : 0,
      flow: Float(between(first.flow, second.flow)),
      lean: first.lean + (second.lean - first.lean) * Float(u))
  }
}

extension InkStyle {
  /// What a nib lays down at a point. Passes of a flat ink know its opacity already.
  fileprivate func flow(of point: PKStrokePoint) -> Double {
    texture == nil ? flow : flow * point.opacity
  }

  /// The direction a pen leans to, as long as the far side is paler.
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
