import Glibc

/// A command of the shell's that hears of events, one run for each.
struct EventListener {
  let command: SystemString
  /// How many seconds a run may take.
  let timeout: Double

  /// What came of a run.
  enum Outcome: Equatable {
    /// The command ended with 0, whether it read the event or not.
    case heard
    /// It ended otherwise, by the status that the system gives.
    case failed(status: Int32)
    /// It took too long, or the program was asked to stop, and was ended.
    case ended
    /// It could not be started, for the system's reason.
    case notStarted(code: Int32)
  }

  /// Runs the command in a process group of its own, with bytes as its standard input. Nothing of the group
  /// is left when this returns: what a command that has heard leaves running may go on until the time is
  /// over.
  func hear(_ bytes: [UInt8]) -> Outcome {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return .notStarted(code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // One that does not read must not make us wait.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    // So that the end of a child wakes us, also where whoever started us ignores it.
    signal(SIGCHLD, SIG_DFL)
    var (children, before) = (sigset_t(), sigset_t())
    sigemptyset(&children)
    sigaddset(&children, SIGCHLD)
    sigprocmask(SIG_BLOCK, &children, &before)
    defer { sigprocmask(SIG_SETMASK, &before, nil) }

    let deadline = Self.clock() + timeout
    let (process, problem) = Spawn(
      words: ["/bin/sh", "-c", command],
      // Our results are our own.
      files: [(ends[0], STDIN_FILENO), (STDERR_FILENO, STDOUT_FILENO)], hasOwnGroup: true
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
        while Self.isThere(process), Self.clock() < deadline, !Interruption.hasCome {
          usleep(10_000)
        }
        Self.end(process, isReaped: true)
        return .heard
      }
      guard Self.clock() < deadline, !Interruption.hasCome else {
        Self.end(process, isReaped: false)
        return .ended
      }
      input.wait(children)
    }
  }

  /// What the command has not read yet.
  private struct Input {
    private var handle: Int32
    private var rest: ArraySlice<UInt8>

    init(handle: Int32, rest: ArraySlice<UInt8>) {
      self.handle = handle
      self.rest = rest
    }

    /// Writes as much as there is space for, and closes the pipe behind it. A command that has closed its
    /// end wants no more, which is its own business.
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

    /// Waits a moment for the command to read or to end.
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

  /// The status with which a process ended; nil while it runs.
  private static func status(of process: pid_t) -> Int32? {
    var status: Int32 = 0
    let found = waitpid(process, &status, WNOHANG)
    if found == process { return status }
    // One of which nothing is known has not heard.
    return found < 0 && errno == ECHILD ? -1 : nil
  }

  /// Whether anything of a group is left.
  private static func isThere(_ group: pid_t) -> Bool { kill(-group, 0) == 0 }

  /// Asks a group to end, and makes it end a second later.
  private static func end(_ group: pid_t, isReaped: Bool) {
    var isReaped = isReaped
    func waits(until deadline: Double) -> Bool {
      while clock() < deadline {
        if !isReaped, status(of: group) != nil { isReaped = true }
        if isReaped, !isThere(group) { return false }
        usleep(5_000)
      }
      return true
    }
    if isReaped, !isThere(group) { return }
    kill(-group, SIGTERM)
    guard waits(until: clock() + 1) else { return }
    kill(-group, SIGKILL)
    // The system may need a moment; one that is stuck is not waited for.
    let deadline = clock() + 1
    while !isReaped, clock() < deadline {
      if status(of: group) != nil { return }
      usleep(5_000)
    }
  }

  /// Seconds of a clock that nobody sets.
  private static func clock() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
