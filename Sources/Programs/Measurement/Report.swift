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
        json.key(fact.key)
        json.value(fact.value)
      }
      json.key("figures")
      json.list(long: true) { json in
        for section in sections {
          for figure in section.figures where figure.sampleCount > 0 {
            let name = section.name(of: figure)
            json.object { json in
              Self.write(
                figure, name, baseline?.change(of: figure, named: name), into: &json)
            }
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
    json.key("name")
    json.value(name)
    json.key("value")
    json.value(figure.value)
    json.key("unit")
    json.value(figure.unit)
    json.key("spread")
    json.value(figure.spread)
    json.key("samples")
    json.value(figure.sampleCount)
    if let best = figure.best {
      json.key("best")
      json.value(best)
    }
    if let reference = figure.reference {
      json.key("reference")
      json.value(reference.median)
      json.key("referenceBest")
      json.value(reference.best)
    }
    if let processor = figure.processor {
      json.key("processor")
      json.value(processor)
    }
    switch figure.goal {
    case .atLeast(let limit):
      json.key("atLeast")
      json.value(limit)
    case .atMost(let limit):
      json.key("atMost")
      json.value(limit)
    case nil: break
    }
    if !figure.details.isEmpty {
      json.key("details")
      json.list { json in
        for detail in figure.details {
          json.object { json in
            json.key("value")
            json.value(detail.value)
            json.key("unit")
            json.value(detail.unit)
            if !detail.name.isEmpty {
              json.key("name")
              json.value(detail.name)
            }
          }
        }
      }
    }
    if let change {
      json.key("baseline")
      json.value(change.baseline.value)
      json.key("ratio")
      json.value(change.ratio)
      json.key("change")
      json.value(change.kind.rawValue)
    }
  }
}
