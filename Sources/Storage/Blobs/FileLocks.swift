import CFileSystem
import Checksums
import Glibc

/// Locks among all threads and processes of one machine, in a file that stays empty. They end with their process.
public struct FileLocks: BlobLocks {
  private let path: String

  /// Locks in a file, which is created if it is missing.
  public init(_ path: String) { self.path = path }

  /// Calls a body while nobody else has the lock of this name.
  public func withLock<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
    // Opened each time: such a lock belongs to the opened file, so it excludes threads, too.
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw StorageError(path) }
    defer { close(file) }
    // Each name has a byte of the file's range of its own. It need not exist.
    let hash = SHA256.of(Array(name.utf8)).bytes.prefix(8)
    let byte = hash.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 2
    guard lockByte(file, Int64(byte)) == 0 else { throw StorageError(path) }
    return try body()
  }
}
