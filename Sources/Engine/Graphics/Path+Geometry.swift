/// A cubic Bézier curve between two points.
public struct CubicCurve: Hashable, Sendable {
  /// The start of the curve.
  public var start: Point
  /// The control point that gives the direction at the start.
  public var control1: Point
  /// The control point that gives the direction at the end.
  public var control2: Point
  /// The end of the curve.
  public var end: Point

  /// A curve from its four points.
  public init(start: Point, control1: Point, control2: Point, end: Point) {
    self.start = start
    self.control1 = control1
    self.control2 = control2
    self.end = end
  }

  /// The cubic form of a quadratic curve.
  public init(start: Point, quadraticControl control: Point, end: Point) {
    self.init(
      start: start, control1: start.interpolated(to: control, at: 2.0 / 3),
      control2: end.interpolated(to: control, at: 2.0 / 3), end: end)
  }

  /// A straight line with constant speed in the parameter.
  public init(lineFrom start: Point, to end: Point) {
    self.init(
      start: start, control1: start.interpolated(to: end, at: 1.0 / 3),
      control2: start.interpolated(to: end, at: 2.0 / 3), end: end)
  }

  /// The point at a parameter from 0 to 1.
  public func point(at t: Double) -> Point {
    let s = 1 - t
    return start * (s * s * s) + control1 * (3 * s * s * t) + control2 * (3 * s * t * t)
      + end * (t * t * t)
  }

  /// The number of straight pieces, of equal length in the parameter, that deviate from the curve
  /// by at most the tolerance; at most 1,024.
  public func pieceCount(tolerance: Double) -> Int {
    let bend = max(
      (start - control1 * 2 + control2).length, (control1 - control2 * 2 + end).length)
    let pieces = (0.75 * bend / max(tolerance, 1e-9)).squareRoot().rounded(.up)
    return pieces.isFinite ? Int(clamping: min(max(pieces, 1), 1024)) : 1024
  }
}

extension Path {
  /// The path's curves and lines as cubics, one list for each contour, with closing lines.
  public var contours: [[CubicCurve]] {
    var result: [[CubicCurve]] = []
    var current: [CubicCurve] = []
    var first = Point.zero
    var pen = Point.zero
    func finish() {
      if !current.isEmpty { result.append(current) }
      current = []
    }
    for element in elements {
      switch element {
      case .move(let to):
        finish()
        first = to
        pen = to
      case .line(let to):
        current.append(CubicCurve(lineFrom: pen, to: to))
        pen = to
      case .quadratic(let to, let control):
        current.append(CubicCurve(start: pen, quadraticControl: control, end: to))
        pen = to
      case .cubic(let to, let control1, let control2):
        current.append(CubicCurve(start: pen, control1: control1, control2: control2, end: to))
        pen = to
      case .close:
        if pen != first { current.append(CubicCurve(lineFrom: pen, to: first)) }
        finish()
        pen = first
      }
    }
    finish()
    return result
  }

  /// The contours as polygons that follow the curves within a tolerance in points.
  ///
  /// The line back to the first point is implied, not repeated. Paths with more than a million
  /// points, which no hand draws, get fewer pieces for each curve, so that a few bytes cannot
  /// demand gigabytes.
  public func flattened(tolerance: Double = 0.05) -> [[Point]] {
    let contours = contours
    // Each curve gets its share; the curves of a hand never need it all.
    let limit = max(Self.maximumPointCount / max(contours.reduce(0) { $0 + $1.count }, 1), 1)
    return contours.map { curves in
      var polygon = curves.first.map { [$0.start] } ?? []
      for curve in curves {
        let straight = curve == CubicCurve(lineFrom: curve.start, to: curve.end)
        let pieces = straight ? 1 : min(curve.pieceCount(tolerance: tolerance), limit)
        for piece in 1...pieces {
          let t = Double(piece) / Double(pieces)
          polygon.append(piece == pieces ? curve.end : curve.point(at: t))
        }
      }
      if polygon.count > 1, polygon.first == polygon.last { polygon.removeLast() }
      return polygon
    }
  }

  private static let maximumPointCount = 1 << 20

  /// The box around all points and control points. It contains the path, but is not always tight.
  public var controlBounds: Rect {
    var box = ExtentBuilder()
    for element in elements {
      switch element {
      case .move(let to), .line(let to):
        box.include(to)
      case .quadratic(let to, let control):
        box.include(to)
        box.include(control)
      case .cubic(let to, let control1, let control2):
        box.include(to)
        box.include(control1)
        box.include(control2)
      case .close:
        break
      }
    }
    return box.rect
  }

  /// The box around the path itself, tight within 0.01 points.
  public var bounds: Rect { Rect(around: flattened(tolerance: 0.01).joined()) }

  /// Whether the point is inside by the path's fill rule. Curves are flattened with a tolerance of
  /// 0.01 points.
  public func contains(_ point: Point) -> Bool {
    var winding = 0
    for polygon in flattened(tolerance: 0.01) { winding += polygon.winding(around: point) }
    return fillRule.isInside(winding)
  }

  /// The area inside, with every part multiplied by its winding number.
  public var signedArea: Double {
    flattened(tolerance: 0.01).reduce(0) { $0 + $1.signedArea }
  }
}

extension Path.FillRule {
  /// Whether a point with this winding number is inside.
  package func isInside(_ winding: Int) -> Bool {
    switch self {
    case .nonZero: winding != 0
    case .evenOdd: !winding.isMultiple(of: 2)
    }
  }
}

extension [Point] {
  /// The winding number of the closed polygon around the point.
  package func winding(around point: Point) -> Int {
    guard var from = last else { return 0 }
    var winding = 0
    for to in self {
      if (from.y <= point.y) != (to.y <= point.y) {
        let side = (to - from).cross(point - from)
        if from.y <= point.y, side > 0 { winding += 1 }
        if from.y > point.y, side < 0 { winding -= 1 }
      }
      from = to
    }
    return winding
  }

  /// The area of the closed polygon, positive where it runs clockwise on the canvas (y down).
  package var signedArea: Double {
    guard let anchor = first, var from = last else { return 0 }
    var twice = 0.0
    for to in self {
      twice += (from - anchor).cross(to - anchor)
      from = to
    }
    return twice / 2
  }
}
