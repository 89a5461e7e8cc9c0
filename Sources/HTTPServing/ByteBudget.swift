import Threads

/// The bytes of bodies that may be in memory together.
final class ByteBudget: Sendable {
  private let left: ConditionMutex<Int>

  init(_ count: Int) { left = ConditionMutex(count) }

  /// Takes bytes; false if there are too few.
  func take(_ count: Int) -> Bool {
    left.withLock { left in
      guard left >= count else { return false }
      left -= count
      return true
    }
  }

  func give(back count: Int) { left.withLock { $0 += count } }
}
