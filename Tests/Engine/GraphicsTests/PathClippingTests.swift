import Testing

@testable import Graphics

@Suite struct PathClippingTests {
  @Test func `points inside of the rectangle keep their winding, and nothing lies outside`() {
    var state: UInt64 = 7
    func random(_ range: ClosedRange<Double>) -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return range.lowerBound + (range.upperBound - range.lowerBound) * Double(state >> 40) / 0x1p24
    }
    let rect = Rect(x: -20, y: -10, width: 50, height: 30)
    for _ in 0..<200 {
      let polygons = (0..<3).map { _ in
        (0..<12).map { _ in Point(x: random(-100...100), y: random(-100...100)) }
      }
      let clipped = Path(polygons: polygons).clipped(to: rect)
      #expect(rect.grown(by: 1e-9).contains(clipped.controlBounds) || clipped.isEmpty)
      for _ in 0..<50 {
        let point = Point(x: random(-19...29), y: random(-9...19))
        let expected = polygons.reduce(0) { $0 + $1.winding(around: point) }
        let winding = clipped.flattened().reduce(0) { $0 + $1.winding(around: point) }
        #expect(winding == expected)
      }
    }
  }

  @Test func `a path inside of the rectangle stays, and one outside of it vanishes`() {
    let square = Path(Rect(x: 0, y: 0, width: 10, height: 10))
    #expect(square.clipped(to: Rect(x: -1, y: -1, width: 20, height: 20)).signedArea == 100)
    #expect(square.clipped(to: Rect(x: 20, y: 0, width: 5, height: 5)).isEmpty)
    #expect(square.clipped(to: Rect(x: 5, y: 5, width: 50, height: 50)).signedArea == 25)
  }

  @Test(arguments: [Double.nan, .infinity])
  func `a path that is not finite has no inside`(value: Double) {
    let path = Path(polygon: [.zero, Point(x: value, y: 0), Point(x: 0, y: 1)])
    #expect(path.clipped(to: Rect(x: 0, y: 0, width: 1, height: 1)).isEmpty)
  }

  @Test func `a path that is simplified outside of a rectangle combines inside as before`() {
    var state: UInt64 = 9
    func random(_ range: ClosedRange<Double>) -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return range.lowerBound + (range.upperBound - range.lowerBound) * Double(state >> 40) / 0x1p24
    }
    func point() -> Point { Point(x: random(-300...300), y: random(-300...300)) }
    var count = 0
    for round in 0..<200 {
      var path = Path(fillRule: round % 2 == 0 ? .nonZero : .evenOdd)
      for _ in 0..<3 {
        path.move(to: point())
        for step in 0..<12 {
          switch step % 3 {
          case 0: path.addLine(to: point())
          case 1: path.addQuadratic(to: point(), control: point())
          default: path.addCubic(to: point(), control1: point(), control2: point())
          }
        }
        if round % 3 == 0 { path.close() }
      }
      let inside = Path(
        ellipseIn: Rect(x: random(-99...0), y: random(-99...0), width: 80, height: 60))
      let simple = path.simplified(outside: inside.controlBounds.grown(by: 1))
      count += path.elements.count - simple.elements.count
      #expect(inside.subtracting(simple) == inside.subtracting(path))
      #expect(inside.intersection(simple) == inside.intersection(path))
    }
    #expect(count > 200)
    let far = Path(Rect(x: 500, y: 0, width: 10, height: 10))
    #expect(far.simplified(outside: Rect(x: 0, y: 0, width: 10, height: 10)).isEmpty)
    #expect(far.simplified(outside: Rect(x: 505, y: 5, width: 1, height: 1)) == far)
  }

  @Test func `clipping keeps the fill rule`() {
    let rings = Path(
      polygons: [
        [Point(x: 0, y: 0), Point(x: 9, y: 0), Point(x: 9, y: 9), Point(x: 0, y: 9)],
        [Point(x: 3, y: 3), Point(x: 6, y: 3), Point(x: 6, y: 6), Point(x: 3, y: 6)],
      ], fillRule: .evenOdd)
    let clipped = rings.clipped(to: Rect(x: 2, y: 2, width: 9, height: 9))
    #expect(!clipped.contains(Point(x: 4, y: 4)) && clipped.contains(Point(x: 7, y: 7)))
  }
}
