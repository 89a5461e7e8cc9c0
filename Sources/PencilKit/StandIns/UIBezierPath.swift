public import Foundation
import Graphics

/// An outline that apps clip and erase with. It has no colours and is never drawn here.
open class UIBezierPath: NSObject, NSCopying {
  /// The outline with its fill rule.
  final var path: Path

  /// The width of a line along the outline.
  open var lineWidth: CGFloat = 1
  /// How far straight pieces may deviate from curves.
  open var flatness: CGFloat = 0.6
  /// How far corners of a line may reach, in widths.
  open var miterLimit: CGFloat = 10

  /// An empty outline.
  public override init() { path = Path() }

  init(_ path: Path) { self.path = path }

  /// A rectangle.
  public convenience init(rect: CGRect) { self.init(Path(Rect(rect))) }

  /// The ellipse that touches the sides of a rectangle.
  public convenience init(ovalIn rect: CGRect) { self.init(Path(ellipseIn: Rect(rect))) }

  /// A rectangle with corners that are quarters of a circle.
  public convenience init(roundedRect rect: CGRect, cornerRadius: CGFloat) {
    self.init(
      roundedRect: rect, byRoundingCorners: .allCorners,
      cornerRadii: CGSize(width: cornerRadius, height: cornerRadius))
  }

  /// A rectangle, some of whose corners are quarters of an ellipse.
  public convenience init(
    roundedRect rect: CGRect, byRoundingCorners corners: UIRectCorner, cornerRadii: CGSize
  ) {
    let size = Size(width: Double(cornerRadii.width), height: Double(cornerRadii.height))
    self.init(Path(roundedRect: Rect(rect), corners: corners, size: size))
  }

  /// An arc of a circle. With `clockwise`, as it is seen on a page, angles increase.
  public convenience init(
    arcCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat,
    clockwise: Bool
  ) {
    self.init()
    addArc(
      withCenter: center, radius: radius, startAngle: startAngle, endAngle: endAngle,
      clockwise: clockwise)
  }

  /// The outline of a `CGPath`.
  public convenience init(cgPath: CGPath) { self.init(cgPath.path) }

  /// A copy that can be changed by itself.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = UIBezierPath(path)
    copy.lineWidth = lineWidth
    copy.flatness = flatness
    copy.miterLimit = miterLimit
    return copy
  }

  /// Whether both are outlines of the same elements with the same rule.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? UIBezierPath)?.path == path
  }

  /// The hash of the elements.
  open override var hash: Int { path.hashValue }
}

extension UIBezierPath {
  /// A copy of the outline; setting it replaces the outline and keeps the rule.
  public var cgPath: CGPath {
    get { CGPath(path) }
    set {
      let rule = path.fillRule
      path = newValue.path
      path.fillRule = rule
    }
  }

  /// Whether points with an odd winding number are inside, and not all with one other than 0.
  public var usesEvenOddFillRule: Bool {
    get { path.fillRule == .evenOdd }
    set { path.fillRule = newValue ? .evenOdd : .nonZero }
  }

  /// Whether there are no elements.
  public var isEmpty: Bool { path.isEmpty }
  /// The box around the outline; null for an empty one.
  public var bounds: CGRect { CGRect(path.bounds) }
  /// The end of the last element; the origin of an empty outline.
  public var currentPoint: CGPoint { CGPoint(path.currentPoint) }

  /// Whether a point lies inside.
  public func contains(_ point: CGPoint) -> Bool { path.contains(Point(point)) }

  /// Starts a contour.
  public func move(to point: CGPoint) { path.move(to: Point(point)) }

  /// Adds a line.
  public func addLine(to point: CGPoint) { path.addLine(to: Point(point)) }

  /// Adds a cubic curve.
  public func addCurve(to endPoint: CGPoint, controlPoint1: CGPoint, controlPoint2: CGPoint) {
    path.addCubic(
      to: Point(endPoint), control1: Point(controlPoint1), control2: Point(controlPoint2))
  }

  /// Adds a quadratic curve.
  public func addQuadCurve(to endPoint: CGPoint, controlPoint: CGPoint) {
    path.addQuadratic(to: Point(endPoint), control: Point(controlPoint))
  }

  /// Adds an arc of a circle, and a line to its start if a contour is open. With `clockwise`, angles
  /// increase.
  public func addArc(
    withCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat,
    clockwise: Bool
  ) {
    path.add(
      Arc(
        center: Point(center), radius: Double(radius), from: Double(startAngle),
        to: Double(endAngle), isIncreasing: clockwise))
  }

  /// Closes the current contour.
  public func close() { path.close() }

  /// Removes all elements.
  public func removeAllPoints() { path = Path(fillRule: path.fillRule) }

  /// Adds another outline.
  public func append(_ bezierPath: UIBezierPath) { path.append(bezierPath.path) }

  /// The same outline run through backwards.
  public func reversing() -> UIBezierPath { UIBezierPath(path.reversed) }

  /// Transforms all points.
  public func apply(_ transform: CGAffineTransform) {
    path = path.applying(Graphics.AffineTransform(transform))
  }
}

/// Corners of a rectangle.
public struct UIRectCorner: OptionSet, Sendable {
  /// A bit for each corner.
  public let rawValue: UInt

  /// Corners by their bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The upper left corner.
  public static let topLeft = UIRectCorner(rawValue: 1)
  /// The upper right corner.
  public static let topRight = UIRectCorner(rawValue: 2)
  /// The lower left corner.
  public static let bottomLeft = UIRectCorner(rawValue: 4)
  /// The lower right corner.
  public static let bottomRight = UIRectCorner(rawValue: 8)
  /// All four.
  public static let allCorners = UIRectCorner(rawValue: .max)
}
