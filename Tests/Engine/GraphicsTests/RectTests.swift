import Testing

@testable import Graphics

private let rect = Rect(x: 10, y: 20, width: 30, height: 40)
private let inner = Rect(x: 15, y: 25, width: 5, height: 5)
private let far = Rect(x: 500, y: 500, width: 1, height: 1)

@Suite struct `A rectangle` {
  @Test func `a rectangle has sides, a centre and clockwise corners`() {
    #expect([rect.minX, rect.minY, rect.maxX, rect.maxY] == [10, 20, 40, 60])
    #expect(rect.center == Point(x: 25, y: 40))
    #expect(rect.corners.signedArea == 1200, "clockwise on the canvas")
  }

  @Test func `a rectangle has positive extents for negative arguments`() {
    #expect(Rect(x: 40, y: 60, width: -30, height: -40) == rect)
    #expect(
      Rect(origin: Point(x: 40, y: 20), size: Size(width: -30, height: 40)) == rect)
    #expect(Rect(from: Point(x: 10, y: 60), to: Point(x: 40, y: 20)) == rect)
  }

  @Test func `a rectangle around points is the smallest that contains them`() {
    #expect(Rect(around: rect.corners) == rect)
    #expect(Rect(around: [rect.center]) == Rect(x: 25, y: 40, width: 0, height: 0))
    #expect(Rect(around: []).isNull)
  }

  @Test func `a rectangle contains its corners and sides but no point beyond`() {
    #expect(rect.corners.allSatisfy(rect.contains))
    #expect(rect.contains(rect.center))
    #expect(!rect.contains(Point(x: 9.999, y: 30)))
    #expect(!rect.contains(Point(x: .nan, y: 30)))
  }

  @Test func `a rectangle contains another one only if it is completely inside`() {
    #expect(rect.contains(rect))
    #expect(rect.contains(inner))
    #expect(!inner.contains(rect))
    #expect(!rect.contains(inner.offset(by: Point(x: 23, y: 0))))
  }

  @Test func `a rectangle also intersects another one at a common side`() {
    let right = rect.offset(by: Point(x: 30, y: 0))
    #expect(rect.intersects(right))
    #expect(rect.intersection(right) == Rect(x: 40, y: 20, width: 0, height: 40))
    #expect(rect.intersection(right).isEmpty)
    #expect(!rect.intersection(right).isNull)
    #expect(!rect.intersects(far))
    #expect(rect.intersection(far).isNull)
  }

  @Test func `a rectangle and its part have the expected union and intersection`() {
    #expect(rect.union(rect) == rect)
    #expect(rect.intersection(rect) == rect)
    #expect(rect.union(inner) == rect)
    #expect(rect.intersection(inner) == inner)
    #expect(rect.union(far) == far.union(rect))
  }

  @Test func `a rectangle grows and shrinks on all sides until nothing is left`() {
    #expect(rect.grown(by: 5) == Rect(x: 5, y: 15, width: 40, height: 50))
    #expect(rect.grown(by: 5).grown(by: -5) == rect)
    #expect(rect.grown(by: -15) == Rect(x: 25, y: 35, width: 0, height: 10))
    #expect(rect.grown(by: -16).isNull)
  }

  @Test func `a rectangle rounds outwards to whole coordinates`() {
    let rounded = Rect(x: -1.5, y: 0.25, width: 3, height: 1).roundedOutwards
    #expect(rounded == Rect(x: -2, y: 0, width: 4, height: 2))
    #expect(rect.roundedOutwards == rect)
  }
}

@Suite struct `The null rectangle` {
  @Test func `the bounds of no points are the null rectangle`() {
    #expect(Rect(around: []) == .null)
    #expect(Rect.null.isNull)
    #expect(Rect.null.isEmpty)
    #expect(!Rect.zero.isNull)
    #expect(Rect.zero.isEmpty)
  }

  @Test func `the null rectangle adds nothing to a union and intersects nothing`() {
    #expect(rect.union(.null) == rect)
    #expect(Rect.null.union(rect) == rect)
    #expect(Rect.null.union(.null).isNull)
    #expect(rect.intersection(.null).isNull)
    #expect(!Rect.null.intersects(.null))
  }

  @Test func `the null rectangle contains nothing and is contained in nothing`() {
    #expect(!Rect.null.contains(Point.zero))
    #expect(!Rect.null.contains(rect))
    #expect(!rect.contains(.null))
    #expect(!Rect.null.contains(Point(x: Double.infinity, y: .infinity)))
  }

  @Test func `the null rectangle stays null in all operations`() {
    #expect(Rect.null.grown(by: 100).isNull)
    #expect(Rect.null.roundedOutwards.isNull)
    #expect(Rect.null.offset(by: Point(x: 5, y: 5)).isNull)
    #expect(Rect.null.applying(AffineTransform(scale: 2)).isNull)
  }
}

@Suite struct `An extent builder` {
  @Test func `an extent builder without points has the null rectangle`() {
    #expect(ExtentBuilder().rect.isNull)
  }

  @Test func `an extent builder contains every point and box that was added`() {
    var builder = ExtentBuilder()
    builder.include(Point(x: 1, y: 2))
    #expect(builder.rect == Rect(x: 1, y: 2, width: 0, height: 0))
    builder.include(Point(x: 10, y: 10), reach: Point(x: 3, y: 4))
    #expect(builder.rect == Rect(x: 1, y: 2, width: 12, height: 12))
  }
}

@Suite struct `A size` {
  @Test func `a size is multiplied in width and height`() {
    #expect(Size(width: 2, height: 3) * 4 == Size(width: 8, height: 12))
    #expect(Size(width: 2, height: 3).area == 6)
  }

  @Test func `a size is positive only if both extents are positive and finite`() {
    #expect(Size(width: 2, height: 3).isPositive)
    for bad in [0, -1, Double.nan, .infinity] {
      #expect(!Size(width: bad, height: 3).isPositive)
      #expect(!Size(width: 2, height: bad).isPositive)
    }
  }

  @Test func `a size fits into a frame with the same aspect ratio`() {
    let frame = Size(width: 100, height: 50)
    #expect(Size(width: 10, height: 10).fitted(into: frame) == Size(width: 50, height: 50))
    #expect(Size(width: 400, height: 100).fitted(into: frame) == Size(width: 100, height: 25))
    #expect(Size(width: 0, height: 5).fitted(into: frame) == .zero)
  }
}
