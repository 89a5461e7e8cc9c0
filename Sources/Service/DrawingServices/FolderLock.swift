import Glibc
import Storage

/// A lock file in the folder of a service, held until this object is deallocated. It keeps two
/// programs from doing the same work at the same time.
public final class FolderLock {
  private let handle: Int32

  /// Takes the lock with a name in a folder; nil if another program holds it.
  public init?(_ root: String, _ name: String) throws {
    let path = "\(root)/.\(name)"
    handle = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard handle >= 0 else { throw StorageError(systemCode: errno, path) }
    guard flock(handle, LOCK_EX | LOCK_NB) != 0 else { return }
    let code = errno
    guard code == EWOULDBLOCK else { throw StorageError(systemCode: code, path) }
    return nil
  }

  /// Whether another object, usually in another program, holds the lock.
  static func isHeld(_ root: String, _ name: String) throws -> Bool {
    let path = "\(root)/.\(name)"
    let handle = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard handle >= 0 else {
      guard errno == ENOENT else { throw StorageError(systemCode: errno, path) }
      return false
    }
    defer { close(handle) }
    guard flock(handle, LOCK_SH | LOCK_NB) != 0 else { return false }
    let code = errno
    guard code == EWOULDBLOCK else { throw StorageError(systemCode: code, path) }
    return true
  }

  deinit { close(handle) }
}
