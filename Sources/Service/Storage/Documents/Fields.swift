/// The fields of a document, or of a map in a document: names and values in their stored encoding.
///
/// The encoding is canonical CBOR (RFC 8949) with names sorted by their bytes, so equal fields have
/// equal bytes. Reading one field skips the others, which costs less than decoding all: documents
/// are small, and most callers read two or three fields.
public struct Fields: Hashable, Sendable {
  /// A CBOR map.
  public let bytes: [UInt8]

  /// The maximum nesting depth of maps and lists.
  public static let maximumDepth = 20

  /// No fields.
  public init() { bytes = [0xA0] }

  /// Fields from names and values. If a name occurs twice, the last value is kept.
  public init(_ values: some Sequence<(String, FieldValue)>) {
    // Compares bytes, as different bytes can be equal texts. The sort is stable: the last of equal
    // names comes last.
    var fields: [(String, FieldValue)] = []
    for field in values.sorted(by: { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }) {
      if let last = fields.last, last.0.isIdentical(to: field.0) { fields.removeLast() }
      fields.append(field)
    }
    var writer = FieldWriter()
    writer.write(fields)
    bytes = writer.bytes
  }

  /// Fields from untrusted bytes. Throws if they are not in the canonical encoding of `bytes`.
  public init(bytes: [UInt8]) throws(StorageError) {
    let isIntact = FieldReader.read(bytes, validating: true) { $0.skipMap(depth: 0) && $0.isAtEnd }
    guard isIntact else {
      throw StorageError(.damaged("not encoded fields"), "document")
    }
    self.bytes = bytes
  }

  /// Fields from an untrusted message. Throws also if it has more values than its size allows.
  package init(message bytes: [UInt8]) throws(StorageError) {
    let (isIntact, isTooLong) = FieldReader.read(
      bytes, validating: true, valueLimit: Self.valueLimit(byteCount: bytes.count)
    ) { ($0.skipMap(depth: 0) && $0.isAtEnd, $0.valuesLeft < 0) }
    guard !isTooLong else { throw StorageError(.badValue("too many values"), "message") }
    guard isIntact else { throw StorageError(.damaged("not encoded fields"), "message") }
    self.bytes = bytes
  }

  /// The maximum number of values in a message of this size. A value of one byte takes up to a
  /// hundred in memory, so a message of such values would take a hundred times its size. Ordinary
  /// messages have ten to thirty bytes per value, and few have more than a thousand values.
  package static func valueLimit(byteCount: Int) -> Int { 1 << 16 + byteCount / 32 }

  /// Fields from bytes with a verified checksum.
  package init(trusted bytes: [UInt8]) { self.bytes = bytes }

  /// The number of fields.
  public var count: Int { FieldReader.read(bytes) { $0.mapCount() ?? 0 } }

  /// The value of a field; nil if it is missing. Setting nil removes the field.
  public subscript(name: String) -> FieldValue? {
    get { FieldReader.read(bytes) { $0.value(named: name) } }
    set {
      var values = all.filter { !$0.0.isIdentical(to: name) }
      if let newValue { values.append((name, newValue)) }
      self = Fields(values)
    }
  }

  /// All fields, sorted by the bytes of their names.
  public var all: [(String, FieldValue)] { FieldReader.read(bytes) { $0.map() ?? [] } }

  /// These fields, overwritten by others. Maps are replaced, not merged.
  public func merging(_ others: Fields) -> Fields { Fields(all + others.all) }

  /// Throws if a value cannot be stored: a number that is not finite, a moment outside of
  /// `Moment.supported`, maps and lists nested too deep, a name that is empty or longer than 200
  /// bytes.
  public func check() throws(StorageError) { try Self.check(.map(self), "document", depth: 0) }

  private static func check(
    _ value: FieldValue, _ subject: String, depth: Int
  ) throws(StorageError) {
    guard depth <= maximumDepth else {
      throw StorageError(.badValue("maps and lists are nested too deep"), subject)
    }
    switch value {
    case .number(let number) where !number.isFinite:
      throw StorageError(.badValue("not a finite number"), subject)
    case .moment(let moment) where !Moment.supported.contains(moment):
      throw StorageError(.badValue("not in the years 0 to 9999"), subject)
    case .list(let values):
      for value in values { try check(value, subject, depth: depth + 1) }
    case .map(let fields):
      for (name, value) in fields.all {
        guard 1...200 ~= name.utf8.count else {
          throw StorageError(.badValue("a field's name must have 1 to 200 bytes"), subject)
        }
        try check(value, depth == 0 ? name.printableASCII : subject, depth: depth + 1)
      }
    default: break
    }
  }
}

extension Fields: ExpressibleByDictionaryLiteral {
  /// Fields from names and values; nil values are left out.
  public init(dictionaryLiteral values: (String, FieldValue?)...) {
    self.init(values.compactMap { name, value in value.map { (name, $0) } })
  }
}
