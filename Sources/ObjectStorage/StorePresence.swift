/// Whether a store answers, as far as is known.
///
/// While it does not, each request would wait as long as it is patient, until all threads of a server wait, also for those
/// that need nothing of this store. So after one that was patient for nothing the others fail at once, except that now and
/// then one tries, once, whether the store is back.
struct StorePresence {
  /// When it last did what it was asked, in seconds of a clock that nobody sets.
  private var lastAnswer = -Double.infinity
  private var failure: (reason: String, moment: Double)?
  private var nextTrial = 0.0

  /// Why a request fails that does not try; nil while the store answers, or when it was not asked for `memory` seconds.
  func failure(at now: Double, memory: Double) -> String? {
    failure.flatMap { now < $0.moment + memory ? $0.reason : nil }
  }

  /// Whether a request may try a store that did not answer. The next one may after `pause` seconds.
  mutating func takeTrial(at now: Double, pause: Double) -> Bool {
    guard now >= nextTrial else { return false }
    nextTrial = now + pause
    return true
  }

  mutating func noteAnswer(at now: Double) {
    lastAnswer = max(lastAnswer, now)
    failure = nil
  }

  /// Notes that a request that began at a moment got no answer for as long as it could wait. One that was slow while
  /// others were answered says nothing about the store.
  mutating func noteFailure(_ reason: String, at now: Double, ofRequestBegunAt begun: Double) {
    if lastAnswer < begun { failure = (reason, now) }
  }
}
