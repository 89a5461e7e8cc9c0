/// Turns of threads of which only some may work at the same time, while others wait for the disk.
package final class Turns: Sendable {
  private let free: ConditionMutex<Int>

  /// Turns for a number of threads.
  package init(_ count: Int) { free = ConditionMutex(count) }

  /// Waits for a turn.
  package func take() {
    free.wait { free -> Void? in
      guard free > 0 else { return nil }
      free -= 1
      return ()
    }
  }

  /// Ends a turn.
  package func pass() { free.changeForOne { $0 += 1 } }
}

extension Turns? {
  /// Calls a body in which the thread only waits, without its turn.
  package func passing<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    self?.pass()
    defer { self?.take() }
    return try body()
  }
}
