import Glibc
import Testing

@testable import Threads

@Suite struct `Work in groups` {
  /// Runs items of this many threads, which arrive in order while the first one is processed.
  /// Returns the groups.
  private static func groups(of count: Int, limit: Int) -> [[Int]] {
    let work = GroupedWork<Int>(limit: limit)
    let groups = ConditionMutex<[[Int]]>([])
    let hasBegun = ConditionMutex(false)
    Lanes.run(count) { lane in
      if lane > 0 {
        hasBegun.wait { $0 ? () : nil }
        while work.waitingCount < lane - 1 { usleep(100) }
      }
      work.run(lane) { group in
        groups.withLock { $0.append(group) }
        guard group == [0] else { return }
        hasBegun.change { $0 = true }
        while work.waitingCount < count - 1 { usleep(100) }
      }
    }
    return groups.withLock { $0 }
  }

  @Test func `items that arrive during work form the next group, in order`() {
    #expect(Self.groups(of: 1, limit: 64) == [[0]])
    #expect(Self.groups(of: 6, limit: 64) == [[0], [1, 2, 3, 4, 5]])
  }

  @Test func `a group of work has at most as many items as its limit`() {
    #expect(Self.groups(of: 6, limit: 2) == [[0], [1, 2], [3, 4], [5]])
    #expect(Self.groups(of: 3, limit: 1) == [[0], [1], [2]])
  }

  @Test func `every work item is processed once, before its thread continues`() {
    let work = GroupedWork<Int>(limit: 3)
    let (seen, isBusy) = (ConditionMutex<Set<Int>>([]), ConditionMutex(false))
    Lanes.run(8) { lane in
      for number in 0..<200 {
        let item = lane * 1000 + number
        work.run(item) { group in
          isBusy.withLock {
            #expect(!$0)
            $0 = true
          }
          for item in group { seen.withLock { #expect($0.insert(item).inserted) } }
          isBusy.withLock { $0 = false }
        }
        #expect(seen.withLock { $0.contains(item) })
      }
    }
    #expect(seen.withLock { $0.count } == 1600)
  }
}
