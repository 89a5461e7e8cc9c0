/// Work that is done for several threads at once. While one group of items is worked on, the items
/// that arrive wait; then the thread of the first of them works on all of them. So an expensive
/// step, such as waiting for a disk, is shared by all threads that need it at the same moment.
package final class GroupedWork<Item>: Sendable {
  private struct State {
    var waiting: [Ticket] = []
    /// Whether a thread works on a group, or was chosen to.
    var isBusy = false
  }

  /// An item and the signal for its thread.
  private final class Ticket: @unchecked Sendable {
    let item: Item
    let turn = ConditionMutex(Turn.waits)

    init(_ item: Item) { self.item = item }
  }

  private enum Turn {
    case waits
    /// The thread works on the next group.
    case leads
    /// Another thread has worked on the item.
    case isDone
  }

  private let state = ConditionMutex(State())
  /// The maximum number of items in a group.
  private let limit: Int

  /// No work yet. Groups have at most `limit` items.
  package init(limit: Int) { self.limit = limit }

  /// Returns when `work` has been called with a group of items that includes this one: by this
  /// thread or, if it came while another group was worked on, perhaps by another thread. That call
  /// began after this one. Items are in the order of their arrival.
  package func run(_ item: Item, _ work: ([Item]) -> Void) {
    let own = Ticket(item)
    let leads = state.withLock { state in
      state.waiting.append(own)
      defer { state.isBusy = true }
      return !state.isBusy
    }
    if !leads {
      let turn = own.turn.wait { $0 == .waits ? nil : $0 }
      if turn == .isDone { return }
    }
    // The leader is the first that waits, so its own item is in the group.
    let group = state.withLock { state in
      defer { state.waiting.removeFirst(min(limit, state.waiting.count)) }
      return state.waiting.prefix(limit)
    }
    work(group.map(\.item))
    let next = state.withLock { state in
      state.isBusy = !state.waiting.isEmpty
      return state.waiting.first
    }
    next?.turn.change { $0 = .leads }
    for ticket in group where ticket !== own { ticket.turn.change { $0 = .isDone } }
  }

  /// The number of items that wait for the next group.
  package var waitingCount: Int { state.withLock { $0.waiting.count } }
}
