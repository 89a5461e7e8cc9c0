package import Glibc
import System
package import Threads

/// The target that an output path leads to.
package enum OutputTarget {
  /// The standard output, by `-` or another of its names.
  case stream
  /// A device, a pipe, or an unnamed file that is open as `/dev/fd/3`: written in place instead of
  /// replaced.
  case open
  /// A regular file after following links. An existing file is replaced and keeps its permissions;
  /// these are nil if there is no file yet.
  case file(SystemString, permissions: mode_t?)

  package init(_ path: SystemString) throws(SystemError) {
    if path == .standardStream {
      self = .stream
      return
    }
    var (status, other) = (stat(), stat())
    guard stat(path.cString, &status) == 0 else {
      // A link that the system refuses to follow is not followed here either.
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

  /// Whether an existing file would be replaced.
  package var fileExists: Bool {
    if case .file(_, .some) = self { true } else { false }
  }
}

/// A file that is written under a temporary name, and replaces its target when it is complete.
///
/// Until `commit` the target is unchanged, and a file that is not committed is deleted. An existing
/// target is locked in the meantime: a file that another process is writing, such as `pkd record`,
/// is not replaced.
package final class FileReplacement {
  /// The temporary path.
  package let temporary: SystemString
  private let path: SystemString
  private let target: SystemString
  /// Whether an existing target may be replaced.
  private let mayReplace: Bool
  private var lock: FileLock?
  private var handle: Int32
  private var isCommitted = false
  private var unfinished: UnfinishedFile

  /// Begins a file for a target; error messages contain `path`.
  package init(
    _ target: SystemString, for path: SystemString, mayReplace: Bool = true
  ) throws(SystemError) {
    (self.path, self.target, self.mayReplace) = (path, target, mayReplace)
    lock = try FileLock(target, path: path)
    guard mayReplace || lock == nil else { throw SystemError(alreadyExists: path) }
    // Not derived from the name of the target, which may have the maximum length.
    let random = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    temporary = target.folder + ".pkd-\(random).tmp".utf8
    let opened = UnfinishedFile.begin { [temporary] in
      let unfinished = UnfinishedFile(temporary)
      let handle = open(temporary.cString, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      return (unfinished: unfinished, handle: handle, code: errno)
    }
    (unfinished, handle) = (opened.unfinished, opened.handle)
    guard handle >= 0 else {
      let error = SystemError(path.description, code: opened.code)
      unfinished.forget()
      // Prevents `deinit` from deleting a file of another program.
      isCommitted = true
      throw error
    }
    if let lock {
      // Keeps the owner of another user's file, where the system allows it. This comes first,
      // because it clears some permissions.
      _ = fchown(handle, lock.owner.user, lock.owner.group)
      fchmod(handle, lock.permissions)
    }
  }

  /// The open temporary file.
  package var file: OutputFile { OutputFile(handle: handle, name: path.description) }

  /// Renames the file to its target. Unless durable, a power cut may lose it.
  package func commit(isDurable: Bool) throws(SystemError) {
    if isDurable {
      do throws(SystemCallError) {
        try OpenFile.synchronize(handle)
      } catch {
        throw SystemError(path.description, code: error.code)
      }
    }
    let isClosed = close(handle) == 0 || errno == EINTR
    handle = -1
    // Some file systems report a full disk only now.
    guard isClosed else { throw SystemError(path.description) }
    if mayReplace {
      // Another process may have created or replaced the target in the meantime, and be writing it.
      if lock?.isNamed(target) != true { lock = try FileLock(target, path: path) }
      guard rename(temporary.cString, target.cString) == 0 else {
        throw SystemError(path.description)
      }
      isCommitted = true
    } else {
      try commitAsNew()
    }
    unfinished.forget()
    if isDurable { try sync(folder: target.folder) }
  }

  /// Renames the file to a new target; throws if another process creates the target at the same
  /// time.
  private func commitAsNew() throws(SystemError) {
    if link(temporary.cString, target.cString) == 0 {
      unlink(temporary.cString)
      isCommitted = true
      return
    }
    guard errno != EEXIST else { throw SystemError(alreadyExists: path) }
    // Some file systems have no hard links.
    guard !exists(target) else { throw SystemError(alreadyExists: path) }
    guard rename(temporary.cString, target.cString) == 0 else {
      throw SystemError(path.description)
    }
    isCommitted = true
  }

  deinit {
    if handle >= 0 { close(handle) }
    if !isCommitted { unlink(temporary.cString) }
    unfinished.forget()
  }
}

/// The lock of an existing file, which programs hold while they write to it.
package final class FileLock {
  /// The file's permissions, and its owner.
  package let permissions: mode_t
  package let owner: (user: uid_t, group: gid_t)
  private let handle: Int32

  /// Acquires the lock; nil if there is no file. Throws if another process holds it; the error
  /// contains `path`.
  package init?(_ target: SystemString, path: SystemString) throws(SystemError) {
    // Another process may replace the file before it is locked, but not endlessly.
    for _ in 0..<100 {
      let handle = Self.open(target)
      guard handle >= 0 else {
        guard errno == ENOENT else { throw SystemError(path.description) }
        return nil
      }
      // On file systems without locks no process holds one.
      let isHeld = flock(handle, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
      var own = stat()
      let isNamed = fstat(handle, &own) == 0 && OpenFile.isNamed(handle, target.cString)
      if isNamed, !isHeld {
        (self.handle, permissions) = (handle, own.st_mode & 0o7777)
        owner = (own.st_uid, own.st_gid)
        return
      }
      close(handle)
      if isNamed { break }
    }
    throw SystemError(
      path.description, code: EWOULDBLOCK, reason: "another process is writing to it")
  }

  deinit { close(handle) }

  /// Whether a name still leads to the locked file.
  package func isNamed(_ target: SystemString) -> Bool {
    OpenFile.isNamed(handle, target.cString)
  }

  /// Opens a file in the first mode that its permissions allow.
  private static func open(_ path: SystemString) -> Int32 {
    for mode in [O_RDWR, O_RDONLY, O_WRONLY] {
      let handle = Glibc.open(path.cString, mode | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
      if handle >= 0 || errno == ENOENT { return handle }
    }
    return -1
  }
}

extension SystemError {
  /// A target that exists and may not be replaced.
  package init(alreadyExists path: SystemString) {
    self.init(
      path.description, code: EEXIST, reason: "it exists already; --force replaces it")
  }
}

/// Writes a whole file, or the standard output for `-` and its other names.
package func writeFile(
  _ bytes: [UInt8], to path: SystemString, mayReplace: Bool = true
) throws(SystemError) {
  try writeFile(to: path, mayReplace: mayReplace) { file throws(SystemError) in
    try file.write(bytes)
  }
}

/// Writes a whole file piece by piece, or to the standard output for `-` and its other names. The
/// file appears only when it is complete. Unless durable, a power cut may lose it. The turn, if
/// there is one, is passed on while the file system works.
package func writeFile(
  to path: SystemString, mayReplace: Bool = true, isDurable: Bool = true, turns: Turns? = nil,
  _ body: (OutputFile) throws(SystemError) -> Void
) throws(SystemError) {
  switch try OutputTarget(path) {
  case .stream: try body(OutputFile(handle: STDOUT_FILENO, name: "standard output"))
  case .open:
    let file = open(path.cString, O_WRONLY | O_TRUNC | O_CLOEXEC)
    guard file >= 0 else { throw SystemError(path.description) }
    defer { close(file) }
    try body(OutputFile(handle: file, name: path.description))
  case .file(let target, _):
    let replacement = try turns.passing { () throws(SystemError) in
      try FileReplacement(target, for: path, mayReplace: mayReplace)
    }
    try body(replacement.file)
    try turns.passing { () throws(SystemError) in try replacement.commit(isDurable: isDurable) }
  }
}

/// The path after following links. Unlike `realpath` this also works for links to missing files.
private func followingLinks(from path: SystemString) throws(SystemError) -> SystemString {
  var target = path
  // The system follows 40 links, too.
  for _ in 0...40 {
    var status = stat()
    guard lstat(target.cString, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else {
      return target
    }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(target.cString, &buffer, buffer.count)
    guard count >= 0 else { throw SystemError(path.description) }
    let link = buffer[..<count].map { UInt8(bitPattern: $0) }
    let isAbsolute = link.first == UInt8(ascii: "/")
    target = isAbsolute ? SystemString(bytes: link) : target.folder + link
  }
  throw SystemError(path.description, code: ELOOP)
}

/// Synchronizes a folder, which makes the names of new files in it durable.
private func sync(folder: SystemString) throws(SystemError) {
  let path = folder.bytes.isEmpty ? "." : folder
  do throws(SystemCallError) {
    try OpenFile.synchronizeFolder(path.cString)
  } catch {
    // A folder may be written to but not read.
    guard error.code == EACCES else { throw SystemError(path.description, code: error.code) }
  }
}

extension SystemString {
  /// Whether writing to this path writes to a terminal.
  package var isTerminal: Bool {
    if self == .standardStream { return isatty(STDOUT_FILENO) == 1 }
    var status = stat()
    guard stat(cString, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return false }
    let handle = open(cString, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard handle >= 0 else { return false }
    defer { close(handle) }
    return isatty(handle) == 1
  }
}
