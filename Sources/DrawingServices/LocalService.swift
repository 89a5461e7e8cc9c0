import Glibc
public import Storage

/// A service's things on one machine, in one folder:
///
///     ROOT/pentimento.db                          documents
///     ROOT/settings.json                          what its operator has chosen
///     ROOT/users/UID/drawings/ID/image.png …      files, as they are
///     ROOT/cache/…                                pictures that can be drawn again
///     ROOT/trash/2026-11-22/users/…               files without a document, for a while
public enum LocalHouse {
  static let databaseName = "pentimento.db"

  static let settingsName = "settings.json"

  /// Whether there is a service's folder at a path.
  public static func exists(_ root: String) -> Bool {
    access("\(root)/\(databaseName)", F_OK) == 0
  }

  /// What a folder is opened for.
  public enum Purpose: Hashable, Sendable {
    /// Nothing is changed and nobody waited for, so it may be on a disk that nothing can be written to.
    case reading
    case writing
    /// Writing, also where there is no service yet.
    case making
    /// Writing, also where the database is lost: one that does not belong here is set aside, and an empty
    /// one takes its place.
    case repairing
  }

  /// Opens a folder. Throws where there is no service, and where there are drawings whose database is
  /// missing, empty or another service's: to go on with it would make orphans of all of them.
  public static func open(
    _ root: String, for purpose: Purpose = .making,
    passOver: @escaping @Sendable (StorageError) -> Void = { _ in }
  ) throws -> ServiceEnvironment {
    if purpose == .making { try makeFolder(root) }
    let stored = try StoredSettings(root)
    let hasFiles = try holdsFiles(root)
    let documents: SQLiteDocumentStore
    do {
      documents = try openDatabase(root, for: purpose, hasFiles: hasFiles, stored)
    } catch ServiceError.lostDatabase where purpose == .repairing {
      try setDatabaseAside(root)
      documents = try SQLiteDocumentStore("\(root)/\(databaseName)", indexes: Collections.indexes)
    }
    if purpose != .reading {
      try makeFolder("\(root)/cache")
      let identity = try documents.identity
      if stored.identity != identity { try stored.with(identity: identity).write(to: root) }
    }
    return ServiceEnvironment(
      documents: documents, blobs: try FileBlobStore(root),
      cache: try? FileBlobStore("\(root)/cache"), settings: stored.settings,
      now: { systemTime() }, newID: { randomName() }, passOver: passOver)
  }

  /// A folder without its database, to look at: its files, and no documents.
  public static func openWithoutDocuments(_ root: String) throws -> ServiceEnvironment {
    ServiceEnvironment(
      documents: InMemoryDocumentStore(), blobs: try FileBlobStore(root),
      settings: try StoredSettings(root).settings, now: { systemTime() }, newID: { randomName() })
  }

  /// The database of a folder, if it is the one that belongs there.
  private static func openDatabase(
    _ root: String, for purpose: Purpose, hasFiles: Bool, _ stored: StoredSettings
  ) throws -> SQLiteDocumentStore {
    let path = "\(root)/\(databaseName)"
    var status = stat()
    let size = stat(path, &status) == 0 ? Int(status.st_size) : nil
    if hasFiles, size ?? 0 == 0 {
      throw ServiceError.lostDatabase(
        root: root, reason: "\(databaseName) is \(size == nil ? "missing" : "empty")")
    }
    guard size != nil || purpose == .making else { throw ServiceError.noService(root: root) }
    let documents: SQLiteDocumentStore
    do {
      documents =
        purpose == .reading
        ? try openForReading(path)
        : try SQLiteDocumentStore(path, indexes: Collections.indexes)
    } catch let error as StorageError {
      guard hasFiles, case .damaged = error.problem else { throw error }
      throw ServiceError.lostDatabase(root: root, reason: "\(databaseName) is \(error.reason)")
    }
    guard hasFiles else { return documents }
    if let wanted = stored.identity {
      guard try documents.identity == wanted else {
        throw ServiceError.lostDatabase(
          root: root, reason: "\(databaseName) belongs to another service")
      }
    } else if try documents.read({ try $0.lastSequence() }) == 0 {
      // Services that older programs made have no identity until now.
      throw ServiceError.lostDatabase(root: root, reason: "\(databaseName) is empty")
    }
    return documents
  }

  /// A database to be read alone; one of an older program is brought up to date first where that is
  /// possible.
  private static func openForReading(_ path: String) throws -> SQLiteDocumentStore {
    do throws(StorageError) {
      return try SQLiteDocumentStore(reading: path)
    } catch {
      guard case .olderVersion = error.problem else { throw error }
    }
    do throws(StorageError) {
      _ = try SQLiteDocumentStore(path, indexes: Collections.indexes)
    } catch {
      guard error.problem == .readOnly else { throw error }
    }
    return try SQLiteDocumentStore(reading: path)
  }

  /// Whether anything lies where the files of drawings do.
  static func holdsFiles(_ root: String) throws -> Bool {
    guard access("\(root)/users", F_OK) == 0 else { return false }
    struct Found: Error {}
    do {
      try FileBlobStore(root).forEachFolder(below: BlobFolder("users")) { _, files in
        if !files.isEmpty { throw Found() }
      }
      return false
    } catch is Found {
      return true
    }
  }

  /// Renames a database that does not belong to a folder, with the files beside it. It is kept, as it may
  /// still hold documents.
  private static func setDatabaseAside(_ root: String) throws {
    let digits = systemTime().iso8601.filter { $0 != ":" && $0 != "-" && $0 != "." }
    for suffix in ["", "-wal", "-shm", "-journal"] {
      let path = "\(root)/\(databaseName)\(suffix)"
      guard access(path, F_OK) == 0 else { continue }
      guard rename(path, "\(root)/set-aside-\(digits)-\(databaseName)\(suffix)") == 0 else {
        throw StorageError(systemCode: errno, path)
      }
    }
    try synchronize(folder: root)
  }

  /// What the service in a folder goes by; what is right for most where there is none.
  public static func settings(_ root: String) throws -> ServiceSettings {
    try StoredSettings(root).settings
  }

  /// Changes what a service's folder says of itself.
  public static func change(
    _ root: String, _ body: (inout ServiceSettings) throws -> Void
  ) throws -> ServiceSettings {
    var stored = try StoredSettings(root)
    try body(&stored.settings)
    try stored.write(to: root)
    return stored.settings
  }

  /// Whether others than the owner may look at what a service keeps: how many files and folders they may.
  /// With `changes` they may not any more.
  public static func makePrivate(_ root: String, changes: Bool) throws -> Int {
    try FileBlobStore(root).makePrivate(changes: changes)
  }

  /// Folders among those of users and drawings that have other names than these can have, so that nobody
  /// finds what lies there: as others made them, or copied them.
  public static func unreachableFolders(_ root: String) throws -> [String] {
    try FileBlobStore(root).unreachableFolders(below: BlobFolder("users"), depth: 3)
  }

  /// Makes a folder and those around it, whose names are safe when this returns.
  static func makeFolder(_ path: String) throws {
    guard access(path, F_OK) != 0 else { return }
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    if !parent.isEmpty { try makeFolder(parent) }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
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
      handle = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard handle >= 0 else { throw StorageError(systemCode: errno, path) }
      guard flock(handle, LOCK_EX | LOCK_NB) != 0 else { return }
      let code = errno
      guard code == EWOULDBLOCK else { throw StorageError(systemCode: code, path) }
      return nil
    }

    deinit { close(handle) }
  }

  /// Takes away what backups, restores and others that were broken off have left in a folder itself, and says
  /// how much it was.
  public static func removeLeftovers(_ root: String, before moment: Moment) throws -> Int {
    try FileBlobStore(root).removeFiles(
      beginningWith: [".backup-", ".restore-", ".new-"], before: moment)
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
