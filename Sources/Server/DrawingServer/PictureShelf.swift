import Glibc
import HTTP
import HTTPServing
import Storage
import Threads

/// A cache of prepared responses with small files that are requested often.
///
/// One system call for each request checks whether the file is unchanged, so that changes by any
/// program are visible at once.
final class PictureShelf: Sendable {
  /// A cached file.
  final class Kept: @unchecked Sendable {
    // All properties are constant, except `lastUse`, which only the shelf uses, within its lock.
    let response: PreparedResponse
    let tag: EntityTag
    /// The drawing of the file, as the `made` value of links; nil before the first request through
    /// a link.
    let made: String?
    /// The path of the file in the file system.
    fileprivate let place: String
    fileprivate let file: FileIdentity
    fileprivate var lastUse: Int

    fileprivate init(
      _ response: PreparedResponse, _ tag: EntityTag, made: String?, _ place: String,
      _ file: FileIdentity, lastUse: Int
    ) {
      (self.response, self.tag, self.made, self.place) = (response, tag, made, place)
      (self.file, self.lastUse) = (file, lastUse)
    }
  }

  /// The identity of a file, which differs from that of another file with the same name.
  struct FileIdentity: Hashable, Sendable {
    private let inode: UInt
    private let size: Int
    private let changed: Int
    private let changedNanoseconds: Int

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      self.init(status)
    }

    init?(_ status: stat) {
      guard status.st_mode & S_IFMT == S_IFREG else { return nil }
      inode = UInt(status.st_ino)
      size = Int(status.st_size)
      changed = status.st_ctim.tv_sec
      changedNanoseconds = status.st_ctim.tv_nsec
    }
  }

  private struct State {
    var kept: [String: Kept] = [:]
    var byteCount = 0
    var uses = 0
  }

  private let root: String
  private let state = ConditionMutex(State())

  /// The maximum number of bytes of all responses, and of a single one.
  private static let limit = 16 << 20
  static let sizeLimit = 128 << 10

  init(root: String) { self.root = root }

  /// The cached response for a file; nil if there is none, or if the file has changed.
  func answer(_ path: String) -> Kept? {
    let found = state.withLock { state -> Kept? in
      state.uses += 1
      let found = state.kept[path]
      found?.lastUse = state.uses
      return found
    }
    guard let found, FileIdentity(found.place) == found.file else { return nil }
    return found
  }

  /// The identity of a file, to be read before its bytes. Nil if there is no file.
  func identity(_ path: String) -> FileIdentity? {
    (try? BlobPath(path)) == nil ? nil : FileIdentity("\(root)/\(path)")
  }

  /// Opens a file if it has a given identity.
  func open(_ path: String, _ identity: FileIdentity) -> OpenedFile? {
    guard (try? BlobPath(path)) != nil, let file = OpenedFile("\(root)/\(path)"),
      file.status.flatMap({ FileIdentity($0) }) == identity
    else { return nil }
    return file
  }

  /// Caches a response.
  func keep(
    _ path: String, _ response: PreparedResponse, _ tag: EntityTag, _ file: FileIdentity,
    made: String?
  ) {
    guard response.byteCount <= Self.sizeLimit else { return }
    state.withLock { state in
      if state.byteCount + response.byteCount > Self.limit { Self.makeRoom(&state) }
      let before = state.kept.updateValue(
        Kept(response, tag, made: made, "\(root)/\(path)", file, lastUse: state.uses),
        forKey: path)
      state.byteCount += response.byteCount - (before?.response.byteCount ?? 0)
    }
  }

  /// Drops the less recently used half.
  private static func makeRoom(_ state: inout State) {
    let uses = state.kept.values.map(\.lastUse).sorted()
    guard !uses.isEmpty else { return }
    let middle = uses[uses.count / 2]
    state.kept = state.kept.filter { $0.value.lastUse > middle }
    state.byteCount = state.kept.values.reduce(0) { $0 + $1.response.byteCount }
  }
}
