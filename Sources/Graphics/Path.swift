/// An outline of straight lines and Bézier curves: one or more contours, each closed for filling.
public struct Path: Hashable, Sendable {
  /// One step of the pen along the outline.
  public enum Element: Hashable, Sendable {
    /// Starts a new contour.
    case move(to: Point)
    /// A straight line.
    case line(to: Point)
    /// A curve with one control point.
    case quadratic(to: Point, control: Point)
    /// A curve with two control points.
    case cubic(to: Point, control1: Point, control2: Point)
    /// A straight line back to where the contour began.
    case close
  }

  /// Which points of self-crossing contours count as inside.
  public enum FillRule: Hashable, Sendable {
    /// Those that the outline winds around at least once on balance.
    case nonZero
    /// Those that a ray leaves by an odd number of crossings.
    case evenOdd
  }

  /// The steps, in order. Every contour starts with `move`.
  public private(set) var elements: [Element] = []
  /// Which points count as inside.
  public var fillRule: FillRule

  /// An empty outline.
  public init(fillRule: FillRule = .nonZero) { self.fillRule = fillRule }

  /// A closed rectangle; nothing for the null rectangle.
  public init(_ rect: Rect) { self.init(polygon: rect.isNull ? [] : rect.corners) }

  /// One closed contour through all points.
  public init(polygon points: some Sequence<Point>, fillRule: FillRule = .nonZero) {
    self.init(polygons: [Array(points)], fillRule: fillRule)
  }

  /// Several closed contours; empty ones are left out.
  public init(polygons: [[Point]], fillRule: FillRule = .nonZero) {
    self.init(fillRule: fillRule)
    for polygon in polygons {
      guard let first = polygon.first else { continue }
      elements.append(.move(to: first))
      for point in polygon.dropFirst() { elements.append(.line(to: point)) }
      elements.append(.close)
    }
  }

  /// The ellipse that touches all four sides.
  ///
  /// It is made of four cubics that leave it by at most 2.7e-4 of the radius.
  public init(ellipseIn rect: Rect) {
    self.init()
    guard !rect.isNull else { return }
    let (center, rx, ry) = (rect.center, rect.width / 2, rect.height / 2)
    let reach = 0.552_284_749_830_793_4  // 4/3 · (√2 − 1): the arc's middle lies on the circle
    func at(_ x: Double, _ y: Double) -> Point {
      Point(x: center.x + rx * x, y: center.y + ry * y)
    }
    move(to: at(1, 0))
    addCubic(to: at(0, 1), control1: at(1, reach), control2: at(reach, 1))
    addCubic(to: at(-1, 0), control1: at(-reach, 1), control2: at(-1, reach))
    addCubic(to: at(0, -1), control1: at(-1, -reach), control2: at(-reach, -1))
    addCubic(to: at(1, 0), control1: at(reach, -1), control2: at(1, -reach))
    close()
  }

  /// Whether there is no step at all.
  public var isEmpty: Bool { elements.isEmpty }
}

extension Path {
  /// Starts a new contour.
  public mutating func move(to point: Point) { elements.append(.move(to: point)) }

  /// Adds a straight line. Without a contour it starts one; after a closed one it goes on from
  /// where that began.
  public mutating func addLine(to point: Point) {
    if !beginContour(at: point) { elements.append(.line(to: point)) }
  }

  /// Adds a curve with one control point.
  public mutating func addQuadratic(to point: Point, control: Point) {
    beginContour(at: control)
    elements.append(.quadratic(to: point, control: control))
  }

  /// Adds a curve with two control points.
  public mutating func addCubic(to point: Point, control1: Point, control2: Point) {
    beginContour(at: control1)
    elements.append(.cubic(to: point, control1: control1, control2: control2))
  }

  /// Makes sure that a contour is open, so that every one starts with a move; says whether it began
  /// a new one at the point.
  @discardableResult
  private mutating func beginContour(at point: Point) -> Bool {
    if elements.isEmpty {
      move(to: point)
      return true
    }
    if elements.last == .close {
      let start = elements.last { if case .move = $0 { true } else { false } }
      elements.append(start ?? .move(to: point))
    }
    return false
  }

  /// Closes the current contour.
  public mutating func close() {
    if let last = elements.last, last != .close { elements.append(.close) }
  }

  /// Adds all contours of another path; the fill rule stays.
  public mutating func append(_ other: Path) { elements += other.elements }

  /// The path with every point transformed.
  public func applying(_ transform: AffineTransform) -> Path {
    var result = Path(fillRule: fillRule)
    result.elements = elements.map { element in
      switch element {
      case .move(let to): .move(to: to.applying(transform))
      case .line(let to): .line(to: to.applying(transform))
      case .quadratic(let to, let control):
        .quadratic(to: to.applying(transform), control: control.applying(transform))
      case .cubic(let to, let control1, let control2):
        .cubic(
          to: to.applying(transform), control1: control1.applying(transform),
          control2: control2.applying(transform))
      case .close: .close
      }
    }
    return result
  }

  /// Whether no coordinate is infinite or NaN.
  public var isFinite: Bool {
    elements.allSatisfy { element in
      switch element {
      case .move(let to), .line(let to): to.isFinite
      case .quadratic(let to, let control): to.isFinite && control.isFinite
      case .cubic(let to, let a, let b): to.isFinite && a.isFinite && b.isFinite
      case .close: true
      }
    }
  }
}
