import CMath
import Graphics

/// A hand's line as evenly spaced samples, moved and scaled so that its box is around the origin
/// and has a diagonal of 1. All lengths of the recognition are relative to this diagonal.
struct HandTrace {
  /// The samples; their count does not depend on the hand.
  let points: [Point]
  /// The length of the line.
  let length: Double
  /// From the samples' coordinates to the canvas.
  let toCanvas: AffineTransform
  /// The tolerance for trembling, which is nearly the same for figures of all sizes and so matters
  /// for small ones.
  let tremor: Double

  static let stepCount = 128
  /// The minimum extent of a figure on the canvas, in points: smaller ones are letters.
  private static let minimumExtent = 12.0
  /// Coordinates beyond this, in points, are no page's.
  private static let maximumCoordinate = 1e7
  /// The maximum length; a star drawn in one line has about four diagonals. Longer lines scribble.
  private static let maximumLength = 9.0

  /// Nil if the points are too close together, too far away, or make up too long a line.
  init?(_ hand: [Point]) {
    let finite = hand.filter { $0.isFinite }
    let box = Rect(around: finite)
    guard finite.count > 1, max(box.width, box.height) >= Self.minimumExtent,
      box.corners.allSatisfy({ max(abs($0.x), abs($0.y)) <= Self.maximumCoordinate })
    else { return nil }
    let diagonal = Point(x: box.width, y: box.height).length
    let center = box.center
    // Half a point, if it is a small part of the figure.
    let tremor = min(max(0.5 / diagonal, 1.0 / 150), 1.0 / 40)
    let kept = Self.means(of: finite.map { ($0 - center) / diagonal }, within: tremor)
    var length = 0.0
    for (a, b) in zip(kept, kept.dropFirst()) { length += a.distance(to: b) }
    guard kept.count > 1, length > 0, length <= Self.maximumLength else { return nil }
    points = Self.evenlySpaced(kept, length: length)
    self.length = length
    self.tremor = min(0.3 / diagonal, 0.02)
    toCanvas = AffineTransform(
      a: diagonal, b: 0, c: 0, d: diagonal, tx: center.x, ty: center.y)
  }

  /// The means of points that are close together. A slow hand trembles, and a hand that holds still
  /// at the end gives many points at one place; both would make the line longer.
  private static func means(of points: [Point], within reach: Double) -> [Point] {
    var kept: [Point] = []
    var (first, sum, count) = (points[0], Point.zero, 0.0)
    for point in points {
      if point.distance(to: first) > reach {
        kept.append(sum / count)
        (first, sum, count) = (point, .zero, 0)
      }
      sum += point
      count += 1
    }
    kept.append(sum / count)
    return kept
  }

  private static func evenlySpaced(_ points: [Point], length: Double) -> [Point] {
    var result = [points[0]]
    result.reserveCapacity(stepCount + 1)
    var (passed, index) = (0.0, 1)
    for step in 1..<stepCount {
      let target = length * Double(step) / Double(stepCount)
      while index < points.count - 1,
        passed + points[index - 1].distance(to: points[index]) < target
      {
        passed += points[index - 1].distance(to: points[index])
        index += 1
      }
      let way = points[index - 1].distance(to: points[index])
      let part = way > 0 ? min((target - passed) / way, 1) : 0
      result.append(points[index - 1].interpolated(to: points[index], at: part))
    }
    result.append(points[points.count - 1])
    return result
  }
}

extension HandTrace {
  var start: Point { points[0] }
  var end: Point { points[points.count - 1] }

  /// How far the samples are from a figure of straight sides.
  func deviation(from corners: [Point]) -> Deviation {
    Deviation(points.map { $0.distance(toLineThrough: corners) })
  }
}

/// How far samples are from a figure.
struct Deviation {
  /// The root of the mean squared distance.
  let mean: Double
  /// The largest distance, except at both ends, where hands overshoot.
  let maximum: Double

  init(_ distances: [Double]) {
    mean = (distances.reduce(0) { $0 + $1 * $1 } / Double(distances.count)).squareRoot()
    let ends = HandTrace.stepCount / 20
    maximum = distances.dropFirst(ends).dropLast(ends).reduce(0) { max($0, $1) }
  }
}

extension Point {
  /// The distance to an open line through points.
  func distance(toLineThrough corners: [Point]) -> Double {
    var nearest = Double.infinity
    for (from, to) in zip(corners, corners.dropFirst()) {
      let (way, offset) = (to - from, self - from)
      let square = way.dot(way)
      let part = square > 0 ? min(max(offset.dot(way) / square, 0), 1) : 0
      let rest = offset - way * part
      nearest = min(nearest, rest.dot(rest))
    }
    return nearest.squareRoot()
  }

  /// The angle from this direction to another, in degrees from −180 to 180.
  func turn(to other: Point) -> Double {
    mathArcTangent(cross(other), dot(other)) * (180 / .pi)
  }

  /// The point on the lines through both points in both directions; nil if these are parallel.
  static func crossing(
    _ a: Point, along direction: Point, _ b: Point, along other: Point
  ) -> Point? {
    let area = direction.cross(other)
    guard abs(area) > 1e-6 else { return nil }
    return a + direction * ((b - a).cross(other) / area)
  }

  /// The direction of an angle in radians.
  init(angle: Double) { self.init(x: mathCosine(angle), y: mathSine(angle)) }

  /// The vector rotated and scaled by another, as complex numbers.
  func multiplied(by other: Point) -> Point {
    Point(x: x * other.x - y * other.y, y: x * other.y + y * other.x)
  }
}
