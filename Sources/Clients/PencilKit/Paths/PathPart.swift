public import Foundation
import Graphics
import Strokes

/// A part of a path, between two parameter values that need not be whole.
///
/// A section of a uniform B-spline is not uniform. So the part is a new spline through the same
/// points of the curve at both ends and at every control point between them: it has one control
/// point for each of these.
struct PathPart {
  let whole: Strokes.PKStrokePath
  let range: ClosedRange<Double>
  /// The parameter values of the whole path at the part's own 0, 1, 2 …
  private let knots: [Double]

  /// The part in a range, which is clamped to the path.
  init(_ whole: Strokes.PKStrokePath, _ range: ClosedRange<Double>) {
    self.whole = whole
    self.range = range.clamped(to: whole.parameterRange)
    let (start, end) = (self.range.lowerBound, self.range.upperBound)
    // A control point this close to an end is the end.
    let least = 1e-6
    let first = Int(clamping: (start + least).rounded(.down)) + 1
    let last = Int(clamping: (end - least).rounded(.up)) - 1
    let between = first <= last ? (first...last).map { Double($0) } : []
    knots = [start] + between + (end > start ? [end] : [])
  }

  /// Whether the part is the whole path.
  var isWhole: Bool { range == whole.parameterRange }

  /// The identifier of the part's path, which depends only on the whole path and the range.
  private var identifier: Identifier {
    (whole.identifier ?? .zero)
      .derived("part from", Int(truncatingIfNeeded: range.lowerBound.bitPattern))
      .derived("part to", Int(truncatingIfNeeded: range.upperBound.bitPattern))
  }

  /// Whether a path has the identifier of the part's.
  func isPath(_ path: PKStrokePath) -> Bool { path.base.identifier == identifier }

  /// The part as a path.
  var path: PKStrokePath {
    if isWhole || whole.isEmpty { return PKStrokePath(whole, identifier: .zero) }
    let controls = Strokes.PKStrokePath.splineControls(
      throughKnots: knots.map { whole.interpolatedLocation(at: $0) })
    let points = zip(knots, controls).map { knot, control in
      var point = whole.interpolatedPoint(at: knot)
      point.location = control
      return point
    }
    return PKStrokePath(
      Strokes.PKStrokePath(controlPoints: points, creationDate: whole.creationDate)
        .identified(by: identifier), identifier: identifier)
  }

  /// Converts a parameter value of the part to one of the whole path.
  func wholeParameter(_ parameter: Double) -> Double {
    let last = Double(knots.count - 1)
    let value = min(max(0, parameter), last)
    let index = min(Int(clamping: value), max(knots.count - 2, 0))
    guard index + 1 < knots.count else { return knots[index] }
    return knots[index] + (knots[index + 1] - knots[index]) * (value - Double(index))
  }

  /// Converts a parameter value of the whole path to one of the part.
  func partParameter(_ parameter: Double) -> Double {
    let index = min(knots.count { $0 <= parameter }, knots.count - 1) - 1
    guard index >= 0 else { return 0 }
    let (from, to) = (knots[index], knots[index + 1])
    return Double(index) + min(max(0, (parameter - from) / (to - from)), 1)
  }
}

extension PKStrokePath {
  /// The part of the path between two parameter values, as a path of its own.
  public subscript(bounds: ClosedRange<CGFloat>) -> PKStrokePath {
    PathPart(base, ClosedRange<Double>(bounds)).path
  }
}
