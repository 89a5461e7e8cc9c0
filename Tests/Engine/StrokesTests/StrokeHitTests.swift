import Glibc
import Graphics
import TestSupport
import Testing

@testable import Strokes

@Suite struct `Touching a stroke` {
  /// A line from (0, 0) to (100, 0) that is drawn six points wide.
  private let level = stroke(line())

  @Test func `points on the ink are hit, and points beside it are not`() {
    for (x, y, isHit) in [
      (0.0, 0.0, true), (55, 2.9, true), (55, -2.9, true), (55, 3.1, false), (-2.9, 0, true),
      (-3.1, 0, false), (-2.5, 2.5, false), (102.9, 0, true), (103.1, 0, false), (55, 40, false),
    ] {
      #expect(level.contains(Point(x: x, y: y)) == isHit, "\(x), \(y)")
    }
  }

  @Test func `a radius lets points beside the ink hit the stroke`() {
    #expect(level.contains(Point(x: 55, y: 7), radius: 4.5))
    #expect(!level.contains(Point(x: 55, y: 7), radius: 3.5))
    #expect(level.contains(Point(x: 110, y: 0), radius: 7.5))
    #expect(!level.contains(Point(x: 107, y: 7), radius: 6.5))
  }

  @Test func `hit tests apply the stroke's transform`() {
    var moved = level
    moved.transform = AffineTransform(scaleX: 2, y: 3).concatenating(
      AffineTransform(translationX: 1000, y: 500))
    #expect(moved.contains(Point(x: 1150, y: 508)))
    #expect(!moved.contains(Point(x: 1150, y: 510)))
    #expect(!moved.contains(Point(x: 50, y: 0)))
    #expect(moved.contains(Point(x: 1150, y: 512), radius: 4))
    moved.transform = AffineTransform(scaleX: 0, y: 1)
    #expect(!moved.contains(.zero))
    #expect(!moved.touches(Path(Rect(x: -9, y: -9, width: 18, height: 18))))
  }

  @Test func `parts of a stroke hidden by its mask are not hit`() {
    var masked = level
    masked.mask = Path(Rect(x: 20, y: -1, width: 30, height: 50))
    #expect(masked.contains(Point(x: 30, y: 0)))
    #expect(masked.contains(Point(x: 30, y: 2.9)))
    #expect(!masked.contains(Point(x: 30, y: -2)))
    #expect(!masked.contains(Point(x: 60, y: 0)))
    #expect(!masked.contains(Point(x: 60, y: 0), radius: 5))
    #expect(masked.contains(Point(x: 60, y: 0), radius: 11))
    #expect(!masked.intersects(Rect(x: 60, y: -5, width: 10, height: 10)))
  }

  @Test func `the points that are hit are those inside the outline`() {
    var random = RandomInk(seed: 24)
    for _ in 0..<10 {
      var stroke = random.stroke(pointCount: 2...12)
      stroke.ink = PKInk(.monoline, widthLaw: .plain)
      let (width, change) = (random.number(2...20), random.number(0...0.5))
      stroke.path = PKStrokePath(
        controlPoints: stroke.path.enumerated().map { index, point in
          let size = width + change * Double(index)
          return touch(point.location.x, point.location.y, size: size)
        })
      let box = stroke.inkBounds()
      guard !box.isNull else { continue }
      let (inner, outer) = (stroke.outline(margin: -0.3), stroke.outline(margin: 0.3))
      guard let inverse = stroke.transform.inverted() else { continue }
      for _ in 0..<60 {
        let point = Point(
          x: random.number(box.minX...box.maxX), y: random.number(box.minY...box.maxY))
        let local = point.applying(inverse)
        if let mask = stroke.mask, !mask.contains(local) { continue }
        if inner.contains(local) { #expect(stroke.contains(point)) }
        if !outer.contains(local) { #expect(!stroke.contains(point)) }
      }
    }
  }

  @Test func `a flat nib whose azimuth passes half a turn does not turn the long way`() {
    let azimuths = [3.1, -3.1, -3.1]
    let flat = stroke(
      PKStrokePath(
        controlPoints: azimuths.enumerated().map {
          touch(100 * Double($0), 0, size: 7, azimuth: $1)
        }), .fountainPen)
    #expect(flat.contains(Point(x: 25, y: 1)))
    #expect(!flat.contains(Point(x: 34.9, y: 2.7)))
    #expect(!flat.contains(Point(x: 134.9, y: 2.7)))
  }

  @Test func `rectangles that cross or contain the ink, or lie inside it, meet it`() {
    for rect in [
      Rect(x: 40, y: -20, width: 5, height: 40), Rect(x: -50, y: -50, width: 300, height: 100),
      Rect(x: 50, y: -1, width: 2, height: 2), Rect(x: 100, y: -1, width: 50, height: 2),
    ] {
      #expect(level.intersects(rect), "\(rect)")
    }
    for rect in [
      Rect(x: 40, y: 4, width: 5, height: 40), Rect(x: 104, y: -5, width: 5, height: 10),
      Rect(x: 102.5, y: 2.5, width: 50, height: 50), Rect.null,
    ] {
      #expect(!level.intersects(rect), "\(rect)")
    }
  }

  @Test func `a rectangle inside the bend of a curve does not meet it`() {
    let bow = stroke(path([(0, 0), (0, 100), (50, 130), (100, 100), (100, 0)]))
    #expect(!bow.intersects(Rect(x: 30, y: 0, width: 40, height: 60)))
    #expect(bow.intersects(Rect(x: 30, y: 0, width: 40, height: 130)))
  }

  @Test func `the frontmost stroke is found`() {
    let other = stroke(path([(50, -50), (50, 50)]), id: 2)
    let drawing = PKDrawing(strokes: [level, other])
    #expect(drawing.stroke(at: Point(x: 50, y: 0)) == other)
    #expect(drawing.stroke(at: Point(x: 20, y: 0)) == level)
    #expect(drawing.stroke(at: Point(x: 20, y: 20)) == nil)
    #expect(drawing.stroke(at: Point(x: 20, y: 20), radius: 18) == level)
    #expect(drawing.strokes(intersecting: Rect(x: 45, y: 20, width: 9, height: 9)) == [other])
    #expect(drawing.strokes(intersecting: Rect(x: 0, y: -9, width: 99, height: 18)).count == 2)
  }
}
