import CSystem
import Checksums
import Glibc

/// Locks among all threads and processes of one machine, in a file that stays empty. A lock ends
/// with its process.
public struct FileLocks: NamedLocks {
  private let path: String

  /// Locks in a file, which is created if it is missing.
  public init(_ path: String) { self.path = path }

  /// Calls a body while holding the lock of this name.
  public func withLock<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
    let file = try open()
    defer { close(file) }
    guard lockByte(file, Self.byte(of: name), true) == 0 else { throw StorageError(path) }
    return try body()
  }

  /// Calls a body unless the lock of this name is held.
  public func withLockIfFree<Result>(
    _ name: String, _ body: () throws -> Result
  ) throws -> Result? {
    let file = try open()
    defer { close(file) }
    if lockByte(file, Self.byte(of: name), false) == 0 { return try body() }
    guard errno == EAGAIN || errno == EACCES else { throw StorageError(path) }
    return nil
  }

  /// Opened for each call: the lock belongs to the open file description, so it excludes threads,
  /// too.
  private func open() throws(StorageError) -> Int32 {
    let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw StorageError(path) }
    return file
  }

  /// The byte of the file's range for a name. It need not exist.
  private static func byte(of name: String) -> Int64 {
    let hash = SHA256.of(Array(name.utf8)).bytes.prefix(8)
    return Int64(hash.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 2)
  }
}
