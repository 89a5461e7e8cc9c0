/// Queries: pages, counts, names and changes of documents.
extension SQLiteDocuments {
  func page(_ query: Query) throws(StorageError) -> Query.Page {
    try query.check()
    guard let collection = try number(of: query.collection) else {
      return Query.Page(documents: [], cursor: nil)
    }
    let plan = QueryPlan(query, patterns[query.collection.name] ?? [])
    guard let range = plan.range else {
      // No index fits: read and sort all documents of the collection.
      var results = QuerySorter(query)
      results.damaged = try forEach(in: collection, of: query.collection) { results.add($0) }
      return results.page
    }
    var collector = PageCollector(query, plan)
    if let search = range.search {
      try collect(search, range, in: collection, query, &collector)
    } else {
      _ = try collect(range, in: collection, query, nil, &collector)
    }
    return collector.page
  }

  /// Collects the documents of a range, at most `limit` of them. Returns the rest of the range; nil
  /// if the page is complete.
  func collect(
    _ range: QueryPlan.IndexRange, in collection: Int64, _ query: Query, _ limit: Int?,
    _ collector: inout PageCollector
  ) throws(StorageError) -> QueryPlan.IndexRange? {
    let statement = try connection.statement(
      """
      SELECT \(Self.columns), p.key FROM places p JOIN documents d ON d.number = p.document
      WHERE p.pattern = ?1 AND p.collection = ?2 AND p.key > ?3 AND p.key < ?4
      ORDER BY p.key \(query.isDescending ? "DESC" : "ASC")
      """
    ).bind([
      .integer(range.pattern), .integer(collection), .bytes(range.start.bytes),
      .bytes(range.end.bytes),
    ])
    defer { statement.reset() }
    var count = 0
    while try statement.step() {
      if let row = try readableRow(statement, query.collection, &collector.damaged),
        !collector.add(row)
      {
        return nil
      }
      count += 1
      if count == limit {
        return range.rest(
          after: ValueKey(bytes: statement.bytes(6)), isDescending: query.isDescending)
      }
    }
    return nil
  }

  /// Calls a body with each readable document of a collection, and returns the errors of the
  /// others.
  @discardableResult
  private func forEach(
    in collection: Int64, of path: CollectionPath, _ body: (Document) -> Void
  ) throws(StorageError) -> [StorageError] {
    let statement = try connection.statement(
      """
      SELECT \(Self.columns) FROM documents d WHERE d.collection = ?1 AND d.fields IS NOT NULL
      """
    ).bind([.integer(collection)])
    defer { statement.reset() }
    var damaged: [StorageError] = []
    while try statement.step() {
      if let document = try readableRow(statement, path, &damaged)?.document { body(document) }
    }
    return damaged
  }

  func count(_ query: Query) throws(StorageError) -> Int {
    try query.check()
    guard let collection = try number(of: query.collection) else { return 0 }
    var query = query
    query.cursor = nil
    if query.filters.isEmpty, query.search == nil {
      return Int(
        try connection.integer(
          "SELECT count FROM collections WHERE number = ?1", .integer(collection)) ?? 0)
    }
    let plan = QueryPlan(query, patterns[query.collection.name] ?? [])
    if let range = plan.range, plan.isExact {
      return Int(
        try connection.integer(
          """
          SELECT count(*) FROM places
          WHERE pattern = ?1 AND collection = ?2 AND key > ?3 AND key < ?4
          """, .integer(range.pattern), .integer(collection), .bytes(range.start.bytes),
          .bytes(range.end.bytes)) ?? 0)
    }
    var count = 0
    try forEach(in: collection, of: query.collection) { document in
      if query.matches(document.fields) { count += 1 }
    }
    return count
  }

  func names(
    in collection: CollectionPath, after: String?, limit: Int
  ) throws(StorageError) -> [String] {
    try Query.check(limit: limit)
    guard let number = try number(of: collection) else { return [] }
    let statement = try connection.statement(
      """
      SELECT id FROM documents WHERE collection = ?1 AND id > ?2 AND fields IS NOT NULL
      ORDER BY id LIMIT ?3
      """
    ).bind([.integer(number), .text(after ?? ""), .integer(Int64(limit))])
    defer { statement.reset() }
    var names: [String] = []
    while try statement.step() { names.append(statement.text(0)) }
    return names
  }

  func collections(
    beginningWith prefix: String, after: CollectionPath?, limit: Int
  ) throws(StorageError) -> [CollectionPath] {
    try Query.check(limit: limit)
    // No name contains a byte greater than 'z', so prefix + '~' is greater than all paths with the
    // prefix.
    let statement = try connection.statement(
      """
      SELECT path FROM collections c WHERE path >= ?1 AND path < ?2 AND path > ?3
      AND EXISTS (SELECT 1 FROM documents d WHERE d.collection = c.number AND d.fields IS NOT NULL)
      ORDER BY path LIMIT ?4
      """
    ).bind([
      .text(prefix), .text(prefix + "~"), .text(after?.description ?? ""), .integer(Int64(limit)),
    ])
    defer { statement.reset() }
    var paths: [CollectionPath] = []
    while try statement.step() { paths.append(CollectionPath(trusted: statement.text(0))) }
    return paths
  }

  func byteCount(inCollectionsBeginningWith prefix: String) throws(StorageError) -> Int {
    // The length of a blob is in the header of its row, so its bytes are not read.
    Int(
      try connection.integer(
        """
        SELECT sum(length(d.id) + ifnull(length(d.fields), 0)) FROM collections c
        JOIN documents d ON d.collection = c.number WHERE c.path >= ?1 AND c.path < ?2
        """, .text(prefix), .text(prefix + "~")) ?? 0)
  }

  func changes(
    after sequence: Int64, in collection: CollectionPath?, limit: Int
  ) throws(StorageError) -> [DocumentChange] {
    try Query.check(limit: limit)
    let number = try collection.map { (path) throws(StorageError) in try self.number(of: path) ?? -1
    }
    let statement = try connection.statement(
      """
      SELECT \(Self.columns), c.path FROM documents d JOIN collections c ON c.number = d.collection
      WHERE d.sequence > ?1 \(number == nil ? "" : "AND d.collection = ?3")
      ORDER BY d.sequence LIMIT ?2
      """
    ).bind([.integer(sequence), .integer(Int64(limit))] + (number.map { [.integer($0)] } ?? []))
    defer { statement.reset() }
    var changes: [DocumentChange] = []
    while try statement.step() {
      let collection = collection ?? CollectionPath(trusted: statement.text(6))
      if let row = try readableRow(statement, collection) {
        changes.append(
          DocumentChange(
            path: row.path, sequence: row.sequence, moment: row.updated, document: row.document))
      } else {
        changes.append(
          DocumentChange(
            path: DocumentPath(trusted: collection, statement.text(0)),
            sequence: statement.integer(4), moment: Moment(microseconds: statement.integer(3)),
            document: nil, isDamaged: true))
      }
    }
    return changes
  }

  func lastSequence() throws(StorageError) -> Int64 {
    try connection.integer("SELECT value FROM facts WHERE name = 'lastSequence'") ?? 0
  }
}
