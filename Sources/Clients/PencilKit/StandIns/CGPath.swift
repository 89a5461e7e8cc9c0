public import Foundation
import Graphics

/// An outline of lines and curves. Foundation for Linux has none.
public class CGPath: Hashable {
  /// The outline. Only `CGMutablePath` changes it.
  var path: Path

  init(_ path: Path) { self.path = path }

  /// A rectangle.
  public convenience init(rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
    self.init(Path(Rect(rect)).applying(transform))
  }

  /// The ellipse that touches the sides of a rectangle.
  public convenience init(ellipseIn rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
    self.init(Path(ellipseIn: Rect(rect)).applying(transform))
  }

  /// A rectangle with rounded corners.
  public convenience init(
    roundedRect rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat,
    transform: UnsafePointer<CGAffineTransform>?
  ) {
    let corner = Size(width: Double(cornerWidth), height: Double(cornerHeight))
    self.init(Path(roundedRect: Rect(rect), corners: .allCorners, size: corner).applying(transform))
  }

  /// Whether both are outlines of the same elements.
  public static func == (a: CGPath, b: CGPath) -> Bool { a.path.elements == b.path.elements }

  /// Hashes the elements.
  public func hash(into hasher: inout Hasher) { hasher.combine(path.elements) }
}

extension CGPath {
  /// Whether there are no elements.
  public var isEmpty: Bool { path.isEmpty }
  /// The end of the last element; the origin of an empty path.
  public var currentPoint: CGPoint { CGPoint(path.currentPoint) }
  /// The box around all points and control points; null for an empty path.
  public var boundingBox: CGRect { CGRect(path.controlBounds) }
  /// The box around the outline itself; null for an empty path.
  public var boundingBoxOfPath: CGRect { CGRect(path.bounds) }

  /// Whether a point lies inside, after the transform is applied to it.
  public func contains(
    _ point: CGPoint, using rule: CGPathFillRule = .winding,
    transform: CGAffineTransform = .identity
  ) -> Bool {
    var filled = path
    filled.fillRule = rule == .evenOdd ? .evenOdd : .nonZero
    return filled.contains(Point(point.applying(transform)))
  }

  /// An immutable copy.
  public func copy() -> CGPath? { CGPath(path) }

  /// A transformed path.
  public func copy(using transform: UnsafePointer<CGAffineTransform>?) -> CGPath? {
    CGPath(path.applying(transform))
  }

  /// A mutable copy.
  public func mutableCopy() -> CGMutablePath? {
    let copy = CGMutablePath()
    copy.path = path
    return copy
  }

  /// A transformed mutable copy.
  public func mutableCopy(using transform: UnsafePointer<CGAffineTransform>?) -> CGMutablePath? {
    let copy = CGMutablePath()
    copy.path = path.applying(transform)
    return copy
  }
}

/// The rule for points inside an outline.
public enum CGPathFillRule: Int, Sendable {
  /// Points with a winding number other than 0.
  case winding = 0
  /// Points with an odd winding number.
  case evenOdd = 1
}

extension CGPath {
  /// Calls the block with every element, whose memory is valid during the call only.
  public func applyWithBlock(_ block: (UnsafePointer<CGPathElement>) -> Void) {
    for element in path.elements {
      let (type, points) = element.parts
      var memory = points.map { CGPoint($0) }
      memory.withUnsafeMutableBufferPointer { buffer in
        // The end of a contour has no points, but the block still gets a valid address.
        guard let start = buffer.baseAddress else { return }
        var element = CGPathElement(type: type, points: start)
        withUnsafePointer(to: &element) { block($0) }
      }
    }
  }

  /// Calls the function with every element, and passes on the pointer `info`.
  public func apply(info: UnsafeMutableRawPointer?, function: CGPathApplierFunction) {
    applyWithBlock { function(info, $0) }
  }
}

/// A function that `CGPath.apply(info:function:)` calls.
public typealias CGPathApplierFunction =
  (_ info: UnsafeMutableRawPointer?, _ element: UnsafePointer<CGPathElement>) -> Void

/// One element of an outline.
public struct CGPathElement {
  /// The kind, which determines the number of points.
  public var type: CGPathElementType
  /// The control points, followed by the end point; none may be read for the end of a contour.
  public var points: UnsafeMutablePointer<CGPoint>

  /// An element.
  public init(type: CGPathElementType, points: UnsafeMutablePointer<CGPoint>) {
    (self.type, self.points) = (type, points)
  }
}

/// The kinds of elements.
public enum CGPathElementType: Int32, Sendable {
  /// Starts a contour: one point.
  case moveToPoint = 0
  /// A line: one point.
  case addLineToPoint = 1
  /// A quadratic curve: its control point and its end.
  case addQuadCurveToPoint = 2
  /// A cubic curve: two control points and its end.
  case addCurveToPoint = 3
  /// The end of a contour: no points.
  case closeSubpath = 4
}

extension Path.Element {
  /// The kind and the points; the end of a contour gets one unused point.
  var parts: (CGPathElementType, [Point]) {
    switch self {
    case .move(let to): (.moveToPoint, [to])
    case .line(let to): (.addLineToPoint, [to])
    case .quadratic(let to, let control): (.addQuadCurveToPoint, [control, to])
    case .cubic(let to, let control1, let control2): (.addCurveToPoint, [control1, control2, to])
    case .close: (.closeSubpath, [.zero])
    }
  }
}

extension Path {
  /// The outline after a transform, if there is one.
  func applying(_ transform: UnsafePointer<CGAffineTransform>?) -> Path {
    guard let transform else { return self }
    return applying(Graphics.AffineTransform(transform.pointee))
  }
}
