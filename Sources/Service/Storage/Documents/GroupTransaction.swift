import Threads

/// A transaction of a database that runs the changes of several threads, one after the other.
package protocol GroupTransaction: DocumentTransaction, AnyObject {
  var moment: Moment { get set }
  /// The first error of the current change. After it the database may have undone more than that
  /// change.
  var failure: StorageError? { get set }
  /// Begins a transaction that excludes all others.
  func begin() throws(StorageError)
  /// Sets a savepoint for `undo`.
  func save() throws(StorageError)
  /// Releases the savepoint and keeps the changes since. Throws their errors, all of which are
  /// known then.
  func release() throws(StorageError)
  /// Undoes the changes since `save`.
  func undo() throws(StorageError)
  /// Makes all changes durable.
  func commit() throws(StorageError)
  /// Undoes all changes.
  func rollBack()
  /// Whether the transaction is still open: after an error the database may have ended it.
  var isOpen: Bool { get }
  /// The error for changes that the database has undone for a reason outside of them: they may be
  /// retried.
  var failureOfRollback: StorageError { get }
  /// The random number that identifies the database and its copies.
  func identity() throws(StorageError) -> Int64?
  /// Gives the database a new identity.
  func renewIdentity() throws(StorageError)
}

/// The writing connection of a store. Threads that arrive during a transaction wait, and share the
/// next one: it runs their bodies one after the other, each with its own moment, on the thread that
/// arrived first, and one flush makes all changes durable. A body that throws undoes only its own
/// changes. If the transaction fails, all of its callers get the error.
package final class GroupedWriter<Documents: GroupTransaction>: Sendable {
  private let documents: ConditionMutex<Documents>
  /// The changes that wait for the next transaction. The limit for one transaction bounds the
  /// waiting time.
  private let changes = GroupedWork<PendingChange>(limit: 64)

  package init(_ documents: sending Documents) { self.documents = ConditionMutex(documents) }

  package func carryOut(_ change: PendingChange) throws {
    changes.run(change) { group in documents.withLock { $0.run(group) } }
    if let failure = change.failure { throw failure }
  }

  /// Calls a body with the documents outside of transactions.
  package func withDocuments<Result>(
    _ body: (Documents) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try documents.withLock { (documents) throws(StorageError) in try body(documents) }
  }

  /// The number of changes that wait for the next transaction.
  package var waitingCount: Int { changes.waitingCount }
}

extension DocumentStore {
  /// A random number that identifies the database and its copies; nil for other stores.
  public var identity: Int64? {
    get throws { try read { try ($0 as? any GroupTransaction)?.identity() } }
  }

  /// Gives the database a new identity and returns it, because it continues from an earlier state
  /// than other places have seen.
  package func renewIdentity() throws -> Int64? {
    try change(at: Moment(microseconds: 0)) { transaction in
      let database = transaction as? any GroupTransaction
      try database?.renewIdentity()
      return try database?.identity()
    }
  }
}

extension GroupTransaction {
  /// Runs changes in one transaction, or in several if the database ends one by itself. A failed
  /// change undoes only itself if possible; otherwise all changes before it fail with it.
  package func run(_ changes: [PendingChange]) {
    var rest = changes[...]
    while !rest.isEmpty { rest = rest.dropFirst(runTransaction(rest)) }
  }

  /// Runs changes in one transaction, and returns the number of finished ones.
  private func runTransaction(_ changes: ArraySlice<PendingChange>) -> Int {
    do throws(StorageError) {
      try begin()
    } catch {
      for change in changes { change.fail(error) }
      return changes.count
    }
    var done: [PendingChange] = []
    func failAll(_ error: any Error) {
      rollBack()
      for change in done { change.fail(error) }
    }
    var preparedCount = 0
    for (count, change) in changes.enumerated() {
      if count == preparedCount { preparedCount += prepare(changes.dropFirst(count)) }
      do {
        try run(change, isAlone: changes.count == 1)
        done.append(change)
      } catch {
        change.fail(error)
        guard isOpen else {
          // The changes before it are undone too, and their bodies cannot run a second time.
          failAll(failure ?? failureOfRollback)
          return count + 1
        }
      }
    }
    // Without a change there is nothing to flush.
    if done.isEmpty {
      rollBack()
      return changes.count
    }
    do throws(StorageError) {
      try commit()
    } catch {
      failAll(error)
    }
    return changes.count
  }

  /// The number of preparations that run in parallel.
  private var preparedAtOnce: Int { 32 }

  /// Prepares changes in parallel, and returns their number. Changes after a barrier have to wait
  /// until it has run.
  private func prepare(_ changes: ArraySlice<PendingChange>) -> Int {
    let end = changes.firstIndex { $0.isBarrier }.map { $0 + 1 } ?? changes.endIndex
    let waiting = ConditionMutex(changes[..<end].filter(\.needsPreparation)[...])
    let count = waiting.withLock { $0.count }
    if count > 0 {
      Lanes.run(min(count, preparedAtOnce)) { _ in
        while let next = waiting.withLock({ $0.popFirst() }) { next.prepare() }
      }
    }
    return end - changes.startIndex
  }

  /// Runs one change of a transaction. If it throws, its changes are undone, or the transaction has
  /// ended.
  private func run(_ change: PendingChange, isAlone: Bool) throws {
    moment = change.moment
    failure = nil
    if !isAlone { try save() }
    do {
      try change.run(self)
      // The body may have ignored the error.
      if let failure { throw failure }
      if !isAlone { try release() }
    } catch {
      do throws(StorageError) {
        if isAlone {
          rollBack()
        } else if isOpen {
          try undo()
        }
      } catch {
        failure = failure ?? error
        rollBack()
      }
      throw error
    }
  }
}
