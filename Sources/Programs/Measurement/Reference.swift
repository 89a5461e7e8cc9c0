import System
import Threads

/// A fixed load of about a millisecond, which is timed along with every measurement: dependent
/// arithmetic, then dependent reads all over 4 MB. A disturbance, such as other programs or a lower
/// clock rate, also slows down simultaneous measurements.
package final class Reference {
  /// The times of the load, in milliseconds.
  package struct Times: Hashable, Sendable {
    package let median: Double
    package let best: Double

    package init(median: Double, best: Double) { (self.median, self.best) = (median, best) }

    /// Nil without samples, which are in seconds.
    init?(_ samples: [Double]) {
      guard let statistics = Statistics(samples) else { return nil }
      self.init(median: statistics.median * 1e3, best: statistics.minimum * 1e3)
    }

    /// The fraction by which the median time exceeds the best time.
    var disturbance: Double { best > 0 ? median / best - 1 : 0 }
  }

  private var memory = [UInt32](repeating: 0, count: 1 << 20)

  init() {
    var state: UInt32 = 1
    for index in memory.indices { memory[index] = Self.next(&state) }
  }

  /// The seconds that the load takes on each of several threads at the same time.
  func seconds(threads: Int) -> Double {
    let start = MonotonicTime.now
    Lanes.run(threads) { lane in consume(self.run(UInt32(lane))) }
    return MonotonicTime.now - start
  }

  private func run(_ seed: UInt32) -> UInt32 {
    var state = seed &+ 1
    for _ in 0..<150_000 { state = Self.next(&state) ^ state >> 7 }
    for _ in 0..<8_000 { state = memory[Int(Self.next(&state) >> 12)] }
    return state
  }

  private static func next(_ state: inout UInt32) -> UInt32 {
    state = state &* 1_664_525 &+ 1_013_904_223
    return state
  }
}
