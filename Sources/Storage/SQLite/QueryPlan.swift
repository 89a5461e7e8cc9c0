/// How a question is answered: by a run of an index and by what must still be asked of each document.
struct QueryPlan {
  /// The places of an index between two keys.
  struct Run {
    let pattern: Int64
    /// Answers lie behind this key.
    let start: ValueKey
    /// And before this one.
    let end: ValueKey
  }

  /// Nil where no index fits.
  let run: Run?
  /// The filters that the run does not answer.
  let rest: [Query.Filter]

  init(_ query: Query, _ patterns: [SQLiteDocuments.Pattern]) {
    let plans = patterns.compactMap { Self.plan(query, $0) }
    // The index that answers most.
    let best = plans.min { $0.rest.count < $1.rest.count }
    run = best?.run
    rest = best?.rest ?? query.filters
  }

  /// How an index answers a question; nil where its order is not the wanted one.
  private static func plan(
    _ query: Query, _ pattern: SQLiteDocuments.Pattern
  ) -> (run: Run, rest: [Query.Filter])? {
    var rest = query.filters
    var prefix = ValueKey()
    var fields = pattern.fields[...]
    // First fields of which the value is known, as far as the order does not begin with them …
    while !fields.areIdentical(to: query.order), let field = fields.first,
      let place = rest.firstIndex(where: {
        $0.field.isIdentical(to: field) && $0.condition.isEquality
      })
    {
      guard case .equal(let value) = rest[place].condition else { break }
      prefix.append(value)
      rest.remove(at: place)
      fields = fields.dropFirst()
    }
    // … then those of the order, which names follow.
    guard fields.areIdentical(to: query.order) else { return nil }
    var (start, end) = (prefix, prefix.end)
    if let field = fields.first {
      rest.removeAll { filter in
        guard filter.field.isIdentical(to: field) else { return false }
        return filter.condition.narrow(&start, &end, behind: prefix)
      }
    }
    if let cursor = query.cursor {
      let place = prefix + cursor.key
      if query.isDescending { end = min(end, place) } else { start = max(start, place) }
    }
    return (Run(pattern: pattern.number, start: start, end: end), rest)
  }
}

extension ArraySlice<String> {
  /// Whether these are the same names byte by byte.
  fileprivate func areIdentical(to others: [String]) -> Bool {
    elementsEqual(others) { $0.isIdentical(to: $1) }
  }
}

extension Query.Condition {
  fileprivate var isEquality: Bool { if case .equal = self { true } else { false } }

  /// Draws the ends of a run together, as far as it answers the condition; false where it does not.
  fileprivate func narrow(
    _ start: inout ValueKey, _ end: inout ValueKey, behind prefix: ValueKey
  ) -> Bool {
    func key(_ value: FieldValue) -> ValueKey { prefix + ValueKey(value) }
    /// All values of the same kind.
    func keepToKind(of value: FieldValue) {
      start = max(start, ValueKey(bytes: prefix.bytes + [value.kind.rawValue]))
      end = min(end, ValueKey(bytes: prefix.bytes + [value.kind.rawValue + 1]))
    }
    switch self {
    case .equal(let value):
      start = max(start, key(value))
      end = min(end, key(value).end)
    case .less(let value):
      keepToKind(of: value)
      end = min(end, key(value))
    case .atMost(let value):
      keepToKind(of: value)
      end = min(end, key(value).end)
    case .greater(let value):
      keepToKind(of: value)
      start = max(start, key(value).end)
    case .atLeast(let value):
      keepToKind(of: value)
      start = max(start, key(value))
    case .oneOf: return false
    }
    // Nothing is less or more than null.
    switch self {
    case .less(.null), .atMost(.null), .greater(.null), .atLeast(.null): return false
    default: return true
    }
  }
}
