import Glibc

/// The wish of a person or the system that the program should end.
enum Interruption {
  private nonisolated(unsafe) static var flag: sig_atomic_t = 0

  static var hasCome: Bool { flag != 0 }

  /// From here on Ctrl-C and `kill` end waiting and reading instead of the program.
  static func watch() { handle { _ in Interruption.flag = 1 } }

  /// From here on Ctrl-C and `kill` end the program with its own exit code, and take away the file
  /// that is only half written.
  static func endProgram() {
    // Before a signal can ask for it.
    note(halfWritten: nil)
    handle { _ in
      if Interruption.halfWritten[0] != 0 { unlink(Interruption.halfWritten) }
      _exit(ExitCode.interrupted.rawValue)
    }
  }

  /// The name of a file that is being written, with a zero behind it; empty for none. Signals may
  /// come at any moment and allocate nothing, so it has a place that always stays.
  private nonisolated(unsafe) static let halfWritten: UnsafeMutablePointer<CChar> = {
    let room = UnsafeMutablePointer<CChar>.allocate(capacity: Int(PATH_MAX))
    room.initialize(repeating: 0, count: Int(PATH_MAX))
    return room
  }()

  /// Notes which file would be half written if the program ended now; nil for none.
  static func note(halfWritten path: SystemString?) {
    halfWritten[0] = 0
    guard let name = path?.cString, name.count <= Int(PATH_MAX), let first = name.first else {
      return
    }
    for (index, letter) in name.enumerated().dropFirst() { halfWritten[index] = letter }
    // Only now it is a name.
    halfWritten[0] = first
  }

  private static func handle(_ handler: @escaping @convention(c) (Int32) -> Void) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    // Whoever started the program may have kept them from its threads, and so from us.
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      sigaction(signal, &action, nil)
      sigaddset(&signals, signal)
    }
    sigprocmask(SIG_UNBLOCK, &signals, nil)
  }
}
