import Graphics

/// Replaces the many corners of a polygon that approximates a curve by few cubic Bézier curves.
///
/// The curves pass the corners at most a tolerance away. Where the polygon has a sharp corner, and
/// at both ends of a long straight edge, one curve ends and the next one begins.
struct CurveFitter {
  /// The maximum distance of the corners from the curves, in the polygon's units.
  let tolerance: Double

  /// The turn from which on a corner is sharp, in radians: more than that of any polygon around a
  /// nib.
  private static let sharpTurn = 0.65
  /// The maximum number of corners for one curve. It bounds the time for a long straight line.
  private static let maximumCorners = 512

  /// A polygon as a closed path.
  func path(around polygon: [Point]) -> Path {
    var path = Path()
    var corners = polygon.withoutRepeats
    if corners.count > 1, corners.first == corners.last { corners.removeLast() }
    guard corners.count > 2 else { return path }
    // The loop begins where a curve has to begin anyway, and ends at the same point.
    let first = corners.indices.first { isBreak(in: corners, at: $0) } ?? 0
    let loop = Array(corners[first...] + corners[...first])
    path.move(to: loop[0])
    let isSmoothStart = !isBreak(in: corners, at: first)
    add(loop, closing: isSmoothStart, to: &path)
    path.close()
    return path
  }

  /// Some points as an open path through the first and the last of them.
  func path(through points: [Point]) -> Path {
    var path = Path()
    let points = points.withoutRepeats
    guard let first = points.first else { return path }
    path.move(to: first)
    guard points.count > 1 else { return path }
    add(points, closing: false, to: &path)
    return path
  }

  /// Adds curves from the first point to the last. With `closing`, the last is the first again, and
  /// smooth.
  private func add(_ points: [Point], closing: Bool, to path: inout Path) {
    let last = points.count - 1
    var breaks = [0]
    for index in 1..<max(last, 1) where isBreak(points[index - 1], points[index], points[index + 1])
    {
      breaks.append(index)
    }
    breaks.append(last)
    let seam: Point? =
      closing ? Self.tangent(points[last - 1], points[0], points[1]).normalized : nil
    for (from, to) in zip(breaks, breaks.dropFirst()) {
      addSmooth(
        points, from, to, startTangent: from == 0 ? seam : nil, endTangent: to == last ? seam : nil,
        to: &path)
    }
  }

  private func isBreak(in polygon: [Point], at index: Int) -> Bool {
    isBreak(
      polygon[index > 0 ? index - 1 : polygon.count - 1], polygon[index],
      polygon[index + 1 < polygon.count ? index + 1 : 0])
  }

  /// Whether a curve has to end at the middle one of three neighbours.
  private func isBreak(_ a: Point, _ b: Point, _ c: Point) -> Bool {
    let (one, other) = (b - a, c - b)
    let (l, m) = (one.length, other.length)
    // The sine of the turn, or more than one where it is above a right angle.
    let turn = one.dot(other) <= 0 ? 2 : abs(one.cross(other)) / (l * m)
    if turn > Self.sharpTurn { return true }
    // An edge that is much longer than its neighbour is a straight side between curves.
    return max(l, m) > 6 * min(l, m) && max(l, m) > 40 * tolerance
  }

  /// Adds curves along points without breaks between them, each as far as it goes.
  private func addSmooth(
    _ points: [Point], _ from: Int, _ to: Int, startTangent: Point?, endTangent: Point?,
    to path: inout Path
  ) {
    func tangent(_ index: Int) -> Point {
      if index == from {
        return startTangent
          ?? (to - from > 1
            ? Self.endTangent(points[from], points[from + 1], points[from + 2])
            : points[to] - points[from])
      }
      if index == to {
        return endTangent
          ?? (to - from > 1
            ? -Self.endTangent(points[to], points[to - 1], points[to - 2])
            : points[to] - points[from])
      }
      return Self.tangent(points[index - 1], points[index], points[index + 1])
    }
    var start = from
    while start < to {
      let end = min(to, start + Self.maximumCorners)
      // The longest piece that one curve can follow, by doubling and then halving the range.
      var (reached, failed) = (start + 1, end + 1)
      var best: CubicCurve?
      var step = 4
      while reached < end, reached + 1 < failed {
        let next = failed <= end ? (reached + failed) / 2 : min(start + step, end)
        if let curve = fit(points, start, next, tangent(start), tangent(next)) {
          (reached, best) = (next, curve)
          step *= 2
        } else {
          failed = next
        }
      }
      let target = points[reached]
      if let best {
        path.addCubic(to: target, control1: best.control1, control2: best.control2)
      } else {
        path.addLine(to: target)
      }
      start = reached
    }
  }

  /// The tangent at the middle one of three points, as of the circle through them.
  private static func tangent(_ a: Point, _ b: Point, _ c: Point) -> Point {
    let (one, other) = (b - a, c - b)
    let (l, m) = (one.length, other.length)
    guard l > 0, m > 0 else { return c - a }
    return one * (m / l) + other * (l / m)
  }

  /// The tangent at the first of three points, as of the circle through them.
  private static func endTangent(_ a: Point, _ b: Point, _ c: Point) -> Point {
    let chord = b - a
    let middle = tangent(a, b, c)
    guard let axis = chord.normalized else { return middle }
    // The tangent at the other end of a chord is that of the first one, mirrored.
    return axis * (2 * middle.dot(axis)) - middle
  }

  /// A curve from one point to another with given tangents, by least squares (Schneider, 1990); nil
  /// if it is not near enough to the points between.
  private func fit(
    _ points: [Point], _ from: Int, _ to: Int, _ startTangent: Point, _ endTangent: Point
  ) -> CubicCurve? {
    guard let t0 = startTangent.normalized, let t1 = endTangent.normalized else { return nil }
    let (start, end) = (points[from], points[to])
    var parameters = [0.0]
    parameters.reserveCapacity(to - from + 1)
    var length = 0.0
    for index in from + 1...to {
      length += points[index].distance(to: points[index - 1])
      parameters.append(length)
    }
    guard length > 0 else { return nil }
    for index in parameters.indices { parameters[index] /= length }
    for round in 0..<4 {
      let curve = leastSquares(points, from, to, t0, -t1, parameters, length)
      var worst = 0.0
      for index in from + 1..<to {
        worst = max(worst, curve.point(at: parameters[index - from]).distance(to: points[index]))
      }
      if worst <= tolerance { return isTame(curve, length) ? curve : nil }
      guard round < 3, worst < 8 * tolerance else { return nil }
      for index in from + 1..<to {
        parameters[index - from] = Self.improved(
          parameters[index - from], on: curve, near: points[index])
      }
      if start == end { return nil }
    }
    return nil
  }

  /// Whether a curve has no loop or bulge between the points that it was fitted to.
  private func isTame(_ curve: CubicCurve, _ length: Double) -> Bool {
    let arms =
      (curve.control1 - curve.start).length + (curve.control2 - curve.control1).length
      + (curve.end - curve.control2).length
    return arms <= 1.5 * length + tolerance
  }

  private func leastSquares(
    _ points: [Point], _ from: Int, _ to: Int, _ t0: Point, _ t1: Point, _ parameters: [Double],
    _ length: Double
  ) -> CubicCurve {
    let (start, end) = (points[from], points[to])
    var (c00, c01, c11, x0, x1) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for index in from + 1..<max(to, from + 1) {
      let u = parameters[index - from]
      let v = 1 - u
      let (b1, b2) = (3 * u * v * v, 3 * u * u * v)
      let (a0, a1) = (t0 * b1, t1 * b2)
      c00 += a0.dot(a0)
      c01 += a0.dot(a1)
      c11 += a1.dot(a1)
      let base = start * (v * v * (v + 3 * u)) + end * (u * u * (u + 3 * v))
      let rest = points[index] - base
      x0 += a0.dot(rest)
      x1 += a1.dot(rest)
    }
    let determinant = c00 * c11 - c01 * c01
    var (left, right) = (length / 3, length / 3)
    if determinant > 1e-12 * max(c00 * c11, .leastNormalMagnitude) {
      left = (x0 * c11 - x1 * c01) / determinant
      right = (c00 * x1 - c01 * x0) / determinant
    }
    let least = 1e-3 * length
    if !(left > least) || !(right > least) { (left, right) = (length / 3, length / 3) }
    return CubicCurve(
      start: start, control1: start + t0 * left, control2: end + t1 * right, end: end)
  }

  /// A step of Newton's method towards the parameter of the nearest point of a curve.
  private static func improved(_ u: Double, on curve: CubicCurve, near point: Point) -> Double {
    let v = 1 - u
    let (d0, d1, d2) = (
      curve.control1 - curve.start, curve.control2 - curve.control1, curve.end - curve.control2
    )
    let first = (d0 * (v * v) + d1 * (2 * u * v) + d2 * (u * u)) * 3
    let second = ((d1 - d0) * v + (d2 - d1) * u) * 6
    let away = curve.point(at: u) - point
    let slope = first.dot(first) + away.dot(second)
    guard abs(slope) > 1e-12 else { return u }
    return min(max(u - away.dot(first) / slope, 0), 1)
  }
}

extension [Point] {
  /// The points without those that equal the one before.
  fileprivate var withoutRepeats: [Point] {
    var kept: [Point] = []
    for point in self where point != kept.last { kept.append(point) }
    return kept
  }
}
