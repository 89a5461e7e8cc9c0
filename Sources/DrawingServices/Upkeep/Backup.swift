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
  /// Lies in a folder that is being restored, so that a restore which was broken off can be tried again.
  private static let begunName = ".restore-begun"

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

  /// Writes an archive of a folder, piece by piece. Meanwhile a copy of the database lies in the folder, or
  /// in another one where nothing can be written to this one.
  public static func write(
    _ root: String, copyingTo scratch: String? = nil, to sink: ([UInt8]) throws -> Void
  ) throws -> Result {
    let house = try LocalHouse.open(root, for: .reading)
    guard let live = house.documents as? SQLiteDocumentStore else {
      throw ServiceError.badRequest("only a folder can be backed up")
    }
    let copy = "\(scratch ?? root)/.backup-\(LocalHouse.randomName()).db"
    defer { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(copy + suffix) } }
    try live.copy(to: copy)

    var (result, entries) = (Result(), [Entry]())
    func add(
      _ path: String, _ bytes: [UInt8], _ digest: SHA256.Digest, _ contentType: String,
      at stored: Moment
    ) throws {
      try sink(TarWriter.header(path, size: bytes.count, seconds: stored.flooredSeconds) + bytes)
      try sink(TarWriter.padding(after: bytes.count))
      result.bytes += bytes.count
      entries.append(
        Entry(
          path: path, size: bytes.count, digest: digest, moment: stored, contentType: contentType))
    }
    func add(_ blob: Blob) throws {
      let info = blob.info
      try add(
        info.path.description, blob.bytes, info.digest, info.contentType, at: info.updated)
    }
    /// The files of a drawing that are as they were stored; those whose ledger is lost are known by the
    /// document.
    func blobs(
      in folder: BlobFolder, of record: DrawingRecord? = nil
    ) -> (sound: [Blob], problems: [String]) {
      var (blobs, problems) = ([Blob](), [String]())
      let found = Swift.Result { try house.blobs.get(DrawingFiles.names, in: folder) }
      for (index, name) in DrawingFiles.names.enumerated() {
        do {
          guard let blob = try found.get()[index].get() else {
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
          if let record, let blob = try? known(name, in: folder, by: record, house) {
            blobs.append(blob)
          }
        }
      }
      return (blobs, problems)
    }
    if let settings = try FileBlobStore.bytes(ofFile: LocalHouse.settingsName, in: root) {
      try add(
        LocalHouse.settingsName, settings, SHA256.of(settings), "application/json",
        at: house.now())
    }
    do {
      let documents = try SQLiteDocumentStore(copy, indexes: Collections.indexes)
      let snapshot = ServiceEnvironment(
        documents: documents, blobs: house.blobs, now: house.now, newID: house.newID)
      var gone: [DocumentPath] = []
      try Upkeep.forEachDrawing(in: snapshot) { uid, record in
        let (blobs, problems) = blobs(
          in: try UserPaths(uid).folder(ofDrawing: record.id), of: record)
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
        // Its document can be made again from these.
        if let folder = try? DocumentPath(path).folder {
          for blob in blobs(in: folder).sound { try add(blob) }
        }
      }
      try documents.change(at: house.now()) { transaction in
        for path in gone { try transaction.delete(path) }
      }
      // One file without a log beside it.
      try documents.settle()
    }
    try addDatabase(copy, to: sink, &result, &entries, house.now())
    var manifest = Array(entries.map(\.line).joined().utf8)
    let end = Moment(seconds: house.now().flooredSeconds)
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

  /// A file that the ledger does not know any more, if it is the one that the document was written for.
  private static func known(
    _ name: String, in folder: BlobFolder, by record: DrawingRecord, _ house: ServiceEnvironment
  ) throws -> Blob? {
    let fields = [DrawingFiles.recording: "recordingSHA256", DrawingFiles.image: "imageSHA256"]
    let path = try folder.blob(name)
    guard let field = fields[name], let bytes = try house.blobs.uncheckedBytes(path),
      record.document[field]?.textValue == ContentHash.of(bytes)
    else { return nil }
    let type = name == DrawingFiles.image ? "image/png" : "application/octet-stream"
    return Blob(bytes, at: path, contentType: type, stored: record.document.created)
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
    let begun = try FileBlobStore.bytes(ofFile: begunName, in: root) != nil
    guard try begun || !LocalHouse.holdsFiles(root) else {
      throw ServiceError.badRequest(
        "'\(root)' holds drawings that are not from a broken restore; name a folder without any")
    }
    try FileBlobStore.replaceFile(begunName, in: root, [])
    // Nothing counts before the database is there, so all of it is made safe at once, at the end.
    let blobs = try FileBlobStore(filling: root)
    let temporary = "\(root)/.restore-\(LocalHouse.randomName()).db"
    defer { unlink(temporary) }
    var (result, found) = (Result(), [String: (size: Int, digest: SHA256.Digest)]())
    var (reader, manifest) = (TarReader(source), [UInt8]?.none)
    var (settings, manifestSeconds) = ([UInt8]?.none, Int64(0))
    // The files of one drawing follow each other, and go into its folder at once.
    var pending: (folder: BlobFolder, seconds: Int64, contents: [BlobContent])?
    func store() throws {
      guard let found = pending else { return }
      pending = nil
      _ = try blobs.put(found.contents, in: found.folder, at: Moment(seconds: found.seconds))
    }
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
        manifestSeconds = seconds
        continue
      }
      found[path] = (size, SHA256.of(bytes))
      if path == LocalHouse.settingsName {
        _ = try StoredSettings(json: bytes)
        settings = bytes
        result.bytes += size
        continue
      }
      let blob = try BlobPath(path)
      // The archive says at its end what these bytes should be; until then the folder is no service's.
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
    try FileBlobStore.removeFile(LocalHouse.settingsName, in: root)
    if let settings { try FileBlobStore.replaceFile(LocalHouse.settingsName, in: root, settings) }
    try blobs.synchronize()
    // A log of another database's would be taken for this one's.
    for suffix in ["-wal", "-shm", "-journal"] {
      unlink("\(root)/\(LocalHouse.databaseName)\(suffix)")
    }
    try LocalHouse.synchronize(folder: root)
    guard rename(temporary, "\(root)/\(LocalHouse.databaseName)") == 0 else {
      throw StorageError(systemCode: errno, root)
    }
    try LocalHouse.synchronize(folder: root)
    try FileBlobStore.removeFile(begunName, in: root)
    return result
  }

  private static func check(
    _ found: [String: (size: Int, digest: SHA256.Digest)], _ manifest: [UInt8], _ seconds: Int64
  ) throws {
    // The last line tells of those before it.
    let newline = UInt8(ascii: "\n")
    let start = manifest.dropLast().lastIndex(of: newline).map { $0 + 1 } ?? 0
    let last = String(decoding: manifest[start...], as: UTF8.self).split(separator: " ")
    guard manifest.last == newline, last.count == 5, last[4] == "\(manifestName)\n",
      last[0] == SHA256.of(Array(manifest[..<start])).description, last[1] == String(start),
      let moment = Int64(last[2]).map({ Moment(microseconds: $0) }), last[3] == "text/plain",
      moment.flooredSeconds == seconds,
      // Archives of older programs, which had no settings, tell the microseconds, too.
      moment == Moment(seconds: seconds) || found[LocalHouse.settingsName] == nil
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
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
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
