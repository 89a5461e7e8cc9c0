package import Threads

/// A change that waits for a transaction, which it may share with changes of other threads.
package final class PendingChange {
  package let moment: Moment
  /// Whether the body alters the state that preparations of other changes read.
  package let altersFiles: Bool
  private var preparation: (() throws -> Void)?
  private var body: ((any DocumentTransaction) throws -> Void)?
  /// The error of the preparation; nil if it succeeded.
  private var refusal: (any Error)?
  /// The reason why the change is not stored; nil if it is.
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

  /// Runs the preparation; again if the transaction has ended and another one has begun. `run`
  /// throws its error.
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
    // The closures must not outlive the call of `change`, which returns after another thread has
    // finished this.
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
  /// Runs a body in a transaction that it may share with changes of other threads, and returns its
  /// result. `work` runs a group of changes.
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

  /// Like `change`, with a preparation that reads external state.
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
