import Processes
import Graphics

/// Shows the number of finished frames and the remaining time.
struct ReplayProgress {
  let frameCount: Int
  var console: Console
  private let start = MonotonicTime.now
  private var shown = 0.0

  init(frameCount: Int, _ console: Console) {
    self.frameCount = frameCount
    self.console = console
  }

  mutating func show(_ done: Int) {
    let seconds = MonotonicTime.now - start
    // At most ten updates per second.
    guard seconds - shown > 0.1 else { return }
    shown = seconds
    let rest = seconds / Double(done) * Double(frameCount - done)
    console.showProgress(done, of: frameCount, "\(Int(clamping: rest.rounded(.up))) s left")
  }
}
