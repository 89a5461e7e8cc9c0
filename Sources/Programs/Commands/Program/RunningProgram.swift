import Glibc
import System

/// A running child process, with a pipe from or to it.
final class RunningProgram {
  /// The direction of the pipe.
  enum Purpose {
    /// The program reads from the pipe.
    case takesInput
    /// The program writes to the pipe.
    case givesOutput
  }

  /// Our end of the pipe.
  let pipe: Int32
  private let process: pid_t
  /// An unnamed file with its standard error; negative if it could not be created.
  private let errors: Int32
  /// Its exit status, as `waitpid` reports it; nil while it runs.
  private var status: Int32?

  private init(pipe: Int32, process: pid_t, errors: Int32) {
    (self.pipe, self.process, self.errors) = (pipe, process, errors)
  }

  /// Starts a program from the search path; `problem` is 0 or the error number of the system.
  static func start(
    _ name: SystemString, _ words: [SystemString], _ purpose: Purpose
  ) -> (RunningProgram?, problem: Int32) {
    var ends: [Int32] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else { return (nil, errno) }
    let takesInput = purpose == .takesInput
    let (own, other) = takesInput ? (ends[1], ends[0]) : (ends[0], ends[1])
    // A file, because a pipe for the standard error could fill up and block both programs.
    var scratch = Array("/tmp/pkd-XXXXXX".utf8CString)
    let errors = mkstemp(&scratch)
    if errors >= 0 { unlink(scratch) }
    for file in [own, other, errors] { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
    let (used, unused) =
      takesInput ? (STDIN_FILENO, STDOUT_FILENO) : (STDOUT_FILENO, STDIN_FILENO)
    var spawn = Spawn(
      words: ([name] + words).map(\.bytes), files: [(other, used)], blankFiles: [unused])
    if errors >= 0 { spawn.files.append((errors, STDERR_FILENO)) }
    let (process, problem) = spawn.start()
    close(other)
    guard problem == 0 else {
      close(own)
      if errors >= 0 { close(errors) }
      return (nil, problem)
    }
    return (RunningProgram(pipe: own, process: process, errors: errors), 0)
  }

  /// Closes the pipe and waits for the end of the program. Returns the status of `waitpid`.
  func end() -> Int32 {
    if let status { return status }
    close(pipe)
    var result: Int32 = 0
    while waitpid(process, &result, 0) < 0, errno == EINTR {}
    status = result
    return result
  }

  /// Kills the program if it still runs.
  func stop() {
    if status == nil { kill(process, SIGKILL) }
    _ = end()
  }

  deinit {
    stop()
    if errors >= 0 { close(errors) }
  }

  /// The last line of its standard error; nil for none.
  var lastLine: String? {
    guard errors >= 0 else { return nil }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let length = lseek(errors, 0, SEEK_END)
    let count = pread(errors, &buffer, buffer.count, max(length - buffer.count, 0))
    guard count > 0 else { return nil }
    let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
    return lines.last { !$0.allSatisfy(\.isWhitespace) }.map { String($0).printable }
  }
}
