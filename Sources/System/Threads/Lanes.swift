import CSystem
import Glibc

/// Work that runs on several threads at the same time and ends together.
package enum Lanes {
  /// How many threads the process may run at the same time: as many as it has processors, which
  /// `taskset` or a container may have limited.
  package static var available: Int {
    let count = Int(availableProcessorCount())
    return count > 0 ? count : max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
  }

  /// Calls a body once for every lane, and returns when all calls have. The first lane runs on the
  /// calling thread, the others each on a thread of their own, so that they may wait for each
  /// other.
  package static func run(_ count: Int, _ body: (_ lane: Int) -> Void) {
    guard count > 1 else { return body(0) }
    withoutActuallyEscaping(body) { body in
      let rest = ConditionMutex(count - 1)
      for lane in 1..<count {
        let job = Worker.Job(body: { body(lane) }, done: { rest.change { $0 -= 1 } })
        // If no thread can be started, the calling thread runs the job.
        if !Worker.run(job) {
          job.run()
          job.finish()
        }
      }
      body(0)
      rest.wait { $0 == 0 ? () : nil }
    }
  }

  /// The results of a body for all items, in their order, on several lanes. After an error no
  /// further item is begun, and one of the errors is thrown.
  package static func map<Item, Result>(
    _ items: [Item], lanes: Int, _ body: (Item) throws -> Result
  ) throws -> [Result] {
    let state = ConditionMutex(
      (next: 0, results: [Result?](repeating: nil, count: items.count), failure: (any Error)?.none))
    run(max(min(lanes, items.count), 1)) { _ in
      while true {
        let index = state.withLock { state -> Int? in
          guard state.next < items.count, state.failure == nil else { return nil }
          defer { state.next += 1 }
          return state.next
        }
        guard let index else { return }
        do {
          let result = try body(items[index])
          state.withLock { $0.results[index] = result }
        } catch {
          state.withLock { $0.failure = error }
        }
      }
    }
    return try state.withLock { state in
      if let failure = state.failure { throw failure }
      return state.results.compactMap { $0 }
    }
  }

  /// Begins work on a thread of its own and does not wait for it. Returns false if no thread can be
  /// started.
  @discardableResult
  package static func begin(_ body: @escaping @Sendable () -> Void) -> Bool {
    Worker.run(Worker.Job(body: body, done: {}))
  }
}

/// A thread of the one pool of the process. It waits for jobs, because starting a thread takes
/// longer than many of them.
private final class Worker: Sendable {
  final class Job: @unchecked Sendable {
    private var body: (() -> Void)?
    private let done: () -> Void

    init(body: @escaping () -> Void, done: @escaping () -> Void) {
      (self.body, self.done) = (body, done)
    }

    func run() {
      body?()
      // The closure must not outlive the caller's call of `run`.
      body = nil
    }

    func finish() { done() }
  }

  private static let idle: ConditionMutex<[Worker]> = {
    // A process that was forked has no threads but the one that forked it.
    pthread_atfork(nil, nil, { Worker.forgetAll() })
    return ConditionMutex([])
  }()

  /// Forgets the threads of the process that this one was forked from. Their objects are never
  /// freed, since a condition with a waiting thread cannot be destroyed.
  private static func forgetAll() {
    idle.withLock { workers in
      for worker in workers { _ = Unmanaged.passRetained(worker) }
      workers = []
    }
  }

  private let job: ConditionMutex<Job?>

  private init(_ job: Job) { self.job = ConditionMutex(job) }

  /// Runs a job on an idle thread or a new one; false if the system has no more threads.
  static func run(_ job: Job) -> Bool {
    if let worker = idle.withLock({ $0.popLast() }) {
      worker.job.change { $0 = job }
      return true
    }
    let worker = Unmanaged.passRetained(Worker(job))
    var (thread, attributes) = (pthread_t(), pthread_attr_t())
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let status = pthread_create(
      &thread, &attributes,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Worker>.fromOpaque(argument).takeRetainedValue().runJobs()
        return nil
      }, worker.toOpaque())
    if status != 0 { worker.release() }
    return status == 0
  }

  /// The maximum number of idle threads: as many as one call is likely to need again. Further ones,
  /// after a call that requested hundreds, end.
  private static let idleLimit = max(2 * Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 16)

  private func runJobs() {
    while true {
      let next = job.wait { job in
        defer { job = nil }
        return job
      }
      next.run()
      // Idle before the job counts as done, so that the next job of the caller can use this thread.
      let waits = Self.idle.withLock { workers in
        if workers.count < Self.idleLimit { workers.append(self) }
        return workers.last === self
      }
      next.finish()
      if !waits { return }
    }
  }
}
