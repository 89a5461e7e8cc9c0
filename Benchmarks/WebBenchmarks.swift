import Glibc
import Graphics
import Measurement
import PKDFormat
import PencilKitArchive
import Strokes

/// The engine of web pages, in Node with one thread. `Sources/Web/WebEngine/build` must have been
/// run.
enum WebBenchmarks {
  private static let engine = ".build/web/engine.wasm"

  static func figures(_ effort: Effort) -> [Figure] {
    func compressed(_ name: String) -> [Double] {
      [(Double(output(of: "cat .build/web/\(name).wasm.gz 2>/dev/null | wc -c")) ?? 0) / 1000]
    }
    guard compressed("engine")[0] > 0, !output(of: "node --version 2>/dev/null").isEmpty else {
      return []
    }
    let count = effort.samples < Effort.full.samples ? 60 : 3000
    let page = Recording.Canvas(size: Size(width: 1024, height: 1366))
    let bytes =
      (try? PKDWriter.encode(Recording(Workload.mixedInks(count), canvas: page))) ?? []
    let handwriting = Workload.handwriting()
    let points = handwriting.strokes.reduce(0) { $0 + $1.path.count }
    return withTemporaryFile(bytes) { file in
      let runs = withTemporaryFile(handwriting.dataRepresentation(), name: ".drawing") { archive in
        (0..<(effort.samples < Effort.full.samples ? 1 : 5)).map { _ in run(file, archive) }
      }
      func all(_ name: String) -> [Double] { runs.flatMap { $0[name] ?? [] } }
      func of(_ name: String, _ part: ([Double]) -> Double) -> [Double] {
        runs.compactMap { $0[name].map(part) }
      }
      let name = "page of \(count) mixed strokes"
      return [
        Figure("engine for pages, compressed", "kB", compressed("engine")),
        Figure("engine for drawing, compressed", "kB", compressed("canvas"), goal: .atMost(400)),
        Figure("engine for players, compressed", "kB", compressed("player"), goal: .atMost(250)),
        Figure(
          "\(name), from bytes to the finished drawing", "ms", all("ready"), goal: .atMost(1000)),
        Figure("\(name), filling its layers", "ms", all("warm")),
        Figure("\(name), seek", "ms", all("seek")),
        Figure("\(name), slowest seek", "ms", of("seek") { $0.max() ?? 0 }, goal: .atMost(100)),
        Figure("\(name), frame, 95 of 100", "ms", of("frame", high), goal: .atMost(16.7)),
        Figure("\(name), memory", "MB", all("memory"), goal: .atMost(256)),
        Figure(
          "archive of \(points) points, opened, with a stroke, written", "ms", all("archive"),
          goal: .atMost(100)),
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
  private static func run(_ file: String, _ archive: String) -> [String: [Double]] {
    var samples: [String: [Double]] = [:]
    // One line of a shell command is read at a time.
    let lines = output(of: "node Benchmarks/web.mjs \(engine) \(file) 1 \(archive) | tr '\\n' ';'")
    for line in lines.split(separator: ";") {
      let words = line.split(separator: " ")
      guard let name = words.first?.dropLast() else { continue }
      samples[String(name), default: []] += words.dropFirst().compactMap { Double($0) }
    }
    return samples
  }
}
