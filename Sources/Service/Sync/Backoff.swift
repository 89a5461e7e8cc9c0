/// How long to wait after failures: twice as long after each, up to a limit, and never the same for two devices, so that
/// those that failed together do not come back together.
package struct Backoff: Sendable {
  package var first: Double
  package var limit: Double

  package init(first: Double = 1, limit: Double) { (self.first, self.limit) = (first, limit) }

  /// The seconds to wait after some failures in a row, between half and all of what the number of failures says.
  /// `random` is from 0 up to 1.
  package func seconds(afterFailures count: Int, random: Double) -> Double {
    var longest = first
    for _ in 1..<max(min(count, 40), 1) where longest < limit { longest *= 2 }
    longest = min(longest, limit)
    return longest / 2 + longest / 2 * random
  }

  /// A place that cannot be reached is tried often, since it costs little and it may come back at any time.
  package static let offline = Backoff(first: 0.5, limit: 4)
  /// A place that has too much to do gets time.
  package static let busy = Backoff(first: 1, limit: 300)
  /// A change that was refused for a reason that may pass.
  package static let change = Backoff(first: 30, limit: 6 * 3600)
}
