import Glibc
import Threads

/// The rate limit for each user's changes: a token bucket that refills by `perSecond` and holds
/// five seconds of changes.
final class ChangeLimits: Sendable {
  private struct Bucket {
    var left: Double
    var filled: Double
  }

  private let perSecond: Double
  private let buckets = ConditionMutex<[String: Bucket]>([:])

  init(perSecond: Int) { self.perSecond = Double(perSecond) }

  /// Takes one change of a user; false if there were too many.
  func take(_ uid: String) -> Bool {
    guard perSecond > 0 else { return true }
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    let now = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    let capacity = perSecond * 5
    return buckets.withLock { buckets in
      if buckets.count > 100_000 {
        buckets = buckets.filter { now - $0.value.filled < 10 }
      }
      var bucket = buckets[uid] ?? Bucket(left: capacity, filled: now)
      bucket.left = min(capacity, bucket.left + (now - bucket.filled) * perSecond)
      bucket.filled = now
      defer { buckets[uid] = bucket }
      guard bucket.left >= 1 else { return false }
      bucket.left -= 1
      return true
    }
  }
}
