import Storage

/// Queries: pages, counts, names and changes of documents.
///
/// libpq keeps all rows of a result in memory, so long results are read in pieces, each after the
/// end of the last one.
extension PostgresDocuments {
  /// The maximum number of rows in a piece: documents may have a megabyte each.
  private static let pieceCount = 128

  func page(_ query: Query) throws(StorageError) -> Query.Page {
    try query.check()
    let plan = QueryPlan(query, patterns[query.collection.name] ?? [])
    guard var range = plan.range else {
      // No index fits: read and sort all documents of the collection.
      var results = QuerySorter(query)
      results.damaged = try forEach(in: query.collection) { results.add($0) }
      return results.page
    }
    // One row more than the page shows whether there is a next page. With remaining conditions the
    // number of needed rows is unknown.
    let wanted = plan.isExact ? query.limit ?? Self.pieceCount : Self.pieceCount
    let pieceCount = min(wanted, Self.pieceCount - 1) + 1
    var collector = PageCollector(query, plan)
    // Documents are compared without the index of texts while a sixteenth of them match: the server
    // needs 10 µs for each entry with frequent terms.
    var search: TextSearch?
    while true {
      let rows = try entries(
        of: range, with: search, in: query.collection, pieceCount, query.isDescending)
      let countBefore = collector.documents.count
      for index in 0..<rows.count {
        guard let row = try readableRow(rows, index, &collector.damaged) else { continue }
        if !collector.add(row) { return collector.page }
      }
      guard rows.count == pieceCount else { return collector.page }
      let key = ValueKey(bytes: rows.bytes(rows.count - 1, 7) + rows.bytes(rows.count - 1, 8))
      range = range.rest(after: key, isDescending: query.isDescending)
      let foundCount = collector.documents.count - countBefore
      if search == nil, foundCount < pieceCount / 16 { search = range.search }
    }
  }

  /// The first rows of an index range, each with its key in two parts; only those that may have
  /// searched words.
  private func entries(
    of range: QueryPlan.IndexRange, with search: TextSearch?, in collection: CollectionPath,
    _ count: Int, _ isDescending: Bool
  ) throws(StorageError) -> PostgresRows {
    let way = isDescending ? "DESC" : "ASC"
    let (start, end) = (PlaceKey(range.start), PlaceKey(range.end))
    let values: [PostgresConnection.Value] = [
      .integer(range.pattern), .text(collection.description), .bytes(start.head),
      .bytes(start.rest), .bytes(end.head), .bytes(end.rest), .integer(Int64(count)),
    ]
    let conditions =
      "p.pattern = $1 AND p.collection = $2 AND \(PlaceKey.isInRange)"
    guard let search else {
      return try rows(
        """
        SELECT \(Self.columns), p.head, p.rest FROM places p
        JOIN documents d ON d.collection = p.collection AND d.id = p.id
        WHERE \(conditions) ORDER BY p.head \(way), p.rest \(way) LIMIT $7
        """, values)
    }
    // Terms contain the collection. So the list of entries with the terms needs no other condition,
    // which the server might use instead of the index of terms.
    return try rows(
      """
      WITH found AS MATERIALIZED (SELECT pattern, collection, head, rest, id FROM places
      WHERE terms @> $8::bigint[] OR terms @> $9::bigint[]),
      page AS MATERIALIZED (SELECT collection, id, head, rest FROM found p
      WHERE \(conditions) ORDER BY p.head \(way), p.rest \(way) LIMIT $7)
      SELECT \(Self.columns), p.head, p.rest FROM page p
      JOIN documents d ON d.collection = p.collection AND d.id = p.id
      ORDER BY p.head \(way), p.rest \(way)
      """, values + Self.terms(of: search, collection))
  }

  /// Calls a body with each readable document of a collection, and returns the errors of the
  /// others.
  @discardableResult
  func forEach(
    in collection: CollectionPath, _ body: (Document) throws(StorageError) -> Void
  ) throws(StorageError) -> [StorageError] {
    var damaged: [StorageError] = []
    var last = ""
    while true {
      let rows = try rows(
        """
        SELECT \(Self.columns) FROM documents d
        WHERE d.collection = $1 AND d.id > $2 AND d.fields IS NOT NULL ORDER BY d.id LIMIT $3
        """, .text(collection.description), .text(last), .integer(Int64(Self.pieceCount)))
      for index in 0..<rows.count {
        if let document = try readableRow(rows, index, &damaged)?.document { try body(document) }
      }
      guard rows.count == Self.pieceCount else { return damaged }
      last = rows.text(rows.count - 1, 1)
    }
  }

  func count(_ query: Query) throws(StorageError) -> Int {
    try query.check()
    var query = query
    query.cursor = nil
    let collection = query.collection.description
    func first(_ rows: PostgresRows) -> Int { rows.isEmpty ? 0 : Int(rows.integer(0, 0)) }
    if query.filters.isEmpty, query.search == nil {
      return first(try rows("SELECT count FROM collections WHERE path = $1", .text(collection)))
    }
    let plan = QueryPlan(query, patterns[query.collection.name] ?? [])
    if let range = plan.range, plan.isExact {
      let (start, end) = (PlaceKey(range.start), PlaceKey(range.end))
      return first(
        try rows(
          """
          SELECT count(*) FROM places p
          WHERE p.pattern = $1 AND p.collection = $2 AND \(PlaceKey.isInRange)
          """, .integer(range.pattern), .text(collection), .bytes(start.head), .bytes(start.rest),
          .bytes(end.head), .bytes(end.rest)))
    }
    var count = 0
    try forEach(in: query.collection) { if query.matches($0.fields) { count += 1 } }
    return count
  }

  func names(
    in collection: CollectionPath, after: String?, limit: Int
  ) throws(StorageError) -> [String] {
    try Query.check(limit: limit)
    let rows = try rows(
      """
      SELECT id FROM documents WHERE collection = $1 AND id > $2 AND fields IS NOT NULL
      ORDER BY id LIMIT $3
      """, .text(collection.description), .text((after ?? "").boundOfNames),
      .integer(Int64(limit)))
    return (0..<rows.count).map { rows.text($0, 0) }
  }

  func collections(
    beginningWith prefix: String, after: CollectionPath?, limit: Int
  ) throws(StorageError) -> [CollectionPath] {
    try Query.check(limit: limit)
    // No name contains a byte greater than 'z', so prefix + '~' is greater than all paths with the
    // prefix.
    guard prefix.boundOfNames == prefix, !prefix.contains("~") else { return [] }
    let rows = try rows(
      """
      SELECT path FROM collections c WHERE path >= $1 AND path < $2 AND path > $3
      AND EXISTS (SELECT FROM documents d WHERE d.collection = c.path AND d.fields IS NOT NULL)
      ORDER BY path LIMIT $4
      """, .text(prefix), .text(prefix + "~"), .text(after?.description ?? ""),
      .integer(Int64(limit)))
    return (0..<rows.count).map { CollectionPath(trusted: rows.text($0, 0)) }
  }

  func byteCount(inCollectionsBeginningWith prefix: String) throws(StorageError) -> Int {
    guard prefix.boundOfNames == prefix, !prefix.contains("~") else { return 0 }
    let rows = try rows(
      """
      SELECT coalesce(sum(octet_length(d.id) + coalesce(octet_length(d.fields), 0)), 0)::bigint
      FROM documents d WHERE d.collection >= $1 AND d.collection < $2
      """, .text(prefix), .text(prefix + "~"))
    return rows.isEmpty ? 0 : Int(rows.integer(0, 0))
  }

  func changes(
    after sequence: Int64, in collection: CollectionPath?, limit: Int
  ) throws(StorageError) -> [DocumentChange] {
    try Query.check(limit: limit)
    var changes: [DocumentChange] = []
    var last = sequence
    while changes.count < limit {
      let pieceCount = min(limit - changes.count, Self.pieceCount)
      let rows: PostgresRows
      if let collection {
        rows = try self.rows(
          """
          SELECT \(Self.columns) FROM documents d WHERE d.sequence > $1 AND d.collection = $3
          ORDER BY d.sequence LIMIT $2
          """, .integer(last), .integer(Int64(pieceCount)), .text(collection.description))
      } else {
        rows = try self.rows(
          """
          SELECT \(Self.columns) FROM documents d WHERE d.sequence > $1
          ORDER BY d.sequence LIMIT $2
          """, .integer(last), .integer(Int64(pieceCount)))
      }
      var damaged: [StorageError] = []
      for index in 0..<rows.count {
        let row = try readableRow(rows, index, &damaged)
        changes.append(
          DocumentChange(
            path: path(rows, index), sequence: rows.integer(index, 5),
            moment: Moment(microseconds: rows.integer(index, 4)), document: row?.document,
            isDamaged: row == nil))
      }
      guard rows.count == pieceCount else { break }
      last = rows.integer(rows.count - 1, 5)
    }
    return changes
  }
}

/// A key of `places` in two columns, which sort like the key. Only the first column is in the
/// index, whose entries have a limited size.
struct PlaceKey: Equatable {
  let head: [UInt8]
  /// Empty unless the key is longer than the maximum head.
  let rest: [UInt8]

  init(_ key: ValueKey) {
    head = Array(key.bytes.prefix(PostgresSchema.headCount))
    rest = Array(key.bytes.dropFirst(PostgresSchema.headCount))
  }

  /// Whether a row is between the keys $3, $4 and $5, $6, both exclusive. The conditions on `head`
  /// alone are those that can use the index.
  static let isInRange =
    """
    p.head >= $3 AND p.head <= $5 AND (p.head, p.rest) > ($3, $4) AND (p.head, p.rest) < ($5, $6)
    """
}

extension String {
  /// A valid text for the server that compares like this one with all names and paths. This one may
  /// contain zeros and characters that the database does not support, but no name has a byte below
  /// '-' or above 'z'.
  fileprivate var boundOfNames: String {
    guard let index = utf8.firstIndex(where: { $0 < 45 || $0 > 122 }) else { return self }
    let start = String(self[..<index])
    return utf8[index] > 122 ? start + "~" : start
  }
}
