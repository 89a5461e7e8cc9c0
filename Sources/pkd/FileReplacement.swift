import Glibc

/// What bytes for a name are written to.
enum OutputPlace {
  /// The standard output, by `-` or another of its names.
  case stream
  /// A device, a pipe, or a file that has lost its name and is open as `/dev/fd/3`: there is nothing to
  /// be replaced.
  case open
  /// A file. What a link points to is replaced, not the link, and keeps its permissions; these are nil
  /// where there is no file yet.
  case file(SystemString, permissions: mode_t?)

  init(_ path: SystemString) throws(SystemError) {
    if path == .standardStream {
      self = .stream
      return
    }
    var (status, other) = (stat(), stat())
    guard stat(path.cString, &status) == 0 else {
      // Links that the system refuses to follow are not followed by hand either.
      guard errno == ENOENT else { throw SystemError(path.description) }
      self = .file(try followingLinks(from: path), permissions: nil)
      return
    }
    if fstat(STDOUT_FILENO, &other) == 0, status.isSameFile(as: other) {
      self = .stream
      return
    }
    let target = try followingLinks(from: path)
    guard status.st_mode & S_IFMT == S_IFREG, lstat(target.cString, &other) == 0,
      status.isSameFile(as: other)
    else {
      self = .open
      return
    }
    self = .file(target, permissions: status.st_mode & 0o7777)
  }

  /// Whether there is a file that would be replaced.
  var isFileThere: Bool {
    if case .file(_, .some) = self { true } else { false }
  }
}

/// A file that takes the place of another, or a new name, when it is whole.
///
/// It is written under a name of its own beside the other. Until `commit` nothing has changed, and
/// nothing is left of one that is not committed. What is there is locked meanwhile: a file that another
/// process writes to, as `pkd record` does, is not taken from it.
final class FileReplacement {
  /// The name under which the file is written.
  let temporary: SystemString
  private let path: SystemString
  private let target: SystemString
  /// What is there, and must not be replaced unless this was asked for.
  private let mayReplace: Bool
  private var lock: FileLock?
  private var handle: Int32
  private var isCommitted = false

  /// Begins a file for a name; `path` is what errors call it.
  init(
    _ target: SystemString, for path: SystemString, mayReplace: Bool = true
  ) throws(SystemError) {
    (self.path, self.target, self.mayReplace) = (path, target, mayReplace)
    lock = try FileLock(target, path: path)
    guard mayReplace || lock == nil else { throw SystemError(alreadyThere: path) }
    // A name of its own, because the target's may be as long as names can be.
    let random = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    temporary = target.folder + ".pkd-\(random).tmp".utf8
    Interruption.note(halfWritten: temporary)
    handle = open(temporary.cString, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard handle >= 0 else {
      let error = SystemError(path.description)
      Interruption.note(halfWritten: nil)
      // A `deinit` would take away what is not ours.
      isCommitted = true
      throw error
    }
    if let permissions = lock?.permissions { fchmod(handle, permissions) }
  }

  /// Where the bytes go.
  var file: OutputFile { OutputFile(handle: handle, name: path.description) }

  /// Gives the file its name. One that is not durable may be lost with the machine's power.
  func commit(isDurable: Bool) throws(SystemError) {
    guard !isDurable || fsync(handle) == 0 else { throw SystemError(path.description) }
    let isClosed = close(handle) == 0 || errno == EINTR
    handle = -1
    // Some systems tell only now that there was no room.
    guard isClosed else { throw SystemError(path.description) }
    if mayReplace {
      // What came meanwhile may be somebody's, too.
      if lock?.isNamed(target) != true { lock = try FileLock(target, path: path) }
      guard rename(temporary.cString, target.cString) == 0 else {
        throw SystemError(path.description)
      }
      isCommitted = true
    } else {
      try commitAsNew()
    }
    Interruption.note(halfWritten: nil)
    if isDurable { try sync(folder: target.folder) }
  }

  /// Gives the file a name that nothing has, even if somebody takes it at this very moment.
  private func commitAsNew() throws(SystemError) {
    if link(temporary.cString, target.cString) == 0 { return }
    guard errno != EEXIST else { throw SystemError(alreadyThere: path) }
    // Some file systems have no second names.
    guard !isThere(target) else { throw SystemError(alreadyThere: path) }
    guard rename(temporary.cString, target.cString) == 0 else {
      throw SystemError(path.description)
    }
    isCommitted = true
  }

  deinit {
    if handle >= 0 { close(handle) }
    if !isCommitted { unlink(temporary.cString) }
    Interruption.note(halfWritten: nil)
  }
}

/// The lock of a file that is there, which programs hold while they write to it.
final class FileLock {
  /// The file's permissions.
  let permissions: mode_t
  private let handle: Int32

  /// Takes the lock; nil where there is no file. Throws where another process has it; `path` is what the
  /// error calls the file.
  init?(_ target: SystemString, path: SystemString) throws(SystemError) {
    // Somebody may put another file in the place of the one that was locked, but not for ever.
    for _ in 0..<100 {
      let handle = Self.open(target)
      guard handle >= 0 else {
        guard errno == ENOENT else { throw SystemError(path.description) }
        return nil
      }
      // Systems without locks have nobody who holds one.
      let isHeld = flock(handle, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
      var (own, named) = (stat(), stat())
      let isNamed =
        fstat(handle, &own) == 0 && stat(target.cString, &named) == 0
        && own.isSameFile(as: named)
      if isNamed, !isHeld {
        (self.handle, permissions) = (handle, own.st_mode & 0o7777)
        return
      }
      close(handle)
      if isNamed { break }
    }
    throw SystemError(
      path.description, code: EWOULDBLOCK, reason: "another process is writing to it")
  }

  deinit { close(handle) }

  /// Whether a name leads to the file that is locked.
  func isNamed(_ target: SystemString) -> Bool {
    var (own, named) = (stat(), stat())
    return fstat(handle, &own) == 0 && stat(target.cString, &named) == 0
      && own.isSameFile(as: named)
  }

  /// Opens a file in any way that it allows.
  private static func open(_ path: SystemString) -> Int32 {
    for way in [O_RDWR, O_RDONLY, O_WRONLY] {
      let handle = Glibc.open(path.cString, way | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
      if handle >= 0 || errno == ENOENT { return handle }
    }
    return -1
  }
}

extension SystemError {
  /// Why a name that is taken was not used.
  init(alreadyThere path: SystemString) {
    self.init(
      path.description, code: EEXIST, reason: "it is there already; --force replaces it")
  }
}

/// Writes a whole file, or the standard output for `-` and its other names.
func writeFile(
  _ bytes: [UInt8], to path: SystemString, mayReplace: Bool = true
) throws(SystemError) {
  try writeFile(to: path, mayReplace: mayReplace) { file throws(SystemError) in
    try file.write(bytes)
  }
}

/// Writes a whole file piece by piece, or to the standard output for `-` and its other names. A file
/// appears whole or not at all. One that is not durable may be lost with the machine's power.
func writeFile(
  to path: SystemString, mayReplace: Bool = true, isDurable: Bool = true,
  _ body: (OutputFile) throws(SystemError) -> Void
) throws(SystemError) {
  switch try OutputPlace(path) {
  case .stream: try body(OutputFile(handle: STDOUT_FILENO, name: "standard output"))
  case .open:
    let file = open(path.cString, O_WRONLY | O_TRUNC | O_CLOEXEC)
    guard file >= 0 else { throw SystemError(path.description) }
    defer { close(file) }
    try body(OutputFile(handle: file, name: path.description))
  case .file(let target, _):
    let replacement = try FileReplacement(target, for: path, mayReplace: mayReplace)
    try body(replacement.file)
    try replacement.commit(isDurable: isDurable)
  }
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
  guard fsync(handle) == 0 || errno == EINVAL else {
    throw SystemError(path.description)
  }
}

extension SystemString {
  /// Whether what is written to this name comes to a terminal.
  var isTerminal: Bool {
    if self == .standardStream { return isatty(STDOUT_FILENO) == 1 }
    var status = stat()
    guard stat(cString, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return false }
    let handle = open(cString, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard handle >= 0 else { return false }
    defer { close(handle) }
    return isatty(handle) == 1
  }
}
