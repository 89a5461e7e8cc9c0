import Glibc
import Graphics
import Measurement
import PKDFormat
import Strokes

/// The engine of web pages, in Node with one thread. `Sources/Web/WebEngine/build` must have been
/// run.
enum WebBenchmarks {
  private static let engine = ".build/web/engine.wasm"

  static func figures(_ effort: Effort) -> [Figure] {
    let compressed = Double(output(of: "gzip -9c \(engine) 2>/dev/null | wc -c")) ?? 0
    // An empty stream is about twenty bytes long.
    guard compressed > 100, !output(of: "node --version 2>/dev/null").isEmpty else { return [] }
    let count = effort.samples < Effort.full.samples ? 60 : 3000
    let page = Recording.Canvas(size: Size(width: 1024, height: 1366))
    let bytes =
      (try? PKDWriter.encode(Recording(Workload.mixedInks(count), canvas: page))) ?? []
    return withTemporaryFile(bytes) { file in
      let runs = (0..<(effort.samples < Effort.full.samples ? 1 : 5)).map { _ in run(file) }
      func all(_ name: String) -> [Double] { runs.flatMap { $0[name] ?? [] } }
      func of(_ name: String, _ part: ([Double]) -> Double) -> [Double] {
        runs.compactMap { $0[name].map(part) }
      }
      let name = "page of \(count) mixed strokes"
      return [
        Figure("engine for pages, gzip -9", "kB", [compressed / 1000], goal: .atMost(260)),
        Figure(
          "\(name), from bytes to the finished drawing", "ms", all("ready"), goal: .atMost(1000)),
        Figure("\(name), filling its layers", "ms", all("warm")),
        Figure("\(name), seek", "ms", all("seek")),
        Figure("\(name), slowest seek", "ms", of("seek") { $0.max() ?? 0 }, goal: .atMost(100)),
        Figure("\(name), frame, 95 of 100", "ms", of("frame", high), goal: .atMost(16.7)),
        Figure("\(name), memory", "MB", all("memory"), goal: .atMost(256)),
        Figure("live stroke at scale 2, update", "ms", all("live")),
        Figure(
          "live stroke at scale 2, update, 95 of 100", "ms", of("live", high), goal: .atMost(4)),
        Figure(
          "live view of 3,000 short strokes, 1440×900 at scale 1", "ms", all("open1"),
          goal: .atMost(700)),
        Figure("the same at scale 2", "ms", all("open2"), goal: .atMost(700)),
        Figure("dragging 25 of them at scale 2, update", "ms", all("drag")),
        Figure(
          "dragging 25 of them at scale 2, update, 95 of 100", "ms", of("drag", high),
          goal: .atMost(16.7)),
      ]
    }
  }

  /// The value that 95 of 100 samples do not exceed.
  private static func high(_ samples: [Double]) -> Double {
    samples.isEmpty ? 0 : samples.sorted()[(samples.count - 1) * 95 / 100]
  }

  /// The samples of one run by name.
  private static func run(_ file: String) -> [String: [Double]] {
    var samples: [String: [Double]] = [:]
    // One line of a shell command is read at a time.
    let lines = output(of: "node Benchmarks/web.mjs \(engine) \(file) 1 | tr '\\n' ';'")
    for line in lines.split(separator: ";") {
      let words = line.split(separator: " ")
      guard let name = words.first?.dropLast() else { continue }
      samples[String(name)] = words.dropFirst().compactMap { Double($0) }
    }
    return samples
  }
}
