import Checksums
public import Storage

extension DrawingService {
  /// A file that a caller stores in a drawing.
  public struct Upload: Sendable {
    /// The name of the file.
    public var name: String
    /// The bytes of the file.
    public var bytes: [UInt8]
    /// The stored file that it may meet.
    public var condition = Condition.any
    /// The other parts of the drawing that a recording makes; nil if it waits for its document.
    public var drawing: Submission?
    /// The metadata from a client of Firebase Storage; nil for none.
    public var metadata: FileMetadata.Changes?
    /// Whether the change was made at another place, so that the time of change stays.
    var isJoined = false

    /// A file, under any condition.
    public init(_ name: String, _ bytes: [UInt8], metadata: FileMetadata.Changes? = nil) {
      (self.name, self.bytes, self.metadata) = (name, bytes, metadata)
    }

    /// The recording of a drawing to make.
    public init(_ drawing: Submission) {
      self.init(DrawingFiles.recording, drawing.recording)
      self.drawing = drawing
    }

    /// The stored file that an upload may meet. The same bytes again are no error: the client may
    /// have missed the response.
    public enum Condition: Hashable, Sendable {
      /// None, or one that an upload may replace without being asked to.
      case any
      /// None.
      case new
      /// One of these. The recording of a drawing is then revised.
      case former(FormerRecording)
    }
  }

  /// A stored file.
  public struct StoredFile: Sendable {
    /// The path of the file.
    public let path: BlobPath
    /// The number of bytes.
    public let byteCount: Int
    /// Their SHA-256, in hexadecimal digits.
    public let sha256: String
    /// Whether there was no file before.
    public let isNew: Bool
    /// The file with its metadata, if the upload had some.
    public var described: DescribedFile?
    /// The document of the drawing, if the upload has changed it.
    var document: Document?

    init(_ upload: Upload, _ path: BlobPath, before: BlobInfo?) {
      (self.path, byteCount) = (path, upload.bytes.count)
      (sha256, isNew) = (ContentHash.of(upload.bytes), before == nil)
    }
  }

  /// Stores one file of a drawing, before or after its document. Only with a `former` condition
  /// does it replace the recording of a drawing that has a document.
  @discardableResult
  public func put(
    _ upload: Upload, ofDrawing id: String, of uid: String
  ) throws -> StoredFile {
    let paths = try DrawingPaths(id, of: uid)
    let path = try paths.file(upload.name)
    // Only owners make drawings.
    if var drawing = upload.drawing, !gate.isMember(uid) {
      try check(drawing, paths)
      drawing.id = id
      return try put(drawing, upload, paths)
    }
    try check(.update, path, upload.bytes.count)
    if path == paths.recording, case .former(let former) = upload.condition,
      try stored(paths).document != nil
    {
      let file = StoredFile(upload, path, before: try environment.blobs.info(path))
      try revise(upload.bytes, ofDrawing: id, of: uid, replacing: former)
      return file
    }
    let md5 = try checkContent(of: upload)
    return try withLock(paths) {
      // A member's drawing may have been deleted since.
      if gate.isMember(uid) { try check(.update, path, upload.bytes.count) }
      let before = try environment.blobs.info(path)
      var file = StoredFile(upload, path, before: before)
      try check(upload.condition, before, file)
      try store(upload, md5, paths, finishedDocument(paths), &file)
      return file
    }
  }

  /// Stores a recording with the drawing that it makes, or revises the drawing.
  private func put(
    _ drawing: Submission, _ upload: Upload, _ paths: DrawingPaths
  ) throws -> StoredFile {
    // Rendering does not hold the lock, so the stored files may change meanwhile.
    try repeated(paths) {
      let state = try FilesState(paths, environment)
      var file = StoredFile(upload, paths.recording, before: state.recording)
      if state.document != nil, case .former(let former) = upload.condition {
        try revise(
          upload.bytes, ofDrawing: paths.document.id, of: paths.user.profile.id, replacing: former)
        return file
      }
      try check(upload.condition, state.recording, file)
      guard let record = try submit(drawing, paths, withFilesOf: state) else { return nil }
      file.document = record.document
      return file
    }
  }

  /// Throws if an upload must not meet the stored file.
  private func check(
    _ condition: Upload.Condition, _ before: BlobInfo?, _ file: StoredFile
  ) throws(ServiceError) {
    switch condition {
    case .any: break
    case .new: if let before, before.sha256 != file.sha256 { throw .existsAlready }
    case .former(let former):
      guard let before, former.includes(before.sha256) else { throw .changedSince }
    }
  }

  /// Stores a drawing with the image that is stored already; nil if files have changed meanwhile.
  private func submit(
    _ submission: Submission, _ paths: DrawingPaths, withFilesOf state: FilesState
  ) throws -> DrawingRecord? {
    var submission = submission
    // The service renders the image of a drawing without the hash of one.
    if state.document.map({ $0["imageSHA256"] ?? .null != .null }) ?? true {
      submission.image = try environment.blobs.get(paths.image)?.bytes
    }
    return try submit(submission, paths, beside: (state.document, state.isDamaged)) {
      try FilesState(paths, environment) == state
    }
  }

  /// The document and the uploaded files of a drawing at a moment.
  private struct FilesState: Equatable {
    let document: Document?
    let isDamaged: Bool
    let recording: BlobInfo?
    let image: BlobInfo?

    init(_ paths: DrawingPaths, _ environment: ServiceEnvironment) throws {
      (document, isDamaged) = try environment.documents.read { try $0.readable(paths.document) }
      recording = try environment.blobs.info(paths.recording)
      image = try environment.blobs.info(paths.image)
    }
  }

  /// Runs a body until it returns a result.
  private func repeated<Result>(
    _ paths: DrawingPaths, _ body: () throws -> Result?
  ) throws -> Result {
    for _ in 0..<Self.attempts { if let result = try body() { return result } }
    throw StorageError(
      .unavailable("other programs change its files"), paths.document.description)
  }

  /// Maximum number of attempts to store files. Another program may store others meanwhile, or a
  /// sweep for files of any age may remove a file before its metadata is stored.
  private static let attempts = 32

  /// Checks that the bytes of an upload are a recording or an image and have the wanted checksums;
  /// returns their MD5.
  private func checkContent(of upload: Upload) throws -> [UInt8] {
    let bytes = upload.bytes
    let md5 = MD5.of(bytes)
    if let wanted = upload.metadata?.md5, wanted != md5 {
      throw ServiceError.badRequest("the MD5 of the bytes is another one")
    }
    if let wanted = upload.metadata?.crc32c,
      wanted.reduce(0, { $0 << 8 | UInt32($1) }) != Checksum.of(bytes)
    {
      throw ServiceError.badRequest("the CRC-32C of the bytes is another one")
    }
    if upload.name == DrawingFiles.recording {
      _ = try PictureMaker.open(bytes)
    } else {
      try PictureMaker.check(image: bytes)
    }
    return md5
  }

  /// The document of a drawing. The caller holds the lock. An interrupted revision is finished:
  /// later this would delete a new image.
  private func finishedDocument(_ paths: DrawingPaths) throws -> Document? {
    let document = try stored(paths).document
    guard let document, DrawingRecord(document).nextRecordingSHA256 != nil else { return document }
    return try finishRevision(of: paths)?.record.document
  }

  /// Stores a file that makes no drawing. The caller holds the lock.
  private func store(
    _ upload: Upload, _ md5: [UInt8], _ paths: DrawingPaths, _ document: Document?,
    _ file: inout StoredFile
  ) throws {
    let (bytes, path) = (upload.bytes, file.path)
    if let document, path == paths.recording {
      guard let stored = try environment.blobs.get(path), stored.bytes == bytes else {
        throw StorageError(.alreadyExists, document.path.description)
      }
      if upload.metadata != nil {
        try describe(stored.info, md5, by: upload, hadDocument: true, paths, &file)
      }
      return
    }
    // Checked before the note is written, so that a refused upload leaves none.
    try gate.checkQuota([bytes.count], replacing: [path.name], in: paths.folder)
    let content = BlobContent(
      path.name, contentType: DrawingFiles.contentType(of: path.name), bytes)
    try repeated(paths) {
      if document == nil {
        try begin(paths)
      } else if path == paths.image {
        try announce(image: file.sha256, paths)
      }
      let infos = try environment.blobs.put([content], in: paths.folder, at: environment.now())
      guard let info = infos.first else { throw StorageError(.notFound, path.description) }
      do {
        return try describe(info, md5, by: upload, hadDocument: document != nil, paths, &file)
      } catch is Removed {
        return nil
      }
    }
  }

  /// A file was removed before its metadata was stored.
  private struct Removed: Error {}

  // MARK: - Images that replace others

  /// The field of a note with the hashes of images that are about to replace that of a drawing.
  static let imagesField = "images"
  /// The maximum number of hashes in a note. Refused uploads leave theirs for a while.
  private static let imageLimit = 32

  /// The hashes of the images that a note announces.
  static func images(in note: Document?) -> Set<String> {
    Set(note?[imagesField]?.listValue?.compactMap(\.textValue) ?? [])
  }

  /// Notes that an image is about to replace that of a drawing, before its document has its hash.
  /// The note is durable on return.
  private func announce(image sha256: String, _ paths: DrawingPaths) throws {
    try gate.change { transaction in
      let note = try paths.note
      let others = try transaction.readable(note).document?[Self.imagesField]?.listValue ?? []
      let images =
        others.filter { $0 != .text(sha256) }.suffix(Self.imageLimit - 1) + [.text(sha256)]
      try transaction.ofService.set(
        note, ["begunAt": .moment(transaction.moment), Self.imagesField: .list(Array(images))])
    }
  }

  /// Removes the note that a file was about to be stored. The hashes of other images that are being
  /// uploaded stay.
  private func endNote(
    of info: BlobInfo, _ paths: DrawingPaths, in transaction: GatedTransaction
  ) throws {
    let note = try paths.note
    guard let stored = try transaction.readable(note).document,
      let images = stored[Self.imagesField]?.listValue?.filter({ $0 != .text(info.sha256) }),
      !images.isEmpty
    else { return try transaction.ofService.erase(note) }
    try transaction.ofService.set(
      note, stored.fields.merging([Self.imagesField: .list(images)]))
  }

  /// The hashes of images whose uploads were interrupted or are still running.
  func announcedImages(ofDrawing id: String, of uid: String) throws -> Set<String> {
    let note = try UserPaths(uid).begun.document(id)
    return try environment.documents.read { Self.images(in: try $0.readable(note).document) }
  }

  /// Stores the metadata of a file, after its bytes. A file without a document always gets
  /// metadata, which marks it as acknowledged and not left by a crash.
  private func describe(
    _ info: BlobInfo, _ md5: [UInt8], by upload: Upload, hadDocument: Bool, _ paths: DrawingPaths,
    _ file: inout StoredFile
  ) throws {
    let (blob, secret) = (info.path, try paths.user.metadata(of: info.path))
    (file.document, file.described) = try gate.change { transaction in
      // Of two simultaneous uploads, the last stored one sets the metadata, unless a revision has
      // deleted the bytes.
      let stored = try environment.blobs.info(blob)
      let isStored = stored?.digest == info.digest
      let known = try transaction.readable(paths.document)
      // A sweep may have removed a file without metadata as left by a crash.
      if stored == nil, !hadDocument, known == (nil, false) { throw Removed() }
      try endNote(of: info, paths, in: transaction)
      var document: Document?
      if hadDocument, blob == paths.image, isStored {
        document = try noteImage(info.sha256, isJoined: upload.isJoined, paths, in: transaction)
      }
      // New bytes revoke all download tokens.
      if upload.metadata == nil, known.document != nil {
        try transaction.ofService.eraseExisting([secret])
        return (document, nil)
      }
      let before = try transaction.readable(secret).document.flatMap { FileMetadata($0.fields) }
      var metadata = FileMetadata(
        sha256: info.sha256, md5: md5,
        generation: max(transaction.moment.microseconds, (before?.generation ?? 0) + 1),
        updated: transaction.moment)
      if let changes = upload.metadata { metadata.apply(changes) }
      metadata.tokens = upload.metadata?.tokens ?? []
      if isStored { try transaction.ofService.set(secret, metadata.fields(of: blob)) }
      return (
        document, upload.metadata.map { _ in DescribedFile(info: info, metadata: metadata) }
      )
    }
  }

  /// Stores the hash of a drawing's new image in its document.
  private func noteImage(
    _ sha256: String, isJoined: Bool = false, _ paths: DrawingPaths,
    in transaction: GatedTransaction
  ) throws -> Document? {
    let changes: Fields = ["imageIsRendered": false, "imageSHA256": .text(sha256)]
    guard isJoined else {
      return try transaction.stampedUpdate(paths.document, changes).value
    }
    guard var fields = try transaction.readable(paths.document).document?.fields.merging(changes)
    else { return nil }
    fields["rendersImageLater"] = nil
    return try transaction.ofService.set(paths.document, fields)
  }

  /// Stores the hash of a drawing's image in its document, after another program has stored the
  /// image, or after an upload was interrupted: then the hash must be in `announced`. Returns
  /// whether the hash has changed.
  @discardableResult
  func acceptImage(
    ofDrawing id: String, of uid: String, among announced: Set<String>? = nil
  ) throws -> Bool {
    let paths = try DrawingPaths(id, of: uid)
    return try gate.change { transaction in
      guard let document = try transaction.readable(paths.document).document,
        let info = try environment.blobs.info(paths.image),
        announced?.contains(info.sha256) ?? true, document["imageSHA256"]?.textValue != info.sha256
      else { return false }
      _ = try noteImage(info.sha256, paths, in: transaction)
      // New bytes revoke all download tokens.
      let secret = try paths.user.metadata(of: paths.image)
      let metadata = try transaction.readable(secret).document.flatMap { FileMetadata($0.fields) }
      if metadata?.sha256 != info.sha256 { try transaction.ofService.eraseExisting([secret]) }
      return true
    }
  }

  /// The metadata of a file of a drawing; nil if there is none.
  public func fileInfo(_ name: String, ofDrawing id: String, of uid: String) throws -> BlobInfo? {
    let path = try UserPaths(uid).folder(ofDrawing: id).blob(name)
    try gate.check(.read, .blob(path))
    return try environment.blobs.info(path)
  }

  /// Deletes one file of a drawing, and returns whether it existed. A recording can only be deleted
  /// together with its document.
  @discardableResult
  public func deleteFile(_ name: String, ofDrawing id: String, of uid: String) throws -> Bool {
    let paths = try DrawingPaths(id, of: uid)
    let blob = try paths.file(name)
    try gate.check(.delete, .blob(blob))
    let secret = try paths.user.metadata(of: blob)
    return try withLock(paths) {
      try gate.change(altersFiles: true) { transaction in
        let document = try transaction.readable(paths.document).document
        if let document, blob == paths.recording {
          throw StorageError(.alreadyExists, document.path.description)
        }
        try transaction.ofService.eraseExisting([secret])
        if let document, blob == paths.image, document["imageSHA256"] ?? .null != .null {
          // The service renders one when it is read again.
          try transaction.ofService.set(
            paths.document, DrawingRecord.rendersImageLater(document.fields))
        }
        return try environment.blobs.delete(blob)
      }
    }
  }

  /// Stores the document of a drawing whose recording is already stored, with the other fields of a
  /// submission. Renders missing pictures.
  @discardableResult
  public func submitStored(
    _ id: String, of uid: String, _ change: (inout Submission) throws -> Void
  ) throws -> DrawingRecord {
    let paths = try DrawingPaths(id, of: uid)
    return try repeated(paths) {
      let state = try FilesState(paths, environment)
      let recording = try file(DrawingFiles.recording, ofDrawing: id, of: uid)
      guard recording.info.sha256 == state.recording?.sha256 else { return nil }
      var submission = Submission(recording: recording.bytes)
      submission.id = id
      try change(&submission)
      try check(submission, paths)
      return try submit(submission, paths, withFilesOf: state)
    }
  }
}
