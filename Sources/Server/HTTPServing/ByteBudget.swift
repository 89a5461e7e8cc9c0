import Threads

/// The limit for bytes of bodies in memory, and the share of it that one owner may use.
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

  /// Reserves bytes; false if that exceeds the owner's share or the total.
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
