/// Whether a store answers, as far as is known.
///
/// While it does not, each request would wait as long as it is patient, until all threads of a server wait, also for those
/// that need nothing of this store. So after one that was patient for nothing the others fail at once, until the store has
/// answered somebody who has nothing else to do than to ask.
struct StorePresence {
  /// When it last did what it was asked, in seconds of a clock that nobody sets.
  private var lastAnswer = -Double.infinity
  /// Why requests fail that do not try; nil while the store answers.
  private(set) var failure: String?

  mutating func noteAnswer(at now: Double) {
    lastAnswer = max(lastAnswer, now)
    failure = nil
  }

  /// Notes that a request that began at a moment got no answer for as long as it could wait. One that was slow while
  /// others were answered says nothing about the store. Returns whether this is news.
  mutating func noteFailure(_ reason: String, ofRequestBegunAt begun: Double) -> Bool {
    guard lastAnswer < begun else { return false }
    defer { failure = reason }
    return failure == nil
  }
}
