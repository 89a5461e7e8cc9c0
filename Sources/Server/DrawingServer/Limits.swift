import Glibc
import Graphics
import Threads

/// Rate limits by name: token buckets that refill by `perSecond` and hold `capacity`.
final class RateLimits: Sendable {
  private struct Bucket {
    var left: Double
    var filled: Double
  }

  private let perSecond: Double
  private let capacity: Double
  private let buckets = ConditionMutex<[String: Bucket]>([:])

  private static let bucketCount = 100_000

  /// With a rate of zero nothing is limited.
  init(perSecond: Double, capacity: Double) {
    (self.perSecond, self.capacity) = (perSecond, capacity)
  }

  /// Takes one from a bucket; false if it is empty.
  func take(_ name: String) -> Bool {
    guard perSecond > 0 else { return true }
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    let now = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    return buckets.withLock { buckets in
      if buckets.count > Self.bucketCount {
        // Full buckets are as good as none.
        let refill = capacity / perSecond
        buckets = buckets.filter { now - $0.value.filled < refill }
      }
      var bucket = buckets[name] ?? Bucket(left: capacity, filled: now)
      bucket.left = min(capacity, bucket.left + (now - bucket.filled) * perSecond)
      bucket.filled = now
      defer { buckets[name] = bucket }
      guard bucket.left >= 1 else { return false }
      bucket.left -= 1
      return true
    }
  }

  /// The time after which an empty bucket has one again, in whole seconds.
  var pause: Int { perSecond > 0 ? Int(clamping: (1 / perSecond).rounded(.up)) : 0 }
}
