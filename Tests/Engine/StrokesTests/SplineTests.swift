import Glibc
import Graphics
import TestSupport
import Testing

@testable import Strokes

/// De Boor's algorithm for a cubic B-spline with integer knots, which does not use the polynomial
/// under test.
private func deBoor(_ controls: [Point], at parameter: Double) -> Point {
  let extended =
    [controls[0] * 2 - controls[1]] + controls
    + [controls[controls.count - 1] * 2 - controls[controls.count - 2]]
  let span = min(Int(parameter), controls.count - 2)
  // Control point j of the four has the knots j − 2 … j + 2 around it, counted from the span.
  var points = Array(extended[span..<span + 4])
  let u = parameter - Double(span)
  for level in 1...3 {
    for index in stride(from: 3, through: level, by: -1) {
      let start = Double(index - 3)
      let fraction = (u - start) / Double(4 - level)
      points[index] = points[index - 1].interpolated(to: points[index], at: fraction)
    }
  }
  return points[3]
}

private func locations(_ path: PKStrokePath) -> [Point] { path.map(\.location) }

/// The first and second derivative by the polynomial of a span.
private func derivatives(
  _ path: PKStrokePath, span: Int, at u: Double
) -> (first: SIMD2<Double>, second: SIMD2<Double>) {
  let span = path.span(span)
  return ((3 * span.c3 * u + 2 * span.c2) * u + span.c1, 6 * span.c3 * u + 2 * span.c2)
}

private func distance(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double {
  ((a - b) * (a - b)).sum().squareRoot()
}

@Suite struct `The spline` {
  @Test func `a path begins and ends at its first and last control points`() throws {
    var random = RandomInk(seed: 1)
    for _ in 0..<50 {
      let path = random.path(pointCount: 1...12)
      let (first, last) = try (#require(path.first), #require(path.last))
      expectClose(path.interpolatedLocation(at: 0), first.location)
      expectClose(
        path.interpolatedLocation(at: path.parameterRange.upperBound), last.location)
    }
  }

  @Test func `the spline's end points are reflected, not repeated`() {
    let path = path([(0, 0), (60, 0), (120, 60)])
    // If the end were repeated, the curve would start at (5·P0 + P1) / 6.
    #expect(path.interpolatedLocation(at: 0) == .zero)
    #expect(path.interpolatedLocation(at: 0).distance(to: Point(x: 10, y: 0)) == 10)
    expectClose(path.interpolatedLocation(at: 2), Point(x: 120, y: 60))
  }

  @Test func `de Boor's algorithm gives the same points as the spline`() {
    var random = RandomInk(seed: 2)
    for _ in 0..<30 {
      let path = random.path(pointCount: 2...20)
      let controls = locations(path)
      for _ in 0..<20 {
        let parameter = random.number(path.parameterRange)
        expectClose(path.interpolatedLocation(at: parameter), deBoor(controls, at: parameter))
      }
    }
  }

  @Test
  func `the curve at a control point is one sixth, four sixths and one sixth of three points`() {
    let controls = locations(wandering)
    for index in 1..<controls.count - 1 {
      expectClose(
        wandering.interpolatedLocation(at: Double(index)),
        (controls[index - 1] + controls[index] * 4 + controls[index + 1]) / 6)
    }
  }

  @Test func `moving all control points moves the spline, and equal ones make a point`() {
    let shift = Point(x: 512, y: -96)
    let moved = PKStrokePath(
      controlPoints: wandering.map { point in
        var point = point
        point.location += shift
        return point
      })
    let standing = path(Array(repeating: (7, 11), count: 6))
    for step in 0...230 {
      let parameter = Double(step) / 10
      expectClose(
        moved.interpolatedLocation(at: parameter),
        wandering.interpolatedLocation(at: parameter) + shift)
      expectClose(standing.interpolatedLocation(at: parameter / 46), Point(x: 7, y: 11))
    }
  }

  @Test func `evenly spaced points of a straight line give a straight line of constant speed`() {
    let path = path((0..<9).map { (12 * Double($0), 5 - 3 * Double($0)) })
    for step in 0...160 {
      let t = Double(step) / 20
      expectClose(path.interpolatedLocation(at: t), Point(x: 12 * t, y: 5 - 3 * t))
    }
  }

  @Test func `location, velocity and second derivative are continuous across knots`() {
    for knot in 1..<wandering.count - 1 {
      let (before, after) = (wandering.span(knot - 1), wandering.span(knot))
      expectClose(before.location(at: 1), after.location(at: 0))
      let (end, start) = (
        derivatives(wandering, span: knot - 1, at: 1), derivatives(wandering, span: knot, at: 0)
      )
      #expect(distance(end.first, start.first) < 1e-9)
      #expect(distance(end.second, start.second) < 1e-9)
    }
  }

  @Test func `the velocity is the derivative of the location`() {
    let span = wandering.span(5)
    for step in 1..<10 {
      let u = Double(step) / 10
      let slope = (span.location(at: u + 1e-5) - span.location(at: u - 1e-5)) / 2e-5
      expectClose(span.velocity(at: u), slope, within: 1e-6)
    }
  }

  @Test func `the spline has no curvature at its ends`() {
    let last = wandering.count - 2
    #expect(distance(derivatives(wandering, span: 0, at: 0).second, .zero) < 1e-9)
    #expect(distance(derivatives(wandering, span: last, at: 1).second, .zero) < 1e-9)
    // Just after its ends the curve has curvature.
    #expect(distance(derivatives(wandering, span: 0, at: 0.5).second, .zero) > 1)
  }

  @Test func `cutting every span in half does not change the spline`() {
    let controls = locations(wandering)
    func control(_ index: Int) -> Point {
      if index < 0 { return controls[0] * 2 - controls[1] }
      if index >= controls.count {
        return controls[controls.count - 1] * 2 - controls[controls.count - 2]
      }
      return controls[index]
    }
    // Lane and Riesenfeld's rule: weights of 1-6-1 eighths on the control points, means between
    // them.
    let refined = PKStrokePath(
      controlPoints: (0..<2 * controls.count - 1).map { index in
        let i = index / 2
        let location =
          index.isMultiple(of: 2)
          ? (control(i - 1) + control(i) * 6 + control(i + 1)) / 8
          : (control(i) + control(i + 1)) / 2
        return touch(location.x, location.y)
      })
    for step in 0...460 {
      let t = Double(step) / 20
      // The refined points are rounded to 32-bit floats.
      expectClose(
        refined.interpolatedLocation(at: 2 * t), wandering.interpolatedLocation(at: t),
        within: 3e-5)
    }
  }

  @Test func `two control points give a straight line of constant speed`() {
    let path = path([(10, 20), (40, 80)])
    for step in 0...10 {
      let u = Double(step) / 10
      expectClose(path.interpolatedLocation(at: u), Point(x: 10 + 30 * u, y: 20 + 60 * u))
    }
    expectClose(path.length(), Point(x: 30, y: 60).length)
  }

  @Test func `a dot has one point, no length and no duration`() {
    let dot = path([(3, 4)])
    #expect(dot.parameterRange == 0...0)
    #expect(dot.duration == 0)
    #expect(dot.length() == 0)
    for parameter in [-1, 0, 0.5, 7] {
      #expect(dot.interpolatedLocation(at: parameter) == Point(x: 3, y: 4))
      #expect(dot.interpolatedPoint(at: parameter) == dot[0])
    }
  }

  @Test func `an empty path has a range and a length of 0`() {
    let path = PKStrokePath()
    #expect(path.isEmpty)
    #expect(path.parameterRange == 0...0)
    #expect(path.duration == 0)
    #expect(path.length() == 0)
  }

  @Test func `parameters beyond a path give its ends`() {
    for parameter in [-1, -0.001, -Double.infinity, .nan] {
      #expect(wandering.interpolatedPoint(at: parameter) == wandering.interpolatedPoint(at: 0))
    }
    for parameter in [23.001, 1e300, Double.infinity] {
      #expect(wandering.interpolatedPoint(at: parameter) == wandering.interpolatedPoint(at: 23))
    }
  }
}

@Suite struct `Between control points` {
  @Test func `all channels except the location are interpolated linearly`() {
    var first = touch(0, 0, time: 1, size: 4)
    first.edgeWidth = 2
    let second = PKStrokePoint(
      location: Point(x: 9, y: 9), timeOffset: 3, size: Size(width: 8, height: 2), opacity: 0.5,
      force: 3, azimuth: 1, altitude: 0.5, secondaryScale: 2, threshold: 0.5, lateralJitter: 3)
    let path = PKStrokePath(controlPoints: [first, second])
    let (a, b) = (path[0], path[1])
    let middle = path.interpolatedPoint(at: 0.25)
    func mix(_ value: KeyPath<PKStrokePoint, Double>) -> Double {
      a[keyPath: value] * 0.75 + b[keyPath: value] * 0.25
    }
    let channels: [KeyPath<PKStrokePoint, Double>] = [
      \.timeOffset, \.size.width, \.size.height, \.opacity, \.force, \.azimuth, \.altitude,
      \.secondaryScale, \.threshold, \.lateralJitter, \.edgeWidth,
    ]
    for channel in channels {
      #expect(a[keyPath: channel] != b[keyPath: channel])
      expectClose(middle[keyPath: channel], mix(channel), within: 1e-12)
    }
  }

  @Test(arguments: [(3.0, -3.0), (-3.0, 3.0), (2.0, -2.0), (0.5, 1.5), (-1.0, 1.0)])
  func `the azimuth takes the shorter way around`(from: Double, to: Double) {
    let path = PKStrokePath(
      controlPoints: [touch(0, 0, azimuth: from), touch(9, 0, azimuth: to)])
    let way = remainder(to - from, 2 * .pi)
    for u in [0.25, 0.5, 0.75] {
      let azimuth = path.interpolatedPoint(at: u).azimuth
      expectClose(remainder(azimuth - from - way * u, 2 * .pi), 0, within: 1e-4)
    }
  }
}
