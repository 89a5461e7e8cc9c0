public import Graphics

extension PKStrokePath {
  /// How far one step along the path goes.
  public enum Stride: Hashable, Sendable {
    /// Points along the curve, before the stroke's transform.
    case distance(Double)
    /// Seconds by the control points' times.
    case time(Double)
    /// Parameter value: 1 leads from one control point to the next.
    case parametricStep(Double)
  }

  /// The location on the curve at a parameter value; values beyond the path give its ends. The path
  /// must not be empty.
  public func interpolatedLocation(at parameter: Double) -> Point {
    let (span, u) = place(of: parameter)
    return self.span(span).location(at: u)
  }

  /// The point on the curve at a parameter value; values beyond the path give its ends. The path
  /// must not be empty.
  public func interpolatedPoint(at parameter: Double) -> PKStrokePoint {
    var walker = SplineWalker(self)
    return walker.point(at: parameter)
  }

  /// Points along the curve in even steps, which must be positive. The first lies at the start of
  /// the range and the last at its end, so the final step may be a shorter one. Without a range the
  /// whole path is walked; an empty path has no points.
  public func interpolatedPoints(
    in range: ClosedRange<Double>? = nil, by stride: Stride
  ) -> InterpolatedPoints {
    InterpolatedPoints(
      path: self, range: (range ?? parameterRange).clamped(to: parameterRange), stride: stride)
  }

  /// The parameter value some way further along the path, or back if the way is negative; at most an
  /// end of the path. The path must not be empty.
  public func parametricValue(_ parameter: Double, offsetBy stride: Stride) -> Double {
    let start = Swift.min(Swift.max(parameter, 0), parameterRange.upperBound)
    switch stride {
    case .parametricStep(let step):
      return Swift.min(Swift.max(start + step, 0), parameterRange.upperBound)
    case .time(let seconds):
      return value(from: start, after: seconds)
    case .distance(let distance):
      return value(from: start, along: distance)
    }
  }

  /// The length of the curve between two parameter values, in points.
  public func length(in range: ClosedRange<Double>? = nil) -> Double {
    guard count > 1 else { return 0 }
    let range = (range ?? parameterRange).clamped(to: parameterRange)
    let (first, last) = (place(of: range.lowerBound), place(of: range.upperBound))
    return (first.span...last.span).reduce(0) { sum, index in
      sum
        + span(index).length(
          from: index == first.span ? first.u : 0, to: index == last.span ? last.u : 1)
    }
  }

  private func value(from start: Double, along distance: Double) -> Double {
    guard count > 1 else { return 0 }
    var (index, u) = place(of: start)
    var rest = distance
    while true {
      let span = span(index)
      let available = rest >= 0 ? span.length(from: u, to: 1) : -span.length(from: 0, to: u)
      if abs(rest) < abs(available) {
        return Double(index) + span.parameter(from: u, distance: rest)
      }
      rest -= available
      index += distance >= 0 ? 1 : -1
      guard index >= 0, index < spanCount else { break }
      u = distance >= 0 ? 0 : 1
    }
    return distance >= 0 ? parameterRange.upperBound : 0
  }

  /// Walks to the first parameter value at which the wanted time is reached, so clocks that stand
  /// still or go back for a while do no harm.
  private func value(from start: Double, after seconds: Double) -> Double {
    guard count > 1 else { return 0 }
    func time(_ index: Int) -> Double { Double(columns.float(.timeOffset, at: index)) }
    var (index, u) = place(of: start)
    let target = time(index) + (time(index + 1) - time(index)) * u + seconds
    let forwards = seconds >= 0
    while index >= 0, index < spanCount {
      let (from, to) = (time(index), time(index + 1))
      let end = forwards ? to : from
      if forwards ? end >= target : end <= target, to != from {
        let value = (target - from) / (to - from)
        return Double(index)
          + (forwards ? Swift.min(Swift.max(value, u), 1) : Swift.max(Swift.min(value, u), 0))
      }
      index += forwards ? 1 : -1
      u = forwards ? 0 : 1
    }
    return forwards ? parameterRange.upperBound : 0
  }
}

/// Evaluates points along a path; walking on inside one span reads no control point again.
struct SplineWalker {
  private let path: PKStrokePath
  private var index = -1
  private var span = SplineSpan(.zero, .zero, .zero, .zero)
  private var from: PKStrokePoint
  private var to: PKStrokePoint

  /// A walker on a path, which must not be empty.
  init(_ path: PKStrokePath) {
    self.path = path
    from = path[0]
    to = from
  }

  @inline(__always)
  mutating func point(at parameter: Double) -> PKStrokePoint {
    let (index, u) = path.place(of: parameter)
    if index != self.index { enter(index) }
    return from.interpolated(to: to, at: u, location: span.location(at: u))
  }

  @inline(never)
  private mutating func enter(_ index: Int) {
    from = index == self.index + 1 ? to : path[index]
    to = path[Swift.min(index + 1, path.count - 1)]
    span = path.span(index)
    self.index = index
  }
}

/// Points along a path in even steps; see `PKStrokePath.interpolatedPoints(in:by:)`.
public struct InterpolatedPoints: Sequence, Sendable {
  let path: PKStrokePath
  let range: ClosedRange<Double>
  let stride: PKStrokePath.Stride

  /// Starts at the beginning of the range.
  public func makeIterator() -> Iterator { Iterator(self) }

  /// Walks along the path.
  public struct Iterator: IteratorProtocol {
    private let points: InterpolatedPoints
    private var walker: SplineWalker?
    private var parameter: Double
    private var stepCount = 0.0
    private let step: Double

    init(_ points: InterpolatedPoints) {
      let size =
        switch points.stride {
        case .distance(let size), .time(let size), .parametricStep(let size): size
        }
      precondition(size > 0, "a step along a path must be positive")
      self.points = points
      walker = points.path.isEmpty ? nil : SplineWalker(points.path)
      parameter = points.range.lowerBound
      if case .parametricStep(let step) = points.stride { self.step = step } else { step = 0 }
    }

    /// The next point, or nil past the end of the range.
    @inline(__always)
    public mutating func next() -> PKStrokePoint? {
      guard walker != nil, parameter <= points.range.upperBound else { return nil }
      let point = walker?.point(at: parameter)
      advance()
      return point
    }

    @inline(__always)
    private mutating func advance() {
      let end = points.range.upperBound
      if parameter == end {
        parameter = .infinity
      } else if step > 0 {
        // Counted steps rather than a growing sum: a million small steps end where they should. One
        // too small to count ends the walk.
        stepCount += 1
        let next = points.range.lowerBound + stepCount * step
        parameter = next > parameter && next < end ? next : end
      } else {
        let next = points.path.parametricValue(parameter, offsetBy: points.stride)
        parameter = next > parameter && next < end ? next : end
      }
    }
  }
}
