/// A position or a displacement on the canvas, in points, y down.
public struct Point: Hashable, Sendable {
  /// The horizontal coordinate, growing to the right.
  public var x: Double
  /// The vertical coordinate, growing downwards.
  public var y: Double

  /// A point at the given coordinates.
  @inlinable
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// The origin.
  public static let zero = Point(x: 0, y: 0)

  /// Whether neither coordinate is infinite or NaN.
  public var isFinite: Bool { x.isFinite && y.isFinite }
}

extension Point {
  /// The sum of two displacements, or a point moved by one.
  @inlinable
  public static func + (a: Point, b: Point) -> Point { Point(x: a.x + b.x, y: a.y + b.y) }

  /// The displacement that leads from `b` to `a`.
  @inlinable
  public static func - (a: Point, b: Point) -> Point { Point(x: a.x - b.x, y: a.y - b.y) }

  /// The opposite displacement.
  @inlinable
  public static prefix func - (a: Point) -> Point { Point(x: -a.x, y: -a.y) }

  /// A displacement multiplied by a factor.
  @inlinable
  public static func * (a: Point, factor: Double) -> Point {
    Point(x: a.x * factor, y: a.y * factor)
  }

  /// A displacement divided by a divisor.
  @inlinable
  public static func / (a: Point, divisor: Double) -> Point {
    Point(x: a.x / divisor, y: a.y / divisor)
  }

  /// Moves a point by a displacement.
  @inlinable
  public static func += (a: inout Point, b: Point) { a = a + b }

  /// Moves a point back by a displacement.
  @inlinable
  public static func -= (a: inout Point, b: Point) { a = a - b }

  /// Multiplies a displacement by a factor.
  @inlinable
  public static func *= (a: inout Point, factor: Double) { a = a * factor }
}

extension Point {
  /// The length of a displacement, or the distance of a position from the origin.
  @inlinable
  public var length: Double { (x * x + y * y).squareRoot() }

  /// The distance to another point.
  @inlinable
  public func distance(to other: Point) -> Double { (other - self).length }

  /// The inner product: positive if the angle between both displacements is less than a right one.
  @inlinable
  public func dot(_ other: Point) -> Double { x * other.x + y * other.y }

  /// The cross product: twice the signed area of the triangle that both displacements span.
  @inlinable
  public func cross(_ other: Point) -> Double { x * other.y - y * other.x }

  /// The displacement rotated by 90° from the x axis towards the y axis.
  @inlinable
  public var perpendicular: Point { Point(x: -y, y: x) }

  /// The displacement of length 1 in the same direction; nil if the length is 0 or not finite.
  public var normalized: Point? {
    let length = length
    guard length > 0, length.isFinite else { return nil }
    return self / length
  }

  /// Linear interpolation to another point: the fraction 0 gives this one, 1 the other.
  @inlinable
  public func interpolated(to other: Point, at fraction: Double) -> Point {
    Point(x: x + (other.x - x) * fraction, y: y + (other.y - y) * fraction)
  }
}
