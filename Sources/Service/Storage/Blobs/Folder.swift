import CSystem
import Glibc
import System
import Threads

/// An open folder, through which the file store does all reading and writing. Names cannot lead out
/// of the folder, since links are not followed. A file is complete and synchronized before it gets
/// its name. A file that could not be synchronized is deleted, since a second fsync would not
/// report the lost bytes.
final class Folder: Sendable {
  /// The path in error messages.
  let path: String
  private let handle: Int32

  private init(_ handle: Int32, _ path: String) {
    self.handle = handle
    self.path = path
  }

  deinit { close(handle) }

  /// Opens a folder by a path from the user, which may contain links.
  convenience init(_ path: String) throws(StorageError) {
    let handle = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard handle >= 0 else { throw StorageError(path) }
    self.init(handle, path)
  }

  private func error(_ name: some StringProtocol, _ code: Int32 = errno) -> StorageError {
    // A link or a file instead of a folder, or a folder instead of a file.
    let isWrongType = code == ELOOP || code == ENOTDIR || code == EISDIR
    return isWrongType
      ? StorageError(.damaged("a file of the wrong type"), "\(path)/\(name)")
      : StorageError(code: code, "\(path)/\(name)")
  }

  // MARK: - Folders

  /// Opens a subfolder; nil if it is missing or a file.
  func folder(_ name: some StringProtocol) throws(StorageError) -> Folder? {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    let opened = openat(handle, String(name), flags)
    guard opened >= 0 else {
      let code = errno
      if code == ENOENT { return nil }
      if code == ENOTDIR, try status(name)?.isFile != false { return nil }
      throw error(name, code)
    }
    return Folder(opened, "\(path)/\(name)")
  }

  /// Opens a folder several levels below; with one system call if possible.
  func folder(below names: some Collection<Substring>) throws(StorageError) -> Folder? {
    let relativePath = names.joined(separator: "/")
    let opened = relativePath.isEmpty ? -1 : openFolderBelow(handle, relativePath)
    if opened >= 0 { return Folder(opened, "\(path)/\(relativePath)") }
    // An older kernel, or not a folder: opening name by name finds out.
    var found = self
    for name in names {
      guard let next = try found.folder(name) else { return nil }
      found = next
    }
    return found
  }

  /// Creates a folder; false if the name exists.
  func makeFolder(_ name: some StringProtocol) throws(StorageError) -> Bool {
    guard mkdirat(handle, String(name), 0o700) != 0 else { return true }
    guard errno == EEXIST else { throw error(name) }
    return false
  }

  /// Deletes an empty folder; false if it is not empty or missing.
  func removeFolder(_ name: some StringProtocol) throws(StorageError) -> Bool {
    guard unlinkat(handle, String(name), Int32(AT_REMOVEDIR)) != 0 else { return true }
    guard [ENOENT, ENOTEMPTY, EEXIST].contains(errno) else { throw error(name) }
    return false
  }

  /// The sorted names in the folder.
  func names() throws(StorageError) -> [String] {
    var names: [String] = []
    let entries = try entries()
    while let entry = try entries.next() { names.append(entry.name) }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The names in the folder one by one, in the order of the file system, with constant memory for
  /// a folder of any size. Files that are created or deleted during the iteration may be missing.
  func entries() throws(StorageError) -> Entries {
    let copy = openat(handle, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let stream = fdopendir(copy) else { throw error(".") }
    return Entries(stream, of: self)
  }

  /// An iteration over the names in a folder.
  final class Entries {
    private let stream: OpaquePointer
    private let folder: Folder

    fileprivate init(_ stream: OpaquePointer, of folder: Folder) {
      self.stream = stream
      self.folder = folder
    }

    deinit { closedir(stream) }

    /// The next name; nil at the end.
    func next() throws(StorageError) -> (name: String, isFolder: Bool)? {
      while true {
        errno = 0
        guard let entry = readdir(stream) else {
          guard errno == 0 else { throw folder.error(".") }
          return nil
        }
        let name = withUnsafeBytes(of: &entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name == "." || name == ".." { continue }
        // Some file systems do not report the type here.
        let kind = Int(entry.pointee.d_type)
        let isFolder =
          kind == Int(DT_UNKNOWN) ? try folder.status(name)?.isFolder == true : kind == Int(DT_DIR)
        return (name, isFolder)
      }
    }
  }

  /// The type, size and times of a file or folder.
  struct Status {
    let isFolder: Bool
    /// False for links and devices, which are not folders either.
    let isFile: Bool
    let size: Int
    let modified: Moment
    let used: Moment
  }

  /// The status of a name; nil if it does not exist.
  func status(_ name: some StringProtocol) throws(StorageError) -> Status? {
    var status = stat()
    guard fstatat(handle, String(name), &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      if errno == ENOENT { return nil }
      throw error(name)
    }
    return Status(
      isFolder: status.st_mode & S_IFMT == S_IFDIR, isFile: status.st_mode & S_IFMT == S_IFREG,
      size: Int(status.st_size), modified: Moment(status.st_mtim), used: Moment(status.st_atim))
  }

  /// `UTIME_OMIT`, which leaves a time unchanged; Swift does not import the macro.
  private static let omitted = (1 << 30) - 2

  /// Sets the access time of a file, if it exists.
  func noteUse(of name: some StringProtocol, at moment: Moment) throws(StorageError) {
    var (seconds, rest) = moment.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    if rest < 0 { (seconds, rest) = (seconds - 1, rest + 1_000_000) }
    let times = [
      timespec(tv_sec: Int(seconds), tv_nsec: Int(rest) * 1000),
      timespec(tv_sec: 0, tv_nsec: Self.omitted),
    ]
    guard utimensat(handle, String(name), times, AT_SYMLINK_NOFOLLOW) != 0 else { return }
    guard errno == ENOENT else { throw error(name) }
  }

  /// Waits for the exclusive lock of the folder, which is released when this object is deallocated.
  func lock() throws(StorageError) {
    while flock(handle, LOCK_EX) != 0 {
      guard errno == EINTR else { throw error(".") }
    }
  }

  /// Takes the exclusive lock of the folder if no other program has it.
  func tryLock() -> Bool { flock(handle, LOCK_EX | LOCK_NB) == 0 }

  /// Whether a name in another folder is this folder.
  func isNamed(_ name: some StringProtocol, in other: Folder) -> Bool {
    var (own, named) = (stat(), stat())
    return fstat(handle, &own) == 0
      && fstatat(other.handle, String(name), &named, AT_SYMLINK_NOFOLLOW) == 0
      && own.isSameFile(as: named)
  }

  // MARK: - Files

  /// All bytes of a file; nil if it is missing or a folder.
  func read(_ name: some StringProtocol) throws(StorageError) -> [UInt8]? {
    let file = openat(handle, String(name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    if file < 0, errno == ENOENT { return nil }
    guard file >= 0 else { throw error(name) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw error(name) }
    if status.st_mode & S_IFMT == S_IFDIR { return nil }
    guard status.st_mode & S_IFMT == S_IFREG else { throw error(name, EISDIR) }
    let size = Int(status.st_size)
    guard size <= BlobContent.maximumByteCount else {
      throw StorageError(.tooLarge(limit: BlobContent.maximumByteCount), "\(path)/\(name)")
    }
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { memory, filled in
      while filled < size {
        let count = Glibc.read(file, memory.baseAddress.map { $0 + filled }, size - filled)
        if count == 0 { break }
        if count > 0 {
          filled += count
        } else if errno != EINTR {
          code = errno
          break
        }
      }
    }
    guard code == 0 else { throw error(name, code) }
    return bytes
  }

  /// Writes new files, and calls a body that makes them durable while they are open. Deletes all of
  /// them if one cannot be written, or the body throws.
  func write(
    _ files: [(name: String, bytes: [UInt8])],
    thenSynchronizing synchronize: ([OpenEntry]) throws(StorageError) -> Void
  ) throws(StorageError) {
    var written: [OpenEntry] = []
    defer { written.forEach { close($0.handle) } }
    do throws(StorageError) {
      for file in files {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let handle = openat(handle, file.name, flags, 0o600)
        guard handle >= 0 else { throw error(file.name) }
        written.append(OpenEntry(handle: handle, path: "\(path)/\(file.name)"))
        do throws(SystemCallError) {
          try OpenFile.writeAll(file.bytes, to: handle)
        } catch {
          throw self.error(file.name, error.code)
        }
      }
      try synchronize(written)
    } catch {
      for file in files[..<written.count] { unlinkat(handle, file.name, 0) }
      throw error
    }
  }

  /// This folder as an entry to synchronize, which makes the names in it durable. Valid while it is
  /// open.
  var entry: OpenEntry { OpenEntry(handle: handle, path: "\(path)/.") }

  /// Renames a file or a folder. Replaces a file or an empty folder with the new name; false if a
  /// folder with contents has it.
  @discardableResult
  func rename(_ name: String, to other: String) throws(StorageError) -> Bool {
    guard renameat(handle, name, handle, other) != 0 else { return true }
    guard errno == ENOTEMPTY || errno == EEXIST else { throw error(other) }
    return false
  }

  /// Renames files and folders whose names are not UTF-8, so that this program can use them.
  func renameUnreadable(_ newName: () -> String) throws(StorageError) {
    let copy = openat(handle, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let stream = fdopendir(copy) else { throw error(".") }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 } + [0]) }
      guard String(validating: name, as: UTF8.self) == nil else { continue }
      let code = name.withUnsafeBufferPointer { name in
        name.withMemoryRebound(to: CChar.self) { name in
          name.baseAddress.map { renameat(handle, $0, handle, newName()) } ?? 0
        }
      }
      guard code == 0 || errno == ENOENT else { throw error(".") }
    }
  }

  /// Moves a folder into another one. Throws if the new name exists; false if the folder is
  /// missing.
  func move(
    _ name: some StringProtocol, to other: Folder, as newName: some StringProtocol
  ) throws(StorageError) -> Bool {
    guard renameat(handle, String(name), other.handle, String(newName)) != 0 else { return true }
    if errno == ENOENT { return false }
    if errno == ENOTEMPTY || errno == EEXIST {
      throw StorageError(.alreadyExists, "\(other.path)/\(newName)")
    }
    throw error(name)
  }

  /// Deletes a file; false if it is missing or a folder.
  @discardableResult
  func remove(_ name: some StringProtocol) throws(StorageError) -> Bool {
    guard unlinkat(handle, String(name), 0) != 0 else { return true }
    guard errno == ENOENT || errno == EISDIR else { throw error(name) }
    return false
  }

  /// Synchronizes the names in the folder.
  func synchronize() throws(StorageError) {
    guard fsync(handle) == 0 else { throw error(".") }
  }

  /// Synchronizes the whole file system of the folder.
  func synchronizeDisk() throws(StorageError) {
    guard synchronizeFileSystem(handle) == 0 else { throw error(".") }
  }

  /// Whether `synchronizeDisk` has the effect of `fsync` on every file, and reports all errors.
  var canSynchronizeDisk: Bool { flushingFileSystemSuffices(handle) }

  // MARK: - Permissions

  /// Removes all permissions of group and others from this folder and everything below it, except
  /// links, and returns how many files and folders had some. If `changes` is false, only counts
  /// those that others can reach: below a private folder no mode matters.
  func makePrivate(changes: Bool) throws(StorageError) -> Int {
    var (count, own) = (0, stat())
    guard fstat(handle, &own) == 0 else { throw error(".") }
    if own.st_mode & 0o077 != 0 {
      guard !changes || fchmod(handle, own.st_mode & 0o700) == 0 else { throw error(".") }
      count += 1
    } else if !changes {
      return 0
    }
    let entries = try entries()
    while let (name, isFolder) = try entries.next() {
      if isFolder {
        count += try folder(name)?.makePrivate(changes: changes) ?? 0
        continue
      }
      var status = stat()
      guard fstatat(handle, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
        status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0
      else { continue }
      guard !changes || fchmodat(handle, name, status.st_mode & 0o700, 0) == 0 else {
        throw error(name)
      }
      count += 1
    }
    return count
  }
}

/// An open file or folder that has to be synchronized.
struct OpenEntry {
  fileprivate let handle: Int32
  /// The path in error messages.
  let path: String

  /// Synchronizes files and folders at the same time, so that all take about as long as one;
  /// returns the error of each that failed.
  static func synchronize(_ entries: [OpenEntry]) -> [StorageError?] {
    let failures = ConditionMutex([StorageError?](repeating: nil, count: entries.count))
    // Many more threads would not be faster: the disk handles a few flushes at a time.
    let lanes = min(entries.count, 8)
    Lanes.run(lanes) { lane in
      for index in stride(from: lane, to: entries.count, by: lanes) {
        do throws(StorageError) {
          try entries[index].synchronize()
        } catch {
          failures.withLock { $0[index] = error }
        }
      }
    }
    return failures.withLock { $0 }
  }

  /// Synchronizes one file or folder.
  func synchronize() throws(StorageError) {
    guard fsync(handle) == 0 else { throw StorageError(path) }
  }

  /// Throws if bytes of this file could not be written since it was opened. Waits for no flush.
  func checkWrites() throws(StorageError) {
    guard waitForWrites(handle) == 0 else { throw StorageError(path) }
  }
}

extension Moment {
  /// A time of a file, clamped, as a file can have any time.
  fileprivate init(_ time: timespec) {
    let seconds = min(max(Int64(time.tv_sec), -1 << 40), 1 << 40)
    self.init(microseconds: seconds * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }
}

extension StorageError {
  /// The last error of the system, for a path.
  fileprivate init(_ path: String) { self.init(code: errno, path) }
}
