import TestSupport
import Testing

/// People who draw on one drawing at the same time, with all faults that networks and machines have.
struct RoomSimulationTests {
  private struct Findings {
    var violations: [String] = []
    var faults: [RoomFault: Int] = [:]

    init(_ seeds: Range<UInt64>, members: ClosedRange<Int>, steps: Int, faultShare: Double = 0.12)
      throws
    {
      for seed in seeds where violations.count < 4 {
        let count = members.lowerBound + Int(seed) % members.count
        let history = try RoomHistory(
          seed: seed, members: count, steps: steps, faultShare: faultShare)
        try history.run()
        faults.merge(history.counts, uniquingKeysWith: +)
        if let first = history.violations.first { violations.append("history \(seed): \(first)") }
      }
    }
  }

  /// The long run has 100,000 histories in total.
  private static func seeds(_ usual: Int, long: Int) -> Range<UInt64> {
    0..<UInt64(RunLength.count(usual, long: long))
  }

  @Test func `everybody in a room ends with the same drawing after all faults`() throws {
    let findings = try Findings(Self.seeds(120, long: 90_000), members: 2...6, steps: 120)
    #expect(findings.violations == [])
    for fault in RoomFault.allCases {
      #expect(findings.faults[fault] ?? 0 >= (RunLength.isLong ? 1000 : 1), "\(fault)")
    }
    if RunLength.isLong { print(findings.faults) }
  }

  @Test func `simulated rooms that once failed agree`() throws {
    for seed: UInt64 in [28, 1229, 3996, 4247, 4349] {
      let findings = try Findings(seed..<seed + 1, members: 2...6, steps: 120)
      #expect(findings.violations == [])
    }
  }

  @Test func `rooms of many members agree`() throws {
    let findings = try Findings(Self.seeds(4, long: 2_000), members: 10...50, steps: 400)
    #expect(findings.violations == [])
  }

  @Test func `members without faults agree`() throws {
    let findings = try Findings(
      Self.seeds(30, long: 8_000), members: 2...5, steps: 100, faultShare: 0)
    #expect(findings.violations == [])
  }
}
