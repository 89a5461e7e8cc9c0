import Graphics
import Strokes
import Testing

struct CatmullRomTests {
  private static func points(_ places: [(x: Double, y: Double)], width: Double = 2)
    -> [PKStrokePoint]
  {
    places.enumerated().map { index, place in
      PKStrokePoint(
        location: Point(x: place.x, y: place.y), timeOffset: Double(index),
        size: Size(width: width, height: width), opacity: 1, force: 1, azimuth: 0, altitude: 1)
    }
  }

  /// The curve by definition: a blend of lines through neighbouring points.
  private static func location(_ points: [PKStrokePoint], _ t: Double) -> Point {
    let span = min(Int(t), points.count - 4)
    let u = t - Double(span)
    let p = points[span...span + 3].map(\.location)
    func line(_ a: Point, _ b: Point, from start: Double) -> Point { a + (b - a) * (u - start) }
    let (l0, l1, l2) = (
      line(p[0], p[1], from: -1), line(p[1], p[2], from: 0), line(p[2], p[3], from: 1)
    )
    let q0 = l0 * ((1 - u) / 2) + l1 * ((u + 1) / 2)
    let q1 = l1 * ((2 - u) / 2) + l2 * (u / 2)
    return q0 * (1 - u) + q1 * u
  }

  private static let bends = points([
    (0, 0), (0, 0), (3, 2), (5, 7), (9, 8), (10, 3), (14, 1), (20, 6), (20, 6),
  ])

  @Test func `control points follow a Catmull-Rom curve within the tolerance`() {
    for tolerance in [0.5, 0.1, 0.05] {
      let controls = CatmullRomCurve(Self.bends, from: 0, to: 1).controlPoints(tolerance: tolerance)
      let path = PKStrokePath(controlPoints: controls)
      let spans = Double(Self.bends.count - 3)
      let curve = (0...2_000).map { Self.location(Self.bends, Double($0) / 2_000 * spans) }
      for step in 0...600 {
        let place = path.interpolatedLocation(at: Double(step) / 600 * Double(path.count - 1))
        let distance = curve.reduce(.infinity) { min($0, $1.distance(to: place)) }
        #expect(distance <= tolerance * 1.2)
      }
    }
  }

  @Test func `evenly spaced points need one control point each`() {
    let points = Self.points((0..<20).map { (Double($0) * 3, 0) })
    let controls = CatmullRomCurve(points, from: 0, to: 1).controlPoints(tolerance: 0.1)
    #expect(controls.count == 18)
    #expect(controls.map(\.timeOffset) == (1...18).map(Double.init))
  }

  @Test func `widths follow the Catmull-Rom curve like locations`() {
    var points = Self.points((0..<6).map { (Double($0), 0) })
    for (index, width) in [1, 1, 2, 8, 8, 0.0].enumerated() {
      points[index].size = Size(width: width, height: width)
    }
    let controls = CatmullRomCurve(points, from: 0.5, to: 0.5).controlPoints(tolerance: 0.1)
    // From 0.5 to 2.5 in two steps.
    #expect(controls.map(\.location.x).map { ($0 * 1e9).rounded() / 1e9 } == [1.5, 2.5, 3.5])
    #expect(controls.map(\.size.width) == [1.125, 5.0625, 8.875])
    #expect(controls.map(\.timeOffset) == [1.5, 2.5, 3.5])
  }

  @Test func `a Catmull-Rom curve without length becomes a dot`() {
    let points = Self.points([(0, 0), (1, 0), (2, 0), (3, 0)])
    for (start, end) in [(1.0, 1.0), (0.75, 0.25), (.infinity, 1), (2, -1)] {
      let controls = CatmullRomCurve(points, from: start, to: end).controlPoints(tolerance: 0.1)
      #expect(controls.count == 1)
      #expect((controls.first?.location.x ?? 0) == 1 + min(start, 1))
    }
    #expect(CatmullRomCurve(points, from: .nan, to: .nan).controlPoints(tolerance: 0.1).count == 1)
  }

  @Test func `up to three points become control points unchanged`() {
    for count in 0...3 {
      let points = Self.points((0..<count).map { (Double($0), 0) })
      #expect(CatmullRomCurve(points, from: 0, to: 1).controlPoints(tolerance: 0.1) == points)
    }
  }

  @Test func `a curve with wild turns takes at most 8 control points for each span`() {
    let points = Self.points((0..<2_000).map { ($0 % 2 == 0 ? 0 : 1e6, Double($0)) })
    let controls = CatmullRomCurve(points, from: 0, to: 1).controlPoints(tolerance: 0.01)
    #expect(controls.count <= 8 * 1_997 + 1)
  }
}
