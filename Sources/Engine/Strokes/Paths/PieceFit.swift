import CMath
import Graphics

/// Finds the curve through a piece of a stroke: from its start or a corner, or on from a curve
/// before, to a corner or to its end.
///
/// Spans begin as long as the bends allow. The control points follow from the parameters by least
/// squares; the parameters move to the nearest places of the curve, and the control points are
/// found again. Spans where the curve is still too far away become shorter, until each point has
/// one.
struct PieceFit: Sendable {
  enum Start: Sendable {
    /// The spline is reflected at the stroke's first point.
    case stroke
    /// The last three control points are equal.
    case corner
    /// The curve goes on behind three control points, of which the last two have values.
    case running(
      SIMD2<Double>, SIMD2<Double>, SIMD2<Double>, values: (PKStrokePoint, PKStrokePoint))
  }

  let tolerance: Double
  var start = Start.stroke
  /// The control points of the last piece, with those that were known.
  private(set) var controls: [SIMD2<Double>] = []
  /// Their values.
  private(set) var values: [PKStrokePoint] = []
  /// The control points that were looked for.
  private(set) var found = 0..<0
  /// If there is no curve: the sample with the largest deviation.
  private(set) var worst = 0
  private var worstExcess = 0.0

  private var endsStroke = false
  private var spans: [SplineSpan] = []
  /// For each span the square of its strongest bend.
  private var bends: [Double] = []
  /// For each span, the factor by which the curve exceeds the tolerance; 0 if it does not.
  private var excesses: [Double] = []
  private var equations = SplineEquations()

  /// Larger coordinates are not fitted, since their squares have no digits for the tolerance.
  static let maximumCoordinate = 1e9
  private static let rounds = 9
  private static let maximumExcess = 1e6

  init(tolerance: Double) { self.tolerance = tolerance }

  private var startsStroke: Bool { if case .stroke = start { true } else { false } }
  private var startsAtCorner: Bool { if case .corner = start { true } else { false } }
  private var isRunning: Bool { if case .running = start { true } else { false } }
  private var spanCount: Int { controls.count - 3 }

  /// The number of control points at the start that belong to the pieces before.
  var knownCount: Int { startsStroke ? 1 : 3 }

  /// Finds the control points for samples; false if there is no curve that is near enough.
  mutating func fit(
    _ samples: UnsafeMutableBufferPointer<FitSample>, _ points: UnsafeBufferPointer<PKStrokePoint>,
    endsStroke: Bool, checksValues: Bool
  ) -> Bool {
    self.endsStroke = endsStroke
    let end = samples.count - 1
    worst = end
    if end == 1, !isRunning {
      // A straight line.
      arrange(samples, spans: 1)
      samples[0].parameter = 0
      samples[1].parameter = Double(spanCount)
      setValues(samples, points)
      return true
    }
    if case .running(_, _, _, let known) = start {
      // An end so near would be before the last known time.
      let times = (first: points[0].timeOffset, last: points[end].timeOffset)
      guard times.last < times.first || times.last >= known.1.timeOffset else { return false }
    }
    for index in 0...end {
      samples[index].velocity = .zero
      let place = samples[index].place
      guard abs(place.x) < Self.maximumCoordinate, abs(place.y) < Self.maximumCoordinate else {
        return false
      }
    }
    for round in 0..<Self.rounds {
      smoothSpacings(samples)
      guard setParameters(samples) else { return false }
      // A curve that nearly keeps the tolerance may keep it after the parameters move.
      for attempt in 0..<4 {
        findControls(samples)
        guard arePlaces else { return false }
        if check(samples) {
          setValues(samples, points)
          if !checksValues || checkValues(samples, points) { return true }
          break
        }
        if found.isEmpty || worstExcess > (attempt == 0 ? 3 : 1.2) { break }
      }
      guard round + 1 < Self.rounds, refine(samples) else { return false }
    }
    return false
  }

  // MARK: - Parameters

  /// Makes neighbouring spans differ little: a spline with even parameters cannot change its speed
  /// at once.
  private func smoothSpacings(_ samples: UnsafeMutableBufferPointer<FitSample>) {
    let growth = 2.0
    var limit = Self.maximumCoordinate
    for index in samples.indices {
      limit = min(limit, samples[index].spacing)
      samples[index].spacing = limit
      limit += growth * samples[index].step
    }
    limit = Self.maximumCoordinate
    for index in samples.indices.reversed() {
      limit = min(limit + growth * samples[index].step, samples[index].spacing)
      samples[index].spacing = limit
    }
  }

  /// Gives each sample a parameter, so that spans are as long as wanted; false if there would be
  /// far too many.
  private mutating func setParameters(_ samples: UnsafeMutableBufferPointer<FitSample>) -> Bool {
    let end = samples.count - 1
    let offset = isRunning ? samples[0].parameter : 0
    var sum = offset
    var density = 1 / samples[0].spacing
    for index in 1...end {
      let next = 1 / samples[index].spacing
      sum += samples[index - 1].step * 0.5 * (density + next)
      density = next
      samples[index].parameter = sum
    }
    guard sum > offset, sum < 3 * Double(end) + 16 else { return false }
    let count = max(sum.rounded(.up), isRunning ? 2 : 1)
    arrange(samples, spans: Int(count))
    let scale = (count - offset) / (sum - offset)
    let all = Double(spanCount)
    for index in 1..<end {
      let sum = offset + (samples[index].parameter - offset) * scale
      var parameter = sum
      if startsAtCorner { parameter = parameterFromCorner(at: sum, of: count) }
      if !endsStroke, count - sum < 1, count > 1 || sum > 0.5 {
        parameter = all - parameterFromCorner(at: count - sum, of: count)
      }
      samples[index].parameter = max(min(parameter, all), samples[index - 1].parameter)
    }
    samples[end].parameter = all
    if !isRunning { samples[0].parameter = 0 }
    return true
  }

  /// The parameter at a distance from a corner, in spans as they are away from corners. Two spans
  /// at a corner reach as far as another one.
  private func parameterFromCorner(at distance: Double, of count: Double) -> Double {
    if distance >= 1 { return distance + 1 }
    let rest = distance - 1.0 / 6
    // The first span is 1/6 u³, the second nearly 1/6 + 1/2 u + 1/3 u², or straight if another
    // corner follows.
    if rest <= 0 { return mathCubeRoot(6 * distance) }
    if count == 1 { return 1 + 1.5 * rest }
    return 1 + 1.5 * ((0.25 + 4.0 / 3 * rest).squareRoot() - 0.5)
  }

  /// Sets the known control points, for a number of spans measured as away from corners.
  private mutating func arrange(
    _ samples: UnsafeMutableBufferPointer<FitSample>, spans count: Int
  ) {
    let (first, last) = (samples[0].place, samples[samples.count - 1].place)
    controls.removeAll(keepingCapacity: true)
    switch start {
    case .stroke: controls.append(contentsOf: repeatElement(first, count: 2))
    case .corner: controls.append(contentsOf: repeatElement(first, count: 3))
    case .running(let a, let b, let c, _):
      controls.append(a)
      controls.append(b)
      controls.append(c)
    }
    found = controls.count..<controls.count + count - (isRunning ? 2 : 1)
    controls.append(
      contentsOf: repeatElement(last, count: found.count + (endsStroke ? 2 : 3)))
    reflectEnds()
    spans.removeAll(keepingCapacity: true)
  }

  private mutating func reflectEnds() {
    let last = controls.count - 1
    if startsStroke { controls[0] = 2 * controls[1] - controls[2] }
    if endsStroke { controls[last] = 2 * controls[last - 1] - controls[last - 2] }
  }

  private mutating func findControls(_ samples: UnsafeMutableBufferPointer<FitSample>) {
    if !found.isEmpty {
      equations.solve(
        &controls, in: found, through: samples, startsReflected: startsStroke,
        endsReflected: endsStroke)
    }
    reflectEnds()
    spans.removeAll(keepingCapacity: true)
    bends.removeAll(keepingCapacity: true)
    for index in 0..<spanCount {
      let (a, b, c, d) = (
        controls[index], controls[index + 1], controls[index + 2], controls[index + 3]
      )
      spans.append(SplineSpan(a, b, c, d))
      bends.append(max((a - 2 * b + c).squaredLength, (b - 2 * c + d).squaredLength))
    }
  }

  /// Whether the control points that were found are plausible for a curve through the samples.
  /// False for NaN, which the other checks would not always detect.
  private var arePlaces: Bool {
    controls[found].allSatisfy {
      abs($0.x) < 10 * Self.maximumCoordinate && abs($0.y) < 10 * Self.maximumCoordinate
    }
  }

  @inline(__always)
  private func span(at parameter: Double) -> (index: Int, u: Double) {
    let index = min(max(Int(parameter), 0), spans.count - 1)
    return (index, parameter - Double(index))
  }

  @inline(__always)
  private func place(at parameter: Double) -> SIMD2<Double> {
    let (index, u) = span(at: parameter)
    let span = spans[index]
    return ((span.c3 * u + span.c2) * u + span.c1) * u + span.c0
  }

  /// Moves a sample's parameter, which stays after another one.
  @inline(__always)
  private func move(_ sample: inout FitSample, from low: Double) -> Double {
    let (index, u) = span(at: sample.parameter)
    let span = spans[index]
    let place = ((span.c3 * u + span.c2) * u + span.c1) * u + span.c0
    let velocity = (3 * span.c3 * u + 2 * span.c2) * u + span.c1
    let factor = 1 / max(velocity.squaredLength, 1e-12)
    let step = ((sample.place - place) * velocity).sum() * factor
    (sample.velocity, sample.inverseSquare) = (velocity, factor)
    let next = sample.parameter + min(max(step, -0.3), 0.3)
    sample.parameter = next >= low ? min(next, Double(spans.count)) : low
    return sample.parameter
  }

  // MARK: - Checks

  /// Returns whether the curve is near enough, and finds the spans where it is not.
  private mutating func check(_ samples: UnsafeMutableBufferPointer<FitSample>) -> Bool {
    excesses.removeAll(keepingCapacity: true)
    excesses.append(contentsOf: repeatElement(0, count: spanCount))
    worst = 0
    worstExcess = 0
    let squaredTolerance = tolerance * tolerance
    let end = samples.count - 1
    var parameter = samples[0].parameter
    var number = 0
    for index in 1...end {
      let from = parameter
      let firstSpan = number
      var excess = 0.0
      if index < end {
        var tries = 0
        while true {
          let previous = max(samples[index].parameter, from)
          parameter = move(&samples[index], from: from)
          number = span(at: parameter).index
          guard parameter >= 0, !samples[index].isAdded else { break }
          let distance = (samples[index].place - place(at: parameter)).squaredLength
          if distance <= squaredTolerance { break }
          // Long spans take several steps to the nearest position.
          tries += 1
          let way = parameter - previous
          guard tries < 4, way * way > 0.1 * squaredTolerance * samples[index].inverseSquare else {
            excess = min(Self.maximumExcess, (distance / squaredTolerance).squareRoot())
            break
          }
        }
        guard parameter >= 0 else { continue }
      } else {
        parameter = Double(spanCount)
        number = spanCount - 1
      }
      // Between two samples the curve may be a quarter of their distance aside, as a hand turns
      // less than a corner. Bends that are weaker than this do not get there.
      let (step, change) = (samples[index - 1].step, parameter - from)
      let harmless = 4 * step * step
      var bend = bends[firstSpan]
      for other in firstSpan..<number { bend = max(bend, bends[other + 1]) }
      let square = change * change
      if !(bend * (square * square) <= harmless) {
        excess = max(
          excess, excessBetween(samples[index - 1], samples[index], from, parameter))
      }
      guard excess > 0 else { continue }
      excesses[number] = max(excesses[number], excess)
      if excess > worstExcess { (worst, worstExcess) = (index, excess) }
    }
    return worstExcess == 0
  }

  /// The factor by which the curve's distance from the line between two samples is too large; 0 if
  /// it is not.
  private func excessBetween(
    _ a: FitSample, _ b: FitSample, _ from: Double, _ to: Double
  ) -> Double {
    let reach = tolerance + 0.25 * a.step
    let way = b.place - a.place
    var excess = 0.0
    for part in 1...7 {
      let parameter = from + (to - from) * Double(part) / 8
      guard parameter >= 0 else { continue }
      let offset = place(at: parameter) - a.place
      let along = min(max((offset * way).sum() / max(way.squaredLength, 1e-300), 0), 1)
      let distance = (offset - along * way).length
      // Written so that it is also true for NaN.
      if !(distance <= reach) {
        excess = max(excess, min(Self.maximumExcess, distance / reach + 0.5))
      }
    }
    return excess
  }

  /// Returns whether the values are near enough, and finds the spans where they are not.
  private mutating func checkValues(
    _ samples: UnsafeMutableBufferPointer<FitSample>, _ points: UnsafeBufferPointer<PKStrokePoint>
  ) -> Bool {
    var isNear = true
    for index in 1..<samples.count - 1 {
      guard !samples[index].isAdded, samples[index].parameter >= 0 else { continue }
      let (number, u) = span(at: samples[index].parameter)
      let value = values[number + 1].mixed(with: values[number + 2], u)
      guard !value.isNear(points[index], tolerance) else { continue }
      excesses[number] = max(excesses[number], 1.5)
      worst = index
      isNear = false
    }
    return isNear
  }

  /// Makes spans shorter where the curve is too far away; false if they are as short as is useful.
  private func refine(_ samples: UnsafeMutableBufferPointer<FitSample>) -> Bool {
    var isChanged = false
    for index in samples.indices {
      let number = span(at: samples[index].parameter).index
      let excess = excesses[number]
      guard excess > 0 else { continue }
      let spacing = samples[index].spacing
      let shorter = max(spacing * (excess > 3 ? 0.5 : 0.7), samples[index].shortestSpacing)
      guard shorter < spacing else { continue }
      samples[index].spacing = shorter
      if shorter < 0.98 * spacing { isChanged = true }
    }
    return isChanged
  }

  // MARK: - Values

  /// Gives the control points at the ends exactly the values that are known.
  private mutating func setEndValues(
    _ known: (PKStrokePoint, PKStrokePoint)?, first: PKStrokePoint, last: PKStrokePoint
  ) {
    func set(_ index: Int, _ value: PKStrokePoint) {
      let location = values[index].location
      values[index] = value
      values[index].location = location
    }
    if let known {
      (values[1], values[2]) = known
    } else {
      set(1, first)
      if startsAtCorner { set(2, first) }
    }
    set(values.count - 2, last)
    if !endsStroke { set(values.count - 1, last) }
  }

  /// Gives the control points the values that the pen had there.
  private mutating func setValues(
    _ samples: UnsafeMutableBufferPointer<FitSample>, _ points: UnsafeBufferPointer<PKStrokePoint>
  ) {
    values.removeAll(keepingCapacity: true)
    let end = samples.count - 1
    var known: (PKStrokePoint, PKStrokePoint)?
    if case .running(_, _, _, let values) = start { known = values }
    var next = 0
    for (index, control) in controls.enumerated() {
      let parameter = Double(index - 1)
      while next + 1 < end, samples[next + 1].parameter < parameter { next += 1 }
      let (from, to) = (samples[next].parameter, samples[next + 1].parameter)
      let part = to > from ? min(max((parameter - from) / (to - from), 0), 1) : 0
      var value = points[next].mixed(with: points[next + 1], part)
      value.location = Point(x: control.x, y: control.y)
      if let known, points[0].timeOffset <= points[next].timeOffset {
        // The parameters there were others when the known ones were found.
        value.timeOffset = max(value.timeOffset, known.1.timeOffset)
      }
      values.append(value)
    }
    setEndValues(known, first: points[0], last: points[end])
  }
}
