import Graphics

/// The points of a polygon that one curve is fitted to, with memory that is used again for the next
/// curve.
///
/// Two points at a time, with the operations of each in the same order as for one alone, and sums
/// point by point: so the curves do not depend on it.
struct FitScratch {
  private typealias Pair = SIMD2<Double>

  private var start = Point.zero
  /// The length of the polygon from the start to each point.
  private var lengths: [Double] = []
  /// The points behind the start.
  private var x: [Pair] = []
  private var y: [Pair] = []
  /// The parameters of these points on the curve, and the vectors from the points to the curve.
  private var parameters: [Pair] = []
  private var away: [(x: Pair, y: Pair)] = []

  /// Starts a polygon at a point.
  mutating func begin(at point: Point) {
    start = point
    lengths.removeAll(keepingCapacity: true)
    lengths.append(0)
    x.removeAll(keepingCapacity: true)
    y.removeAll(keepingCapacity: true)
  }

  /// Continues the polygon up to an index.
  mutating func extend(over points: [Point], from first: Int, to last: Int) {
    for index in first + lengths.count..<max(last + 1, first + lengths.count) {
      let point = points[index]
      lengths.append(lengths[index - first - 1] + point.distance(to: points[index - 1]))
      if (index - first).isMultiple(of: 2) {
        x[x.count - 1].y = point.x
        y[y.count - 1].y = point.y
      } else {
        x.append(Pair(point.x, point.x))
        y.append(Pair(point.y, point.y))
      }
    }
  }

  /// A curve along a number of edges with given tangents, the second one backwards, by least
  /// squares (Schneider, 1990); nil if it is not near enough to the points between.
  mutating func curve(
    along count: Int, tangents: (Point, Point), tolerance: Double
  ) -> CubicCurve? {
    let length = lengths[count]
    guard length > 0 else { return nil }
    let last = (count - 1) / 2
    let end =
      count.isMultiple(of: 2)
      ? Point(x: x[last].y, y: y[last].y) : Point(x: x[last].x, y: y[last].x)
    parameters.removeAll(keepingCapacity: true)
    away.removeAll(keepingCapacity: true)
    for index in stride(from: 1, to: count, by: 2) {
      parameters.append(Pair(lengths[index], lengths[index + 1]) / length)
      away.append((.zero, .zero))
    }
    for round in 0..<4 {
      let curve = leastSquares(along: count, to: end, tangents, length)
      // Curves that are farther away are given up.
      let limit = round < 3 ? 8 * tolerance : tolerance
      let worst = findDistance(of: curve, along: count, limit: limit)
      if worst <= tolerance { return curve.isTame(length, tolerance) ? curve : nil }
      guard round < 3, worst < limit, start != end else { return nil }
      for index in parameters.indices {
        parameters[index] = Self.improved(parameters[index], on: curve, away[index])
      }
    }
    return nil
  }

  private func leastSquares(
    along count: Int, to end: Point, _ tangents: (Point, Point), _ length: Double
  ) -> CubicCurve {
    let (t0, t1) = tangents
    var (c00, c01, c11, x0, x1) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for index in parameters.indices {
      let u = parameters[index]
      let v = 1 - u
      let (b1, b2) = (3 * u * v * v, 3 * u * u * v)
      let (a0x, a0y, a1x, a1y) = (t0.x * b1, t0.y * b1, t1.x * b2, t1.y * b2)
      let (s0, s1) = (v * v * (v + 3 * u), u * u * (u + 3 * v))
      let restX = x[index] - (start.x * s0 + end.x * s1)
      let restY = y[index] - (start.y * s0 + end.y * s1)
      let (d00, d01, d11) = (
        a0x * a0x + a0y * a0y, a0x * a1x + a0y * a1y, a1x * a1x + a1y * a1y
      )
      let (e0, e1) = (a0x * restX + a0y * restY, a1x * restX + a1y * restY)
      c00 += d00.x
      c01 += d01.x
      c11 += d11.x
      x0 += e0.x
      x1 += e1.x
      // The last pair may hold the end.
      guard 2 * index + 2 < count else { break }
      c00 += d00.y
      c01 += d01.y
      c11 += d11.y
      x0 += e0.y
      x1 += e1.y
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

  /// The distance of the farthest point from a curve, or that of any point beyond the limit.
  private mutating func findDistance(
    of curve: CubicCurve, along count: Int, limit: Double
  ) -> Double {
    let (start, control1, control2, end) = (
      curve.start, curve.control1, curve.control2, curve.end
    )
    var worst = Pair.zero
    for index in parameters.indices {
      let u = parameters[index]
      let v = 1 - u
      let (w0, w1, w2, w3) = (v * v * v, 3 * v * v * u, 3 * v * u * u, u * u * u)
      let dx = start.x * w0 + control1.x * w1 + control2.x * w2 + end.x * w3 - x[index]
      let dy = start.y * w0 + control1.y * w1 + control2.y * w2 + end.y * w3 - y[index]
      away[index] = (dx, dy)
      var squares = dx * dx + dy * dy
      if 2 * index + 2 >= count { squares.y = 0 }
      worst.replace(with: squares, where: squares .>= worst)
      if index & 7 == 7, max(worst.x, worst.y).squareRoot() > limit { break }
    }
    return max(worst.x, worst.y).squareRoot()
  }

  /// A step of Newton's method towards the parameters of the nearest points of a curve.
  @inline(__always)
  private static func improved(
    _ u: Pair, on curve: CubicCurve, _ away: (x: Pair, y: Pair)
  ) -> Pair {
    let v = 1 - u
    let (d0, d1, d2) = (
      curve.control1 - curve.start, curve.control2 - curve.control1, curve.end - curve.control2
    )
    let (e0, e1) = (d1 - d0, d2 - d1)
    let (f0, f1, f2) = (v * v, 2 * u * v, u * u)
    let firstX = (d0.x * f0 + d1.x * f1 + d2.x * f2) * 3
    let firstY = (d0.y * f0 + d1.y * f1 + d2.y * f2) * 3
    let (secondX, secondY) = ((e0.x * v + e1.x * u) * 6, (e0.y * v + e1.y * u) * 6)
    let slope =
      (firstX * firstX + firstY * firstY) + (away.x * secondX + away.y * secondY)
    var next = u - (away.x * firstX + away.y * firstY) / slope
    next.replace(with: 0, where: next .<= 0)
    next.replace(with: 1, where: next .> 1)
    // Where the curve stands still, the step would be endless.
    let moves = slope .> 1e-12 .| slope .< -1e-12
    return u.replacing(with: next, where: moves)
  }
}

extension CubicCurve {
  /// Whether the curve has no loop or bulge between the points that it was fitted to.
  fileprivate func isTame(_ length: Double, _ tolerance: Double) -> Bool {
    let arms =
      (control1 - start).length + (control2 - control1).length + (end - control2).length
    return arms <= 1.5 * length + tolerance
  }
}
