import Glibc

/// A linear map and a shift: `x' = a·x + c·y + tx`, `y' = b·x + d·y + ty`.
public struct AffineTransform: Hashable, Sendable {
  /// How much x adds to x'.
  public var a: Double
  /// How much x adds to y'.
  public var b: Double
  /// How much y adds to x'.
  public var c: Double
  /// How much y adds to y'.
  public var d: Double
  /// The horizontal shift, in points.
  public var tx: Double
  /// The vertical shift, in points.
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

  /// A shift.
  public init(translationX tx: Double, y ty: Double) {
    self.init(a: 1, b: 0, c: 0, d: 1, tx: tx, ty: ty)
  }

  /// A stretch along the axes.
  public init(scaleX: Double, y scaleY: Double) {
    self.init(a: scaleX, b: 0, c: 0, d: scaleY, tx: 0, ty: 0)
  }

  /// The same stretch along both axes.
  public init(scale: Double) { self.init(scaleX: scale, y: scale) }

  /// A turn around the origin, in radians from the x axis towards the y axis.
  public init(rotation angle: Double) {
    let (sine, cosine) = (sin(angle), cos(angle))
    self.init(a: cosine, b: sine, c: -sine, d: cosine, tx: 0, ty: 0)
  }

  /// Whether nothing is changed.
  public var isIdentity: Bool { self == .identity }
  /// Whether none of the numbers is infinite or NaN.
  public var isFinite: Bool {
    a.isFinite && b.isFinite && c.isFinite && d.isFinite && tx.isFinite && ty.isFinite
  }
  /// The factor by which areas grow; negative where the plane is turned over.
  public var determinant: Double { a * d - b * c }
  /// The factor by which lengths grow on average: the root of the area's.
  public var meanScale: Double { abs(determinant).squareRoot() }
}

extension AffineTransform {
  /// This transform followed by another.
  public func concatenating(_ next: AffineTransform) -> AffineTransform {
    AffineTransform(
      a: a * next.a + b * next.c, b: a * next.b + b * next.d,
      c: c * next.a + d * next.c, d: c * next.b + d * next.d,
      tx: tx * next.a + ty * next.c + next.tx, ty: tx * next.b + ty * next.d + next.ty)
  }

  /// This transform followed by another, with every number one that files can hold: the product of two
  /// may lie beyond all numbers, where nothing is seen any more.
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

  /// A shift that is applied first.
  public func translatedBy(x: Double, y: Double) -> AffineTransform {
    AffineTransform(translationX: x, y: y).concatenating(self)
  }

  /// A stretch that is applied first.
  public func scaledBy(x: Double, y: Double) -> AffineTransform {
    AffineTransform(scaleX: x, y: y).concatenating(self)
  }

  /// A turn that is applied first.
  public func rotated(by angle: Double) -> AffineTransform {
    AffineTransform(rotation: angle).concatenating(self)
  }

  /// The transform that undoes this one, or nil where the plane has been flattened.
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
  /// The point where the transform takes this one.
  @inlinable
  public func applying(_ t: AffineTransform) -> Point {
    Point(x: t.a * x + t.c * y + t.tx, y: t.b * x + t.d * y + t.ty)
  }

  /// The displacement after the transform, whose shift does not touch it.
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
