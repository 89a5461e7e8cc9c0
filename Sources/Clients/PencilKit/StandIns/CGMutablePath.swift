public import Foundation
import Graphics

/// An outline that can be changed.
public class CGMutablePath: CGPath {
  /// An empty outline.
  public init() { super.init(Path()) }
}

extension CGMutablePath {
  /// Starts a contour.
  public func move(to point: CGPoint, transform: CGAffineTransform = .identity) {
    path.move(to: Point(point.applying(transform)))
  }

  /// Adds a line; does nothing to an empty outline, which has no current point.
  public func addLine(to point: CGPoint, transform: CGAffineTransform = .identity) {
    guard !isEmpty else { return }
    path.addLine(to: Point(point.applying(transform)))
  }

  /// Starts a contour at the first point and adds lines to the others.
  public func addLines(between points: [CGPoint], transform: CGAffineTransform = .identity) {
    guard let first = points.first else { return }
    move(to: first, transform: transform)
    for point in points.dropFirst() { addLine(to: point, transform: transform) }
  }

  /// Adds a quadratic curve; does nothing to an empty outline.
  public func addQuadCurve(
    to end: CGPoint, control: CGPoint, transform: CGAffineTransform = .identity
  ) {
    guard !isEmpty else { return }
    path.addQuadratic(
      to: Point(end.applying(transform)), control: Point(control.applying(transform)))
  }

  /// Adds a cubic curve; does nothing to an empty outline.
  public func addCurve(
    to end: CGPoint, control1: CGPoint, control2: CGPoint,
    transform: CGAffineTransform = .identity
  ) {
    guard !isEmpty else { return }
    path.addCubic(
      to: Point(end.applying(transform)), control1: Point(control1.applying(transform)),
      control2: Point(control2.applying(transform)))
  }

  /// Closes the current contour.
  public func closeSubpath() { path.close() }

  /// Adds a rectangle as a contour of its own.
  public func addRect(_ rect: CGRect, transform: CGAffineTransform = .identity) {
    path.append(Path(Rect(rect)).applying(Graphics.AffineTransform(transform)))
  }

  /// Adds rectangles as contours of their own.
  public func addRects(_ rects: [CGRect], transform: CGAffineTransform = .identity) {
    for rect in rects { addRect(rect, transform: transform) }
  }

  /// Adds an ellipse as a contour of its own.
  public func addEllipse(in rect: CGRect, transform: CGAffineTransform = .identity) {
    path.append(Path(ellipseIn: Rect(rect)).applying(Graphics.AffineTransform(transform)))
  }

  /// Adds a rectangle with rounded corners as a contour of its own.
  public func addRoundedRect(
    in rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat,
    transform: CGAffineTransform = .identity
  ) {
    let size = Size(width: Double(cornerWidth), height: Double(cornerHeight))
    path.append(
      Path(roundedRect: Rect(rect), corners: .allCorners, size: size)
        .applying(Graphics.AffineTransform(transform)))
  }

  /// Adds an arc of a circle, and a line to its start if a contour is open. `clockwise` refers to
  /// coordinates in which y grows upwards; on a page, where y grows downwards, the direction is
  /// reversed.
  public func addArc(
    center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool,
    transform: CGAffineTransform = .identity
  ) {
    let arc = Arc(
      center: Point(center), radius: Double(radius), from: Double(startAngle),
      to: Double(endAngle), isIncreasing: !clockwise)
    path.add(arc, Graphics.AffineTransform(transform))
  }

  /// Adds another outline.
  public func addPath(_ other: CGPath, transform: CGAffineTransform = .identity) {
    path.append(other.path.applying(Graphics.AffineTransform(transform)))
  }
}
