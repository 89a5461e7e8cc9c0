import Checksums
public import Storage

extension DrawingService {
  /// Stores one file of a drawing, before or after its document. Only `revise` replaces the
  /// recording of a drawing that has a document.
  @discardableResult
  public func putFile(
    _ name: String, _ bytes: [UInt8], ofDrawing id: String, of uid: String
  ) throws -> BlobInfo {
    try store(name, bytes, ofDrawing: id, of: uid, describedBy: nil).info
  }

  /// Stores a file with its metadata from a client; nil for none.
  func store(
    _ name: String, _ bytes: [UInt8], ofDrawing id: String, of uid: String,
    describedBy changes: FileMetadata.Changes?
  ) throws -> (info: BlobInfo, metadata: FileMetadata?) {
    let paths = try UserPaths(uid)
    let (path, folder) = (try paths.drawings.document(id), try paths.folder(ofDrawing: id))
    let blob = try folder.blob(name)
    try gate.check(.update, .blob(blob, size: bytes.count))
    guard bytes.count < DrawingFiles.sizeLimit else {
      throw ServiceError.tooLarge(file: name, limit: DrawingFiles.sizeLimit)
    }
    let md5 = MD5.of(bytes)
    if let wanted = changes?.md5, wanted != md5 {
      throw ServiceError.badRequest("the MD5 of the bytes is another one")
    }
    if let wanted = changes?.crc32c,
      wanted.reduce(0, { $0 << 8 | UInt32($1) }) != Checksum.of(bytes)
    {
      throw ServiceError.badRequest("the CRC-32C of the bytes is another one")
    }
    if name == DrawingFiles.recording {
      _ = try PictureMaker.open(bytes)
    } else {
      try PictureMaker.check(image: bytes)
    }
    let document = try environment.documents.read { try $0.readable(path).document }
    if let document, name == DrawingFiles.recording {
      guard let stored = try environment.blobs.get(blob), stored.bytes == bytes else {
        throw StorageError(.alreadyExists, document.path.description)
      }
      guard let changes else { return (stored.info, nil) }
      let metadata = try describe(stored.info, md5, by: changes, hadDocument: true, path, paths)
      return (stored.info, metadata)
    }
    // Checked before the note is written, so that a refused upload leaves none.
    try gate.checkQuota([bytes.count], replacing: [name], in: folder)
    let content = BlobContent(name, contentType: DrawingFiles.contentType(of: name), bytes)
    for _ in 0..<Self.attempts {
      if let document {
        // Completing the interrupted revision later would delete the image.
        if DrawingRecord(document).nextRecordingSHA256 != nil {
          try finishRevision(ofDrawing: id, of: uid)
        }
        if name == DrawingFiles.image {
          try announce(image: ContentHash.of(bytes), of: path, in: paths)
        }
      } else {
        try begin(path, in: paths)
      }
      let infos = try environment.blobs.put([content], in: folder, at: environment.now())
      guard let info = infos.first else { throw StorageError(.notFound, blob.description) }
      do {
        return (
          info, try describe(info, md5, by: changes, hadDocument: document != nil, path, paths)
        )
      } catch is Removed {}
    }
    throw StorageError(
      .unavailable("another program has removed it while it was stored"), blob.description)
  }

  /// Maximum number of attempts to store a file. A sweep for files of any age may remove the file
  /// before its metadata is stored.
  private static let attempts = 8

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
  private func announce(
    image sha256: String, of path: DocumentPath, in paths: UserPaths
  ) throws {
    try gate.change { transaction in
      let note = try paths.begun.document(path.id)
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
    of info: BlobInfo, _ path: DocumentPath, _ paths: UserPaths, in transaction: GatedTransaction
  ) throws {
    let note = try paths.begun.document(path.id)
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
  /// metadata, which marks it as acknowledged and not left by a crash. Returns nil if the client
  /// has sent no metadata.
  private func describe(
    _ info: BlobInfo, _ md5: [UInt8], by changes: FileMetadata.Changes?, hadDocument: Bool,
    _ path: DocumentPath, _ paths: UserPaths
  ) throws -> FileMetadata? {
    let (blob, secret) = (info.path, try paths.metadata(of: info.path))
    return try gate.change { transaction in
      // Of two simultaneous uploads, the last stored one sets the metadata, unless a revision has
      // deleted the bytes.
      let stored = try environment.blobs.info(blob)
      let isStored = stored?.digest == info.digest
      // A sweep may have removed a file without metadata as left by a crash.
      if stored == nil, !hadDocument, try transaction.readable(path) == (nil, false) {
        throw Removed()
      }
      try endNote(of: info, path, paths, in: transaction)
      if hadDocument, blob.name == DrawingFiles.image, isStored {
        try transaction.stampedUpdate(
          path, ["imageIsRendered": false, "imageSHA256": .text(info.sha256)])
      }
      // New bytes revoke all download tokens.
      if changes == nil, try transaction.readable(path).document != nil {
        try transaction.ofService.eraseExisting([secret])
        return nil
      }
      let before = try transaction.readable(secret).document.flatMap { FileMetadata($0.fields) }
      var metadata = FileMetadata(
        sha256: info.sha256, md5: md5,
        generation: max(transaction.moment.microseconds, (before?.generation ?? 0) + 1),
        updated: transaction.moment)
      if let changes { metadata.apply(changes) }
      metadata.tokens = changes?.tokens ?? []
      if isStored { try transaction.ofService.set(secret, metadata.fields(of: blob)) }
      return changes == nil ? nil : metadata
    }
  }

  /// Stores the hash of a drawing's image in its document, after another program has stored the
  /// image, or after an upload was interrupted: then the hash must be in `announced`. Returns
  /// whether the hash has changed.
  @discardableResult
  func acceptImage(
    ofDrawing id: String, of uid: String, among announced: Set<String>? = nil
  ) throws -> Bool {
    let paths = try UserPaths(uid)
    let (path, blob) = (
      try paths.drawings.document(id), try paths.folder(ofDrawing: id).blob(DrawingFiles.image)
    )
    return try gate.change { transaction in
      guard let document = try transaction.readable(path).document,
        let info = try environment.blobs.info(blob), announced?.contains(info.sha256) ?? true,
        document["imageSHA256"]?.textValue != info.sha256
      else { return false }
      try transaction.stampedUpdate(
        path, ["imageIsRendered": false, "imageSHA256": .text(info.sha256)])
      // New bytes revoke all download tokens.
      let secret = try paths.metadata(of: blob)
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
    let paths = try UserPaths(uid)
    let blob = try paths.folder(ofDrawing: id).blob(name)
    try gate.check(.delete, .blob(blob))
    let document = try paths.drawings.document(id)
    if name == DrawingFiles.recording,
      try environment.documents.read({ try $0.readable(document).document }) != nil
    {
      throw StorageError(.alreadyExists, document.description)
    }
    let secret = try paths.metadata(of: blob)
    return try environment.documents.changeWithFiles(at: environment.now()) { transaction in
      try transaction.eraseExisting([secret])
      return try environment.blobs.delete(blob)
    }
  }

  /// Stores the document of a drawing whose recording is already stored, with the other fields of a
  /// submission. Renders missing pictures.
  @discardableResult
  public func submitStored(
    _ id: String, of uid: String, _ change: (inout Submission) throws -> Void
  ) throws -> DrawingRecord {
    let recording = try file(DrawingFiles.recording, ofDrawing: id, of: uid)
    var submission = Submission(recording: recording.bytes)
    submission.id = id
    submission.image = try storedImage(ofDrawing: id, of: uid)
    try change(&submission)
    return try submit(submission, of: uid)
  }

  /// The image that was uploaded for a drawing, before its document or with it; nil if the service
  /// renders the image.
  public func storedImage(ofDrawing id: String, of uid: String) throws -> [UInt8]? {
    let paths = try UserPaths(uid)
    let image = try paths.folder(ofDrawing: id).blob(DrawingFiles.image)
    try gate.check(.read, .blob(image))
    let path = try paths.drawings.document(id)
    let document = try environment.documents.read { try $0.readable(path).document }
    if let document, document["imageSHA256"] ?? .null == .null { return nil }
    return try environment.blobs.get(image)?.bytes
  }
}
