public import Graphics

extension PKStrokePath {
  /// The location on the curve at a parameter value; values beyond the path give its ends. The path
  /// must not be empty.
  public func interpolatedLocation(at parameter: Double) -> Point {
    let (span, u) = place(of: parameter)
    return self.span(span).location(at: u)
  }

  /// The point on the curve at a parameter value; values beyond the path give its ends. The path
  /// must not be empty.
  public func interpolatedPoint(at parameter: Double) -> PKStrokePoint {
    let (span, u) = place(of: parameter)
    var walker = SplineWalker(self)
    return walker.point(at: Double(span) + u)
  }

  /// Points along the curve in even steps, which must be positive. The first lies at the start of
  /// the range and the last at its end, so the final step may be a shorter one. Without a range the
  /// whole path is walked; an empty path has no points.
  public func interpolatedPoints(
    in range: ClosedRange<Double>? = nil, by stride: InterpolatedSlice.Stride
  ) -> InterpolatedSlice {
    InterpolatedSlice(
      path: self, range: (range ?? parameterRange).clamped(to: parameterRange), stride: stride)
  }

  /// The parameter value some way further along the path, or back if the way is negative; at most an
  /// end of the path. The path must not be empty.
  public func parametricValue(_ parameter: Double, offsetBy stride: InterpolatedSlice.Stride)
    -> Double
  {
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
    guard seconds != 0 else { return start }
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
  private let cursor: PointCursor
  /// The span that the walker is in, as a number from which parameter values count.
  private var base = -Double.infinity
  private var span = SplineSpan(.zero, .zero, .zero, .zero)
  private var from: PointValues
  private var slope = PointValues()
  private var last: PointValues

  /// A walker on a path; on an empty one it must not be asked for a point.
  init(_ path: PKStrokePath) {
    self.path = path
    cursor = PointCursor(path.columns)
    (from, last) = (PointValues(), PointValues())
  }

  /// The point at a parameter value, which must be one of the path's.
  @inline(__always)
  mutating func point(at parameter: Double) -> PKStrokePoint {
    if !(parameter >= base && parameter < base + 1) { enter(parameter) }
    let u = parameter - base
    return from.along(slope, u).point(at: span.location(at: u))
  }

  @inline(never)
  private mutating func enter(_ parameter: Double) {
    let (index, _) = path.place(of: parameter)
    from = Double(index) == base + 1 ? last : values(at: index)
    last = values(at: Swift.min(index + 1, path.count - 1))
    slope = from.slope(to: last)
    span = path.span(index)
    base = Double(index)
  }

  private func values(at index: Int) -> PointValues {
    PointValues(PKStrokePoint(cursor.point(at: index), scale: path.columns.scale))
  }
}

/// All values of a point but its location, as vectors, so that a step along a span is a handful of
/// instructions.
private struct PointValues {
  /// Time, width, height, opacity, force, azimuth, altitude, secondary scale.
  private var a = SIMD8<Double>.zero
  /// Threshold, lateral jitter, edge width.
  private var b = SIMD4<Double>.zero

  init() {}

  init(_ point: PKStrokePoint) {
    a = [
      point.timeOffset, point.size.width, point.size.height, point.opacity, point.force,
      point.azimuth, point.altitude, point.secondaryScale,
    ]
    b = [point.threshold, point.lateralJitter, point.edgeWidth, 0]
  }

  /// The way to the next point's values; azimuths take the shorter way round.
  func slope(to next: PointValues) -> PointValues {
    var slope = PointValues()
    slope.a = next.a - a
    slope.b = next.b - b
    if slope.a[5] > .pi { slope.a[5] -= 2 * .pi }
    if slope.a[5] < -.pi { slope.a[5] += 2 * .pi }
    return slope
  }

  @inline(__always)
  func along(_ slope: PointValues, _ u: Double) -> PointValues {
    var values = PointValues()
    values.a = a + slope.a * u
    values.b = b + slope.b * u
    return values
  }

  @inline(__always)
  func point(at location: Point) -> PKStrokePoint {
    var point = PKStrokePoint(
      location: location, timeOffset: a[0], size: Size(width: a[1], height: a[2]), opacity: a[3],
      force: a[4], azimuth: a[5], altitude: a[6], secondaryScale: a[7], threshold: b[0],
      lateralJitter: b[1])
    point.edgeWidth = b[2]
    return point
  }
}

extension PKStrokePath {
  /// Points along a path in even steps; see `PKStrokePath.interpolatedPoints(in:by:)`.
  public struct InterpolatedSlice: Sequence, Sendable {
    /// How far one step along the path goes.
    public enum Stride: Hashable, Sendable {
      /// Points along the curve, before the stroke's transform.
      case distance(Double)
      /// Seconds by the control points' times.
      case time(Double)
      /// Parameter value: 1 leads from one control point to the next.
      case parametricStep(Double)
    }

    let path: PKStrokePath
    let range: ClosedRange<Double>
    let stride: Stride

    /// Starts at the beginning of the range.
    public func makeIterator() -> Iterator { Iterator(self) }

    /// Walks along the path.
    public struct Iterator: IteratorProtocol {
      private var walker: SplineWalker
      private let path: PKStrokePath
      private let stride: Stride
      private let start: Double
      private let end: Double
      /// The parameter value of the next point; infinite behind the last.
      private var parameter: Double
      /// The step in parameter values, or 0 where it has to be found anew each time.
      private let step: Double
      private var stepCount = 0.0

      init(_ points: InterpolatedSlice) {
        let size =
          switch points.stride {
          case .distance(let size), .time(let size), .parametricStep(let size): size
          }
        precondition(size > 0, "a step along a path must be positive")
        path = points.path
        stride = points.stride
        walker = SplineWalker(path)
        start = points.range.lowerBound
        end = points.range.upperBound
        parameter = path.isEmpty ? .infinity : start
        if case .parametricStep = stride { step = size } else { step = 0 }
      }

      /// The next point, or nil past the end of the range.
      public mutating func next() -> PKStrokePoint? {
        guard parameter <= end else { return nil }
        let current = parameter
        if step > 0 {
          // Counted steps rather than a growing sum: a million small steps end where they should.
          stepCount += 1
          parameter = start + stepCount * step
        } else {
          parameter = path.parametricValue(current, offsetBy: stride)
        }
        // A step too small to count ends the walk, and one that all but reaches the end is the last.
        if !(parameter > current && parameter < end - 1e-9) {
          parameter = current == end ? .infinity : end
        }
        return walker.point(at: current)
      }
    }
  }
}
