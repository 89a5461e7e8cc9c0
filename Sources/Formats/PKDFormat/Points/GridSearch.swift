import Strokes

/// Finds the grids that values lie on.
enum GridSearch {
  /// Units in which every float of a page's coordinates is a whole number.
  private static let unit = 67_108_864.0  // 2²⁶
  /// Steps of digitizers, in units: 1/256 to 1/32 of a point. Finer steps are coincidences, coarser
  /// ones multiples of the true step.
  private static let steps: ClosedRange<UInt64> = 1 << 18...1 << 21
  /// Fewer values than these lie on many grids by chance.
  private static let minimumCount = 6

  /// The grid whose step is the greatest common divisor of all differences; nil if that is no
  /// digitizer's step, and for fewer than six values.
  static func common(of values: UnsafeBufferPointer<Float>) -> ValueSteps? {
    guard values.count >= minimumCount, let divisor = commonDivisor(values),
      steps.contains(divisor),
      // Differences can be small although the first value is too large for whole units.
      let first = Int64(exactly: Double(values[0]) * unit)
    else { return nil }
    let offset = Double(first % Int64(divisor)) / unit
    return .grid(step: Double(divisor) / unit, offset: offset)
  }

  /// The grid of the largest power of two that all values are multiples of; nil if a value is no
  /// multiple of 2⁻²⁶, or if all are whole numbers.
  static func power(of values: UnsafeBufferPointer<Float>) -> ValueSteps? {
    var zeros = 64
    for value in values {
      let scaled = Double(value) * unit
      guard abs(scaled) < 1e17, scaled == Double(Int64(scaled)) else { return nil }
      if scaled != 0 { zeros = min(zeros, Int64(scaled).trailingZeroBitCount) }
    }
    guard zeros < 26 else { return nil }
    return .grid(step: Double(sign: .plus, exponent: zeros - 26, significand: 1), offset: 0)
  }

  private static func commonDivisor(_ values: UnsafeBufferPointer<Float>) -> UInt64? {
    var divisor: UInt64 = 0
    for index in 1..<values.count {
      let difference = (Double(values[index]) - Double(values[index - 1])) * unit
      guard abs(difference) < 1e17, difference == Double(Int64(difference)) else { return nil }
      var (a, b) = (UInt64(abs(difference)), divisor)
      // Most differences are multiples of a power of two, which needs no division.
      if b != 0, b & (b &- 1) == 0, a & (b &- 1) == 0 { continue }
      while b != 0 { (a, b) = (b, a % b) }
      divisor = a
      if divisor != 0, divisor < steps.lowerBound { return nil }
    }
    return divisor == 0 ? nil : divisor
  }

  // MARK: - Stretched grids

  /// The steps of stretched grids that a changing channel of several paths lies on, the most certain
  /// first.
  ///
  /// Each path votes for the interval in which its step must lie. Votes that agree are averaged,
  /// weighted by their certainty. Steps with fewer than three votes are dropped as coincidences,
  /// unless there are fewer than three votes in all.
  static func stretchedSteps(of paths: [PointColumns], _ channel: PointChannel) -> [Double] {
    var votes = paths.compactMap { path -> (step: Double, error: Double)? in
      guard path.count >= minimumStretchedCount else { return nil }
      let start = path.layout(of: channel).start
      return path.floats.withUnsafeBufferPointer {
        stretchedStep(of: UnsafeBufferPointer(rebasing: $0[start..<start + path.count]))
      }
    }
    let minimumVotes = votes.count < 3 ? 1 : 3
    var steps: [Double] = []
    for _ in 0..<8 {
      guard let surest = votes.min(by: { ($0.error, $0.step) < ($1.error, $1.step) }) else { break }
      var (weights, sum, count) = (0.0, 0.0, 0)
      votes.removeAll { vote in
        guard abs(vote.step - surest.step) < 4 * (vote.error + surest.error) else { return false }
        let weight = 1 / (vote.error * vote.error)
        weights += weight
        sum += weight * vote.step
        count += 1
        return true
      }
      if count >= minimumVotes { steps.append(sum / weights) }
    }
    return steps
  }

  /// The minimum number of values that distinguishes a stretched grid from a coincidence.
  static let minimumStretchedCount = 12
  /// The smallest step that is searched for, in points.
  private static let minimumStretchedStep = 1 / 170.0

  /// The largest step that explains all values up to their rounding, and the bound of its error.
  private static func stretchedStep(
    of values: UnsafeBufferPointer<Float>
  ) -> (step: Double, error: Double)? {
    guard values.count >= minimumStretchedCount, isFine(values) else { return nil }
    let sorted = values.prefix(512).sorted()
    let rounding = sorted.reduce(0) { max($0, Double($1.magnitude.ulp)) }
    var smallest = Double.infinity
    for index in 1..<sorted.count {
      let gap = Double(sorted[index]) - Double(sorted[index - 1])
      if gap > 4 * rounding { smallest = min(smallest, gap) }
    }
    guard smallest < 1e8 else { return nil }
    // The smallest gap is a small multiple of the step. Every wider span narrows the interval of
    // the step, or contradicts it.
    for multiple in 1..<40 {
      var step = smallest / Double(multiple)
      var error = 2 * rounding / Double(multiple)
      guard step >= minimumStretchedStep else { break }
      var isPossible = true
      for value in sorted {
        let span = Double(value) - Double(sorted[0])
        guard span > 4 * rounding else { continue }
        let count = (span / step).rounded(.toNearestOrEven)
        guard count > 0, abs(span - count * step) <= count * error + 1.01 * rounding,
          count * error <= 0.4 * step
        else {
          isPossible = false
          break
        }
        let low = max(step - error, (span - 1.01 * rounding) / count)
        let high = min(step + error, (span + 1.01 * rounding) / count)
        guard low <= high else {
          isPossible = false
          break
        }
        (step, error) = ((low + high) / 2, (high - low) / 2)
      }
      if isPossible { return error < 1e-4 * step && error > 0 ? (step, error) : nil }
    }
    return nil
  }

  /// Whether no grid as coarse as a digitizer's explains the values.
  private static func isFine(_ values: UnsafeBufferPointer<Float>) -> Bool {
    guard let divisor = commonDivisor(values) else { return true }
    return divisor < steps.lowerBound
  }
}
