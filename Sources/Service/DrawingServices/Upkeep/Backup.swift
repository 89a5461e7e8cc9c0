import Checksums
import Glibc
import Storage
import System

/// Backup of all data of a service as one archive, and restore.
///
/// The archive is a plain tar file: the files of drawings, then the database, then `MANIFEST` with
/// a line for each (SHA-256, size, time, content type, path), its own line last. Other programs may
/// write during a backup: it uses a snapshot of the documents, and leaves out drawings that are
/// deleted before their files are read.
public enum Backup {
  private static let manifestName = "MANIFEST"
  /// The lock of a folder that is being restored. Its file stays after an interrupted restore,
  /// which can be repeated.
  private static let begunName = "restore-begun"

  /// The contents of a written or restored archive.
  public struct Result: Hashable, Sendable {
    /// The number of drawings.
    public var drawings = 0
    /// The size of files and database, in bytes.
    public var bytes = 0
    /// The files that could not be read, each with the reason.
    public var problems: [String] = []
  }

  /// Writes an archive of a folder to a sink, piece by piece. Temporarily copies the database into
  /// the folder, or into `scratch` if the folder is read-only.
  public static func write(
    _ application: Application, _ root: String, copyingTo scratch: String? = nil,
    to sink: @escaping ([UInt8]) throws -> Void
  ) throws -> Result {
    let environment = try LocalService.open(application, root, for: .reading)
    guard let live = environment.documents as? SQLiteDocumentStore else {
      throw ServiceError.badRequest("only a folder can be backed up")
    }
    let copy = "\(scratch ?? root)/.backup-\(LocalService.randomName()).db"
    defer { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(copy + suffix) } }
    try live.copy(to: copy)
    var writer = BackupWriter(environment, sink)
    if let settings = try FileBlobStore.bytes(ofFile: LocalService.settingsName, in: root) {
      try writer.add(
        LocalService.settingsName, settings, SHA256.of(settings), "application/json",
        at: environment.now())
    }
    let documents = try SQLiteDocumentStore(copy, indexes: application.indexes)
    try writer.addDrawings(of: documents)
    // A single file without a log.
    try documents.checkpoint()
    try writer.addDatabase(copy, at: environment.now())
    try writer.addManifest(manifestName)
    return writer.result
  }

  // MARK: - Restore

  /// Restores an archive into a folder without a service. An interrupted restore may be repeated.
  /// The database gets its name last, after everything was verified.
  public static func restore(
    _ application: Application, _ root: String, from source: @escaping (Int) throws -> [UInt8]
  ) throws -> Result {
    try checkIsNoService(root)
    try LocalService.createFolder(root)
    let begun = try FileBlobStore.bytes(ofFile: ".\(begunName)", in: root) != nil
    guard try begun || !LocalService.holdsFiles(root) else {
      throw ServiceError.badRequest(
        "'\(root)' holds drawings that are not from an interrupted restore; name a folder without any"
      )
    }
    guard let lock = try FolderLock(root, begunName) else {
      throw ServiceError.badRequest("another restore into '\(root)' is going on")
    }
    defer { withExtendedLifetime(lock) {} }
    // Another restore may have ended in the meantime.
    try checkIsNoService(root)
    try LocalService.synchronize(folder: root)
    // Without the database the folder is no service, so everything is synchronized once, at the
    // end.
    let blobs = try FileBlobStore(filling: root)
    let temporary = "\(root)/.restore-\(LocalService.randomName()).db"
    defer { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(temporary + suffix) } }
    var (result, found) = (Result(), [String: (size: Int, digest: SHA256.Digest)]())
    var (reader, manifest) = (TarReader(source), [UInt8]?.none)
    var (settings, manifestSeconds) = ([UInt8]?.none, Int64(0))
    // The files of one drawing follow each other, and are stored together.
    var pending: (folder: BlobFolder, seconds: Int64, contents: [BlobContent])?
    func store() throws {
      guard let found = pending else { return }
      pending = nil
      _ = try blobs.put(found.contents, in: found.folder, at: Moment(seconds: found.seconds))
    }
    var last = ""
    while let (path, size, seconds) = try reader.next() {
      if path == LocalService.databaseName {
        found[path] = (size, try write(&reader, to: temporary))
        result.bytes += size
        continue
      }
      // The manifest of millions of drawings may be larger than any file.
      guard size <= 1 << 28 || path == manifestName else {
        throw ServiceError.badArchive("\(path) is too large")
      }
      var bytes: [UInt8] = []
      while let piece = try reader.read(1 << 20) { bytes += piece }
      if path == manifestName {
        guard manifest == nil else { throw ServiceError.badArchive("it has two manifests") }
        manifest = bytes
        manifestSeconds = seconds
        continue
      }
      found[path] = (size, SHA256.of(bytes))
      if path == LocalService.settingsName {
        _ = try StoredSettings(json: bytes, of: application)
        settings = bytes
        result.bytes += size
        continue
      }
      let blob = try BlobPath(path)
      // The manifest at the end of the archive verifies these bytes; until then the folder is no
      // service.
      if pending?.folder != blob.folder || pending?.seconds != seconds { try store() }
      pending = (blob.folder, seconds, pending?.contents ?? [])
      pending?.contents.append(
        BlobContent(
          blob.name,
          contentType: blob.name.hasSuffix(".png") ? "image/png" : "application/octet-stream",
          bytes))
      result.bytes += size
      if blob.folder.description != last { result.drawings += 1 }
      last = blob.folder.description
    }
    try store()
    guard let manifest else { throw ServiceError.badArchive("it has no manifest") }
    try check(found, manifest, manifestSeconds)
    // A service that another program has created here in spite of the lock keeps its settings, too.
    try checkIsNoService(root)
    try FileBlobStore.removeFile(LocalService.settingsName, in: root)
    let identity = try renewIdentity(temporary, application)
    if let settings {
      let stored = try StoredSettings(json: settings, of: application)
      try (identity.map { stored.with(identity: $0) } ?? stored).write(to: root)
    }
    try blobs.synchronize()
    try checkIsNoService(root)
    // SQLite would apply a leftover log of another database to this one.
    for suffix in ["-wal", "-shm", "-journal"] {
      unlink("\(root)/\(LocalService.databaseName)\(suffix)")
    }
    try LocalService.synchronize(folder: root)
    guard rename(temporary, "\(root)/\(LocalService.databaseName)") == 0 else {
      throw StorageError(systemCode: errno, root)
    }
    try LocalService.synchronize(folder: root)
    try FileBlobStore.removeFile(".\(begunName)", in: root)
    return result
  }

  private static func checkIsNoService(_ root: String) throws(StorageError) {
    guard !LocalService.exists(root) else {
      throw StorageError(.alreadyExists, "\(root)/\(LocalService.databaseName)")
    }
  }

  /// Throws if a folder is being filled from an archive.
  static func checkIsNotRestored(_ root: String) throws {
    guard try !FolderLock.isHeld(root, begunName) else {
      throw ServiceError.badRequest("'\(root)' is being restored from a backup")
    }
  }

  /// Gives a restored database a new identity. It tells devices that they may have received later
  /// changes than this service has, even after it has made as many new ones. Nil if the database
  /// cannot be changed; `verify` reports the reason.
  private static func renewIdentity(
    _ path: String, _ application: Application
  ) throws -> Int64? {
    guard let documents = try? SQLiteDocumentStore(path, indexes: application.indexes),
      let identity = try? documents.renewIdentity()
    else { return nil }
    // A single file without a log.
    try documents.checkpoint()
    return identity
  }

  private static func check(
    _ found: [String: (size: Int, digest: SHA256.Digest)], _ manifest: [UInt8], _ seconds: Int64
  ) throws {
    // The last line holds hash and size of the preceding lines.
    let newline = UInt8(ascii: "\n")
    let start = manifest.dropLast().lastIndex(of: newline).map { $0 + 1 } ?? 0
    let last = String(decoding: manifest[start...], as: UTF8.self).split(separator: " ")
    guard manifest.last == newline, last.count == 5, last[4] == "\(manifestName)\n",
      last[0] == SHA256.of(Array(manifest[..<start])).description, last[1] == String(start),
      let moment = Int64(last[2]).map({ Moment(microseconds: $0) }), last[3] == "text/plain",
      moment.flooredSeconds == seconds,
      // Archives of older programs, which had no settings, also store microseconds.
      moment == Moment(seconds: seconds) || found[LocalService.settingsName] == nil
    else { throw ServiceError.badArchive("its manifest is damaged") }
    let lines = String(decoding: manifest[..<start], as: UTF8.self).split(separator: "\n")
    for line in lines {
      let parts = line.split(separator: " ", maxSplits: 4)
      guard parts.count == 5, let entry = found[String(parts[4])],
        entry.digest.description == parts[0], String(entry.size) == parts[1]
      else {
        throw ServiceError.badArchive("\(parts.last ?? "a file") differs from the manifest")
      }
    }
    guard lines.count == found.count, found[LocalService.databaseName] != nil else {
      throw ServiceError.badArchive("it is not complete")
    }
  }

  /// Writes a file from an archive and synchronizes its bytes.
  private static func write(_ reader: inout TarReader, to path: String) throws -> SHA256.Digest {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw StorageError(systemCode: errno, path) }
    defer { close(file) }
    var hash = SHA256()
    while let piece = try reader.read(1 << 20) {
      hash.add(piece)
      do throws(SystemCallError) {
        try OpenFile.writeAll(piece, to: file)
      } catch {
        throw StorageError(systemCode: error.code, path)
      }
    }
    do throws(SystemCallError) {
      try OpenFile.synchronize(file)
    } catch {
      throw StorageError(systemCode: error.code, path)
    }
    return hash.digest
  }
}
