import Glibc
import Storage
import Threads

/// Disk space of a server that is reserved for deletions, as a file that a deletion may remove. On
/// a full disk even a deletion has to write: the database first writes to its log. Without the
/// reserve no deletion would succeed.
package final class DiskReserve: Sendable {
  private let root: String
  /// The number of deletions that use the reserve now.
  private let users = ConditionMutex(0)

  /// The size of the file in bytes: an ordinary erasure's log, and over a hundred times the log of
  /// a drawing's deletion.
  static let byteCount = 16 << 20

  /// The reserve of the service in a folder.
  package init(_ root: String) { self.root = root }

  private var path: String { "\(root)/.reserve" }

  /// Whether a deletion uses the reserve now. Nothing else may be stored meanwhile: it would occupy
  /// the space permanently.
  package var isInUse: Bool { users.withLock { $0 > 0 } }

  /// Allocates the missing part of the reserve if the disk has twice its size free. Ignores
  /// failures: the disk is then so full that other writes report it.
  package func keep() {
    var (space, file) = (statvfs(), stat())
    let taken = stat(path, &file) == 0 ? Int(file.st_blocks) * 512 : 0
    guard taken < Self.byteCount, !isInUse, statvfs(root, &space) == 0,
      Int(clamping: space.f_bavail) >= 2 * Self.byteCount / Int(max(space.f_frsize, 1))
    else { return }
    take(Self.byteCount)
  }

  @discardableResult
  private func take(_ count: Int) -> Bool {
    let file = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { return false }
    defer { close(file) }
    return posix_fallocate(file, 0, count) == 0
  }

  /// Removes the reserve, calls a body, and allocates as much of the reserve again as fits. Returns
  /// nil if there is no reserve.
  fileprivate func lend<Result>(_ body: () throws -> Result) rethrows -> Result? {
    let isGivenUp = users.withLock { users in
      guard users > 0 || unlink(path) == 0 else { return false }
      users += 1
      return true
    }
    guard isGivenUp else { return nil }
    defer {
      users.withLock { users in
        users -= 1
        var count = users == 0 ? Self.byteCount : 0
        while count >= 1 << 20, !take(count) { count /= 2 }
      }
    }
    return try body()
  }
}

extension ServiceEnvironment {
  /// Calls a body that deletes something. If the disk is full, frees the reserve and calls the body
  /// again.
  package func makingRoom<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StorageError where error.problem == .full {
      guard let reserve, let result = try reserve.lend(body) else { throw error }
      return result
    }
  }
}
