import Glibc
import System

/// A shell command that the user gave, such as a listener or a recognizer.
package struct ShellCommand {
  package let command: SystemString
  /// The maximum duration of a run, in seconds.
  package let timeout: Double

  package init(command: SystemString, timeout: Double) {
    (self.command, self.timeout) = (command, timeout)
  }

  /// The result of a run.
  package enum Outcome: Equatable {
    /// The command ended with 0, even if it did not read its input.
    case succeeded
    /// The command ended with another status, as `waitpid` reports it.
    case failed(status: Int32)
    /// The command was terminated, because it took too long or the program was interrupted.
    case terminated
    /// The command could not be started; the error number of the system.
    case notStarted(code: Int32)
  }

  /// Runs the command in its own process group, with bytes as its standard input. Its output goes
  /// to the standard error, because the standard output is for the results of this program, or to
  /// another open file. No process of the group is left when this returns. Background processes of
  /// a successful command may run until the timeout, or until `shouldStop`, which is called at
  /// least every tenth of a second; the outcome is the command's own.
  package func run(
    _ bytes: [UInt8], output: Int32 = STDERR_FILENO, shouldStop: () -> Bool = { false }
  ) -> Outcome {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return .notStarted(code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // A command that does not read must not block this program.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    // Ensures that the end of a child interrupts waiting, even if the parent process ignores this
    // signal.
    signal(SIGCHLD, SIG_DFL)
    var (children, before) = (sigset_t(), sigset_t())
    sigemptyset(&children)
    sigaddset(&children, SIGCHLD)
    sigprocmask(SIG_BLOCK, &children, &before)
    defer { sigprocmask(SIG_SETMASK, &before, nil) }

    let deadline = MonotonicTime.now + timeout
    let (process, problem) = Spawn(
      words: ["/bin/sh", "-c", command].map(\.bytes),
      files: [(ends[0], STDIN_FILENO), (output, STDOUT_FILENO)], hasOwnGroup: true
    ).start()
    close(ends[0])
    guard problem == 0 else {
      close(ends[1])
      return .notStarted(code: problem)
    }
    var input = Input(handle: ends[1], rest: bytes[...])
    defer { input.close() }
    while true {
      input.write()
      if let status = Self.status(of: process) {
        guard status == 0 else {
          kill(-process, SIGKILL)
          return .failed(status: status)
        }
        while Self.exists(process), MonotonicTime.now < deadline, !Interruption.isRequested,
          !shouldStop()
        {
          usleep(10_000)
        }
        Self.terminate(process, isReaped: true)
        return .succeeded
      }
      guard MonotonicTime.now < deadline, !Interruption.isRequested, !shouldStop() else {
        Self.terminate(process, isReaped: false)
        return .terminated
      }
      input.wait(children)
    }
  }

  /// The part of the input that the command has not read yet.
  private struct Input {
    private var handle: Int32
    private var rest: ArraySlice<UInt8>

    init(handle: Int32, rest: ArraySlice<UInt8>) {
      self.handle = handle
      self.rest = rest
    }

    /// Writes as much as the pipe accepts, and closes it at the end. If the command has closed its
    /// end, drops the rest: it need not read everything.
    mutating func write() {
      while !rest.isEmpty {
        let count = writeSome(rest.prefix(1 << 16), to: handle)
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if errno == EAGAIN {
          return
        } else if errno != EINTR {
          rest = []
        }
      }
      close()
    }

    mutating func close() {
      if handle >= 0 { Glibc.close(handle) }
      handle = -1
    }

    /// Waits up to 20 ms for the command to read, or up to 100 ms for it to end.
    func wait(_ children: sigset_t) {
      if handle >= 0 {
        var wanted = pollfd(fd: handle, events: Int16(POLLOUT), revents: 0)
        _ = poll(&wanted, 1, 20)
        return
      }
      var (children, time) = (children, timespec(tv_sec: 0, tv_nsec: 100_000_000))
      _ = sigtimedwait(&children, nil, &time)
    }
  }

  /// The exit status of a process; nil while it runs.
  private static func status(of process: pid_t) -> Int32? {
    var status: Int32 = 0
    let found = waitpid(process, &status, WNOHANG)
    if found == process { return status }
    // A child that was already reaped counts as failed.
    return found < 0 && errno == ECHILD ? -1 : nil
  }

  /// Whether a process group has any process.
  private static func exists(_ group: pid_t) -> Bool { kill(-group, 0) == 0 }

  /// Terminates a process group, and kills it a second later.
  private static func terminate(_ group: pid_t, isReaped: Bool) {
    var isReaped = isReaped
    func waits(until deadline: Double) -> Bool {
      while MonotonicTime.now < deadline {
        if !isReaped, status(of: group) != nil { isReaped = true }
        if isReaped, !exists(group) { return false }
        usleep(5_000)
      }
      return true
    }
    if isReaped, !exists(group) { return }
    kill(-group, SIGTERM)
    guard waits(until: MonotonicTime.now + 1) else { return }
    kill(-group, SIGKILL)
    // The system may need a moment. A process that hangs in the kernel is abandoned.
    let deadline = MonotonicTime.now + 1
    while !isReaped, MonotonicTime.now < deadline {
      if status(of: group) != nil { return }
      usleep(5_000)
    }
  }
}

extension ShellCommand.Outcome: CustomStringConvertible {
  /// The outcome in words, for verbose output.
  package var description: String {
    switch self {
    case .succeeded: "the command succeeded"
    case .failed(let status):
      status & 0x7F == 0
        ? "the command ended with \(status >> 8 & 0xFF)"
        : "the command was ended by signal \(status & 0x7F)"
    case .terminated: "the command was terminated"
    case .notStarted(let code): "the command cannot be started: \(String(cString: strerror(code)))"
    }
  }
}
