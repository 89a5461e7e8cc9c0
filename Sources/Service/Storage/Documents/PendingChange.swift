/// A change that waits for a transaction, which it may share with changes of other threads.
public final class PendingChange {
  package let moment: Moment
  /// Whether preparations of later changes run after this change: its body alters what they read.
  package let isBarrier: Bool
  private var preparation: (() throws -> Void)?
  private var body: ((any DocumentTransaction) throws -> Void)?
  /// The error of the preparation; nil if it succeeded.
  private var refusal: (any Error)?
  /// The reason why the change is not stored; nil if it is.
  package private(set) var failure: (any Error)?

  /// `preparation` is called before the body, within the transaction, from any thread.
  package init(
    at moment: Moment, isBarrier: Bool = false, preparation: (() throws -> Void)? = nil,
    _ body: @escaping (any DocumentTransaction) throws -> Void
  ) {
    (self.moment, self.isBarrier) = (moment, isBarrier)
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

extension DocumentStore {
  /// Runs a body in one transaction, which takes its moment from the clock of the caller. If the
  /// body throws, nothing has changed. No other transaction runs at the same time. With `isBarrier`,
  /// preparations of later changes run after the body.
  @discardableResult
  public func change<Result>(
    at moment: Moment, isBarrier: Bool = false,
    _ body: (any DocumentTransaction) throws -> Result
  ) throws -> Result {
    var result: Result?
    try withoutActuallyEscaping(body) { body in
      try carryOut(PendingChange(at: moment, isBarrier: isBarrier) { result = try body($0) })
    }
    guard let result else { preconditionFailure("a change was neither run nor refused") }
    return result
  }

  /// Like `change(at:_:)`, with a preparation that reads external state, such as the existence of
  /// files. `prepare` runs when no other transaction can run. Preparations of changes that share a
  /// transaction run in parallel, so that others wait for one answer of another machine instead of
  /// several. It may run on another thread. If it throws, so does the change.
  @discardableResult
  public func change<Preparation, Result>(
    at moment: Moment, preparing prepare: () throws -> Preparation,
    _ body: (any DocumentTransaction, Preparation) throws -> Result
  ) throws -> Result {
    var prepared: Preparation?
    var result: Result?
    try withoutActuallyEscaping(body) { body in
      try withoutActuallyEscaping(prepare) { prepare in
        let preparation = { prepared = try prepare() }
        try carryOut(
          PendingChange(at: moment, preparation: preparation) { transaction in
            guard let prepared else { preconditionFailure("a change was not prepared") }
            result = try body(transaction, prepared)
          })
      }
    }
    guard let result else { preconditionFailure("a change was neither run nor refused") }
    return result
  }
}
