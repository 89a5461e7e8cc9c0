import InkFiles
import ForeignInk
import TestSupport
import Testing

@testable import Sync

/// The results of a range of histories: the first wrong ones, and the number of faults of each
/// kind.
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
  /// The long run has 110,000 histories in total.
  private static func seeds(_ usual: Int, long: Int) -> Range<UInt64> {
    0..<UInt64(RunLength.count(usual, long: long))
  }

  @Test
  func `every device agrees with the server after all faults`()
    throws
  {
    let findings = try Findings(Self.seeds(150, long: 70_000), History.Plan())
    #expect(findings.violations == [])
    // A kind of fault that never occurs would prove nothing.
    for fault in Fault.allCases { #expect(findings.faults[fault] ?? 0 > 0, "\(fault)") }
    if RunLength.isLong {
      for fault in Fault.allCases { #expect(findings.faults[fault] ?? 0 >= 1000, "\(fault)") }
      let faults = findings.faults.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { "\($0.key.rawValue) \($0.value)" }
      print("\(findings.histories) histories: \(faults.joined(separator: ", "))")
    }
  }

  @Test func `simulated devices with clocks wrong by days lose nothing`() throws {
    var plan = History.Plan()
    plan.clockHours = 240
    let findings = try Findings(Self.seeds(60, long: 10_000), plan)
    #expect(findings.violations == [])
  }

  @Test func `every simulated write reaches every device without faults`() throws {
    var plan = History.Plan()
    plan.faultShare = 0
    let findings = try Findings(Self.seeds(30, long: 5000), plan)
    #expect(findings.violations == [])
  }

  @Test func `many simulated devices agree`() throws {
    var plan = History.Plan()
    (plan.devices, plan.steps) = (6, 80)
    let findings = try Findings(Self.seeds(20, long: 5000), plan)
    #expect(findings.violations == [])
  }

  @Test func `simulated devices with the real merge of ink lose nothing`() throws {
    var plan = History.Plan()
    plan.merge = { try DrawingFile.merging(base: $0, ours: $1, theirs: $2) }
    let findings = try Findings(Self.seeds(40, long: 10_000), plan)
    #expect(findings.violations == [])
  }

  @Test func `simulated devices that keep both versions lose nothing`() throws {
    var plan = History.Plan()
    plan.conflicts = .keepBoth
    let findings = try Findings(Self.seeds(40, long: 10_000), plan)
    #expect(findings.violations == [])
  }

  @Test func `simulated histories that once failed succeed`() throws {
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

  @Test func `a simulated history is repeated by its seed`() throws {
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
