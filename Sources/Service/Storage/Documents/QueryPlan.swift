/// An index of a store: its number there, its fields, the most significant first, and the paths of
/// its texts.
package struct IndexPattern: Sendable {
  package let number: Int64
  package let fields: [String]
  package let texts: [String]
  private let paths: [TextPath]

  package init(number: Int64, _ index: DocumentIndex) {
    self.number = number
    paths = index.texts.map { TextPath($0) }
    (fields, texts) = (index.fields, index.texts)
  }

  /// The terms of a document in this index.
  package func terms(of document: Fields) -> Set<TextTerm> { TextTerm.of(document, at: paths) }

  /// Whether two documents have the same texts, and so the same terms.
  package func hasSameTexts(_ one: Fields?, _ other: Fields?) -> Bool {
    paths.allSatisfy { one?.foldedTexts(at: $0) ?? [] == other?.foldedTexts(at: $0) ?? [] }
  }

  /// The key of a document in this index: the values of the fields, then the document's name.
  package func key(of document: Fields, id: String) -> ValueKey {
    var key = ValueKey()
    for field in fields { key.append(document.sortValue(field)) }
    key.append(.text(id))
    return key
  }
}

extension [Substring: [IndexPattern]] {
  /// The indexes, by the last name of their collections.
  package var indexes: Set<DocumentIndex> {
    Set(
      flatMap { name, patterns in
        patterns.map {
          DocumentIndex(collection: String(name), fields: $0.fields, texts: $0.texts)
        }
      })
  }
}

/// The execution plan of a query: an index range, and the filters to apply to each document of the
/// range.
package struct QueryPlan {
  /// The entries of an index between two keys.
  package struct IndexRange {
    package let pattern: Int64
    /// The exclusive lower bound.
    package let start: ValueKey
    /// The exclusive upper bound.
    package let end: ValueKey

    /// The words to look up in the texts of the index; nil for none.
    package var search: TextSearch?

    package init(pattern: Int64, start: ValueKey, end: ValueKey) {
      (self.pattern, self.start, self.end) = (pattern, start, end)
    }

    /// The rest of the range after an entry.
    package func rest(after key: ValueKey, isDescending: Bool) -> Self {
      var rest = Self(
        pattern: pattern, start: isDescending ? start : key, end: isDescending ? key : end)
      rest.search = search
      return rest
    }

    package func contains(_ key: ValueKey) -> Bool { start < key && key < end }
  }

  /// The range to read; nil if no index fits the query.
  package let range: IndexRange?
  /// The filters that the range does not cover.
  package let remainingFilters: [Query.Filter]
  private let search: TextSearch?

  package init(_ query: Query, _ patterns: [IndexPattern]) {
    let plans = patterns.compactMap { Self.plan(query, $0) }
    // The index that finds words, or covers the most filters.
    let best = plans.min { (one, other) in
      (one.range.search == nil ? 1 : 0, one.remainingFilters.count)
        < (other.range.search == nil ? 1 : 0, other.remainingFilters.count)
    }
    range = best?.range
    search = query.search
    remainingFilters = best?.remainingFilters ?? query.filters
  }

  /// Whether the range has exactly the documents that match the query.
  package var isExact: Bool { remainingFilters.isEmpty && search == nil }

  /// Whether a document of the range matches the query.
  package func matches(_ document: Document) -> Bool {
    remainingFilters.allSatisfy { $0.condition.holds(for: document.fields.sortValue($0.field)) }
      && search?.matches(document.fields) ?? true
  }

  /// The plan for one index; nil if its order does not fit the query.
  private static func plan(
    _ query: Query, _ pattern: IndexPattern
  ) -> (range: IndexRange, remainingFilters: [Query.Filter])? {
    var rest = query.filters
    var prefix = ValueKey()
    var fields = pattern.fields[...]
    // First the fields with an equality filter, up to the fields of the order …
    while !fields.areIdentical(to: query.order), let field = fields.first,
      let position = rest.firstIndex(where: {
        $0.field.isIdentical(to: field) && $0.condition.isEquality
      })
    {
      guard case .equal(let value) = rest[position].condition else { break }
      prefix.append(value)
      rest.remove(at: position)
      fields = fields.dropFirst()
    }
    // … then the fields of the order; the document's name comes last.
    guard fields.areIdentical(to: query.order) else { return nil }
    var (start, end) = (prefix, prefix.end)
    if let field = fields.first {
      rest.removeAll { filter in
        guard filter.field.isIdentical(to: field) else { return false }
        return filter.condition.narrow(&start, &end, after: prefix)
      }
    }
    if let cursor = query.cursor {
      let position = prefix + cursor.key
      if query.isDescending { end = min(end, position) } else { start = max(start, position) }
    }
    var range = IndexRange(pattern: pattern.number, start: start, end: end)
    if let search = query.search, !search.isEmpty, search.texts == pattern.texts {
      range.search = search
    }
    return (range, rest)
  }
}

extension ArraySlice<String> {
  /// Whether both lists hold the same names, compared byte by byte.
  fileprivate func areIdentical(to others: [String]) -> Bool {
    elementsEqual(others) { $0.isIdentical(to: $1) }
  }
}

extension Query.Condition {
  fileprivate var isEquality: Bool { if case .equal = self { true } else { false } }

  /// Narrows a range to the condition. Returns false if the range does not cover the condition
  /// fully.
  fileprivate func narrow(
    _ start: inout ValueKey, _ end: inout ValueKey, after prefix: ValueKey
  ) -> Bool {
    func key(_ value: FieldValue) -> ValueKey { prefix + ValueKey(value) }
    /// Limits the range to values of the same kind.
    func limitToKind(of value: FieldValue) {
      start = max(start, ValueKey(bytes: prefix.bytes + [value.kind.rawValue]))
      end = min(end, ValueKey(bytes: prefix.bytes + [value.kind.rawValue + 1]))
    }
    switch self {
    case .equal(let value):
      start = max(start, key(value))
      end = min(end, key(value).end)
    case .less(let value):
      limitToKind(of: value)
      end = min(end, key(value))
    case .atMost(let value):
      limitToKind(of: value)
      end = min(end, key(value).end)
    case .greater(let value):
      limitToKind(of: value)
      start = max(start, key(value).end)
    case .atLeast(let value):
      limitToKind(of: value)
      start = max(start, key(value))
    case .oneOf, .contains: return false
    }
    // No value is less or greater than null.
    switch self {
    case .less(.null), .atMost(.null), .greater(.null), .atLeast(.null): return false
    default: return true
    }
  }
}
