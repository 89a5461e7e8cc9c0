/// An outline of straight lines and Bézier curves: a list of contours, each of which is closed when
/// it is filled.
public struct Path: Hashable, Sendable {
  /// One element of the outline: a move, a line, a curve, or the end of a contour.
  public enum Element: Hashable, Sendable {
    /// Starts a new contour.
    case move(to: Point)
    /// A straight line.
    case line(to: Point)
    /// A quadratic Bézier curve.
    case quadratic(to: Point, control: Point)
    /// A cubic Bézier curve.
    case cubic(to: Point, control1: Point, control2: Point)
    /// A straight line back to the start of the contour.
    case close
  }

  /// The rule that decides which points are inside of the outline.
  public enum FillRule: Hashable, Sendable {
    /// Points with a winding number other than 0 are inside.
    case nonZero
    /// Points with an odd winding number are inside.
    case evenOdd
  }

  /// The elements, in order. Every contour starts with `move`.
  public private(set) var elements: [Element] = []
  /// The rule that decides which points are inside.
  public var fillRule: FillRule

  /// An empty outline.
  public init(fillRule: FillRule = .nonZero) { self.fillRule = fillRule }

  /// A closed rectangle; nothing for the null rectangle.
  public init(_ rect: Rect) { self.init(polygon: rect.isNull ? [] : rect.corners) }

  /// One closed contour through all points.
  public init(polygon points: some Sequence<Point>, fillRule: FillRule = .nonZero) {
    self.init(polygons: [Array(points)], fillRule: fillRule)
  }

  /// Closed contours; empty ones are left out.
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
  /// It is made of four cubics, which deviate from it by at most 2.7e-4 of the radius.
  public init(ellipseIn rect: Rect) {
    self.init()
    guard !rect.isNull else { return }
    let (center, rx, ry) = (rect.center, rect.width / 2, rect.height / 2)
    let reach = 0.552_284_749_830_793_4  // 4/3 · (√2 − 1): the arc's midpoint lies on the circle
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

  /// Whether there are no elements.
  public var isEmpty: Bool { elements.isEmpty }
}

extension Path {
  /// Starts a new contour.
  public mutating func move(to point: Point) { elements.append(.move(to: point)) }

  /// Adds a straight line. In an empty path it starts a contour at the point; after a closed
  /// contour it starts at that contour's first point.
  public mutating func addLine(to point: Point) {
    if !beginContour(at: point) { elements.append(.line(to: point)) }
  }

  /// Adds a quadratic curve. In an empty path it starts a contour at its control point.
  public mutating func addQuadratic(to point: Point, control: Point) {
    beginContour(at: control)
    elements.append(.quadratic(to: point, control: control))
  }

  /// Adds a cubic curve. In an empty path it starts a contour at its first control point.
  public mutating func addCubic(to point: Point, control1: Point, control2: Point) {
    beginContour(at: control1)
    elements.append(.cubic(to: point, control1: control1, control2: control2))
  }

  /// Makes sure that a contour is open, so that every one starts with a move. Returns whether it
  /// started one at the point.
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

  /// Closes the current contour; does nothing without an open one.
  public mutating func close() {
    if let last = elements.last, last != .close { elements.append(.close) }
  }

  /// Appends all contours of another path; this path's fill rule stays.
  public mutating func append(_ other: Path) { elements += other.elements }

  /// Appends elements, the first of which starts a contour.
  mutating func append(_ elements: [Element]) { self.elements += elements }

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
