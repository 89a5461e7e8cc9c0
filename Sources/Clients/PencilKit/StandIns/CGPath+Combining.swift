public import Foundation
import Graphics

// Set operations on areas, and outlines of lines. Curves become straight pieces, which deviate by
// at most a twentieth of a point.

extension CGPath {
  private func filled(by rule: CGPathFillRule) -> Path {
    var filled = path
    filled.fillRule = rule == .evenOdd ? .evenOdd : .nonZero
    return filled
  }

  /// The area inside at least one of both outlines.
  public func union(_ other: CGPath, using rule: CGPathFillRule = .winding) -> CGPath {
    CGPath(filled(by: rule).union(other.filled(by: rule)))
  }

  /// The area inside both outlines.
  public func intersection(_ other: CGPath, using rule: CGPathFillRule = .winding) -> CGPath {
    CGPath(filled(by: rule).intersection(other.filled(by: rule)))
  }

  /// The area inside this outline, but not inside the other.
  public func subtracting(_ other: CGPath, using rule: CGPathFillRule = .winding) -> CGPath {
    CGPath(filled(by: rule).subtracting(other.filled(by: rule)))
  }

  /// The area inside exactly one of both outlines.
  public func symmetricDifference(
    _ other: CGPath, using rule: CGPathFillRule = .winding
  ) -> CGPath { CGPath(filled(by: rule).symmetricDifference(other.filled(by: rule))) }

  /// The same area as polygons that do not cross, by either rule.
  public func normalized(using rule: CGPathFillRule = .winding) -> CGPath {
    CGPath(filled(by: rule).union(Path()))
  }

  /// The connected pieces of the area, each with its holes.
  public func componentsSeparated(using rule: CGPathFillRule = .winding) -> [CGPath] {
    filled(by: rule).components().map { CGPath($0) }
  }

  /// Whether some area is inside both outlines.
  public func intersects(_ other: CGPath, using rule: CGPathFillRule = .winding) -> Bool {
    !intersection(other, using: rule).isEmpty
  }

  /// The outline with straight pieces instead of curves, which deviate by at most a threshold in
  /// points.
  public func flattened(threshold: CGFloat) -> CGPath {
    CGPath(Path(path.polylines(tolerance: max(Double(threshold), 1e-3)), fillRule: path.fillRule))
  }

  /// The area of a line along the outline, after a transform of the outline.
  public func copy(
    strokingWithWidth lineWidth: CGFloat, lineCap: CGLineCap, lineJoin: CGLineJoin,
    miterLimit: CGFloat, transform: CGAffineTransform = .identity
  ) -> CGPath {
    let shape = LineShape(
      radius: Double(lineWidth) / 2, cap: lineCap, join: lineJoin, miterLimit: Double(miterLimit))
    return CGPath(shape.outline(along: path.applying(Graphics.AffineTransform(transform))))
  }

  /// The dashes of a line along the outline, after a transform of the outline. `lengths` contains
  /// the lengths of dashes and gaps in turn.
  public func copy(
    dashingWithPhase phase: CGFloat, lengths: [CGFloat], transform: CGAffineTransform = .identity
  ) -> CGPath {
    CGPath(
      path.applying(Graphics.AffineTransform(transform))
        .dashed(lengths: lengths.map { Double($0) }, phase: Double(phase)))
  }
}
