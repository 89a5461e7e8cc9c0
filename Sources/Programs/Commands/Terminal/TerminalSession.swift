import Glibc
import Graphics
import System

/// A session that controls the terminal, and restores it in every case: at the end, on errors and
/// signals, while the program is stopped, and even if it traps.
final class TerminalSession {
  /// The file to read keys from.
  private let input: Int32
  private let ownsInput: Bool
  private var parser = TerminalParser()
  private var isEntered = false
  /// Bytes that erase pictures, which do not disappear with the text of the screen.
  var clearing: [UInt8] = []

  /// The former state of the terminal, for `leave` and for signal handlers.
  private nonisolated(unsafe) static var former = termios()
  private nonisolated(unsafe) static var formerInput: Int32 = -1
  private nonisolated(unsafe) static var wasResized: sig_atomic_t = 0
  private nonisolated(unsafe) static var wasStopped: sig_atomic_t = 0
  private nonisolated(unsafe) static var wasContinued: sig_atomic_t = 0

  private static let entering: StaticString = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J"
  private static let leaving: StaticString = "\u{1B}[?2026l\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

  /// The terminal of the program; nil if the standard output is not a terminal, or there is none to
  /// read keys from.
  init?() {
    guard isatty(STDOUT_FILENO) == 1 else { return nil }
    // The standard input may be a drawing.
    let isOnInput = isatty(STDIN_FILENO) == 1
    input = isOnInput ? STDIN_FILENO : open("/dev/tty", O_RDWR | O_CLOEXEC)
    ownsInput = !isOnInput
    guard input >= 0, tcgetattr(input, &Self.former) == 0 else { return nil }
    Self.formerInput = input
    watchSignals()
  }

  deinit {
    leave()
    Self.formerInput = -1
    if ownsInput { close(input) }
  }

  /// Switches the terminal to raw input and the alternate screen.
  func enter() throws(SystemError) {
    guard !isEntered else { return }
    var raw = Self.former
    // Keys arrive one by one and are not echoed; Ctrl-C and Ctrl-Z still send signals.
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    raw.c_iflag &= ~tcflag_t(IXON | ICRNL)
    guard tcsetattr(input, TCSADRAIN, &raw) == 0 else { throw SystemError("terminal") }
    isEntered = true
    try write(Self.bytes(Self.entering))
  }

  /// Restores the terminal.
  func leave() {
    guard isEntered else { return }
    isEntered = false
    try? write(clearing + Self.bytes(Self.leaving))
    // Discards keys that were typed for this program.
    tcsetattr(input, TCSAFLUSH, &Self.former)
  }

  func write(_ bytes: [UInt8]) throws(SystemError) {
    try writeAll(bytes, to: STDOUT_FILENO, "standard output")
  }

  /// The size of the terminal; a small one if it is unknown.
  var size: TerminalSize {
    var size = winsize()
    let answer = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size)
    guard answer == 0, size.ws_col > 0, size.ws_row > 0 else {
      return TerminalSize(columns: 80, rows: 24, cell: .typical)
    }
    let (columns, rows) = (Int(size.ws_col), Int(size.ws_row))
    let (width, height) = (Int(size.ws_xpixel) / columns, Int(size.ws_ypixel) / rows)
    return TerminalSize(
      columns: columns, rows: rows,
      cell: width > 1 && height > 1 ? .init(width: width, height: height) : .typical)
  }

  /// The events within some seconds; empty if there were none.
  func events(within seconds: Double) throws(SystemError) -> [TerminalEvent] {
    var ready = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
    let timeout = Int32(clamping: min(max(seconds, 0), 60) * 1000 + 0.5)
    let count = poll(&ready, 1, parser.isWaiting ? min(timeout, 30) : timeout)
    guard count > 0 else { return parser.finish() }
    var buffer = [UInt8](repeating: 0, count: 1024)
    let got = read(input, &buffer, buffer.count)
    if got < 0, errno == EINTR || errno == EAGAIN { return [] }
    // The terminal was closed.
    guard got > 0 else { throw SystemError("terminal", code: got < 0 ? errno : EIO) }
    return parser.read(Array(buffer[..<got]))
  }

  /// Queries the capabilities of the terminal, and waits at most 0.2 seconds for the replies.
  func abilities() throws(SystemError) -> Abilities {
    var abilities = Abilities()
    try write(
      Array("\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[16t\u{1B}[c".utf8))
    let end = MonotonicTime.now + 0.2
    while !abilities.isComplete, !Interruption.isRequested {
      let left = end - MonotonicTime.now
      guard left > 0 else { break }
      for event in try events(within: left) { abilities.note(event) }
    }
    return abilities
  }

  /// The capabilities that a terminal reports.
  struct Abilities {
    var hasKittyGraphics = false
    var cell: TerminalSize.PixelSize?
    /// Whether the last query was answered; every terminal answers it.
    var isComplete = false
    /// Keys that were pressed in the meantime.
    var keys: [TerminalEvent.Key] = []

    mutating func note(_ event: TerminalEvent) {
      switch event {
      case .graphics(let isThere): hasKittyGraphics = isThere
      case .cell(let size): cell = size
      case .attributes: isComplete = true
      case .key(let key): keys.append(key)
      }
    }
  }

  private static func bytes(_ text: StaticString) -> [UInt8] {
    Array("\(text)".utf8)
  }
}

// MARK: - Signals

extension TerminalSession {
  /// Whether the size of the terminal has changed since the last call.
  func takeResize() -> Bool {
    defer { Self.wasResized = 0 }
    return Self.wasResized != 0
  }

  /// Stops the program after Ctrl-Z, with the terminal restored until it continues. Returns whether
  /// everything must be drawn again.
  func stopIfAsked() throws(SystemError) -> Bool {
    if Self.wasStopped != 0 {
      Self.wasStopped = 0
      leave()
      raise(SIGSTOP)
      Self.wasContinued = 1
    }
    guard Self.wasContinued != 0 else { return false }
    Self.wasContinued = 0
    // After SIGSTOP, another program may have changed the terminal.
    isEntered = false
    try enter()
    return true
  }

  private func watchSignals() {
    Interruption.watch()
    Self.handle(SIGWINCH) { _ in TerminalSession.wasResized = 1 }
    Self.handle(SIGTSTP) { _ in TerminalSession.wasStopped = 1 }
    Self.handle(SIGCONT) { _ in TerminalSession.wasContinued = 1 }
    // Signals that end the program at once must restore the terminal, too. The handlers are
    // one-shot, so that the signal then has its default effect.
    for signal in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
      Self.handle(signal, flags: Int32(bitPattern: SA_RESETHAND) | SA_NODEFER) { signal in
        TerminalSession.restoreInSignalHandler()
        raise(signal)
      }
    }
  }

  /// Restores the terminal. Only uses functions that are allowed in signal handlers.
  private static func restoreInSignalHandler() {
    guard formerInput >= 0 else { return }
    _ = Glibc.write(STDOUT_FILENO, leaving.utf8Start, leaving.utf8CodeUnitCount)
    tcsetattr(formerInput, TCSANOW, &former)
  }

  private static func handle(
    _ signal: Int32, flags: Int32 = 0, _ handler: @escaping @convention(c) (Int32) -> Void
  ) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    action.sa_flags = flags
    sigaction(signal, &action, nil)
    // The parent process may have blocked this signal.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, signal)
    sigprocmask(SIG_UNBLOCK, &signals, nil)
  }
}
