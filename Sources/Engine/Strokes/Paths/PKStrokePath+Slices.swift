extension PKStrokePath {
  /// A part of a path between two parameter values, which need not be integers.
  ///
  /// A uniform B-spline that is cut at a fraction is not a uniform B-spline any more. So a slice is
  /// a view of its path and copies no points: every point of it is a point of the path.
  public struct FractionalSlice: Hashable, Sendable {
    /// The path that this is a part of.
    public let base: PKStrokePath
    /// The parameter values of the path that belong to the part.
    public let range: ClosedRange<Double>

    /// The point on the curve at a parameter value of the path, which is clamped to the range.
    public func interpolatedPoint(at parameter: Double) -> PKStrokePoint {
      base.interpolatedPoint(
        at: Swift.min(Swift.max(parameter, range.lowerBound), range.upperBound))
    }

    /// Points in even steps from the start of the range to its end.
    public func interpolatedPoints(by stride: InterpolatedSlice.Stride) -> InterpolatedSlice {
      base.interpolatedPoints(in: range, by: stride)
    }

    /// The length of this part of the curve, in points.
    public var length: Double { base.length(in: range) }

    /// A smaller part, in parameter values of the path.
    public subscript(range: ClosedRange<Double>) -> FractionalSlice {
      FractionalSlice(base: base, range: range.clamped(to: self.range))
    }
  }

  /// The part between two parameter values, which are clamped to the path.
  public subscript(range: ClosedRange<Double>) -> FractionalSlice {
    FractionalSlice(base: self, range: range.clamped(to: parameterRange))
  }
}

extension ClosedRange<Double> {
  /// The range of parameter values of a whole path of any length.
  package static let wholePath = 0...Double.infinity
}
