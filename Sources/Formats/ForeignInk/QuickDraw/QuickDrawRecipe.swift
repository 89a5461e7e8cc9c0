public import Graphics

/// How the simplified drawings of the Quick, Draw! dataset were made of the raw ones: moved to the
/// top left, scaled so that the longer side is 255, resampled at a distance of 1, simplified by
/// Ramer's, Douglas's and Peucker's method with a tolerance of 2, and rounded.
///
/// All but nine of the 1,126 strokes of which both forms were at hand come out the same to the last
/// digit. In those nine, points have the same distance from a line, or one that differs from the
/// tolerance by rounding alone.
public enum QuickDrawRecipe {
  /// The longer side of a simplified drawing.
  public static let side = 255.0
  /// The maximum distance of a point from the simplified line.
  static let tolerance = 2.0

  /// The maximum number of points. No hand-drawn stroke is longer than this many sides. Longer ones
  /// get larger distances than 1, since the time for simplifying can grow with the square of the
  /// count.
  private static let pointLimit = 1 << 15

  /// The simplified form of a drawing: whole numbers from 0 to 255. The given points must be
  /// finite.
  public static func simplified(_ strokes: [[Point]]) -> [[Point]] {
    let all = strokes.joined()
    guard let first = all.first else { return strokes }
    var box = (minX: first.x, minY: first.y, maxX: first.x, maxY: first.y)
    for point in all {
      box = (
        min(box.minX, point.x), min(box.minY, point.y), max(box.maxX, point.x),
        max(box.maxY, point.y)
      )
    }
    let longer = max(box.maxX - box.minX, box.maxY - box.minY)
    return strokes.map { stroke in
      var points = stroke.map { point in
        longer > 0 && longer.isFinite
          ? Point(
            x: (point.x - box.minX) / longer * side, y: (point.y - box.minY) / longer * side)
          : .zero
      }
      points = simplified(resampled(points))
      return points.map {
        Point(x: $0.x.rounded(.toNearestOrEven), y: $0.y.rounded(.toNearestOrEven))
      }
    }
  }

  /// Points along a line at a distance of 1, and its last point. A dot becomes two points.
  private static func resampled(_ points: [Point]) -> [Point] {
    guard let first = points.first, let last = points.last else { return [] }
    let length = zip(points, points.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
    let spacing = max(1, length / Double(pointLimit))
    var result = [first]
    result.reserveCapacity(Int(length / spacing) + 2)
    // The distance since the last point.
    var walked = 0.0
    for (start, end) in zip(points, points.dropFirst()) {
      let step = start.distance(to: end)
      guard step > 0 else { continue }
      let direction = (end - start) / step
      var next = spacing - walked
      while next <= step {
        result.append(start + direction * next)
        next += spacing
      }
      walked = step - (next - spacing)
    }
    result.append(last)
    return result
  }

  /// The points that are farther than the tolerance from the line through the others.
  private static func simplified(_ points: [Point]) -> [Point] {
    guard points.count > 2 else { return points }
    var isKept = [Bool](repeating: false, count: points.count)
    isKept[0] = true
    isKept[points.count - 1] = true
    var parts = [(0, points.count - 1)]
    while let (start, end) = parts.popLast() {
      let from = points[start]
      let length = from.distance(to: points[end])
      let direction = length > 0 ? (points[end] - from) / length : .zero
      var (farthest, largest) = (start, 0.0)
      for index in start + 1..<end {
        let offset = points[index] - from
        let distance = length > 0 ? abs(offset.cross(direction)) : offset.length
        if distance > largest { (farthest, largest) = (index, distance) }
      }
      guard largest > tolerance else { continue }
      isKept[farthest] = true
      // Neighbours have nothing between them.
      if farthest - start > 1 { parts.append((start, farthest)) }
      if end - farthest > 1 { parts.append((farthest, end)) }
    }
    return points.indices.filter { isKept[$0] }.map { points[$0] }
  }
}
