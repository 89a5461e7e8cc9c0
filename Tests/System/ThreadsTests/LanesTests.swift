import Foundation
import Glibc
import Testing

@testable import Threads

@Suite struct `Lanes of threads` {
  @Test func `every lane runs once, however often and from how many threads`() {
    let counts = ConditionMutex([Int](repeating: 0, count: 9))
    for count in 1...8 {
      Lanes.run(count) { outer in
        Lanes.run(3) { _ in counts.withLock { $0[outer] += 1 } }
      }
    }
    #expect(counts.withLock { $0 } == [24, 21, 18, 15, 12, 9, 6, 3, 0])
  }

  @Test func `lanes may wait for each other`() {
    let arrived = ConditionMutex(0)
    Lanes.run(16) { _ in
      arrived.change { $0 += 1 }
      arrived.wait { $0 == 16 ? () : nil }
    }
    #expect(arrived.withLock { $0 } == 16)
  }

  @Test func `threads of lanes are reused`() {
    let threads = ConditionMutex<Set<UInt>>([])
    for _ in 0..<200 {
      Lanes.run(4) { lane in
        if lane > 0 { threads.withLock { _ = $0.insert(UInt(pthread_self())) } }
      }
    }
    // Other tests may use some of the idle threads for a while.
    #expect(threads.withLock { $0.count } < 100)
  }

  @Test func `extra threads of lanes end after the call that needed them`() throws {
    /// The number of threads of this process.
    func count() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
    }
    let arrived = ConditionMutex(0)
    let peaks = ConditionMutex(0)
    Lanes.run(300) { lane in
      arrived.change { $0 += 1 }
      arrived.wait { $0 >= 300 ? () : nil }
      if lane == 0 { peaks.withLock { $0 = (try? count()) ?? 0 } }
      arrived.change { $0 += 1 }
      arrived.wait { $0 == 600 ? () : nil }
    }
    let peak = peaks.withLock { $0 }
    #expect(peak >= 300)
    var tries = 0
    while try count() > peak - 200, tries < 200 {
      usleep(50_000)
      tries += 1
    }
    #expect(try count() <= peak - 200)
  }

  @Test func `a process that may use one processor runs one thread`() throws {
    #expect(Lanes.available >= 1)
    let seen = ConditionMutex(0)
    // The affinity belongs to a thread, so other tests keep theirs.
    Lanes.run(2) { lane in
      guard lane == 1 else { return }
      typealias SetAffinity = @convention(c) (pid_t, Int, UnsafeRawPointer) -> Int32
      guard let symbol = dlsym(nil, "sched_setaffinity") else { return }
      let setAffinity = unsafeBitCast(symbol, to: SetAffinity.self)
      var first = [UInt64](repeating: 0, count: 16)
      // The first processor that the thread may use.
      for processor in 0..<1024 where seen.withLock({ $0 }) == 0 {
        first[processor / 64] = 1 << UInt64(processor % 64)
        if setAffinity(0, 128, first) == 0 { seen.withLock { $0 = Lanes.available } }
        first[processor / 64] = 0
      }
      _ = setAffinity(0, 128, [UInt64](repeating: .max, count: 16))
    }
    #expect(seen.withLock { $0 } == 1)
  }
}
