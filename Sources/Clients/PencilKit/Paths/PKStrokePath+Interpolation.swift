public import Foundation
import Strokes

extension PKStrokePath {
  /// The location on the curve at a parameter value; the origin for a path without points.
  public func interpolatedLocation(at parametricValue: CGFloat) -> CGPoint {
    isEmpty ? .zero : CGPoint(base.interpolatedLocation(at: Double(parametricValue)))
  }

  /// The point of the curve at a parameter value: its location is on the spline, and its other
  /// values are interpolated between the neighbouring control points. For a path without points,
  /// all values are 0.
  public func interpolatedPoint(at parametricValue: CGFloat) -> PKStrokePoint {
    guard !isEmpty else {
      return PKStrokePoint(
        location: .zero, timeOffset: 0, size: .zero, opacity: 0, force: 0, azimuth: 0, altitude: 0)
    }
    // NaN is treated as the start.
    return PKStrokePoint(
      base.interpolatedPoint(at: parametricValue.isNaN ? 0 : Double(parametricValue)))
  }

  /// Points along the curve in even steps from the start of a range to its end, which is always the
  /// last point. Without a range, points of the whole path. With a step that does not advance, such
  /// as 0, only the two ends.
  public func interpolatedPoints(
    in range: ClosedRange<CGFloat>? = nil, by strideBy: InterpolatedSlice.Stride
  ) -> InterpolatedSlice {
    let stride = Strokes.PKStrokePath.InterpolatedSlice.Stride(strideBy)
    let points = base.interpolatedPoints(
      in: range.map { ClosedRange<Double>($0) },
      by: stride.size > 0 ? stride : .parametricStep(.infinity))
    return InterpolatedSlice(points.makeIterator())
  }

  /// The parameter value a step further along the curve, or back if the step is negative; clamped
  /// to the ends of the path.
  public func parametricValue(
    _ parametricValue: CGFloat, offsetBy step: InterpolatedSlice.Stride
  ) -> CGFloat {
    guard !isEmpty else { return 0 }
    let start = parametricValue.isNaN ? 0 : Double(parametricValue)
    let stride = Strokes.PKStrokePath.InterpolatedSlice.Stride(step)
    return CGFloat(
      base.parametricValue(start, offsetBy: stride.size.isNaN ? .parametricStep(0) : stride))
  }
}

extension PKStrokePath {
  /// Points along a path in even steps, computed one by one.
  public struct InterpolatedSlice: Sequence, IteratorProtocol {
    /// The size of a step.
    public enum Stride: Sendable {
      /// A distance along the curve, in points before the stroke's transform.
      case distance(CGFloat)
      /// Seconds.
      case time(TimeInterval)
      /// A difference of parameter values.
      case parametricStep(CGFloat)
    }

    private var rest: Strokes.PKStrokePath.InterpolatedSlice.Iterator

    init(_ rest: Strokes.PKStrokePath.InterpolatedSlice.Iterator) { self.rest = rest }

    /// The next point; nil after the last.
    public mutating func next() -> PKStrokePoint? { rest.next().map { PKStrokePoint($0) } }
  }
}

extension Strokes.PKStrokePath.InterpolatedSlice.Stride {
  init(_ stride: PKStrokePath.InterpolatedSlice.Stride) {
    switch stride {
    case .distance(let size): self = .distance(Double(size))
    case .time(let size): self = .time(size)
    case .parametricStep(let size): self = .parametricStep(Double(size))
    }
  }

  var size: Double {
    switch self {
    case .distance(let size), .time(let size), .parametricStep(let size): size
    }
  }
}
