package import JSON

/// An earlier report, to compare figures with.
package struct Baseline: Sendable {
  /// The machine and the program of the report.
  package let machine: Machine
  private let figures: [String: Figure]

  /// Reads a report in JSON: the keys of each figure are `name`, `value` and `unit`, and optionally
  /// `spread`, `best`, `samples`, `reference`, `referenceBest` and `processor`. Other keys are
  /// skipped, because other versions may write more.
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
    var (median, fastest, processor): (Double?, Double?, Double?)
    var samples = 1
    try reader.object { key, reader throws(JSONError) in
      switch key {
      case "name": name = try reader.string()
      case "unit": unit = try reader.string()
      case "value": value = try reader.number()
      case "spread": spread = try reader.number()
      case "best": best = try reader.number()
      case "reference": median = try reader.number()
      case "referenceBest": fastest = try reader.number()
      case "processor": processor = try reader.number()
      case "samples": samples = try reader.integer(in: 0...Int(Int32.max))
      default: try reader.skip()
      }
    }
    guard let name, let unit, let value else { throw start }
    var reference: Reference.Times?
    if let median, let fastest { reference = Reference.Times(median: median, best: fastest) }
    return Figure(
      name: name, unit: unit, value: value, spread: spread, best: best, sampleCount: samples,
      reference: reference, processor: processor)
  }

  /// The change of a figure from the baseline's figure of the same name and unit; nil if the
  /// baseline has none.
  package func change(of figure: Figure, named name: String) -> Change? {
    guard let before = figures[name], before.unit == figure.unit, figure.sampleCount > 0 else {
      return nil
    }
    return Change(from: before, to: figure)
  }
}
