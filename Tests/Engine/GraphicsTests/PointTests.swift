import Testing

@testable import Graphics

@Suite struct `A point` {
  let a = Point(x: 3, y: 4)
  let b = Point(x: -1, y: 2)

  @Test func `points add and subtract like vectors`() {
    #expect(a + b == Point(x: 2, y: 6))
    #expect(a - b == Point(x: 4, y: 2))
    #expect(a + .zero == a)
    #expect(a + -a == .zero)
    #expect(a - b == -(b - a))
  }

  @Test func `points are multiplied and divided by factors`() {
    #expect(a * 2 == Point(x: 6, y: 8))
    #expect(a / 2 == Point(x: 1.5, y: 2))
    #expect(a * 2 / 2 == a)
  }

  @Test func `points change in place as by their operators`() {
    var point = a
    point += b
    #expect(point == a + b)
    point -= b
    #expect(point == a)
    point *= 3
    #expect(point == a * 3)
  }

  @Test func `a point's length follows Pythagoras' theorem`() {
    #expect(a.length == 5)
    #expect(Point.zero.length == 0)
    #expect(a.distance(to: a) == 0)
    #expect(a.distance(to: b) == b.distance(to: a))
    #expect(Point.zero.distance(to: a) == 5)
  }

  @Test func `the inner product of perpendicular points is zero`() {
    #expect(a.dot(b) == 5)
    #expect(a.dot(a) == 25)
    #expect(a.dot(a.perpendicular) == 0)
  }

  @Test func `the cross product of points is positive from right to down`() {
    #expect(Point(x: 1, y: 0).cross(Point(x: 0, y: 1)) == 1)
    #expect(a.cross(b) == -b.cross(a))
    #expect(a.cross(a * 7) == 0)
  }

  @Test func `the perpendicular of a point turns the x axis to the y axis`() {
    #expect(Point(x: 1, y: 0).perpendicular == Point(x: 0, y: 1))
    #expect(a.perpendicular.perpendicular == -a)
    #expect(a.cross(a.perpendicular) == 25)
  }

  @Test func `a normalized point has length 1 and the same direction`() throws {
    let unit = try #require(a.normalized)
    #expect(abs(unit.length - 1) < 1e-15)
    #expect(abs(unit.cross(a)) < 1e-14)
    #expect(unit.dot(a) > 0)
  }

  @Test(arguments: [
    Point.zero, Point(x: .infinity, y: 1), Point(x: .nan, y: 1), Point(x: 0, y: -.infinity),
  ])
  func `a point whose length is 0 or infinite has no normalized form`(point: Point) {
    #expect(point.normalized == nil)
  }

  @Test func `interpolation runs from the first point to the second`() {
    #expect(a.interpolated(to: b, at: 0) == a)
    #expect(a.interpolated(to: b, at: 1) == b)
    #expect(a.interpolated(to: b, at: 0.5) == Point(x: 1, y: 3))
    #expect(a.interpolated(to: b, at: 2) == b + (b - a))
  }

  @Test func `a point is finite only if both coordinates are`() {
    #expect(a.isFinite)
    #expect(!Point(x: .nan, y: 0).isFinite)
    #expect(!Point(x: 0, y: .infinity).isFinite)
  }
}
