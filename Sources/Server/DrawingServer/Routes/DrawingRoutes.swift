import DrawingServices
import HTTP
import HTTPServing
import JSON
import Storage
import Strokes

// Drawings and their files.

/// A recording and an image, each below the limit for files, and the overhead of a form.
private let uploadLimit = 2 * DrawingFiles.sizeLimit + (64 << 10)

private let drawingFields = UploadForm.parameters + [imageTime]

private let imageTime = QueryParameter(
  "image", .choice(["later", "now"]),
  "When a missing image is rendered: when it is first read, unless given.")

private let drawing: [(Int, Route.Content)] = [(200, .json("Document"))]
private let newDrawing: [(Int, Route.Content)] = [(201, .json("Document"))]

extension Call {
  /// The caller's drawing service, for changes of one version.
  fileprivate func drawings() throws(Refusal) -> DrawingService {
    DrawingService(environment, as: caller, expecting: try expectedSequence())
  }

  fileprivate var isForm: Bool {
    let type = exchange.head?.text("content-type").flatMap(MediaType.init)?.name
    return type == "multipart/form-data"
  }

  /// Whether a missing image is rendered on first read, so that the client only waits for the
  /// thumbnail.
  fileprivate func rendersImageLater() throws(Refusal) -> Bool {
    try text("image") != "now"
  }

  /// Stores an uploaded drawing.
  fileprivate func submit(_ form: UploadForm, id: String?) throws -> Response {
    let uid = try uid
    guard let recording = form.recording else {
      throw Refusal(422, "no-recording", "The recording is needed.", field: "recording")
    }
    var submission = DrawingService.Submission(recording: recording)
    submission.image = form.image
    submission.id = id
    submission.rendersImageLater = try rendersImageLater()
    form.apply(to: &submission)
    let record = try DrawingService(environment, as: caller).submit(submission, of: uid)
    return try created(record.document, below: "/v1/users/\(uid)/drawings")
  }
}

let drawingRoutes: [Route] = [
  Route(
    .get, "/v1/users/{uid}/drawings",
    "List drawings, newest first; those of a check-in oldest first.",
    query: [
      .limit, .after, .from, .to,
      QueryParameter("checkinId", .text, "Only those of a check-in."),
      QueryParameter(
        "search", .text,
        "Only those whose title, tags, prompt or words contain each word of this text, of at most"
          + " \(DrawingService.searchByteLimit) bytes. In place of recognizedText, each drawing has 'found': the words"
          + " with their boxes. A page may have fewer drawings than the limit, and a cursor."),
    ], answers: [(200, .json("DocumentPage"))]
  ) { call in
    let service = DrawingService(call.environment, as: call.caller)
    let (uid, limit, cursor) = (try call.uid, try call.number("limit") ?? 60, try call.cursor())
    let (from, to) = (try call.moment("from"), try call.moment("to"))
    if let text = try call.text("search") {
      for other in ["from", "to", "checkinId"] where try call.text(other) != nil {
        throw Refusal.badParameter(other, "It cannot be given with a text to search.")
      }
      let wordCount = text.split { $0.isWhitespace }.count
      guard wordCount > 0, text.utf8.count <= DrawingService.searchByteLimit else {
        throw Refusal.badParameter(
          "search", "It must have a word, and at most \(DrawingService.searchByteLimit) bytes.")
      }
      return call.page(try service.search(text, of: uid, limit: limit, after: cursor))
    }
    let page =
      if let checkIn = try call.text("checkinId") {
        try service.page(
          ofCheckIn: checkIn, from: from, to: to, of: uid, limit: limit, after: cursor)
      } else if from == nil && to == nil {
        try service.all(of: uid, limit: limit, after: cursor)
      } else {
        try service.range(
          from: from ?? Moment.supported.lowerBound, to: to, of: uid, limit: limit, after: cursor)
      }
    return call.page(page.drawings.map(\.document), page.cursor)
  },
  Route(
    .post, "/v1/users/{uid}/drawings",
    "Submit a drawing: a form with 'recording', 'image' and fields, or the recording alone.",
    body: .upload(limit: uploadLimit), query: drawingFields, answers: newDrawing
  ) { call in
    let form = try UploadForm(call, ofForm: call.isForm)
    return try call.submit(form, id: form.fields["id"])
  },
  Route(.get, "/v1/users/{uid}/drawings/{id}", "Get the document of a drawing.", answers: drawing) {
    call in
    try call.answer(
      DrawingService(call.environment, as: call.caller).drawing(call.id, of: call.uid).document)
  },
  Route(
    .put, "/v1/users/{uid}/drawings/{id}",
    "Submit a drawing with a name made by the client: a form, or fields in JSON if its recording is stored"
      + " already. The same again is no error.",
    body: .upload(limit: uploadLimit), query: [imageTime], answers: newDrawing
  ) { call in
    let (uid, id) = (try call.uid, try call.id)
    if try call.mustBeNew(),
      (try? DrawingService(call.environment, as: call.caller).drawing(id, of: uid)) != nil
    {
      throw Refusal.exists
    }
    if call.isForm { return try call.submit(UploadForm(call, ofForm: true), id: id) }
    let type = call.exchange.head?.text("content-type").flatMap(MediaType.init)?.name
    guard type == "application/json" || call.body.isEmpty else {
      throw Refusal(
        415, "wrong-type", "The body must be application/json or multipart/form-data.",
        field: "content-type")
    }
    let fields = call.body.isEmpty ? Fields() : try call.fields(for: "users/\(uid)/drawings/\(id)")
    let record = try DrawingService(call.environment, as: call.caller)
      .submitStored(id, of: uid) {
        $0.rendersImageLater = try call.rendersImageLater()
        try fields.apply(to: &$0)
      }
    return try call.created(record.document, below: "/v1/users/\(uid)/drawings")
  },
  Route(
    .patch, "/v1/users/{uid}/drawings/{id}", "Change some fields of a drawing's document.",
    body: .json(limit: 1 << 20), answers: drawing
  ) { call in
    let (uid, id) = (try call.uid, try call.id)
    let fields = try call.fields(for: "users/\(uid)/drawings/\(id)")
    return try call.answer(call.drawings().update(id, of: uid, fields).map(\.document))
  },
  Route(
    .delete, "/v1/users/{uid}/drawings/{id}", "Delete a drawing with its files.",
    answers: [(204, .nothing)]
  ) { call in
    try call.deleted(call.drawings().delete(call.id, of: call.uid))
  },
]

extension Fields {
  /// Copies the fields of a client into a submission.
  fileprivate func apply(to submission: inout DrawingService.Submission) throws(Refusal) {
    func refuse(_ name: String) -> Refusal { .badField(name, "The field has the wrong type.") }
    for (name, value) in all where value != .null {
      switch (name, value) {
      case ("checkinId", .text(let text)): submission.checkInID = text
      case ("promptUsed", .text(let text)): submission.promptUsed = text
      case ("isFromCheckIn", .bool(let truth)): submission.isFromCheckIn = truth
      case ("timezoneOffsetMinutes", .integer(let minutes)):
        guard let minutes = Int(exactly: minutes) else { throw refuse(name) }
        submission.timezoneOffsetMinutes = minutes
      case ("createdAt", .moment(let moment)): submission.date = .at(moment)
      case ("recognizedText", .map(let fields)):
        guard let text = RecognizedText(fields) else { throw refuse(name) }
        submission.recognizedText = text
      case _ where UploadForm.parameter(name) != nil: throw refuse(name)
      default: throw .badField(name, "A client cannot give this field.")
      }
    }
  }
}

// MARK: - Files

let fileRoutes: [Route] = [
  Route(
    .get, "/v1/users/{uid}/drawings/{id}/{file}",
    "Get a file of a drawing: image.png, recording.pkd or thumbnail.png; in ranges, too.",
    answers: [(200, .type("application/octet-stream")), (206, .type("application/octet-stream"))],
    quick: { call in
      guard case .user(let caller) = call.caller, let uid = try? call.uid, uid == caller,
        let id = try? call.id, let file = try? call.parameter("file"),
        let head = call.exchange.head, !head.has("range"), !head.has("if-match"),
        let kept = call.server.pictures.answer("users/\(uid)/drawings/\(id)/\(file)"),
        let made = try? call.drawingOfLink, made.isEmpty || kept.made == made,
        let outcome = try? call.conditions().outcome(.get, current: kept.tag)
      else { return nil }
      return Response(outcome == .notModified ? 304 : 200, [], .prepared(kept.response))
    }
  ) { call in
    let (uid, id, file) = (try call.uid, try call.id, try call.parameter("file"))
    let path = "users/\(uid)/drawings/\(id)/\(file)"
    // Before the bytes are read: the response is cached for this file only.
    let identity = call.server.pictures.identity(path)
    let blob = try DrawingService(call.environment, as: call.caller)
      .file(file, ofDrawing: id, of: uid)
    let tag = EntityTag(String(blob.info.sha256.prefix(32)))
    let fields = [
      ("Content-Type", DrawingFiles.contentType(of: file)), ("ETag", tag.headerValue),
      ("Cache-Control", "private, no-cache"), ("Accept-Ranges", "bytes"),
      ("Content-Disposition", "inline; filename=\"\(id)-\(file)\""),
    ]
    // The link's drawing was checked before the file was read. Another drawing may have replaced it
    // since.
    try call.checkDrawingOfLink()
    call.server.keep(path, fields, blob, tag, identity, made: try call.drawingOfLink)
    // A large file is sent from the disk: slow readers would keep its bytes in memory.
    var content = Response.Content.bytes(blob.bytes)
    if blob.bytes.count > PictureShelf.sizeLimit, let identity,
      let opened = call.server.pictures.open(path, identity)
    {
      content = .file(opened, 0..<blob.bytes.count)
    }
    return try call.ranged(call.conditional(Response(200, fields, content), tag), tag)
  },
  Route(
    .put, "/v1/users/{uid}/drawings/{id}/{file}",
    "Store a file of a drawing. A recording makes the drawing, with its fields in the query; what is missing is"
      + " rendered. With If-Match a recording replaces the one with that tag.",
    body: .upload(limit: DrawingFiles.sizeLimit), query: drawingFields,
    answers: [(200, .json("File")), (201, .json("File"))]
  ) { call in
    let file = try call.parameter("file")
    var upload = DrawingService.Upload(file, call.body)
    if file == DrawingFiles.recording {
      var drawing = DrawingService.Submission(recording: call.body)
      drawing.rendersImageLater = try call.rendersImageLater()
      try UploadForm(call, ofForm: false).apply(to: &drawing)
      upload.drawing = drawing
    }
    upload.condition = try call.conditionOfUpload()
    let stored = try DrawingService(call.environment, as: call.caller)
      .put(upload, ofDrawing: call.id, of: call.uid)
    return call.json(
      stored.isNew ? 201 : 200, tag: EntityTag(String(stored.sha256.prefix(32))),
      [("Location", "\(call.origin)/v1/\(stored.path)")]
    ) { json in
      json.object { json in
        json.field("path", stored.path.description)
        json.field("size", stored.byteCount)
        json.field("sha256", stored.sha256)
      }
    }
  },
  Route(
    .delete, "/v1/users/{uid}/drawings/{id}/{file}",
    "Delete a file of a drawing. The recording goes with its drawing only.",
    answers: [(204, .nothing)]
  ) { call in
    try call.deleted(
      DrawingService(call.environment, as: call.caller)
        .deleteFile(call.parameter("file"), ofDrawing: call.id, of: call.uid))
  },
]

extension Call {
  /// The stored file that an upload may meet, by `If-Match` or `If-None-Match: *`.
  fileprivate func conditionOfUpload() throws(Refusal) -> DrawingService.Upload.Condition {
    let match = try conditions().match
    // No file can be both there and not.
    if match != nil, try mustBeNew() { throw .exists }
    switch match {
    case .any?: return .former(.any)
    case .tags(let tags)?: return .former(.named(tags.filter { !$0.isWeak }.map(\.text)))
    case nil: return try mustBeNew() ? .new : .any
    }
  }

  /// The requested part of a response.
  func ranged(_ response: Response, _ tag: EntityTag) throws -> Response {
    guard method == .get, response.status == 200, let count = response.content.byteCount,
      let head = exchange.head
    else { return response }
    var response = response
    switch ByteRange(head, count: count, tag: tag) {
    case .whole: break
    case .part(let range):
      response.status = 206
      response.fields.append(
        ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)"))
      switch response.content {
      case .bytes(let bytes): response.content = .bytes(Array(bytes[range]))
      case .file(let file, _): response.content = .file(file, range)
      case .prepared, .events: break
      }
    case .unsatisfiable:
      return Response(416, [("Content-Range", "bytes */\(count)")])
    }
    return response
  }
}

extension Server {
  /// Caches a small file for the next requests.
  func keep(
    _ path: String, _ fields: [(name: String, value: String)], _ blob: Blob, _ tag: EntityTag,
    _ identity: PictureShelf.FileIdentity?, made: String
  ) {
    guard let identity, blob.bytes.count <= PictureShelf.sizeLimit,
      let response = PreparedResponse(complete(fields), blob.bytes)
    else { return }
    pictures.keep(path, response, tag, identity, made: made.isEmpty ? nil : made)
  }
}
