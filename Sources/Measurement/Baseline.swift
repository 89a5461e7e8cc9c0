package import JSON

/// An earlier report, to compare figures with.
package struct Baseline: Sendable {
  /// The machine and the program of the report.
  package let machine: Machine
  private let figures: [String: Figure]

  /// Reads a report in JSON: the keys of each figure are `name`, `value` and `unit`, and perhaps `spread`, `best`
  /// and `samples`. Other keys are skipped, as other versions may write more.
  package init(_ bytes: [UInt8]) throws(JSONError) {
    var reader = JSONReader(bytes)
    var facts: [Machine.Fact] = []
    var figures: [String: Figure]?
    try reader.object { key, reader throws(JSONError) in
      if key == "figures" {
        figures = try Self.figures(from: &reader)
      } else if reader.peek() == UInt8(ascii: "\"") {
        facts.append(Machine.Fact(key: key, value: try reader.string()))
      } else {
        try reader.skip()
      }
    }
    try reader.end()
    guard let figures else { throw reader.error("a report needs 'figures', which are missing") }
    machine = Machine(facts: facts)
    self.figures = figures
  }

  private static func figures(from reader: inout JSONReader) throws(JSONError) -> [String: Figure] {
    var figures: [String: Figure] = [:]
    try reader.list { reader throws(JSONError) in
      let figure = try figure(from: &reader)
      // Some reports of earlier versions have a name twice.
      if figures[figure.name] == nil { figures[figure.name] = figure }
    }
    return figures
  }

  private static func figure(from reader: inout JSONReader) throws(JSONError) -> Figure {
    let start = reader.error("a figure needs 'name', 'value' and 'unit'")
    var (name, unit): (String?, String?)
    var (value, spread, best): (Double?, Double, Double?) = (nil, 0, nil)
    var samples = 1
    try reader.object { key, reader throws(JSONError) in
      switch key {
      case "name": name = try reader.string()
      case "unit": unit = try reader.string()
      case "value": value = try reader.number()
      case "spread": spread = try reader.number()
      case "best": best = try reader.number()
      case "samples": samples = try reader.integer(in: 0...Int(Int32.max))
      default: try reader.skip()
      }
    }
    guard let name, let unit, let value else { throw start }
    return Figure(
      name: name, unit: unit, value: value, spread: spread, best: best, sampleCount: samples)
  }

  /// How a figure differs from the one of the same name and unit; nil if the baseline has none.
  package func change(of figure: Figure, named name: String) -> Change? {
    guard let before = figures[name], before.unit == figure.unit, figure.sampleCount > 0 else {
      return nil
    }
    return Change(from: before, to: figure)
  }
}

/// The difference between a figure and the baseline's.
package struct Change: Hashable, Sendable {
  package let baseline: Figure
  /// The figure divided by the baseline's; infinite if that is 0.
  package let ratio: Double
  package let kind: Kind

  /// Whether the difference is beyond the spread of both figures, and what it means.
  package enum Kind: String, Sendable {
    case same, faster, slower, smaller, larger

    /// Whether it is an improvement; nil for no change.
    package var isBetter: Bool? {
      switch self {
      case .same: nil
      case .faster, .smaller: true
      case .slower, .larger: false
      }
    }
  }

  /// The part by which a time differs from run to run although nothing has changed, also where the spread within
  /// each run is smaller: memory, clock rates and other programs differ between runs.
  package static let usualVariation = 0.03

  /// Whether the best samples differ like the medians do. Other programs make the median of a whole run worse, but
  /// rarely its best sample.
  private static func bestAgree(_ old: Figure, _ new: Figure) -> Bool {
    guard let before = old.best, let after = new.best, before != 0 else { return true }
    return new.value > old.value
      ? after > before * (1 + usualVariation) : after < before * (1 - usualVariation)
  }

  init(from baseline: Figure, to figure: Figure) {
    self.baseline = baseline
    let (old, new) = (baseline.value, figure.value)
    ratio = old == new ? 1 : new / old
    let isTimed = Figure.isTime(figure.unit) || Figure.isRate(figure.unit)
    let allowance =
      abs(figure.spread) + abs(baseline.spread) + (isTimed ? Self.usualVariation : 0)
    let isMore = new > old
    if abs(new - old) <= allowance * max(abs(new), abs(old))
      || isTimed && !Self.bestAgree(baseline, figure)
    {
      kind = .same
    } else if isTimed {
      kind = isMore == Figure.isRate(figure.unit) ? .faster : .slower
    } else {
      kind = isMore ? .larger : .smaller
    }
  }
}
