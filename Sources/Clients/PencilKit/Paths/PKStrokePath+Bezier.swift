public import Foundation
import Graphics
import Strokes

extension PKStrokePath {
  /// The curve as one cubic curve for each step between control points. A single point gives a move, a path without
  /// points nothing.
  public var bezierRepresentation: CGPath { CGPath(base.bezierRepresentation) }

  /// A path along the first contour of an outline.
  ///
  /// What `bezierRepresentation` gave becomes the same curve again. Any other curve is followed within a hundredth of a
  /// point where it is smooth; its corners become round, and the ends have no curvature.
  /// - Parameters:
  ///   - bezierPath: of which the first contour counts.
  ///   - creationDate: when the stroke began.
  ///   - pointProvider: is called for each control point in order, and returns it.
  public init(
    bezierPath: CGPath, creationDate: Date, pointProvider: (ConvertedBezierPoint) -> PKStrokePoint
  ) {
    // The curve as it is: rounded to 32 bits it would not be exactly that of a path any more, and become another one
    // with a hundred times as many points.
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

  /// What is known about a control point that a curve was converted to.
  public struct ConvertedBezierPoint: Sendable {
    /// Its index among the control points.
    public let index: Int
    /// The number of all control points.
    public let pointCount: Int
    /// Where it is. It is not on the curve.
    public let location: CGPoint
    /// The index of the line or curve of the outline that it belongs to; moves do not count.
    public let bezierSegmentIndex: Int
  }
}
