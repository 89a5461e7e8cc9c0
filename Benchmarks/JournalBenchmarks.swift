import Glibc
import Graphics
import Measurement
import InkFiles
import PKDFormat
import Strokes

/// Recording while the pen moves: the points per second that reach the file.
enum JournalBenchmarks {
  /// The points of some forty pens of 240 Hz in a tenth of a second.
  private static let batch = 1000

  static func figures(_ effort: Effort) -> [Figure] {
    let points = (0..<50 * batch).map { index in
      let t = Double(index)
      return PKStrokePoint(
        location: Point(x: 300 + 200 * sin(t / 50), y: 300 + 200 * cos(t / 70)),
        timeOffset: t / 240, size: Size(width: 3 + sin(t / 20), height: 3 + sin(t / 20)),
        opacity: 1, force: 1 + sin(t / 33), azimuth: sin(t / 90), altitude: 1)
    }
    // A file system in memory, if there is one, so that the disk is not measured.
    let folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    let path = "\(folder)/pentimento-benchmark-\(getpid()).pkd"
    func record(synchronizing: Bool, in path: String) {
      unlink(path)
      defer { unlink(path) }
      do {
        let journal = try PKDJournal(creating: path, startingAt: .referenceDate)
        journal.isSynchronizing = synchronizing
        journal.flushInterval = 0
        let stroke = PKStroke(ink: PKInk(.pen), path: PKStrokePath())
        try journal.begin(stroke: stroke, at: .referenceDate)
        for start in stride(from: 0, to: points.count, by: batch) {
          try journal.append(points: points[start..<start + batch])
        }
      } catch {
        print("\(error)")
      }
    }
    let diskPath = "/tmp/pentimento-benchmark-\(getpid()).pkd"
    let samples = times(
      effort,
      [
        { record(synchronizing: false, in: path) }, { record(synchronizing: true, in: path) },
        { record(synchronizing: true, in: diskPath) },
      ])
    let names = ["", ", synchronized in memory", ", synchronized on disk"]
    return zip(names, samples).map { name, samples in
      Figure(
        "journal, live append\(name)", "million points/s",
        samples.map { Double(points.count) / $0 / 1e6 },
        goal: name.isEmpty ? .atLeast(20) : nil)
    }
  }
}
