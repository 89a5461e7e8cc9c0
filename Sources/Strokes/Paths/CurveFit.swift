import Graphics

/// Finds paths whose curves pass where a pen was.
///
/// The points of a pen lie on its curve, the control points of a path beside it: points that are taken for control
/// points cut every bend. A stroke is divided at its corners. Each piece gets the few spans with which least squares keep
/// the tolerance: they are shorter where the pen turns, and are divided where the curve is still too far away.
public struct CurveFit: Sendable {
  /// The maximum distance of the curve from a point of the pen, in points.
  public let tolerance: Double

  /// A fit with a tolerance, which must be positive.
  public init(tolerance: Double = 0.1) {
    precondition(tolerance > 0, "a curve cannot be nearer than its points")
    self.tolerance = tolerance
  }

  /// The control points of a path through points. The values besides their locations are those of the pen there, and
  /// between control points linear.
  public func controlPoints(through points: [PKStrokePoint]) -> [PKStrokePoint] {
    var kept: [PKStrokePoint] = []
    kept.reserveCapacity(points.count)
    for point in points where kept.last?.location != point.location { kept.append(point) }
    guard kept.count > 2 else { return kept }
    let ends = corners(of: kept)
    var controls: [PKStrokePoint] = []
    for (start, end) in zip(ends, ends.dropFirst()) {
      let piece = FittedPiece(
        kept[start...end], startsStroke: start == 0, endsStroke: end == kept.count - 1)
      // A corner is three control points at one place, which the piece before it has brought.
      controls += piece.controlPoints(tolerance: tolerance).dropFirst(start > 0 ? 3 : 0)
    }
    return controls
  }

  /// The first point, the corners, and the last point.
  private func corners(of points: [PKStrokePoint]) -> [Int] {
    // Steps that are shorter than this say more about the device than about the hand.
    let reach = 10 * tolerance
    var corners = [0]
    var (best, bestCosine) = (0, Self.cornerCosine)
    for index in 1..<points.count - 1 {
      let here = points[index].location
      let before = here - neighbour(of: index, by: -1, reach, in: points)
      let after = neighbour(of: index, by: 1, reach, in: points) - here
      let cosine = before.dot(after) / max(before.length * after.length, 1e-12)
      if cosine < bestCosine {
        (best, bestCosine) = (index, cosine)
      }
      // Of several turns within the reach, the sharpest is the corner.
      if best > 0, here.distance(to: points[best].location) > reach || cosine >= Self.cornerCosine {
        corners.append(best)
        (best, bestCosine) = (0, Self.cornerCosine)
      }
    }
    if best > 0 { corners.append(best) }
    return corners + [points.count - 1]
  }

  /// A turn by more than 60° is a corner.
  private static let cornerCosine = 0.5

  private func neighbour(
    of index: Int, by step: Int, _ reach: Double, in points: [PKStrokePoint]
  ) -> Point {
    var other = index + step
    while points.indices.contains(other + step),
      points[other].location.distance(to: points[index].location) < reach
    {
      other += step
    }
    return points[other].location
  }
}

/// The part of a stroke between two of its corners or ends.
///
/// Its curve has known ends: three control points at a corner, and one at the end of the stroke, beyond which the spline
/// is reflected. The control points between them are found.
private struct FittedPiece {
  private let points: ArraySlice<PKStrokePoint>
  private let startsStroke, endsStroke: Bool
  private let locations: [SIMD2<Double>]
  /// The curve's parameter at each point.
  private var parameters: [Double] = []
  /// The control points that are looked for.
  private var found: [SIMD2<Double>] = []

  init(_ points: ArraySlice<PKStrokePoint>, startsStroke: Bool, endsStroke: Bool) {
    self.points = points
    self.startsStroke = startsStroke
    self.endsStroke = endsStroke
    locations = points.map { SIMD2($0.location.x, $0.location.y) }
  }

  /// The number of control points before those that are looked for, with the reflected one.
  private var leadCount: Int { startsStroke ? 2 : 3 }
  private var spanCount: Int { leadCount + found.count + (endsStroke ? 2 : 3) - 3 }

  func controlPoints(tolerance: Double) -> [PKStrokePoint] {
    var fit = self
    let isFitted = fit.fit(tolerance)
    let inner = isFitted ? fit.found : fit.interpolated()
    let start = [SIMD2<Double>](repeating: locations[0], count: startsStroke ? 1 : 3)
    let end = [SIMD2<Double>](repeating: locations[locations.count - 1], count: endsStroke ? 1 : 3)
    return fit.withValues(start + inner + end, isFitted: isFitted)
  }

  // MARK: - Locations

  /// Finds the control points; false if there would be as many as points.
  private mutating func fit(_ tolerance: Double) -> Bool {
    var densities = spanDensities(tolerance)
    for _ in 0..<16 {
      let count = max(Int(densities.reduce(0, +).rounded(.up)) - 1, 0)
      guard count < max(locations.count - 2, 1) else { return false }
      found = [SIMD2<Double>](repeating: .zero, count: count)
      setParameters(densities)
      if count > 0 {
        for _ in 0..<2 {
          solve()
          moveParametersToNearest()
        }
      }
      if divideSpans(&densities, tolerance) { return true }
    }
    return false
  }

  /// How many spans each step between two points needs.
  private func spanDensities(_ tolerance: Double) -> [Double] {
    // A cubic curve follows a bend of a radius for about this part of the bend's length.
    let reach = 4 * tolerance
    let factor = (1 / (800 * tolerance)).squareRoot().squareRoot()
    var curvatures = [Double](repeating: 0, count: locations.count)
    var (first, last) = (0, 0)
    for index in locations.indices.dropFirst().dropLast() {
      while first + 1 < index, distance(first + 1, index) >= reach { first += 1 }
      last = max(last, index + 1)
      while last + 1 < locations.count, distance(last, index) < reach { last += 1 }
      let (before, after) = (locations[index] - locations[first], locations[last] - locations[index])
      let (cross, dot) = (
        abs(before.x * after.y - before.y * after.x), before.x * after.x + before.y * after.y
      )
      let lengths = length(before) * length(after)
      // Twice the sine of half of the turn, over half of the way.
      let turn = (2 * max(1 - dot / max(lengths, 1e-12), 0)).squareRoot()
      if cross > 0 || dot < 0 { curvatures[index] = 2 * turn / (length(before) + length(after)) }
    }
    return (1..<locations.count).map { index in
      let step = distance(index - 1, index)
      let curvature = max(curvatures[index - 1], curvatures[index])
      return min(step * factor * (curvature * curvature * curvature).squareRoot().squareRoot(), 1)
        + 1e-6 * step
    }
  }

  /// Gives each point a parameter, so that spans lie as their densities say.
  private mutating func setParameters(_ densities: [Double]) {
    let scale = Double(found.count + 1) / densities.reduce(0, +)
    let end = Double(found.count + 1)
    var sum = 0.0
    parameters = [0]
    for density in densities {
      sum += density * scale
      // The spans at a corner are shorter: two of them reach as far as another one.
      var parameter = sum
      if !startsStroke { parameter = sum < 1 ? 2 * sum.squareRoot() : sum + 1 }
      if !endsStroke, found.count > 0, end - sum < 1 {
        let offset = startsStroke ? 0.0 : 1
        parameter = end + 1 + offset - 2 * max(end - sum, 0).squareRoot()
      }
      parameters.append(min(parameter, Double(spanCount)))
    }
    parameters[parameters.count - 1] = Double(spanCount)
  }

  /// The control point at an index of the spline, which begins with those beyond the start.
  private func control(_ index: Int) -> SIMD2<Double> {
    let (first, last) = (locations[0], locations[locations.count - 1])
    let inner = index - leadCount
    if found.indices.contains(inner) { return found[inner] }
    if startsStroke, index == 0 { return 2 * first - (found.first ?? last) }
    if endsStroke, index == spanCount + 2 { return 2 * last - (found.last ?? first) }
    return inner < 0 ? first : last
  }

  private func span(of parameter: Double) -> (index: Int, u: Double) {
    let index = min(max(Int(parameter), 0), spanCount - 1)
    return (index, parameter - Double(index))
  }

  private func curve(_ index: Int) -> SplineSpan {
    SplineSpan(control(index), control(index + 1), control(index + 2), control(index + 3))
  }

  /// Moves the parameter of each point towards the nearest point of the curve.
  private mutating func moveParametersToNearest() {
    for index in locations.indices.dropFirst().dropLast() {
      let (number, u) = span(of: parameters[index])
      let span = curve(number)
      let (place, velocity) = (span.location(at: u), span.velocity(at: u))
      let offset = locations[index] - SIMD2(place.x, place.y)
      let step =
        (offset.x * velocity.x + offset.y * velocity.y) / max(velocity.dot(velocity), 1e-12)
      parameters[index] = min(
        max(parameters[index] + min(max(step, -0.25), 0.25), parameters[index - 1]),
        Double(spanCount))
    }
  }

  /// Finds the control points for the parameters, by least squares.
  private mutating func solve() {
    var system = BandedSystem(count: found.count)
    for index in locations.indices.dropFirst().dropLast() {
      let (number, u) = span(of: parameters[index])
      let v = 1 - u
      var weights = SIMD4(
        v * v * v, (3 * u - 6) * u * u + 4, ((3 - 3 * u) * u + 3) * u + 1, u * u * u) / 6
      add(locations[index], &weights, from: number, to: &system)
    }
    // A faint wish for even curves decides where there are no points.
    for index in 0..<spanCount + 1 {
      var weights = SIMD4(0.05, -0.1, 0.05, 0)
      if index == 0, startsStroke { continue }
      if index == spanCount, endsStroke { continue }
      add(.zero, &weights, from: index, to: &system)
    }
    found = system.solution()
  }

  /// Adds the equation that four neighbouring control points give a value.
  private func add(
    _ value: SIMD2<Double>, _ weights: inout SIMD4<Double>, from start: Int,
    to system: inout BandedSystem
  ) {
    var rest = value
    let (first, last) = (locations[0], locations[locations.count - 1])
    if startsStroke, start == 0 {
      rest -= 2 * weights[0] * first
      weights[2] -= weights[0]
      weights[0] = 0
    }
    if endsStroke, start + 3 == spanCount + 2 {
      rest -= 2 * weights[3] * last
      weights[1] -= weights[3]
      weights[3] = 0
    }
    for lane in 0..<4 {
      let inner = start + lane - leadCount
      if !found.indices.contains(inner) {
        rest -= weights[lane] * (inner < 0 ? first : last)
        weights[lane] = 0
      }
    }
    system.add(weights, rest, at: start - leadCount)
  }

  /// Returns whether the curve is near enough to all points, and else divides the spans where it is not.
  private func divideSpans(_ densities: inout [Double], _ tolerance: Double) -> Bool {
    var far: Set<Int> = []
    for index in locations.indices.dropFirst() {
      let (number, u) = span(of: parameters[index])
      let place = curve(number).location(at: u)
      if length(locations[index] - SIMD2(place.x, place.y)) > tolerance { far.insert(number) }
      // Between two points the curve may bend, but makes no loop.
      let (before, step) = (locations[index - 1], locations[index] - locations[index - 1])
      let middle = (parameters[index - 1] + parameters[index]) / 2
      let (middleNumber, middlePart) = span(of: middle)
      let between = curve(middleNumber).location(at: middlePart)
      let aside = length(SIMD2(between.x, between.y) - before - step / 2)
      if aside > tolerance + length(step) { far.insert(middleNumber) }
    }
    guard !far.isEmpty else { return true }
    for index in densities.indices {
      let middle = (parameters[index] + parameters[index + 1]) / 2
      if far.contains(span(of: middle).index) { densities[index] *= 1.5 }
    }
    let total = densities.reduce(0, +)
    // At least one more.
    let wanted = Double(found.count) + 1.5
    if total < wanted { for index in densities.indices { densities[index] *= wanted / total } }
    return false
  }

  /// The control points of the spline through all points.
  private func interpolated() -> [SIMD2<Double>] {
    PKStrokePath.splineControls(throughKnots: points.map(\.location)).dropFirst().dropLast().map {
      SIMD2($0.x, $0.y)
    }
  }

  // MARK: - Values

  /// Control points with the values that the pen had there.
  private func withValues(
    _ controls: [SIMD2<Double>], isFitted: Bool
  ) -> [PKStrokePoint] {
    let before = startsStroke ? 0 : 1
    var next = 0
    return controls.enumerated().map { number, location in
      var point: PKStrokePoint
      if isFitted {
        let parameter = Double(number - before)
        while next + 2 < parameters.count, parameters[next + 1] < parameter { next += 1 }
        let (start, end) = (parameters[next], parameters[next + 1])
        let part = end > start ? min(max((parameter - start) / (end - start), 0), 1) : 0
        point = points[points.startIndex + next].mixed(
          with: points[points.startIndex + next + 1], part)
      } else {
        let index = min(max(number - (startsStroke ? 0 : 2), 0), points.count - 1)
        point = points[points.startIndex + index]
      }
      point.location = Point(x: location.x, y: location.y)
      return point
    }
  }

  private func distance(_ a: Int, _ b: Int) -> Double { length(locations[a] - locations[b]) }
  private func length(_ vector: SIMD2<Double>) -> Double { (vector * vector).sum().squareRoot() }
}

/// Equations of which each has at most four neighbouring unknowns, solved by least squares.
private struct BandedSystem {
  /// The upper half of the symmetric matrix: of each row the diagonal and the three values after it.
  private var rows: [SIMD4<Double>]
  private var sums: [SIMD2<Double>]

  init(count: Int) {
    rows = Array(repeating: .zero, count: count)
    sums = Array(repeating: .zero, count: count)
  }

  /// Adds an equation for the unknowns from an index on; weights of those that are none must be zero.
  mutating func add(_ weights: SIMD4<Double>, _ value: SIMD2<Double>, at start: Int) {
    for lane in 0..<4 where weights[lane] != 0 {
      let index = start + lane
      var row = SIMD4<Double>.zero
      for other in lane..<4 { row[other - lane] = weights[lane] * weights[other] }
      rows[index] += row
      sums[index] += weights[lane] * value
    }
  }

  /// Solves by elimination, in linear time.
  consuming func solution() -> [SIMD2<Double>] {
    for index in rows.indices {
      let pivot = max(rows[index][0], 1e-12)
      for offset in 1..<4 where index + offset < rows.count {
        let factor = rows[index][offset] / pivot
        for other in offset..<4 { rows[index + offset][other - offset] -= factor * rows[index][other] }
        sums[index + offset] -= factor * sums[index]
      }
    }
    for index in rows.indices.reversed() {
      for offset in 1..<4 where index + offset < rows.count {
        sums[index] -= rows[index][offset] * sums[index + offset]
      }
      sums[index] /= max(rows[index][0], 1e-12)
    }
    return sums
  }
}

extension PKStrokePoint {
  /// A point between two, which has the location of this one.
  func mixed(with other: PKStrokePoint, _ part: Double) -> PKStrokePoint {
    func mix(_ a: Double, _ b: Double) -> Double { a + (b - a) * part }
    var result = self
    result.timeOffset = mix(timeOffset, other.timeOffset)
    result.size = Size(
      width: mix(size.width, other.size.width), height: mix(size.height, other.size.height))
    result.opacity = mix(opacity, other.opacity)
    result.force = mix(force, other.force)
    // By the shorter way around.
    let turn = (other.azimuth - azimuth).remainder(dividingBy: 2 * .pi)
    result.azimuth = azimuth + turn * part
    result.altitude = mix(altitude, other.altitude)
    result.secondaryScale = mix(secondaryScale, other.secondaryScale)
    result.threshold = mix(threshold, other.threshold)
    result.lateralJitter = mix(lateralJitter, other.lateralJitter)
    result.edgeWidth = mix(edgeWidth, other.edgeWidth)
    return result
  }
}
