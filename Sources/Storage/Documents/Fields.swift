/// The fields of a document or of a map in one: names and values, as the bytes that are stored.
///
/// Fields are CBOR (RFC 8949) in one form only, names in the order of their bytes, so that equal
/// fields are equal bytes. Reading one field passes over the others, which costs less than making
/// values of all of them: documents are small, and most readers want two or three fields.
public struct Fields: Hashable, Sendable {
  /// A CBOR map.
  public let bytes: [UInt8]

  /// How deep maps and lists may lie in each other.
  public static let maximumDepth = 20

  /// No fields.
  public init() { bytes = [0xA0] }

  /// Fields from names and values; of equal names the last one counts.
  public init(_ values: some Sequence<(String, FieldValue)>) {
    // By their bytes, as texts of other bytes can be equal; of equal ones the last stays behind.
    var fields: [(String, FieldValue)] = []
    for field in values.sorted(by: { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }) {
      if let last = fields.last, last.0.isIdentical(to: field.0) { fields.removeLast() }
      fields.append(field)
    }
    var writer = FieldWriter()
    writer.write(fields)
    bytes = writer.bytes
  }

  /// Bytes that were stored, or came from elsewhere; throws where they are not what `bytes` gives.
  public init(bytes: [UInt8]) throws(StorageError) {
    let isSound = FieldReader.read(bytes, doubting: true) { $0.skipMap(depth: 0) && $0.isAtEnd }
    guard isSound else {
      throw StorageError(.damaged("these are no fields"), "document")
    }
    self.bytes = bytes
  }

  /// Bytes that were found to be as they were written.
  init(trusted bytes: [UInt8]) { self.bytes = bytes }

  /// How many fields there are.
  public var count: Int { FieldReader.read(bytes) { $0.mapCount() ?? 0 } }

  /// The value of a field; nil where there is none. Setting nil takes the field away.
  public subscript(name: String) -> FieldValue? {
    get { FieldReader.read(bytes) { $0.value(named: name) } }
    set {
      var values = all.filter { !$0.0.isIdentical(to: name) }
      if let newValue { values.append((name, newValue)) }
      self = Fields(values)
    }
  }

  /// All fields, in the order of their names' bytes.
  public var all: [(String, FieldValue)] { FieldReader.read(bytes) { $0.map() ?? [] } }

  /// These fields with others over them: fields of the same name are replaced, maps not mixed.
  public func merging(_ others: Fields) -> Fields { Fields(all + others.all) }

  /// Throws where a value is one that cannot be stored: a number that is not finite, a moment beyond
  /// all calendars, maps too deep in each other, a name that is empty or longer than 200 bytes.
  public func check() throws(StorageError) { try Self.check(.map(self), "document", depth: 0) }

  private static func check(
    _ value: FieldValue, _ subject: String, depth: Int
  ) throws(StorageError) {
    guard depth <= maximumDepth else {
      throw StorageError(.badValue("maps and lists lie too deep in each other"), subject)
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
        try check(value, depth == 0 ? name.lowASCII : subject, depth: depth + 1)
      }
    default: break
    }
  }
}

extension Fields: ExpressibleByDictionaryLiteral {
  /// Fields from names and values; those of nil are left out.
  public init(dictionaryLiteral values: (String, FieldValue?)...) {
    self.init(values.compactMap { name, value in value.map { (name, $0) } })
  }
}
