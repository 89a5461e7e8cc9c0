import Threads

extension Lanes {
  /// Works on batches on several lanes, with their order kept at both ends: `next` and `take` are
  /// called by one lane at a time, and results are taken in the order of their batches. After
  /// `take` has returned false, neither is called again. There are few batches for each lane at any
  /// time.
  package static func inOrder<Batch, Result>(
    _ count: Int, next: () -> Batch?, work: (Batch) -> Result, take: (Result) -> Bool
  ) {
    let lanes = max(count, 1)
    let begun = ConditionMutex((number: 0, isOver: false))
    let ended = ConditionMutex(OrderedResults<Result>(capacity: 4 * lanes))
    run(lanes) { _ in
      while true {
        let job = begun.withLock { state -> (number: Int, batch: Batch)? in
          // A large batch holds up the others only after a while.
          ended.wait { $0.mayHold(state.number) ? () : nil }
          guard !state.isOver, let batch = next() else {
            state.isOver = true
            return nil
          }
          defer { state.number += 1 }
          return (state.number, batch)
        }
        guard let job else { return }
        let result = work(job.batch)
        ended.withLock { $0.add(result, job.number) }
        while let result = ended.withLock({ $0.begin() }) {
          let goesOn = take(result)
          ended.change { $0.end(goesOn: goesOn) }
          if !goesOn { begun.withLock { $0.isOver = true } }
        }
      }
    }
  }
}

/// Results that are taken in order.
private struct OrderedResults<Result> {
  /// The number of the next result, and whether a lane is taking it.
  private var next = 0
  private var isTaking = false
  private var isOver = false
  /// Those that wait, by their numbers modulo the capacity.
  private var waiting: [Result?]

  init(capacity: Int) { waiting = Array(repeating: nil, count: capacity) }

  /// Whether there is memory for the result with a number.
  func mayHold(_ number: Int) -> Bool { isOver || number < next + waiting.count }

  mutating func add(_ result: Result, _ number: Int) { waiting[number % waiting.count] = result }

  /// The next result, if it is there and no lane is taking the one before.
  mutating func begin() -> Result? {
    guard !isTaking, !isOver, let result = waiting[next % waiting.count] else { return nil }
    waiting[next % waiting.count] = nil
    isTaking = true
    return result
  }

  mutating func end(goesOn: Bool) {
    next += 1
    isTaking = false
    isOver = !goesOn
  }
}
