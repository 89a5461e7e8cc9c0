/// The availability of a store, as far as known.
///
/// While a store does not respond, each request would wait for its full retry time, until all
/// threads of a server wait, including those for work that does not need this store. So after the
/// first failed request the others fail at once, until a request of the polling thread has
/// succeeded.
struct StorePresence {
  /// The time of the last response, in seconds of the monotonic clock.
  private var lastAnswer = -Double.infinity
  /// The reason of immediate failures; nil while the store responds.
  private(set) var failure: String?

  mutating func noteAnswer(at now: Double) {
    lastAnswer = max(lastAnswer, now)
    failure = nil
  }

  /// Notes that a request that began at a moment got no response in its retry time. If other
  /// requests succeeded meanwhile, it says nothing about the store. Returns whether the store was
  /// available before.
  mutating func noteFailure(_ reason: String, ofRequestBegunAt begun: Double) -> Bool {
    guard lastAnswer < begun else { return false }
    defer { failure = reason }
    return failure == nil
  }
}
