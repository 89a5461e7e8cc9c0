import Testing

@testable import Graphics

private let frame = Rect(x: 10, y: 20, width: 30, height: 40)
private let curve = CubicCurve(
  start: Point(x: 0, y: 0), control1: Point(x: 40, y: 90), control2: Point(x: 80, y: -60),
  end: Point(x: 100, y: 30))

/// The distance of a point from a line between two others.
private func distance(from point: Point, toLine from: Point, _ to: Point) -> Double {
  guard let direction = (to - from).normalized else { return point.distance(to: from) }
  let along = min(max((point - from).dot(direction), 0), from.distance(to: to))
  return point.distance(to: from + direction * along)
}

@Suite struct `Building a path` {
  @Test func `a new path is empty and contains no point`() {
    let path = Path()
    #expect(path.isEmpty)
    #expect(path.bounds.isNull)
    #expect(path.controlBounds.isNull)
    #expect(path.signedArea == 0)
    #expect(!path.contains(.zero))
    #expect(path == Path(Rect.null))
    #expect(path == Path(ellipseIn: .null))
    #expect(path == Path(polygons: [[], []]))
  }

  @Test func `a rectangle's path runs clockwise through its corners`() {
    let path = Path(frame)
    #expect(path.flattened() == [frame.corners])
    #expect(path.signedArea == 1200)
    #expect(path.bounds == frame)
    #expect(path.elements.count == 5)
  }

  @Test func `a line without a contour starts one`() {
    var path = Path()
    path.addLine(to: Point(x: 1, y: 2))
    path.addLine(to: Point(x: 3, y: 4))
    #expect(path.elements == [.move(to: Point(x: 1, y: 2)), .line(to: Point(x: 3, y: 4))])
  }

  @Test func `a curve without a contour starts one at its first control point`() {
    var path = Path()
    path.addQuadratic(to: Point(x: 3, y: 4), control: Point(x: 1, y: 2))
    #expect(path.elements.first == .move(to: Point(x: 1, y: 2)))
    path = Path()
    path.addCubic(to: .zero, control1: Point(x: 5, y: 6), control2: .zero)
    #expect(path.elements.first == .move(to: Point(x: 5, y: 6)))
  }

  @Test func `closing a path twice, or an empty path, adds no element`() {
    var path = Path()
    path.close()
    #expect(path.isEmpty)
    path.move(to: .zero)
    path.close()
    path.close()
    #expect(path.elements == [.move(to: .zero), .close])
  }

  @Test func `appending a path keeps the fill rule and adds all contours`() {
    var path = Path(polygon: frame.corners, fillRule: .evenOdd)
    path.append(Path(Rect(x: 20, y: 30, width: 10, height: 10)))
    #expect(path.fillRule == .evenOdd)
    #expect(path.flattened().count == 2)
    #expect(!path.contains(Point(x: 25, y: 35)))
  }

  @Test func `a transform moves every point of a path and keeps the fill rule`() {
    var path = Path(ellipseIn: frame)
    path.fillRule = .evenOdd
    path.addQuadratic(to: .zero, control: Point(x: 1, y: 1))
    #expect(path.applying(.identity) == path)
    let moved = path.applying(AffineTransform(translationX: 5, y: -5))
    #expect(moved.fillRule == .evenOdd)
    #expect(moved.controlBounds == path.controlBounds.offset(by: Point(x: 5, y: -5)))
    #expect(moved.applying(AffineTransform(translationX: -5, y: 5)) == path)
  }

  @Test func `one coordinate that is not finite makes the path not finite`() {
    #expect(Path(frame).isFinite)
    let bad = Point(x: 0, y: Double.nan)
    let steps: [(inout Path) -> Void] = [
      { $0.move(to: bad) }, { $0.addLine(to: bad) },
      { $0.addQuadratic(to: bad, control: .zero) }, { $0.addQuadratic(to: .zero, control: bad) },
      { $0.addCubic(to: bad, control1: .zero, control2: .zero) },
      { $0.addCubic(to: .zero, control1: bad, control2: .zero) },
      { $0.addCubic(to: .zero, control1: .zero, control2: bad) },
    ]
    for step in steps {
      var path = Path(frame)
      step(&path)
      #expect(!path.isFinite)
    }
  }
}

@Suite struct `An ellipse` {
  let path = Path(ellipseIn: frame)

  @Test func `an ellipse's path has its area within the promised error`() {
    let exact = Double.pi * 15 * 20
    #expect(abs(path.signedArea / exact - 1) < 1e-3)
  }

  @Test func `an ellipse's path touches all four sides of its rectangle`() {
    #expect(path.bounds == frame)
  }

  @Test func `a circle's path deviates by at most 2.7e-4 of the radius`() {
    let circle = Path(ellipseIn: Rect(x: -1, y: -1, width: 2, height: 2))
    for cubic in circle.contours.joined() {
      for step in 0...100 {
        let radius = cubic.point(at: Double(step) / 100).length
        #expect((1 - 1e-12...1 + 2.73e-4).contains(radius))
      }
    }
  }

  @Test func `an ellipse without width or height has no inside`() {
    #expect(Path(ellipseIn: Rect(x: 0, y: 0, width: 10, height: 0)).signedArea == 0)
  }
}

@Suite struct `Contours and flattening` {
  @Test func `an open contour is closed for filling only`() {
    var path = Path()
    path.move(to: .zero)
    path.addLine(to: Point(x: 10, y: 0))
    path.addLine(to: Point(x: 10, y: 10))
    #expect(path.contours.map(\.count) == [2])
    #expect(path.signedArea == 50)
    path.close()
    #expect(path.contours.map(\.count) == [3])
    #expect(path.signedArea == 50)
  }

  @Test func `a flattened contour does not repeat its first point`() {
    var path = Path()
    for point in frame.corners + frame.corners.prefix(1) { path.addLine(to: point) }
    path.close()
    #expect(path.flattened() == [frame.corners])
  }

  @Test func `flattening omits a contour of only a move`() {
    var path = Path()
    path.move(to: Point(x: 100, y: 100))
    path.append(Path(frame))
    #expect(path.flattened() == [frame.corners])
  }

  @Test(arguments: [1, 0.25, 0.05, 0.01, 0.001])
  func `flattening deviates from a curve by at most the tolerance`(tolerance: Double) {
    var path = Path()
    path.move(to: curve.start)
    path.addCubic(to: curve.end, control1: curve.control1, control2: curve.control2)
    let polygon = path.flattened(tolerance: tolerance)[0]
    let pieces = polygon.count - 1
    #expect(pieces == curve.pieceCount(tolerance: tolerance))
    for piece in 0..<pieces {
      for step in 0...20 {
        let point = curve.point(at: (Double(piece) + Double(step) / 20) / Double(pieces))
        let error = distance(from: point, toLine: polygon[piece], polygon[piece + 1])
        #expect(error <= tolerance)
      }
    }
  }

  @Test func `flattening gives 1 to 1,024 lines for any tolerance`() {
    for tolerance in [0, -1, Double.nan, 1e-300, 1e-3, 1e300, .infinity] {
      #expect((1...1024).contains(curve.pieceCount(tolerance: tolerance)))
    }
    #expect(curve.pieceCount(tolerance: 1e9) == 1)
    #expect(curve.pieceCount(tolerance: 0) == 1024)
    let endless = CubicCurve(
      start: .zero, control1: Point(x: .infinity, y: 0), control2: .zero, end: .zero)
    #expect(endless.pieceCount(tolerance: 1) == 1024)
  }

  @Test func `flattening keeps straight lines whole`() {
    #expect(CubicCurve(lineFrom: curve.start, to: curve.end).pieceCount(tolerance: 0.01) == 1)
    #expect(Path(frame).flattened(tolerance: 1e-9) == [frame.corners])
  }

  @Test func `curves start at their start and end at their end`() {
    #expect(curve.point(at: 0) == curve.start)
    #expect(curve.point(at: 1) == curve.end)
    let line = CubicCurve(lineFrom: .zero, to: Point(x: 30, y: 60))
    #expect(line.point(at: 0.5).distance(to: Point(x: 15, y: 30)) < 1e-12)
  }

  @Test func `the cubic form of a quadratic curve has the same points`() {
    let (start, control, end) = (Point.zero, Point(x: 10, y: 40), Point(x: 50, y: 0))
    let cubic = CubicCurve(start: start, quadraticControl: control, end: end)
    for step in 0...10 {
      let t = Double(step) / 10
      let direct = start.interpolated(to: control, at: t)
        .interpolated(to: control.interpolated(to: end, at: t), at: t)
      #expect(cubic.point(at: t).distance(to: direct) < 1e-12)
    }
  }
}

@Suite struct `Inside and outside` {
  @Test func `a rectangle contains its centre and no point beyond its sides`() {
    let path = Path(frame)
    #expect(path.contains(frame.center))
    for point in frame.grown(by: 1).corners { #expect(!path.contains(point)) }
    #expect(!path.contains(Point(x: Double.nan, y: 40)))
  }

  @Test func `points on a shared side belong to one of two neighbours`() {
    let left = Path(Rect(x: 0, y: 0, width: 10, height: 10))
    let right = Path(Rect(x: 10, y: 0, width: 10, height: 10))
    for step in 0..<10 {
      let point = Point(x: 10, y: Double(step))
      #expect(left.contains(point) != right.contains(point))
    }
  }

  @Test func `winding counts turns, clockwise ones positive`() {
    let corners = frame.corners
    #expect(corners.winding(around: frame.center) == 1)
    #expect(Array(corners.reversed()).winding(around: frame.center) == -1)
    #expect((corners + corners).winding(around: frame.center) == 2)
    #expect(corners.winding(around: .zero) == 0)
    #expect([Point]().winding(around: .zero) == 0)
  }

  @Test func `the centre of a pentagram is inside by the nonzero rule only`() {
    let star = (0..<5).map { index in
      Point(x: 0, y: -10).applying(AffineTransform(rotation: Double(index) * 0.8 * Double.pi))
    }
    #expect(Path(polygon: star).contains(.zero))
    #expect(!Path(polygon: star, fillRule: .evenOdd).contains(.zero))
    #expect(Path(polygon: star, fillRule: .evenOdd).contains(Point(x: 0, y: -8)))
    #expect(abs(star.winding(around: .zero)) == 2)
  }

  @Test func `fill rules treat both directions alike`() {
    for winding in -4...4 {
      #expect(Path.FillRule.nonZero.isInside(winding) == (winding != 0))
      #expect(Path.FillRule.evenOdd.isInside(winding) == (abs(winding) % 2 == 1))
    }
  }

  @Test func `the area of a path changes its sign with the direction`() {
    #expect(frame.corners.signedArea == 1200)
    #expect(Array(frame.corners.reversed()).signedArea == -1200)
    #expect([Point]().signedArea == 0)
    #expect([Point(x: 5, y: 5)].signedArea == 0)
  }

  @Test func `the area of a path does not depend on its position`() {
    let far = AffineTransform(translationX: 0x1p40, y: -0x1p40)
    #expect(Path(frame).applying(far).signedArea == 1200)
  }

  @Test func `control points extend the control bounds, not the bounds`() {
    var path = Path()
    path.move(to: .zero)
    path.addCubic(
      to: Point(x: 30, y: 0), control1: Point(x: 10, y: 40), control2: Point(x: 20, y: 40))
    #expect(path.controlBounds == Rect(x: 0, y: 0, width: 30, height: 40))
    #expect(abs(path.bounds.height - 30) <= 0.01)
  }
}
