import Threads

/// Locks by name, for stores of blobs that have none of their own.
public protocol BlobLocks: Sendable {
  /// Calls a body while nobody else who uses these locks has the lock of this name.
  func withLock<Result>(_ name: String, _ body: () throws -> Result) throws -> Result
}

/// Locks among the threads of this process.
public final class ProcessLocks: BlobLocks {
  private let taken = ConditionMutex<Set<String>>([])

  /// Locks that nobody has.
  public init() {}

  /// Calls a body while no other thread has the lock of this name.
  public func withLock<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
    taken.wait { $0.insert(name).inserted ? () : nil }
    defer { taken.change { _ = $0.remove(name) } }
    return try body()
  }
}
