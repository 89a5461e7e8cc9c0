extension PKStrokePath {
  /// A part of a path between two parameter values, which need not be whole.
  ///
  /// A uniform B-spline cut at a fraction is not a uniform B-spline any more, so a slice looks into
  /// its path instead of copying points: every point of it is the path's own.
  public struct FractionalSlice: Hashable, Sendable {
    /// The path this is a part of.
    public let base: PKStrokePath
    /// The parameter values of the path that belong to the part.
    public let range: ClosedRange<Double>

    /// The point on the curve at a parameter value of the path, moved into the range.
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

  /// The part between two parameter values, moved into the path where they lie beyond.
  public subscript(range: ClosedRange<Double>) -> FractionalSlice {
    FractionalSlice(base: self, range: range.clamped(to: parameterRange))
  }
}

extension ClosedRange<Double> {
  /// The whole path in parameter values, whatever its length.
  package static let wholePath = 0...Double.infinity
}
