import Measurement
import PKDFormat
import PencilKitArchive
import Strokes

/// The cost of opening a file for commands that need only a part of it. Each figure is a whole
/// process.
enum OpeningBenchmarks {
  static func figures(_ effort: Effort) -> [Figure] {
    guard WholeProcess.isBuilt else { return [] }
    let isFull = effort.samples > 3
    return withTemporaryFolder { folder in
      large(folder, strokeCount: isFull ? 16_800 : 100, pointCount: 100, runs: isFull ? 21 : 1)
        + large(folder, strokeCount: isFull ? 70_000 : 700, pointCount: 24, runs: isFull ? 21 : 1)
        + converted(folder, runs: isFull ? 51 : 1)
    } ?? []
  }

  private static func write(_ bytes: [UInt8]?, to path: String) -> String {
    if let bytes { PNGContender.write(bytes, to: path) }
    return path
  }

  /// `info` of a page with more than a million points.
  private static func large(
    _ folder: String, strokeCount: Int, pointCount: Int, runs: Int
  ) -> [Figure] {
    let page = Workload.handwriting(strokeCount: strokeCount, pointCount: pointCount)
    let points = "\(strokeCount * pointCount) points in \(strokeCount) strokes"
    let path = write(
      try? PKDWriter.encode(page, options: .init(profile: .sensor)), to: folder + "/large.pkd")
    let taken = WholeProcess.turns(
      runs, [["--version"], ["info", path], ["info", "--sizes", path]])
    let name = "opening, info of \(points)"
    return [
      Figure("opening, start of the program alone", "ms", taken[0].map { $0 * 1e3 }),
      Figure(name, "ms", taken[1].map { $0 * 1e3 }, goal: .atMost(20)),
      Figure("\(name), with the sizes of channels", "ms", taken[2].map { $0 * 1e3 }),
    ]
  }

  /// `render` of a converted archive, compared with the same file without the archive's residue.
  private static func converted(_ folder: String, runs: Int) -> [Figure] {
    guard let page = try? PKDrawing(data: Workload.handwriting().dataRepresentation()) else {
      return []
    }
    var ink = page
    ink.residue = nil
    let whole = write(try? PKDWriter.encode(page), to: folder + "/whole.pkd")
    let bare = write(try? PKDWriter.encode(ink), to: folder + "/ink.pkd")
    let taken = WholeProcess.turns(
      runs, [whole, bare].map { ["render", $0, "-o", folder + "/page.png", "--force"] })
    return [
      Figure("opening, render of a converted archive", "ms", taken[0].map { $0 * 1e3 }),
      Figure(
        "opening, render of a converted archive, ratio to the same ink alone", "×",
        zip(taken[0], taken[1]).map { $0 / $1 }, goal: .atMost(1.1)),
    ]
  }
}
