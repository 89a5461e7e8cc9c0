import Glibc
import Graphics
import System

/// The exit code of a run.
package enum ExitCode: Int32, Comparable {
  case ok = 0
  case failed = 1
  case usage = 2
  case badData = 65
  case notAllowed = 77
  case interrupted = 130

  package static func < (a: ExitCode, b: ExitCode) -> Bool { a.rawValue < b.rawValue }
}

/// A failure of the system: a file, a pipe, the disk.
package struct SystemError: Error, CustomStringConvertible {
  package let what: String
  package let code: Int32
  /// A better description than the system's; nil for none.
  package let reason: String?
  /// The exit code after this error.
  package let exitCode: ExitCode

  package init(
    _ what: String, code: Int32 = errno, reason: String? = nil, exitCode: ExitCode = .failed
  ) {
    (self.what, self.code, self.reason, self.exitCode) = (what, code, reason, exitCode)
  }

  /// A file with more bytes than the limit, which is bad input.
  package init(tooLarge what: String, limit: Int) {
    self.init(what, code: EFBIG, reason: "more than \(limit) bytes", exitCode: .badData)
  }

  package var description: String { "\(what): \(reason ?? String(cString: strerror(code)))" }
}

/// The output of a command: results on the standard output, everything else on the standard error.
///
/// A quiet run that ends with 0 prints only data: JSON, bytes, help. A run that ends with another
/// code prints the reason.
package struct Console {
  package var isQuiet = false
  package var isVerbose = false
  /// The greatest exit code so far.
  private(set) var exitCode = ExitCode.ok
  private var failures: [String] = []
  /// The width of the visible progress bar in columns; zero for none.
  private var barWidth = 0
  /// The time when the bar was first shown, the progress at that time, and the time when it was
  /// last shown.
  private var barStart = 0.0
  private var barDone = 0
  private var barTime = 0.0
  /// The output that a holding console has collected.
  private var held: HeldOutput?

  /// Whether the results go to a terminal with colours.
  package let usesColor: Bool
  /// Whether the standard error goes to a terminal that can overwrite a line.
  private let takesProgress: Bool

  package init() {
    let (term, noColor) = (Self.variable("TERM"), Self.variable("NO_COLOR"))
    usesColor = isatty(STDOUT_FILENO) == 1 && Self.isCapable(term) && noColor.isEmpty
    takesProgress = isatty(STDERR_FILENO) == 1 && Self.isCapable(term)
  }

  /// A console that collects its output until another one appends it, so that concurrent jobs print
  /// one after the other.
  package func holding() -> Console {
    var console = self
    (console.failures, console.exitCode, console.barWidth) = ([], .ok, 0)
    console.held = HeldOutput()
    return console
  }

  /// Prints the output that a holding console collected, and takes over its failures.
  package mutating func append(_ other: Console) throws(SystemError) {
    failures += other.failures
    exitCode = max(exitCode, other.exitCode)
    for part in other.held?.parts ?? [] {
      switch part {
      case .result(let text): try printPart(text)
      case .message(let text): printMessage(text)
      }
    }
  }

  /// Whether a value of TERM stands for a terminal with escape codes.
  package static func isCapable(_ term: String) -> Bool { !term.isEmpty && term != "dumb" }

  /// An environment variable; empty if it is not set.
  package static func variable(_ name: String) -> String {
    getenv(name).map { String(cString: $0) } ?? ""
  }

  /// The folder for temporary files.
  package static var temporaryFolder: String {
    let given = variable("TMPDIR")
    return given.isEmpty ? "/tmp" : given
  }

  /// An open file without a name, which the system deletes when the program ends.
  package static func temporaryFile() throws(SystemError) -> Int32 {
    var name = Array("\(temporaryFolder)/pkd-XXXXXX".utf8CString)
    let file = mkstemp(&name)
    guard file >= 0 else { throw SystemError(temporaryFolder) }
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    unlink(name)
    return file
  }

  /// Prints a result for people, unless the run is quiet.
  package func print(_ text: String) throws(SystemError) {
    if !isQuiet { try printAlways(text) }
  }

  /// Prints data, such as JSON and help, or problems, also in a quiet run.
  package func printAlways(_ text: String) throws(SystemError) { try printPart(text + "\n") }

  /// Prints a part of data that is printed while it is made.
  package func printPart(_ text: String) throws(SystemError) {
    if let held { return held.parts.append(.result(text)) }
    // The bar and the result may be printed to the same terminal.
    if barWidth > 0 { show(emptyLine) }
    try writeAll(Array(text.escapingLateControls.utf8), to: STDOUT_FILENO, "standard output")
  }

  /// Prints a message that is not a result, unless the run is quiet. Control characters, which
  /// names may contain, are replaced.
  package func note(_ text: String) {
    if !isQuiet { printMessage(text.printable) }
  }

  /// Prints a problem that does not change the exit code, unless the run is quiet.
  package func warn(_ text: String) { note(text) }

  private func printMessage(_ text: String) {
    if let held { return held.parts.append(.message(text)) }
    show((barWidth > 0 ? emptyLine : "") + "pkd: " + text + "\n")
  }

  private func show(_ text: String) {
    try? writeAll(Array(text.utf8), to: STDERR_FILENO, "standard error")
  }

  /// Characters that erase the progress bar on any terminal.
  private var emptyLine: String { "\r" + String(repeating: " ", count: barWidth) + "\r" }

  /// Shows a progress bar if the standard error goes to a terminal, with the rate and the remaining
  /// time after a second.
  package mutating func showProgress(_ done: Int, of count: Int, _ what: String) {
    guard count > 1, !isQuiet, !isVerbose, takesProgress else { return }
    let now = MonotonicTime.now
    if barWidth == 0 {
      (barStart, barDone) = (now, done)
    } else if now - barTime < 0.1 {
      return
    }
    barTime = now
    let (width, filled) = (24, 24 * done / count)
    var bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    bar += " \(done)/\(count) "
    let (seconds, steps) = (now - barStart, done - barDone)
    if seconds >= 1, steps > 0 {
      let rate = Double(steps) / seconds
      bar +=
        (rate >= 10 ? "\(Int(clamping: rate.rounded()))" : "\((rate * 10).rounded() / 10)") + "/s, "
      bar += Self.clock(Double(count - done) / rate) + " left "
    }
    // Characters outside of ASCII may take two columns, and a line that wraps could not be erased.
    var (name, nameWidth) = ("", 0)
    for letter in what.printable.reversed() {
      nameWidth += letter.isASCII ? 1 : 2
      if bar.count + nameWidth > Self.barLimit { break }
      name = "\(letter)" + name
    }
    let before = barWidth
    barWidth = min(bar.count + nameWidth, Self.barLimit)
    show(
      (before > 0 ? "\r" + String(repeating: " ", count: before) + "\r" : "") + bar + name)
  }

  /// The maximum width of a bar with its texts: terminals have at least 80 columns.
  private static let barLimit = 78

  /// Seconds as `12 s`, `3:05` or `2:00:00`.
  private static func clock(_ seconds: Double) -> String {
    let whole = Int(clamping: seconds.rounded(.up))
    func padded(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
    if whole < 60 { return "\(whole) s" }
    let minutes = whole / 60
    let end = padded(whole % 60)
    return minutes < 60
      ? "\(minutes):\(end)" : "\(minutes / 60):\(padded(minutes % 60)):\(end)"
  }

  /// Erases the progress bar.
  package mutating func endProgress() {
    if barWidth > 0 { show(emptyLine) }
    barWidth = 0
  }

  /// Records a failure and continues. Failures are printed at the end, after all results, and the
  /// run ends with the greatest code. Control characters, which names may contain, are replaced;
  /// `advice` is a second line.
  package mutating func fail(_ text: String, _ code: ExitCode, advice: String? = nil) {
    failures.append(text.printable + (advice.map { "\n" + $0 } ?? ""))
    exitCode = max(exitCode, code)
  }

  /// Records a failure with one of several files, and continues with the others. Throws the error
  /// of a closed pipe, because nothing reads the output any more.
  package mutating func fail(_ error: SystemError) throws(SystemError) {
    guard error.code != EPIPE else { throw error }
    fail("\(error)", error.exitCode)
  }

  /// The number of recorded failures.
  package var failureCount: Int { failures.count }

  /// Records an exit code for a problem that a result already shows.
  package mutating func raise(_ code: ExitCode) { exitCode = max(exitCode, code) }

  /// Prints the recorded failures.
  package func listFailures() {
    for failure in failures { printMessage(failure) }
  }

  package func bold(_ text: String) -> String { usesColor ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
  package func dim(_ text: String) -> String { usesColor ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
}

private final class HeldOutput {
  enum Part {
    case result(String)
    case message(String)
  }

  var parts: [Part] = []
}

/// Writes all bytes to an open file.
package func writeAll(
  _ bytes: UnsafeRawBufferPointer, to file: Int32, _ name: String
) throws(SystemError) {
  do throws(SystemCallError) {
    try OpenFile.writeAll(bytes, to: file)
  } catch {
    throw SystemError(name, code: error.code)
  }
}

package func writeAll(_ bytes: [UInt8], to file: Int32, _ name: String) throws(SystemError) {
  do throws(SystemCallError) {
    try OpenFile.writeAll(bytes, to: file)
  } catch {
    throw SystemError(name, code: error.code)
  }
}

/// Writes as many bytes as a pipe accepts now; returns their number, or -1 for an error.
package func writeSome(_ bytes: ArraySlice<UInt8>, to file: Int32) -> Int {
  bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
}

/// The maximum size of an input, 1 GiB.
package let inputLimit = 1 << 30

/// Reads a whole file, or the standard input for `-`. Throws if it has more bytes than the limit.
package func readFile(
  _ path: SystemString, limit: Int = inputLimit
) throws(SystemError) -> [UInt8] {
  let isStream = path == .standardStream
  let name = isStream ? "standard input" : path.description
  let file = isStream ? STDIN_FILENO : open(path.cString, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { throw SystemError(name) }
  defer { if !isStream { close(file) } }
  do throws(SystemCallError) {
    return try OpenFile.readAll(file, limit: limit)
  } catch {
    throw error.code == EFBIG
      ? SystemError(tooLarge: name, limit: limit) : SystemError(name, code: error.code)
  }
}

/// Calls a body with a function that reads the next bytes of a file, or of the standard input for
/// `-`. The function takes the maximum number of bytes, and returns none at the end.
package func withReader<Result>(
  _ path: SystemString, _ body: (@escaping (Int) throws -> [UInt8]) throws -> Result
) throws -> Result {
  let isStream = path == .standardStream
  let name = isStream ? "standard input" : path.description
  let file = isStream ? STDIN_FILENO : open(path.cString, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { throw SystemError(name) }
  defer { if !isStream { close(file) } }
  return try body { limit in
    var piece = [UInt8](repeating: 0, count: min(limit, 1 << 20))
    while true {
      let count = piece.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
      if count >= 0 { return Array(piece.prefix(count)) }
      if errno != EINTR { throw SystemError(name) }
    }
  }
}

/// The sorted names in a folder, as bytes; nil if it cannot be opened.
package func folderEntries(_ folder: SystemString) -> [SystemString]? {
  guard let stream = opendir(folder.cString) else { return nil }
  defer { closedir(stream) }
  var names: [SystemString] = []
  while let entry = readdir(stream) {
    let name = SystemString(
      bytes: withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) })
    if name != ".", name != ".." { names.append(name) }
  }
  return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
}

/// Reads the next bytes of the standard input or another stream, at most 64 KiB and possibly fewer;
/// nil at its end and after an interruption.
package func readPiece(
  from file: Int32 = STDIN_FILENO, _ name: String = "standard input"
) throws(SystemError) -> ArraySlice<UInt8>? {
  var piece = [UInt8](repeating: 0, count: 1 << 16)
  let count = piece.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
  if count < 0 {
    if errno == EINTR { return nil }
    throw SystemError(name)
  }
  return count == 0 ? nil : piece[..<count]
}

/// An open file for output.
package struct OutputFile {
  package let handle: Int32
  package let name: String

  package func write(_ bytes: [UInt8]) throws(SystemError) { try writeAll(bytes, to: handle, name) }

  package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    try writeAll(bytes, to: handle, name)
  }
}
