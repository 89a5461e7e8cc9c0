public import Foundation
import Graphics

/// A linear map and a translation: `x' = a·x + c·y + tx`, `y' = b·x + d·y + ty`. Foundation for
/// Linux has none.
public struct CGAffineTransform: Equatable, Codable, Sendable {
  /// The factor of x in x'.
  public var a: CGFloat
  /// The factor of x in y'.
  public var b: CGFloat
  /// The factor of y in x'.
  public var c: CGFloat
  /// The factor of y in y'.
  public var d: CGFloat
  /// The horizontal translation.
  public var tx: CGFloat
  /// The vertical translation.
  public var ty: CGFloat

  /// The transform that maps everything to the origin.
  public init() { self.init(a: 0, b: 0, c: 0, d: 0, tx: 0, ty: 0) }

  /// A transform from its six numbers.
  public init(a: CGFloat, b: CGFloat, c: CGFloat, d: CGFloat, tx: CGFloat, ty: CGFloat) {
    (self.a, self.b, self.c, self.d, self.tx, self.ty) = (a, b, c, d, tx, ty)
  }

  /// A transform from its six numbers, without labels.
  public init(
    _ a: CGFloat, _ b: CGFloat, _ c: CGFloat, _ d: CGFloat, _ tx: CGFloat, _ ty: CGFloat
  ) { self.init(a: a, b: b, c: c, d: d, tx: tx, ty: ty) }

  /// A translation.
  public init(translationX tx: CGFloat, y ty: CGFloat) {
    self.init(a: 1, b: 0, c: 0, d: 1, tx: tx, ty: ty)
  }

  /// A scaling along the axes.
  public init(scaleX sx: CGFloat, y sy: CGFloat) {
    self.init(a: sx, b: 0, c: 0, d: sy, tx: 0, ty: 0)
  }

  /// A rotation around the origin, in radians from the x axis towards the y axis.
  public init(rotationAngle angle: CGFloat) {
    self.init(Graphics.AffineTransform(rotation: Double(angle)))
  }

  /// The transform that changes nothing.
  public static let identity = CGAffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

  /// Whether this is the identity.
  public var isIdentity: Bool { self == .identity }
}

extension CGAffineTransform {
  /// This transform followed by another.
  public func concatenating(_ t2: CGAffineTransform) -> CGAffineTransform {
    CGAffineTransform(
      Graphics.AffineTransform(self).concatenating(Graphics.AffineTransform(t2)))
  }

  /// The inverse; the transform itself if it is not invertible.
  public func inverted() -> CGAffineTransform {
    Graphics.AffineTransform(self).inverted().map { CGAffineTransform($0) } ?? self
  }

  /// This transform with a translation before it.
  public func translatedBy(x tx: CGFloat, y ty: CGFloat) -> CGAffineTransform {
    CGAffineTransform(translationX: tx, y: ty).concatenating(self)
  }

  /// This transform with a scaling before it.
  public func scaledBy(x sx: CGFloat, y sy: CGFloat) -> CGAffineTransform {
    CGAffineTransform(scaleX: sx, y: sy).concatenating(self)
  }

  /// This transform with a rotation before it, in radians.
  public func rotated(by angle: CGFloat) -> CGAffineTransform {
    CGAffineTransform(rotationAngle: angle).concatenating(self)
  }
}

extension CGAffineTransform {
  /// Reads the list of the six numbers.
  public init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    var values: [CGFloat] = []
    for _ in 0..<6 { values.append(try list.decode(CGFloat.self)) }
    self.init(values[0], values[1], values[2], values[3], values[4], values[5])
  }

  /// Writes the list of the six numbers.
  public func encode(to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    for value in [a, b, c, d, tx, ty] { try list.encode(value) }
  }
}

extension CGPoint {
  /// The transformed point.
  public func applying(_ t: CGAffineTransform) -> CGPoint {
    CGPoint(x: t.a * x + t.c * y + t.tx, y: t.b * x + t.d * y + t.ty)
  }
}

extension CGSize {
  /// The transformed size; the translation does not apply.
  public func applying(_ t: CGAffineTransform) -> CGSize {
    CGSize(width: t.a * width + t.c * height, height: t.b * width + t.d * height)
  }
}

extension CGRect {
  /// The smallest rectangle around the transformed corners; null and infinite rectangles stay.
  public func applying(_ t: CGAffineTransform) -> CGRect {
    guard !isNull, !isInfinite else { return self }
    return CGRect(Rect(self).applying(Graphics.AffineTransform(t)))
  }
}

extension CGAffineTransform {
  init(_ t: Graphics.AffineTransform) {
    self.init(a: t.a, b: t.b, c: t.c, d: t.d, tx: t.tx, ty: t.ty)
  }
}

extension Graphics.AffineTransform {
  init(_ t: CGAffineTransform) {
    self.init(
      a: Double(t.a), b: Double(t.b), c: Double(t.c), d: Double(t.d), tx: Double(t.tx),
      ty: Double(t.ty))
  }

  /// The transform in 32-bit floats, as archives store it.
  var storable: Graphics.AffineTransform {
    Graphics.AffineTransform(
      a: Double(storable: a), b: Double(storable: b), c: Double(storable: c),
      d: Double(storable: d), tx: Double(storable: tx), ty: Double(storable: ty))
  }
}
