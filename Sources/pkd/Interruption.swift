import Glibc

/// Requests by signals to end the program: Ctrl-C, `kill`, a closed terminal.
enum Interruption {
  private nonisolated(unsafe) static var flag: sig_atomic_t = 0

  /// Whether a signal has requested the end of the program, after `watch`.
  static var isRequested: Bool { flag != 0 }

  /// From now on signals interrupt waiting and reading, and set `isRequested`, instead of ending the program.
  static func watch() { handle { _ in Interruption.flag = 1 } }

  /// From now on signals end the program with the exit code 130, after deleting the unfinished file.
  static func endProgram() {
    // Initializes the buffer before a signal handler can read it.
    setUnfinishedFile(nil)
    handle { _ in
      if Interruption.unfinishedFile[0] != 0 { unlink(Interruption.unfinishedFile) }
      _exit(ExitCode.interrupted.rawValue)
    }
  }

  /// The zero-terminated path of the file that is being written; empty for none. Allocated once, as signal
  /// handlers may run at any moment and must not allocate.
  private nonisolated(unsafe) static let unfinishedFile: UnsafeMutablePointer<CChar> = {
    let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: Int(PATH_MAX))
    buffer.initialize(repeating: 0, count: Int(PATH_MAX))
    return buffer
  }()

  /// Sets the file to delete if a signal ends the program; nil for none.
  static func setUnfinishedFile(_ path: SystemString?) {
    unfinishedFile[0] = 0
    guard let name = path?.cString, name.count <= Int(PATH_MAX), let first = name.first else {
      return
    }
    for (index, letter) in name.enumerated().dropFirst() { unfinishedFile[index] = letter }
    // The first character last: the handler must never see a partial path.
    unfinishedFile[0] = first
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
