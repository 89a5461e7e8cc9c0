import Foundation
import Graphics

// Shapes for the stand-ins of path types.

/// An arc of a circle.
struct Arc {
  let center: Point
  let radius: Double
  let start: Double
  /// The angle from the start to the end, at most a full turn; negative if angles decrease.
  let sweep: Double

  init(center: Point, radius: Double, from start: Double, to end: Double, isIncreasing: Bool) {
    (self.center, self.radius, self.start) = (center, radius, start)
    var sweep = end - start
    let turn = 2 * Double.pi
    if !sweep.isFinite {
      sweep = 0
    } else if abs(sweep) >= turn {
      // A sweep of a full turn or more means the whole circle, in either direction.
      sweep = isIncreasing ? turn : -turn
    } else if isIncreasing, sweep < 0 {
      sweep += turn
    } else if !isIncreasing, sweep > 0 {
      sweep -= turn
    }
    self.sweep = sweep
  }

  func point(at angle: Double) -> Point {
    Point(x: center.x + radius * cos(angle), y: center.y + radius * sin(angle))
  }

  /// Cubics for a quarter of a turn or less each, which deviate by at most 2.7e-4 of the radius.
  var curves: [CubicCurve] {
    let count = max(1, Int(clamping: (abs(sweep) / (.pi / 2) - 1e-9).rounded(.up)))
    let step = sweep / Double(count)
    let reach = 4.0 / 3 * tan(step / 4) * radius
    return (0..<count).map { index in
      let (from, to) = (start + step * Double(index), start + step * Double(index + 1))
      let (a, b) = (point(at: from), point(at: to))
      return CubicCurve(
        start: a, control1: a + Point(x: -sin(from), y: cos(from)) * reach,
        control2: b - Point(x: -sin(to), y: cos(to)) * reach, end: b)
    }
  }
}

extension Path {
  /// Adds an arc, with a line to its start if a contour is open.
  mutating func add(_ arc: Arc, _ transform: Graphics.AffineTransform = .identity) {
    let start = arc.point(at: arc.start).applying(transform)
    if isEmpty { move(to: start) } else { addLine(to: start) }
    for curve in arc.curves {
      addCubic(
        to: curve.end.applying(transform), control1: curve.control1.applying(transform),
        control2: curve.control2.applying(transform))
    }
  }

  /// A rectangle; the given corners are quarters of an ellipse.
  init(roundedRect rect: Rect, corners: UIRectCorner, size: Size) {
    self.init()
    guard !rect.isNull else { return }
    let rx = min(max(0, size.width), rect.width / 2)
    let ry = min(max(0, size.height), rect.height / 2)
    guard rx > 0, ry > 0 else {
      self.init(rect)
      return
    }
    let reach = 0.552_284_749_830_793_4  // as in circles made of four cubics
    func corner(_ isRound: Bool, at x: Double, _ y: Double, from a: Point, to b: Point) {
      let corner = Point(x: x, y: y)
      let (start, end) = (corner + a, corner + b)
      if isEmpty {
        move(to: isRound ? start : corner)
      } else {
        addLine(to: isRound ? start : corner)
      }
      guard isRound else { return }
      addCubic(
        to: end, control1: start.interpolated(to: corner, at: reach),
        control2: end.interpolated(to: corner, at: reach))
    }
    corner(
      corners.contains(.topLeft), at: rect.minX, rect.minY, from: Point(x: 0, y: ry),
      to: Point(x: rx, y: 0))
    corner(
      corners.contains(.topRight), at: rect.maxX, rect.minY, from: Point(x: -rx, y: 0),
      to: Point(x: 0, y: ry))
    corner(
      corners.contains(.bottomRight), at: rect.maxX, rect.maxY, from: Point(x: 0, y: -ry),
      to: Point(x: -rx, y: 0))
    corner(
      corners.contains(.bottomLeft), at: rect.minX, rect.maxY, from: Point(x: rx, y: 0),
      to: Point(x: 0, y: -ry))
    close()
  }

  /// The end of the last element; the origin of an empty path.
  var currentPoint: Point {
    switch elements.last {
    case nil: return .zero
    case .move(let to), .line(let to), .quadratic(let to, _), .cubic(let to, _, _): return to
    case .close:
      for element in elements.reversed() { if case .move(let to) = element { return to } }
      return .zero
    }
  }

  /// The same contours, the last first, each run through backwards.
  var reversed: Path {
    var result = Path(fillRule: fillRule)
    var contour: [Element] = []
    var contours: [[Element]] = []
    for element in elements {
      if case .move = element, !contour.isEmpty {
        contours.append(contour)
        contour = []
      }
      contour.append(element)
    }
    contours.append(contour)
    for contour in contours.reversed() { result.addReversed(contour) }
    return result
  }

  /// Adds a contour, which starts with a move, backwards.
  private mutating func addReversed(_ contour: [Element]) {
    guard case .move(var pen)? = contour.first else { return }
    var backwards: [(to: Point, element: Element)] = []
    var isClosed = false
    for element in contour.dropFirst() {
      switch element {
      case .move: break
      case .close: isClosed = true
      case .line(let to), .quadratic(let to, _), .cubic(let to, _, _):
        backwards.append((pen, element))
        pen = to
      }
    }
    move(to: pen)
    for (to, element) in backwards.reversed() {
      switch element {
      case .quadratic(_, let control): addQuadratic(to: to, control: control)
      case .cubic(_, let control1, let control2):
        addCubic(to: to, control1: control2, control2: control1)
      default: addLine(to: to)
      }
    }
    if isClosed { close() }
  }

  /// The same outline with coordinates that archives can store.
  var storable: Path {
    func storable(_ point: Point) -> Point { Point(storable: CGPoint(point)) }
    var result = Path(fillRule: fillRule)
    for element in elements {
      switch element {
      case .move(let to): result.move(to: storable(to))
      case .line(let to): result.addLine(to: storable(to))
      case .quadratic(let to, let control):
        result.addQuadratic(to: storable(to), control: storable(control))
      case .cubic(let to, let control1, let control2):
        result.addCubic(
          to: storable(to), control1: storable(control1), control2: storable(control2))
      case .close: result.close()
      }
    }
    return result
  }
}
