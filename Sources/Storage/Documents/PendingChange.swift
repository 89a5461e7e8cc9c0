/// A change that waits for a transaction, which it may share with changes of other threads.
package final class PendingChange {
  package let moment: Moment
  private var body: ((any DocumentTransaction) throws -> Void)?
  /// Why the change is not stored; nil if it is.
  package private(set) var failure: (any Error)?

  package init(at moment: Moment, _ body: @escaping (any DocumentTransaction) throws -> Void) {
    (self.moment, self.body) = (moment, body)
  }

  /// Runs the body, once.
  package func run(_ transaction: any DocumentTransaction) throws {
    // The closure must not outlive the call of `change`, which ends when another thread has finished this.
    let body = body
    self.body = nil
    try body?(transaction)
  }

  package func fail(_ error: any Error) {
    body = nil
    failure = error
  }
}
