/// The waiting time after failures: doubled after each one, up to a limit, and random, so that
/// devices that failed together do not return together.
package struct Backoff: Sendable {
  package var first: Double
  package var limit: Double

  package init(first: Double = 1, limit: Double) { (self.first, self.limit) = (first, limit) }

  /// The seconds to wait after a number of successive failures: half to all of the doubled time.
  /// `random` is from 0 up to 1.
  package func seconds(afterFailures count: Int, random: Double) -> Double {
    var longest = first
    for _ in 1..<max(min(count, 40), 1) where longest < limit { longest *= 2 }
    longest = min(longest, limit)
    return longest / 2 + longest / 2 * random
  }

  /// For an unreachable place. Retries often, since that costs little and the place may return at
  /// any time.
  package static let offline = Backoff(first: 0.5, limit: 4)
  /// For an overloaded place, which needs time.
  package static let busy = Backoff(first: 1, limit: 300)
  /// For a change that was refused for a temporary reason.
  package static let change = Backoff(first: 30, limit: 6 * 3600)
}
