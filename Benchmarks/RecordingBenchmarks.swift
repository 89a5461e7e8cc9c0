import Measurement
import PKDFormat
import PencilKitArchive
import Strokes

/// The sizes of recordings, and the speed of writing and reading them.
enum RecordingBenchmarks {
  static func figures(_ effort: Effort) -> [Figure] {
    var figures: [Figure] = []
    for (name, drawing, goals) in Workload.recordings() {
      figures += sizes(name, drawing, goals)
      figures += speeds(name, drawing, effort)
    }
    figures += MemoryBenchmarks.longStroke(effort)
    return figures
  }

  private static func encoded(_ drawing: PKDrawing, _ options: PKDWriter.Options) -> [UInt8] {
    (try? PKDWriter.encode(drawing, options: options)) ?? []
  }

  private static func sizes(
    _ name: String, _ drawing: PKDrawing, _ goals: SizeGoals
  ) -> [Figure] {
    let points = Double(drawing.strokes.reduce(0) { $0 + $1.path.count })
    func size(_ label: String, _ options: PKDWriter.Options, _ goal: Double?) -> Figure {
      let bytes = Double(encoded(drawing, options).count)
      return Figure(
        "recording, \(name), \(label)", "bytes/point", [bytes / points],
        goal: goal.map { .atMost($0) })
    }
    return [
      size("exact, ink only", .init(inkOnly: true), goals.exact),
      size("compact, ink only", .init(profile: .compact, inkOnly: true), goals.compact),
      size("sensor, ink only", .init(profile: .sensor, inkOnly: true), nil),
      size("everything", .init(), goals.everything),
    ]
  }

  private static func speeds(
    _ name: String, _ drawing: PKDrawing, _ effort: Effort
  ) -> [Figure] {
    let points = Double(drawing.strokes.reduce(0) { $0 + $1.path.count })
    let bytes = encoded(drawing, .init(inkOnly: true))
    let opened = try? PKDReader(bytes)
    let samples = times(
      effort,
      [
        { consume(try? opened?.pathColumns()) },
        { consume(try? PKDReader(bytes).readStrokes().value) },
        { consume(encoded(drawing, .init(inkOnly: true))) },
        { consume(try? PKDReader(bytes).strokeCount) },
      ])
    func speed(_ label: String, _ samples: [Double], _ goal: Double) -> Figure {
      Figure(
        "recording, \(name), \(label)", "million points/s", samples.map { points / $0 / 1e6 },
        goal: .atLeast(goal))
    }
    return [
      // The points of an opened recording; then everything from its bytes to a list of strokes.
      speed("decode to columns", samples[0], 25),
      speed("decode", samples[1], 25),
      speed("encode", samples[2], 5),
      Figure("recording, \(name), open", "ms", samples[3].map { $0 * 1e3 }, goal: .atMost(1)),
    ]
  }
}

/// The maximum sizes, in bytes per point; nil for sizes without a goal.
struct SizeGoals {
  var exact: Double?
  var compact: Double?
  var everything: Double?
}

extension Workload {
  /// Real drawings with their goals; none without the corpus.
  fileprivate static func recordings() -> [(String, PKDrawing, SizeGoals)] {
    let corpus = "../shared/corpus/pkdrawing/"
    var result: [(String, PKDrawing, SizeGoals)] = []
    if let page = try? PKDrawing(data: contents(of: corpus + "apple-notes-color.drawing")) {
      result.append(
        ("page of 2018", page, SizeGoals(exact: 4.8, compact: 4.2, everything: 6.4)))
      let doodle = PKDrawing(strokes: page.strokes[100..<120])
      result.append(("doodle of 20 strokes", doodle, SizeGoals(exact: 5.5, compact: 5.2)))
    }
    if let line = try? PKDrawing(data: contents(of: corpus + "inpaint-pencil.drawing")) {
      result.append(("one long stroke", line, SizeGoals(exact: 6.2)))
    }
    return result
  }
}
