import DrawingServices
import Glibc
import Graphics
import Storage
import System
import Threads

/// Sends every change as soon as it is made, and fetches those of other devices as soon as they are
/// announced.
extension SyncRun {
  /// Listens to the other place. Calls its argument with true when something has changed there, and
  /// with false for a sign of life.
  package typealias Listen = @Sendable (@escaping @Sendable (Bool) -> Void) throws -> Void

  /// Runs until the program ends or the user has to sign in again. `listen` waits for changes at
  /// the other place and calls its argument after each; nil for a place without notifications, such
  /// as a folder.
  package func watch(
    listeningBy listen: Listen?
  ) throws(SyncProblem) {
    guard holdsLock else {
      throw SyncProblem(.busy, "this device is already being synchronized with \(task.remote)")
    }
    let bell = Bell()
    bell.watch(task.root)
    if listen == nil { bell.watch(task.remote) }
    if let listen { startListening(listen, bell) }
    var failures = 0
    var next = MonotonicTime.now
    var isTold = true
    // A change is visible shortly after its bytes are written, when its transaction ends.
    var looks = Self.looks[...]
    while true {
      let now = MonotonicTime.now
      if isTold || now >= next {
        do throws(SyncProblem) {
          _ = try run()
          failures = 0
          next = MonotonicTime.now + min(task.settings.interval, nextHeld())
        } catch {
          // A proxy or a portal may answer instead of the server for a while.
          guard error.isPassing || error.kind == .unexpected else { throw error }
          failures += 1
          next = MonotonicTime.now + pause(after: error, failures)
        }
        isTold = false
      }
      let untilNext = max(next - MonotonicTime.now, 0)
      let rung = bell.wait(seconds: min(untilNext, looks.first ?? untilNext))
      switch rung {
      case .elsewhere:
        isTold = true
        continue
      case .here: looks = Self.looks[...]
      case nil:
        guard looks.popFirst() != nil else { continue }
      }
      // The device's own notes about the sync also change its store.
      isTold = failures == 0 && (try? client.hasWaitingChanges()) ?? true
      if isTold { looks = [] }
    }
  }

  /// The seconds between checks of the store after its files have changed.
  private static let looks = [0.001, 0.002, 0.004, 0.008, 0.016, 0.03, 0.06, 0.12, 0.25, 0.5]

  /// The seconds until a held change is tried again.
  private func nextHeld() -> Double {
    let now = environment.now()
    let moments = (Array(client.heldSent.values) + Array(client.heldReceived.values))
      .compactMap(\.nextAttempt)
    guard let first = moments.min() else { return .infinity }
    return max(Double(first.microseconds - now.microseconds) / 1e6, 1)
  }

  private func startListening(
    _ listen: @escaping Listen, _ bell: Bell
  ) {
    Lanes.begin {
      var failures = 0
      while true {
        let began = MonotonicTime.now
        // Servers end streams after a while. The next run finds the reason.
        try? listen { hasChanged in if hasChanged { bell.ring() } }
        failures = MonotonicTime.now - began > 60 ? 0 : failures + 1
        let pause = Backoff.offline.seconds(
          afterFailures: max(failures, 1), random: Double.random(in: 0..<1))
        SyncRun.sleep(pause)
      }
    }
  }
}

/// Wakes a watching device: for changes of files in folders, and for other threads.
final class Bell: Sendable {
  enum Source { case here, elsewhere }

  private let files = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
  private let rings = Doorbell()

  deinit { close(files) }

  /// Watches the databases in a folder. Without it, changes are found at the next scheduled run.
  func watch(_ folder: String) {
    inotify_add_watch(files, folder, UInt32(IN_MODIFY | IN_MOVED_TO | IN_CREATE))
  }

  func ring() { rings.ring() }

  /// Waits for an event; nil after the timeout.
  func wait(seconds: Double) -> Source? {
    let milliseconds = Int32(clamping: Int(clamping: (min(seconds, 86_400) * 1000).rounded(.up)))
    var waiting = [
      pollfd(fd: files, events: Int16(POLLIN), revents: 0),
      pollfd(fd: rings.handle, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&waiting, 2, milliseconds) > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 4096)
    if waiting[1].revents != 0 {
      rings.clear()
      return .elsewhere
    }
    while read(files, &bytes, bytes.count) > 0 {}
    return .here
  }
}
