import Threads

/// Locks by name: for blob stores without locks, and for work that one program at a time shall do.
public protocol NamedLocks: Sendable {
  /// Calls a body while holding the lock of this name.
  func withLock<Result>(_ name: String, _ body: () throws -> Result) throws -> Result
  /// Like `withLock`, but returns nil at once if the lock is held.
  func withLockIfFree<Result>(_ name: String, _ body: () throws -> Result) throws -> Result?
}

/// Locks among the threads of this process.
public final class ProcessLocks: NamedLocks {
  private let taken = ConditionMutex<Set<String>>([])

  /// Locks, all free.
  public init() {}

  /// Calls a body while no other thread holds the lock of this name.
  public func withLock<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
    taken.wait { $0.insert(name).inserted ? () : nil }
    defer { taken.change { _ = $0.remove(name) } }
    return try body()
  }

  /// Calls a body unless another thread holds the lock of this name.
  public func withLockIfFree<Result>(
    _ name: String, _ body: () throws -> Result
  ) throws -> Result? {
    guard taken.withLock({ $0.insert(name).inserted }) else { return nil }
    defer { taken.change { _ = $0.remove(name) } }
    return try body()
  }
}
