import Glibc
import Graphics
import TestSupport
import Testing

@testable import Strokes

private func pen(_ fraction: Double, _ location: Point) -> PKStrokePoint {
  touch(0, 0, time: fraction)
}

/// The maximum distance of points of the curves from the nearest chord of the path.
private func greatestGap(_ path: PKStrokePath, from curves: [CubicCurve]) -> Double {
  let steps = 8 * Swift.max(path.count - 1, 1)
  let chain = (0...steps).map { path.interpolatedLocation(at: Double($0) / 8) }
  return curves.flatMap { curve in (0...24).map { curve.point(at: Double($0) / 24) } }
    .reduce(0) { gap, point in
      max(gap, zip(chain, chain.dropFirst()).map { distance(point, from: $0, to: $1) }.min() ?? 0)
    }
}

private func distance(_ point: Point, from a: Point, to b: Point) -> Double {
  let way = b - a
  let along = way.dot(way) > 0 ? min(max((point - a).dot(way) / way.dot(way), 0), 1) : 0
  return point.distance(to: a + way * along)
}

@Suite struct `A path as Bézier curves` {
  @Test func `the Bézier curves of a path have exactly its points`() throws {
    var random = RandomInk(seed: 7)
    for _ in 0..<30 {
      let path = random.path(pointCount: 2...20)
      let curves = try #require(path.bezierRepresentation.contours.first)
      #expect(curves.count == path.count - 1)
      for (index, curve) in curves.enumerated() {
        for step in 0...8 {
          let u = Double(step) / 8
          expectClose(curve.point(at: u), path.interpolatedLocation(at: Double(index) + u))
        }
      }
    }
  }

  @Test func `the Bézier form of a dot is a single move, of an empty path nothing`() {
    #expect(path([(3, 4)]).bezierRepresentation.elements == [.move(to: Point(x: 3, y: 4))])
    #expect(PKStrokePath().bezierRepresentation.isEmpty)
  }
}

@Suite struct `A path from Bézier curves` {
  @Test func `the curves of a path are converted back exactly`() {
    var random = RandomInk(seed: 8)
    for _ in 0..<50 {
      let path = random.path(pointCount: 0...30)
      let back = PKStrokePath(bezierPath: path.bezierRepresentation, pointProvider: pen)
      #expect(back.map(\.location) == path.map(\.location))
    }
  }

  @Test func `an empty Bézier path makes an empty stroke path, and a dot makes a dot`() {
    #expect(PKStrokePath(bezierPath: Path(), pointProvider: pen).isEmpty)
    var dot = Path()
    dot.move(to: Point(x: 5, y: 6))
    let path = PKStrokePath(bezierPath: dot, pointProvider: pen)
    #expect(path.map(\.location) == [Point(x: 5, y: 6)])
  }

  @Test func `a straight Bézier path needs two control points`() {
    var straight = Path()
    straight.move(to: Point(x: 10, y: 20))
    straight.addLine(to: Point(x: 300, y: -40))
    let path = PKStrokePath(bezierPath: straight, pointProvider: pen)
    #expect(path.map(\.location) == [Point(x: 10, y: 20), Point(x: 300, y: -40)])
  }

  @Test func `the provider is called for every control point, and only its location is ignored`() {
    var heard: [(Double, Point)] = []
    let date = Timestamp(secondsSinceReferenceDate: 42)
    let path = PKStrokePath(bezierPath: wandering.bezierRepresentation, creationDate: date) {
      heard.append(($0, $1))
      return touch(-1, -1, time: 2 * $0, size: 7)
    }
    #expect(heard.map(\.0) == (0..<24).map { Double($0) / 23 })
    #expect(path.map(\.location) == wandering.map(\.location))
    for (fraction, location) in heard {
      let point = path[Int((fraction * 23).rounded())]
      expectClose(point.location, location, within: 1e-4)
      expectClose(point.timeOffset, 2 * fraction, within: 1e-6)
      expectClose(point.size.width, 7)
    }
    #expect(path.creationDate == date)
  }

  @Test(arguments: [1, 0.1, 0.01])
  func `a smooth curve is approximated within the tolerance`(tolerance: Double) throws {
    for radius in [0.5, 20, 200] {
      let circle = Path(
        ellipseIn: Rect(x: -radius, y: -radius, width: 2 * radius, height: 2 * radius))
      let curves = try #require(circle.contours.first)
      let path = PKStrokePath(
        bezierPath: circle, tolerance: tolerance, pointProvider: pen)
      // Control points are rounded to 32-bit floats.
      #expect(greatestGap(path, from: curves) <= tolerance + 1e-4)
    }
  }

  @Test(arguments: [1, 0.1, 0.01])
  func `a wave whose middle lies on its chord is approximated within the tolerance, too`(
    tolerance: Double
  ) {
    func check(_ height: Double) {
      var wave = Path()
      wave.move(to: .zero)
      wave.addCubic(
        to: Point(x: 90, y: 0), control1: Point(x: 30, y: height),
        control2: Point(x: 60, y: -height))
      let path = PKStrokePath(bezierPath: wave, tolerance: tolerance, pointProvider: pen)
      let gap = greatestGap(path, from: wave.contours[0])
      #expect(gap <= tolerance + 1e-4, "height \(height)")
    }
    for height in [2.0, 30, 100] { check(height) }
    check(7 * tolerance)
  }

  @Test func `a smaller tolerance needs more control points`() {
    let circle = Path(ellipseIn: Rect(x: 0, y: 0, width: 100, height: 100))
    let counts = [1.0, 0.01, 0.0001].map {
      PKStrokePath(bezierPath: circle, tolerance: $0, pointProvider: pen).count
    }
    #expect(counts[0] < counts[1])
    #expect(counts[1] < counts[2])
    #expect(counts[2] < 2000)
  }

  @Test func `a converted path has the curve's ends and no curvature there`() throws {
    var curve = Path()
    curve.move(to: Point(x: 1, y: 2))
    curve.addCubic(
      to: Point(x: 200, y: 100), control1: Point(x: 100, y: -80), control2: Point(x: 40, y: 200))
    let path = PKStrokePath(bezierPath: curve, pointProvider: pen)
    expectClose(path.interpolatedLocation(at: 0), Point(x: 1, y: 2))
    expectClose(path.interpolatedLocation(at: 1e9), Point(x: 200, y: 100))
    #expect((2 * path.span(0).c2).x.magnitude < 1e-9)
    let last = path.span(path.count - 2)
    #expect((2 * last.c2 + 6 * last.c3).x.magnitude < 1e-9)
  }

  @Test func `converting a Bézier path rounds corners and loses no part`() throws {
    let square = Path(Rect(x: 0, y: 0, width: 100, height: 100))
    let path = PKStrokePath(bezierPath: square, pointProvider: pen)
    #expect(greatestGap(path, from: try #require(square.contours.first)) < 2)
    #expect(path.interpolatedLocation(at: 0) == .zero)
    #expect(path.interpolatedLocation(at: 1e9) == .zero)
  }

  @Test func `only the first contour of a Bézier path is converted`() {
    var path = Path(Rect(x: 0, y: 0, width: 10, height: 10))
    path.append(Path(Rect(x: 500, y: 500, width: 10, height: 10)))
    #expect(
      PKStrokePath(bezierPath: path, pointProvider: pen).allSatisfy { $0.location.x < 100 })
  }
}
