import Storage

/// Recreates a lost or damaged document of a drawing from its files.
///
/// Data that only the document had is lost: the prompt and the check-in of the drawing. If a
/// damaged document can still be parsed, and its hash matches the recording, all its fields are
/// kept.
struct DocumentRecovery {
  let environment: ServiceEnvironment

  /// Recreates the document of a drawing and renders missing or damaged pictures. Returns false if
  /// there is an intact document, or no intact recording.
  func recover(_ id: String, of uid: String) throws -> Bool {
    let paths = try UserPaths(uid)
    let (path, folder) = (try paths.drawings.document(id), try paths.folder(ofDrawing: id))
    let recordingPath = try folder.blob(DrawingFiles.recording)
    guard let recording = try environment.blobs.uncheckedBytes(recordingPath),
      recording.count < DrawingFiles.sizeLimit, let file = try? PictureMaker.open(recording)
    else { return false }
    let info = try? environment.blobs.info(recordingPath)
    let hash = ContentHash.of(recording)

    var submission = DrawingService.Submission(recording: recording)
    submission.image = try validImage(folder)
    submission.date = (file.firstMoment ?? info?.created).map { .at($0) } ?? .unknown
    let service = DrawingService(environment, as: .operator)
    var fields = service.fields(of: submission, in: folder)
    let words = file.words.map { FieldValue.map($0.fields) }
    fields[DrawingRecord.recognizedTextField] = words
    fields["recordingSHA256"] = .text(hash)
    fields["imageSHA256"] = submission.image.map { .text(ContentHash.of($0)) }
    if let image = submission.image, let rendered = try? service.maker.image(of: file),
      rendered == image
    {
      fields["imageIsRendered"] = .bool(true)
      fields["imageSHA256"] = nil
    }

    let isRecovered = try environment.documents.change(at: environment.now(), isBarrier: true) {
      transaction in
      let stored = try transaction.readable(path)
      guard try stored.document == nil && !transaction.wasErased(path),
        try environment.blobs.uncheckedBytes(recordingPath) == recording
      else { return false }
      var (found, image) = (fields, submission.image)
      if let old = try transaction.uncheckedFields(path), isValid(old, at: path) {
        if old["recordingSHA256"]?.textValue == hash {
          found = old
        } else if old["nextRecordingSHA256"]?.textValue == hash {
          // A revision was interrupted: the image is that of the former recording.
          found = DrawingRecord.rendersImageLater(old).merging(["recordingSHA256": .text(hash)])
          found[DrawingRecord.recognizedTextField] = words
          image = nil
          try environment.blobs.delete(folder.blob(DrawingFiles.image))
        }
      }
      found["nextRecordingSHA256"] = nil
      found["updatedAt"] = .moment(transaction.moment)
      try environment.application.schema(for: path)?.check(found)
      // The ledger may have been lost with the document.
      if info == nil {
        try environment.blobs.put(
          recordingPath, contentType: "application/octet-stream", recording, at: transaction.moment)
      }
      if let image, (try? environment.blobs.info(folder.blob(DrawingFiles.image))) == nil {
        try environment.blobs.put(
          folder.blob(DrawingFiles.image), contentType: "image/png", image, at: transaction.moment)
      }
      try transaction.set(path, found)
      return true
    }
    guard isRecovered else { return false }
    try service.rerender(id, of: uid, replacesImage: submission.image == nil)
    return true
  }

  /// The image of the drawing, if it is a valid PNG.
  private func validImage(_ folder: BlobFolder) throws -> [UInt8]? {
    guard let bytes = try environment.blobs.uncheckedBytes(folder.blob(DrawingFiles.image)),
      bytes.count < DrawingFiles.sizeLimit, (try? PictureMaker.check(image: bytes)) != nil
    else { return nil }
    return bytes
  }

  private func isValid(_ fields: Fields, at path: DocumentPath) -> Bool {
    (try? fields.check()) != nil
      && (try? environment.application.schema(for: path)?.check(fields)) != nil
  }
}
