import Threads

/// A queue of work for a few threads: first come, first served, but no owner gets more than three
/// quarters of the threads, so that one user's slow drawings do not delay the others.
final class WorkQueue: Sendable {
  private struct Job {
    let owner: String
    let run: @Sendable () -> Void
  }

  private struct State {
    /// The waiting jobs, by number. Jobs before `first` have begun.
    var waiting: [Int: Job] = [:]
    var (first, next) = (0, 0)
    var running: [String: Int] = [:]
    var runningCount = 0
    var isClosed = false

    var isIdle: Bool { waiting.isEmpty && runningCount == 0 }
  }

  private let state = ConditionMutex(State())
  private let capacity: Int

  /// A queue with its threads. It accepts at most `capacity` waiting jobs.
  init(threads: Int, capacity: Int) {
    self.capacity = capacity
    let share = max(threads * 3 / 4, 1)
    for _ in 0..<threads { Lanes.begin { [state] in Self.run(state, share: share) } }
  }

  /// Adds a job; false if too many are waiting.
  func add(of owner: String, _ job: @escaping @Sendable () -> Void) -> Bool {
    var isTaken = false
    // A thread that finishes a job takes the next one without being woken.
    state.changeForOne { state in
      guard !state.isClosed, state.waiting.count < capacity else { return }
      state.waiting[state.next] = Job(owner: owner, run: job)
      state.next += 1
      isTaken = true
    }
    return isTaken
  }

  /// The number of jobs that wait or run.
  var count: Int { state.withLock { $0.waiting.count + $0.runningCount } }

  /// Whether waiting jobs must not start, because the server ends.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Accepts no more jobs, abandons and notifies those that wait, and waits until all are done.
  func close() {
    state.change { $0.isClosed = true }
    state.wait { $0.isIdle ? () : nil }
  }

  private static func run(_ state: ConditionMutex<State>, share: Int) {
    while true {
      let job: Job?? = state.wait { state in
        guard let job = take(&state, share) else {
          return state.isClosed && state.waiting.isEmpty ? .some(nil) : nil
        }
        return .some(job)
      }
      guard let found = job, let job = found else { return }
      job.run()
      let (isClosed, hasMore) = state.withLock { state in
        state.runningCount -= 1
        let count = (state.running[job.owner] ?? 1) - 1
        state.running[job.owner] = count > 0 ? count : nil
        return (state.isClosed, state.waiting.count > 1)
      }
      // Wakes `close()`. Also wakes one worker: a job of the same owner may now run.
      if isClosed { state.change { _ in } } else if hasMore { state.changeForOne { _ in } }
    }
  }

  /// The first job whose owner has not used up its share of threads.
  private static func take(_ state: inout State, _ share: Int) -> Job? {
    while state.first < state.next, state.waiting[state.first] == nil { state.first += 1 }
    for number in state.first..<state.next {
      guard let job = state.waiting[number],
        state.running[job.owner] ?? 0 < share || state.isClosed
      else { continue }
      state.waiting[number] = nil
      state.running[job.owner, default: 0] += 1
      state.runningCount += 1
      return job
    }
    return nil
  }
}
