/// The order statistics of samples. A few disturbed samples do not change the median and the
/// quartiles.
package struct Statistics: Hashable, Sendable {
  package let median: Double
  package let lowerQuartile: Double
  package let upperQuartile: Double
  package let minimum: Double
  package let maximum: Double
  package let count: Int

  /// Nil without samples.
  package init?(_ samples: [Double]) {
    let sorted = samples.sorted()
    guard let minimum = sorted.first, let maximum = sorted.last else { return nil }
    /// The value below which a fraction of the samples lies, interpolated between samples.
    func quantile(_ part: Double) -> Double {
      let position = part * Double(sorted.count - 1)
      let index = min(Int(position), sorted.count - 1)
      let (low, high) = (sorted[index], sorted[min(index + 1, sorted.count - 1)])
      return low + (high - low) * (position - Double(index))
    }
    (self.minimum, self.maximum, count) = (minimum, maximum, sorted.count)
    (lowerQuartile, median, upperQuartile) = (quantile(0.25), quantile(0.5), quantile(0.75))
  }

  /// Half of the distance between the quartiles, as a fraction of the median.
  package var spread: Double { median == 0 ? 0 : (upperQuartile - lowerQuartile) / 2 / abs(median) }
}
