public import Foundation
import Graphics

/// An outline that apps use for masks and erasing. It has no colours and is never drawn here.
open class UIBezierPath: NSObject, NSCopying, NSSecureCoding {
  /// The outline with its fill rule.
  final var path: Path

  /// The width of a line along the outline.
  open var lineWidth: CGFloat = 1
  /// The maximum deviation of straight pieces from curves.
  open var flatness: CGFloat = 0.6
  /// The maximum length of a line's corners, in widths.
  open var miterLimit: CGFloat = 10
  /// The shape of a line's ends.
  open var lineCapStyle: CGLineCap = .butt
  /// The shape of a line's corners.
  open var lineJoinStyle: CGLineJoin = .miter
  /// The lengths of a line's dashes and gaps in turn; empty for a line without gaps.
  private var dashLengths: [CGFloat] = []
  /// The offset in the dash pattern at which a line starts.
  private var dashPhase: CGFloat = 0

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

  /// A rectangle; the given corners are quarters of an ellipse.
  public convenience init(
    roundedRect rect: CGRect, byRoundingCorners corners: UIRectCorner, cornerRadii: CGSize
  ) {
    let size = Size(width: Double(cornerRadii.width), height: Double(cornerRadii.height))
    self.init(Path(roundedRect: Rect(rect), corners: corners, size: size))
  }

  /// An arc of a circle. With `clockwise`, as seen on a page, angles increase.
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

  /// An independent copy.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = UIBezierPath(path)
    copy.lineWidth = lineWidth
    copy.flatness = flatness
    copy.miterLimit = miterLimit
    copy.lineCapStyle = lineCapStyle
    copy.lineJoinStyle = lineJoinStyle
    (copy.dashLengths, copy.dashPhase) = (dashLengths, dashPhase)
    return copy
  }

  /// Outlines can be archived.
  open class var supportsSecureCoding: Bool { true }

  /// The keys of values in archives. They are this package's own, because Apple does not publish
  /// its keys.
  private enum Key {
    static let elements = "PencilKit.elements"
    static let points = "PencilKit.points"
    static let usesEvenOddFillRule = "PencilKit.usesEvenOddFillRule"
    static let lineWidth = "PencilKit.lineWidth"
    static let flatness = "PencilKit.flatness"
    static let miterLimit = "PencilKit.miterLimit"
    static let lineCapStyle = "PencilKit.lineCapStyle"
    static let lineJoinStyle = "PencilKit.lineJoinStyle"
    static let dashLengths = "PencilKit.dashLengths"
    static let dashPhase = "PencilKit.dashPhase"
  }

  /// Reads an outline from an `NSKeyedArchiver` archive; nil if it is damaged.
  public required init?(coder: NSCoder) {
    func numbers(_ key: String) -> [Double]? {
      coder.decodeObject(of: NSData.self, forKey: key).flatMap { [Double](littleEndian: Data($0)) }
    }
    guard coder.allowsKeyedCoding,
      let kinds = coder.decodeObject(of: NSData.self, forKey: Key.elements),
      let points = numbers(Key.points), let path = Path(kinds: Data(kinds), numbers: points),
      let dashes = numbers(Key.dashLengths)
    else {
      coder.failWithError(CocoaError(.coderReadCorrupt))
      return nil
    }
    self.path = path
    super.init()
    usesEvenOddFillRule = coder.decodeBool(forKey: Key.usesEvenOddFillRule)
    lineWidth = CGFloat(coder.decodeDouble(forKey: Key.lineWidth))
    flatness = CGFloat(coder.decodeDouble(forKey: Key.flatness))
    miterLimit = CGFloat(coder.decodeDouble(forKey: Key.miterLimit))
    lineCapStyle = CGLineCap(rawValue: coder.decodeInt32(forKey: Key.lineCapStyle)) ?? .butt
    lineJoinStyle = CGLineJoin(rawValue: coder.decodeInt32(forKey: Key.lineJoinStyle)) ?? .miter
    dashLengths = dashes.map { CGFloat($0) }
    dashPhase = CGFloat(coder.decodeDouble(forKey: Key.dashPhase))
  }

  /// Writes the outline for `NSKeyedArchiver`.
  open func encode(with coder: NSCoder) {
    let (kinds, points) = path.coded
    coder.encode(kinds as NSData, forKey: Key.elements)
    coder.encode(points.littleEndian as NSData, forKey: Key.points)
    coder.encode(usesEvenOddFillRule, forKey: Key.usesEvenOddFillRule)
    coder.encode(Double(lineWidth), forKey: Key.lineWidth)
    coder.encode(Double(flatness), forKey: Key.flatness)
    coder.encode(Double(miterLimit), forKey: Key.miterLimit)
    coder.encode(lineCapStyle.rawValue, forKey: Key.lineCapStyle)
    coder.encode(lineJoinStyle.rawValue, forKey: Key.lineJoinStyle)
    coder.encode(dashLengths.map { Double($0) }.littleEndian as NSData, forKey: Key.dashLengths)
    coder.encode(Double(dashPhase), forKey: Key.dashPhase)
  }

  /// Sets the lengths of dashes and gaps in turn, and the offset at which a line starts in them;
  /// nil or 0 for none.
  open func setLineDash(_ pattern: UnsafePointer<CGFloat>?, count: Int, phase: CGFloat) {
    dashLengths = Array(
      UnsafeBufferPointer(start: pattern, count: pattern == nil ? 0 : max(0, count)))
    dashPhase = phase
  }

  /// Stores the lengths of dashes and gaps, their number, and the offset at which a line starts in
  /// them, through each pointer that is not nil.
  open func getLineDash(
    _ pattern: UnsafeMutablePointer<CGFloat>?, count: UnsafeMutablePointer<Int>?,
    phase: UnsafeMutablePointer<CGFloat>?
  ) {
    for (index, length) in dashLengths.enumerated() { pattern?[index] = length }
    count?.pointee = dashLengths.count
    phase?.pointee = dashPhase
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

  /// Whether the inside is defined by odd winding numbers, instead of all numbers other than 0.
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

  /// Adds a line; does nothing to an empty outline, which has no current point.
  public func addLine(to point: CGPoint) {
    guard !isEmpty else { return }
    path.addLine(to: Point(point))
  }

  /// Adds a cubic curve; does nothing to an empty outline.
  public func addCurve(to endPoint: CGPoint, controlPoint1: CGPoint, controlPoint2: CGPoint) {
    guard !isEmpty else { return }
    path.addCubic(
      to: Point(endPoint), control1: Point(controlPoint1), control2: Point(controlPoint2))
  }

  /// Adds a quadratic curve; does nothing to an empty outline.
  public func addQuadCurve(to endPoint: CGPoint, controlPoint: CGPoint) {
    guard !isEmpty else { return }
    path.addQuadratic(to: Point(endPoint), control: Point(controlPoint))
  }

  /// Adds an arc of a circle, and a line to its start if a contour is open. With `clockwise`,
  /// angles increase.
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
