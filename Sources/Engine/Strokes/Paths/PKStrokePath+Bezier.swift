public import Graphics

extension PKStrokePath {
  /// The curve as cubic Bézier curves, one for each span, with exactly the same points. A dot gives
  /// a single `move`, an empty path nothing.
  public var bezierRepresentation: Path {
    var result = Path()
    guard count > 0 else { return result }
    result.move(to: interpolatedLocation(at: 0))
    guard count > 1 else { return result }
    for index in 0..<count - 1 {
      let (from, to) = (controlLocation(index), controlLocation(index + 1))
      let (control1, control2) = ((2 * from + to) / 3, (from + 2 * to) / 3)
      let end = (from + 4 * to + controlLocation(index + 2)) / 6
      result.addCubic(
        to: Point(x: end.x, y: end.y), control1: Point(x: control1.x, y: control1.y),
        control2: Point(x: control2.x, y: control2.y))
    }
    return result
  }

  /// A path along the first contour of a Bézier path.
  ///
  /// The result of `bezierRepresentation` is converted back exactly. Any other curve is
  /// approximated by a spline that passes through points on it. The spline keeps the tolerance
  /// where the curve is smooth, and rounds its corners. It has no curvature at both ends. Time is
  /// linear in the result.
  /// - Parameters:
  ///   - bezierPath: the curve; an empty one gives an empty path.
  ///   - creationDate: when the path began.
  ///   - tolerance: the maximum distance of the spline from a smooth curve, in points.
  ///   - pointProvider: returns a control point for its position along the path (0…1) and its
  ///     location. The location that it returns is ignored.
  public init(
    bezierPath: Path, creationDate: Timestamp = .referenceDate, tolerance: Double = 0.01,
    pointProvider: (_ fraction: Double, _ location: Point) -> PKStrokePoint
  ) {
    let controls = Self.splineControls(along: bezierPath, tolerance: tolerance)
    let last = Double(Swift.max(controls.count - 1, 1))
    self.init(
      controlPoints: controls.enumerated().map { index, control in
        var point = pointProvider(Double(index) / last, control.location)
        point.location = control.location
        return point
      }, creationDate: creationDate)
  }

  /// The control points of a spline along the first contour of a Bézier path, each with the index
  /// of the curve at whose start, inside or at whose end it lies.
  package static func splineControls(
    along bezierPath: Path, tolerance: Double = 0.01
  ) -> [(location: Point, curve: Int)] {
    guard let curves = bezierPath.contours.first else {
      if case .move(let dot)? = bezierPath.elements.first { return [(dot, 0)] }
      return []
    }
    if let exact = splineControls(of: curves) {
      return exact.enumerated().map { ($1, Swift.min($0, curves.count - 1)) }
    }
    return splineControls(through: curves, tolerance: tolerance)
  }

  /// The control points that the curves represent exactly; nil if there are none.
  private static func splineControls(of curves: [CubicCurve]) -> [Point]? {
    let scale = curves.reduce(1.0) { Swift.max($0, $1.start.length, $1.end.length) }
    func same(_ a: Point, _ b: Point) -> Bool { a.distance(to: b) <= 1e-9 * scale }
    var controls: [Point] = []
    for curve in curves {
      let from = curve.control1 * 2 - curve.control2
      if let expected = controls.last, !same(expected, from) { return nil }
      if controls.isEmpty {
        guard same(from, curve.start) else { return nil }
        controls.append(from)
      }
      controls.append(curve.control2 * 2 - curve.control1)
    }
    guard let last = controls.last, let end = curves.last?.end, same(last, end) else { return nil }
    for (index, curve) in curves.enumerated().dropLast() {
      let knot = (controls[index] + controls[index + 1] * 4 + controls[index + 2]) / 6
      guard same(knot, curve.end) else { return nil }
    }
    return controls
  }

  /// The parameters between two knots at which a spline is compared with its curve.
  private static let probeParameters = [0.25, 0.5, 0.75]

  /// The control points of a spline through evenly spaced points of every curve. The spacing is
  /// halved until the spline keeps the tolerance, up to five times: corners may keep it from doing
  /// so.
  private static func splineControls(
    through curves: [CubicCurve], tolerance: Double
  ) -> [(location: Point, curve: Int)] {
    var controls: [Point] = []
    var owners: [Int] = []
    for density in 0..<6 {
      let pieces = curves.map {
        Swift.max(
          1, Swift.min($0.pieceCount(tolerance: Swift.max(tolerance, 1e-6) * 16) << density, 1024))
      }
      var knots = curves.first.map { [$0.start] } ?? []
      owners = [0]
      // Points between the knots. A single one in the middle would miss an S that crosses there.
      var probes: [[Point]] = []
      for (index, (curve, count)) in zip(curves, pieces).enumerated() {
        for piece in 0..<count {
          // A knot where two curves meet starts the second.
          owners.append(piece + 1 == count ? Swift.min(index + 1, curves.count - 1) : index)
          probes.append(
            Self.probeParameters.map { curve.point(at: (Double(piece) + $0) / Double(count)) })
          knots.append(
            piece + 1 == count ? curve.end : curve.point(at: Double(piece + 1) / Double(count)))
        }
      }
      controls = splineControls(throughKnots: knots)
      let path = controls.map { SIMD2($0.x, $0.y) }
      var error = 0.0
      for (index, points) in probes.enumerated() {
        let (b, c) = (path[index], path[index + 1])
        let a = index > 0 ? path[index - 1] : 2 * b - c
        let d = index + 2 < path.count ? path[index + 2] : 2 * c - b
        let span = SplineSpan(a, b, c, d)
        for (u, point) in zip(Self.probeParameters, points) {
          error = Swift.max(error, span.location(at: u).distance(to: point))
        }
      }
      if error <= tolerance { break }
    }
    return zip(controls, owners).map { ($0, $1) }
  }

  /// Solves `P[i−1] + 4·P[i] + P[i+1] = 6·Q[i]` with both ends given, by elimination from the
  /// front. This takes linear time, and is stable because the matrix is diagonally dominant.
  package static func splineControls(throughKnots knots: [Point]) -> [Point] {
    guard knots.count > 2 else { return knots }
    var controls = knots
    var factors = [Double](repeating: 0, count: knots.count)
    for index in 1..<knots.count - 1 {
      let pivot = 4 - factors[index - 1]
      factors[index] = 1 / pivot
      controls[index] = (knots[index] * 6 - controls[index - 1]) / pivot
    }
    for index in stride(from: knots.count - 2, to: 0, by: -1) {
      controls[index] -= controls[index + 1] * factors[index]
    }
    return controls
  }
}
