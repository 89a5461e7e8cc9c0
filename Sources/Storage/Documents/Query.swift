/// A question to one collection: which of its documents, in which order, how many.
///
/// A field that is not there counts as null. Comparisons other than equality only find values of the
/// same kind, as `timestamp < 5` can be true of no moment. Documents that are equal by all orders come
/// in the order of their names; all of it is turned around if `isDescending`.
public struct Query: Hashable, Sendable {
  /// Where the documents lie.
  public var collection: CollectionPath
  /// What must hold, all of it.
  public var filters: [Filter]
  /// The fields that documents are sorted by, the first one first.
  public var order: [String]
  /// Whether great values come first.
  public var isDescending = false
  /// How many are wanted; nil for all.
  public var limit: Int?
  /// Where the last answer ended, to go on behind it.
  public var cursor: Cursor?

  /// A question; the whole collection in the order of names if nothing more is said.
  public init(_ collection: CollectionPath) {
    self.collection = collection
    filters = []
    order = []
  }

  /// What must hold of a field.
  public struct Filter: Hashable, Sendable {
    /// The field's name.
    public let field: String
    /// What must hold of its value.
    public let condition: Condition
  }

  /// What must hold of a value.
  public enum Condition: Hashable, Sendable {
    case equal(FieldValue)
    case less(FieldValue)
    case atMost(FieldValue)
    case greater(FieldValue)
    case atLeast(FieldValue)
    /// Equal to one of them.
    case oneOf([FieldValue])
  }

  /// A place in the answers to a question, good for the same question alone.
  public struct Cursor: Hashable, Sendable {
    let key: ValueKey
  }

  /// The same question of fewer documents.
  public func filtered(_ field: String, _ condition: Condition) -> Query {
    var query = self
    query.filters.append(Filter(field: field, condition: condition))
    return query
  }

  /// The same question in an order.
  public func ordered(by fields: String..., descending: Bool = false) -> Query {
    var query = self
    query.order = fields
    query.isDescending = descending
    return query
  }

  /// The place of a document among the answers.
  public func cursor(behind document: Document) -> Cursor { Cursor(key: key(of: document)) }

  /// The same question for some documents only, behind a place where an answer ended.
  public func page(_ limit: Int?, after cursor: Cursor? = nil) -> Query {
    var query = self
    query.limit = limit
    query.cursor = cursor
    return query
  }
}

extension Query {
  /// The answer to a question, and where to go on.
  public struct Page: Sendable {
    /// The documents, in order.
    public let documents: [Document]
    /// The place behind them; nil where there are no more.
    public let cursor: Cursor?
    /// Documents that were passed over because they cannot be read, each with the reason. They may
    /// have been answers.
    public let damaged: [StorageError]

    init(documents: [Document], cursor: Cursor?, damaged: [StorageError] = []) {
      self.documents = documents
      self.cursor = cursor
      self.damaged = damaged
    }
  }

  /// Throws where the question has no sense.
  func check() throws(StorageError) {
    if let limit { try Self.check(limit: limit) }
    for filter in filters {
      if case .oneOf(let values) = filter.condition, values.count > 100 {
        throw StorageError(.badValue("more than 100 values"), filter.field.lowASCII)
      }
    }
  }

  /// Throws for fewer than none.
  static func check(limit: Int) throws(StorageError) {
    guard limit >= 0 else { throw StorageError(.badValue("below zero"), "limit") }
  }

  /// Whether all filters hold.
  func matches(_ fields: Fields) -> Bool {
    filters.allSatisfy { $0.condition.holds(for: fields[$0.field] ?? .null) }
  }

  /// Where a document stands in the order.
  func key(of document: Document) -> ValueKey {
    var key = ValueKey()
    for field in order { key.append(document[field] ?? .null) }
    key.append(.text(document.id))
    return key
  }

  /// Whether a place lies behind the one where the last answer ended.
  func isBehindCursor(_ key: ValueKey) -> Bool {
    guard let cursor else { return true }
    return isDescending ? key < cursor.key : cursor.key < key
  }
}

extension Query.Condition {
  func holds(for value: FieldValue) -> Bool {
    func compare(_ other: FieldValue, _ holds: (ValueKey, ValueKey) -> Bool) -> Bool {
      value.kind == other.kind && value.kind != .null && holds(ValueKey(value), ValueKey(other))
    }
    switch self {
    case .equal(let other): return value.kind == other.kind && ValueKey(value) == ValueKey(other)
    case .less(let other): return compare(other, <)
    case .atMost(let other): return compare(other) { !($1 < $0) }
    case .greater(let other): return compare(other) { $1 < $0 }
    case .atLeast(let other): return compare(other) { !($0 < $1) }
    case .oneOf(let others): return others.contains { Self.equal($0).holds(for: value) }
    }
  }
}

extension ValueKey {
  init(_ value: FieldValue) {
    self.init()
    append(value)
  }
}

extension Query.Cursor: CustomStringConvertible, LosslessStringConvertible {
  /// The place as hexadecimal digits, for links and command lines.
  public var description: String {
    key.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Reads the text of `description`; nil for anything else.
  public init?(_ description: String) {
    let digits = Array(description.utf8)
    guard digits.count % 2 == 0, !digits.isEmpty else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard let high = Self.value(of: digits[place]), let low = Self.value(of: digits[place + 1])
      else { return nil }
      bytes.append(high << 4 | low)
    }
    key = ValueKey(bytes: bytes)
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case 48...57: digit - 48
    case 97...102: digit - 87
    default: nil
    }
  }
}
