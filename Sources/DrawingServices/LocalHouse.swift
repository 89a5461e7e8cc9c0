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
