import JSON

/// Figures with a title, which share the start of their names.
package struct Section: Hashable, Sendable {
  /// The prefix of each figure's name in JSON: the group of figures, the drawing.
  package let path: [String]
  /// The title in a table; empty for none.
  package let title: String
  package let figures: [Figure]

  package init(path: [String] = [], title: String = "", figures: [Figure]) {
    (self.path, self.title, self.figures) = (path, title, figures)
  }

  /// The full name of a figure, by which a baseline is searched.
  func name(of figure: Figure) -> String { (path + [figure.name]).joined(separator: ", ") }

  /// The changes of the figures, in their order; nil for figures that are not in the baseline.
  package func changes(from baseline: Baseline) -> [Change?] {
    figures.map { baseline.change(of: $0, named: name(of: $0)) }
  }
}

/// Figures, with the machine, compiler and commit of the measurement.
package struct Report: Sendable {
  package let machine: Machine
  package let sections: [Section]
  /// The report that the figures are compared with.
  package let baseline: Baseline?

  package init(machine: Machine, sections: [Section], baseline: Baseline? = nil) {
    (self.machine, self.sections, self.baseline) = (machine, sections, baseline)
  }

  /// The figures in JSON, with machine, compiler and commit.
  package var json: [UInt8] {
    var json = JSONWriter()
    json.object(long: true) { json in
      for fact in machine.facts {
        json.field(fact.key, fact.value)
      }
      json.list("figures", sections, long: true) { json, section in
        for figure in section.figures where figure.sampleCount > 0 {
          let name = section.name(of: figure)
          json.object { json in
            Self.write(
              figure, name, baseline?.change(of: figure, named: name), into: &json)
          }
        }
      }
    }
    json.finish()
    return json.bytes
  }

  private static func write(
    _ figure: Figure, _ name: String, _ change: Change?, into json: inout JSONWriter
  ) {
    json.field("name", name)
    json.field("value", figure.value)
    json.field("unit", figure.unit)
    json.field("spread", figure.spread)
    json.field("samples", figure.sampleCount)
    if let best = figure.best {
      json.field("best", best)
    }
    if let reference = figure.reference {
      json.field("reference", reference.median)
      json.field("referenceBest", reference.best)
    }
    if let processor = figure.processor {
      json.field("processor", processor)
    }
    switch figure.goal {
    case .atLeast(let limit):
      json.field("atLeast", limit)
    case .atMost(let limit):
      json.field("atMost", limit)
    case nil: break
    }
    if !figure.details.isEmpty {
      json.list("details", figure.details) { json, detail in
        json.object { json in
          json.field("value", detail.value)
          json.field("unit", detail.unit)
          if !detail.name.isEmpty {
            json.field("name", detail.name)
          }
        }
      }
    }
    if let change {
      json.field("baseline", change.baseline.value)
      json.field("ratio", change.ratio)
      json.field("change", change.kind.rawValue)
    }
  }
}
