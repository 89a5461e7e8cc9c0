public import Graphics

extension PKStrokePath {
  /// The location on the curve at a parameter value; values beyond the path give its ends. The path
  /// must not be empty.
  public func interpolatedLocation(at parameter: Double) -> Point {
    let (span, u) = spanPosition(of: parameter)
    return self.span(span).location(at: u)
  }

  /// The point on the curve at a parameter value; values beyond the path give its ends. The path
  /// must not be empty.
  public func interpolatedPoint(at parameter: Double) -> PKStrokePoint {
    let (span, u) = spanPosition(of: parameter)
    var walker = SplineWalker(self)
    return walker.point(at: Double(span) + u)
  }

  /// Points along the curve in even steps, which must be positive. The first lies at the start of
  /// the range and the last at its end, so the final step may be shorter. Without a range, points
  /// of the whole path are returned; an empty path has none.
  public func interpolatedPoints(
    in range: ClosedRange<Double>? = nil, by stride: InterpolatedSlice.Stride
  ) -> InterpolatedSlice {
    InterpolatedSlice(
      path: self, range: (range ?? parameterRange).clamped(to: parameterRange), stride: stride)
  }

  /// The parameter value at a distance along the path, which may be negative; clamped to the ends
  /// of the path. The path must not be empty.
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
    let (first, last) = (spanPosition(of: range.lowerBound), spanPosition(of: range.upperBound))
    return (first.span...last.span).reduce(0) { sum, index in
      sum
        + span(index).length(
          from: index == first.span ? first.u : 0, to: index == last.span ? last.u : 1)
    }
  }

  private func value(from start: Double, along distance: Double) -> Double {
    guard count > 1 else { return 0 }
    var (index, u) = spanPosition(of: start)
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

  /// The first parameter value at which the time is reached, even if the times stand still or run
  /// back for a while.
  private func value(from start: Double, after seconds: Double) -> Double {
    guard count > 1 else { return 0 }
    guard seconds != 0 else { return start }
    func time(_ index: Int) -> Double { Double(columns.float(.timeOffset, at: index)) }
    var (index, u) = spanPosition(of: start)
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

/// Evaluates points along a path. Control points are read only when another span is entered.
struct SplineWalker {
  private let path: PKStrokePath
  private let cursor: PointCursor
  /// The parameter value at which the walker's span begins.
  private var base = -Double.infinity
  private var span = SplineSpan(.zero, .zero, .zero, .zero)
  private var from: PointValues
  private var slope = PointValues()
  private var last: PointValues

  /// A walker on a path. An empty path has no points, so `point(at:)` must not be called.
  init(_ path: PKStrokePath) {
    self.path = path
    cursor = PointCursor(path.columns)
    (from, last) = (PointValues(), PointValues())
  }

  /// The point at a parameter value, which must be inside of the path's range.
  @inline(__always)
  mutating func point(at parameter: Double) -> PKStrokePoint {
    if !(parameter >= base && parameter < base + 1) { enter(parameter) }
    let u = parameter - base
    return from.along(slope, u).point(at: span.location(at: u))
  }

  @inline(never)
  private mutating func enter(_ parameter: Double) {
    let (index, _) = path.spanPosition(of: parameter)
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

/// Evaluates only the values for nibs along a path, with the same results as `SplineWalker`.
struct NibWalker {
  private let path: PKStrokePath
  private let widths, aspects, azimuths: (start: Int, step: Int)
  /// The parameter value at which the walker's span begins.
  private var base = -Double.infinity
  private var span = SplineSpan(.zero, .zero, .zero, .zero)
  /// Width, height and azimuth.
  private var from = SIMD4<Double>.zero
  private var slope = SIMD4<Double>.zero
  private var last = SIMD4<Double>.zero

  /// A walker on a path that is not empty.
  init(_ path: PKStrokePath) {
    self.path = path
    widths = path.columns.layout(of: .width)
    aspects = path.columns.layout(of: .aspect)
    azimuths = path.columns.layout(of: .azimuth)
  }

  /// The location, the size and the azimuth at a parameter value, which must be inside of the
  /// path's range.
  mutating func values(at parameter: Double) -> (location: Point, size: Size, azimuth: Double) {
    if !(parameter >= base && parameter < base + 1) { enter(parameter) }
    let u = parameter - base
    let values = from + slope * u
    return (span.location(at: u), Size(width: values.x, height: values.y), values.z)
  }

  mutating func azimuth(at parameter: Double) -> Double { values(at: parameter).azimuth }

  private mutating func enter(_ parameter: Double) {
    let (index, _) = path.spanPosition(of: parameter)
    from = Double(index) == base + 1 ? last : controls(at: index)
    last = controls(at: Swift.min(index + 1, path.count - 1))
    slope = last - from
    if slope.z > .pi { slope.z -= 2 * .pi }
    if slope.z < -.pi { slope.z += 2 * .pi }
    span = path.span(index)
    base = Double(index)
  }

  private func controls(at index: Int) -> SIMD4<Double> {
    let columns = path.columns
    let width = Double(columns.floats[widths.start + widths.step * index])
    let aspect = Double(columns.words[aspects.start + aspects.step * index])
    let azimuth = columns.words[azimuths.start + azimuths.step * index]
    return SIMD4(width, width * aspect / 1000, columns.scale.azimuth(azimuth), 0)
  }
}

/// All values of a point except its location, as vectors, so that a step along a span takes only a
/// few instructions.
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

  /// The differences to the next point's values; azimuths take the shorter way around.
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
    /// The size of one step along the path.
    public enum Stride: Hashable, Sendable {
      /// A distance along the curve in points, before the stroke's transform.
      case distance(Double)
      /// Seconds, by the control points' times.
      case time(Double)
      /// A difference of parameter values: 1 is the step from one control point to the next.
      case parametricStep(Double)
    }

    let path: PKStrokePath
    let range: ClosedRange<Double>
    let stride: Stride

    /// An iterator that starts at the beginning of the range.
    public func makeIterator() -> Iterator { Iterator(self) }

    /// Iterates over points along the path.
    public struct Iterator: IteratorProtocol {
      private var walker: SplineWalker
      private let path: PKStrokePath
      private let stride: Stride
      private let start: Double
      private let end: Double
      /// The parameter value of the next point; infinite after the last.
      private var parameter: Double
      /// The step in parameter values; 0 if it has to be computed for each step.
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
          // Steps are counted and multiplied: a sum of a million small steps would have rounding
          // errors.
          stepCount += 1
          parameter = start + stepCount * step
        } else {
          parameter = path.parametricValue(current, offsetBy: stride)
        }
        // A step that is too small to change the parameter ends the walk, and a step that almost
        // reaches the end is the last one.
        if !(parameter > current && parameter < end - 1e-9) {
          parameter = current == end ? .infinity : end
        }
        return walker.point(at: current)
      }
    }
  }
}
