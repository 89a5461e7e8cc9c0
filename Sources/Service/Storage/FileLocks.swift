import CSystem
import Checksums
import Glibc

/// Locks among all threads and processes of one machine, in a file that stays empty. They end with their process.
public struct FileLocks: NamedLocks {
  private let path: String

  /// Locks in a file, which is created if it is missing.
  public init(_ path: String) { self.path = path }

  /// Calls a body while nobody else has the lock of this name.
  public func withLock<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
    let file = try open()
    defer { close(file) }
    guard lockByte(file, Self.byte(of: name), true) == 0 else { throw StorageError(path) }
    return try body()
  }

  /// Calls a body unless somebody has the lock of this name.
  public func withLockIfFree<Result>(
    _ name: String, _ body: () throws -> Result
  ) throws -> Result? {
    let file = try open()
    defer { close(file) }
    if lockByte(file, Self.byte(of: name), false) == 0 { return try body() }
    guard errno == EAGAIN || errno == EACCES else { throw StorageError(path) }
    return nil
  }

  /// Opened each time: such a lock belongs to the opened file, so it excludes threads, too.
  private func open() throws(StorageError) -> Int32 {
    let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw StorageError(path) }
    return file
  }

  /// Each name has a byte of the file's range of its own. It need not exist.
  private static func byte(of name: String) -> Int64 {
    let hash = SHA256.of(Array(name.utf8)).bytes.prefix(8)
    return Int64(hash.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 2)
  }
}
