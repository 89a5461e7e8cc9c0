import Storage

/// Makes the document of a drawing again from its files, where the database has lost or damaged it.
///
/// What only the document knew is lost: the prompt, and the check-in that the drawing belonged to. Where a
/// damaged document can still be read as far as its recording's hash, and that is the file's, all that it
/// says is kept.
struct DocumentRecovery {
  let environment: ServiceEnvironment

  /// Makes a drawing's document again and says whether that was done: not where there is a sound one by now,
  /// or where there is no sound recording. Pictures that are missing or damaged are rendered again.
  func recover(_ id: String, of uid: String) throws -> Bool {
    let paths = try UserPaths(uid)
    let (path, folder) = (try paths.drawings.document(id), try paths.folder(ofDrawing: id))
    let place = try folder.blob(DrawingFiles.recording)
    guard let recording = try environment.blobs.uncheckedBytes(place),
      recording.count < DrawingFiles.sizeLimit, let file = try? PictureMaker.open(recording)
    else { return false }
    let info = try? environment.blobs.info(place)
    let hash = ContentHash.of(recording)

    var submission = DrawingService.Submission(recording: recording)
    submission.image = try soundImage(folder)
    submission.date = (file.firstMoment ?? info?.created).map { .at($0) } ?? .unknown
    let service = DrawingService(environment, as: .operator)
    var fields = service.fields(of: submission, in: folder)
    fields["recordingSHA256"] = .text(hash)
    fields["imageSHA256"] = submission.image.map { .text(ContentHash.of($0)) }
    if let image = submission.image, let rendered = try? service.maker.image(of: file),
      rendered == image
    {
      fields["imageIsRendered"] = .bool(true)
      fields["imageSHA256"] = nil
    }

    let isMade = try environment.documents.change(at: environment.now()) { transaction in
      let stored = try transaction.readable(path)
      guard try stored.document == nil && !transaction.wasDeleted(path),
        try environment.blobs.uncheckedBytes(place) == recording
      else { return false }
      var found = fields
      if let old = try transaction.uncheckedFields(path),
        old["recordingSHA256"]?.textValue == hash, Self.isSound(old, at: path)
      {
        found = old
      }
      found["updatedAt"] = .moment(transaction.moment)
      try Schemas.schema(for: path)?.check(found)
      // The ledger may have been lost with the document.
      if info == nil {
        try environment.blobs.put(
          place, contentType: "application/octet-stream", recording, at: transaction.moment)
      }
      if let image = submission.image,
        try environment.blobs.info(folder.blob(DrawingFiles.image)) == nil
      {
        try environment.blobs.put(
          folder.blob(DrawingFiles.image), contentType: "image/png", image, at: transaction.moment)
      }
      try transaction.set(path, found)
      return true
    }
    guard isMade else { return false }
    try service.rerender(id, of: uid, replacesImage: submission.image == nil)
    return true
  }

  /// The drawing's image, if it is a PNG that can be shown.
  private func soundImage(_ folder: BlobFolder) throws -> [UInt8]? {
    guard let bytes = try environment.blobs.uncheckedBytes(folder.blob(DrawingFiles.image)),
      bytes.count < DrawingFiles.sizeLimit, (try? PictureMaker.check(image: bytes)) != nil
    else { return nil }
    return bytes
  }

  private static func isSound(_ fields: Fields, at path: DocumentPath) -> Bool {
    (try? fields.check()) != nil && (try? Schemas.schema(for: path)?.check(fields)) != nil
  }
}
