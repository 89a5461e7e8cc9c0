import Glibc

/// How a run ends.
enum ExitCode: Int32, Comparable {
  case ok = 0
  case failed = 1
  case usage = 2
  case badData = 65

  static func < (a: ExitCode, b: ExitCode) -> Bool { a.rawValue < b.rawValue }
}

/// What went wrong outside the bytes: a file, a pipe, the disk.
struct SystemError: Error, CustomStringConvertible {
  let what: String
  let code: Int32

  init(_ what: String, code: Int32 = errno) {
    self.what = what
    self.code = code
  }

  var description: String { "\(what): \(String(cString: strerror(code)))" }
}

/// Where a command talks: results to the standard output, all else to the standard error.
struct Console {
  var isQuiet = false
  var isVerbose = false
  /// The worst that has happened so far.
  private(set) var exitCode = ExitCode.ok
  private var failures: [String] = []

  /// Whether people read the results, so that colours may be used.
  let usesColor: Bool

  init() {
    usesColor = isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
  }

  /// Prints a result.
  func print(_ text: String) throws(SystemError) {
    try write(Array((text + "\n").utf8), to: STDOUT_FILENO, "standard output")
  }

  /// Says something that is not a result.
  func note(_ text: String) {
    if !isQuiet { warn(text) }
  }

  /// Says something that must be heard.
  func warn(_ text: String) {
    try? write(Array(("pkd: " + text + "\n").utf8), to: STDERR_FILENO, "standard error")
  }

  /// Remembers a failure and goes on: failures are listed at the end, where results do not bury
  /// them, and the run ends with the worst code.
  mutating func fail(_ text: String, _ code: ExitCode) {
    failures.append(text)
    exitCode = max(exitCode, code)
  }

  /// Lists what has failed.
  func listFailures() {
    for failure in failures { warn(failure) }
  }

  func bold(_ text: String) -> String { usesColor ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
  func dim(_ text: String) -> String { usesColor ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
}

/// Writes all bytes to an open file.
func write(_ bytes: [UInt8], to file: Int32, _ name: String) throws(SystemError) {
  var start = 0
  while start < bytes.count {
    let count = bytes[start...].withContiguousBytes { Glibc.write(file, $0, $1) }
    if count < 0 {
      if errno == EINTR { continue }
      throw SystemError(name)
    }
    start += count
  }
}

/// Reads a whole file, or the standard input for `-`.
func readFile(_ path: SystemString) throws(SystemError) -> [UInt8] {
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
  let room = isRegular ? min(Int(status.st_size) + 1, 64 << 20) : 1 << 16
  var bytes = [UInt8](repeating: 0, count: room)
  var count = 0
  while true {
    if count == bytes.count { bytes += [UInt8](repeating: 0, count: bytes.count) }
    let got = bytes.withUnsafeMutableBytes { room in
      read(file, room.baseAddress.map { $0 + count }, room.count - count)
    }
    if got < 0 {
      if errno == EINTR { continue }
      throw SystemError(name)
    }
    if got == 0 { break }
    count += got
  }
  bytes.removeLast(bytes.count - count)
  return bytes
}

/// Other names of the standard output, behind which a file must not be replaced.
private let standardOutputNames: [SystemString] = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]

/// Writes a whole file, or the standard output for `-`. The file appears whole or not at all: it is
/// written under another name, made safe on the disk, and renamed.
func writeFile(_ bytes: [UInt8], to path: SystemString) throws(SystemError) {
  guard path != .standardStream, !standardOutputNames.contains(path) else {
    return try write(bytes, to: STDOUT_FILENO, "standard output")
  }
  let name = path.description
  var status = stat()
  let isThere = stat(path.cString, &status) == 0
  if isThere, status.st_mode & S_IFMT != S_IFREG {
    // A device or a pipe cannot be replaced; it is written to.
    let file = open(path.cString, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { throw SystemError(name) }
    defer { close(file) }
    return try write(bytes, to: file, name)
  }
  // What a link points to is replaced, not the link, and keeps its permissions.
  let target = isThere ? resolved(path) : path
  let temporary = target + ".\(getpid()).tmp".utf8
  let file = open(temporary.cString, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
  guard file >= 0 else { throw SystemError(name) }
  do throws(SystemError) {
    defer { close(file) }
    if isThere { fchmod(file, status.st_mode & 0o7777) }
    try write(bytes, to: file, name)
    guard fsync(file) == 0, rename(temporary.cString, target.cString) == 0 else {
      throw SystemError(name)
    }
  } catch {
    unlink(temporary.cString)
    throw error
  }
  try sync(folder: target.folder)
}

/// The path without links.
private func resolved(_ path: SystemString) -> SystemString {
  guard let real = realpath(path.cString, nil) else { return path }
  defer { free(real) }
  return SystemString(bytes: (0..<strlen(real)).map { UInt8(bitPattern: real[Int($0)]) })
}

/// Makes a file's name safe on the disk: a new name is only safe once its folder is.
private func sync(folder: SystemString) throws(SystemError) {
  let path = folder.bytes.isEmpty ? "." : folder
  let handle = open(path.cString, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard handle >= 0 else { return }  // a folder may be written to but not read
  defer { close(handle) }
  guard fsync(handle) == 0 || errno == EINVAL else { throw SystemError(path.description) }
}

extension ArraySlice<UInt8> {
  fileprivate func withContiguousBytes(_ body: (UnsafeRawPointer?, Int) -> Int) -> Int {
    withUnsafeBytes { body($0.baseAddress, $0.count) }
  }
}
