import Glibc

/// Why a file could not be written, read or replaced.
public struct PKDFileError: Error, Hashable, Sendable {
  /// The file.
  public let path: String
  /// What was tried.
  public let operation: Operation
  /// The system's number for the reason, `ENOSPC` for example.
  public let code: Int32

  /// What can be tried with a file.
  public enum Operation: String, Hashable, Sendable {
    case open, lock, read, write, synchronize, truncate, rename
  }
}

extension PKDFileError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String {
    "cannot \(operation.rawValue) \(path): \(String(cString: strerror(code)))"
  }
}

/// The system's number for why it did not do what it was asked.
struct SystemRefusal: Error {
  let code: Int32

  init(_ code: Int32 = errno) { self.code = code }
}

/// What files need of a system. The first one is real; tests have one in memory, which can fail at
/// any operation and knows what a power cut could leave.
protocol FileSystem {
  func open(_ path: String, _ flags: Int32, mode: UInt32) throws(SystemRefusal) -> Int32
  /// Refuses where another process holds the lock of the file; the lock ends with `close`.
  func lock(_ file: Int32) throws(SystemRefusal)
  /// Whether a path still leads to an open file.
  func isNamed(_ file: Int32, _ path: String) throws(SystemRefusal) -> Bool
  func permissions(_ file: Int32) throws(SystemRefusal) -> UInt32
  /// At most so many bytes; fewer at the end of the file.
  func read(_ file: Int32, at offset: Int, count: Int) throws(SystemRefusal) -> [UInt8]
  /// Writes some of the bytes and says how many.
  func write(_ bytes: ArraySlice<UInt8>, to file: Int32, at offset: Int) throws(SystemRefusal)
    -> Int
  func synchronize(_ file: Int32, dataOnly: Bool) throws(SystemRefusal)
  func truncate(_ file: Int32, to length: Int) throws(SystemRefusal)
  func rename(_ path: String, to other: String) throws(SystemRefusal)
  func remove(_ path: String) throws(SystemRefusal)
  func close(_ file: Int32)
}

/// The files of the machine.
struct MachineFiles: FileSystem {
  private func check(_ result: Int32) throws(SystemRefusal) {
    if result < 0 { throw SystemRefusal() }
  }

  func open(_ path: String, _ flags: Int32, mode: UInt32) throws(SystemRefusal) -> Int32 {
    let file = Glibc.open(path, flags | O_CLOEXEC, mode)
    try check(file)
    return file
  }

  func lock(_ file: Int32) throws(SystemRefusal) { try check(flock(file, LOCK_EX | LOCK_NB)) }

  func isNamed(_ file: Int32, _ path: String) throws(SystemRefusal) -> Bool {
    var (own, named) = (stat(), stat())
    try check(fstat(file, &own))
    return stat(path, &named) == 0 && own.st_ino == named.st_ino && own.st_dev == named.st_dev
  }

  func permissions(_ file: Int32) throws(SystemRefusal) -> UInt32 {
    var status = stat()
    try check(fstat(file, &status))
    return status.st_mode & 0o777
  }

  func read(_ file: Int32, at offset: Int, count: Int) throws(SystemRefusal) -> [UInt8] {
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { memory, filled in
      let result = pread(file, memory.baseAddress, count, off_t(offset))
      if result < 0 { code = errno }
      filled = max(result, 0)
    }
    if code != 0 { throw SystemRefusal(code) }
    return bytes
  }

  func write(_ bytes: ArraySlice<UInt8>, to file: Int32, at offset: Int) throws(SystemRefusal)
    -> Int
  {
    let result = bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, off_t(offset)) }
    if result < 0 { throw SystemRefusal() }
    return result
  }

  func synchronize(_ file: Int32, dataOnly: Bool) throws(SystemRefusal) {
    try check(dataOnly ? fdatasync(file) : fsync(file))
  }

  func truncate(_ file: Int32, to length: Int) throws(SystemRefusal) {
    try check(ftruncate(file, off_t(length)))
  }

  func rename(_ path: String, to other: String) throws(SystemRefusal) {
    try check(Glibc.rename(path, other))
  }

  func remove(_ path: String) throws(SystemRefusal) { try check(unlink(path)) }

  func close(_ file: Int32) { _ = Glibc.close(file) }
}

/// An open file whose writes are whole or an error, and which says when they are safe.
final class DurableFile {
  let path: String
  private let system: any FileSystem
  private let file: Int32

  /// How a file is opened.
  enum Purpose {
    case reading
    /// There must be one.
    case changing
    /// There must be none.
    case creating
    /// One that is there loses what it holds.
    case replacing(permissions: UInt32)
  }

  /// Opens a file. One that can be changed is locked, so that nobody else writes to it meanwhile.
  init(
    _ path: String, for purpose: Purpose, in system: any FileSystem
  ) throws(PKDFileError) {
    let (flags, mode): (Int32, UInt32) =
      switch purpose {
      case .reading: (O_RDONLY, 0)
      case .changing: (O_RDWR, 0)
      case .creating: (O_RDWR | O_CREAT | O_EXCL, 0o666)
      case .replacing(let permissions): (O_RDWR | O_CREAT | O_TRUNC, permissions)
      }
    self.path = path
    self.system = system
    file = try Self.attempt(.open, path) { () throws(SystemRefusal) in
      try system.open(path, flags, mode: mode)
    }
    if case .reading = purpose { return }
    try attempt(.lock) { file throws(SystemRefusal) in
      try system.lock(file)
      // Whoever had the lock before may have put another file in the place of this one.
      guard try system.isNamed(file, path) else { throw SystemRefusal(ESTALE) }
    }
  }

  deinit { system.close(file) }

  /// Does something again for as long as only a signal stops it.
  private static func attempt<Result>(
    _ operation: PKDFileError.Operation, _ path: String,
    _ body: () throws(SystemRefusal) -> Result
  ) throws(PKDFileError) -> Result {
    while true {
      do throws(SystemRefusal) {
        return try body()
      } catch {
        if error.code == EINTR { continue }
        throw PKDFileError(path: path, operation: operation, code: error.code)
      }
    }
  }

  private func attempt<Result>(
    _ operation: PKDFileError.Operation, _ body: (Int32) throws(SystemRefusal) -> Result
  ) throws(PKDFileError) -> Result {
    try Self.attempt(operation, path) { () throws(SystemRefusal) in try body(file) }
  }

  func permissions() throws(PKDFileError) -> UInt32 {
    try attempt(.read) { file throws(SystemRefusal) in try system.permissions(file) }
  }

  /// All bytes from a place to the end.
  func bytes(from offset: Int = 0) throws(PKDFileError) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let start = offset + bytes.count
      let more = try attempt(.read) { file throws(SystemRefusal) in
        try system.read(file, at: start, count: 1 << 18)
      }
      if more.isEmpty { return bytes }
      bytes += more
    }
  }

  /// Writes all bytes. After an error some of them may be there; writing again at the same place
  /// mends that.
  func write(_ bytes: [UInt8], at offset: Int) throws(PKDFileError) {
    var done = 0
    while done < bytes.count {
      done += try attempt(.write) { file throws(SystemRefusal) in
        let count = try system.write(bytes[done...], to: file, at: offset + done)
        guard count > 0 else { throw SystemRefusal(EIO) }
        return count
      }
    }
  }

  /// Waits until all that was written is safe from a power cut. After an error nobody knows what is,
  /// and trying again would not tell: the system forgets what it could not write.
  func synchronize(dataOnly: Bool = true) throws(PKDFileError) {
    try attempt(.synchronize) { file throws(SystemRefusal) in
      try system.synchronize(file, dataOnly: dataOnly)
    }
  }

  func truncate(to length: Int) throws(PKDFileError) {
    try attempt(.truncate) { file throws(SystemRefusal) in
      try system.truncate(file, to: length)
    }
  }

  /// Puts other bytes in the place of this file's, which stays locked until they are there.
  func replace(with bytes: [UInt8]) throws(PKDFileError) {
    try Self.replace(path, with: bytes, permissions: try permissions(), in: system)
  }
}

extension DurableFile {
  /// Makes the names in the folder of a file safe from a power cut.
  static func synchronizeFolder(of path: String, in system: any FileSystem) throws(PKDFileError) {
    let folder = folder(of: path)
    let file = try attempt(.open, folder) { () throws(SystemRefusal) in
      try system.open(folder, O_RDONLY | O_DIRECTORY, mode: 0)
    }
    defer { system.close(file) }
    try attempt(.synchronize, folder) { () throws(SystemRefusal) in
      try system.synchronize(file, dataOnly: false)
    }
  }

  /// Puts other bytes in the place of a file's, so that whenever the power is cut there are the old
  /// ones or the new ones, and after the return the new ones.
  static func replace(
    _ path: String, with bytes: [UInt8], permissions: UInt32, in system: any FileSystem
  ) throws(PKDFileError) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let temporary = "\(folder(of: path))/.\(name).new"
    do throws(PKDFileError) {
      let file = try DurableFile(
        temporary, for: .replacing(permissions: permissions), in: system)
      try file.write(bytes, at: 0)
      try file.synchronize(dataOnly: false)
      try attempt(.rename, path) { () throws(SystemRefusal) in
        try system.rename(temporary, to: path)
      }
    } catch {
      try? system.remove(temporary)
      throw error
    }
    try synchronizeFolder(of: path, in: system)
  }

  static func remove(_ path: String, in system: any FileSystem) { try? system.remove(path) }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
