import Testing

@testable import Threads

struct TurnsTests {
  @Test func `no more threads work at once than there are turns, and others may wait meanwhile`() {
    let turns: Turns? = Turns(2)
    let state = ConditionMutex((working: 0, mostWorking: 0, waiting: 0, rounds: 0))
    func work() {
      state.withLock {
        $0.working += 1
        $0.mostWorking = max($0.mostWorking, $0.working)
      }
      state.withLock { $0.working -= 1 }
    }
    Lanes.run(6) { _ in
      turns?.take()
      defer { turns?.pass() }
      for _ in 0..<50 {
        work()
        turns.passing { state.withLock { $0.rounds += 1 } }
      }
      // All six wait at the same time, though only two may work.
      turns.passing {
        state.change { $0.waiting += 1 }
        state.wait { $0.waiting == 6 ? () : nil }
      }
      work()
    }
    let end = state.withLock { $0 }
    #expect(1...2 ~= end.mostWorking)
    #expect(end.rounds == 300)
  }

  @Test func `without turns a thread just waits`() {
    let turns: Turns? = nil
    #expect(turns.passing { 5 } == 5)
  }
}
