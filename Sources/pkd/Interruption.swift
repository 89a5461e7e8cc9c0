import Glibc
import Threads

/// Requests by signals to end the program: Ctrl-C, `kill`, a closed terminal.
enum Interruption {
  private nonisolated(unsafe) static var flag: sig_atomic_t = 0

  /// Whether a signal has requested the end of the program, after `watch`.
  static var isRequested: Bool { flag != 0 }

  /// From now on signals interrupt waiting and reading, and set `isRequested`, instead of ending the program.
  static func watch() { handle { _ in Interruption.flag = 1 } }

  /// From now on signals end the program with the exit code 130, after deleting the unfinished files.
  static func endProgram() {
    // Initializes the buffers before a signal handler can read them.
    _ = UnfinishedFile.names
    handle { _ in
      UnfinishedFile.deleteAll()
      _exit(ExitCode.interrupted.rawValue)
    }
  }

  private static func handle(_ handler: @escaping @convention(c) (Int32) -> Void) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    // The parent process may have blocked these signals.
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      sigaction(signal, &action, nil)
      sigaddset(&signals, signal)
    }
    sigprocmask(SIG_UNBLOCK, &signals, nil)
  }
}

/// A file that is deleted if a signal ends the program, until `forget`.
struct UnfinishedFile {
  private static let maximumCount = 64
  private static let used = ConditionMutex([Bool](repeating: false, count: maximumCount))

  /// Zero-terminated paths; empty ones where there is no file. Allocated once, as signal handlers may run at
  /// any moment and must not allocate.
  fileprivate nonisolated(unsafe) static let names: UnsafeMutablePointer<CChar> = {
    let names = UnsafeMutablePointer<CChar>.allocate(capacity: maximumCount * Int(PATH_MAX))
    for number in 0..<maximumCount { names[number * Int(PATH_MAX)] = 0 }
    return names
  }()

  fileprivate static func deleteAll() {
    for number in 0..<maximumCount {
      let name = names + number * Int(PATH_MAX)
      if name[0] != 0 { unlink(name) }
    }
  }

  /// Its place among the names; nil if there is none left, or if the path is too long.
  private var number: Int?

  init(_ path: SystemString) {
    let name = path.cString
    guard name.count <= Int(PATH_MAX), let first = name.first else { return }
    number = Self.used.withLock { used in
      let free = used.firstIndex(of: false)
      if let free { used[free] = true }
      return free
    }
    guard let number else { return }
    let place = Self.names + number * Int(PATH_MAX)
    for (index, letter) in name.enumerated().dropFirst() { place[index] = letter }
    // The first character last: the handler must never see a partial path.
    place[0] = first
  }

  mutating func forget() {
    guard let number else { return }
    Self.names[number * Int(PATH_MAX)] = 0
    Self.used.withLock { $0[number] = false }
    self.number = nil
  }
}
