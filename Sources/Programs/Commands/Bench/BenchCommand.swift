import Glibc
import Measurement
import Threads

/// `pkd bench`: measures the stages from strokes to files on this machine.
let benchCommand = CommandDefinition(
  name: "bench",
  summary: "Measure how fast this machine draws, writes, reads and replays ink.",
  operands: "[\(BenchGroup.allCases.map(\.rawValue).joined(separator: "|"))] [FILE…]",
  operandCount: 0...Int.max,
  options: [
    Option("quick", help: "A rough answer in a few seconds."),
    Option(
      "runs", value: "N", form: .whole(1...100_000),
      help: "Take N samples of each figure; at most 101 unless given."),
    Option("compare", value: "FILE", help: "Show changes from a report that --json printed."),
    Option("peers", help: "Also draw with other installed programs and libraries; raster only."),
    Option("json", help: "Print a report in JSON, with machine and commit, for --compare."),
  ],
  examples: [
    ("pkd bench", "Everything, briefly, on three drawings that are built in."),
    ("pkd bench raster page.pkd", "One group, thoroughly, on your own drawing."),
    ("pkd bench --json > before.json", "Store the figures, then change something, and"),
    ("pkd bench --compare before.json", "see what became faster or slower."),
    ("pkd bench raster --peers", "Draw the same lines with Cairo, Skia, MuPDF …"),
  ]
) { arguments, console in
  let plan = try BenchPlan(arguments)
  useHeapOfPictures()
  let machine = Machine.current(program: Version.text)
  #if DEBUG
    console.warn("this is a debug build, many times slower than one with 'swift build -c release'")
  #endif
  if machine.load > 0.5 {
    console.warn("this machine is busy (load \(machine["load"] ?? "")): figures vary more")
  }
  let baseline = try plan.baselinePath.map { try readBaseline($0, on: machine, &console) }
  guard console.exitCode == .ok else { return }
  Interruption.endProgram()
  var run = BenchRun(plan: plan, machine: machine, baseline: baseline.flatMap(\.self))
  try run.carryOut(&console)
}

/// The report to compare with; nil after reporting why it cannot be read.
private func readBaseline(
  _ path: SystemString, on machine: Machine, _ console: inout Console
) throws -> Baseline? {
  let bytes: [UInt8]
  do {
    bytes = try readFile(path, limit: 16 << 20)
  } catch {
    console.fail("\(error)", error.exitCode)
    return nil
  }
  do {
    let baseline = try Baseline(bytes)
    if baseline.machine.hardware != machine.hardware {
      console.warn(
        "\(path): measured on another machine (\(baseline.machine.hardware.printable)), "
          + "so ratios compare machines, too")
    }
    return baseline
  } catch {
    console.fail("\(path): not a report of 'pkd bench --json': \(error)", .badData)
    return nil
  }
}

/// The groups of figures, by their words on the command line.
enum BenchGroup: String, CaseIterable {
  case raster, png, codec, replay, way

  /// The title of the group's table.
  var title: String {
    switch self {
    case .raster: "raster: ink → pixels"
    case .png: "png: pixels → file"
    case .codec: "codec: file ↔ ink"
    case .replay: "replay: ink → frames"
    case .way: "way: file → file"
    }
  }

  /// The measurements of the group; the later ones need a temporary folder and processes.
  var measurements: [(BenchInput, BenchPlan) throws -> [Figure]] {
    switch self {
    case .raster: [RasterBench.figures]
    case .png: [PNGBench.figures]
    case .codec: [CodecBench.figures]
    case .replay: [ReplayBench.figures, ReplayBench.process]
    case .way: [WayBench.figures]
    }
  }
}

/// The subjects and thoroughness of the measurement, from the command line.
struct BenchPlan {
  let groups: [BenchGroup]
  /// The files to measure with; empty for the built-in drawings.
  let paths: [SystemString]
  let baselinePath: SystemString?
  let printsJSON: Bool
  let withPeers: Bool
  let isQuick: Bool
  /// Whether large drawings are skipped to save time: with `--quick`, and when several groups are
  /// measured.
  var isBrief: Bool { isQuick || groups.count > 1 }
  let effort: Effort
  /// The maximum number of threads.
  let threads: Int

  init(_ arguments: Arguments) throws(UsageError) {
    let words = arguments.operands.prefix { BenchGroup(rawValue: $0.description) != nil }
    let named = BenchGroup.allCases.filter { group in
      words.contains { $0.description == group.rawValue }
    }
    groups = named.isEmpty ? BenchGroup.allCases : named
    paths = Array(arguments.operands[words.endIndex...])
    baselinePath = arguments.words["compare"]
    printsJSON = arguments.has("json")
    withPeers = arguments.has("peers")
    isQuick = arguments.has("quick")
    threads = min(arguments.whole(Option.threads.name) ?? Lanes.available, 64)
    guard !withPeers || groups == [.raster] else {
      throw benchCommand.error("--peers draws only; give the group: pkd bench raster --peers")
    }
    if paths.count(where: { $0 == .standardStream }) > 1
      || baselinePath == .standardStream
        && paths.contains(.standardStream)
    {
      throw benchCommand.error("the standard input can be read only once")
    }
    if let first = paths.first, !exists(first),
      let near = nearest(to: first.description, among: BenchGroup.allCases.map(\.rawValue))
    {
      throw benchCommand.error("there is no file '\(first)'; did you mean the group '\(near)'?")
    }
    // A single group may take long; all groups together should not take minutes.
    var effort =
      isQuick
      ? Effort.smoke
      : named.count == 1
        ? Effort(samples: 101, secondsPerSample: 0.01, maximumSeconds: 5)
        : Effort(samples: 41, secondsPerSample: 0.005, maximumSeconds: 1)
    if let count = arguments.whole("runs") {
      effort.samples = count
      // The user has chosen the duration.
      effort.maximumSeconds = .infinity
    }
    self.effort = effort
  }
}
