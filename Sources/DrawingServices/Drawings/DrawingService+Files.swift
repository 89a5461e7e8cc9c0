import Checksums
public import Storage

extension DrawingService {
  /// Stores one file of a drawing, before or after its document. A recording that a document describes is replaced by
  /// `revise` only.
  @discardableResult
  public func putFile(
    _ name: String, _ bytes: [UInt8], ofDrawing id: String, of uid: String
  ) throws -> BlobInfo {
    try store(name, bytes, ofDrawing: id, of: uid, describedBy: nil).info
  }

  /// Stores a file with what is said about it; nil for nothing.
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
    if let document {
      // Whoever completes an interrupted revision later would delete the image.
      if DrawingRecord(document).nextRecordingSHA256 != nil {
        try finishRevision(ofDrawing: id, of: uid)
      }
    } else {
      // What will be refused leaves no note.
      try gate.checkQuota([bytes.count], replacing: [name], in: folder)
      try begin(path, in: paths)
    }
    let content = BlobContent(name, contentType: DrawingFiles.contentType(of: name), bytes)
    let infos = try environment.blobs.put([content], in: folder, at: environment.now())
    guard let info = infos.first else { throw StorageError(.notFound, blob.description) }
    return (
      info, try describe(info, md5, by: changes, hadDocument: document != nil, path, paths)
    )
  }

  /// Stores what is said about a file, after its bytes. A file without a document is always described: what was
  /// acknowledged belongs to its user, and is none that a crash has left. Returns nil if a client has said nothing.
  private func describe(
    _ info: BlobInfo, _ md5: [UInt8], by changes: FileMetadata.Changes?, hadDocument: Bool,
    _ path: DocumentPath, _ paths: UserPaths
  ) throws -> FileMetadata? {
    let (blob, secret) = (info.path, try paths.metadata(of: info.path))
    return try gate.change { transaction in
      try transaction.ofService.erase(paths.begun.document(path.id))
      // Of two uploads at once, the one whose bytes were stored last says what they are, unless a revision has deleted them.
      let isStored = try environment.blobs.info(blob)?.digest == info.digest
      if hadDocument, blob.name == DrawingFiles.image, isStored {
        try transaction.stampedUpdate(
          path, ["imageIsRendered": false, "imageSHA256": .text(info.sha256)])
      }
      // Who had a token for other bytes has none for these.
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

  /// Notes in the document of a drawing which image its file is, after another program has stored that file.
  func acceptImage(ofDrawing id: String, of uid: String) throws {
    let paths = try UserPaths(uid)
    let (path, blob) = (
      try paths.drawings.document(id), try paths.folder(ofDrawing: id).blob(DrawingFiles.image)
    )
    try gate.change { transaction in
      guard try transaction.readable(path).document != nil,
        let info = try environment.blobs.info(blob)
      else { return }
      try transaction.stampedUpdate(
        path, ["imageIsRendered": false, "imageSHA256": .text(info.sha256)])
    }
  }

  /// The metadata of a file of a drawing; nil if there is none.
  public func fileInfo(_ name: String, ofDrawing id: String, of uid: String) throws -> BlobInfo? {
    let path = try UserPaths(uid).folder(ofDrawing: id).blob(name)
    try gate.check(.read, .blob(path))
    return try environment.blobs.info(path)
  }

  /// Deletes one file of a drawing, and returns whether it existed. The recording of a drawing goes with its
  /// document only.
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

  /// Stores the document of a drawing whose recording is stored already, with its other fields from a submission,
  /// and renders what is missing.
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

  /// The image that was uploaded for a drawing, before its document or with it; nil if the service renders it.
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
