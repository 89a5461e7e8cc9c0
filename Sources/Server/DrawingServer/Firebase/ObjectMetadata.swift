import DrawingServices
import HTTP
import JSON
import Storage
import Tokens

// Metadata of objects, in requests and responses.

extension FileMetadata.Changes {
  /// The custom metadata with which Firebase's server libraries set tokens of their own.
  private static let tokensName = "firebaseStorageDownloadTokens"
  private static let maximumTextBytes = 1024

  /// Parses a client's metadata. Ignores fields that only a server sets: clients send back the
  /// metadata that they received.
  init(_ fields: Fields) throws(Refusal) {
    self.init()
    for name in FileMetadata.textNames {
      switch fields[name] {
      case nil: break
      case .null, .text(""): texts.updateValue(nil, forKey: name)
      case .text(let text): try set(name, text)
      default: throw .badParameter(name, "It must be a text.")
      }
    }
    md5 = try Self.hash(fields, "md5Hash", byteCount: 16)
    crc32c = try Self.hash(fields, "crc32c", byteCount: 4)
    switch fields["metadata"] {
    case nil: break
    case .null: clearsCustom = true
    case .map(let values): for (name, value) in values.all { try setCustom(name, value) }
    default: throw .badParameter("metadata", "It must be an object of texts.")
    }
  }

  /// Sets a text. Its characters must be valid in a header, since all texts may become header
  /// values.
  mutating func set(_ name: String, _ text: String) throws(Refusal) {
    guard text.utf8.count <= Self.maximumTextBytes, text.utf8.allSatisfy({ 32...126 ~= $0 }) else {
      throw .badParameter(name, "It must have at most 1024 printable characters of ASCII.")
    }
    texts[name] = text
  }

  private mutating func setCustom(_ name: String, _ value: FieldValue) throws(Refusal) {
    if name == Self.tokensName {
      guard let text = value.textValue else { return }
      let tokens = text.split(separator: ",").map(String.init)
      // Short tokens could be guessed.
      guard 1...ObjectTokens.maximumCount ~= tokens.count,
        tokens.allSatisfy({
          16...128 ~= $0.utf8.count && $0.utf8.allSatisfy(ObjectTokens.isTokenCharacter)
        })
      else { throw .badParameter(name, "A token has 16 to 128 letters, digits and hyphens.") }
      self.tokens = tokens
      return
    }
    guard 1...200 ~= name.utf8.count else {
      throw .badParameter("metadata", "A name has 1 to 200 bytes.")
    }
    switch value {
    case .null: custom.updateValue(nil, forKey: name)
    case .text(let text): custom[name] = text
    default: throw .badParameter("metadata", "It must be an object of texts.")
    }
  }

  private static func hash(
    _ fields: Fields, _ name: String, byteCount: Int
  ) throws(Refusal) -> [UInt8]? {
    switch fields[name] {
    case nil, .null: return nil
    case .text(let text):
      if let bytes = Base64.decode(text), bytes.count == byteCount { return bytes }
    default: break
    }
    throw .badParameter(name, "It must be \(byteCount) bytes in base64.")
  }
}

extension FileMetadata {
  private static let maximumCustomBytes = 8 << 10

  /// Throws if the custom metadata exceeds the storable size.
  static func checkSize(ofCustom custom: [String: String]) throws(Refusal) {
    guard custom.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count }) <= maximumCustomBytes
    else {
      throw .badParameter("metadata", "It must have at most 8 KiB.")
    }
  }
}

/// Download tokens: random UUIDs.
enum ObjectTokens {
  /// The maximum number of tokens of an object.
  static let maximumCount = 32

  static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 45, 48...57, 65...90, 95, 97...122: true
    default: false
    }
  }

  /// A new token: a random UUID.
  static func random() throws(Refusal) -> String {
    guard var bytes = randomBytes(16) else {
      throw Refusal(503, "busy", "The system has no random bytes.")
    }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
      text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension DrawingService.DescribedFile {
  /// The tag of the file's bytes and metadata.
  var tag: EntityTag { EntityTag("\(metadata.generation).\(metadata.metageneration)") }
}

extension FirebaseAnswers {
  /// An object in the form of Firebase Storage.
  static func object(
    _ file: DrawingService.DescribedFile, inBucket bucket: String, tokens: [String]
  ) -> [UInt8] {
    let (info, metadata) = (file.info, file.metadata)
    var json = JSONWriter()
    json.object { json in
      json.field("name", info.path.description)
      json.field("bucket", bucket)
      json.field("generation", String(metadata.generation))
      json.field("metageneration", String(metadata.metageneration))
      json.field("contentType", DrawingFiles.contentType(of: info.path.name))
      json.field("timeCreated", info.updated.iso8601Milliseconds)
      json.field("updated", max(metadata.updated, info.updated).iso8601Milliseconds)
      json.field("storageClass", "STANDARD")
      json.field("size", String(info.size))
      json.field("md5Hash", Base64.encode(metadata.md5))
      json.field("crc32c", crc32c(of: info))
      json.field("etag", file.tag.text)
      json.field("contentEncoding", metadata.texts["contentEncoding"] ?? "identity")
      json.field("contentDisposition", contentDisposition(of: info, metadata))
      for name in ["contentLanguage", "cacheControl"] {
        if let text = metadata.texts[name] { json.field(name, text) }
      }
      if !metadata.custom.isEmpty {
        json.object("metadata") { json in
          for (name, text) in metadata.custom.sorted(by: { $0.key < $1.key }) {
            json.field(name, text)
          }
        }
      }
      if !tokens.isEmpty { json.field("downloadTokens", tokens.joined(separator: ",")) }
    }
    return json.bytes
  }

  /// The header fields of a response with the bytes of an object. Excludes the client's content
  /// encoding: browsers could not decode bytes that are not encoded.
  static func mediaFields(
    _ info: BlobInfo, _ metadata: FileMetadata?, _ tag: EntityTag
  ) -> [(name: String, value: String)] {
    var hashes = "crc32c=\(crc32c(of: info))"
    if let metadata { hashes += ",md5=\(Base64.encode(metadata.md5))" }
    var fields = [
      ("Content-Type", DrawingFiles.contentType(of: info.path.name)), ("ETag", tag.headerValue),
      ("Accept-Ranges", "bytes"), ("Content-Disposition", contentDisposition(of: info, metadata)),
      ("Cache-Control", metadata?.texts["cacheControl"] ?? "private, max-age=0"),
      ("X-Goog-Hash", hashes), ("X-Goog-Stored-Content-Length", String(info.size)),
    ]
    if let language = metadata?.texts["contentLanguage"] {
      fields.append(("Content-Language", language))
    }
    if let metadata {
      fields.append(("X-Goog-Generation", String(metadata.generation)))
      fields.append(("X-Goog-Metageneration", String(metadata.metageneration)))
    }
    return fields
  }

  private static func contentDisposition(of info: BlobInfo, _ metadata: FileMetadata?) -> String {
    metadata?.texts["contentDisposition"]
      ?? "inline; filename*=utf-8''\(info.path.name.percentEncoded)"
  }

  private static func crc32c(of info: BlobInfo) -> String {
    Base64.encode((0..<4).reversed().map { UInt8(truncatingIfNeeded: info.checksum >> (8 * $0)) })
  }
}
