import Graphics

/// Finds a path through points that are few and far apart: a control point for each, and one or two
/// more where the path turns too sharply for that.
///
/// `CurveFit` needs fewer control points than points if the points are close, as a pen gives them,
/// but up to three times as many if each point is a corner. This path passes every point exactly
/// and has all its values there. Between two points it fulfils the bounds of `CurveFit`; at a
/// corner (a turn of more than 60° between steps of ten tolerances or more) it is far closer.
package struct CornerFit {
  private let points: [PKStrokePoint]
  private let tolerance: Double
  /// The number of equal control points at each point. With one the curve turns softly, with two
  /// within a few hundredths of a step, with three at once.
  private var multiplicities: [Int]
  private var isCorner: [Bool]
  private var controls: [SIMD2<Double>] = []

  /// The cosine of the turn that makes a corner: 60°.
  private static let cornerCosine = 0.5
  /// The maximum deviation of the curve from the straight line, as a part of a step.
  private static let (softPart, cornerPart) = (0.24, 0.05)
  private static let rounds = 12
  /// A stroke with more points is one of a pen, and takes memory for each.
  package static let maximumPoints = 4096

  /// The control points through points, if there are fewer of them than a limit; nil if not.
  package static func controlPoints(
    through points: [PKStrokePoint], tolerance: Double, fewerThan limit: Int
  ) -> [PKStrokePoint]? {
    guard (3...maximumPoints).contains(points.count), points.count < limit else { return nil }
    var kept: [PKStrokePoint] = []
    kept.reserveCapacity(points.count)
    for point in points {
      guard abs(point.location.x) < PieceFit.maximumCoordinate,
        abs(point.location.y) < PieceFit.maximumCoordinate
      else { return nil }
      if let last = kept.last, point.location == last.location {
        // Values that change on the spot need control points of their own, which `CurveFit` finds.
        guard point.isNear(last, tolerance) else { return nil }
        continue
      }
      kept.append(point)
    }
    guard kept.count > 2 else { return nil }
    var fit = CornerFit(kept, tolerance)
    return fit.find(fewerThan: limit) ? fit.result : nil
  }

  private init(_ points: [PKStrokePoint], _ tolerance: Double) {
    self.points = points
    self.tolerance = tolerance
    multiplicities = Array(repeating: 1, count: points.count)
    isCorner = Array(repeating: false, count: points.count)
    for index in 1..<points.count - 1 {
      let (from, to) = (place(index) - place(index - 1), place(index + 1) - place(index))
      let (length, next) = (from.length, to.length)
      guard min(length, next) > 10 * tolerance,
        (from * to).sum() < Self.cornerCosine * length * next
      else { continue }
      isCorner[index] = true
      multiplicities[index] = 2
    }
  }

  private func place(_ index: Int) -> SIMD2<Double> {
    SIMD2(points[index].location.x, points[index].location.y)
  }

  /// Adds control points where the curve deviates too far; false if there would be too many.
  private mutating func find(fewerThan limit: Int) -> Bool {
    for _ in 0..<Self.rounds {
      guard multiplicities.reduce(0, +) < limit else { return false }
      solve()
      var isGood = true
      var next = multiplicities
      for index in 0..<points.count - 1 where !isNear(index) {
        isGood = false
        let end = sharperEnd(of: index)
        next[end] = min(multiplicities[end] + 1, 3)
      }
      if isGood { return true }
      multiplicities = next
    }
    return false
  }

  /// The end of a step that gets another control point: the sharper one, unless it has three
  /// already.
  private func sharperEnd(of index: Int) -> Int {
    func bend(_ point: Int) -> Double {
      guard point > 0, point < points.count - 1, multiplicities[point] < 3 else { return -1 }
      return (place(point - 1) - 2 * place(point) + place(point + 1)).squaredLength
        / Double(multiplicities[point])
    }
    return bend(index) >= bend(index + 1) ? index : index + 1
  }

  /// Places the control points so that the curve passes all points.
  private mutating func solve() {
    // A point with three control points is at the middle one; with two, between them; with one,
    // given by the weights `1 : weight : 1` of it and its neighbours.
    let last = points.count - 1
    func weight(_ index: Int) -> Double {
      if index == 0 || index == last { return .infinity }
      return switch multiplicities[index] {
      case 1: 4
      case 2: 46
      default: .infinity
      }
    }
    var factors = [Double](repeating: 0, count: points.count)
    controls = points.indices.map(place)
    for index in 1...last {
      let weight = weight(index)
      guard weight.isFinite else { continue }
      let pivot = 1 / (weight - factors[index - 1])
      factors[index] = pivot
      controls[index] = ((weight + 2) * place(index) - controls[index - 1]) * pivot
    }
    for index in (1..<last).reversed() where factors[index] > 0 {
      controls[index] -= factors[index] * controls[index + 1]
    }
  }

  /// Whether the curve from a point to the next is near enough to the straight line.
  private func isNear(_ index: Int) -> Bool {
    let (from, to) = (place(index), place(index + 1))
    let way = to - from
    let length = way.length
    let isCorner = isCorner[index] || isCorner[index + 1]
    let reach =
      (isCorner ? 0.5 : 1) * tolerance + (isCorner ? Self.cornerPart : Self.softPart) * length
    let window = window(around: index)
    for part in 1...7 {
      let parameter = window.start + (window.end - window.start) * Double(part) / 8
      let span = min(Int(parameter), window.places.count - 4)
      let u = parameter - Double(span)
      let spline = SplineSpan(
        window.places[span], window.places[span + 1], window.places[span + 2],
        window.places[span + 3])
      let place = spline.location(at: u)
      let offset = SIMD2(place.x, place.y) - from
      let along = min(max((offset * way).sum() / max(length * length, 1e-300), 0), 1)
      // Also false for NaN.
      guard (offset - along * way).length <= reach else { return false }
    }
    return true
  }

  /// The control points that the curve between a point and the next depends on, and its parameters
  /// at both. The span from parameter k to k + 1 has the control points from k on.
  private func window(
    around index: Int
  ) -> (places: [SIMD2<Double>], start: Double, end: Double) {
    var places: [SIMD2<Double>] = []
    if index == 0 {
      places.append(2 * controls[0] - controls[1])
    } else {
      places.append(controls[index - 1])
    }
    let first = multiplicities[index]
    for _ in 0..<first { places.append(controls[index]) }
    let start = Double(first - 1) / 2
    let second = multiplicities[index + 1]
    let end = Double(first) + Double(second - 1) / 2
    for _ in 0..<second { places.append(controls[index + 1]) }
    if index + 2 < points.count {
      places.append(controls[index + 2])
    } else {
      places.append(2 * controls[index + 1] - controls[index])
    }
    return (places, start, end)
  }

  private var result: [PKStrokePoint] {
    var result: [PKStrokePoint] = []
    for (index, point) in points.enumerated() {
      var point = point
      point.location = Point(x: controls[index].x, y: controls[index].y)
      for _ in 0..<multiplicities[index] { result.append(point) }
    }
    return result
  }
}
