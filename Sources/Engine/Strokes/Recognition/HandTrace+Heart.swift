import CMath
import Graphics

/// A heart by its place and its shape.
struct Heart {
  /// The middle of its upper edge, x and y; the rotation from upright, in radians; half its width;
  /// its height; the depth of the notch and how far the lower sides bulge, both as parts of the
  /// height.
  var values: [Double]

  var rotation: Double { values[2] }
  var halfWidth: Double { values[3] }
  var height: Double { values[4] }
  var notch: Double { values[5] }
  var bulge: Double { values[6] }

  /// The six curves, clockwise on the canvas from the notch.
  var curves: [CubicCurve] {
    let axis = Point(angle: rotation)
    let down = axis.perpendicular
    let origin = Point(x: values[0], y: values[1])
    func at(_ x: Double, _ y: Double) -> Point {
      origin + axis * (x * halfWidth) + down * (y * height)
    }
    // The right half in units of half the width and of the height.
    let (top, right) = (0.5, 0.3)
    let half: [(Double, Double)] = [
      (0, notch), (0.05, 0.4 * notch), (0.22, 0), (top, 0), (0.78, 0), (1, 0.42 * right),
      (1, right), (1, right + 0.2), (0.32 + bulge, 0.7 + 0.2 * bulge), (0, 1),
    ]
    let ring = half.map { at($0, $1) } + half.dropLast().reversed().map { at(-$0, $1) }
    return (0..<6).map {
      CubicCurve(
        start: ring[3 * $0], control1: ring[3 * $0 + 1], control2: ring[3 * $0 + 2],
        end: ring[3 * $0 + 3])
    }
  }

  /// The pieces in which each curve is compared with a hand.
  private static let pieces = 8

  /// The corners of a polygon with the shape of the curves.
  var polygon: [Point] {
    var result: [Point] = []
    for curve in curves {
      for piece in 0..<Self.pieces {
        result.append(curve.point(at: Double(piece) / Double(Self.pieces)))
      }
    }
    result.append(result[0])
    return result
  }

  /// The heart that is nearer to points, by one step of Gauss and Newton: each point keeps the
  /// nearest part of the outline, and the values change so that the distances across it get small.
  func improved(near points: [Point]) -> Heart? {
    let polygon = polygon
    let size = values.count
    let step = 1e-4
    let changed = (0..<size).map { index in
      var other = self
      other.values[index] += step
      return other.polygon
    }
    var rows = [[Double]](repeating: [Double](repeating: 0, count: size + 1), count: size)
    for point in points {
      let (side, part) = point.nearestPart(of: polygon)
      let (a, b) = (polygon[side], polygon[side + 1])
      guard let normal = (b - a).perpendicular.normalized else { continue }
      let rest = normal.dot(point - a.interpolated(to: b, at: part))
      let slopes = changed.map { other in
        let moved = other[side].interpolated(to: other[side + 1], at: part)
        return normal.dot(moved - a.interpolated(to: b, at: part)) / step
      }
      for row in 0..<size {
        for column in 0..<size { rows[row][column] += slopes[row] * slopes[column] }
        rows[row][size] += slopes[row] * rest
      }
    }
    // Keeps values that no point depends on where they are.
    for index in 0..<size { rows[index][index] += 0.02 }
    guard let change = solution(of: &rows) else { return nil }
    var result = self
    for index in 0..<size { result.values[index] += min(max(change[index], -0.15), 0.15) }
    result.values[5] = min(max(result.notch, 0), 0.5)
    result.values[6] = min(max(result.bulge, -0.3), 0.5)
    guard result.halfWidth > 0.1, result.height > 0.2 else { return nil }
    return result
  }
}

extension Point {
  /// The side of an open polygon that is nearest, and the nearest part of it.
  fileprivate func nearestPart(of polygon: [Point]) -> (side: Int, part: Double) {
    var (result, nearest) = ((side: 0, part: 0.0), Double.infinity)
    for index in 0..<polygon.count - 1 {
      let (way, offset) = (polygon[index + 1] - polygon[index], self - polygon[index])
      let square = way.dot(way)
      let part = square > 0 ? min(max(offset.dot(way) / square, 0), 1) : 0
      let rest = offset - way * part
      if rest.dot(rest) < nearest { (result, nearest) = ((index, part), rest.dot(rest)) }
    }
    return result
  }
}

extension HandTrace {
  /// A heart that is nearly upright.
  func heart(_ fits: StraightFits) -> FigureCandidate? {
    guard (1.9...4).contains(length), start.distance(to: end) < 0.3 else { return nil }
    let middle = points.reduce(Point.zero, +) / Double(points.count)
    guard turnsOnce(around: { $0 - middle }) else { return nil }
    let samples = stride(from: 0, to: points.count, by: 2).map { points[$0] }
    var best: (heart: Heart, error: Double)?
    for degrees in [-30.0, -15, 0, 15, 30] {
      let heart = uprightHeart(rotatedBy: degrees * (.pi / 180))
      let polygon = heart.polygon
      let error = Deviation(samples.map { $0.distance(toLineThrough: polygon) }).mean
      if error < best?.error ?? .infinity { best = (heart, error) }
    }
    guard var heart = best?.heart, best?.error ?? 1 < 0.09 else { return nil }
    for _ in 0..<8 {
      guard let next = heart.improved(near: samples) else { return nil }
      heart = next
    }
    let hand = deviation(from: heart.polygon)
    guard hand.isNear(0.032, 0.085), abs(heart.rotation) < 38 * (.pi / 180), heart.notch > 0.07,
      (0.55...1.8).contains(2 * heart.halfWidth / heart.height)
    else { return nil }
    // The notch and the tip are sharp, other than those of apples and leaves.
    let (notch, tip) = (heart.curves[0].start, heart.curves[3])
    let ways = points.reduce((1.0, 1.0)) {
      (min($0.0, $1.distance(to: notch)), min($0.1, $1.distance(to: tip.start)))
    }
    let half = (tip.point(at: 0.4) - tip.start).turn(to: notch - tip.start)
    guard ways.0 < 0.06, ways.1 < 0.05, abs(half) < 66 else { return nil }
    if let ellipse = Ellipse(near: points) {
      let other = Deviation(points.map { ellipse.distance(to: $0) })
      guard hand.mean < 0.5 * other.mean else { return nil }
    }
    return FigureCandidate(.heart, outline(of: heart), error: hand.mean)
  }

  /// A heart of the usual shape that fills the box of the samples, after a rotation.
  private func uprightHeart(rotatedBy angle: Double) -> Heart {
    let axis = Point(angle: angle)
    let box = Rect(around: points.map { Point(x: $0.dot(axis), y: axis.cross($0)) })
    let top = axis * box.center.x + axis.perpendicular * box.minY
    return Heart(values: [top.x, top.y, angle, box.width / 2, box.height, 0.2, 0])
  }

  /// The contour of a heart, from the notch or from the tip, in the hand's direction.
  private func outline(of heart: Heart) -> Path {
    var curves = heart.curves
    let (notch, tip) = (curves[0].start, curves[3].start)
    if start.distance(to: tip) < start.distance(to: notch) {
      curves = Array(curves[3...] + curves[..<3])
    }
    let middle = (notch + tip) / 2
    var turn = 0.0
    for (a, b) in zip(points, points.dropFirst()) { turn += (a - middle).turn(to: b - middle) }
    if turn < 0 {
      curves = curves.reversed().map {
        CubicCurve(
          start: $0.end, control1: $0.control2, control2: $0.control1, end: $0.start)
      }
    }
    var path = Path()
    path.move(to: curves[0].start)
    for curve in curves {
      path.addCubic(to: curve.end, control1: curve.control1, control2: curve.control2)
    }
    return path
  }
}
