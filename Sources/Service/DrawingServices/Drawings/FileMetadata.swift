public import Storage

/// What clients of Firebase Storage say about a file, and what its download links depend on.
///
/// It is stored beside the documents of the user, where no caller can read it: a download token opens the file
/// without anything else.
public struct FileMetadata: Hashable, Sendable {
  /// The texts that a client may give, by name: those of `textNames`.
  public private(set) var texts: [String: String] = [:]
  /// Names and texts of the client's own.
  public private(set) var custom: [String: String] = [:]
  /// The tokens that open the file. Clients take the first one.
  public var tokens: [String] = []
  /// Which version of the bytes it is, in microseconds since 1970 or more. It only grows.
  public internal(set) var generation: Int64
  /// How often this was written for these bytes.
  public internal(set) var metageneration: Int64 = 1
  /// When this was last changed.
  public internal(set) var updated: Moment
  /// The bytes that this belongs to.
  public internal(set) var sha256: String
  /// Their MD5, 16 bytes.
  public internal(set) var md5: [UInt8]

  /// The names of the texts that a client may give. The type is not among them: the name of a file decides it.
  public static let textNames = [
    "cacheControl", "contentDisposition", "contentEncoding", "contentLanguage",
  ]

  /// What a client says: about a new file, or other than before.
  public struct Changes: Hashable, Sendable {
    /// The texts to set; nil removes one.
    public var texts: [String: String?] = [:]
    /// Names and texts of the client's own; nil removes one.
    public var custom: [String: String?] = [:]
    /// Whether those that there are go away first.
    public var clearsCustom = false
    /// The tokens of a new file; nil for none but those that the service adds.
    public var tokens: [String]?
    /// The MD5 that the bytes must have; nil for any.
    public var md5: [UInt8]?
    /// The CRC-32C that the bytes must have, its highest byte first; nil for any.
    public var crc32c: [UInt8]?

    /// No changes.
    public init() {}
  }

  init(sha256: String, md5: [UInt8], generation: Int64, updated: Moment) {
    (self.sha256, self.md5) = (sha256, md5)
    (self.generation, self.updated) = (generation, updated)
  }

  /// Makes changes, but none of tokens.
  public mutating func apply(_ changes: Changes) {
    for (name, text) in changes.texts { texts[name] = text }
    if changes.clearsCustom { custom = [:] }
    for (name, text) in changes.custom { custom[name] = text }
  }
}

// MARK: - As a document

extension FileMetadata {
  /// The metadata in a document; nil if something else is in it.
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
