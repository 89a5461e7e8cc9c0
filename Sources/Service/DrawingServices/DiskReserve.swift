import Glibc
import Storage
import Threads

/// Room on the disk of a server that is kept for deletions, as a file that is given up for them. On a full disk even a
/// deletion has to write: the database notes it in its log first. Without that room nobody could make any.
package final class DiskReserve: Sendable {
  private let root: String
  /// The deletions that use the room now.
  private let users = ConditionMutex(0)

  /// The size of the file: the log of an ordinary erasure, and more than a hundred times that of a drawing's deletion.
  static let byteCount = 16 << 20

  /// The reserve of the service in a folder.
  package init(_ root: String) { self.root = root }

  private var path: String { "\(root)/.reserve" }

  /// Whether a deletion uses the room now. Others must not store anything meanwhile: it would take the room for ever.
  package var isInUse: Bool { users.withLock { $0 > 0 } }

  /// Takes the room, as far as it is not taken, if the disk has twice as much. A failure is none: the disk is then so full
  /// that others will say so.
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

  /// Calls a body with the room given up, and takes back what is left of it; nil if there is none.
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
  /// Calls a body that deletes something. If the disk is too full for that, gives up the reserve and calls it again.
  package func makingRoom<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StorageError where error.problem == .full {
      guard let reserve, let result = try reserve.lend(body) else { throw error }
      return result
    }
  }
}
