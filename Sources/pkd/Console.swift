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
  /// Our own reason, where it is not the system's.
  private let reason: String?

  init(_ what: String, code: Int32 = errno) {
    self.what = what
    self.code = code
    reason = nil
  }

  /// A file that has more bytes than may be.
  init(tooLarge what: String, limit: Int) {
    self.what = what
    code = EFBIG
    reason = "more than \(limit) bytes"
  }

  var description: String { "\(what): \(reason ?? String(cString: strerror(code)))" }

  /// How a run ends after it: a file that is too large is bad input, all else is the system's fault.
  var exitCode: ExitCode { reason == nil ? .failed : .badData }
}

/// Where a command talks: results to the standard output, all else to the standard error.
struct Console {
  var isQuiet = false
  var isVerbose = false
  /// The worst that has happened so far.
  private(set) var exitCode = ExitCode.ok
  private var failures: [String] = []
  private var showsProgress = false

  /// Whether people read the results, so that colours may be used.
  let usesColor: Bool

  init() {
    usesColor = isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
  }

  /// Prints a result.
  func print(_ text: String) throws(SystemError) {
    try writeAll(Array((text + "\n").utf8), to: STDOUT_FILENO, "standard output")
  }

  /// Says something that is not a result.
  func note(_ text: String) {
    if !isQuiet { warn(text) }
  }

  /// Says something that must be heard.
  func warn(_ text: String) {
    show((showsProgress ? Self.lineStart : "") + "pkd: " + text + "\n")
  }

  private func show(_ text: String) {
    try? writeAll(Array(text.utf8), to: STDERR_FILENO, "standard error")
  }

  /// Back to the start of a line that is then empty.
  private static let lineStart = "\r\u{1B}[K"

  /// Shows how far a long run has come, where there are people who look at it.
  mutating func showProgress(_ done: Int, of count: Int, _ what: String) {
    guard count > 1, !isQuiet, !isVerbose, isatty(STDERR_FILENO) == 1 else { return }
    showsProgress = true
    let (width, filled) = (24, 24 * done / count)
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    // A line that is longer than the terminal could not be taken back.
    show(Self.lineStart + "\(bar) \(done)/\(count) \(what.printable.suffix(36))")
  }

  /// Takes the bar away.
  mutating func endProgress() {
    if showsProgress { show(Self.lineStart) }
    showsProgress = false
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
    for failure in failures { warn(failure) }
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
    guard count <= limit else { throw SystemError(tooLarge: name, limit: limit) }
  }
  bytes.removeLast(bytes.count - count)
  return bytes
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

/// Reads what the standard input has next, which may be little where somebody is still writing; nil at
/// its end and when the program is asked to stop.
func readPiece() throws(SystemError) -> ArraySlice<UInt8>? {
  var piece = [UInt8](repeating: 0, count: 1 << 16)
  let count = piece.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
  if count < 0 {
    if errno == EINTR { return nil }
    throw SystemError("standard input")
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

/// Writes a whole file, or the standard output for `-` and its other names.
func writeFile(_ bytes: [UInt8], to path: SystemString) throws(SystemError) {
  try writeFile(to: path) { file throws(SystemError) in try file.write(bytes) }
}

/// Writes a whole file piece by piece, or to the standard output for `-` and its other names. One that
/// is not durable may be lost with the machine's power.
func writeFile(
  to path: SystemString, isDurable: Bool = true,
  _ body: (OutputFile) throws(SystemError) -> Void
) throws(SystemError) {
  let stream = OutputFile(handle: STDOUT_FILENO, name: "standard output")
  if path == .standardStream { return try body(stream) }
  var (status, other) = (stat(), stat())
  let isThere = stat(path.cString, &status) == 0
  // Links that the system refuses to follow are not followed by hand either.
  guard isThere || errno == ENOENT else { throw SystemError(path.description) }
  if isThere, fstat(STDOUT_FILENO, &other) == 0, status.isSameFile(as: other) {
    return try body(stream)
  }
  // What a link points to is replaced, not the link, and keeps its permissions.
  let target = try followingLinks(from: path)
  guard isThere else {
    return try replace(target, permissions: nil, isDurable: isDurable, for: path, body)
  }
  // A device or a pipe cannot be replaced, nor can a file that has lost its name and is open as
  // `/dev/fd/3`; they are written to.
  guard status.st_mode & S_IFMT == S_IFREG, lstat(target.cString, &other) == 0,
    status.isSameFile(as: other)
  else {
    let file = open(path.cString, O_WRONLY | O_TRUNC | O_CLOEXEC)
    guard file >= 0 else { throw SystemError(path.description) }
    defer { close(file) }
    return try body(OutputFile(handle: file, name: path.description))
  }
  try replace(
    target, permissions: status.st_mode & 0o7777, isDurable: isDurable, for: path, body)
}

/// Puts a file in the place of what may be there. It appears whole or not at all: it is written
/// under another name, made safe on the disk, and renamed. Errors name the path that was given.
private func replace(
  _ target: SystemString, permissions: mode_t?, isDurable: Bool, for path: SystemString,
  _ body: (OutputFile) throws(SystemError) -> Void
) throws(SystemError) {
  // A name of its own, because the target's may be as long as names can be.
  let random = String(UInt64.random(in: 0...UInt64.max), radix: 36)
  let temporary = target.folder + ".pkd-\(random).tmp".utf8
  Interruption.note(halfWritten: temporary)
  defer { Interruption.note(halfWritten: nil) }
  let file = open(temporary.cString, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
  guard file >= 0 else { throw SystemError(path.description) }
  do throws(SystemError) {
    defer { close(file) }
    if let permissions { fchmod(file, permissions) }
    try body(OutputFile(handle: file, name: path.description))
    guard !isDurable || fsync(file) == 0, rename(temporary.cString, target.cString) == 0 else {
      throw SystemError(path.description)
    }
  } catch {
    unlink(temporary.cString)
    throw error
  }
  if isDurable { try sync(folder: target.folder) }
}

/// Where a path leads when the links that it names are followed, to a file or to where one would
/// be. Unlike `realpath` this answers for links to nothing.
private func followingLinks(from path: SystemString) throws(SystemError) -> SystemString {
  var target = path
  // The system itself follows so many.
  for _ in 0...40 {
    var status = stat()
    guard lstat(target.cString, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else {
      return target
    }
    var room = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(target.cString, &room, room.count)
    guard count >= 0 else { throw SystemError(path.description) }
    let link = room[..<count].map { UInt8(bitPattern: $0) }
    let isAbsolute = link.first == UInt8(ascii: "/")
    target = isAbsolute ? SystemString(bytes: link) : target.folder + link
  }
  throw SystemError(path.description, code: ELOOP)
}

extension stat {
  fileprivate func isSameFile(as other: stat) -> Bool {
    st_dev == other.st_dev && st_ino == other.st_ino
  }
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
