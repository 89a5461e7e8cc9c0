import CFileSystem
import Glibc

/// An open folder: the one door through which the file store reads and writes. Names lead to what lies in
/// it and nowhere else, as links are not followed; what is written is whole and safe before it gets its
/// name, and a file whose bytes could not be made safe is thrown away, never tried again.
final class Folder: Sendable {
  /// For errors.
  let path: String
  private let handle: Int32

  private init(_ handle: Int32, _ path: String) {
    self.handle = handle
    self.path = path
  }

  deinit { close(handle) }

  /// A folder by a path that the program's user gave, links and all.
  convenience init(_ path: String) throws(StorageError) {
    let handle = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard handle >= 0 else { throw StorageError(path) }
    self.init(handle, path)
  }

  private func error(_ name: some StringProtocol, _ code: Int32 = errno) -> StorageError {
    // A link or a file where a folder should be, or the other way round.
    let isOther = code == ELOOP || code == ENOTDIR || code == EISDIR
    return isOther
      ? StorageError(.damaged("not what should be there"), "\(path)/\(name)")
      : StorageError(code: code, "\(path)/\(name)")
  }

  // MARK: - Folders

  /// A folder in it; nil where there is none, or a file.
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

  /// A folder below it by several names: one call of the system where that is enough.
  func folder(below names: some Collection<Substring>) throws(StorageError) -> Folder? {
    let way = names.joined(separator: "/")
    let opened = way.isEmpty ? -1 : openFolderBelow(handle, way)
    if opened >= 0 { return Folder(opened, "\(path)/\(way)") }
    // An older system, or something else than folders: name by name it shows what.
    var found = self
    for name in names {
      guard let next = try found.folder(name) else { return nil }
      found = next
    }
    return found
  }

  /// Makes a folder; false where there is one.
  func makeFolder(_ name: some StringProtocol) throws(StorageError) -> Bool {
    guard mkdirat(handle, String(name), 0o700) != 0 else { return true }
    guard errno == EEXIST else { throw error(name) }
    return false
  }

  /// Takes an empty folder away; false where it is not empty or not there.
  func removeFolder(_ name: some StringProtocol) throws(StorageError) -> Bool {
    guard unlinkat(handle, String(name), Int32(AT_REMOVEDIR)) != 0 else { return true }
    guard [ENOENT, ENOTEMPTY, EEXIST].contains(errno) else { throw error(name) }
    return false
  }

  /// What lies in it, sorted.
  func names() throws(StorageError) -> [String] {
    var names: [String] = []
    let entries = try entries()
    while let entry = try entries.next() { names.append(entry.name) }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// What lies in it, name by name as the system gives it, so that a folder of any size takes the same
  /// memory. What comes or goes meanwhile may be named or not.
  func entries() throws(StorageError) -> Entries {
    let own = openat(handle, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0, let stream = fdopendir(own) else { throw error(".") }
    return Entries(stream, of: self)
  }

  /// A way through what lies in a folder.
  final class Entries {
    private let stream: OpaquePointer
    private let folder: Folder

    fileprivate init(_ stream: OpaquePointer, of folder: Folder) {
      self.stream = stream
      self.folder = folder
    }

    deinit { closedir(stream) }

    /// The next name; nil behind the last.
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
        // Some file systems leave it to be asked.
        let kind = Int(entry.pointee.d_type)
        let isFolder =
          kind == Int(DT_UNKNOWN) ? try folder.status(name)?.isFolder == true : kind == Int(DT_DIR)
        return (name, isFolder)
      }
    }
  }

  /// What is at a name.
  struct Status {
    let isFolder: Bool
    /// Links and devices are neither.
    let isFile: Bool
    let size: Int
    let modified: Moment
    let used: Moment
  }

  /// What is at a name; nil for nothing.
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

  /// `UTIME_OMIT`, which Swift does not see: a time that stays as it is.
  private static let omitted = (1 << 30) - 2

  /// Notes that a file was used at a moment, where there is one.
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

  /// Waits until nobody else has this lock; it ends with the folder's last use here.
  func lock() throws(StorageError) {
    while flock(handle, LOCK_EX) != 0 {
      guard errno == EINTR else { throw error(".") }
    }
  }

  /// Whether a name in another folder still leads here.
  func isNamed(_ name: some StringProtocol, in other: Folder) -> Bool {
    var (own, named) = (stat(), stat())
    return fstat(handle, &own) == 0
      && fstatat(other.handle, String(name), &named, AT_SYMLINK_NOFOLLOW) == 0
      && own.st_ino == named.st_ino && own.st_dev == named.st_dev
  }

  // MARK: - Files

  /// All bytes of a file; nil where there is none, or a folder.
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
    guard size <= BlobContent.largest else {
      throw StorageError(.tooLarge(limit: BlobContent.largest), "\(path)/\(name)")
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

  /// Writes a file that is not there yet and, if it is to be durable, waits until its bytes are safe; its
  /// name is not yet.
  func write(
    _ bytes: [UInt8], as name: String, isDurable: Bool = true
  ) throws(StorageError) {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = openat(handle, name, flags, 0o600)
    guard file >= 0 else { throw error(name) }
    let code = Self.write(bytes, to: file, isDurable: isDurable)
    close(file)
    if code != 0 {
      unlinkat(handle, name, 0)
      throw error(name, code)
    }
  }

  /// The system's reason why not all is safe; 0 where it is.
  private static func write(_ bytes: [UInt8], to file: Int32, isDurable: Bool) -> Int32 {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(file, $0.baseAddress.map { $0 + done }, bytes.count - done)
      }
      if count < 0 {
        if errno == EINTR { continue }
        return errno
      }
      done += count
    }
    return !isDurable || fsync(file) == 0 ? 0 : errno
  }

  /// Gives a file or a folder another name, in place of a file or an empty folder that may have it;
  /// false where a folder has it that is not empty.
  @discardableResult
  func rename(_ name: String, to other: String) throws(StorageError) -> Bool {
    guard renameat(handle, name, handle, other) != 0 else { return true }
    guard errno == ENOTEMPTY || errno == EEXIST else { throw error(other) }
    return false
  }

  /// Moves a folder into another one, where nothing has its name; false where it is not here.
  func move(
    _ name: some StringProtocol, to other: Folder, as newName: some StringProtocol
  ) throws(StorageError) -> Bool {
    guard renameat(handle, String(name), other.handle, String(newName)) != 0 else { return true }
    if errno == ENOENT { return false }
    if errno == ENOTEMPTY || errno == EEXIST {
      throw StorageError(.alreadyThere, "\(other.path)/\(newName)")
    }
    throw error(name)
  }

  /// Takes a file away; false where there is none, or a folder.
  @discardableResult
  func remove(_ name: some StringProtocol) throws(StorageError) -> Bool {
    guard unlinkat(handle, String(name), 0) != 0 else { return true }
    guard errno == ENOENT || errno == EISDIR else { throw error(name) }
    return false
  }

  /// Waits until the names in it are safe.
  func synchronize() throws(StorageError) {
    guard fsync(handle) == 0 else { throw error(".") }
  }

  /// Waits until everything on its disk is safe.
  func synchronizeDisk() throws(StorageError) {
    guard synchronizeFileSystem(handle) == 0 else { throw error(".") }
  }

  // MARK: - Permissions

  /// Takes the rights of everybody but the owner from it and all that lies in it, and says how many files and
  /// folders had some; links are left alone. Only counts if `changes` is false, and then what others can
  /// reach: behind a folder that is closed to them no other mode matters.
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

extension Moment {
  /// A file's time. Anybody can give a file any.
  fileprivate init(_ time: timespec) {
    let seconds = min(max(Int64(time.tv_sec), -1 << 40), 1 << 40)
    self.init(microseconds: seconds * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }
}

extension StorageError {
  /// The system's last error about a path.
  fileprivate init(_ path: String) { self.init(code: errno, path) }
}
