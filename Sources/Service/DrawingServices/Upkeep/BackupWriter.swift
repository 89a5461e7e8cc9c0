import Checksums
import Glibc
import Storage
import System

/// The archive of a backup while it is written.
struct BackupWriter {
  private(set) var result = Backup.Result()
  private let environment: ServiceEnvironment
  private let sink: ([UInt8]) throws -> Void
  private var entries: [Entry] = []

  /// A line of the manifest.
  private struct Entry {
    let path: String
    let size: Int
    let digest: SHA256.Digest
    let moment: Moment
    let contentType: String

    var line: String { "\(digest) \(size) \(moment.microseconds) \(contentType) \(path)\n" }
  }

  init(_ environment: ServiceEnvironment, _ sink: @escaping ([UInt8]) throws -> Void) {
    (self.environment, self.sink) = (environment, sink)
  }

  /// Adds a file.
  mutating func add(
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

  private mutating func add(_ blobs: [Blob]) throws {
    for blob in blobs {
      let info = blob.info
      try add(info.path.description, blob.bytes, info.digest, info.contentType, at: info.updated)
    }
  }

  // MARK: - Drawings

  /// Adds the files of all drawings of a snapshot, and updates the snapshot to match them: drawings
  /// that were deleted or revised since are changed in it, too.
  mutating func addDrawings(of documents: SQLiteDocumentStore) throws {
    let snapshot = ServiceEnvironment(
      environment.application, documents: documents, blobs: environment.blobs, now: environment.now,
      newID: environment.newID)
    var (gone, revised) = ([DocumentPath](), [Document]())
    try Upkeep.forEachDrawing(in: snapshot) { uid, record in
      let paths = try UserPaths(uid)
      let folder = try paths.folder(ofDrawing: record.id)
      var (record, found) = (record, intactFiles(in: folder, of: record))
      // If the drawing was deleted after the snapshot, the files may belong to another drawing.
      if isAnother(than: record) {
        var isGone = true
        // A revised drawing is archived in its current version. The lock prevents further
        // revisions.
        try environment.blobs.withExclusiveAccess(to: paths.filesOfDrawings) {
          guard let document = try? environment.documents.document(record.document.path),
            document.created == record.document.created
          else { return }
          record = DrawingRecord(document)
          found = intactFiles(in: folder, of: record)
          isGone = isAnother(than: record)
        }
        guard !isGone else { return gone.append(record.document.path) }
        revised.append(record.document)
      }
      result.problems += found.problems
      try add(found.blobs)
      result.drawings += 1
    } unreadable: { path, reason in
      result.problems.append("\(path): \(reason)")
      // The document can be recreated from these files.
      if let folder = try? DocumentPath(path).folder {
        try add(intactFiles(in: folder).blobs)
      }
    }
    // Files that were uploaded without a document are not drawings, but also belong to their user.
    try Upkeep.forEachUpload(in: snapshot) { _, folder in
      let found = intactFiles(in: folder, needsAll: false)
      result.problems += found.problems
      try add(found.blobs)
    }
    try documents.change(at: environment.now()) { transaction in
      for path in gone { try transaction.delete(path) }
      for document in revised { try transaction.set(document.path, document.fields) }
    }
  }

  /// Whether a drawing has another document now, or none. An unreadable document counts as
  /// unchanged.
  private func isAnother(than record: DrawingRecord) -> Bool {
    do {
      return !record.isSame(as: try environment.documents.document(record.document.path))
    } catch {
      return false
    }
  }

  /// The intact files of a drawing. Files without a ledger are verified by the document.
  private func intactFiles(
    in folder: BlobFolder, of record: DrawingRecord? = nil, needsAll: Bool = true
  ) -> (blobs: [Blob], problems: [String]) {
    var (blobs, problems) = ([Blob](), [String]())
    let found = Swift.Result { try environment.blobs.get(DrawingFiles.names, in: folder) }
    for (index, name) in DrawingFiles.names.enumerated() {
      do {
        guard let blob = try found.get()[index].get() else {
          if needsAll, record?.requiredFiles.contains(name) != false {
            problems.append("\(folder)/\(name): it is missing")
          }
          continue
        }
        if SHA256.of(blob.bytes) == blob.info.digest {
          blobs.append(blob)
        } else {
          problems.append("\(folder)/\(name): these are not the bytes that were stored")
        }
      } catch {
        problems.append("\(folder)/\(name): \(Upkeep.reason(error))")
        if let record, let blob = try? verifiedFile(name, in: folder, by: record) {
          blobs.append(blob)
        }
      }
    }
    return (blobs, problems)
  }

  /// A file that is missing in the ledger, if its hash matches the document.
  private func verifiedFile(
    _ name: String, in folder: BlobFolder, by record: DrawingRecord
  ) throws -> Blob? {
    let hashes = [
      DrawingFiles.recording: record.recordings,
      DrawingFiles.image: [record.document["imageSHA256"]?.textValue].compactMap { $0 },
    ]
    let path = try folder.blob(name)
    guard let bytes = try environment.blobs.uncheckedBytes(path),
      hashes[name]?.contains(ContentHash.of(bytes)) == true
    else { return nil }
    let type = name == DrawingFiles.image ? "image/png" : "application/octet-stream"
    return Blob(bytes, at: path, contentType: type, stored: record.document.created)
  }

  // MARK: - The end

  /// Adds the database, piece by piece, as it may be large.
  mutating func addDatabase(_ path: String, at moment: Moment) throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw StorageError(systemCode: errno, path) }
    defer { close(file) }
    let size = Int(lseek(file, 0, SEEK_END))
    lseek(file, 0, SEEK_SET)
    try sink(
      TarWriter.header(LocalService.databaseName, size: size, seconds: moment.flooredSeconds))
    var (hash, written) = (SHA256(), 0)
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    while written < size {
      let count = read(file, &piece, min(piece.count, size - written))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw StorageError(systemCode: count < 0 ? errno : EIO, path) }
      hash.add(piece[..<count])
      try sink(Array(piece[..<count]))
      written += count
    }
    try sink(TarWriter.padding(after: size))
    result.bytes += size
    entries.append(
      Entry(
        path: LocalService.databaseName, size: size, digest: hash.digest, moment: moment,
        contentType: "application/vnd.sqlite3"))
  }

  /// Adds the list of all files, with its own size and hash in its last line, and ends the archive.
  mutating func addManifest(_ name: String) throws {
    var manifest = Array(entries.map(\.line).joined().utf8)
    let end = Moment(seconds: environment.now().flooredSeconds)
    let own = Entry(
      path: name, size: manifest.count, digest: SHA256.of(manifest), moment: end,
      contentType: "text/plain")
    manifest += own.line.utf8
    try sink(TarWriter.header(name, size: manifest.count, seconds: end.flooredSeconds) + manifest)
    try sink(TarWriter.padding(after: manifest.count) + TarWriter.end)
  }
}
