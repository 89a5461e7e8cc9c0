import Foundation
import JSON
import Measurement
import TestSupport
import Testing

struct BaselineTests {
  private static let machine = Machine(facts: [
    .init(key: "processor", value: "P \"quoted\""), .init(key: "cores", value: "2"),
  ])

  private static func report(_ figures: [Figure], baseline: Baseline? = nil) -> Report {
    Report(
      machine: machine,
      sections: [Section(path: ["raster", "page"], title: "t", figures: figures)],
      baseline: baseline)
  }

  private static func figure(_ value: Double, _ unit: String, spread: Double = 0.01) -> Figure {
    Figure(name: "f", unit: unit, value: value, spread: spread, sampleCount: 9)
  }

  /// The change of a figure relative to a baseline with one figure of the same name.
  private static func change(_ old: Figure, _ new: Figure) throws -> Change? {
    let baseline = try Baseline(report([old]).json)
    return Section(path: ["raster", "page"], figures: [new]).changes(from: baseline)[0]
  }

  @Test func `a benchmark report is read back as it was written`() throws {
    let baseline = try Baseline(Self.report([Self.figure(2, "ms")]).json)
    #expect(baseline.machine == Self.machine)
    #expect(baseline.machine.hardware == "P \"quoted\", 2 cores")
    let change = try #require(try Self.change(Self.figure(2, "ms"), Self.figure(2, "ms")))
    #expect(change.ratio == 1 && change.kind == .same)
    #expect(change.baseline.value == 2 && change.baseline.spread == 0.01)
  }

  @Test(
    arguments: [
      (10.0, 11.0, "ms", Change.Kind.slower), (10, 9, "ms", .faster), (10, 11, "frames/s", .faster),
      (10, 9, "frames/s", .slower), (10, 10.6, "ms", .same), (10, 9.4, "ms", .same),
      (100, 103, "bytes", .larger), (100, 97, "bytes", .smaller), (100, 100, "bytes", .same),
      (0, 0, "bytes", .same), (0, 5, "bytes", .larger), (0, 5, "ms", .slower),
    ])
  func `benchmark changes beyond the spread are marked`(
    _ old: Double, _ new: Double, _ unit: String, _ kind: Change.Kind
  ) throws {
    let change = try #require(try Self.change(Self.figure(old, unit), Self.figure(new, unit)))
    #expect(change.kind == kind)
    #expect(old == 0 || change.ratio == new / old)
  }

  @Test func `a benchmark change within the spread is not marked`() throws {
    let wide = Self.figure(10, "ms", spread: 0.2)
    #expect(try Self.change(wide, Self.figure(12, "ms"))?.kind == .same)
    #expect(try Self.change(Self.figure(12, "ms"), wide)?.kind == .same)
  }

  @Test func `a slower median with an unchanged best sample is not marked`() throws {
    func figure(_ value: Double, best: Double) -> Figure {
      Figure(name: "f", unit: "ms", value: value, spread: 0.01, best: best, sampleCount: 9)
    }
    #expect(try Self.change(figure(10, best: 9.8), figure(12, best: 9.8))?.kind == .same)
    #expect(try Self.change(figure(10, best: 9.8), figure(12, best: 11.5))?.kind == .slower)
    #expect(try Self.change(figure(10, best: 9.8), figure(8, best: 9.8))?.kind == .same)
    #expect(try Self.change(figure(10, best: 9.8), figure(8, best: 7.8))?.kind == .faster)
  }

  /// A time whose reference load took some milliseconds at best, and longer by a factor in the
  /// median.
  private static func figure(
    _ value: Double, reference: Double, disturbance: Double = 0, processor: Double? = nil
  ) -> Figure {
    Figure(
      name: "f", unit: "ms", value: value, spread: 0.01, best: value, sampleCount: 9,
      reference: .init(median: reference * (1 + disturbance), best: reference),
      processor: processor)
  }

  @Test(
    arguments: [
      // Slower by the same factor as the reference load, and slower without it.
      (1.3, 1.3, Change.Kind.same), (1.3, 1, .slower), (1, 1.3, .same),
      (0.8, 1, .faster), (0.8, 0.8, .same), (0.8, 1.3, .faster), (1.15, 1, .slower),
      // Much slower than the machine became.
      (2, 1.3, .slower),
    ])
  func `a marked change shows as measured and relative to the reference load`(
    _ time: Double, _ reference: Double, _ kind: Change.Kind
  ) throws {
    let before = Self.figure(10, reference: 1)
    let after = Self.figure(10 * time, reference: reference)
    #expect(try Self.change(before, after)?.kind == kind)
  }

  @Test func `a disturbed machine needs changed processor time for a mark`() throws {
    func change(disturbance: Double, processor: Double) throws -> Change.Kind? {
      try Self.change(
        Self.figure(10, reference: 1, disturbance: disturbance, processor: 9),
        Self.figure(20, reference: 1, disturbance: disturbance, processor: processor))?.kind
    }
    #expect(try change(disturbance: 0.3, processor: 9) == .same)
    #expect(try change(disturbance: 0.3, processor: 10) == .same)
    #expect(try change(disturbance: 0.3, processor: 18) == .slower)
    // Waiting for another thread takes no processor time.
    #expect(try change(disturbance: 0.01, processor: 9) == .slower)
  }

  @Test func `a baseline without a reference load is compared without one`() throws {
    let after = Self.figure(13, reference: 1.3)
    #expect(try Self.change(Self.figure(10, "ms"), after)?.kind == .slower)
  }

  @Test func `a figure of another name or unit has no baseline`() throws {
    #expect(try Self.change(Self.figure(1, "ms"), Self.figure(1, "bytes")) == nil)
    let other = Figure(name: "g", unit: "ms", value: 1, spread: 0, sampleCount: 9)
    #expect(try Self.change(Self.figure(1, "ms"), other) == nil)
  }

  @Test(
    arguments: [
      ("", "the text ends too early at byte 0"), ("[]", "'{' is expected"),
      ("{}", "a report needs 'figures'"), (#"{"figures": {}}"#, "'[' is expected at byte 12"),
      (#"{"figures": [{"name": "a", "value": 1}]}"#, "needs 'name', 'value' and 'unit' at byte 13"),
      (#"{"figures": [{"name": 3}]}"#, "a text is expected at byte 22"),
      (#"{"figures": [{"value": "x"}]}"#, "a number is expected"),
      (#"{"figures": [{"samples": -1}]}"#, "a whole number from 0"),
      (#"{"figures": []} x"#, "unexpected text after the end at byte 16"),
    ])
  func `bytes that are no benchmark report are refused with their offset`(
    _ text: String, _ message: String
  ) {
    do {
      _ = try Baseline(Array(text.utf8))
      Issue.record("read: \(text)")
    } catch {
      #expect("\(error)".contains(message), "\(error)")
    }
  }

  @Test func `every cut and flipped bit of a benchmark report is read or refused`() {
    let bytes = Self.report([Self.figure(2, "ms"), Self.figure(3e-9, "frames/s")]).json
    var refused = 0
    for count in bytes.indices {
      if (try? Baseline(Array(bytes[..<count]))) == nil { refused += 1 }
      for bit in 0..<8 {
        var damaged = bytes
        damaged[count] ^= 1 << bit
        if let baseline = try? Baseline(damaged) {
          // Every report that was read can be compared and printed.
          let report = Self.report([Self.figure(2, "ms")], baseline: baseline)
          for section in report.sections { consume(ReportTable(section, baseline: baseline).text) }
          consume(report.json)
        }
      }
    }
    // Only a cut within the white space at the end leaves a valid report.
    #expect(refused == bytes.count - 1)
  }

  @Test func `the stored benchmark results are valid baselines`() throws {
    let folder = Corpus.project.appendingPathComponent("Benchmarks/Results")
    for name in ["2026-11-21.json", "2026-11-23-opening.json", "2026-11-22-pictures.json"] {
      let bytes = contents(of: folder.appendingPathComponent(name).path)
      let baseline = try Baseline(bytes)
      #expect(baseline.machine["processor"]?.isEmpty == false, "\(name)")
    }
  }

  @Test func `a benchmark report without figures is still JSON`() throws {
    #expect(throws: Never.self) { try Baseline(Self.report([]).json) }
  }

  @Test func `a benchmark comparison in JSON has baseline, ratio and change`() throws {
    let baseline = try Baseline(Self.report([Self.figure(2, "ms")]).json)
    let report = Self.report([Self.figure(4, "ms")], baseline: baseline)
    let text = String(decoding: report.json, as: UTF8.self)
    #expect(text.contains(#""baseline": 2, "ratio": 2, "change": "slower""#), "\(text)")
  }

  // MARK: - Tables

  @Test func `a benchmark table with short names fits into 80 columns`() throws {
    var figure = Figure("read libpng's", "ms", [123.4, 130, 99])
    figure.details = [.init(3_456_789, "points/s"), .init(222_000_000, "px/s")]
    let section = Section(path: ["png", "page"], title: "png: pixels → file", figures: [figure])
    for line in ReportTable(section).text.split(separator: "\n") { #expect(line.count <= 80) }
    let baseline = try Baseline(Self.report([]).json)
    for line in ReportTable(section, baseline: baseline).text.split(separator: "\n") {
      #expect(line.count <= 80)
    }
    #expect(ReportTable(section).text.contains("3.46 Mpoints/s, 222 Mpx/s"))
  }

  @Test func `a benchmark table marks changes and figures without a baseline`() throws {
    let baseline = try Baseline(Self.report([Self.figure(2, "ms")]).json)
    let new = Figure(name: "new", unit: "ms", value: 1, spread: 0, sampleCount: 5)
    let section = Section(
      path: ["raster", "page"], title: "t", figures: [Self.figure(4, "ms"), new])
    let lines = ReportTable(section, baseline: baseline) { "<\($0)>" }.text.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[1].hasSuffix("2×  <slower>"), "\(lines[1])")
    #expect(lines[2].hasSuffix("–"), "\(lines[2])")
  }

  @Test func `a benchmark table marks a missed goal`() {
    let figures = [
      Figure("a", "ms", [2], goal: .atMost(1)), Figure("b", "ms", [2], goal: .atLeast(1)),
      Figure("c", "ms", []),
    ]
    let lines = ReportTable(Section(figures: figures)).text.split(separator: "\n")
    #expect(lines[0].hasSuffix("(goal: at most 1, MISSED)"))
    #expect(lines[1].hasSuffix("(goal: at least 1)"))
    #expect(lines[2].contains("not measured"))
  }
}
