package import Threads

/// A change that waits for a transaction, which it may share with changes of other threads.
package final class PendingChange {
  package let moment: Moment
  /// Whether the body alters what other changes prepare from.
  package let altersFiles: Bool
  private var preparation: (() throws -> Void)?
  private var body: ((any DocumentTransaction) throws -> Void)?
  /// Why the change cannot run, if that was found out before.
  private var refusal: (any Error)?
  /// Why the change is not stored; nil if it is.
  package private(set) var failure: (any Error)?

  /// `preparation` is called before the body, within the transaction, from any thread.
  package init(
    at moment: Moment, altersFiles: Bool = false, preparation: (() throws -> Void)? = nil,
    _ body: @escaping (any DocumentTransaction) throws -> Void
  ) {
    (self.moment, self.altersFiles) = (moment, altersFiles)
    (self.preparation, self.body) = (preparation, body)
  }

  package var needsPreparation: Bool { preparation != nil }

  /// Finds out what the body needs; again if the transaction has ended and another one has begun. An error is that of
  /// `run`.
  package func prepare() {
    refusal = nil
    do {
      try preparation?()
    } catch {
      refusal = error
    }
  }

  /// Runs the body, once.
  package func run(_ transaction: any DocumentTransaction) throws {
    // The closures must not outlive the call of `change`, which ends when another thread has finished this.
    let body = body
    (preparation, self.body) = (nil, nil)
    if let refusal { throw refusal }
    try body?(transaction)
  }

  package func fail(_ error: any Error) {
    (preparation, body) = (nil, nil)
    failure = error
  }
}

extension GroupedWork<PendingChange> {
  /// Runs a body in a transaction that it may share with changes of other threads, and returns its result. `work` runs a
  /// group of changes.
  package func change<Result>(
    at moment: Moment, altersFiles: Bool = false,
    _ body: (any DocumentTransaction) throws -> Result, _ work: ([PendingChange]) -> Void
  ) throws -> Result {
    var result: Result?
    let failure = withoutActuallyEscaping(body) { body in
      let change = PendingChange(at: moment, altersFiles: altersFiles) { result = try body($0) }
      run(change, work)
      return change.failure
    }
    if let failure { throw failure }
    guard let result else { preconditionFailure("a change was neither run nor refused") }
    return result
  }

  /// The same with something that the body needs to know from elsewhere.
  package func change<Preparation, Result>(
    at moment: Moment, preparing prepare: () throws -> Preparation,
    _ body: (any DocumentTransaction, Preparation) throws -> Result,
    _ work: ([PendingChange]) -> Void
  ) throws -> Result {
    var result: Result?
    var prepared: Preparation?
    let failure = withoutActuallyEscaping(body) { body in
      withoutActuallyEscaping(prepare) { prepare in
        let change = PendingChange(at: moment, preparation: { prepared = try prepare() }) {
          guard let prepared else { preconditionFailure("a change was not prepared") }
          result = try body($0, prepared)
        }
        run(change, work)
        return change.failure
      }
    }
    if let failure { throw failure }
    guard let result else { preconditionFailure("a change was neither run nor refused") }
    return result
  }
}
