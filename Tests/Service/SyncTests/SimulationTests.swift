import InkFiles
import ForeignInk
import TestSupport
import Testing

@testable import Sync

/// What was found in a range of histories: the first whose ends are wrong, and how often each fault happened.
struct Findings {
  var violations: [String] = []
  var faults: [Fault: Int] = [:]
  var histories = 0

  init(_ seeds: Range<UInt64>, _ plan: History.Plan) throws {
    for seed in seeds where violations.count < 4 {
      let history = History(seed: seed, plan)
      try history.run()
      faults.merge(history.counts, uniquingKeysWith: +)
      histories += 1
      if let first = history.violations.first { violations.append("history \(seed): \(first)") }
    }
  }
}

struct SimulationTests {
  /// In the long run 110,000 histories in all.
  private static func seeds(_ usual: Int, long: Int) -> Range<UInt64> {
    0..<UInt64(RunLength.count(usual, long: long))
  }

  @Test
  func `after all faults every device agrees with the server, and no write is lost or doubled`()
    throws
  {
    let findings = try Findings(Self.seeds(150, long: 70_000), History.Plan())
    #expect(findings.violations == [])
    // A kind of fault that never happens would prove nothing.
    for fault in Fault.allCases { #expect(findings.faults[fault] ?? 0 > 0, "\(fault)") }
    if RunLength.isLong {
      for fault in Fault.allCases { #expect(findings.faults[fault] ?? 0 >= 1000, "\(fault)") }
      let faults = findings.faults.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { "\($0.key.rawValue) \($0.value)" }
      print("\(findings.histories) histories: \(faults.joined(separator: ", "))")
    }
  }

  @Test func `devices whose clocks are wrong by days lose nothing either`() throws {
    var plan = History.Plan()
    plan.clockHours = 240
    let findings = try Findings(Self.seeds(60, long: 10_000), plan)
    #expect(findings.violations == [])
  }

  @Test func `without faults every write reaches every device`() throws {
    var plan = History.Plan()
    plan.faultShare = 0
    let findings = try Findings(Self.seeds(30, long: 5000), plan)
    #expect(findings.violations == [])
  }

  @Test func `many devices agree`() throws {
    var plan = History.Plan()
    (plan.devices, plan.steps) = (6, 80)
    let findings = try Findings(Self.seeds(20, long: 5000), plan)
    #expect(findings.violations == [])
  }

  @Test func `the real rules of merging ink lose nothing either`() throws {
    var plan = History.Plan()
    plan.merge = { try DrawingFile.merging(base: $0, ours: $1, theirs: $2) }
    let findings = try Findings(Self.seeds(40, long: 10_000), plan)
    #expect(findings.violations == [])
  }

  @Test func `keeping both versions of a conflict loses nothing`() throws {
    var plan = History.Plan()
    plan.conflicts = .keepBoth
    let findings = try Findings(Self.seeds(40, long: 10_000), plan)
    #expect(findings.violations == [])
  }

  @Test func `histories that once ended wrong end right`() throws {
    var (clocks, six, ink, both) = (History.Plan(), History.Plan(), History.Plan(), History.Plan())
    clocks.clockHours = 240
    (six.devices, six.steps) = (6, 80)
    ink.merge = { try DrawingFile.merging(base: $0, ours: $1, theirs: $2) }
    both.conflicts = .keepBoth
    let histories: [(plan: History.Plan, seeds: [UInt64])] = [
      (History.Plan(), [6554, 7279, 8379, 12810, 16042, 20015, 23383, 23954, 27651, 69815]),
      (clocks, [406, 440, 606, 989, 3531, 9863]), (six, [337, 345, 482, 946, 2991, 3410, 4064]),
      (ink, [3531, 9863]), (both, [3531, 9863]),
    ]
    for (plan, seeds) in histories {
      for seed in seeds {
        let history = History(seed: seed, plan)
        try history.run()
        #expect(history.violations == [], "\(seed)")
      }
    }
  }

  @Test func `a history is repeated by its seed`() throws {
    func texts() throws -> [String] {
      let history = History(seed: 4711)
      try history.run()
      return try history.devices.flatMap { device in
        try device.contents(of: History.uid).map { "\($0.key) \($0.value)" }.sorted()
      }
    }
    #expect(try texts() == texts())
  }
}
