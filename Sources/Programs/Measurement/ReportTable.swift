/// A section as a readable table.
package struct ReportTable {
  private let section: Section
  private let changes: [Change?]?
  /// Emphasizes a title or a change, on terminals that can.
  private let emphasize: (String) -> String

  /// With a baseline, changes replace details.
  package init(
    _ section: Section, baseline: Baseline? = nil, emphasize: @escaping (String) -> String = { $0 }
  ) {
    self.section = section
    changes = baseline.map { section.changes(from: $0) }
    self.emphasize = emphasize
  }

  /// The columns of numbers, with their widths. They are the same in all tables, so that the
  /// numbers of several tables are aligned, and a table with short names fits into 80 columns.
  private var columns: [(title: String, width: Int)] {
    [("median", 12), ("spread", 8), changes == nil ? ("best", 9) : ("baseline", 13)]
  }

  private static let minimumNameWidth = 23

  /// The lines of the table, each with a line break except the last.
  package var text: String {
    let indent = section.title.isEmpty ? "" : "  "
    let names = section.figures.map { indent + $0.name }
    let width = max(names.map(\.count).max() ?? 0, Self.minimumNameWidth)
    var lines: [String] = []
    if !section.title.isEmpty {
      let titles = columns.map { $0.title.padded(before: $0.width) }.joined()
      if section.title.count > width {
        lines.append(emphasize(section.title))
        lines.append(String(repeating: " ", count: width) + titles)
      } else {
        lines.append(emphasize(section.title.padded(after: width)) + titles)
      }
    }
    for (index, figure) in section.figures.enumerated() {
      let name = names[index].padded(after: width)
      lines.append(name + row(figure, change: changes.flatMap { $0[index] }))
    }
    return lines.joined(separator: "\n")
  }

  private func row(_ figure: Figure, change: Change?) -> String {
    guard figure.sampleCount > 0 else { return "  not measured: not installed" }
    var cells = [
      readable(figure.value, figure.unit),
      figure.sampleCount > 1 ? Self.percentage(figure.spread) : "",
    ]
    var last = ""
    if changes != nil {
      cells.append(change.map { readable($0.baseline.value, figure.unit) } ?? "–")
      if let change {
        let word = change.kind == .same ? "" : emphasize(change.kind.rawValue)
        last = "\(shortNumber(change.ratio))×".padded(before: 8) + "  " + word
      }
    } else {
      cells.append(
        figure.sampleCount > 1 ? figure.best.map { readable($0, figure.unit) } ?? "" : "")
      last =
        "  "
        + figure.details.map { detail in
          readable(detail.value, detail.unit) + (detail.name.isEmpty ? "" : " \(detail.name)")
        }.joined(separator: ", ")
    }
    last += Self.goal(of: figure)
    let line = zip(cells, columns).map { $0.padded(before: $1.width) }.joined() + last
    return String(line.reversed().drop { $0 == " " }.reversed())
  }

  /// A spread in percent, with at most one decimal: runs differ by more than a tenth of a percent.
  private static func percentage(_ part: Double) -> String {
    let tenths = (part * 1000).rounded()
    return "±\(tenths >= 100 ? shortNumber((part * 100).rounded()) : shortNumber(tenths / 10)) %"
  }

  private static func goal(of figure: Figure) -> String {
    let text: String
    switch figure.goal {
    case .atLeast(let limit): text = "  (goal: at least \(shortNumber(limit))"
    case .atMost(let limit): text = "  (goal: at most \(shortNumber(limit))"
    case nil: return ""
    }
    return text + (figure.goal?.isMet(by: figure.value) == false ? ", MISSED)" : ")")
  }
}

/// A number with its unit, scaled to the related unit that needs few digits.
package func readable(_ value: Double, _ unit: String) -> String {
  let scales: [(unit: String, factor: Double)]
  switch unit {
  case "ms": scales = [("s", 1e-3), ("ms", 1), ("µs", 1e3), ("ns", 1e6)]
  case "s": scales = [("s", 1), ("ms", 1e3), ("µs", 1e6)]
  case "bytes": scales = [("GB", 1e-9), ("MB", 1e-6), ("kB", 1e-3), ("bytes", 1)]
  case "bytes/s": scales = [("GB/s", 1e-9), ("MB/s", 1e-6), ("kB/s", 1e-3), ("bytes/s", 1)]
  case "points/s":
    scales = [("Mpoints/s", 1e-6), ("kpoints/s", 1e-3), ("points/s", 1)]
  case "bytes/point": scales = [("B/point", 1)]
  case "px/s": scales = [("Mpx/s", 1e-6), ("kpx/s", 1e-3), ("px/s", 1)]
  default: return "\(shortNumber(value)) \(unit)"
  }
  let scale = scales.first { abs(value * $0.factor) >= 1 } ?? scales.last ?? (unit, 1)
  return "\(shortNumber(value * scale.factor)) \(scale.unit)"
}

/// A number with about three digits.
package func shortNumber(_ value: Double) -> String {
  let size = abs(value)
  let unit = size >= 100 ? 1.0 : size >= 10 ? 10 : size >= 1 || size == 0 ? 100 : 1000
  let text = ((value * unit).rounded() / unit).description
  return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}

extension String {
  fileprivate func padded(before width: Int) -> String {
    String(repeating: " ", count: max(width - count, 0)) + self
  }

  fileprivate func padded(after width: Int) -> String {
    self + String(repeating: " ", count: max(width - count, 0))
  }
}
