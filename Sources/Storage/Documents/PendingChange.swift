package import Threads

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

extension GroupedWork<PendingChange> {
  /// Runs a body in a transaction that it may share with changes of other threads, and returns its result. `work` runs a
  /// group of changes.
  package func change<Result>(
    at moment: Moment, _ body: (any DocumentTransaction) throws -> Result,
    _ work: ([PendingChange]) -> Void
  ) throws -> Result {
    var result: Result?
    let failure = withoutActuallyEscaping(body) { body in
      let change = PendingChange(at: moment) { result = try body($0) }
      run(change, work)
      return change.failure
    }
    if let failure { throw failure }
    guard let result else { preconditionFailure("a change was neither run nor refused") }
    return result
  }
}
