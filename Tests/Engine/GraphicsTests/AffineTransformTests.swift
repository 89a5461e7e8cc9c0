import Testing

@testable import Graphics

private let sample = AffineTransform(a: 2, b: 0.5, c: -1, d: 3, tx: 7, ty: -4)
private let points = [
  Point.zero, Point(x: 1, y: 0), Point(x: 0, y: 1), Point(x: -3.5, y: 12), Point(x: 1e3, y: -2e3),
]

private func areClose(_ a: Point, _ b: Point) -> Bool {
  a.distance(to: b) <= 1e-12 * max(1, a.length, b.length)
}

@Suite struct `An affine transform` {
  @Test func `the identity changes nothing`() {
    #expect(points.allSatisfy { $0.applying(.identity) == $0 })
    #expect(AffineTransform.identity.isIdentity)
    #expect(!sample.isIdentity)
    #expect(sample.concatenating(.identity) == sample)
    #expect(AffineTransform.identity.concatenating(sample) == sample)
  }

  @Test func `a translation moves positions but not displacements`() {
    let shift = AffineTransform(translationX: 3, y: -2)
    #expect(Point(x: 1, y: 1).applying(shift) == Point(x: 4, y: -1))
    #expect(Point(x: 1, y: 1).applyingLinearPart(of: shift) == Point(x: 1, y: 1))
  }

  @Test func `a scaling multiplies x and y by its two factors`() {
    #expect(
      Point(x: 2, y: 3).applying(AffineTransform(scaleX: 10, y: 100)) == Point(x: 20, y: 300))
    #expect(AffineTransform(scale: 2) == AffineTransform(scaleX: 2, y: 2))
  }

  @Test func `a rotation turns the x axis towards the y axis`() {
    let quarter = AffineTransform(rotation: .pi / 2)
    #expect(areClose(Point(x: 1, y: 0).applying(quarter), Point(x: 0, y: 1)))
    #expect(points.allSatisfy { areClose($0.applying(quarter), $0.perpendicular) })
    #expect(abs(AffineTransform(rotation: 1.2).determinant - 1) < 1e-15)
  }

  @Test func `concatenating applies the other transform afterwards`() {
    let next = AffineTransform(rotation: 0.3).translatedBy(x: 5, y: 6)
    for point in points {
      #expect(
        areClose(
          point.applying(sample.concatenating(next)), point.applying(sample).applying(next)))
    }
    #expect(sample.concatenating(next) != next.concatenating(sample))
  }

  @Test func `translatedBy, scaledBy and rotated are applied first`() {
    for point in points {
      #expect(
        areClose(
          point.applying(sample.translatedBy(x: 2, y: 3)),
          (point + Point(x: 2, y: 3)).applying(sample)))
      #expect(
        areClose(
          point.applying(sample.scaledBy(x: 2, y: 3)),
          Point(x: 2 * point.x, y: 3 * point.y).applying(sample)))
      #expect(
        areClose(
          point.applying(sample.rotated(by: 1)),
          point.applying(AffineTransform(rotation: 1)).applying(sample)))
    }
  }

  @Test func `the inverse gives the identity, before and after`() throws {
    let inverse = try #require(sample.inverted())
    for point in points {
      #expect(areClose(point.applying(sample).applying(inverse), point))
      #expect(areClose(point.applying(inverse).applying(sample), point))
    }
    #expect(AffineTransform.identity.inverted() == .identity)
  }

  @Test(arguments: [
    AffineTransform(scale: 0), AffineTransform(scaleX: 1, y: 0),
    AffineTransform(a: 1, b: 2, c: 2, d: 4, tx: 0, ty: 0), AffineTransform(scale: .nan),
    AffineTransform(scale: .infinity), AffineTransform(scale: 1e-200),
  ])
  func `a singular transform has no inverse`(transform: AffineTransform) {
    #expect(transform.inverted() == nil)
  }

  @Test func `areas grow by the determinant, lengths on average by its square root`() {
    let square = Path(Rect(x: 1, y: 1, width: 2, height: 2))
    #expect(sample.determinant == 6.5)
    #expect(abs(square.applying(sample).signedArea - 26) < 1e-12)
    #expect(AffineTransform(scaleX: 2, y: -8).meanScale == 4)
    #expect(AffineTransform(scaleX: 2, y: -8).determinant == -16)
  }

  @Test func `a transform is finite only if all six numbers are`() {
    #expect(sample.isFinite)
    #expect(!AffineTransform(translationX: .nan, y: 0).isFinite)
    #expect(!AffineTransform(scaleX: 1, y: .infinity).isFinite)
  }

  @Test func `a rotated rectangle lies inside of its box`() {
    let rect = Rect(x: 0, y: 0, width: 4, height: 2)
    let box = rect.applying(AffineTransform(rotation: .pi / 2))
    #expect(areClose(box.origin, Point(x: -2, y: 0)))
    #expect(abs(box.width - 2) < 1e-12)
    #expect(abs(box.height - 4) < 1e-12)
    #expect(rect.applying(AffineTransform(scaleX: -1, y: 1)).minX == -4)
  }
}
