/// A rectangle with sides along the axes, in points, y down.
///
/// `null` represents empty bounds. Its union with any rectangle is that rectangle, and it
/// intersects none.
public struct Rect: Hashable, Sendable {
  // Corners and not an origin and a size, since sums and differences would be rounded, and bounds
  // must contain exactly the points that they were made around.
  private var low: Point
  private var high: Point

  private init(low: Point, high: Point) {
    self.low = low
    self.high = high
  }

  /// A rectangle from a corner and its extent. A negative extent reaches to the left or up.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.init(from: Point(x: x, y: y), to: Point(x: x + width, y: y + height))
  }

  /// A rectangle from a corner and its extent. A negative extent reaches to the left or up.
  public init(origin: Point, size: Size) {
    self.init(x: origin.x, y: origin.y, width: size.width, height: size.height)
  }

  /// The rectangle between two opposite corners.
  public init(from a: Point, to b: Point) {
    self.init(
      low: Point(x: min(a.x, b.x), y: min(a.y, b.y)),
      high: Point(x: max(a.x, b.x), y: max(a.y, b.y)))
  }

  /// The smallest rectangle that contains all points; null without points.
  public init(around points: some Sequence<Point>) {
    var box = ExtentBuilder()
    for point in points { box.include(point) }
    self = box.rect
  }

  /// The bounds of nothing.
  public static let null = Rect(
    low: Point(x: .infinity, y: .infinity), high: Point(x: -.infinity, y: -.infinity))
  /// The rectangle at the origin without extent.
  public static let zero = Rect(x: 0, y: 0, width: 0, height: 0)

  /// Whether this is the null rectangle.
  public var isNull: Bool { low.x > high.x || low.y > high.y }
  /// Whether the area is zero.
  public var isEmpty: Bool { low.x >= high.x || low.y >= high.y }

  /// The corner with the smallest coordinates; setting it moves the rectangle.
  public var origin: Point {
    get { low }
    set { self = Rect(origin: newValue, size: size) }
  }

  /// The extent, never negative; setting it keeps the origin.
  public var size: Size {
    get { isNull ? .zero : Size(width: high.x - low.x, height: high.y - low.y) }
    set { self = Rect(origin: low, size: newValue) }
  }
}

extension Rect {
  /// The x coordinate of the left side.
  public var minX: Double { low.x }
  /// The y coordinate of the upper side.
  public var minY: Double { low.y }
  /// The x coordinate of the right side.
  public var maxX: Double { high.x }
  /// The y coordinate of the lower side.
  public var maxY: Double { high.y }
  /// The width, in points; 0 for the null rectangle.
  public var width: Double { size.width }
  /// The height, in points; 0 for the null rectangle.
  public var height: Double { size.height }
  /// The centre.
  public var center: Point {
    Point(x: low.x + size.width / 2, y: low.y + size.height / 2)
  }

  /// The four corners, clockwise on the canvas from the upper left.
  public var corners: [Point] {
    [
      Point(x: minX, y: minY), Point(x: maxX, y: minY),
      Point(x: maxX, y: maxY), Point(x: minX, y: maxY),
    ]
  }

  /// Whether the point lies inside or on a side.
  public func contains(_ point: Point) -> Bool {
    !isNull && point.x >= minX && point.x <= maxX && point.y >= minY && point.y <= maxY
  }

  /// Whether the other rectangle lies completely inside.
  public func contains(_ other: Rect) -> Bool {
    !isNull && !other.isNull && other.minX >= minX && other.maxX <= maxX && other.minY >= minY
      && other.maxY <= maxY
  }

  /// Whether both rectangles share at least one point.
  public func intersects(_ other: Rect) -> Bool {
    !isNull && !other.isNull && minX <= other.maxX && other.minX <= maxX && minY <= other.maxY
      && other.minY <= maxY
  }

  /// The smallest rectangle that contains both.
  public func union(_ other: Rect) -> Rect {
    if isNull { return other }
    if other.isNull { return self }
    return Rect(
      low: Point(x: min(minX, other.minX), y: min(minY, other.minY)),
      high: Point(x: max(maxX, other.maxX), y: max(maxY, other.maxY)))
  }

  /// The common part of both rectangles; null if they share no point.
  public func intersection(_ other: Rect) -> Rect {
    guard intersects(other) else { return .null }
    return Rect(
      from: Point(x: max(minX, other.minX), y: max(minY, other.minY)),
      to: Point(x: min(maxX, other.maxX), y: min(maxY, other.maxY)))
  }

  /// The rectangle with every side moved outwards by a margin; null if a negative margin leaves
  /// nothing.
  public func grown(by margin: Double) -> Rect {
    guard !isNull, width + 2 * margin >= 0, height + 2 * margin >= 0 else { return .null }
    return Rect(
      x: minX - margin, y: minY - margin, width: width + 2 * margin, height: height + 2 * margin)
  }

  /// The smallest rectangle with integer coordinates that contains this one.
  public var roundedOutwards: Rect {
    guard !isNull else { return self }
    return Rect(
      from: Point(x: minX.rounded(.down), y: minY.rounded(.down)),
      to: Point(x: maxX.rounded(.up), y: maxY.rounded(.up)))
  }

  /// The rectangle moved by a displacement.
  public func offset(by displacement: Point) -> Rect {
    isNull ? self : Rect(from: low + displacement, to: high + displacement)
  }
}

/// Computes the bounding box of points that are added one by one.
package struct ExtentBuilder {
  private var low = Point(x: .infinity, y: .infinity)
  private var high = Point(x: -.infinity, y: -.infinity)

  package init() {}

  /// Includes a point; coordinates that are NaN are ignored.
  package mutating func include(_ point: Point) {
    low = Point(x: min(low.x, point.x), y: min(low.y, point.y))
    high = Point(x: max(high.x, point.x), y: max(high.y, point.y))
  }

  /// Includes a box of the given half extents around a point.
  package mutating func include(_ center: Point, reach: Point) {
    include(center - reach)
    include(center + reach)
  }

  /// The bounding box; null without points.
  package var rect: Rect { low.x <= high.x ? Rect(from: low, to: high) : .null }
}
