public import Storage
public import Strokes

/// Drawings: their files and their documents, kept consistent.
///
/// Files are written before the document and deleted after it. After a crash every document has its
/// files, and a sweep removes files without a document.
public struct DrawingService: Sendable {
  let gate: AccessGate
  var environment: ServiceEnvironment { gate.environment }
  var maker: PictureMaker { PictureMaker(settings: environment.settings) }

  /// Drawings with the access of a caller.
  /// With `expecting`, changes only a document that still has this sequence number.
  public init(
    _ environment: ServiceEnvironment, as caller: Caller, expecting sequence: Int64? = nil
  ) {
    gate = AccessGate(environment, as: caller, expecting: sequence)
  }

  /// Drawings with the access of a caller, who sees no drawing as its member.
  package init(ofOwner environment: ServiceEnvironment, as caller: Caller) {
    var gate = AccessGate(environment, as: caller)
    gate.admitsMembers = false
    self.gate = gate
  }

  /// A drawing to store.
  public struct Submission: Sendable {
    /// The recording: a PencilKit archive or a `.pkd` file. Its bytes are stored unchanged.
    public var recording: [UInt8]
    /// The image as PNG; nil to render it.
    public var image: [UInt8]?
    /// Whether a missing image is rendered on first read instead of now. Rendering takes most of
    /// the time of a submit, and many images are never read. The first reader waits for it.
    public var rendersImageLater = false
    /// The id; nil for a new one. Submitting the same recording again with the same id is not an
    /// error.
    public var id: String?
    /// The check-in that it belongs to; nil for none.
    public var checkInID: String?
    /// Whether it was drawn during a check-in; if nil, true for drawings with a `checkInID`.
    public var isFromCheckIn: Bool?
    /// The prompt that the user was given.
    public var promptUsed: String?
    /// The words in it; nil for the words in the recording.
    public var recognizedText: RecognizedText?
    /// The time zone in which it was drawn, in minutes east of Greenwich; zero if nil.
    public var timezoneOffsetMinutes: Int?
    /// When it was drawn.
    public var date = Date.now
    /// The fields of the document at the place that sent the drawing. They replace the fields
    /// above.
    var synchronized: Fields?

    /// A submission with a recording and defaults for everything else.
    public init(recording: [UInt8]) { self.recording = recording }

    /// The source of a drawing's date.
    public enum Date: Hashable, Sendable {
      /// The current time.
      case now
      case at(Moment)
      /// The date of the first stroke; unknown if the recording has none.
      case ofFirstStroke
      /// No date.
      case unknown
    }
  }

  /// Stores a drawing with image and thumbnail. Renders missing pictures; the image later if
  /// requested.
  @discardableResult
  public func submit(_ submission: Submission, of uid: String) throws -> DrawingRecord {
    let paths = try DrawingPaths(submission.id ?? environment.newID(), of: uid)
    try check(submission, paths)
    let isNew = submission.id == nil
    let record = try submit(submission, paths, beside: isNew ? (nil, false) : stored(paths)) {
      true
    }
    guard let record else { preconditionFailure("files that may change have changed") }
    return record
  }

  /// The stored document of a drawing; nil if it is missing or damaged, and whether it is damaged.
  func stored(_ paths: DrawingPaths) throws -> (document: Document?, isDamaged: Bool) {
    try environment.documents.read { try $0.readable(paths.document) }
  }

  /// Stores a drawing that `check` has allowed, beside the document that was stored then. Returns
  /// nil if `isCurrent` says so, which is asked before the first write, while nobody else writes.
  func submit(
    _ submission: Submission, _ paths: DrawingPaths,
    beside stored: (document: Document?, isDamaged: Bool), if isCurrent: () throws -> Bool
  ) throws -> DrawingRecord? {
    var fields = fields(of: submission, in: paths.folder)
    if let document = stored.document { return try retried(submission, fields, document) }
    if stored.isDamaged { try checkIsSame(submission, in: paths.folder) }

    // Refuse before the work of rendering.
    try gate.checkQuota(
      [submission.recording.count, submission.image?.count],
      replacing: [DrawingFiles.recording, DrawingFiles.image], in: paths.folder)
    let file = try PictureMaker.open(submission.recording)
    if let image = submission.image { try PictureMaker.check(image: image) }
    if submission.synchronized == nil, submission.recognizedText == nil {
      fields[DrawingRecord.recognizedTextField] = file.words.map { .map($0.fields) }
    }
    if submission.date == .ofFirstStroke {
      // The device's clock may have been wrong.
      let latest = environment.now() + Application.maximumLeadSeconds
      fields["createdAt"] = file.firstMoment.flatMap { $0 <= latest ? .moment($0) : nil }
      try gate.check(.create, .document(paths.document, then: fields))
      try check(fields, paths.document)
    }
    let contents = try contents(of: submission, file)
    try gate.checkQuota(
      contents.map(\.bytes.count), replacing: contents.map(\.name), in: paths.folder)
    return try withLock(paths) {
      try isCurrent() ? store(submission, fields, contents, paths) : nil
    }
  }

  /// Calls a body while nobody else stores or deletes files of the user's drawings.
  func withLock<Result>(_ paths: DrawingPaths, _ body: () throws -> Result) throws -> Result {
    try environment.blobs.withExclusiveAccess(to: paths.user.filesOfDrawings, body)
  }

  /// Stores files and document of a new drawing. After a crash the note of the beginning explains
  /// files without a document. The caller holds the lock.
  private func store(
    _ submission: Submission, _ fields: Fields, _ contents: [BlobContent], _ paths: DrawingPaths
  ) throws -> DrawingRecord {
    let folder = paths.folder
    // Files first, then a short transaction. Another program may be submitting or deleting a
    // drawing with the same id, so only the transaction decides which drawing owns the files.
    while true {
      try begin(paths)
      let infos = try environment.blobs.create(contents, in: folder, at: environment.now())
      /// Stores the document if the files exist.
      func store(_ transaction: GatedTransaction, areStored: Bool?) throws -> DrawingRecord? {
        let stored = try transaction.readable(paths.document)
        try transaction.ofService.erase(paths.note)
        if submission.id != nil {
          if let document = stored.document { return try retried(submission, fields, document) }
          if stored.isDamaged { try checkIsSame(submission, in: folder) }
        }
        var complete = fields
        // All data of the user may have been deleted meanwhile. The files are then created again,
        // but not in this transaction, for which all other submits wait.
        let infos = try infos ?? replaceOrphan(contents, in: folder, at: transaction.moment)
        guard try areStored ?? environment.blobs.holds(infos, in: folder) else { return nil }
        // These hashes allow verification without the ledger. Rendered pictures need none.
        func hash(_ name: String) -> FieldValue? {
          infos.first { $0.path.name == name }.map { .text($0.sha256) }
        }
        complete["recordingSHA256"] = hash(DrawingFiles.recording)
        if submission.image != nil { complete["imageSHA256"] = hash(DrawingFiles.image) }
        return DrawingRecord(try transaction.create(paths.document, complete, beside: stored))
      }
      let record =
        if let infos {
          // All submits that share the transaction check their files in parallel.
          try gate.change(preparing: { try environment.blobs.holds(infos, in: folder) }) {
            try store($0, areStored: $1)
          }
        } else {
          try gate.change(altersFiles: true) { try store($0, areStored: nil) }
        }
      if let record { return record }
    }
  }

  /// Notes that files of a drawing are about to be stored before its document. The note is durable
  /// on return.
  func begin(_ paths: DrawingPaths) throws {
    try gate.change { transaction in
      try transaction.ofService.set(paths.note, ["begunAt": .moment(transaction.moment)])
    }
  }

  /// The files of a drawing, with the pictures that are rendered now.
  private func contents(of submission: Submission, _ file: OpenedDrawing) throws -> [BlobContent] {
    var contents: [BlobContent] = []
    if submission.image != nil || !submission.rendersImageLater {
      let image = try submission.image ?? maker.image(of: file)
      contents.append(BlobContent(DrawingFiles.image, contentType: "image/png", image))
    }
    return contents + [
      BlobContent(DrawingFiles.thumbnail, contentType: "image/png", try maker.thumbnail(of: file)),
      BlobContent(
        DrawingFiles.recording, contentType: "application/octet-stream", submission.recording),
    ]
  }

  /// Stores the files of a new drawing in a folder without a document, and returns them. Usually an
  /// earlier attempt has stored them already. Other files are replaced within the transaction,
  /// although all other submits wait for it: outside, this could replace files that another program
  /// has just stored for its drawing.
  private func replaceOrphan(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws -> [BlobInfo] {
    let blobs = environment.blobsInTransaction
    let names = try blobs.fileNames(in: folder)
    let wanted = contents.map { $0.info(in: folder, created: moment, updated: moment) }
    if names == Set(contents.map(\.name)), try blobs.holds(wanted, in: folder) { return wanted }
    for name in names.subtracting(contents.map(\.name)).intersection(DrawingFiles.names) {
      try blobs.delete(folder.blob(name))
    }
    return try blobs.put(contents, in: folder, at: moment)
  }

  /// Throws before any work if the caller lacks access, or if a file or field is not valid.
  func check(_ submission: Submission, _ paths: DrawingPaths) throws {
    let fields = fields(of: submission, in: paths.folder)
    try gate.check(.create, .document(paths.document, then: fields))
    try check(.create, paths.recording, submission.recording.count)
    if let image = submission.image {
      try check(.create, paths.image, image.count)
    }
    try check(fields, paths.document)
  }

  /// Throws if the caller may not store a file of this size.
  func check(
    _ operation: AccessRequest.Operation, _ file: BlobPath, _ byteCount: Int
  ) throws {
    try gate.check(operation, .blob(file, size: byteCount))
    // The rules do not hold for an operator.
    guard byteCount < DrawingFiles.sizeLimit else {
      throw ServiceError.tooLarge(file: file.name, limit: DrawingFiles.sizeLimit)
    }
  }

  /// Throws if the fields of a new document are not valid.
  private func check(_ fields: Fields, _ path: DocumentPath) throws {
    var complete = fields
    complete["updatedAt"] = complete["updatedAt"] ?? .moment(environment.now())
    try complete.check()
    try environment.application.check(
      complete, for: path, now: environment.judgingTime(at: environment.now()))
  }

  /// Throws if a drawing with a damaged document has another recording, which must not be lost.
  private func checkIsSame(_ submission: Submission, in folder: BlobFolder) throws {
    let path = try folder.blob(DrawingFiles.recording)
    guard let stored = try environment.blobs.uncheckedBytes(path) else { return }
    guard stored == submission.recording else {
      throw StorageError(.alreadyExists, folder.description)
    }
  }

  /// The drawing that an earlier attempt has stored; throws if the stored one is a different
  /// drawing.
  private func retried(
    _ submission: Submission, _ fields: Fields, _ document: Document
  ) throws -> DrawingRecord {
    let stored = try environment.blobs.get(document.path.folder.blob(DrawingFiles.recording))
    let image = submission.image.map { FieldValue.text(ContentHash.of($0)) }
    guard stored?.bytes == submission.recording, image ?? .null == document["imageSHA256"] ?? .null,
      submission.synchronized == nil,
      ["checkinId", "isFromCheckIn", "promptUsed"].allSatisfy({
        fields[$0] ?? .null == document[$0] ?? .null
      })
    else {
      throw StorageError(.alreadyExists, document.path.description)
    }
    return DrawingRecord(document)
  }

  /// The fields of a new document, without hashes and the time of change.
  func fields(of submission: Submission, in folder: BlobFolder) -> Fields {
    let created: Moment? =
      switch submission.date {
      case .now, .ofFirstStroke: environment.now()
      case .at(let moment): moment
      case .unknown: nil
      }
    if let synchronized = submission.synchronized {
      return DocumentKind.drawings.content(of: synchronized)
        .merging(Fields(synchronized.all.filter { ["updatedAt", "describedAt"].contains($0.0) }))
        .merging(Self.pictureFields(of: submission)).merging(links(to: folder))
    }
    let fields: Fields = [
      "checkinId": submission.checkInID.map { .text($0) },
      "isFromCheckIn": .bool(submission.isFromCheckIn ?? (submission.checkInID != nil)),
      "promptUsed": submission.promptUsed.map { .text($0) },
      DrawingRecord.recognizedTextField: submission.recognizedText.map { .map($0.fields) },
      "timezoneOffsetMinutes": .integer(Int64(submission.timezoneOffsetMinutes ?? 0)),
      "createdAt": created.map { .moment($0) },
    ]
    return fields.merging(Self.pictureFields(of: submission)).merging(links(to: folder))
  }

  /// The service's fields about the image of a new drawing.
  private static func pictureFields(of submission: Submission) -> Fields {
    [
      // Whether the image may be rendered again.
      "imageIsRendered": .bool(submission.image == nil),
      // Whether the image may be missing until it is read.
      "rendersImageLater": submission.image == nil && submission.rendersImageLater
        ? .bool(true) : nil,
    ]
  }

  /// The links to the files of a drawing.
  func links(to folder: BlobFolder) -> Fields {
    func link(_ name: String) -> FieldValue {
      .text("\(environment.settings.baseURL)\(folder)/\(name)")
    }
    return [
      "imageURL": link(DrawingFiles.image), "recordingURL": link(DrawingFiles.recording),
      "thumbnailURL": link(DrawingFiles.thumbnail),
    ]
  }

  // MARK: - Reading

  /// One drawing; throws if there is none.
  public func drawing(_ id: String, of uid: String) throws -> DrawingRecord {
    let path = try UserPaths(uid).drawings.document(id)
    return try gate.read { DrawingRecord(try $0.existing(path)) }
  }

  /// A file of a drawing, with verified bytes; throws if it is missing. Renders and stores an image
  /// that was to be rendered later. Renders a picture again if the service has rendered it and it
  /// is damaged or missing.
  public func file(_ name: String, ofDrawing id: String, of uid: String) throws -> Blob {
    let path = try UserPaths(uid).folder(ofDrawing: id).blob(name)
    try gate.check(.read, .blob(path))
    var damage: StorageError?
    do throws(StorageError) {
      if let blob = try environment.blobs.get(path) { return blob }
    } catch {
      guard case .damaged = error.problem else { throw error }
      damage = error
    }
    let problem = damage ?? StorageError(.notFound, path.description)
    guard name != DrawingFiles.recording else { throw problem }
    let created = try creation(ofDrawingAt: path)
    if let blob = try make(path, isMissing: damage == nil, created) { return blob }
    // Further revisions may happen between the search for an image and reading its recording. Stop
    // if another drawing has the name now.
    for _ in 0..<4 {
      guard damage == nil, let created, try creation(ofDrawingAt: path) == created else { break }
      let blob = try environment.blobs.get(path) ?? make(path, isMissing: true, created)
      if let blob, try creation(ofDrawingAt: path) == created { return blob }
    }
    throw problem
  }

  /// Renders a missing or damaged picture; nil if the service cannot make it.
  private func make(_ path: BlobPath, isMissing: Bool, _ created: Moment?) throws -> Blob? {
    if isMissing, path.name == DrawingFiles.image, let blob = try makeLaterImage(path) {
      return blob
    }
    return try heal(path, ofDrawingFrom: created)
  }

  /// Renders a damaged or missing picture again, and stores it if the disk has space. Nil if the
  /// service has not rendered the picture, if its recording is damaged too, or if another drawing
  /// has the name now.
  private func heal(_ path: BlobPath, ofDrawingFrom created: Moment?) throws -> Blob? {
    let document = try DocumentPath(path.folder.description)
    let stored = try environment.documents.read { try $0.readable(document).document }
    guard let record = stored.map({ DrawingRecord($0) }), record.document.created == created,
      path.name == DrawingFiles.thumbnail
        || path.name == DrawingFiles.image && record.hasRenderedImage,
      let recording = try? environment.blobs.get(path.folder.blob(DrawingFiles.recording)),
      record.recordingSHA256.map({ $0 == recording.info.sha256 }) ?? true,
      let drawn = try? PictureMaker.open(recording.bytes, checksArchive: false)
    else { return nil }
    let bytes = try draw(path.name, of: recording) { drawn }
    let moment = environment.now()
    let content = BlobContent(
      path.name, contentType: DrawingFiles.contentType(of: path.name), bytes)
    do {
      let infos = try environment.blobs.put(
        [content], deleting: [], beside: recording.info, at: moment)
      // The drawing was deleted or revised meanwhile.
      guard infos != nil else { return nil }
    } catch {
      // A full or read-only disk must not prevent showing the picture. The next reader renders it
      // again.
      noteRefusal(error, of: bytes, path.name, recording.info)
    }
    return Blob(bytes, at: path, contentType: content.contentType, stored: moment)
  }

  /// Renders the image or the thumbnail of a recording, unless the cache has it.
  private func draw(
    _ name: String, of recording: Blob, _ open: () throws -> OpenedDrawing
  ) throws -> [UInt8] {
    if let bytes = cachedPicture(cacheText(name), of: recording.info) { return bytes }
    return name == DrawingFiles.image
      ? try maker.image(of: open()) : try maker.thumbnail(of: open())
  }

  /// Caches a picture that exceeds its user's quota, so that repeated reads do not render it each
  /// time.
  private func noteRefusal(
    _ error: any Error, of bytes: [UInt8], _ name: String, _ recording: BlobInfo
  ) {
    guard case .overQuota? = (error as? StorageError)?.problem else { return }
    cache(bytes, as: cacheText(name), of: recording)
  }

  private func cacheText(_ name: String) -> String {
    let settings = environment.settings
    return
      "\(name) \(settings.imageScale) \(settings.maximumPixels) \(settings.thumbnailSide)"
  }

  /// When the drawing of a file was first stored; nil if it has no document.
  private func creation(ofDrawingAt path: BlobPath) throws -> Moment? {
    let document = try DocumentPath(path.folder.description)
    return try environment.documents.read { try $0.readable(document).document?.created }
  }

  /// Renders and stores an image that was to be rendered later; nil if the drawing does not exist
  /// now.
  private func makeLaterImage(_ path: BlobPath) throws -> Blob? {
    let document = try DocumentPath(path.folder.description)
    let stored = try environment.documents.read { try $0.readable(document).document }
    guard let record = stored.map({ DrawingRecord($0) }),
      record.rendersImageLater || record.nextRecordingSHA256 != nil,
      let recording = try environment.blobs.get(path.folder.blob(DrawingFiles.recording)),
      record.recordings.contains(recording.info.sha256),
      // A revision's image is rendered later, even if the document does not have that field yet.
      record.rendersImageLater || record.nextRecordingSHA256 == recording.info.sha256
    else { return nil }
    let bytes = try draw(path.name, of: recording) {
      try PictureMaker.open(recording.bytes, checksArchive: false)
    }
    let image = BlobContent(path.name, contentType: "image/png", bytes)
    let moment = environment.now()
    let added: [BlobInfo]?
    do throws(StorageError) {
      added = try environment.blobs.add([image], beside: recording.info, at: moment)
    } catch {
      // A full or read-only disk must not prevent showing the image. The next reader renders it
      // again.
      noteRefusal(error, of: bytes, path.name, recording.info)
      added = [image.info(in: path.folder, created: moment, updated: moment)]
    }
    if added == nil {
      // Another reader was faster, or the drawing was deleted, and perhaps another one now has its
      // name.
      if let blob = try environment.blobs.get(path) { return blob }
      // Or the drawing was revised: the reader asked before that, so return the earlier image.
      let now = try environment.documents.read { try $0.readable(document).document }
      guard let now, now.created == record.document.created else { return nil }
    }
    return Blob(bytes, at: path, contentType: image.contentType, stored: moment)
  }

  /// One page of drawings and the cursor of the next page.
  public struct Page: Sendable {
    /// The drawings of this page.
    public let drawings: [DrawingRecord]
    /// The cursor of the next page; nil on the last page.
    public let cursor: Query.Cursor?

    init(_ page: Query.Page) {
      drawings = page.documents.map { DrawingRecord($0) }
      cursor = page.cursor
    }
  }

  /// Drawings from `start` up to, but not including, `end`, newest first.
  public func range(
    from start: Moment, to end: Moment? = nil, of uid: String, limit: Int? = nil,
    after cursor: Query.Cursor? = nil
  ) throws -> Page {
    var query = Query(try UserPaths(uid).drawings)
      .filtered("createdAt", .atLeast(.moment(start)))
    if let end { query = query.filtered("createdAt", .less(.moment(end))) }
    query = query.ordered(by: "createdAt", descending: true).page(limit, after: cursor)
    return try gate.read { Page(try $0.page(query)) }
  }

  /// All drawings, newest first, those without a date last.
  public func all(
    of uid: String, limit: Int? = nil, after cursor: Query.Cursor? = nil
  ) throws -> Page {
    let query = Query(try UserPaths(uid).drawings).ordered(by: "createdAt", descending: true)
    return try gate.read { Page(try $0.page(query.page(limit, after: cursor))) }
  }

  /// The drawings of a check-in, oldest first.
  public func drawings(ofCheckIn id: String, of uid: String) throws -> [DrawingRecord] {
    let query = Query(try UserPaths(uid).drawings)
      .filtered("checkinId", .equal(.text(id))).ordered(by: "createdAt")
    return try gate.read { try $0.documents(query).map { DrawingRecord($0) } }
  }

  /// One page of the drawings of a check-in from `start` up to, but not including, `end`, oldest
  /// first.
  public func page(
    ofCheckIn id: String, from start: Moment? = nil, to end: Moment? = nil, of uid: String,
    limit: Int? = nil, after cursor: Query.Cursor? = nil
  ) throws -> Page {
    var query = Query(try UserPaths(uid).drawings).filtered("checkinId", .equal(.text(id)))
    if let start { query = query.filtered("createdAt", .atLeast(.moment(start))) }
    if let end { query = query.filtered("createdAt", .less(.moment(end))) }
    query = query.ordered(by: "createdAt").page(limit, after: cursor)
    return try gate.read { Page(try $0.page(query)) }
  }

  // MARK: - Changing

  /// Overwrites some fields of the document of a drawing; throws for fields that only the service
  /// sets. The time of change is the current time unless the fields have one. A change that is
  /// older than the stored one has no effect.
  @discardableResult
  public func update(
    _ id: String, of uid: String, _ changes: Fields
  ) throws -> Updated<DrawingRecord> {
    let path = try UserPaths(uid).drawings.document(id)
    for name in DrawingRecord.serviceFields where changes[name] != nil {
      throw ServiceError.badRequest("the field '\(name)' can only be set by the service")
    }
    return try gate.of(uid).change { try $0.stampedUpdate(path, changes).map { DrawingRecord($0) } }
  }

  /// Sets the recognized words of a drawing that were found in a given version of it. Returns
  /// false, and changes nothing, if the drawing was revised or deleted since, or if its words were
  /// set by another caller.
  public func setRecognizedText(
    _ text: RecognizedText, of drawing: DrawingRecord, fromRecording sha256: String
  ) throws -> Bool {
    let field = DrawingRecord.recognizedTextField
    let path = drawing.document.path
    return try gate.change { transaction in
      let stored = try transaction.readable(path).document
      guard drawing.isSame(as: stored), stored?[field] == drawing.document[field],
        drawing.nextRecordingSHA256 == nil, drawing.recordingSHA256 ?? sha256 == sha256
      else { return false }
      try transaction.stampedUpdate(path, [field: .map(text.fields)])
      return true
    }
  }

  // MARK: - Deleting

  /// Deletes a drawing and returns whether it existed. The document goes first. Missing files are
  /// not an error; a sweep deletes files that cannot be deleted now.
  @discardableResult
  public func delete(_ id: String, of uid: String) throws -> Bool {
    try delete(id, of: uid) { try $0.delete($1) }
  }

  /// Deletes a drawing if a body deletes its document, and returns whether it did.
  func delete(
    _ id: String, of uid: String, by delete: (GatedTransaction, DocumentPath) throws -> Bool
  ) throws -> Bool {
    let paths = try DrawingPaths(id, of: uid)
    return try withLock(paths) { try self.delete(paths, by: delete) }
  }

  private func delete(
    _ paths: DrawingPaths, by delete: (GatedTransaction, DocumentPath) throws -> Bool
  ) throws -> Bool {
    let (folder, uid, id) = (paths.folder, paths.user.profile.id, paths.document.id)
    let (document, existed) = try gate.change { transaction in
      let document = try transaction.readable(paths.document).document
      let existed = try delete(transaction, paths.document)
      // Revoke access to the files now; their deletion may have to wait.
      if existed {
        try transaction.ofService.eraseExisting(paths.metadata + [paths.note])
        try ShareService.endAll(of: uid, drawing: id, in: transaction.ofService, environment)
        try RoomService.end(id, of: uid, in: transaction.ofService)
        try MemberService.endAll(of: uid, drawing: id, in: transaction.ofService, environment)
      }
      return (document, existed)
    }
    guard existed else { return false }
    // The ledger has the hash for the cached pictures of a damaged document's drawing.
    var hashes = document.map { DrawingRecord($0).recordings } ?? []
    if hashes.isEmpty, let info = try? environment.blobs.info(folder.blob(DrawingFiles.recording)) {
      hashes = [info.sha256]
    }
    for hash in hashes { _ = try? Self.deleteRenditions(ofRecording: hash, in: environment.cache) }
    try? environment.deleteFiles(in: folder)
    return true
  }
}

extension ServiceEnvironment {
  /// Deletes the files and cached pictures of a drawing whose document was deleted. Keeps the files
  /// if the drawing was submitted again with the same id meanwhile, or if files were uploaded
  /// again.
  func deleteFiles(in folder: BlobFolder) throws {
    let path = try DocumentPath(folder.description)
    let uid = String(folder.names[1])
    try documents.change(at: now(), isBarrier: true) { transaction in
      switch try transaction.state(ofDrawing: path) {
      case .exists: return
      case .uploaded:
        for name in DrawingFiles.names {
          let blob = try folder.blob(name)
          let described = try transaction.readable(UserPaths(uid).metadata(of: blob))
          if described == (nil, false) { try blobs.delete(blob) }
        }
        return
      case .begun, .deleted, .unknown: break
      }
      // The ledger, unless it is damaged, has the hash for the cached pictures of a deleted
      // document's drawing.
      if let recording = try? blobs.info(folder.blob(DrawingFiles.recording)) {
        try DrawingService.deleteRenditions(ofRecording: recording.sha256, in: cache)
      }
      try blobs.delete(folder)
    }
  }
}
