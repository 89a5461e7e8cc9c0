import Glibc

/// A program that was started, with a pipe from or to it.
final class RunningProgram {
  /// What the pipe is for.
  enum Purpose {
    /// It reads what is written to the pipe.
    case takesInput
    /// What it writes is read from the pipe.
    case givesOutput
  }

  /// Our end of the pipe.
  let pipe: Int32
  private let process: pid_t
  /// What it says on its standard error: a file without a name, or none.
  private let errors: Int32
  /// How it ended, as `waitpid` says it.
  private var status: Int32?

  private init(pipe: Int32, process: pid_t, errors: Int32) {
    (self.pipe, self.process, self.errors) = (pipe, process, errors)
  }

  /// Starts a program that is looked for where programs lie; gives why that failed.
  static func start(
    _ name: SystemString, _ words: [SystemString], _ purpose: Purpose
  ) -> (RunningProgram?, problem: Int32) {
    var ends: [Int32] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else { return (nil, errno) }
    let takesInput = purpose == .takesInput
    let (own, other) = takesInput ? (ends[1], ends[0]) : (ends[0], ends[1])
    // A pipe for what it says could fill up while we wait for it, and it for us.
    var scratch = Array("/tmp/pkd-XXXXXX".utf8CString)
    let errors = mkstemp(&scratch)
    if errors >= 0 { unlink(scratch) }
    for file in [own, other, errors] { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
    let (used, unused) =
      takesInput ? (STDIN_FILENO, STDOUT_FILENO) : (STDOUT_FILENO, STDIN_FILENO)
    var spawn = Spawn(words: [name] + words, files: [(other, used)], blankFiles: [unused])
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

  /// Closes the pipe and waits for the program's end. Gives how that was, as `waitpid` says it.
  func end() -> Int32 {
    if let status { return status }
    close(pipe)
    var result: Int32 = 0
    while waitpid(process, &result, 0) < 0, errno == EINTR {}
    status = result
    return result
  }

  /// Ends the program at once, if it has not ended: nobody wants the rest.
  func stop() {
    if status == nil { kill(process, SIGKILL) }
    _ = end()
  }

  deinit {
    stop()
    if errors >= 0 { close(errors) }
  }

  /// What it said last on its standard error.
  var lastLine: String? {
    guard errors >= 0 else { return nil }
    var room = [UInt8](repeating: 0, count: 4096)
    let length = lseek(errors, 0, SEEK_END)
    let count = pread(errors, &room, room.count, max(length - room.count, 0))
    guard count > 0 else { return nil }
    let lines = String(decoding: room[..<count], as: UTF8.self).split(separator: "\n")
    return lines.last { !$0.allSatisfy(\.isWhitespace) }.map { String($0).printable }
  }
}
