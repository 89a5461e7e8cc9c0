import Calendar
import Checksums
import JSON
import Storage
import Threads
import WebClient
import XML

// Objects: one request each, large ones in parts.

/// The store's metadata of an object.
struct ObjectHead: Sendable {
  var size: Int
  var modified: Moment
  /// This program's note in the metadata; nil for an object of another program.
  var note: String?
  var contentType: String
}

/// An object in a listing.
struct ListedObject: Sendable {
  let key: String
  let size: Int
  let modified: Moment
}

extension ObjectClient {
  /// The header field of this program's note.
  private static let noteField = "x-amz-meta-pkd"
  /// Larger objects are uploaded in parts, so that only lost parts are sent again.
  static let partSize = 8 << 20
  private static let partsAtOnce = 4

  func head(_ key: String) throws(StorageError) -> ObjectHead? {
    let request = Request(method: .head, key: key)
    let answer = try answer(request)
    // A response without a body gives no reason, nor does it distinguish a missing object from a
    // missing bucket.
    switch answer.status {
    case 200: return head(answer)
    case 404:
      try checkBucket()
      return nil
    default:
      let again = Request(method: .get, key: key, fields: [("Range", "bytes=0-0")])
      let reason = try self.answer(again)
      throw error(reason.status < 400 ? answer : reason, again)
    }
  }

  /// Throws if the bucket is missing.
  private func checkBucket() throws(StorageError) {
    if isBucketKnown { return }
    guard try answer(Request(method: .head)).status != 404 else { throw bucketIsMissing }
    noteBucket()
  }

  /// The time of the store's clock, which sets the times of its objects.
  func storeTime() throws(StorageError) -> Moment {
    let request = Request(
      method: .get, query: [("list-type", "2"), ("prefix", address.prefix), ("max-keys", "1")])
    let answer = try answer(request)
    guard answer.status == 200 else { throw error(answer, request) }
    guard let date = answer.field("date").flatMap(Moment.init(httpDate:)) else {
      throw StorageError(.unavailable("the store does not tell its time"), address.description)
    }
    return date
  }

  func get(_ key: String) throws(StorageError) -> (head: ObjectHead, bytes: [UInt8])? {
    let request = Request(method: .get, key: key, limit: 1 << 30)
    let answer = try answer(request)
    if answer.status == 404, ObjectFailure(answer).code != "NoSuchBucket" { return nil }
    guard answer.status == 200 else { throw error(answer, request) }
    return (head(answer), answer.body)
  }

  /// A range of an object's bytes, cut at the object's end; nil if there is no object.
  func get(_ key: String, bytes range: Range<Int>) throws(StorageError) -> [UInt8]? {
    var request = Request(method: .get, key: key, limit: 1 << 30)
    request.fields = [("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")]
    let answer = try answer(request)
    switch answer.status {
    case 206: return answer.body
    case 200: return Array(answer.body[range.clamped(to: 0..<answer.body.count)])
    case 404 where ObjectFailure(answer).code != "NoSuchBucket": return nil
    case 416: return []
    default: throw error(answer, request)
    }
  }

  private func head(_ answer: WebAnswer) -> ObjectHead {
    ObjectHead(
      size: answer.field("content-length").flatMap { Int($0) } ?? answer.body.count,
      modified: answer.field("last-modified").flatMap(Moment.init(httpDate:))
        ?? Moment(microseconds: 0),
      note: answer.field(Self.noteField),
      contentType: answer.field("content-type") ?? "application/octet-stream")
  }

  func put(
    _ key: String, _ bytes: [UInt8], contentType: String, note: String
  ) throws(StorageError) {
    let fields = [(name: "Content-Type", value: contentType), (Self.noteField, note)]
    guard bytes.count <= Self.partSize else { return try putParts(key, bytes, fields) }
    let request = Request(method: .put, key: key, fields: fields, body: bytes)
    let answer = try answer(request)
    guard answer.status == 200 else { throw error(answer, request) }
  }

  private func putParts(_ key: String, _ bytes: [UInt8], _ fields: Items) throws(StorageError) {
    let begin = Request(method: .post, key: key, query: [("uploads", "")], fields: fields)
    let begun = try answer(begin)
    guard begun.status == 200,
      let upload = (try? ObjectXML.read(begun.body))?.first(where: { $0.name == "UploadId" })?.text
    else { throw error(begun, begin) }
    let starts = Array(stride(from: 0, to: bytes.count, by: Self.partSize))
    do {
      let tags = try Lanes.map(Array(starts.enumerated()), lanes: Self.partsAtOnce) { part in
        let end = min(part.element + Self.partSize, bytes.count)
        let request = Request(
          method: .put, key: key,
          query: [("partNumber", "\(part.offset + 1)"), ("uploadId", upload)],
          body: Array(bytes[part.element..<end]))
        let answer = try self.answer(request)
        guard answer.status == 200, let tag = answer.field("etag") else {
          throw self.error(answer, request)
        }
        return tag
      }
      let parts = tags.enumerated().map {
        "<Part><PartNumber>\($0.offset + 1)</PartNumber><ETag>\($0.element)</ETag></Part>"
      }
      let end = Request(
        method: .post, key: key, query: [("uploadId", upload)],
        body: Array(
          "<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>".utf8))
      let answer = try self.answer(end)
      // A store that takes long responds with 200 first, and reports an error in the body.
      guard answer.status == 200, ObjectFailure(answer).code.isEmpty else {
        throw self.error(answer, end)
      }
    } catch {
      try? abort(upload, of: key)
      throw error as? StorageError ?? StorageError(.unavailable("\(error)"), key)
    }
  }

  /// Aborts an abandoned multipart upload, whose parts would cost money forever.
  func abort(_ upload: String, of key: String) throws(StorageError) {
    _ = try answer(Request(method: .delete, key: key, query: [("uploadId", upload)]))
  }

  /// Multipart uploads that were begun before a moment and not completed.
  func unfinishedUploads(
    _ prefix: String, before moment: Moment
  ) throws(StorageError) -> [(key: String, upload: String)] {
    let request = Request(
      method: .get, query: [("uploads", ""), ("prefix", prefix)], limit: 8 << 20)
    let answer = try answer(request)
    guard answer.status == 200, let elements = try? ObjectXML.read(answer.body) else {
      throw error(answer, request)
    }
    var found: [(String, String)] = []
    var (key, upload) = ("", "")
    for element in elements where element.parent == "Upload" {
      switch element.name {
      case "Key": key = element.text
      case "UploadId": upload = element.text
      case "Initiated":
        if let time = ISO8601(element.text), Moment(seconds: time.seconds) < moment {
          found.append((key, upload))
        }
      default: break
      }
    }
    return found
  }

  /// A link by which everybody can read an object from the store directly, for at least `seconds`,
  /// at most half a week. Links of the same period are equal, so that browsers can cache their
  /// pictures.
  func link(_ key: String, at moment: Moment, seconds: Int) throws -> String {
    // The maximum lifetime of a link is a week.
    let half = Int64(min(max(seconds, 1), 7 * 43_200))
    let credentials = try credentials()
    var start = moment
    // Temporary credentials may be newer than the start of the period.
    if credentials.token == nil {
      start = Moment(seconds: moment.microseconds / 1_000_000 / half * half)
    }
    let path = address.path(key)
    let query = ObjectSignature(credentials, region: address.region, at: start).linkQuery(
      host: address.host, path: path, query: [], seconds: Int(2 * half))
    return "\(address.base)\(path)?\(query)"
  }

  /// Copies an object within the bucket, with its note.
  func copy(_ key: String, to other: String) throws(StorageError) {
    let source = "/\(address.bucket)/\(ObjectSignature.escaped(key, except: UInt8(ascii: "/")))"
    let request = Request(method: .put, key: other, fields: [("x-amz-copy-source", source)])
    let answer = try answer(request)
    guard answer.status == 200, ObjectFailure(answer).code.isEmpty else {
      throw error(answer, request)
    }
  }

  func delete(_ key: String) throws(StorageError) {
    let request = Request(method: .delete, key: key)
    let answer = try answer(request)
    guard [200, 204, 404].contains(answer.status) else { throw error(answer, request) }
  }

  /// Deletes many objects, a thousand per request.
  func delete(_ keys: [String]) throws(StorageError) {
    if keys.count == 1 { return try delete(keys[0]) }
    // Other programs may use keys that XML cannot represent.
    func isText(_ key: String) -> Bool {
      key.unicodeScalars.allSatisfy { $0 >= " " && $0 != "\u{FFFE}" && $0 != "\u{FFFF}" }
    }
    for key in keys where !isText(key) { try delete(key) }
    let keys = keys.filter(isText)
    for start in stride(from: 0, to: keys.count, by: 1000) {
      let objects = keys[start..<min(start + 1000, keys.count)].map {
        "<Object><Key>\($0.xmlEscaped)</Key></Object>"
      }
      let body = Array("<Delete><Quiet>true</Quiet>\(objects.joined())</Delete>".utf8)
      let request = Request(
        method: .post, query: [("delete", "")],
        fields: [
          ("Content-MD5", Base64.encode(MD5.of(body))), ("Content-Type", "application/xml"),
        ],
        body: body)
      let answer = try answer(request)
      guard answer.status == 200, ObjectFailure(answer).code.isEmpty else {
        throw error(answer, request)
      }
    }
  }

  /// The objects whose keys begin with a prefix and follow a key, in byte order: at most a
  /// thousand, and whether there are more.
  func list(
    _ prefix: String, after key: String? = nil, limit: Int = 1000
  ) throws(StorageError) -> (objects: [ListedObject], hasMore: Bool) {
    var query: Items = [
      ("list-type", "2"), ("prefix", prefix), ("max-keys", String(min(limit, 1000))),
    ]
    if let key { query.append(("start-after", key)) }
    let page = try page(query)
    return (page.objects, page.next != nil)
  }

  /// A page of a listing: objects, common prefixes, and the start of the next page.
  private func page(
    _ query: Items
  ) throws(StorageError) -> (objects: [ListedObject], prefixes: [String], next: String?) {
    // Other programs may use keys that XML cannot represent.
    let request = Request(
      method: .get, query: query + [("encoding-type", "url")], limit: 8 << 20)
    let answer = try answer(request)
    guard answer.status == 200, let elements = try? ObjectXML.read(answer.body) else {
      throw error(answer, request)
    }
    var (objects, prefixes): ([ListedObject], [String]) = ([], [])
    var (isTruncated, token): (Bool, String?) = (false, nil)
    var (name, size, modified) = ("", 0, Moment(microseconds: 0))
    func add() {
      if !name.isEmpty { objects.append(ListedObject(key: name, size: size, modified: modified)) }
    }
    for element in elements {
      switch (element.parent, element.name) {
      case (_, "IsTruncated"): isTruncated = element.text == "true"
      case (_, "NextContinuationToken"): token = element.text
      case ("CommonPrefixes", "Prefix"): prefixes.append(Self.decoded(element.text))
      case ("Contents", "Key"):
        add()
        name = Self.decoded(element.text)
      case ("Contents", "Size"): size = Int(element.text) ?? 0
      case ("Contents", "LastModified"):
        modified = ISO8601(element.text).map { Moment(seconds: $0.seconds) } ?? modified
      default: break
      }
    }
    add()
    return (objects, prefixes, isTruncated ? token ?? "" : nil)
  }

  /// Decodes a URL-encoded name of a listing.
  private static func decoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
      switch byte {
      case UInt8(ascii: "%") where digits.count == 2:
        bytes.append(UInt8(digits[0] << 4 | digits[1]))
        rest = rest.dropFirst(2)
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The objects of one level, whose keys are a prefix and a name, and the names of the levels
  /// below it.
  func level(_ prefix: String) throws(StorageError) -> (objects: [ListedObject], names: [String]) {
    var (objects, names): ([ListedObject], [String]) = ([], [])
    var token: String?
    repeat {
      var query: Items = [("list-type", "2"), ("prefix", prefix), ("delimiter", "/")]
      if let token { query.append(("continuation-token", token)) }
      let page = try page(query)
      objects += page.objects
      names += page.prefixes.map { String($0.dropFirst(prefix.count).dropLast()) }
      // A store that repeats its token must not cause an endless loop.
      guard page.next == nil || page.next != token else {
        throw StorageError(.unavailable("the store's list has no end"), address.description)
      }
      token = page.next
    } while token != nil
    return (objects, names)
  }

  /// All objects whose keys begin with a prefix; nil if there are more than a limit.
  func all(_ prefix: String, limit: Int) throws(StorageError) -> [ListedObject]? {
    var found: [ListedObject] = []
    while true {
      let (objects, hasMore) = try list(prefix, after: found.last?.key)
      found += objects
      guard found.count <= limit else { return nil }
      if !hasMore || objects.isEmpty { return found }
    }
  }

  /// All objects whose keys begin with a prefix.
  func all(_ prefix: String) throws(StorageError) -> [ListedObject] {
    try all(prefix, limit: .max) ?? []
  }
}
