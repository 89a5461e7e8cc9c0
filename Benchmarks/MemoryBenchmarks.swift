import Glibc
import Graphics
import Measurement
import PKDFormat
import PencilKitArchive
import Rasterization
import Strokes

/// The peak memory of opening archives, decoding and drawing, measured in processes that do nothing
/// else.
enum MemoryBenchmarks {
  /// The words on the command line of such processes.
  static let childWord = "memory-of"
  static let recordingWord = "memory-of-recording"
  static let pictureWord = "memory-of-picture"

  static func figures(_ effort: Effort) -> [Figure] {
    let small = effort.samples < Effort.full.samples
    var archives = [
      (
        "a page of \(small ? "20 thousand" : "a million") points",
        Workload.handwriting(strokeCount: small ? 835 : 41_667).dataRepresentation()
      )
    ]
    for file in ["apple-notes-color", "inpaint-pencil"] {
      let bytes = contents(of: "../shared/corpus/pkdrawing/\(file).drawing")
      if !bytes.isEmpty { archives.append(("the real \(file)", bytes)) }
    }
    return picture()
      + archives.compactMap { name, bytes in
        guard let peak = peak(childWord, of: bytes) else { return nil }
        let limit = Double(6 * bytes.count + 5_000_000) / 1e6
        return Figure(
          "memory, open \(name) (\(bytes.count / 1000) kB)", "MB", [peak], goal: .atMost(limit))
      }
  }

  /// The memory for reading the points of one very long stroke, including the resulting columns.
  static func longStroke(_ effort: Effort) -> [Figure] {
    let count = effort.samples < Effort.full.samples ? 20_000 : 500_000
    // In the exact profile these values are not on a grid, and their blocks would be plain bytes.
    let drawing = Workload.longStroke(pointCount: count)
    guard
      let bytes = try? PKDWriter.encode(
        drawing, options: .init(profile: .compact, inkOnly: true)),
      let columns = try? PKDReader(bytes).pathColumns().first
    else { return [] }
    guard let peak = peak(recordingWord, of: bytes) else { return [] }
    let columnBytes = 4 * columns.floats.count + 2 * columns.words.count
    return [
      Figure(
        "recording, memory, decode a stroke of \(count) points", "MB", [peak],
        goal: .atMost(Double(columnBytes + 1_000_000) / 1e6))
    ]
  }

  /// The memory for drawing a large page in bands.
  private static func picture() -> [Figure] {
    let page = Workload.handwriting(strokeCount: 400, pointCount: 24)
    guard let peak = peak(pictureWord, of: page.dataRepresentation()) else { return [] }
    return [Figure("memory, draw a page of 2048×2732 pixels", "MB", [peak], goal: .atMost(12))]
  }

  /// Draws a drawing and prints the peak growth of the process in MB.
  static func printPeak(drawing path: String) {
    let before = PeakMemory.ofThisProcess()
    let renderer = Renderer(
      RenderOptions(extent: .scale(2), region: Rect(x: 0, y: 0, width: 1024, height: 1366)))
    guard let drawing = try? PKDrawing(data: contents(of: path)),
      let rendering = try? renderer.rendering(of: drawing)
    else { return }
    var inked = 0
    rendering.forEachBand { band in
      for row in 0..<band.rowCount {
        inked += band.drawnColumns(ofRow: row).reduce(0) { $0 + $1.count }
      }
    }
    print(Double(PeakMemory.ofThisProcess() - before) / 1e6)
    consume(inked)
  }

  /// The output of a child process for a file of some bytes.
  private static func peak(_ word: String, of bytes: [UInt8]) -> Double? {
    withTemporaryFile(bytes) { path in
      Double(output(of: "'\(CommandLine.arguments[0])' \(word) '\(path)'"))
    }
  }

  /// Opens a file and prints the peak growth of the process in MB, including the file's own bytes.
  static func printPeak(opening path: String) {
    let before = PeakMemory.ofThisProcess()
    let drawing = try? PKDrawing(data: contents(of: path))
    print(Double(PeakMemory.ofThisProcess() - before) / 1e6)
    consume(drawing)
  }

  /// Opens a recording and prints the peak growth of the process in MB while its points are read.
  static func printPeak(decoding path: String) {
    let reader = try? PKDReader(contents(of: path))
    let before = PeakMemory.memoryOfThisProcess()
    let columns = try? reader?.pathColumns()
    print(Double(PeakMemory.ofThisProcess() - before) / 1e6)
    consume(columns)
  }
}
