import Glibc
import Measurement
import PKDFormat
import PencilKitArchive
import Strokes

/// Writes the statistics of the coder of recordings into the sources and the description of the
/// format.
///
/// The statistics of the first version never change, since files are coded with them: they are
/// written as they are. Training them again on today's rows only shows the possible gain of a later
/// version. The statistics of wide kinds follow from a formula.
enum PriorCommand {
  static func run() {
    let drawings = sources()
    // Each half is coded with tables that were trained without it.
    print("payload in bytes per point; tables trained without the half that is coded")
    for (name, drawing, _) in drawings {
      var bytes = 0
      for fold in 0..<2 {
        var training = PriorTraining()
        for (other, source, weight) in drawings {
          training.add(other == name ? half(source, 1 - fold) : source, weight: weight)
        }
        let part = half(drawing, fold)
        bytes += PriorTraining.byteCount(of: part, with: training.counts).reduce(0, +)
      }
      let points = drawing.strokes.reduce(0) { $0 + $1.path.count }
      print("\(name): \(points) points, \(Double(bytes) / Double(points))")
    }
    var training = PriorTraining()
    for (_, source, weight) in drawings { training.add(source, weight: weight) }
    for (name, drawing, _) in drawings {
      let points = drawing.strokes.reduce(0) { $0 + $1.path.count }
      let bytes = PriorTraining.byteCount(of: drawing, with: training.counts).reduce(0, +)
      print("\(name) with tables of all: \(Double(bytes) / Double(points))")
    }
    let shipped = PriorTables.shipped.counts
    for (name, drawing, _) in drawings {
      let points = drawing.strokes.reduce(0) { $0 + $1.path.count }
      let bytes = PriorTraining.byteCount(of: drawing, with: shipped).reduce(0, +)
      print("\(name) with the shipped tables: \(Double(bytes) / Double(points))")
    }
    let first = PriorTables.pack(Array(shipped.dropLast(PriorTraining.wideCounts.count)))
    let wide = PriorTables.pack(PriorTraining.wideCounts)
    var lines = ["// Made by `Benchmarks priors`; see decision 8.", ""]
    lines += [
      "/// The statistics of the first version, as `PriorTables` unpacks them.", "enum PriorData {",
    ]
    lines += literal(first, named: "first")
    lines += ["", "  /// The statistics of wide kinds, which the second version added."]
    lines += literal(wide, named: "wide")
    lines += ["}", ""]
    write(lines.joined(separator: "\n"), to: "Sources/Formats/PKDFormat/Coding/PriorData.swift")
    writePage(first + wide)
  }

  /// The lines of a constant with a text.
  private static func literal(_ text: String, named name: String) -> [String] {
    var lines = ["  static let \(name): StaticString = #\"\"\""]
    var rest = text[...]
    while !rest.isEmpty {
      lines.append("    " + rest.prefix(92) + (rest.count > 92 ? "\\#" : ""))
      rest = rest.dropFirst(92)
    }
    return lines + ["    \"\"\"#"]
  }

  /// Writes the same letters as a text file for readers in other languages.
  private static func writePage(_ text: String) {
    var lines = ""
    var rest = text[...]
    while !rest.isEmpty {
      lines += rest.prefix(96) + "\n"
      rest = rest.dropFirst(96)
    }
    write(lines, to: "docs/formats/pkd-statistics.txt")
  }

  private static func write(_ text: String, to path: String) {
    guard let file = fopen(path, "w") else { return }
    fputs(text, file)
    fclose(file)
  }

  private static func half(_ drawing: PKDrawing, _ which: Int) -> PKDrawing {
    let groups = drawing.strokes.count >= 40 ? 20 : 1
    guard drawing.strokes.count > 1 else { return drawing }
    return PKDrawing(
      strokes: drawing.strokes.enumerated().filter { $0.offset / groups % 2 == which }
        .map(\.element))
  }

  private static func sources() -> [(String, PKDrawing, Double)] {
    var result: [(String, PKDrawing, Double)] = []
    let corpus = "../shared/corpus/pkdrawing/"
    for (path, weight) in [
      (corpus + "apple-notes-color.drawing", 2.0), (corpus + "inpaint-pencil.drawing", 0.5),
      ("Samples/handwriting.pkd", 0.3), ("Samples/landscape.pkd", 0.3), ("Samples/inks.pkd", 0.3),
    ] {
      let bytes = contents(of: path)
      guard
        let drawing = (try? PKDrawing(data: bytes)) ?? (try? PKDReader(bytes).readDrawing().value)
      else {
        continue
      }
      result.append((path, drawing, weight))
    }
    return result
  }
}
