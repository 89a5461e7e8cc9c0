import DrawingServices
import HTTP
import HTTPServing
import JSON
import Storage

// The API of Firebase Storage. Objects are the files of drawings, with the same access rules, but for
// their owners only: a download token would outlast a membership.
//
// Firebase's clients retry every 5xx for minutes, so only temporary problems have such a status.

/// A file, and the metadata before it.
private let uploadLimit = DrawingFiles.sizeLimit + (128 << 10)
private let metadataLimit = 64 << 10

/// The parameters of an upload.
private let uploading = [
  QueryParameter("name", .text, "The name of the object."),
  QueryParameter("uploadType", .text, "How the upload is sent: media, multipart or resumable."),
  QueryParameter("upload_id", .text, "The upload that this is a piece of."),
]

private let object: [(Int, Route.Content)] = [(200, .json("object"))]

let firebaseRoutes: [Route] = [
  Route(
    .get, "/v0/b/{bucket}/o", "List the objects below a prefix.", access: .everyone,
    query: [
      QueryParameter("prefix", .text, "What their names begin with: users/UID/ or more."),
      QueryParameter("delimiter", .choice(["/", ""]), "Ends the names at the next slash."),
      QueryParameter(
        "maxResults", .number(1...1_000_000), "The maximum number of names; 1000 are the most."),
      QueryParameter("pageToken", .text, "The token of the page before."),
    ], answers: object
  ) { try $0.objectList() },
  Route(
    .post, "/v0/b/{bucket}/o", "Upload an object, at once or in pieces.", access: .everyone,
    body: .upload(limit: uploadLimit), query: uploading, answers: object
  ) { try $0.receiveObject(named: nil) },
  Route(
    .get, "/v0/b/{bucket}/o/{object...}", "Get an object, or what is known about it.",
    access: .everyone,
    query: [
      QueryParameter("alt", .text, "'media' for the bytes."),
      QueryParameter("token", .text, "A download token of the object."),
    ], answers: object
  ) { call in
    let name = try call.objectName()
    return try call.text("alt") == "media" ? call.media(name) : call.metadata(name)
  },
  Route(
    .post, "/v0/b/{bucket}/o/{object...}", "Upload an object, or change its tokens.",
    access: .everyone, body: .upload(limit: uploadLimit),
    query: uploading + [
      QueryParameter("create_token", .text, "'true' to make another download token."),
      QueryParameter("delete_token", .text, "The download token to revoke."),
    ], answers: object
  ) { call in
    let name = try call.objectName()
    if call.isPatch { return try call.patchMetadata(name) }
    if try call.text("create_token") == "true" { return try call.createToken(name) }
    if let token = try call.text("delete_token") { return try call.deleteToken(token, name) }
    return try call.receiveObject(named: name)
  },
  Route(
    .put, "/v0/b/{bucket}/o/{object...}", "Change metadata, for programs that cannot PATCH.",
    access: .everyone, body: .upload(limit: metadataLimit), answers: object
  ) { call in
    guard call.isPatch else {
      throw Refusal(
        400, "no-override", "PUT needs X-HTTP-Method-Override: PATCH.",
        field: "x-http-method-override")
    }
    return try call.patchMetadata(call.objectName())
  },
  Route(
    .patch, "/v0/b/{bucket}/o/{object...}", "Change metadata.", access: .everyone,
    body: .json(limit: metadataLimit), answers: object
  ) { try $0.patchMetadata($0.objectName()) },
  Route(
    .delete, "/v0/b/{bucket}/o/{object...}", "Delete an object.", access: .everyone,
    answers: [(204, .nothing)]
  ) { call in
    _ = try call.bucket()
    let name = try call.objectName()
    return try call.deleted(
      DrawingService(ofOwner: call.environment, as: call.caller)
        .deleteFile(name.file, ofDrawing: name.id, of: name.uid))
  },
  Route(
    .delete, "/v1/users/{uid}/download-tokens",
    "Revoke the Firebase download tokens of all files of a user.", answers: [(204, .nothing)]
  ) { call in
    try DrawingService(ofOwner: call.environment, as: call.caller).revokeDownloadTokens(
      of: call.uid)
    return Response(204)
  },
]

extension Call {
  /// The bucket, whose name has no effect: all buckets have the same contents.
  fileprivate func bucket() throws(Refusal) -> String {
    let name = try parameter("bucket")
    guard 1...222 ~= name.utf8.count,
      name.utf8.allSatisfy({ $0 == 46 || ObjectTokens.isTokenCharacter($0) })
    else { throw Refusal(404, "not-found", "There is no bucket with this name.") }
    return name
  }

  fileprivate func objectName() throws(Refusal) -> ObjectName {
    try ObjectName(parameter("object"), caller)
  }

  fileprivate var isPatch: Bool {
    exchange.head?.text("x-http-method-override")?.uppercased() == "PATCH"
  }

  /// The values of a JSON object; empty for an empty text.
  fileprivate func values(_ json: [UInt8]) throws(Refusal) -> Fields {
    guard !json.isEmpty else { return Fields() }
    guard json.count <= metadataLimit else {
      throw Refusal(413, "large-metadata", "The metadata has more than \(metadataLimit) bytes.")
    }
    do throws(JSONError) {
      return try Fields(json: json)
    } catch {
      throw Refusal(400, "bad-json", "The metadata is not a JSON object: \(error).")
    }
  }

  // MARK: - Reading

  /// The reader of an object: the owner, if a valid download token is given, or the caller.
  private func reader(of name: ObjectName) throws -> (caller: Caller, token: String?) {
    guard let token = try text("token") else { return (caller, nil) }
    if server.settings.hasDownloadTokens,
      try DrawingService(environment, as: .anonymous)
        .opens(token, name.file, ofDrawing: name.id, of: name.uid)
    {
      return (.user(name.uid), token)
    }
    guard caller == .user(name.uid) else {
      throw Refusal(403, "bad-link", "The token is not valid, or not any more.", field: "token")
    }
    return (caller, nil)
  }

  fileprivate func media(_ name: ObjectName) throws -> Response {
    _ = try bucket()
    let (caller, _) = try reader(of: name)
    let service = DrawingService(ofOwner: environment, as: caller)
    let blob = try service.file(name.file, ofDrawing: name.id, of: name.uid)
    let metadata = try service.storedMetadata(blob.info, of: name.uid)
    // The response's header fields come from the metadata, so the tag depends on it, too.
    let tag = EntityTag(
      "\(blob.info.sha256.prefix(32)).\(metadata?.metageneration ?? 0)")
    let fields = FirebaseAnswers.mediaFields(blob.info, metadata, tag)
    return try ranged(conditional(Response(200, fields, .bytes(blob.bytes)), tag), tag)
  }

  fileprivate func metadata(_ name: ObjectName) throws -> Response {
    let (caller, token) = try reader(of: name)
    let first = server.settings.hasDownloadTokens ? try ObjectTokens.random() : nil
    let file = try DrawingService(ofOwner: environment, as: caller)
      .describedFile(name.file, ofDrawing: name.id, of: name.uid, firstToken: first)
    return try conditional(answer(file, onlyToken: token), file?.tag)
  }

  /// The description of an object. A token's holder does not see the other tokens; they may expire
  /// later.
  private func answer(
    _ file: DrawingService.DescribedFile?, onlyToken: String? = nil
  ) throws -> Response {
    guard let file else { throw Refusal(404, "not-found", "There is no object with this name.") }
    var tokens = server.settings.hasDownloadTokens ? file.metadata.tokens : []
    if let onlyToken { tokens = [onlyToken] }
    return Response(
      200,
      [
        ("Content-Type", FirebaseAnswers.mediaType), ("Cache-Control", "private, no-cache"),
        ("ETag", file.tag.headerValue),
      ], .bytes(FirebaseAnswers.object(file, inBucket: try bucket(), tokens: tokens)))
  }

  fileprivate func objectList() throws -> Response {
    let bucket = try bucket()
    let prefix = try text("prefix") ?? ""
    let isGrouped = try text("delimiter") == "/"
    let limit = min(try number("maxResults") ?? 1000, 1000)
    guard prefix.isEmpty || prefix.utf8.last == UInt8(ascii: "/") else {
      throw Refusal.badParameter("prefix", "It must be empty or end with a slash.")
    }
    let parts =
      prefix.isEmpty ? [] : try ObjectName.parts(String(Substring(prefix.utf8.dropLast())))
    guard 2...4 ~= parts.count, parts[0] == "users", parts.count < 3 || parts[2] == "drawings"
    else { throw Refusal.noRule(for: caller) }
    let depth: DrawingService.FolderDepth =
      switch parts.count {
      case 2: .user
      case 3: .drawings
      default: .drawing(parts[3])
      }
    var after: String?
    if let token = try text("pageToken"), !token.isEmpty {
      after = Base64.decodeURL(token.utf8).flatMap { String(validating: $0, as: UTF8.self) }
      guard after?.hasPrefix(prefix) == true else {
        throw Refusal.badParameter("pageToken", "It must be the token of a page before.")
      }
    }
    let list = try DrawingService(ofOwner: environment, as: caller).fileList(
      of: parts[1], inFolder: depth, grouped: isGrouped, after: after, limit: limit)
    return json { json in
      json.object { json in
        json.list("prefixes", list.names.filter { $0.hasSuffix("/") }) { $0.value($1) }
        json.list("items", list.names.filter { !$0.hasSuffix("/") }) { json, name in
          json.object { json in
            json.field("name", name)
            json.field("bucket", bucket)
          }
        }
        if list.hasMore, let last = list.names.last {
          json.field("nextPageToken", Base64.encodeURL(Array(last.utf8)))
        }
      }
    }
  }

  // MARK: - Metadata

  /// Changes the metadata of an object.
  private func change(
    _ name: ObjectName, _ body: (inout FileMetadata) throws -> Void
  ) throws -> Response {
    try answer(
      DrawingService(ofOwner: environment, as: caller)
        .changeMetadata(name.file, ofDrawing: name.id, of: name.uid, body))
  }

  fileprivate func patchMetadata(_ name: ObjectName) throws -> Response {
    let changes = try FileMetadata.Changes(values(body))
    let first = server.settings.hasDownloadTokens ? try ObjectTokens.random() : nil
    return try change(name) { metadata in
      metadata.apply(changes)
      if metadata.tokens.isEmpty, let first { metadata.tokens = [first] }
      try FileMetadata.checkSize(ofCustom: metadata.custom)
    }
  }

  private func checkTokens() throws(Refusal) {
    guard server.settings.hasDownloadTokens else {
      throw Refusal(403, "no-download-tokens", "This server gives no download tokens.")
    }
  }

  fileprivate func createToken(_ name: ObjectName) throws -> Response {
    try checkTokens()
    let token = try ObjectTokens.random()
    return try change(name) { metadata in
      guard metadata.tokens.count < ObjectTokens.maximumCount else {
        throw Refusal(
          400, "too-many-tokens", "An object has \(ObjectTokens.maximumCount) tokens at most.")
      }
      metadata.tokens.append(token)
    }
  }

  /// Revokes a token. An object always has one, so a new one replaces the last.
  fileprivate func deleteToken(_ token: String, _ name: ObjectName) throws -> Response {
    try checkTokens()
    let next = try ObjectTokens.random()
    return try change(name) { metadata in
      metadata.tokens.removeAll { $0.utf8.elementsEqual(token.utf8) }
      if metadata.tokens.isEmpty { metadata.tokens = [next] }
    }
  }

  // MARK: - Uploads

  /// Stores an object, or a piece of an upload.
  fileprivate func receiveObject(named name: ObjectName?) throws -> Response {
    if let id = try text("upload_id") { return try goOn(with: id) }
    let type = exchange.head?.text("content-type").flatMap(MediaType.init)
    let kind = try exchange.head?.text("x-goog-upload-protocol") ?? text("uploadType") ?? ""
    switch kind.lowercased() {
    case "resumable": return try beginUpload(name)
    case "multipart": return try receiveParts(name)
    default:
      if type?.name == "multipart/related" { return try receiveParts(name) }
      return try receive(objectName(name), body, Fields())
    }
  }

  /// The name of a new object, from the path, the query or the metadata, in this order.
  private func objectName(
    _ inPath: ObjectName?, _ metadata: Fields = Fields()
  ) throws(Refusal) -> ObjectName {
    let given = try text("name")
    guard let inPath else {
      guard let text = given ?? metadata["name"]?.textValue else {
        throw Refusal.badParameter("name", "The name of the object is needed.")
      }
      return try ObjectName(text, caller)
    }
    guard
      try given.map({ text throws(Refusal) in try ObjectName(text, caller) }) ?? inPath == inPath
    else { throw .badParameter("name", "It must be the name in the path.") }
    return inPath
  }

  /// Stores an object from a multipart body with its metadata and its bytes.
  private func receiveParts(_ name: ObjectName?) throws -> Response {
    guard let type = exchange.head?.text("content-type").flatMap(MediaType.init) else {
      throw Refusal(
        400, "bad-multipart", "The body must be multipart/related.", field: "content-type")
    }
    var reader = try MultipartReader(type, maximumPartCount: 2)
    var parts: [(type: MediaType?, bytes: [UInt8])] = []
    try reader.read(body) { (event) throws(Refusal) in
      switch event {
      case .part(let part): parts.append((part.type, []))
      case .content(let piece): parts[parts.count - 1].bytes += piece
      case .endOfPart: break
      }
    }
    try reader.finish()
    guard parts.count == 2, parts[0].type?.name ?? "application/json" == "application/json" else {
      throw Refusal(400, "bad-multipart", "The body must be the metadata and the bytes.")
    }
    let metadata = try values(parts[0].bytes)
    return try receive(objectName(name, metadata), parts[1].bytes, metadata)
  }

  /// Stores an object.
  private func receive(
    _ name: ObjectName, _ bytes: [UInt8], _ metadata: Fields
  ) throws -> Response {
    try DrawingService(ofOwner: environment, as: caller)
      .checkUpload(name.file, byteCount: bytes.count, ofDrawing: name.id, of: name.uid)
    return try answer(store(name, bytes, changes(metadata), as: caller))
  }

  /// The client's metadata for a new object, without its content type: the file's name determines
  /// that, so that no upload is ever shown as a page.
  private func changes(_ metadata: Fields) throws(Refusal) -> FileMetadata.Changes {
    let changes = try FileMetadata.Changes(metadata)
    try FileMetadata.checkSize(ofCustom: changes.custom.compactMapValues { $0 })
    return changes
  }

  private func store(
    _ name: ObjectName, _ bytes: [UInt8], _ changes: FileMetadata.Changes, as caller: Caller
  ) throws -> DrawingService.DescribedFile? {
    var upload = DrawingService.Upload(name.file, bytes)
    upload.metadata = changes
    upload.metadata?.tokens =
      server.settings.hasDownloadTokens ? try changes.tokens ?? [ObjectTokens.random()] : []
    return try DrawingService(ofOwner: environment, as: caller)
      .put(upload, ofDrawing: name.id, of: name.uid).described
  }

  // MARK: - Uploads in pieces

  private func header(_ name: String) -> String? { exchange.head?.text(name) }

  private func size(_ names: String...) throws(Refusal) -> Int? {
    for name in names {
      guard let text = header(name) else { continue }
      guard 1...15 ~= text.utf8.count, text.utf8.allSatisfy({ 48...57 ~= $0 }),
        let size = Int(text)
      else { throw Refusal(400, "bad-size", "It must be a number of bytes.", field: name) }
      return size
    }
    return nil
  }

  /// The words of `X-Goog-Upload-Command`.
  private var commands: Set<String> {
    let words = header("x-goog-upload-command")?.split(separator: ",") ?? []
    return Set(words.map { $0.lowercased().filter { $0 != " " } })
  }

  private func beginUpload(_ inPath: ObjectName?) throws -> Response {
    guard commands == ["start"] else { throw Self.badCommand }
    let metadata = try values(body)
    let name = try objectName(inPath, metadata)
    let declared = try size("x-goog-upload-header-content-length", "x-goog-upload-content-length")
    let service = DrawingService(ofOwner: environment, as: caller)
    try service.checkUpload(
      name.file, byteCount: declared ?? 0, ofDrawing: name.id, of: name.uid)
    // An upload that would be refused at the end is refused now.
    _ = try changes(metadata)
    guard case .user(let uid) = caller else { throw Refusal.noRule(for: caller) }
    try environment.checkQuota(declared ?? 0, of: uid)
    let bucket = try bucket()
    let upload = try server.uploads.begin(
      name, inBucket: bucket, declared: declared, metadata, of: uid)
    let query = "name=\(name.text.percentEncoded)&upload_id=\(upload.id)&upload_protocol=resumable"
    return Response(
      200,
      [
        ("X-Goog-Upload-Status", "active"),
        // The server's URL as the client uses it, since clients need an absolute URL here. No other
        // client gets this response.
        (
          "X-Goog-Upload-URL",
          "\(server.origin(asNamedBy: exchange))/v0/b/\(bucket.percentEncoded)/o?\(query)"
        ),
        ("X-Goog-Upload-Chunk-Granularity", "262144"), ("X-GUploader-UploadID", upload.id),
        ("Cache-Control", "no-store"),
      ])
  }

  private static let badCommand = Refusal(
    400, "bad-command", "The command must be start, upload, finalize, query or cancel.",
    field: "x-goog-upload-command")

  private func goOn(with id: String) throws -> Response {
    try server.uploads.withExclusiveAccess(to: id) {
      guard let upload = try server.uploads.upload(id), upload.bucket == (try bucket()),
        try text("name").map({ $0.utf8.elementsEqual(upload.name.utf8) }) ?? true
      else {
        throw Refusal(404, "no-upload", "There is no such upload, or not any more.")
      }
      // The upload's URL suffices, since mobile clients send nothing else. But an authenticated
      // caller must be the owner.
      if header("authorization") == nil {
        guard server.changes.take(upload.uid) else {
          throw Refusal(
            429, "too-many-changes", "Too many changes in a short time; try again later.")
        }
      } else if caller != .user(upload.uid) {
        throw Refusal(403, "not-owner", "This belongs to another user.")
      }
      return try carryOut(commands, upload)
    }
  }

  private func carryOut(
    _ commands: Set<String>, _ upload: ResumableUploads.Upload
  ) throws -> Response {
    var upload = upload
    switch commands {
    case ["query"]: return state(of: upload)
    case ["cancel"]:
      if upload.state == .final { return refused("ended", "The upload is complete.", upload) }
      if upload.state == .active { try server.uploads.end(&upload, .cancelled) }
      return state(of: upload)
    case ["upload"], ["finalize"], ["upload", "finalize"]: break
    default: throw Self.badCommand
    }
    switch upload.state {
    case .cancelled: return refused("ended", "The upload was cancelled.", upload)
    case .final:
      // The first response may have been lost.
      return commands.contains("finalize")
        ? ended(upload) : refused("ended", "The upload is complete.", upload)
    case .active: break
    }
    if let refusal = try receivePiece(commands, &upload) { return refusal }
    return commands.contains("finalize") ? try finalize(&upload) : state(of: upload)
  }

  /// Adds the body to an upload. Returns a response if the offset does not match.
  private func receivePiece(
    _ commands: Set<String>, _ upload: inout ResumableUploads.Upload
  ) throws -> Response? {
    guard commands.contains("upload") else {
      return body.isEmpty ? nil : refused("unexpected-body", "This command has no body.", upload)
    }
    guard try size("x-goog-upload-offset") == upload.received else {
      return refused("wrong-offset", "The upload has another number of bytes.", upload)
    }
    let limit = upload.declared ?? DrawingFiles.sizeLimit - 1
    guard body.count <= limit - upload.received else {
      try server.uploads.end(&upload, .cancelled)
      return refused("large-body", "The upload has more bytes than it was begun for.", upload)
    }
    if !body.isEmpty { try server.uploads.add(body, to: &upload) }
    return nil
  }

  private func finalize(_ upload: inout ResumableUploads.Upload) throws -> Response {
    guard upload.declared ?? upload.received == upload.received else {
      return refused("incomplete", "The upload has fewer bytes than it was begun for.", upload)
    }
    do {
      let owner = Caller.user(upload.uid)
      let file = try store(
        ObjectName(upload.name, owner), server.uploads.bytes(of: upload),
        changes(upload.metadata), as: owner)
      guard case .bytes(let json) = try answer(file).content else { return state(of: upload) }
      try server.uploads.end(&upload, .final, answer: String(decoding: json, as: UTF8.self))
      return ended(upload)
    } catch {
      // The same bytes would be refused again.
      let status = Refusal(error).status
      if 400..<500 ~= status, status != 429 { try? server.uploads.drop(upload.id, of: upload.uid) }
      throw error
    }
  }

  private func state(of upload: ResumableUploads.Upload) -> Response {
    Response(
      200,
      [
        ("X-Goog-Upload-Status", upload.state.rawValue),
        ("X-Goog-Upload-Size-Received", String(upload.received)),
        ("X-Goog-Upload-Chunk-Granularity", "262144"), ("Cache-Control", "no-store"),
      ])
  }

  private func ended(_ upload: ResumableUploads.Upload) -> Response {
    var response = state(of: upload)
    response.fields.append(("Content-Type", FirebaseAnswers.mediaType))
    response.content = .bytes(Array(upload.answer.utf8))
    return response
  }

  /// A refusal that contains the number of received bytes.
  private func refused(
    _ code: String, _ detail: String, _ upload: ResumableUploads.Upload
  ) -> Response {
    let refusal = Refusal(400, code, detail)
    (exchange.note as? RequestNote)?.code = code
    var response = state(of: upload)
    response.status = refusal.status
    response.fields.append(("Content-Type", FirebaseAnswers.mediaType))
    response.content = .bytes(FirebaseAnswers.problem(refusal))
    return response
  }
}
