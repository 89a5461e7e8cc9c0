import CMath

/// A linear map and a translation: `x' = a·x + c·y + tx`, `y' = b·x + d·y + ty`.
public struct AffineTransform: Hashable, Sendable {
  /// The factor of x in x'.
  public var a: Double
  /// The factor of x in y'.
  public var b: Double
  /// The factor of y in x'.
  public var c: Double
  /// The factor of y in y'.
  public var d: Double
  /// The horizontal translation, in points.
  public var tx: Double
  /// The vertical translation, in points.
  public var ty: Double

  /// A transform from its six numbers.
  public init(a: Double, b: Double, c: Double, d: Double, tx: Double, ty: Double) {
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.tx = tx
    self.ty = ty
  }

  /// The transform that changes nothing.
  public static let identity = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

  /// A translation, in points.
  public init(translationX tx: Double, y ty: Double) {
    self.init(a: 1, b: 0, c: 0, d: 1, tx: tx, ty: ty)
  }

  /// A scaling along the axes.
  public init(scaleX: Double, y scaleY: Double) {
    self.init(a: scaleX, b: 0, c: 0, d: scaleY, tx: 0, ty: 0)
  }

  /// The same scaling along both axes.
  public init(scale: Double) { self.init(scaleX: scale, y: scale) }

  /// A rotation around the origin, in radians from the x axis towards the y axis.
  public init(rotation angle: Double) {
    let (sine, cosine) = (mathSine(angle), mathCosine(angle))
    self.init(a: cosine, b: sine, c: -sine, d: cosine, tx: 0, ty: 0)
  }

  /// Whether this is the identity.
  public var isIdentity: Bool { self == .identity }
  /// Whether no number is infinite or NaN.
  public var isFinite: Bool {
    a.isFinite && b.isFinite && c.isFinite && d.isFinite && tx.isFinite && ty.isFinite
  }
  /// The factor by which areas grow; negative if the plane is mirrored.
  public var determinant: Double { a * d - b * c }
  /// The factor by which lengths grow on average: the square root of the areas' factor.
  public var meanScale: Double { abs(determinant).squareRoot() }
  /// The largest factor of lengths: the greater singular value.
  package var maximumScale: Double {
    let (sum, area) = (a * a + b * b + c * c + d * d, determinant)
    return ((sum + max(sum * sum - 4 * area * area, 0).squareRoot()) / 2).squareRoot()
  }
}

extension AffineTransform {
  /// This transform followed by another.
  public func concatenating(_ next: AffineTransform) -> AffineTransform {
    AffineTransform(
      a: a * next.a + b * next.c, b: a * next.b + b * next.d,
      c: c * next.a + d * next.c, d: c * next.b + d * next.d,
      tx: tx * next.a + ty * next.c + next.tx, ty: tx * next.b + ty * next.d + next.ty)
  }

  /// This transform followed by another, with finite numbers, which files require. The product of
  /// two transforms can overflow; numbers are then clamped, and nothing drawn so far away is
  /// visible.
  package func finitelyConcatenating(_ next: AffineTransform) -> AffineTransform {
    let product = concatenating(next)
    if product.isFinite { return product }
    func finite(_ value: Double) -> Double {
      let limit = Double.greatestFiniteMagnitude
      return value.isNaN ? 0 : min(max(value, -limit), limit)
    }
    return AffineTransform(
      a: finite(product.a), b: finite(product.b), c: finite(product.c), d: finite(product.d),
      tx: finite(product.tx), ty: finite(product.ty))
  }

  /// This transform with a translation that is applied first.
  public func translatedBy(x: Double, y: Double) -> AffineTransform {
    AffineTransform(translationX: x, y: y).concatenating(self)
  }

  /// This transform with a scaling that is applied first.
  public func scaledBy(x: Double, y: Double) -> AffineTransform {
    AffineTransform(scaleX: x, y: y).concatenating(self)
  }

  /// This transform with a rotation that is applied first, in radians.
  public func rotated(by angle: Double) -> AffineTransform {
    AffineTransform(rotation: angle).concatenating(self)
  }

  /// The inverse; nil if the transform maps the plane to a line or a point, or if a number would
  /// not be finite.
  public func inverted() -> AffineTransform? {
    let determinant = determinant
    guard determinant != 0, determinant.isFinite else { return nil }
    let inverse = AffineTransform(
      a: d / determinant, b: -b / determinant, c: -c / determinant, d: a / determinant,
      tx: (c * ty - d * tx) / determinant, ty: (b * tx - a * ty) / determinant)
    return inverse.isFinite ? inverse : nil
  }
}

extension Point {
  /// The transformed point.
  @inlinable
  public func applying(_ t: AffineTransform) -> Point {
    Point(x: t.a * x + t.c * y + t.tx, y: t.b * x + t.d * y + t.ty)
  }

  /// The transformed displacement; the translation does not apply.
  @inlinable
  public func applyingLinearPart(of t: AffineTransform) -> Point {
    Point(x: t.a * x + t.c * y, y: t.b * x + t.d * y)
  }
}

extension Rect {
  /// The smallest rectangle around the transformed corners.
  public func applying(_ transform: AffineTransform) -> Rect {
    isNull ? self : Rect(around: corners.map { $0.applying(transform) })
  }
}
