import CMath
import Graphics

/// An ellipse by its centre, half axes and the direction of the longer one.
struct Ellipse {
  var center: Point
  var major: Double
  var minor: Double
  var axis: Point

  /// The point of the unit circle that the ellipse maps a point to, if the point is on it.
  func unit(_ point: Point) -> Point {
    let offset = point - center
    return Point(x: offset.dot(axis) / major, y: axis.cross(offset) / minor)
  }

  /// The point at a point of the unit circle.
  func point(_ unit: Point) -> Point {
    center + axis * (unit.x * major) + axis.perpendicular * (unit.y * minor)
  }

  /// An approximate distance, exact to the first order near the ellipse.
  func distance(to point: Point) -> Double {
    let unit = unit(point)
    let value = unit.dot(unit) - 1
    let slope = 2 * Point(x: unit.x / major, y: unit.y / minor).length
    return slope > 0 ? abs(value) / slope : minor
  }

  /// The ellipse that is nearest to points: the conic with the least sum of squared distances to
  /// the first order, by weights that follow from the conic before. Nil if it is no ellipse.
  init?(near points: [Point]) {
    var weights = [Double](repeating: 1, count: points.count)
    var result: Ellipse?
    for _ in 0..<4 {
      // (x² + y²)/2 + a·(x² − y²)/2 + b·xy + c·x + d·y + e = 0 holds ellipses only if |a| < 1, and
      // its form does not depend on rotation.
      var rows = [[Double]](repeating: [Double](repeating: 0, count: 6), count: 5)
      for (point, weight) in zip(points, weights) {
        let (xx, yy) = (point.x * point.x, point.y * point.y)
        let values = [(xx - yy) / 2, point.x * point.y, point.x, point.y, 1, -(xx + yy) / 2]
        for row in 0..<5 {
          for column in row..<6 { rows[row][column] += weight * values[row] * values[column] }
        }
      }
      for row in 0..<5 { for column in 0..<row { rows[row][column] = rows[column][row] } }
      guard let conic = solution(of: &rows), let ellipse = Ellipse(conic: conic) else {
        return nil
      }
      result = ellipse
      weights = points.map { point in
        let gradient = Point(
          x: (1 + conic[0]) * point.x + conic[1] * point.y + conic[2],
          y: (1 - conic[0]) * point.y + conic[1] * point.x + conic[3])
        return 1 / max(gradient.dot(gradient), 1e-4)
      }
    }
    guard let result else { return nil }
    self = result
  }

  private init?(conic: [Double]) {
    let (a, b, c) = ((1 + conic[0]) / 2, conic[1], (1 - conic[0]) / 2)
    let area = 4 * a * c - b * b
    guard area > 1e-6 else { return nil }
    center = Point(
      x: (b * conic[3] - 2 * c * conic[2]) / area, y: (b * conic[2] - 2 * a * conic[3]) / area)
    let level = -(conic[4] + (conic[2] * center.x + conic[3] * center.y) / 2)
    let root = (conic[0] * conic[0] + b * b).squareRoot() / 2
    let (small, large) = (0.5 - root, 0.5 + root)
    guard small > 0, level > 0, center.isFinite else { return nil }
    (major, minor) = ((level / small).squareRoot(), (level / large).squareRoot())
    // The longer half axis belongs to the smaller eigenvalue.
    let angle = mathArcTangent(b, conic[0]) / 2 + .pi / 2
    axis = Point(angle: angle)
  }
}

/// The solution of linear equations, each a row with its right side at the end, by elimination;
/// nil if they are singular.
func solution(of rows: inout [[Double]]) -> [Double]? {
  let count = rows.count
  for column in 0..<count {
    var pivot = column
    for row in column..<count where abs(rows[row][column]) > abs(rows[pivot][column]) {
      pivot = row
    }
    guard abs(rows[pivot][column]) > 1e-12 else { return nil }
    rows.swapAt(column, pivot)
    for row in column + 1..<count {
      let factor = rows[row][column] / rows[column][column]
      for index in column...count { rows[row][index] -= factor * rows[column][index] }
    }
  }
  var values = [Double](repeating: 0, count: count)
  for row in (0..<count).reversed() {
    var value = rows[row][count]
    for index in row + 1..<count { value -= rows[row][index] * values[index] }
    values[row] = value / rows[row][row]
  }
  return values.allSatisfy { $0.isFinite } ? values : nil
}

extension HandTrace {
  /// A circle or an ellipse.
  func ellipse(_ fits: StraightFits) -> FigureCandidate? {
    guard let ellipse = Ellipse(near: points), ellipse.major < 0.75,
      ellipse.minor > 0.12 * ellipse.major
    else { return nil }
    let hand = Deviation(points.map { ellipse.distance(to: $0) })
    let size = (ellipse.major * ellipse.minor).squareRoot()
    guard hand.isNear(0.055 * size, 0.15 * size), hand.mean < 0.09 * ellipse.minor,
      turnsOnce(around: ellipse.unit)
    else { return nil }
    // Octagons are nearly circles.
    let factor = isCircle(ellipse) ? 0.8 : 0.6
    for count in 3...8 where fits.errors[count] < factor * hand.mean { return nil }
    return FigureCandidate(
      isCircle(ellipse) ? .circle : .ellipse, outline(of: ellipse), error: hand.mean)
  }

  private func isCircle(_ ellipse: Ellipse) -> Bool { ellipse.major < 1.12 * ellipse.minor }

  /// Whether the hand turns steadily once around a centre, up to a gap or an overshoot.
  func turnsOnce(around unit: (Point) -> Point) -> Bool {
    var (sum, all, last) = (0.0, 0.0, unit(points[0]))
    for point in points.dropFirst() {
      let next = unit(point)
      let turn = last.turn(to: next)
      sum += turn
      all += abs(turn)
      last = next
    }
    return (300...460).contains(abs(sum)) && all < 1.06 * abs(sum) + 10
  }

  /// The contour of an ellipse from where the hand starts, in its direction.
  private func outline(of ellipse: Ellipse) -> Path {
    var ellipse = ellipse
    if isCircle(ellipse) {
      let radius = (ellipse.major + ellipse.minor) / 2
      (ellipse.major, ellipse.minor) = (radius, radius)
    } else {
      ellipse.axis = Self.snapped(ellipse.axis)
    }
    let middle = points.count / 4
    let first = ellipse.unit(start).normalized ?? Point(x: 1, y: 0)
    let sign = first.cross(ellipse.unit(points[middle])) < 0 ? -1.0 : 1
    // Eight arcs; each deviates from the ellipse by at most 4e-6 of its half axis.
    let arcs = 8
    let reach = 4.0 / 3 * mathSine(.pi / 16) / mathCosine(.pi / 16)
    func at(_ arc: Int, _ offset: Double) -> Point {
      let unit = first.multiplied(by: Point(angle: sign * Double(arc) * (2 * .pi / Double(arcs))))
      return ellipse.point(unit + unit.perpendicular * (sign * offset))
    }
    var path = Path()
    path.move(to: at(0, 0))
    for arc in 0..<arcs {
      path.addCubic(
        to: at((arc + 1) % arcs, 0), control1: at(arc, reach), control2: at(arc + 1, -reach))
    }
    return path
  }
}
