import Threads

/// Locks by name: for stores of blobs that have none of their own, and for work that one program at a time shall do.
public protocol NamedLocks: Sendable {
  /// Calls a body while nobody else who uses these locks has the lock of this name.
  func withLock<Result>(_ name: String, _ body: () throws -> Result) throws -> Result
  /// Calls a body like `withLock`, unless somebody has the lock: then returns nil at once.
  func withLockIfFree<Result>(_ name: String, _ body: () throws -> Result) throws -> Result?
}

/// Locks among the threads of this process.
public final class ProcessLocks: NamedLocks {
  private let taken = ConditionMutex<Set<String>>([])

  /// Locks that nobody has.
  public init() {}

  /// Calls a body while no other thread has the lock of this name.
  public func withLock<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
    taken.wait { $0.insert(name).inserted ? () : nil }
    defer { taken.change { _ = $0.remove(name) } }
    return try body()
  }

  /// Calls a body unless another thread has the lock of this name.
  public func withLockIfFree<Result>(
    _ name: String, _ body: () throws -> Result
  ) throws -> Result? {
    guard taken.withLock({ $0.insert(name).inserted }) else { return nil }
    defer { taken.change { _ = $0.remove(name) } }
    return try body()
  }
}
