import Graphics

/// The best fits of a number of straight sides to samples, for every number up to a limit.
///
/// A fit divides the samples so that the sum of squared distances from a free straight line through
/// each part is minimal. Dynamic programming finds it exactly, in about a million steps, so no
/// threshold decides early what is a corner.
struct StraightFits {
  /// A side: its samples, and the line through them without those near its ends, where hands round
  /// corners.
  struct Side {
    let from: Int
    let to: Int
    /// A point on the line.
    let center: Point
    /// The direction in which the hand went.
    let direction: Point
    /// The part of the hand's line that belongs to the side.
    let length: Double
  }

  static let maximumSides = 12
  private let points: [Point]
  private let sums: [Sums]
  /// The samples at the ends of the sides, for each number of sides.
  private var breaks: [[Int]] = [[]]
  /// The root of the mean squared distance for each number of sides; 0 sides have none.
  private(set) var errors: [Double] = [.infinity]

  init(_ points: [Point]) {
    self.points = points
    var (sums, sum) = ([Sums()], Sums())
    for point in points {
      sum.add(point)
      sums.append(sum)
    }
    self.sums = sums
    solve()
  }

  private mutating func solve() {
    let count = points.count
    var costs = [Double](repeating: .infinity, count: count * count)
    let step =
      points.indices.dropFirst().reduce(0) {
        $0 + points[$1].distance(to: points[$1 - 1])
      } / Double(count - 1)
    // A side has at least three samples.
    for from in 0..<count {
      for to in stride(from: from + 2, to: count, by: 1) {
        let samples = Double(to - from)
        // A hand that goes back on the same line draws another side.
        let fold = max(0.85 * samples * step - points[from].distance(to: points[to]), 0)
        costs[from * count + to] =
          (sums[to + 1] - sums[from]).squaredError + 0.2 * samples * fold * fold
      }
    }
    var best = Array(costs[0..<count])
    var origins: [[Int]] = [[Int](repeating: 0, count: count)]
    for sides in 1...Self.maximumSides {
      if sides > 1 {
        var next = [Double](repeating: .infinity, count: count)
        var origin = [Int](repeating: 0, count: count)
        for from in 2..<count where best[from] < .infinity {
          let (start, row) = (best[from], from * count)
          for to in stride(from: from + 2, to: count, by: 1) {
            let cost = start + costs[row + to]
            if cost < next[to] { (next[to], origin[to]) = (cost, from) }
          }
        }
        best = next
        origins.append(origin)
      }
      errors.append((best[count - 1] / Double(count)).squareRoot())
      var ends = [count - 1]
      for origin in origins.reversed() { ends.append(origin[ends[ends.count - 1]]) }
      breaks.append(ends.reversed())
    }
  }

  /// The sides of the best fit with a number of them.
  func sides(_ count: Int) -> [Side] {
    let ends = breaks[count]
    let step = 1 / Double(points.count - 1)
    return zip(ends, ends.dropFirst()).map { from, to in
      let (center, direction) = line(in: [from...to])
      return Side(
        from: from, to: to, center: center, direction: direction, length: Double(to - from) * step)
    }
  }

  /// The line through the samples of ranges in the hand's direction, without those near the ends if
  /// it is trimmed.
  func line(
    in ranges: [ClosedRange<Int>], trimmed: Bool = true
  ) -> (center: Point, direction: Point) {
    var (sum, way) = (Sums(), Point.zero)
    for range in ranges {
      let (from, to) = (range.lowerBound, range.upperBound)
      let trim = trimmed ? (to - from) / 6 : 0
      sum = sum + (sums[to - trim + 1] - sums[from + trim])
      way += points[to] - points[from]
    }
    let direction = sum.direction
    return (sum.center, direction.dot(way) < 0 ? -direction : direction)
  }

  /// The sums that a straight fit depends on.
  private struct Sums {
    var (count, x, y, xx, xy, yy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    mutating func add(_ point: Point) {
      count += 1
      x += point.x
      y += point.y
      xx += point.x * point.x
      xy += point.x * point.y
      yy += point.y * point.y
    }

    static func combined(_ a: Sums, _ b: Sums, _ sign: Double) -> Sums {
      var result = a
      result.count += sign * b.count
      result.x += sign * b.x
      result.y += sign * b.y
      result.xx += sign * b.xx
      result.xy += sign * b.xy
      result.yy += sign * b.yy
      return result
    }
    static func + (a: Sums, b: Sums) -> Sums { combined(a, b, 1) }
    static func - (a: Sums, b: Sums) -> Sums { combined(a, b, -1) }

    var center: Point { Point(x: x / count, y: y / count) }

    private var scatter: (xx: Double, xy: Double, yy: Double) {
      (xx - x * x / count, xy - x * y / count, yy - y * y / count)
    }

    /// The smaller eigenvalue of the scatter matrix: the sum of squared distances from the line.
    var squaredError: Double {
      let (xx, xy, yy) = scatter
      let half = (xx - yy) / 2
      return max((xx + yy) / 2 - (half * half + xy * xy).squareRoot(), 0)
    }

    /// The eigenvector of the larger eigenvalue.
    var direction: Point {
      let (xx, xy, yy) = scatter
      let half = (xx - yy) / 2
      let root = (half * half + xy * xy).squareRoot()
      let direction = half > 0 ? Point(x: root + half, y: xy) : Point(x: xy, y: root - half)
      return direction.normalized ?? Point(x: 1, y: 0)
    }
  }
}
