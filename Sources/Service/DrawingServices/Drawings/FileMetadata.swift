public import Storage

/// A file's metadata from clients of Firebase Storage, and its download tokens.
///
/// It is stored next to the user's documents, where no caller can read it: a download token alone
/// opens the file.
public struct FileMetadata: Hashable, Sendable {
  /// The texts from a client, by name; `textNames` lists the possible names.
  public private(set) var texts: [String: String] = [:]
  /// The client's custom metadata: names and texts.
  public private(set) var custom: [String: String] = [:]
  /// The tokens that open the file. Clients use the first one.
  public var tokens: [String] = []
  /// The version of the bytes, in microseconds since 1970 or more. It only grows.
  public internal(set) var generation: Int64
  /// The number of times that the metadata of these bytes was written.
  public internal(set) var metageneration: Int64 = 1
  /// When this was last changed.
  public internal(set) var updated: Moment
  /// The SHA-256 of the described bytes.
  public internal(set) var sha256: String
  /// Their MD5, 16 bytes.
  public internal(set) var md5: [UInt8]

  /// The names of the texts that a client may set. The content type is not one: the file's name
  /// determines it.
  public static let textNames = [
    "cacheControl", "contentDisposition", "contentEncoding", "contentLanguage",
  ]

  /// A client's metadata for a new file, or its changes of existing metadata.
  public struct Changes: Hashable, Sendable {
    /// The texts to set; nil removes one.
    public var texts: [String: String?] = [:]
    /// Custom names and texts to set; nil removes one.
    public var custom: [String: String?] = [:]
    /// Whether the existing custom metadata is removed first.
    public var clearsCustom = false
    /// The tokens of a new file; nil for only those that the service adds.
    public var tokens: [String]?
    /// The MD5 that the bytes must have; nil for any.
    public var md5: [UInt8]?
    /// The CRC-32C that the bytes must have, most significant byte first; nil for any.
    public var crc32c: [UInt8]?

    /// No changes.
    public init() {}
  }

  init(sha256: String, md5: [UInt8], generation: Int64, updated: Moment) {
    (self.sha256, self.md5) = (sha256, md5)
    (self.generation, self.updated) = (generation, updated)
  }

  /// Applies changes, except those of tokens.
  public mutating func apply(_ changes: Changes) {
    for (name, text) in changes.texts { texts[name] = text }
    if changes.clearsCustom { custom = [:] }
    for (name, text) in changes.custom { custom[name] = text }
  }
}

// MARK: - As a document

extension FileMetadata {
  /// The metadata in a document; nil if the document is not valid metadata.
  init?(_ fields: Fields) {
    guard let sha256 = fields["sha256"]?.textValue, case .bytes(let md5)? = fields["md5"],
      let generation = fields["generation"]?.integerValue,
      let metageneration = fields["metageneration"]?.integerValue,
      let updated = fields["updated"]?.momentValue
    else { return nil }
    self.init(sha256: sha256, md5: md5, generation: generation, updated: updated)
    self.metageneration = metageneration
    texts = Self.texts(fields["texts"])
    custom = Self.texts(fields["custom"])
    tokens = fields["tokens"]?.listValue?.compactMap(\.textValue) ?? []
  }

  /// The metadata as a document for a file.
  func fields(of file: BlobPath) -> Fields {
    [
      "file": .text(file.description), "sha256": .text(sha256), "md5": .bytes(md5),
      "generation": .integer(generation), "metageneration": .integer(metageneration),
      "updated": .moment(updated), "tokens": .list(tokens.map { .text($0) }),
      "texts": .map(Fields(texts.map { ($0, .text($1)) })),
      "custom": .map(Fields(custom.map { ($0, .text($1)) })),
    ]
  }

  private static func texts(_ value: FieldValue?) -> [String: String] {
    var texts: [String: String] = [:]
    for (name, value) in value?.mapValue?.all ?? [] { texts[name] = value.textValue }
    return texts
  }
}
