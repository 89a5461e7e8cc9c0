import Graphics

/// The curve that Catmull and Rom described: it passes through its points at whole parameters, the
/// first and the last point excepted, which only give directions.
package struct CatmullRomCurve {
  private let points: [PKStrokePoint]
  /// The parameters at which the curve begins and ends; the second point has 0.
  private let start, end: Double

  /// A curve through points.
  /// - Parameters:
  ///   - start: where in the first span the curve begins, 0…1.
  ///   - end: where in the last span it ends, 0…1.
  package init(_ points: [PKStrokePoint], from start: Double, to end: Double) {
    self.points = points
    // With this order of arguments, NaN becomes 0.
    self.start = min(max(0, start), 1)
    self.end = Double(max(points.count - 4, 0)) + min(max(0, end), 1)
  }

  /// The maximum factor by which knots are made denser. The number of knots is also limited by the
  /// file's size.
  private static let densityLimit = 8
  private static let samplesPerSpan = 6
  private static let fitLimit = 100_000
  private static let knotLimit = 100_000

  /// The control points of a spline through evenly spaced points of the curve. They are made denser
  /// until the spline keeps the tolerance, in points; at cusps of the curve it may not. Of
  /// hand-drawn strokes, four of five keep 0.1 point with one control point for each of the curve.
  /// For the others, a fit of many points of the curve mostly needs fewer, since only a part of a
  /// stroke has to be denser.
  package func controlPoints(tolerance: Double) -> [PKStrokePoint] {
    // A tap leaves a curve without spans.
    guard points.count >= 4 else { return points }
    guard start < end else { return [point(at: start)] }
    let spans = max(Int(clamping: (end - start).rounded(.up)), 1)
    var density = 1
    while true {
      let count = spans * density
      var knots = (0...count).map { point(at: parameter($0, of: count)) }
      let controls = PKStrokePath.splineControls(throughKnots: knots.map { $0.location })
      if density < Self.densityLimit, 2 * count <= Self.knotLimit,
        !keeps(tolerance, controls, count)
      {
        density *= 2
        continue
      }
      if density > 1, count <= Self.fitLimit {
        let samples = (0...Self.samplesPerSpan * spans).map {
          point(at: parameter($0, of: Self.samplesPerSpan * spans))
        }
        let fitted = CurveFit(tolerance: tolerance).controlPoints(through: samples)
        if fitted.count < knots.count { return fitted }
      }
      for index in knots.indices { knots[index].location = controls[index] }
      return knots
    }
  }

  private func parameter(_ index: Double, of count: Int) -> Double {
    start + (end - start) * index / Double(count)
  }

  private func parameter(_ index: Int, of count: Int) -> Double {
    parameter(Double(index), of: count)
  }

  /// The parameters between two knots at which spline and curve are compared. A single one in the
  /// middle would miss an S that crosses there.
  private static let probes = [0.25, 0.5, 0.75]

  /// Whether a spline is near enough to the curve.
  private func keeps(_ tolerance: Double, _ controls: [Point], _ count: Int) -> Bool {
    let path = controls.map { SIMD2($0.x, $0.y) }
    for index in 0..<count {
      let (b, c) = (path[index], path[index + 1])
      let a = index > 0 ? path[index - 1] : 2 * b - c
      let d = index + 2 < path.count ? path[index + 2] : 2 * c - b
      let span = SplineSpan(a, b, c, d)
      for probe in Self.probes {
        let expected = values(at: parameter(Double(index) + probe, of: count))
        let found = span.location(at: probe)
        guard found.distance(to: Point(x: expected.x, y: expected.y)) <= tolerance else {
          return false
        }
      }
    }
    return true
  }

  /// The span with a parameter, and the part of the span before it.
  private func span(_ parameter: Double) -> (index: Int, u: Double) {
    let index = min(max(Int(parameter), 0), points.count - 4)
    return (index, parameter - Double(index))
  }

  /// The location and the size at a parameter.
  private func values(at parameter: Double) -> SIMD4<Double> {
    func vector(_ point: PKStrokePoint) -> SIMD4<Double> {
      SIMD4(point.location.x, point.location.y, point.size.width, point.size.height)
    }
    let (index, u) = span(parameter)
    let (a, b) = (vector(points[index]), vector(points[index + 1]))
    let (c, d) = (vector(points[index + 2]), vector(points[index + 3]))
    let c1 = (c - a) / 2
    let c2 = a - 2.5 * b + 2 * c - d / 2
    let c3 = (d - a) / 2 + 1.5 * (b - c)
    return ((c3 * u + c2) * u + c1) * u + b
  }

  /// The point at a parameter; values besides location and size are linear between points.
  private func point(at parameter: Double) -> PKStrokePoint {
    let (index, u) = span(parameter)
    let (from, to) = (points[index + 1], points[index + 2])
    var point = u == 0 ? from : u == 1 ? to : from.mixed(with: to, u)
    let values = values(at: parameter)
    point.location = Point(x: values.x, y: values.y)
    point.size = Size(width: max(values.z, 0), height: max(values.w, 0))
    return point
  }
}
