/// A change that waits for a transaction, which it may share with changes of other threads.
final class PendingChange {
  let moment: Moment
  private var body: ((any DocumentTransaction) throws -> Void)?
  /// Why the change is not stored; nil if it is.
  private(set) var failure: (any Error)?

  init(at moment: Moment, _ body: @escaping (any DocumentTransaction) throws -> Void) {
    (self.moment, self.body) = (moment, body)
  }

  /// Runs the body, once.
  func run(_ transaction: any DocumentTransaction) throws {
    // The closure must not outlive the call of `change`, which ends when another thread has finished this.
    let body = body
    self.body = nil
    try body?(transaction)
  }

  func fail(_ error: any Error) {
    body = nil
    failure = error
  }
}
