import TestSupport
import Testing

struct ProcessHistoryTests {
  @Test
  func `devices and a real server agree after all faults`() throws {
    var faults: [FaultyProxy.Fault.Kind: Int] = [:]
    var counts = (kills: 0, failures: 0, runs: 0)
    for seed in 0..<UInt64(RunLength.count(3, long: 200)) {
      let history = try ProcessHistory(seed: seed)
      do {
        try history.run(steps: 150)
      } catch {
        Issue.record("history \(seed): \(error)")
      }
      #expect(history.violations == [], "history \(seed)")
      faults.merge(history.faults, uniquingKeysWith: +)
      counts.kills += history.counts.kills
      counts.failures += history.counts.failures
      counts.runs += history.counts.runs
    }
    // Histories without failures would prove nothing.
    #expect(counts.kills > 3 && counts.failures > 10 && counts.failures < counts.runs)
    #expect(faults.count > 5)
    if RunLength.isLong {
      for kind in FaultyProxy.Fault.Kind.allCases { #expect(faults[kind] ?? 0 > 50, "\(kind)") }
      let list = faults.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key) \($0.value)" }
      print("\(counts.runs) runs, \(counts.failures) failed, \(counts.kills) kills: \(list)")
    }
  }
}
