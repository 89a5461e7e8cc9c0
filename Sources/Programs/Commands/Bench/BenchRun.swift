import InkFiles
import ForeignInk
import Measurement
import Rasterization
import Replay

/// One run of `pkd bench`: all groups on all drawings.
struct BenchRun {
  let plan: BenchPlan
  let machine: Machine
  let baseline: Baseline?
  private var sections: [Section] = []
  /// Notes for the reader of the report; a note about several drawings appears once.
  private var notes: [String] = []

  init(plan: BenchPlan, machine: Machine, baseline: Baseline?) {
    (self.plan, self.machine, self.baseline) = (plan, machine, baseline)
  }

  mutating func carryOut(_ console: inout Console) throws {
    if !plan.printsJSON { try console.print(machine.description.wrapped()) }
    let inputs = plan.paths.isEmpty ? BenchInput.builtIn.count : plan.paths.count
    for index in 0..<inputs where !groups(index).isEmpty {
      guard let input = openInput(index, &console) else { continue }
      if !plan.printsJSON { try console.print("\n" + console.bold(input.description.wrapped())) }
      for (number, group) in groups(index).enumerated() {
        console.showProgress(
          index * plan.groups.count + number, of: inputs * plan.groups.count,
          "\(group.rawValue), \(input.name)")
        do {
          try measure(group, input, &console)
        } catch ProcessFailure.stopped {
          console.endProgress()
          return console.raise(.interrupted)
        }
      }
      for note in input.notes where !notes.contains(note) { notes.append(note) }
    }
    console.endProgress()
    for note in notes { console.note(note) }
    try finish(&console)
  }

  /// The groups that measure an input: the requested groups, for a built-in drawing limited to its
  /// own groups.
  private func groups(_ index: Int) -> [BenchGroup] {
    guard plan.paths.isEmpty else { return plan.groups }
    let drawing = BenchInput.builtIn[index]
    guard !drawing.isLarge || !plan.isBrief else { return [] }
    return plan.groups.filter(drawing.groups.contains)
  }

  private func openInput(_ index: Int, _ console: inout Console) -> BenchInput? {
    guard !plan.paths.isEmpty else { return BenchInput.builtIn[index].make() }
    let path = plan.paths[index]
    guard let (bytes, file) = console.open(path, InputOptions()) else { return nil }
    for damage in file.damage {
      console.fail("\(path): \(damage); only the readable part is measured", .badData)
    }
    return BenchInput(path: path, bytes: bytes, file: file)
  }

  /// Measures one group up to its first failure, and prints it. Reports failures; throws only if
  /// the run must end.
  private mutating func measure(
    _ group: BenchGroup, _ input: BenchInput, _ console: inout Console
  ) throws {
    var figures: [Figure] = []
    var measurements = group.measurements
    if plan.withPeers { measurements.append(PeerBench.figures) }
    for measurement in measurements {
      do {
        figures += try measurement(input, plan)
      } catch ProcessFailure.stopped {
        throw ProcessFailure.stopped
      } catch {
        console.fail("\(input.name): \(group.rawValue): \(advice(on: error))", Self.code(of: error))
        break
      }
    }
    try add(
      Section(path: [group.rawValue, input.name], title: group.title, figures: figures), &console)
  }

  private mutating func add(_ section: Section, _ console: inout Console) throws {
    sections.append(section)
    guard !plan.printsJSON, !section.figures.isEmpty else { return }
    let table = ReportTable(section, baseline: baseline) { [console] in console.bold($0) }
    try console.print("\n" + table.text)
  }

  private func finish(_ console: inout Console) throws {
    if plan.printsJSON {
      let report = Report(machine: machine, sections: sections, baseline: baseline)
      return try console.printAlways(String(decoding: report.json.dropLast(), as: UTF8.self))
    }
    guard let baseline else { return }
    let changes = sections.flatMap { $0.changes(from: baseline) }
    let kinds = changes.compactMap { $0?.kind }
    let words = [Change.Kind.faster, .slower, .smaller, .larger].compactMap { kind in
      let count = kinds.count { $0 == kind }
      return count == 0 ? nil : "\(count) \(kind.rawValue)"
    }
    let compared = kinds.count.counting("figure")
    let missing = changes.count - kinds.count
    try console.print(
      "\n\(compared) compared: "
        + (words.isEmpty ? "no change" : words.joined(separator: ", "))
        + (missing == 0 ? "" : "; \(missing) not in the baseline") + ".")
  }

  private static func code(of error: any Error) -> ExitCode {
    if error is ReplayError { return .badData }
    guard let error = error as? RenderError else { return .failed }
    switch error.problem {
    case .unreadable, .tooLarge, .tooMuchWork: return .badData
    case .notANumber, .empty, .noPage: return .failed
    }
  }
}
