import Glibc

/// How a run ends.
enum ExitCode: Int32, Comparable {
  case ok = 0
  case failed = 1
  case usage = 2
  case badData = 65
  case notAllowed = 77
  case interrupted = 130

  static func < (a: ExitCode, b: ExitCode) -> Bool { a.rawValue < b.rawValue }
}

/// What went wrong outside the bytes: a file, a pipe, the disk.
struct SystemError: Error, CustomStringConvertible {
  let what: String
  let code: Int32
  /// What the code means here, where that is more than the system says.
  let reason: String?
  /// How a run ends after it: most are the system's fault.
  let exitCode: ExitCode

  init(
    _ what: String, code: Int32 = errno, reason: String? = nil, exitCode: ExitCode = .failed
  ) {
    (self.what, self.code, self.reason, self.exitCode) = (what, code, reason, exitCode)
  }

  /// A file that has more bytes than may be, which is bad input.
  init(tooLarge what: String, limit: Int) {
    self.init(what, code: EFBIG, reason: "more than \(limit) bytes", exitCode: .badData)
  }

  var description: String { "\(what): \(reason ?? String(cString: strerror(code)))" }
}

/// Where a command talks: results to the standard output, all else to the standard error.
///
/// A quiet run that ends with 0 says nothing but the data that it was asked for: JSON, bytes, help. One
/// that ends with another code says why.
struct Console {
  var isQuiet = false
  var isVerbose = false
  /// The worst that has happened so far.
  private(set) var exitCode = ExitCode.ok
  private var failures: [String] = []
  /// How many columns the bar takes that is on the terminal.
  private var barWidth = 0

  /// Whether people read the results, so that colours may be used.
  let usesColor: Bool
  /// Whether people see the standard error on a terminal that can write over a line.
  private let takesProgress: Bool

  init() {
    let (term, noColor) = (Self.variable("TERM"), Self.variable("NO_COLOR"))
    usesColor = isatty(STDOUT_FILENO) == 1 && Self.isCapable(term) && noColor.isEmpty
    takesProgress = isatty(STDERR_FILENO) == 1 && Self.isCapable(term)
  }

  /// Whether a terminal of a name knows escape codes.
  static func isCapable(_ term: String) -> Bool { !term.isEmpty && term != "dumb" }

  /// A variable of the environment; empty where it is not set.
  static func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }

  /// Prints a result for people.
  func print(_ text: String) throws(SystemError) {
    if !isQuiet { try printAlways(text) }
  }

  /// Prints what was asked for and is no mere talk, as JSON and help, or what is wrong.
  func printAlways(_ text: String) throws(SystemError) {
    // Both may go to one terminal.
    if barWidth > 0 { show(emptyLine) }
    try writeAll(Array((text + "\n").utf8), to: STDOUT_FILENO, "standard output")
  }

  /// Says something that is not a result.
  func note(_ text: String) {
    if !isQuiet { complain(text) }
  }

  /// Says something that was wrong and did not hinder the run.
  func warn(_ text: String) { note(text) }

  private func complain(_ text: String) {
    show((barWidth > 0 ? emptyLine : "") + "pkd: " + text + "\n")
  }

  private func show(_ text: String) {
    try? writeAll(Array(text.utf8), to: STDERR_FILENO, "standard error")
  }

  /// Back to the start of a line in which the bar no longer is, on any terminal.
  private var emptyLine: String { "\r" + String(repeating: " ", count: barWidth) + "\r" }

  /// Shows how far a long run has come, where there are people who look at it.
  mutating func showProgress(_ done: Int, of count: Int, _ what: String) {
    guard count > 1, !isQuiet, !isVerbose, takesProgress else { return }
    let (width, filled) = (24, 24 * done / count)
    var bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    bar += " \(done)/\(count) "
    // Letters that are none of ASCII may take two columns, and a line that is longer than the terminal
    // could not be taken back.
    var (name, nameWidth) = ("", 0)
    for letter in what.printable.reversed() {
      nameWidth += letter.isASCII ? 1 : 2
      if nameWidth > 36 { break }
      name = "\(letter)" + name
    }
    let before = barWidth
    barWidth = bar.count + min(nameWidth, 36)
    show(
      (before > 0 ? "\r" + String(repeating: " ", count: before) + "\r" : "") + bar + name)
  }

  /// Takes the bar away.
  mutating func endProgress() {
    if barWidth > 0 { show(emptyLine) }
    barWidth = 0
  }

  /// Remembers a failure and goes on: failures are listed at the end, where results do not bury
  /// them, and the run ends with the worst code.
  mutating func fail(_ text: String, _ code: ExitCode) {
    failures.append(text)
    exitCode = max(exitCode, code)
  }

  /// Remembers that something was wrong which a result already tells.
  mutating func raise(_ code: ExitCode) { exitCode = max(exitCode, code) }

  /// Lists what has failed.
  func listFailures() {
    for failure in failures { complain(failure) }
  }

  func bold(_ text: String) -> String { usesColor ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
  func dim(_ text: String) -> String { usesColor ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
}

/// Writes all bytes to an open file.
func writeAll(
  _ bytes: UnsafeRawBufferPointer, to file: Int32, _ name: String
) throws(SystemError) {
  var start = 0
  while start < bytes.count {
    let count = Glibc.write(file, bytes.baseAddress.map { $0 + start }, bytes.count - start)
    if count < 0 {
      if errno == EINTR { continue }
      throw SystemError(name)
    }
    start += count
  }
}

func writeAll(_ bytes: [UInt8], to file: Int32, _ name: String) throws(SystemError) {
  let result = bytes.withUnsafeBytes { bytes in
    Result { () throws(SystemError) in try writeAll(bytes, to: file, name) }
  }
  try result.get()
}

/// Writes as many bytes as there is space for now; gives how many, or what `write` gives for errors.
func writeSome(_ bytes: ArraySlice<UInt8>, to file: Int32) -> Int {
  bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
}

/// No input has more bytes.
let inputLimit = 1 << 30

/// Reads a whole file, or the standard input for `-`. Throws for more bytes than a limit, of which no more
/// are read.
func readFile(
  _ path: SystemString, limit: Int = inputLimit
) throws(SystemError) -> [UInt8] {
  let isStream = path == .standardStream
  let name = isStream ? "standard input" : path.description
  let file = isStream ? STDIN_FILENO : open(path.cString, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { throw SystemError(name) }
  defer { if !isStream { close(file) } }
  var status = stat()
  guard fstat(file, &status) == 0 else { throw SystemError(name) }
  guard status.st_mode & S_IFMT != S_IFDIR else { throw SystemError(name, code: EISDIR) }

  // A regular file fits into one piece of the right size; a pipe tells no size and grows, and so
  // does a file that claims to be very large, which may have holes.
  let isRegular = status.st_mode & S_IFMT == S_IFREG
  guard !isRegular || Int(status.st_size) <= limit else {
    throw SystemError(tooLarge: name, limit: limit)
  }
  var capacity = isRegular ? min(Int(status.st_size) + 1, 64 << 20) : 1 << 16
  var bytes: [UInt8] = []
  while true {
    let (piece, problem) = read(file, upTo: capacity)
    guard problem == 0 else { throw SystemError(name, code: problem) }
    if bytes.isEmpty { bytes = piece } else { bytes += piece }
    guard bytes.count <= limit else { throw SystemError(tooLarge: name, limit: limit) }
    if piece.count < capacity { return bytes }
    capacity = bytes.count
  }
}

/// Reads from a file until it ends or there are so many bytes; gives the system's reason where that fails, or 0.
private func read(_ file: Int32, upTo count: Int) -> (bytes: [UInt8], problem: Int32) {
  var problem: Int32 = 0
  let bytes = [UInt8](unsafeUninitializedCapacity: count) { memory, filled in
    while filled < count {
      let got = read(file, memory.baseAddress.map { $0 + filled }, count - filled)
      if got > 0 {
        filled += got
      } else if got == 0 || errno != EINTR {
        problem = got == 0 ? 0 : errno
        return
      }
    }
  }
  return (bytes, problem)
}

/// Calls a body with what reads a file, or the standard input for `-`, so many bytes at most at a time.
func withReader<Result>(
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

/// What lies in a folder, sorted, with the bytes of the names; nil where there is none.
func folderEntries(_ folder: SystemString) -> [SystemString]? {
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

/// Reads what the standard input, or another stream, has next, which may be little where somebody is still
/// writing; nil at its end and when the program is asked to stop.
func readPiece(
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

/// A file that is being written.
struct OutputFile {
  let handle: Int32
  let name: String

  func write(_ bytes: [UInt8]) throws(SystemError) { try writeAll(bytes, to: handle, name) }

  func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    try writeAll(bytes, to: handle, name)
  }
}
