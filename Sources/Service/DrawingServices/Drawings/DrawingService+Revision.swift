import Storage
import Strokes

// Replacing the recording of a drawing by a newer one. Each step is durable before the next one
// begins:
//
//     document                      files
//     recording A                   A
//     recording A, next B           A
//     recording A, next B           B, thumbnail of A or B, with or without an image of A
//     recording B, words of B       B, thumbnail of B, no image
//
// So the recording file is always one that the document names, and an interrupted revision can be
// completed or undone. Transactions do not wait for files: a lock of revisions excludes other
// revisions, and the file store replaces only the recording that was read under this lock, even if
// the drawing is deleted or stored meanwhile.

extension DrawingService {
  /// The recording that a revision may replace.
  public enum FormerRecording: Hashable, Sendable {
    /// Any stored recording.
    case any
    /// One with a SHA-256 among these, in hexadecimal digits: all 64, or at least the first 32.
    case named([String])

    func includes(_ sha256: String) -> Bool {
      switch self {
      case .any: true
      case .named(let names): names.contains { $0.utf8.count >= 32 && sha256.hasPrefix($0) }
      }
    }
  }

  /// Replaces the recording of a drawing by a newer one, and its thumbnail. The image, even an
  /// uploaded one, no longer shows the drawing: a new one is rendered on first read. The newer
  /// recording's words replace the recognized words. All other fields of the document stay.
  ///
  /// Throws `ServiceError.changedSince` and changes nothing if there is no such drawing, or if its
  /// recording is not the former one. Sending the same recording again is no error, whatever
  /// `former` is: the client may have missed the response.
  @discardableResult
  public func revise(
    _ recording: [UInt8], ofDrawing id: String, of uid: String, replacing former: FormerRecording
  ) throws -> DrawingRecord {
    try revise(recording, ofDrawing: id, of: uid, replacing: former, keepingBaseExceptFor: nil)
  }

  /// Like `revise`, with a recording that contains entries of the drawing's room.
  func reviseForRoom(
    _ recording: [UInt8], ofDrawing id: String, of uid: String, replacing former: FormerRecording
  ) throws {
    _ = try revise(
      recording, ofDrawing: id, of: uid, replacing: former, keepingBaseExceptFor: nil,
      isOfRoom: true)
  }

  /// Like `revise`. `change` computes the document's new fields from its old ones. The former
  /// recording is kept as merge base for all places that this device synchronizes with, except for
  /// one.
  func revise(
    _ recording: [UInt8], ofDrawing id: String, of uid: String, replacing former: FormerRecording,
    keepingBaseExceptFor place: String?, isOfRoom: Bool = false,
    then change: ((Fields) -> Fields)? = nil
  ) throws -> DrawingRecord {
    let paths = try DrawingPaths(id, of: uid)
    try check(.update, paths.recording, recording.count)
    // Whoever revises the drawing first merges with what was drawn in its room.
    if !isOfRoom { try RoomService.takeIn(id, of: uid, in: environment) }
    let sha256 = ContentHash.of(recording)
    // Refuse before the work of rendering.
    guard let document = try gate.read({ try $0.document(paths.document) }),
      let stored = try environment.blobs.info(paths.recording),
      stored.sha256 == sha256 || former.includes(stored.sha256)
    else { throw ServiceError.changedSince }
    let known = DrawingRecord(document).recordings
    let isRepeated = stored.sha256 == sha256 && known.contains(sha256)
    // The former recording is deleted, and so is its image.
    if !isRepeated {
      try gate.checkQuota([recording.count], replacing: nil, in: paths.folder)
    }
    let contents = isRepeated ? nil : try contents(ofRevision: recording)

    let (record, replaced) = try withLock(paths) {
      guard let record = try finishRevision(of: paths)?.record,
        let stored = try environment.blobs.info(paths.recording)
      else { throw ServiceError.changedSince }
      if stored.sha256 == sha256, record.recordingSHA256 == sha256 { return (record, "") }
      guard stored.sha256 == sha256 || former.includes(stored.sha256) else {
        throw ServiceError.changedSince
      }
      let contents = try contents ?? self.contents(ofRevision: recording)
      try InkBases(environment, of: uid).keep(paths.recording, exceptFor: place)
      try announce(sha256, for: paths)
      try replace(stored, by: contents.files, of: paths)
      return (
        try complete(sha256, words: contents.words, of: paths, then: change), stored.sha256
      )
    }
    if !replaced.isEmpty, replaced != sha256 {
      _ = try? Self.deleteRenditions(ofRecording: replaced, in: environment.cache)
    }
    return record
  }

  /// Completes an interrupted revision of a drawing, or undoes it if its recording was not stored
  /// yet. Returns whether there was one. Waits for a running revision.
  @discardableResult
  func finishRevision(ofDrawing id: String, of uid: String) throws -> Bool {
    let paths = try DrawingPaths(id, of: uid)
    return try withLock(paths) {
      try finishRevision(of: paths)?.wasInterrupted ?? false
    }
  }

  /// The files that a revision stores, and the words of the recording. The recording comes first:
  /// its name decides which recording the drawing has.
  private func contents(
    ofRevision recording: [UInt8]
  ) throws -> (files: [BlobContent], words: RecognizedText?) {
    let drawn = try PictureMaker.open(recording)
    let files = [
      BlobContent(DrawingFiles.recording, contentType: "application/octet-stream", recording),
      BlobContent(DrawingFiles.thumbnail, contentType: "image/png", try maker.thumbnail(of: drawn)),
    ]
    return (files, drawn.words)
  }

  // MARK: - Steps

  /// Stores the hash of the next recording in the document.
  private func announce(_ sha256: String, for paths: DrawingPaths) throws {
    try gate.of(paths.user.profile.id).change { transaction in
      guard try transaction.stored(paths.document) != nil else { throw ServiceError.changedSince }
      try transaction.update(paths.document, ["nextRecordingSHA256": .text(sha256)])
    }
  }

  /// Replaces the files of a drawing. If that fails and the former recording is still stored,
  /// restores the document too.
  private func replace(_ stored: BlobInfo, by contents: [BlobContent], of paths: DrawingPaths)
    throws
  {
    let infos: [BlobInfo]?
    do throws(StorageError) {
      infos = try environment.blobs.put(
        contents, deleting: [DrawingFiles.image], beside: stored, at: environment.now())
    } catch {
      // A new recording whose name may not be durable stays announced until the revision is
      // completed.
      if (try? environment.blobs.info(paths.recording)) == stored { try? withdraw(paths) }
      throw error
    }
    // The drawing was deleted, and perhaps another one now has its name.
    guard infos != nil else {
      try withdraw(paths)
      throw ServiceError.changedSince
    }
  }

  /// Removes the hash of the next recording from the document.
  private func withdraw(_ paths: DrawingPaths) throws {
    try environment.documents.change(at: environment.now()) { transaction in
      guard var fields = try transaction.document(paths.document)?.fields,
        fields["nextRecordingSHA256"] != nil
      else { return }
      fields["nextRecordingSHA256"] = nil
      try transaction.set(paths.document, fields)
    }
  }

  /// Stores in the document the hash of the new recording, whose files are durable.
  private func complete(
    _ sha256: String, words: RecognizedText?, of paths: DrawingPaths,
    then change: ((Fields) -> Fields)? = nil
  ) throws -> DrawingRecord {
    // The access, and the version that the caller expects, were checked when the revision was
    // announced. A member whose role has ended since leaves no half of a revision.
    var gate = gate.of(paths.user.profile.id)
    (gate.expected, gate.wasChecked) = (nil, true)
    return try gate.change { transaction in
      // An operator may have replaced all fields. Then the file's hash identifies the drawing.
      guard let document = try transaction.stored(paths.document),
        try document["nextRecordingSHA256"]?.textValue == sha256
          || environment.blobs.info(paths.recording)?.sha256 == sha256
      else { throw ServiceError.changedSince }
      var fields = document.fields
      var replaced = [DrawingFiles.recording, DrawingFiles.thumbnail]
      if let former = document["recordingSHA256"], former.textValue != sha256 {
        let known = document["formerRecordings"]?.listValue ?? []
        fields["formerRecordings"] = .list(
          known.suffix(DrawingRecord.formerRecordingLimit - 1) + [former])
      }
      if document["recordingSHA256"]?.textValue != sha256 {
        // Recognized words belong to one recording.
        fields[DrawingRecord.recognizedTextField] = words.map { .map($0.fields) }
      }
      fields["recordingSHA256"] = .text(sha256)
      fields["nextRecordingSHA256"] = nil
      // An image that was uploaded since the files were replaced stays.
      let image = try environment.blobs.info(paths.image)?.sha256
      if image == nil || document["imageSHA256"]?.textValue != image {
        fields = DrawingRecord.rendersImageLater(fields)
        replaced.append(DrawingFiles.image)
      }
      // A token for the former bytes does not open the new ones.
      try transaction.ofService.eraseExisting(
        replaced.map { try paths.user.metadata(of: paths.file($0)) })
      if let change {
        let document = try transaction.ofService.set(paths.document, change(fields))
        return DrawingRecord(document)
      }
      // The other fields keep their time of change.
      fields["describedAt"] = fields["describedAt"] ?? fields["updatedAt"]
      fields["updatedAt"] = nil
      return DrawingRecord(
        try transaction.replace(paths.document, fields, isRevision: true).value)
    }
  }

  // MARK: - Interruptions

  /// Completes or undoes an interrupted revision; the caller holds the lock, so none is running.
  /// Nil if there is no drawing.
  func finishRevision(
    of paths: DrawingPaths
  ) throws -> (record: DrawingRecord, wasInterrupted: Bool)? {
    guard let document = try environment.documents.document(paths.document) else { return nil }
    let record = DrawingRecord(document)
    // A recording with a hash that is not in the document is damage, which the operator must
    // examine.
    guard let next = record.nextRecordingSHA256,
      let recording = try environment.blobs.get(paths.recording),
      recording.info.sha256 == next
        || recording.info.sha256 == record.recordingSHA256 ?? recording.info.sha256
    else { return (record, false) }
    // The thumbnail may be that of the other recording, and the new recording's name may not be
    // durable.
    let (files, words) = try contents(ofRevision: recording.bytes)
    var contents = files
    let isNew = recording.info.sha256 == next
    if !isNew { contents.removeFirst() }
    let infos = try environment.blobs.put(
      contents, deleting: isNew ? [DrawingFiles.image] : [], beside: recording.info,
      at: environment.now())
    // The drawing was deleted.
    guard infos != nil else { return nil }
    guard isNew else {
      try withdraw(paths)
      return try environment.documents.document(paths.document).map { (DrawingRecord($0), true) }
    }
    if let former = record.recordingSHA256, former != next {
      _ = try? Self.deleteRenditions(ofRecording: former, in: environment.cache)
    }
    return (try complete(next, words: words, of: paths), true)
  }

  /// Whether a revision of a drawing was interrupted, as opposed to still running when it was read.
  func isRevisionInterrupted(_ record: DrawingRecord, of uid: String) throws -> Bool {
    guard record.nextRecordingSHA256 != nil else { return false }
    return try withLock(DrawingPaths(record.id, of: uid)) {
      try Upkeep.isCurrent(record, in: environment)
    }
  }
}

extension DrawingRecord {
  /// The fields of a drawing whose image is rendered when it is first read.
  static func rendersImageLater(_ fields: Fields) -> Fields {
    var fields = fields.merging(["imageIsRendered": true, "rendersImageLater": true])
    fields["imageSHA256"] = nil
    return fields
  }
}
