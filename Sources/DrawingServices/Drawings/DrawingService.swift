public import Storage

/// Drawings: files and what is known of them, kept together.
///
/// The files come first and the document last, and it goes first and they last: whenever the program
/// dies, a document's files are there, and files without a document are swept up later.
public struct DrawingService: Sendable {
  let gate: Gate
  var environment: ServiceEnvironment { gate.environment }
  var maker: PictureMaker { PictureMaker(settings: environment.settings) }

  /// The drawings that a caller may see and change.
  public init(_ environment: ServiceEnvironment, as caller: Caller) {
    gate = Gate(environment: environment, caller: caller)
  }

  /// A drawing that is to be kept.
  public struct Submission: Sendable {
    /// How it was drawn: an archive of PencilKit's or a `.pkd` file. Its bytes are kept as they are.
    public var recording: [UInt8]
    /// What it looks like, as PNG; nil to have it rendered.
    public var image: [UInt8]?
    /// Its name; nil for a new one. Submitting the same recording under the same name again is no error.
    public var id: String?
    /// The check-in that it belongs to.
    public var checkInID: String?
    /// Whether it was drawn during a check-in; whether it belongs to one if nil.
    public var isFromCheckIn: Bool?
    /// What the user was asked to draw.
    public var promptUsed: String?
    /// Minutes east of Greenwich where it was drawn.
    public var timezoneOffsetMinutes: Int?
    /// When it was drawn.
    public var date = Date.now

    /// A drawing as it was recorded.
    public init(recording: [UInt8]) { self.recording = recording }

    /// When a drawing was drawn.
    public enum Date: Hashable, Sendable {
      case now
      case at(Moment)
      /// When its first stroke was; nobody knows where the recording does not tell.
      case ofFirstStroke
      /// Nobody knows.
      case unknown
    }
  }

  /// Keeps a drawing.
  @discardableResult
  public func submit(_ submission: Submission, of uid: String) throws -> DrawingRecord {
    let paths = try UserPaths(uid)
    let id = submission.id ?? environment.newID()
    let (path, folder) = (try paths.drawings.document(id), try paths.folder(ofDrawing: id))
    var fields = fields(of: submission, in: folder)
    try check(submission, path, folder, fields)
    if submission.id != nil {
      let stored = try environment.documents.read { try $0.readable(path) }
      if let document = stored.document {
        return try retried(submission, fields, document, folder)
      }
      if stored.isDamaged { try checkIsSame(submission, in: folder) }
    }

    let file = try PictureMaker.open(submission.recording)
    if let image = submission.image { try PictureMaker.check(image: image) }
    if submission.date == .ofFirstStroke {
      // The clock of who drew may have been wrong.
      let latest = environment.now() + Schemas.longestLead
      fields["createdAt"] = file.firstMoment.flatMap { $0 <= latest ? .moment($0) : nil }
      try check(submission, path, folder, fields)
    }
    let image = try submission.image ?? maker.image(of: file)
    let thumbnail = try maker.thumbnail(of: file)
    let contents = [
      BlobContent(DrawingFiles.image, contentType: "image/png", image),
      BlobContent(DrawingFiles.thumbnail, contentType: "image/png", thumbnail),
      BlobContent(
        DrawingFiles.recording, contentType: "application/octet-stream", submission.recording),
    ]
    func putFiles(at moment: Moment) throws(StorageError) {
      let infos = try environment.blobs.put(contents, in: folder, at: moment)
      // So that files are known again without the ledger beside them; pictures can be rendered again.
      fields["recordingSHA256"] = .text(infos[2].sha256)
      if submission.image != nil { fields["imageSHA256"] = .text(infos[0].sha256) }
    }
    if submission.id == nil { try putFiles(at: environment.now()) }
    return try gate.change { transaction in
      // A name that was given may be another's at this moment, who submits or deletes; with the documents
      // held still, the files that are there belong to the document that is.
      if submission.id != nil {
        let stored = try transaction.transaction.readable(path)
        if let document = stored.document {
          return try retried(submission, fields, document, folder)
        }
        if stored.isDamaged { try checkIsSame(submission, in: folder) }
        try putFiles(at: transaction.moment)
      } else if try environment.blobs.info(folder.blob(DrawingFiles.recording)) == nil {
        // Everything of the user was taken away meanwhile.
        try putFiles(at: transaction.moment)
      }
      return DrawingRecord(try transaction.create(path, fields))
    }
  }

  /// Throws before any work is done where the caller may not do this.
  private func check(
    _ submission: Submission, _ path: DocumentPath, _ folder: BlobFolder, _ fields: Fields
  ) throws {
    try gate.check(.create, .document(path, then: fields))
    for (name, bytes) in [
      (DrawingFiles.recording, submission.recording), (DrawingFiles.image, submission.image ?? []),
    ] {
      try gate.check(.create, .blob(try folder.blob(name), size: bytes.count))
      guard bytes.count < DrawingFiles.sizeLimit else {
        throw ServiceError.tooLarge(file: name, limit: DrawingFiles.sizeLimit)
      }
    }
    var complete = fields
    complete["updatedAt"] = .moment(environment.now())
    try complete.check()
    try Schemas.check(complete, for: path, now: environment.now())
  }

  /// Throws where a drawing whose document is damaged has another recording: it is somebody's, too.
  private func checkIsSame(_ submission: Submission, in folder: BlobFolder) throws {
    let path = try folder.blob(DrawingFiles.recording)
    guard let stored = try environment.blobs.uncheckedBytes(path) else { return }
    guard stored == submission.recording else {
      throw StorageError(.alreadyThere, folder.description)
    }
  }

  /// The drawing that an earlier attempt has kept; throws where it is another.
  private func retried(
    _ submission: Submission, _ fields: Fields, _ document: Document, _ folder: BlobFolder
  ) throws -> DrawingRecord {
    let stored = try environment.blobs.get(try folder.blob(DrawingFiles.recording))
    let image = submission.image.map { FieldValue.text(ContentHash.of($0)) }
    guard stored?.bytes == submission.recording, image ?? .null == document["imageSHA256"] ?? .null,
      ["checkinId", "isFromCheckIn", "promptUsed"].allSatisfy({
        fields[$0] ?? .null == document[$0] ?? .null
      })
    else {
      throw StorageError(.alreadyThere, document.path.description)
    }
    return DrawingRecord(document)
  }

  func fields(of submission: Submission, in folder: BlobFolder) -> Fields {
    let created: Moment? =
      switch submission.date {
      case .now, .ofFirstStroke: environment.now()
      case .at(let moment): moment
      case .unknown: nil
      }
    let fields: Fields = [
      "checkinId": submission.checkInID.map { .text($0) },
      "isFromCheckIn": .bool(submission.isFromCheckIn ?? (submission.checkInID != nil)),
      "promptUsed": submission.promptUsed.map { .text($0) },
      "timezoneOffsetMinutes": .integer(Int64(submission.timezoneOffsetMinutes ?? 0)),
      "createdAt": created.map { .moment($0) },
      // Not the apps': what tells whether the image may be rendered anew.
      "imageIsRendered": .bool(submission.image == nil),
    ]
    return fields.merging(links(to: folder))
  }

  /// Where a drawing's files are found.
  func links(to folder: BlobFolder) -> Fields {
    func link(_ name: String) -> FieldValue {
      .text("\(environment.settings.baseURL)\(folder)/\(name)")
    }
    return [
      "imageURL": link(DrawingFiles.image), "recordingURL": link(DrawingFiles.recording),
      "thumbnailURL": link(DrawingFiles.thumbnail),
    ]
  }

  // MARK: - Finding

  /// One drawing.
  public func drawing(_ id: String, of uid: String) throws -> DrawingRecord {
    let path = try UserPaths(uid).drawings.document(id)
    return try gate.read { DrawingRecord(try $0.existing(path)) }
  }

  /// A file of a drawing, as it was stored.
  public func file(_ name: String, ofDrawing id: String, of uid: String) throws -> Blob {
    let path = try UserPaths(uid).folder(ofDrawing: id).blob(name)
    try gate.check(.read, .blob(path))
    guard let blob = try environment.blobs.get(path) else {
      throw StorageError(.notFound, path.description)
    }
    return blob
  }

  /// Drawings and where to go on.
  public struct Page: Sendable {
    /// The drawings.
    public let drawings: [DrawingRecord]
    /// The place behind them; nil where there are no more.
    public let cursor: Query.Cursor?

    init(_ page: Query.Page) {
      drawings = page.documents.map { DrawingRecord($0) }
      cursor = page.cursor
    }
  }

  /// Drawings from a moment, until before another if there is one, newest first.
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

  /// All drawings, newest first, those without a date at last.
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

  /// The same from a moment, until before another if there is one, page by page.
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

  /// Puts fields over those of a drawing's document, but for those that the service alone sets. The moment
  /// of the change is the service's unless the fields give one; one that is older than what is stored
  /// changes nothing.
  @discardableResult
  public func update(
    _ id: String, of uid: String, _ changes: Fields
  ) throws -> Updated<DrawingRecord> {
    let path = try UserPaths(uid).drawings.document(id)
    for name in DrawingRecord.ownFields where changes[name] != nil {
      throw ServiceError.badRequest("the field '\(name)' is the service's")
    }
    return try gate.change { try $0.stampedUpdate(path, changes).map { DrawingRecord($0) } }
  }

  // MARK: - Taking away

  /// Takes a drawing away, and says whether there was one. The document goes first; files that are not
  /// there are no error, and files that cannot be taken away now are swept up later.
  @discardableResult
  public func delete(_ id: String, of uid: String) throws -> Bool {
    let paths = try UserPaths(uid)
    let (path, folder) = (try paths.drawings.document(id), try paths.folder(ofDrawing: id))
    let (document, wasThere) = try gate.change { transaction in
      let document = try transaction.transaction.readable(path).document
      return (document, try transaction.delete(path))
    }
    guard wasThere else { return false }
    // Where the document is damaged, the ledger has the hash that pictures are cached under.
    let hash =
      try? document?["recordingSHA256"]?.textValue
      ?? environment.blobs.info(folder.blob(DrawingFiles.recording))?.sha256
    if let hash { _ = try? Self.forgetRenditions(ofRecording: hash, in: environment.cache) }
    _ = try? environment.deleteFiles(of: [], in: [folder])
    return true
  }
}

extension ServiceEnvironment {
  /// Takes away the files of drawings whose documents are gone, and what is cached of them. A drawing that
  /// was submitted again under such a name meanwhile keeps its files.
  func deleteFiles(of records: [DrawingRecord], in folders: [BlobFolder]) throws {
    for record in records { try DrawingService.forgetRenditions(of: record, in: cache) }
    for folder in folders {
      let path = try DocumentPath(folder.description)
      try documents.change(at: now()) { transaction in
        if try transaction.document(path) == nil { try blobs.delete(folder) }
      }
    }
  }
}
