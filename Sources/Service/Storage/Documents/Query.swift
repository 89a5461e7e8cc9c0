import Checksums

/// A query for documents of one collection: filters, order, limit and cursor.
///
/// A missing field counts as null. Comparisons other than equality only match values of the same
/// kind: `timestamp < 5` matches no moment. Ties are broken by document name. `isDescending`
/// reverses the whole order.
///
/// `title/folded` is the text of the field `title` without differences of case, accents and width,
/// for orders and filters; null if the field has no text, or an empty one.
public struct Query: Hashable, Sendable {
  /// The collection to search.
  public var collection: CollectionPath
  /// The filters; a document must match all of them.
  public var filters: [Filter]
  /// Words that a document must contain; nil for any.
  public var search: TextSearch?
  /// The fields to sort by, the most significant first.
  public var order: [String]
  /// Whether the greatest values come first.
  public var isDescending = false
  /// The maximum number of documents; nil for all.
  public var limit: Int?
  /// The maximum number of documents that a store with an index compares with the filters and the
  /// searched words for a page, which may then have a cursor and fewer documents than the limit;
  /// nil for all.
  public var comparisonLimit: Int?
  /// The end of the previous page; the next page starts after it.
  public var cursor: Cursor?

  /// A query for the whole collection in the order of names.
  public init(_ collection: CollectionPath) {
    self.collection = collection
    filters = []
    order = []
  }

  /// A condition on one field.
  public struct Filter: Hashable, Sendable {
    /// The name of the field.
    public let field: String
    /// The condition on its value.
    public let condition: Condition
  }

  /// A condition on a value.
  public enum Condition: Hashable, Sendable {
    /// Equal to a value; a missing field equals null.
    case equal(FieldValue)
    /// Less than a value of the same kind.
    case less(FieldValue)
    /// Less than or equal to a value of the same kind.
    case atMost(FieldValue)
    /// Greater than a value of the same kind.
    case greater(FieldValue)
    /// Greater than or equal to a value of the same kind.
    case atLeast(FieldValue)
    /// Equal to one of at most 100 values.
    case oneOf([FieldValue])
    /// A list with a value.
    case contains(FieldValue)
  }

  /// A position in the results of a query. Only valid for queries with the same collection and
  /// order.
  public struct Cursor: Hashable, Sendable {
    package let key: ValueKey

    package init(key: ValueKey) { self.key = key }
  }

  /// The query with one more filter.
  public func filtered(_ field: String, _ condition: Condition) -> Query {
    var query = self
    query.filters.append(Filter(field: field, condition: condition))
    return query
  }

  /// The query with another order.
  public func ordered(by fields: String..., descending: Bool = false) -> Query {
    var query = self
    query.order = fields
    query.isDescending = descending
    return query
  }

  /// The cursor for the page after a document.
  public func cursor(after document: Document) -> Cursor { Cursor(key: key(of: document)) }

  /// The query limited to one page after a cursor.
  public func page(_ limit: Int?, after cursor: Cursor? = nil) -> Query {
    var query = self
    query.limit = limit
    query.cursor = cursor
    return query
  }
}

extension Query {
  /// One page of results and the cursor of the next page.
  public struct Page: Sendable {
    /// The documents in the order of the query.
    public let documents: [Document]
    /// The cursor of the next page; nil on the last page.
    public let cursor: Cursor?
    /// The errors of documents that were skipped because they cannot be read. Some of them might
    /// have matched.
    public let damaged: [StorageError]

    package init(documents: [Document], cursor: Cursor?, damaged: [StorageError] = []) {
      self.documents = documents
      self.cursor = cursor
      self.damaged = damaged
    }
  }

  /// Throws if the limit is negative or a `oneOf` filter has more than 100 values.
  package func check() throws(StorageError) {
    if let limit { try Self.check(limit: limit) }
    for filter in filters {
      if case .oneOf(let values) = filter.condition, values.count > 100 {
        throw StorageError(.badValue("more than 100 values"), filter.field.printableASCII)
      }
    }
  }

  /// Throws if a limit is negative.
  package static func check(limit: Int) throws(StorageError) {
    guard limit >= 0 else { throw StorageError(.badValue("below zero"), "limit") }
  }

  /// Whether the fields match all filters and have all searched words.
  package func matches(_ fields: Fields) -> Bool {
    filters.allSatisfy { $0.condition.holds(for: fields.sortValue($0.field)) }
      && search?.matches(fields) ?? true
  }

  /// The sort key of a document: the fields of the order, then the name.
  package func key(of document: Document) -> ValueKey {
    var key = ValueKey()
    for field in order { key.append(document.fields.sortValue(field)) }
    key.append(.text(document.id))
    return key
  }

  /// Whether a sort key comes after the cursor.
  func isAfterCursor(_ key: ValueKey) -> Bool {
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
    case .contains(let other):
      return value.listValue?.contains { Self.equal(other).holds(for: $0) } ?? false
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
  /// The cursor as hexadecimal digits, for links and command lines.
  public var description: String { key.bytes.hexadecimal }

  /// Reads the text of `description`; nil for anything else.
  public init?(_ description: String) {
    guard let bytes = [UInt8](hexadecimal: description), !bytes.isEmpty else { return nil }
    key = ValueKey(bytes: bytes)
  }
}
