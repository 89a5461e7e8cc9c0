import DrawingServices
import Glibc
import HTTP
import Storage
import Threads

/// How many changes each user may make: a bucket that fills again by `perSecond`, and holds five seconds of them.
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

/// How much each user may store. The sum is taken from the files when a user first writes, counted on, and taken
/// again now and then, since other programs write, too.
final class StorageQuotas: Sendable {
  private struct Holding {
    var bytes: Int
    var until: Moment
  }

  private let environment: ServiceEnvironment
  private let limit: Int
  private let holdings = ConditionMutex<[String: Holding]>([:])

  private static let memorySeconds: Int64 = 600

  init(_ environment: ServiceEnvironment, limit: Int) {
    (self.environment, self.limit) = (environment, limit)
  }

  /// Throws if a user would store more than allowed with these bytes; counts them otherwise. The number is negative if
  /// they replace more.
  func take(_ count: Int, of uid: String, as caller: Caller) throws {
    let now = environment.now()
    let stored = try stored(count, of: uid, as: caller, now)
    holdings.withLock { holdings in
      if holdings.count > 100_000 { holdings = [:] }
      let current = holdings[uid].flatMap { now <= $0.until ? $0.bytes : nil } ?? stored
      holdings[uid] = Holding(
        bytes: current + count,
        until: holdings[uid].flatMap { now <= $0.until ? $0.until : nil }
          ?? now + Self.memorySeconds)
    }
  }

  /// Throws if a user would store more than allowed with these bytes.
  func check(_ count: Int, of uid: String, as caller: Caller) throws {
    _ = try stored(count, of: uid, as: caller, environment.now())
  }

  /// How much a user stores; throws if these bytes are too many besides.
  private func stored(
    _ count: Int, of uid: String, as caller: Caller, _ now: Moment
  ) throws -> Int {
    let known = holdings.withLock { $0[uid] }
    var stored = known?.bytes ?? 0
    if known.map({ $0.until < now || now + Self.memorySeconds < $0.until }) ?? true {
      stored = try UserService(environment, as: caller).holdings(of: uid).bytes
    }
    guard count <= 0 || stored + count <= limit else {
      throw Refusal(
        402, "quota-exceeded", "All files of a user may have at most \(limit >> 20) MiB.")
    }
    return stored
  }

  /// Forgets a sum, after a deletion.
  func forget(_ uid: String) { holdings.withLock { $0[uid] = nil } }
}
