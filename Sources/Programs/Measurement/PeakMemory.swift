import Glibc
import System

/// The peak memory of processes.
///
/// The kernel never reports a smaller peak than the memory of the starting process, because both
/// share it until the new program is loaded. So a new, small process of this program starts the
/// measured command.
package enum PeakMemory {
  /// The first word on the command line of such a process; the words of the command follow.
  package static let word = "--peak-memory-of"

  /// The peak memory of a process in bytes. `launcher` is a program that calls `report` for `word`;
  /// the figure is never below the launcher's own memory.
  package static func bytes(
    of words: [[UInt8]], launcher: [UInt8], accepts: Set<Int32> = [0],
    shouldStop: () -> Bool = { false }
  ) throws(ProcessFailure) -> Int {
    let run = try ProcessRun(
      [launcher, Array(word.utf8)] + words, takesOutput: true, accepts: accepts,
      shouldStop: shouldStop)
    let digits = String(decoding: run.output, as: UTF8.self).prefix { $0 != "\n" }
    guard let kilobytes = Int(digits) else { throw .unexpectedOutput }
    return kilobytes * 1024
  }

  /// Runs a command, prints its peak memory in kB, and returns the exit code for this process.
  package static func report(of words: [[UInt8]]) -> Int32 {
    guard !words.isEmpty else { return 127 }
    let (process, problem) = Spawn(
      words: words, blankFiles: [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    ).start()
    guard problem == 0 else { return 127 }
    var (status, usage) = (Int32(), rusage())
    while wait4(process, &status, 0, &usage) < 0 {
      guard errno == EINTR else { return 127 }
    }
    print(usage.ru_maxrss)
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }

  /// The peak memory of this process so far, in bytes. Unlike `getrusage`, it excludes the memory
  /// of the process that started this one.
  package static func ofThisProcess() -> Int { status("VmHWM:") }

  /// The current memory of this process, in bytes.
  package static func memoryOfThisProcess() -> Int { status("VmRSS:") }

  private static func status(_ name: String) -> Int {
    let line = text(of: "/proc/self/status").split(separator: "\n").first { $0.hasPrefix(name) }
    return (line.flatMap { Int($0.filter(\.isNumber)) } ?? 0) * 1024
  }
}
