import Checksums
import Glibc
import Storage

/// Everything that a service keeps as one archive, as it was at one moment, and back.
///
/// The archive is a plain `tar`: files as they are, then the database, then `MANIFEST`, a line for each
/// with SHA-256, size, moment and content type, its own last. Others may write meanwhile: documents are
/// copied first, and what is deleted before its files were read is left out.
public enum Backup {
  private static let manifestName = "MANIFEST"

  /// What went into an archive or came out of it.
  public struct Result: Hashable, Sendable {
    /// Drawings.
    public var drawings = 0
    /// Bytes of files and documents.
    public var bytes = 0
    /// Files that could not be read, each with the reason.
    public var problems: [String] = []
  }

  private struct Entry {
    let path: String
    let size: Int
    let digest: SHA256.Digest
    let moment: Moment
    let contentType: String

    var line: String { "\(digest) \(size) \(moment.microseconds) \(contentType) \(path)\n" }
  }

  /// Writes an archive of a folder, piece by piece.
  public static func write(
    _ root: String, to sink: ([UInt8]) throws -> Void
  ) throws -> Result {
    let house = try LocalHouse.open(root)
    guard let live = house.documents as? SQLiteDocumentStore else {
      throw ServiceError.badRequest("only a folder can be backed up")
    }
    let copy = "\(root)/.backup-\(LocalHouse.randomName()).db"
    defer { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(copy + suffix) } }
    try live.copy(to: copy)

    var (result, entries) = (Result(), [Entry]())
    func add(_ blob: Blob) throws {
      let (path, size) = (blob.info.path.description, blob.bytes.count)
      let stored = blob.info.updated
      try sink(TarWriter.header(path, size: size, seconds: stored.flooredSeconds) + blob.bytes)
      try sink(TarWriter.padding(after: size))
      result.bytes += size
      entries.append(
        Entry(
          path: path, size: size, digest: blob.info.digest, moment: stored,
          contentType: blob.info.contentType))
    }
    do {
      let documents = try SQLiteDocumentStore(copy, indexes: Collections.indexes)
      let snapshot = ServiceEnvironment(
        documents: documents, blobs: house.blobs, now: house.now, newID: house.newID)
      var gone: [DocumentPath] = []
      try Upkeep.forEachDrawing(in: snapshot) { uid, record in
        let folder = try UserPaths(uid).folder(ofDrawing: record.id)
        var (blobs, problems) = ([Blob](), [String]())
        for name in DrawingFiles.names {
          do {
            guard let blob = try house.blobs.get(try folder.blob(name)) else {
              problems.append("\(folder)/\(name): it is missing")
              continue
            }
            if SHA256.of(blob.bytes) == blob.info.digest {
              blobs.append(blob)
            } else {
              problems.append("\(folder)/\(name): these are not the bytes that were stored")
            }
          } catch {
            problems.append("\(folder)/\(name): \(Upkeep.reason(error))")
          }
        }
        // Deleted since the documents were copied, and these may be another drawing's files.
        let live = Swift.Result { try house.documents.document(record.document.path) }
        if case .success(let document) = live, !record.isSame(as: document) {
          gone.append(record.document.path)
          return
        }
        result.problems += problems
        for blob in blobs { try add(blob) }
        result.drawings += 1
      } unreadable: { path, reason in
        result.problems.append("\(path): \(reason)")
      }
      try documents.change(at: house.now()) { transaction in
        for path in gone { try transaction.delete(path) }
      }
      // One file without a log beside it.
      try documents.settle()
    }
    try addDatabase(copy, to: sink, &result, &entries, house.now())
    var manifest = Array(entries.map(\.line).joined().utf8)
    let end = house.now()
    manifest +=
      Entry(
        path: manifestName, size: manifest.count, digest: SHA256.of(manifest), moment: end,
        contentType: "text/plain"
      ).line.utf8
    try sink(
      TarWriter.header(manifestName, size: manifest.count, seconds: end.flooredSeconds) + manifest)
    try sink(TarWriter.padding(after: manifest.count) + TarWriter.end)
    return result
  }

  /// The database may be large, so it goes through in pieces.
  private static func addDatabase(
    _ path: String, to sink: ([UInt8]) throws -> Void, _ result: inout Result,
    _ entries: inout [Entry], _ moment: Moment
  ) throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw StorageError(systemCode: errno, path) }
    defer { close(file) }
    let size = Int(lseek(file, 0, SEEK_END))
    lseek(file, 0, SEEK_SET)
    try sink(TarWriter.header(LocalHouse.databaseName, size: size, seconds: moment.flooredSeconds))
    var (hash, done) = (SHA256(), 0)
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    while done < size {
      let count = read(file, &piece, min(piece.count, size - done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw StorageError(systemCode: count < 0 ? errno : EIO, path) }
      hash.add(piece[..<count])
      try sink(Array(piece[..<count]))
      done += count
    }
    try sink(TarWriter.padding(after: size))
    result.bytes += size
    entries.append(
      Entry(
        path: LocalHouse.databaseName, size: size, digest: hash.digest, moment: moment,
        contentType: "application/vnd.sqlite3"))
  }

  // MARK: - Back

  /// Makes a folder of an archive. There must be no service in it yet; one that was broken off may be
  /// restored again. The database comes last, when all else was found to be as it was.
  public static func restore(
    _ root: String, from source: @escaping (Int) throws -> [UInt8]
  ) throws -> Result {
    guard !LocalHouse.exists(root) else {
      throw StorageError(.alreadyThere, "\(root)/\(LocalHouse.databaseName)")
    }
    try LocalHouse.makeFolder(root)
    let blobs = try FileBlobStore(root)
    let temporary = "\(root)/.restore-\(LocalHouse.randomName()).db"
    defer { unlink(temporary) }
    var (result, found) = (Result(), [String: (size: Int, digest: SHA256.Digest)]())
    var (reader, manifest) = (TarReader(source), [UInt8]?.none)
    var last = ""
    while let (path, size, seconds) = try reader.next() {
      if path == LocalHouse.databaseName {
        found[path] = (size, try write(&reader, to: temporary))
        result.bytes += size
        continue
      }
      // The manifest of millions of drawings is larger than any file.
      guard size <= 1 << 28 || path == manifestName else {
        throw ServiceError.badArchive("\(path) is too large")
      }
      var bytes: [UInt8] = []
      while let piece = try reader.read(1 << 20) { bytes += piece }
      if path == manifestName {
        guard manifest == nil else { throw ServiceError.badArchive("it has two manifests") }
        manifest = bytes
        continue
      }
      let blob = try BlobPath(path)
      // The archive says at its end what these bytes should be; until then the folder is no service's.
      try blobs.put(
        blob, contentType: blob.name.hasSuffix(".png") ? "image/png" : "application/octet-stream",
        bytes, at: Moment(seconds: seconds))
      found[path] = (size, SHA256.of(bytes))
      result.bytes += size
      if blob.folder.description != last { result.drawings += 1 }
      last = blob.folder.description
    }
    guard let manifest else { throw ServiceError.badArchive("it has no manifest") }
    try check(found, manifest)
    // A log of another database's would be taken for this one's.
    for suffix in ["-wal", "-shm", "-journal"] {
      unlink("\(root)/\(LocalHouse.databaseName)\(suffix)")
    }
    try LocalHouse.synchronize(folder: root)
    guard rename(temporary, "\(root)/\(LocalHouse.databaseName)") == 0 else {
      throw StorageError(systemCode: errno, root)
    }
    try LocalHouse.synchronize(folder: root)
    return result
  }

  private static func check(
    _ found: [String: (size: Int, digest: SHA256.Digest)], _ manifest: [UInt8]
  ) throws {
    // The last line tells of those before it.
    let newline = UInt8(ascii: "\n")
    let start = manifest.dropLast().lastIndex(of: newline).map { $0 + 1 } ?? 0
    let last = String(decoding: manifest[start...], as: UTF8.self).split(separator: " ")
    guard manifest.last == newline, last.count == 5, last[4] == "\(manifestName)\n",
      last[0] == SHA256.of(Array(manifest[..<start])).description, last[1] == String(start)
    else { throw ServiceError.badArchive("its manifest is not as it was written") }
    let lines = String(decoding: manifest[..<start], as: UTF8.self).split(separator: "\n")
    for line in lines {
      let parts = line.split(separator: " ", maxSplits: 4)
      guard parts.count == 5, let entry = found[String(parts[4])],
        entry.digest.description == parts[0], String(entry.size) == parts[1]
      else {
        throw ServiceError.badArchive("\(parts.last ?? "a file") is not as it was archived")
      }
    }
    guard lines.count == found.count, found[LocalHouse.databaseName] != nil else {
      throw ServiceError.badArchive("it is not whole")
    }
  }

  /// Writes a file from an archive, and waits until its bytes are safe.
  private static func write(_ reader: inout TarReader, to path: String) throws -> SHA256.Digest {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw StorageError(systemCode: errno, path) }
    defer { close(file) }
    var hash = SHA256()
    while let piece = try reader.read(1 << 20) {
      hash.add(piece)
      var done = 0
      while done < piece.count {
        let count = piece[done...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw StorageError(systemCode: errno, path) }
        done += count
      }
    }
    guard fsync(file) == 0 else { throw StorageError(systemCode: errno, path) }
    return hash.digest
  }
}
