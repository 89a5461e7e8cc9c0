import Glibc
import System

/// The run of a whole process from its start to its end, without a shell. Its output goes to
/// /dev/null.
package struct ProcessRun: Sendable {
  /// The wall time from before the start to after the end, and the processor time of its threads in
  /// user and kernel mode.
  package let taken: Taken
  /// Its standard output, at most `maximumOutput` bytes; empty unless requested.
  package let output: [UInt8]

  /// The capacity of a pipe, so that a process never waits for its output to be read before it has
  /// ended.
  package static let maximumOutput = 1 << 16

  /// Runs a program with its arguments, and waits for its end. With `takesMessages`, its messages
  /// on the standard error become part of the failure; only for programs that write less than a
  /// pipe's capacity.
  ///
  /// `input` is a file for its standard input, `accepts` the exit codes that are not failures.
  /// `shouldStop` is called every tenth of a second. A process that is stopped or that takes longer
  /// than `timeout` is killed, with all processes that it started.
  package init(
    _ words: [[UInt8]], input: Int32? = nil, takesOutput: Bool = false,
    takesMessages: Bool = false, accepts: Set<Int32> = [0], timeout: Double = .infinity,
    shouldStop: () -> Bool = { false }
  ) throws(ProcessFailure) {
    let outputs = takesOutput ? try Pipe() : nil
    let messages = takesMessages ? try Pipe() : nil
    var spawn = Spawn(words: words, hasOwnGroup: true)
    for (own, number) in [
      (input, STDIN_FILENO), (outputs?.end, STDOUT_FILENO), (messages?.end, STDERR_FILENO),
    ] {
      if let own { spawn.files.append((own, number)) } else { spawn.blankFiles.append(number) }
    }
    // The process keeps this end open until it has ended, and `poll` reports that at once. A signal
    // could not end waiting reliably, because any thread may receive it.
    let lifeline = try Pipe()
    spawn.files.append((lifeline.end, Self.lifelineNumber))
    let start = MonotonicTime.now
    let (process, problem) = spawn.start()
    guard problem == 0 else { throw .notStarted(problem) }
    lifeline.closeEnd()
    var (status, usage) = (Int32(), rusage())
    var endOfLifeline: Double?
    while true {
      if lifeline.waitForEnd(milliseconds: 100), endOfLifeline == nil {
        endOfLifeline = MonotonicTime.now
      }
      // Children of the process may still hold the other end.
      let result = wait4(process, &status, WNOHANG, &usage)
      if result == process { break }
      guard result >= 0 || errno == EINTR else { throw .lost(errno) }
      if let end = endOfLifeline {
        // The kernel closes the files of a process some microseconds before it reports the end. If
        // it takes longer, the process itself has closed them.
        if MonotonicTime.now - end < 0.005 { sched_yield() } else { usleep(1_000) }
      }
      let isLate = MonotonicTime.now - start > timeout
      guard isLate || shouldStop() else { continue }
      Self.end(process)
      throw isLate ? .timedOut(seconds: timeout) : .stopped
    }
    taken = Taken(
      seconds: MonotonicTime.now - start,
      processorSeconds: Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime))
    let signal = status & 0x7F
    guard signal == 0 else { throw .killed(signal: signal) }
    let code = status >> 8 & 0xFF
    guard accepts.contains(code) else {
      throw .failed(code: code, message: messages?.lastLine ?? "")
    }
    output = outputs?.contents ?? []
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) * 1e-6
  }

  /// The descriptor of the lifeline in the process.
  private static let lifelineNumber: Int32 = 3

  /// A pipe that is read after its writer has ended.
  private final class Pipe {
    private var ends: [Int32]

    init() throws(ProcessFailure) {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw .notStarted(errno) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      self.ends = ends
    }

    deinit { for end in ends where end >= 0 { close(end) } }

    /// The end for writing.
    var end: Int32 { ends[1] }

    func closeEnd() {
      close(ends[1])
      ends[1] = -1
    }

    /// Waits until no process holds the other end; false if one still does after the timeout.
    func waitForEnd(milliseconds: Int32) -> Bool {
      var file = pollfd(fd: ends[0], events: 0, revents: 0)
      return poll(&file, 1, milliseconds) == 1
    }

    /// The bytes in the pipe.
    var contents: [UInt8] {
      _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
      var bytes = [UInt8](repeating: 0, count: maximumOutput)
      return Array(bytes[..<max(read(ends[0], &bytes, maximumOutput), 0)])
    }

    var lastLine: String {
      String(decoding: contents.split(separator: UInt8(ascii: "\n")).last ?? [], as: UTF8.self)
    }
  }

  /// Kills a process and its group, and waits until none of their processes can create files any
  /// more.
  private static func end(_ process: pid_t) {
    kill(-process, SIGKILL)
    while waitpid(process, nil, 0) < 0, errno == EINTR {}
    // The system adopts the children of a killed process, and ends them within milliseconds.
    let deadline = MonotonicTime.now + 1
    while kill(-process, 0) == 0, MonotonicTime.now < deadline { usleep(2_000) }
  }
}

/// The reason why the run of a process cannot be measured.
package enum ProcessFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// It could not be started; the error number of the system.
  case notStarted(Int32)
  /// It ended with an exit code that is a failure; `message` is its last message.
  case failed(code: Int32, message: String)
  case killed(signal: Int32)
  case timedOut(seconds: Double)
  /// The caller cancelled the run.
  case stopped
  /// Waiting for it failed with an error, so its exit status is unknown.
  case lost(Int32)
  /// Its output was not as expected.
  case unexpectedOutput

  package var description: String {
    switch self {
    case .notStarted(let code), .lost(let code): String(cString: strerror(code))
    case .failed(let code, let message):
      "it ended with exit code \(code)" + (message.isEmpty ? "" : ": \(message)")
    case .killed(let signal): "it was ended: \(String(cString: strsignal(signal)))"
    case .timedOut(let seconds): "it took longer than \(shortNumber(seconds)) s"
    case .stopped: "stopped"
    case .unexpectedOutput: "it printed something unexpected"
    }
  }
}
