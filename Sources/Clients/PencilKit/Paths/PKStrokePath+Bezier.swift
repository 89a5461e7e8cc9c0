public import Foundation
import Graphics
import Strokes

extension PKStrokePath {
  /// The curve as one cubic curve for each step between control points. A single point becomes a
  /// move; a path without points is empty.
  public var bezierRepresentation: CGPath { CGPath(base.bezierRepresentation) }

  /// A path along the first contour of an outline.
  ///
  /// The result of `bezierRepresentation` becomes the same curve again. Any other curve is
  /// approximated within a hundredth of a point where it is smooth; its corners become round, and
  /// the ends have no curvature.
  /// - Parameters:
  ///   - bezierPath: the outline, of which only the first contour is used.
  ///   - creationDate: the start of the stroke.
  ///   - pointProvider: a closure that is called for each control point in order, and returns it.
  public init(
    bezierPath: CGPath, creationDate: Date, pointProvider: (ConvertedBezierPoint) -> PKStrokePoint
  ) {
    // The unrounded curve: rounded to 32 bits, it would no longer be exactly the curve of a path,
    // and its conversion would need a hundred times as many points.
    let outline = bezierPath.path
    let controls = Strokes.PKStrokePath.splineControls(
      along: outline.isFinite ? outline : outline.storable)
    self.init(
      controlPoints: controls.enumerated().map { index, control in
        pointProvider(
          ConvertedBezierPoint(
            index: index, pointCount: controls.count, location: CGPoint(control.location),
            bezierSegmentIndex: control.curve))
      }, creationDate: creationDate)
  }

  /// Facts about a control point that a curve was converted to.
  public struct ConvertedBezierPoint: Sendable {
    /// Its index among the control points.
    public let index: Int
    /// The number of all control points.
    public let pointCount: Int
    /// Its location. It is not on the curve.
    public let location: CGPoint
    /// The index of the line or curve of the outline that it belongs to; moves do not count.
    public let bezierSegmentIndex: Int
  }
}
