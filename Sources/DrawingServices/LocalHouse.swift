import Glibc
public import Storage

/// A service's things on one machine, in one folder:
///
///     ROOT/pentimento.db                          documents
///     ROOT/users/UID/drawings/ID/image.png …      files, as they are
///     ROOT/cache/…                                pictures that can be drawn again
public enum LocalHouse {
  static let databaseName = "pentimento.db"

  /// Whether there is a service's folder at a path.
  public static func exists(_ root: String) -> Bool {
    access("\(root)/\(databaseName)", F_OK) == 0
  }

  /// Opens a folder, or makes one.
  public static func open(
    _ root: String, settings: ServiceSettings = ServiceSettings()
  ) throws -> ServiceEnvironment {
    try makeFolder(root)
    try makeFolder("\(root)/cache")
    return ServiceEnvironment(
      documents: try SQLiteDocumentStore(
        "\(root)/\(databaseName)", indexes: Collections.indexes),
      blobs: try FileBlobStore(root), cache: try FileBlobStore("\(root)/cache"),
      settings: settings, now: { systemTime() }, newID: { randomName() })
  }

  /// Makes a folder and those around it, whose names are safe when this returns.
  static func makeFolder(_ path: String) throws {
    guard access(path, F_OK) != 0 else { return }
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    if !parent.isEmpty { try makeFolder(parent) }
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
      throw StorageError(systemCode: errno, path)
    }
    try synchronize(folder: parent.isEmpty ? "/" : parent)
  }

  static func synchronize(folder: String) throws {
    let handle = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard handle >= 0 else { throw StorageError(systemCode: errno, folder) }
    defer { close(handle) }
    guard fsync(handle) == 0 else { throw StorageError(systemCode: errno, folder) }
  }

  /// Keeps others from doing the same thing in a folder.
  public final class Turn {
    private let handle: Int32

    /// Nil where somebody else does it.
    public init?(_ root: String, _ name: String) throws {
      let path = "\(root)/.\(name)"
      handle = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
      guard handle >= 0 else { throw StorageError(systemCode: errno, path) }
      guard flock(handle, LOCK_EX | LOCK_NB) != 0 else { return }
      let code = errno
      guard code == EWOULDBLOCK else { throw StorageError(systemCode: code, path) }
      return nil
    }

    deinit { close(handle) }
  }

  /// Takes away what backups and restores have left in a folder that were broken off, and says how much it
  /// was.
  public static func removeLeftovers(_ root: String, before moment: Moment) throws -> Int {
    try FileBlobStore(root).removeFiles(beginningWith: [".backup-", ".restore-"], before: moment)
  }

  /// What the system's clock shows.
  public static func systemTime() -> Moment {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Moment(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }

  /// Twenty letters and digits, of which no two are ever the same.
  public static func randomName() -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    return String(
      decoding: (0..<20).map { _ in letters[Int.random(in: 0..<letters.count)] }, as: UTF8.self)
  }
}
