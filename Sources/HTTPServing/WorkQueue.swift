import Threads

/// Work that waits for one of a few threads, first come, first served.
final class WorkQueue: Sendable {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
    /// The jobs before this one have begun.
    var first = 0
    var running = 0
    var isClosed = false

    var waiting: Int { jobs.count - first }
  }

  private let state = ConditionMutex(State())
  private let capacity: Int

  /// A queue with its threads; it takes no more than `capacity` waiting jobs.
  init(threads: Int, capacity: Int) {
    self.capacity = capacity
    for _ in 0..<threads { Lanes.begin { [state] in Self.run(state) } }
  }

  /// Adds a job; false if too many are waiting.
  func add(_ job: @escaping @Sendable () -> Void) -> Bool {
    var isTaken = false
    state.change { state in
      guard !state.isClosed, state.waiting < capacity else { return }
      state.jobs.append(job)
      isTaken = true
    }
    return isTaken
  }

  /// The number of jobs that wait or run.
  var count: Int { state.withLock { $0.waiting + $0.running } }

  /// Takes no more jobs, and waits until all that were taken are done.
  func close() {
    state.change { $0.isClosed = true }
    state.wait { $0.waiting == 0 && $0.running == 0 ? () : nil }
  }

  private static func run(_ state: ConditionMutex<State>) {
    while true {
      let job: (@Sendable () -> Void)? = state.wait { state in
        if state.waiting == 0 { return state.isClosed ? .some(nil) : nil }
        let job = state.jobs[state.first]
        state.jobs[state.first] = {}
        state.first += 1
        if state.first > 64, state.first * 2 > state.jobs.count {
          state.jobs.removeFirst(state.first)
          state.first = 0
        }
        state.running += 1
        return .some(job)
      }
      guard let job else { return }
      job()
      state.change { $0.running -= 1 }
    }
  }
}
