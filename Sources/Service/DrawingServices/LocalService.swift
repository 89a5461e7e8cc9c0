import Glibc
public import Storage
import System

/// A service on the local machine, with all its data in one folder:
///
///     ROOT/pentimento.db                          documents
///     ROOT/settings.json                          the settings of the operator
///     ROOT/users/UID/drawings/ID/image.png …      files of drawings
///     ROOT/cache/…                                pictures that can be rendered again
///     ROOT/trash/2026-11-22/users/…               files without a document, deleted later
///     ROOT/.reserve                               disk space for deletions (servers only)
public enum LocalService {
  static let databaseName = "pentimento.db"

  static let settingsName = "settings.json"

  /// Gives a folder the settings of another one, unless it has some of its own, and the key, unless
  /// it has one.
  package static func copySettings(
    _ application: Application, from other: String, to root: String
  ) throws {
    var stored = try StoredSettings(root, of: application)
    if stored.isEmpty {
      stored.take(try StoredSettings(other, of: application))
      try stored.write(to: root)
    }
    guard try FileBlobStore.bytes(ofFile: keyName, in: root) == nil,
      let key = try FileBlobStore.bytes(ofFile: keyName, in: other)
    else { return }
    try FileBlobStore.replaceFile(keyName, in: root, key)
  }

  /// Whether a folder holds the database of a service.
  public static func exists(_ root: String) -> Bool {
    access("\(root)/\(databaseName)", F_OK) == 0
  }

  /// The identity of a folder's database, equal for all paths to it; nil if there is no database.
  package static func identity(of root: String) -> [UInt64]? {
    var status = stat()
    guard stat("\(root)/\(databaseName)", &status) == 0 else { return nil }
    return [UInt64(status.st_dev), UInt64(status.st_ino)]
  }

  /// The purpose for which a folder is opened.
  public enum Purpose: Hashable, Sendable {
    /// Changes nothing and waits for no writer, so the folder may be on a read-only disk.
    case reading
    /// Reads and writes an existing service.
    case writing
    /// Like `writing`, but creates the service if there is none.
    case creating
    /// Like `writing`, but replaces a lost database with an empty one. A database that does not
    /// belong to the folder is renamed and kept.
    case repairing
  }

  /// Opens a folder. Throws if there is no service, or if there are drawings but their database is
  /// missing, empty or belongs to another service: all drawings would become orphans.
  public static func open(
    _ application: Application, _ root: String, for purpose: Purpose = .creating,
    reportSkipped: @escaping @Sendable (StorageError) -> Void = { _ in }
  ) throws -> ServiceEnvironment {
    try checkFolder(root)
    if purpose == .creating { try createFolder(root) }
    let stored = try StoredSettings(root, of: application)
    let hasFiles = try holdsFiles(root)
    let documents: SQLiteDocumentStore
    do {
      documents = try openDatabase(application, root, for: purpose, hasFiles: hasFiles, stored)
    } catch ServiceError.lostDatabase where purpose == .repairing {
      try renameDatabase(root)
      documents = try SQLiteDocumentStore("\(root)/\(databaseName)", indexes: application.indexes)
    }
    if purpose != .reading {
      try createFolder("\(root)/cache")
      let identity = try documents.identity
      if stored.identity != identity { try stored.with(identity: identity).write(to: root) }
    }
    var environment = ServiceEnvironment(
      application, documents: documents, blobs: try FileBlobStore(root),
      cache: try? FileBlobStore("\(root)/cache"), settings: stored.settings,
      now: { systemTime() }, newID: { randomName() }, reportSkipped: reportSkipped)
    environment.deviceID = stored.deviceID
    environment.claims = locks(root)
    environment.reserve = DiskReserve(root)
    return environment
  }

  /// The parts of a service that are outside its folder; nil for a part inside.
  package struct SharedParts: Sendable {
    package var documents: (any DocumentStore)?
    package var blobs: (any BlobStore)?
    /// The locks of all programs that use these parts.
    package var locks: (any NamedLocks)?

    package init() {}
  }

  /// Opens a service with parts outside its folder. The folder has its settings, its key, and its
  /// temporary data.
  package static func open(
    _ application: Application, _ root: String, for purpose: Purpose, sharing shared: SharedParts,
    reportSkipped: @escaping @Sendable (StorageError) -> Void = { _ in }
  ) throws -> ServiceEnvironment {
    try checkFolder(root)
    if purpose != .reading { try createFolder("\(root)/cache") }
    // If only the blobs are elsewhere, the folder holds the database and no files.
    let own =
      shared.documents == nil
      ? try open(application, root, for: purpose, reportSkipped: reportSkipped) : nil
    var environment = ServiceEnvironment(
      application, documents: shared.documents ?? own?.documents ?? InMemoryDocumentStore(),
      blobs: try shared.blobs ?? FileBlobStore(root), cache: try? FileBlobStore("\(root)/cache"),
      settings: try StoredSettings(root, of: application).settings, now: { systemTime() },
      newID: { randomName() },
      reportSkipped: reportSkipped)
    environment.deviceID = own?.deviceID
    environment.reserve = own?.reserve
    environment.claims = shared.locks ?? locks(root)
    return environment
  }

  /// The locks of all programs that use a folder.
  package static func locks(_ root: String) -> FileLocks { FileLocks("\(root)/.locks") }

  /// Gives the service in a folder a device name, if it has none. From now on its changes are
  /// stored in a form that can be merged with those of other places.
  package static func becomeDevice(_ root: String) throws {
    var stored = try StoredSettings(root, of: .drawingsAlone)
    guard stored.deviceID == nil else { return }
    stored.deviceID = String(randomName().prefix(12))
    try stored.write(to: root)
  }

  /// Opens a folder whose database is lost, with its files and without documents, for reading.
  public static func openWithoutDocuments(
    _ application: Application, _ root: String
  ) throws -> ServiceEnvironment {
    ServiceEnvironment(
      application, documents: InMemoryDocumentStore(), blobs: try FileBlobStore(root),
      settings: try StoredSettings(root, of: application).settings, now: { systemTime() },
      newID: { randomName() })
  }

  /// Opens the database of a folder. Throws if it does not belong there.
  private static func openDatabase(
    _ application: Application, _ root: String, for purpose: Purpose, hasFiles: Bool,
    _ stored: StoredSettings
  ) throws -> SQLiteDocumentStore {
    let path = "\(root)/\(databaseName)"
    var status = stat()
    let size = stat(path, &status) == 0 ? Int(status.st_size) : nil
    if size == nil, purpose == .creating || purpose == .repairing {
      try Backup.checkIsNotRestored(root)
    }
    if hasFiles, size ?? 0 == 0 {
      throw ServiceError.lostDatabase(
        root: root, reason: "\(databaseName) is \(size == nil ? "missing" : "empty")")
    }
    guard size != nil || purpose == .creating else { throw ServiceError.noService(root: root) }
    let documents: SQLiteDocumentStore
    do {
      documents =
        purpose == .reading
        ? try openForReading(application, path)
        : try SQLiteDocumentStore(path, indexes: application.indexes)
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
      // Services of older programs have no stored identity.
      throw ServiceError.lostDatabase(root: root, reason: "\(databaseName) is empty")
    }
    return documents
  }

  /// Opens a database for reading. Migrates one of an older version first if it is writable.
  private static func openForReading(
    _ application: Application, _ path: String
  ) throws -> SQLiteDocumentStore {
    do throws(StorageError) {
      return try SQLiteDocumentStore(reading: path)
    } catch {
      guard case .olderVersion = error.problem else { throw error }
    }
    do throws(StorageError) {
      _ = try SQLiteDocumentStore(path, indexes: application.indexes)
    } catch {
      guard error.problem == .readOnly else { throw error }
    }
    return try SQLiteDocumentStore(reading: path)
  }

  /// Whether the folder of users holds any file.
  static func holdsFiles(_ root: String) throws -> Bool {
    guard access("\(root)/users", F_OK) == 0 else { return false }
    struct Found: Error {}
    do {
      try FileBlobStore(root).forEachFolder(below: FilePlace.drawings.folder) { _, files in
        if !files.isEmpty { throw Found() }
      }
      return false
    } catch is Found {
      return true
    }
  }

  /// Renames a database that does not belong to the folder, with its log files. It is kept, as it
  /// may still hold documents.
  private static func renameDatabase(_ root: String) throws {
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

  /// The settings of the service in a folder; the defaults if it has none.
  public static func settings(
    _ application: Application, _ root: String
  ) throws -> ServiceSettings {
    try StoredSettings(root, of: application).settings
  }

  /// Changes the settings of the service in a folder.
  public static func changeSettings(
    _ application: Application, _ root: String, _ body: (inout ServiceSettings) throws -> Void
  ) throws -> ServiceSettings {
    var stored = try StoredSettings(root, of: application)
    try body(&stored.settings)
    try stored.write(to: root)
    return stored.settings
  }

  /// The number of files and folders with permissions for group or others. With `changes`, removes
  /// these permissions.
  public static func makePrivate(_ root: String, changes: Bool) throws -> Int {
    try FileBlobStore(root).makePrivate(changes: changes)
  }

  /// Throws for an address, without its text in the error: it may hold a password, which must not
  /// become a folder's name.
  private static func checkFolder(_ root: String) throws(ServiceError) {
    guard !root.contains("://") else {
      throw .badRequest(
        "the folder of a service is no address; give that of a database as --documents")
    }
  }

  /// Whether one of two folders is the other one, or inside it, under any of their names. A missing
  /// folder counts as a child of its nearest existing parent.
  public static func areNested(_ one: String, _ other: String) -> Bool {
    isInside(one, other) || isInside(other, one)
  }

  private static func isInside(_ path: String, _ folder: String) -> Bool {
    var (outer, here, above) = (stat(), stat(), stat())
    guard stat(folder, &outer) == 0 else { return false }
    var path = path
    while stat(path, &here) != 0 {
      // The working folder itself may have been deleted.
      guard path != ".", path != "/" else { return false }
      let end = path.lastIndex(of: "/")
      path = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
    while !here.isSameFile(as: outer) {
      path += "/.."
      guard stat(path, &above) == 0, !above.isSameFile(as: here) else { return false }
      here = above
    }
    return true
  }

  /// Creates a folder and its parents. Their names are durable when this returns.
  static func createFolder(_ path: String) throws {
    guard access(path, F_OK) != 0 else { return }
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    if !parent.isEmpty { try createFolder(parent) }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw StorageError(systemCode: errno, path)
    }
    try synchronize(folder: parent.isEmpty ? "/" : parent)
  }

  /// Synchronizes the names in a folder.
  static func synchronize(folder: String) throws {
    do throws(SystemCallError) {
      try OpenFile.synchronizeFolder(folder)
    } catch {
      throw StorageError(systemCode: error.code, folder)
    }
  }

  /// Deletes temporary files of interrupted backups, restores and other commands that are older
  /// than a moment, and returns their number.
  public static func removeLeftovers(_ root: String, before moment: Moment) throws -> Int {
    try FileBlobStore(root).removeFiles(
      beginningWith: [".backup-", ".restore-", ".new-"], before: moment)
  }

  /// The time of the system clock.
  public static func systemTime() -> Moment {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Moment(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }

  /// A name of twenty random letters and digits (119 bits), which is unique in practice.
  public static func randomName() -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    return String(
      decoding: (0..<20).map { _ in letters[Int.random(in: 0..<letters.count)] }, as: UTF8.self)
  }
}
