import DrawingServices
import HTTP
import HTTPServing
import JSON
import Storage
import Strokes

extension Call {
  /// A JSON response that only the caller may cache, and must revalidate.
  func json(
    _ status: Int = 200, tag: EntityTag? = nil, _ fields: [(name: String, value: String)] = [],
    _ body: (inout JSONWriter) -> Void
  ) -> Response {
    var writer = JSONWriter()
    body(&writer)
    var fields = fields
    fields.append(("Content-Type", "application/json"))
    fields.append(("Cache-Control", "private, no-cache"))
    if let tag { fields.append(("ETag", tag.headerValue)) }
    return Response(status, fields, .bytes(writer.bytes))
  }

  /// A document, or 304 if the client has it.
  func answer(
    _ document: Document, _ status: Int = 200, _ fields: [(name: String, value: String)] = []
  ) throws -> Response {
    let tag = tag(of: document)
    let response = json(status, tag: tag, fields) { $0.document(document, self) }
    guard status == 200, method == .get || method == .head else { return response }
    return try conditional(response, tag)
  }

  /// 304 instead of a response that the client already has.
  func conditional(_ response: Response, _ tag: EntityTag?) throws -> Response {
    var response = response
    switch try conditions().outcome(method, current: tag) {
    case .proceed: break
    case .notModified: response.status = 304
    case .failed:
      throw Refusal(412, "changed", "It is not the version that was named.", field: "if-match")
    }
    return response
  }

  /// The tag of a document: its sequence number, and for a drawing also the version of its links.
  func tag(of document: Document) -> EntityTag {
    let names = document.path.description.split(separator: "/")
    guard names.count == 4, names[2] == "drawings" else {
      return EntityTag(String(document.sequence))
    }
    if isMember(names[1]) { return EntityTag("\(document.sequence).member") }
    let version = server.links.version(of: String(names[1]), at: environment.now())
    return EntityTag("\(document.sequence).\(version)")
  }

  /// A page of documents.
  func page(_ documents: [Document], _ cursor: Query.Cursor?) -> Response {
    json { json in
      json.object { json in
        json.list("items", documents) { json, document in json.document(document, self) }
        json.field("cursor", cursor?.description)
      }
    }
  }

  /// A page of search results.
  func page(_ page: DrawingService.SearchPage) -> Response {
    json { json in
      json.object { json in
        json.list("items", page.results) { json, found in
          json.document(found.drawing.document, self, found: found.words)
        }
        json.field("cursor", page.cursor?.description)
      }
    }
  }

  /// The result of a deletion: an empty response, or 404 if nothing existed.
  func deleted(_ existed: Bool) throws(Refusal) -> Response {
    guard existed else { throw Refusal(404, "not-found", "There is nothing with this name.") }
    return Response(204)
  }

  /// The sequence number that a document must have, by `If-Match`; nil for any.
  func expectedSequence() throws(Refusal) -> Int64? {
    guard let match = try conditions().match else { return nil }
    switch match {
    case .any: return nil
    case .tags(let tags):
      // Only one version can be the current one.
      guard let tag = tags.first, tags.count == 1, !tag.isWeak,
        let sequence = Int64(tag.text.prefix { $0 != "." })
      else { return -1 }
      return sequence
    }
  }

  /// Whether only a document that does not exist yet may be written, by `If-None-Match: *`.
  func mustBeNew() throws(Refusal) -> Bool {
    if case .any? = try conditions().noneMatch { true } else { false }
  }

  /// Whether the caller is another user than an owner, and so at most a member.
  func isMember(_ owner: some StringProtocol) -> Bool {
    if case .user(let uid) = caller { uid != owner } else { false }
  }

  /// A link to a file or page of a drawing that works without a token. Members get addresses that
  /// need their own token: a link would outlast the membership.
  func link(_ document: Document, _ name: String) -> String? {
    let names = document.path.description.split(separator: "/").map(String.init)
    guard names.count == 4 else { return nil }
    if isMember(names[1]) {
      return "\(origin)/v1/users/\(names[1])/drawings/\(names[3])/\(name)"
    }
    let settings = server.settings
    // The store cannot render a missing image.
    let mayLackImage = document["rendersImageLater"]?.boolValue ?? false
    if settings.linksToStore, name != DrawingFiles.image || !mayLackImage,
      let file = try? BlobPath("users/\(names[1])/drawings/\(names[3])/\(name)"),
      let link = try? environment.blobs.link(
        to: file, at: environment.now(), seconds: settings.linkSeconds)
    {
      return link
    }
    return try? server.links.link(
      origin, path: "/v1/users/\(names[1])/drawings/\(names[3])/\(name)", of: names[1],
      expires: linkExpiry, made: LinkSigner.made(document))
  }
}

extension JSONWriter {
  /// A document as an object: its name as `id`, and its fields. The links of a drawing are complete
  /// and signed. For a search result, `found` replaces the recognized words. `isBrief` omits the
  /// words: for a page full of handwriting they are much larger than all other fields.
  mutating func document(
    _ document: Document, _ call: Call, found: [RecognizedText.Word]? = nil, isBrief: Bool = false
  ) {
    object { json in
      json.field("id", document.id)
      let isDrawing = document.path.collection.name == "drawings"
      for (name, value) in document.fields.all where !Self.hiddenFields.contains(name) {
        if isDrawing, found != nil || isBrief, name == "recognizedText" { continue }
        if found != nil, name == "found" { continue }
        json.key(name)
        if isDrawing, let file = Self.linkedFiles[name], value.textValue != nil,
          let link = call.link(document, file)
        {
          json.value(link)
        } else {
          value.write(to: &json)
        }
      }
      if let found {
        json.list("found", found) { json, word in json.found(word) }
      }
    }
  }

  /// Fields that are written separately, and one that only marks a running revision.
  private static let hiddenFields: Set<String> = ["id", "nextRecordingSHA256"]

  private static let linkedFiles = [
    "imageURL": DrawingFiles.image, "recordingURL": DrawingFiles.recording,
    "thumbnailURL": DrawingFiles.thumbnail,
  ]

  /// A change of a document.
  mutating func change(_ change: DocumentChange, _ call: Call) {
    object { json in
      json.field("path", change.path.description)
      json.field("sequence", Int(change.sequence))
      json.field("isDeleted", change.document == nil && !change.isDamaged)
      json.key("document")
      if let document = change.document { json.document(document, call) } else { json.null() }
    }
  }
}
