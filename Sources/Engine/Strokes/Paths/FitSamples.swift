import Graphics

/// A measured position of the pen, or one that was added on a long step, with data for the search
/// for the curve.
struct FitSample: Sendable {
  var place: SIMD2<Double>
  /// The distance to the next sample.
  var step = 0.0
  /// The desired length of a span of the curve here; 0 before it is known.
  var spacing = 0.0
  /// The shortest span that is useful here.
  var shortestSpacing = 0.0
  /// The curve's parameter nearest to the position.
  var parameter = 0.0
  /// The curve's velocity there, and the inverse of its square.
  var velocity = SIMD2<Double>.zero
  var inverseSquare = 0.0
  /// Whether the curve may turn sharply here.
  var isCorner = false
  /// Whether it was added between two measured positions.
  var isAdded = false

  init(_ place: SIMD2<Double>) { self.place = place }
}

/// The last points of a pen.
struct FitSamples: Sendable {
  private(set) var samples: [FitSample] = []
  /// The points' values, one for each sample.
  private(set) var values: [PKStrokePoint] = []
  /// Whether there are values, other than locations and times, that are not always the same.
  private(set) var areVarying = false
  /// The index of the first sample that was not yet examined for a corner.
  private var unexamined = 1
  private let tolerance: Double

  init(tolerance: Double) { self.tolerance = tolerance }

  var count: Int { samples.count }

  /// Adds a point, whose location must be finite.
  mutating func append(_ point: PKStrokePoint) {
    var sample = FitSample(SIMD2(point.location.x, point.location.y))
    if let last = values.last {
      let end = samples.count - 1
      if sample.place == samples[end].place {
        // The curve passes a position once, unless the values change there.
        guard !point.isNear(last, tolerance) else { return }
        samples[end].isCorner = true
        sample.isCorner = true
      }
      if !areVarying { areVarying = !point.hasSameValues(as: last) }
      samples[end].step = (sample.place - samples[end].place).length
      divideStep(before: end, next: samples[end].step)
    }
    samples.append(sample)
    values.append(point)
  }

  /// Treats the last step as one that no other follows.
  mutating func endStroke() { divideStep(before: samples.count - 1, next: .infinity) }

  /// Removes samples from the front.
  mutating func removeFirst(_ count: Int) {
    guard count > 0 else { return }
    samples.removeSubrange(..<count)
    values.removeSubrange(..<count)
    unexamined = max(unexamined - count, 1)
  }

  /// Calls a function with the samples and their values in a range.
  mutating func withSamples<Result>(
    _ range: ClosedRange<Int>,
    _ body: (UnsafeMutableBufferPointer<FitSample>, UnsafeBufferPointer<PKStrokePoint>) -> Result
  ) -> Result {
    samples.withUnsafeMutableBufferPointer { samples in
      values.withUnsafeBufferPointer { values in
        body(.init(rebasing: samples[range]), .init(rebasing: values[range]))
      }
    }
  }

  // MARK: - Long steps

  /// Adds samples on the step that leads to a sample, if it is much longer than its neighbours.
  /// Spans of the curve differ little from their neighbours, so there are some on such a step,
  /// which would bend aside without samples.
  private mutating func divideStep(before end: Int, next: Double) {
    guard end >= 1, !samples[end - 1].isAdded else { return }
    let length = samples[end - 1].step
    let previous = max(end >= 2 ? samples[end - 2].step : .infinity, tolerance)
    let next = max(next, tolerance)
    guard length > 3 * min(previous, next), length < PieceFit.maximumCoordinate else { return }
    // From both ends, each step is twice as long as the one before.
    var (left, right) = (0.0, length)
    var (leftStep, rightStep) = (2 * previous, 2 * next)
    var (lefts, rights) = ([Double](), [Double]())
    while right - left > 3 * min(leftStep, rightStep) {
      if leftStep <= rightStep {
        left += leftStep
        lefts.append(left)
        leftStep *= 2
      } else {
        right -= rightStep
        rights.append(right)
        rightStep *= 2
      }
    }
    guard let last = samples.popLast(), let lastValue = values.popLast() else { return }
    let (first, firstValue) = (samples[end - 1], values[end - 1])
    var distance = 0.0
    for next in lefts + rights.reversed() {
      samples[samples.count - 1].step = next - distance
      distance = next
      var sample = FitSample(first.place + (last.place - first.place) * (distance / length))
      sample.isAdded = true
      samples.append(sample)
      values.append(firstValue.mixed(with: lastValue, distance / length))
    }
    samples[samples.count - 1].step = length - distance
    samples.append(last)
    values.append(lastValue)
  }

  // MARK: - Corners

  /// The cosine of the turn that makes a corner: 60°.
  private static let cornerCosine = 0.5

  /// Marks the corners, as far as enough samples follow. A corner turns sharply in a small and in a
  /// larger neighbourhood: small loops do not in the small one, noise does not in the larger.
  mutating func markCorners(endsStroke: Bool) {
    let (near, wide) = (10 * tolerance, 25 * tolerance)
    let last = samples.count - 1
    var best: (index: Int, cosine: Double)?
    var index = unexamined
    while index < last {
      // Of several turns within the reach, the sharpest is the corner.
      if let corner = best?.index,
        (samples[index].place - samples[corner].place).length > near
      {
        markCorner(corner)
        best = nil
        unexamined = index
      }
      guard let nearCosine = turn(at: index, within: near, endsStroke) else { break }
      if nearCosine < Self.cornerCosine {
        guard let wideCosine = turn(at: index, within: wide, endsStroke) else { break }
        let cosine = (nearCosine + wideCosine) / 2
        if wideCosine < Self.cornerCosine, cosine < best?.cosine ?? 1 { best = (index, cosine) }
      }
      index += 1
      if best == nil { unexamined = index }
    }
    if endsStroke, let corner = best?.index { markCorner(corner) }
  }

  private mutating func markCorner(_ index: Int) {
    samples[index].isCorner = true
    samples[index].spacing = PieceFit.maximumCoordinate
  }

  /// The number of samples that are looked at on each side.
  private static let neighbourLimit = 32

  /// The first samples before and after another one that are at least a distance away.
  private func neighbours(
    of index: Int, within reach: Double, stopAtCorners: Bool = false
  ) -> (before: Int, after: Int) {
    let here = samples[index].place
    let first = max(index - Self.neighbourLimit, 0)
    let last = min(index + Self.neighbourLimit, samples.count - 1)
    var (before, after) = (index - 1, index + 1)
    func isBetween(_ other: Int) -> Bool {
      (samples[other].place - here).squaredLength < reach * reach
        && !(stopAtCorners && samples[other].isCorner)
    }
    while before > first, isBetween(before) { before -= 1 }
    while after < last, isBetween(after) { after += 1 }
    return (before, after)
  }

  /// The cosine of the turn at a sample; nil if more samples are needed.
  private func turn(at index: Int, within reach: Double, _ endsStroke: Bool) -> Double? {
    let (before, after) = neighbours(of: index, within: reach)
    let from = samples[index].place - samples[before].place
    let to = samples[after].place - samples[index].place
    let isUndecided =
      after == samples.count - 1 && after < index + Self.neighbourLimit
      && to.squaredLength < reach * reach
    if isUndecided, !endsStroke { return nil }
    let lengths = (from.squaredLength * to.squaredLength).squareRoot()
    return lengths > 0 ? (from * to).sum() / lengths : 1
  }

  // MARK: - Spacing

  /// Finds the desired length of spans at samples where it is unknown.
  mutating func findSpacings() {
    // A cubic spline follows a bend of a radius r within a distance d if its spans have about this
    // part of (d·r³)^¼.
    let factor = 6 * tolerance.squareRoot().squareRoot()
    let last = samples.count - 1
    for index in samples.indices where samples[index].spacing == 0 {
      let before = index > 0 ? samples[index - 1].step : .infinity
      let after = index < last ? samples[index].step : .infinity
      let shortest = max(0.85 * min(before, after), 0.02 * tolerance)
      samples[index].shortestSpacing = shortest
      samples[index].spacing = PieceFit.maximumCoordinate
      // A corner needs no short spans.
      guard index > 0, index < last, !samples[index].isCorner else { continue }
      let (low, high) = neighbours(of: index, within: 4 * tolerance, stopAtCorners: true)
      let from = samples[index].place - samples[low].place
      let to = samples[high].place - samples[index].place
      let (fromLength, toLength) = (from.length, to.length)
      let cosine = (from * to).sum() / max(fromLength * toLength, 1e-300)
      // Twice the sine of half of the turn, over half of the distance.
      let turn = (2 * max(1 - cosine, 0)).squareRoot()
      let curvature = max(2 * turn / (fromLength + toLength), 1e-12)
      let root = curvature.squareRoot()
      samples[index].spacing = max(factor / (root * root.squareRoot()), shortest)
    }
  }
}

extension SIMD2 where Scalar == Double {
  @inline(__always) var squaredLength: Double { (self * self).sum() }
  @inline(__always) var length: Double { squaredLength.squareRoot() }
}

extension PKStrokePoint {
  /// Whether all values but location and time are another point's.
  fileprivate func hasSameValues(as other: PKStrokePoint) -> Bool {
    size == other.size && opacity == other.opacity && force == other.force
      && azimuth == other.azimuth && altitude == other.altitude
      && secondaryScale == other.secondaryScale && threshold == other.threshold
      && lateralJitter == other.lateralJitter && edgeWidth == other.edgeWidth
  }

  /// Whether all values but location and time are near another point's.
  func isNear(_ other: PKStrokePoint, _ tolerance: Double) -> Bool {
    @inline(__always) func near(_ a: Double, _ b: Double, _ least: Double) -> Bool {
      abs(a - b) <= max(least, 0.05 * abs(b))
    }
    var turn = abs(azimuth - other.azimuth)
    if turn > .pi { turn = abs(turn - 2 * .pi * (turn / (2 * .pi)).rounded()) }
    return near(size.width, other.size.width, tolerance)
      && near(size.height, other.size.height, tolerance) && near(opacity, other.opacity, 0.05)
      && near(force, other.force, 0.1) && turn <= 0.1 && near(altitude, other.altitude, 0.1)
      && near(secondaryScale, other.secondaryScale, 0.05)
      && near(threshold, other.threshold, 0.05)
      && near(lateralJitter, other.lateralJitter, 0.05) && near(edgeWidth, other.edgeWidth, 0.1)
  }

  /// The values between those of this point and another's; the azimuth takes the shorter way
  /// around.
  @inline(__always)
  func mixed(with other: PKStrokePoint, _ part: Double) -> PKStrokePoint {
    @inline(__always) func mix(_ a: Double, _ b: Double) -> Double { a + (b - a) * part }
    var result = self
    // Not beyond the other one by a rounding error, or times might run back. With this order of
    // arguments, NaN becomes the other one.
    let time = mix(timeOffset, other.timeOffset)
    result.timeOffset =
      timeOffset <= other.timeOffset
      ? min(other.timeOffset, time) : max(other.timeOffset, time)
    result.size = Size(
      width: mix(size.width, other.size.width), height: mix(size.height, other.size.height))
    result.opacity = mix(opacity, other.opacity)
    result.force = mix(force, other.force)
    var turn = other.azimuth - azimuth
    if abs(turn) > .pi { turn -= 2 * .pi * (turn / (2 * .pi)).rounded() }
    result.azimuth = azimuth + turn * part
    result.altitude = mix(altitude, other.altitude)
    result.secondaryScale = mix(secondaryScale, other.secondaryScale)
    result.threshold = mix(threshold, other.threshold)
    result.lateralJitter = mix(lateralJitter, other.lateralJitter)
    result.edgeWidth = mix(edgeWidth, other.edgeWidth)
    return result
  }
}
