package import Storage

extension Replica {
  private var drawings: DrawingService { DrawingService(environment, as: caller) }

  /// Joins a version of a drawing with the stored one. `place` is its origin; nil on a server.
  /// Returns nil if the version is stored now or was already.
  package func joinDrawing(
    _ change: SyncChange, from place: String?, sequence: inout Int64?
  ) throws -> SyncResult? {
    let path = try change.name.path(of: uid)
    switch change.content {
    case .deleted(let moment):
      return try joinDeletion(at: moment, of: path, sequence: &sequence)
    case .document(let fields):
      var stored = try environment.documents.read { try $0.readable(path).document }
      if let document = stored, DrawingRecord(document).nextRecordingSHA256 != nil {
        try drawings.finishRevision(ofDrawing: path.id, of: uid)
        stored = try environment.documents.read { try $0.readable(path).document }
      }
      let arrival = Arrival(change: change, fields: fields, path: path, place: place)
      guard let stored else {
        return try create(arrival, sequence: &sequence)
      }
      return try join(arrival, with: stored, sequence: &sequence)
    }
  }

  /// A version of a drawing that has arrived.
  private struct Arrival {
    let change: SyncChange
    let fields: Fields
    let path: DocumentPath
    let place: String?

    var updated: Moment { fields["updatedAt"]?.momentValue ?? Moment.supported.lowerBound }
    var recording: String? { change.sha256(of: DrawingFiles.recording) }
    var image: String? { change.sha256(of: DrawingFiles.image) }

    /// Whether the arriving version was written without knowledge of the stored one, and may have
    /// been under way for long. Ancestors alone do not show this, since a drawing may return to
    /// former bytes. But a device that has received a version writes a later time.
    func isOverdue(beside stored: Document) -> Bool {
      updated < stored["updatedAt"]?.momentValue ?? updated
    }
  }

  private func joinDeletion(
    at moment: Moment, of path: DocumentPath, sequence: inout Int64?
  ) throws -> SyncResult? {
    let stored = try environment.documents.read { try $0.readable(path).document }
    guard !environment.isTooFarAhead(moment, at: environment.now(), beside: stored?.fields) else {
      return .ahead(of: nil)
    }
    var result: SyncResult?
    var deleted: Int64?
    _ = try drawings.delete(path.id, of: uid) { transaction, path in
      let stored = try transaction.readable(path).document
      try gate.check(.delete, .document(path, now: stored?.fields))
      // A deletion must not delete ink that was drawn later.
      guard stored?["updatedAt"]?.momentValue ?? moment <= moment else {
        result = .superseded
        return false
      }
      if stored == nil, let deletion = try transaction.ofService.deletion(of: path),
        moment <= deletion.moment
      {
        return false
      }
      try transaction.ofService.noteDeletion(of: path, at: moment)
      deleted = try transaction.ofService.lastSequence()
      return stored != nil
    }
    sequence = deleted
    return result
  }

  // MARK: - New drawings

  private func create(
    _ arrival: Arrival, sequence: inout Int64?
  ) throws -> SyncResult? {
    let deletion = try environment.documents.read { try $0.deletion(of: arrival.path) }
    if let deletion, arrival.updated <= deletion.moment { return .superseded }
    guard let sha256 = arrival.recording else {
      return .refused(code: "no-recording", "a drawing needs the hash of its recording")
    }
    let recording = try bytes(DrawingFiles.recording, sha256, of: arrival)
    let image = try arrival.image.map { try bytes(DrawingFiles.image, $0, of: arrival) }
    var missing: [String] = []
    if recording == nil { missing.append(DrawingFiles.recording) }
    if let image, image == nil { missing.append(DrawingFiles.image) }
    guard missing.isEmpty, let recording else { return .needs(missing, has: nil) }
    var submission = DrawingService.Submission(recording: recording)
    submission.id = arrival.path.id
    submission.image = image ?? nil
    submission.rendersImageLater = true
    submission.synchronized = arrival.fields
    let record = try drawings.submit(submission, of: uid)
    sequence = record.document.sequence
    try removeStaged(arrival)
    return nil
  }

  // MARK: - Other versions

  private func join(
    _ arrival: Arrival, with stored: Document, sequence: inout Int64?
  ) throws -> SyncResult? {
    let mine = try recordingSHA256(of: stored)
    if let theirs = arrival.recording, theirs != mine, arrival.change.ancestors != [] {
      guard let ancestors = arrival.change.ancestors, ancestors.contains(mine),
        arrival.place != nil || !arrival.isOverdue(beside: stored)
      else { return .conflict(has: mine) }
      guard let recording = try bytes(DrawingFiles.recording, theirs, of: arrival) else {
        return .needs([DrawingFiles.recording], has: mine)
      }
      try check(arrival, stored)
      let record: DrawingRecord
      do {
        record = try drawings.revise(
          recording, ofDrawing: arrival.path.id, of: uid, replacing: .named([mine]),
          keepingBaseExceptFor: arrival.place
        ) { joined($0, arrival.fields, withInk: true, words: .given) }
      } catch ServiceError.changedSince {
        return .failed(code: "changed", "it was changed at the same time")
      }
      sequence = record.document.sequence
      try removeStaged(arrival)
      // An image that came along belongs to the new recording.
      return try joinImage(arrival, record.document, isOfNewInk: true, sequence: &sequence)
    }
    if let result = try joinImage(arrival, stored, sequence: &sequence) { return result }
    try check(arrival, stored)
    let changed = try gate.change { transaction -> Int64? in
      guard let now = try transaction.readable(arrival.path).document else { return nil }
      // A device now knows that a place returned to an old recording of its own. Later versions get
      // a later time.
      let then = joined(
        now.fields, arrival.fields, withInk: arrival.recording == mine || arrival.place != nil,
        words: arrival.recording ?? mine == mine ? .later : .stored)
      guard then != now.fields else { return nil }
      try transaction.check(.update, .document(arrival.path, now: now.fields, then: then))
      return try transaction.ofService.set(arrival.path, then).sequence
    }
    sequence = changed ?? sequence
    return nil
  }

  /// Stores an image that an app has uploaded elsewhere, if it belongs to the same recording and is
  /// newer.
  private func joinImage(
    _ arrival: Arrival, _ stored: Document, isOfNewInk: Bool = false, sequence: inout Int64?
  ) throws -> SyncResult? {
    // The service renders the image of a member's ink.
    guard !isOfMember, let image = arrival.image, image != stored["imageSHA256"]?.textValue,
      arrival.recording == stored["recordingSHA256"]?.textValue,
      isOfNewInk || stored["updatedAt"]?.momentValue ?? arrival.updated <= arrival.updated
    else { return nil }
    guard let bytes = try bytes(DrawingFiles.image, image, of: arrival) else {
      return .needs([DrawingFiles.image], has: arrival.recording)
    }
    var upload = DrawingService.Upload(DrawingFiles.image, bytes)
    upload.isJoined = true
    let stored = try drawings.put(upload, ofDrawing: arrival.path.id, of: uid)
    sequence = stored.document?.sequence ?? sequence
    try staged.remove(image)
    return nil
  }

  /// The version from which the recognized words are taken.
  enum WordSource { case stored, given, later }

  /// The fields of a drawing after joining another version: the later content, and the latest time
  /// of change. If the ink differs, the words come with the ink: a revision changes them without
  /// changing the other content.
  func joined(
    _ stored: Fields, _ given: Fields, withInk: Bool, words: WordSource
  ) -> Fields {
    let kind = DocumentKind.drawings
    let given = isOfMember ? Self.ofMember(given, stored) : given
    let isNewer = SyncOrder(of: stored, in: kind) < SyncOrder(of: given, in: kind)
    var fields = kind.content(of: isNewer ? given : stored)
      .merging(kind.local(of: stored))
    if words != .later {
      let source = words == .given ? given : stored
      fields[DrawingRecord.recognizedTextField] = source[DrawingRecord.recognizedTextField]
    }
    let described = kind.moment(of: isNewer ? given : stored)
    // If a version has an old recording, only its description counts.
    let updates = [
      described, stored["updatedAt"]?.momentValue, withInk ? given["updatedAt"]?.momentValue : nil,
    ]
    let updated = updates.compactMap { $0 }.max() ?? described
    fields["updatedAt"] = .moment(updated)
    fields["describedAt"] = described < updated ? .moment(described) : nil
    return fields
  }

  /// A member's version, with the stored values of the fields that only the owner may change.
  private static func ofMember(_ given: Fields, _ stored: Fields) -> Fields {
    let isOwners = { (name: String) in !DrawingRecord.fieldsOfMembers.contains(name) }
    return Fields(given.all.filter { !isOwners($0.0) })
      .merging(Fields(stored.all.filter { isOwners($0.0) }))
  }

  /// Throws if the caller may not store this, or a field is not valid.
  private func check(_ arrival: Arrival, _ stored: Document) throws {
    let then = joined(stored.fields, arrival.fields, withInk: true, words: .given)
    try gate.check(.update, .document(arrival.path, now: stored.fields, then: then))
    try environment.application.check(
      then, for: arrival.path, stored: stored.fields,
      now: environment.judgingTime(at: environment.now(), beside: stored.fields))
  }

  // MARK: - Files

  /// The hash of a drawing's recording, which documents of older programs do not have.
  package func recordingSHA256(of document: Document) throws -> String {
    if let sha256 = document["recordingSHA256"]?.textValue { return sha256 }
    let blob = try paths.folder(ofDrawing: document.id).blob(DrawingFiles.recording)
    return try environment.blobs.info(blob)?.sha256 ?? ""
  }

  /// The bytes of a file that came with a version, or in pieces before it; nil if bytes are
  /// missing.
  private func bytes(_ name: String, _ sha256: String, of arrival: Arrival) throws -> [UInt8]? {
    guard let file = arrival.change.files.first(where: { $0.name == name && $0.sha256 == sha256 })
    else { return try staged.file(sha256) }
    var bytes = file.bytes
    if let base = file.base {
      let blob = try paths.folder(ofDrawing: arrival.path.id).blob(name)
      guard let stored = try environment.blobs.get(blob), stored.info.sha256 == base.sha256,
        stored.bytes.count >= base.count
      else { return nil }
      bytes = stored.bytes[..<base.count] + bytes
    }
    guard ContentHash.of(bytes) == sha256 else {
      throw ServiceError.badRequest("the bytes of \(name) have another hash")
    }
    return bytes
  }

  private func removeStaged(_ arrival: Arrival) throws {
    let staged = staged
    for sha256 in [arrival.recording, arrival.image].compactMap({ $0 }) {
      // Files that came with the version were not staged.
      guard !arrival.change.files.contains(where: { $0.sha256 == sha256 }) else { continue }
      try staged.remove(sha256)
    }
  }
}
