import Threads

/// The bytes of bodies that may be in memory together, and of those the share that one owner may hold.
final class ByteBudget: Sendable {
  private struct State {
    var left: Int
    var held: [String: Int] = [:]
  }

  private let state: ConditionMutex<State>
  private let share: Int

  init(_ count: Int) {
    state = ConditionMutex(State(left: count))
    // A form with two large files must fit.
    share = max(count / 4, min(count, 24 << 20))
  }

  /// Takes bytes; false if there are too few for the owner or for all.
  func take(_ count: Int, of owner: String) -> Bool {
    state.withLock { state in
      let held = state.held[owner] ?? 0
      guard state.left >= count, held + count <= share else { return false }
      state.left -= count
      state.held[owner] = held + count
      return true
    }
  }

  func give(back count: Int, of owner: String) {
    guard count > 0 else { return }
    state.withLock { state in
      state.left += count
      let held = (state.held[owner] ?? 0) - count
      state.held[owner] = held > 0 ? held : nil
    }
  }
}
