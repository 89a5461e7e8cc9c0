import Glibc
import Rasterization
import Threads

/// Several drawings to render. Each thread draws one picture after the other, which needs no
/// synchronization; only the last pictures are drawn by several threads.
struct PictureBatch {
  let pairs: [OutputNames.Pair]
  /// Whether outputs may replace files. File systems write a file that replaces another one at once,
  /// so that a power cut leaves one of both, and release the old one: threads beyond those that draw
  /// wait for that.
  let replaces: Bool
  let job: (OutputNames.Pair) -> PictureJob
  private static let maximumLanes = 64

  /// Renders every input. Continues after failures and reports them at the end, in the order of
  /// inputs.
  func draw(threads: Int, _ console: inout Console) throws {
    // A stream is read or written piece by piece, so it is drawn alone.
    let usesStream = pairs.contains {
      $0.input == .standardStream || $0.output == .standardStream || $0.output.isStream
    }
    let lanes = usesStream ? 1 : min(threads, pairs.count)
    if lanes == 1 { shareHeapOfPictures() }
    console.showProgress(0, of: pairs.count, pairs.first?.input.description ?? "")
    let progress = ConditionMutex(Progress(console: console))
    let template = console.holding()
    let turns = replaces && lanes < pairs.count ? Turns(lanes) : nil
    Lanes.run(turns == nil ? lanes : min(4 * lanes, pairs.count, Self.maximumLanes)) { _ in
      turns?.take()
      defer { turns?.pass() }
      while let number = progress.withLock({ $0.begin(of: pairs.count) }) {
        var job = job(pairs[number])
        job.options.rendering.threads = max(threads / min(lanes, pairs.count - number), 1)
        job.turns = turns
        var own = template.holding()
        let result = Result { try job.draw(pairs[number], &own) }
        progress.withLock { $0.end(number, own, result, of: pairs) }
      }
    }
    let end = progress.withLock { $0 }
    console = end.console
    console.endProgress()
    if let error = end.error { throw error }
    if end.failureCount > 0, pairs.count > 1 {
      console.fail(
        "\(end.failureCount) of \(pairs.count) files could not be drawn completely", .ok)
    }
  }
}

extension PictureBatch {
  /// The shared state of a batch's threads.
  private struct Progress {
    var console: Console
    var failureCount = 0
    /// The error that ends the batch.
    var error: (any Error)?
    private var begun = 0
    private var ended = 0
    private var printed = 0
    /// The output of drawings that finished before an earlier one.
    private var waiting: [Int: Console] = [:]

    init(console: Console) { self.console = console }

    /// The number of the next drawing; nil after the last one, and after an error.
    mutating func begin(of count: Int) -> Int? {
      guard begun < count, error == nil else { return nil }
      defer { begun += 1 }
      return begun
    }

    mutating func end(
      _ number: Int, _ output: Console, _ result: Result<Bool, any Error>,
      of pairs: [OutputNames.Pair]
    ) {
      ended += 1
      waiting[number] = output
      do {
        if try !result.get() { failureCount += 1 }
        while let next = waiting.removeValue(forKey: printed) {
          printed += 1
          try console.append(next)
        }
      } catch {
        if self.error == nil { self.error = error }
      }
      let name = ended < pairs.count ? pairs[begun - 1].input.description : ""
      console.showProgress(ended, of: pairs.count, name)
    }
  }
}

extension SystemString {
  /// Whether the path leads to something that is neither a regular file nor a folder, such as a
  /// pipe.
  fileprivate var isStream: Bool {
    var status = stat()
    guard stat(cString, &status) == 0 else { return false }
    return ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
  }
}
