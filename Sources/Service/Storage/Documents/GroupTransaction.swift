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

  /// Prepares changes in parallel, and returns their number. Changes after one that alters files
  /// have to wait until it has run.
  private func prepare(_ changes: ArraySlice<PendingChange>) -> Int {
    let end = changes.firstIndex { $0.altersFiles }.map { $0 + 1 } ?? changes.endIndex
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
