import Storage

/// Verification of the documents and their indexes.
extension PostgresDocuments {
  /// Checks the documents, their indexes and their counts, and returns the problems. Scans the
  /// tables, not the server's indexes, with little memory.
  func problems() throws(StorageError) -> [StorageError] {
    var problems: [StorageError] = []
    var expectedEntryCount: Int64 = 0
    later("DECLARE whole NO SCROLL CURSOR FOR SELECT \(Self.columns) FROM documents d")
    while true {
      let rows = try rows("FETCH FORWARD 64 FROM whole")
      if rows.isEmpty { break }
      var documents: [Document] = []
      for index in 0..<rows.count {
        do throws(StorageError) {
          if let document = try row(rows, index).document { documents.append(document) }
        } catch {
          problems.append(error)
        }
      }
      expectedEntryCount += try check(documents, &problems)
    }
    later("CLOSE whole")
    let entryCount = try rows("SELECT count(*) FROM places").integer(0, 0)
    if entryCount != expectedEntryCount, problems.isEmpty {
      problems.append(error(.damaged("indexes contain documents that do not exist")))
    }
    let wrong = try rows(
      """
      SELECT coalesce(c.path, d.collection)
      FROM collections c FULL JOIN
      (SELECT collection, count(fields) FROM documents GROUP BY collection) d ON d.collection = c.path
      WHERE coalesce(c.count, 0) <> coalesce(d.count, 0)
      OR c.name IS DISTINCT FROM regexp_replace(c.path, '^.*/', '') LIMIT 1000
      """)
    for row in 0..<wrong.count {
      problems.append(
        StorageError(
          .damaged("its document count or its name in the indexes is wrong"),
          wrong.text(row, 0).printableASCII))
    }
    let greatest = try rows("SELECT coalesce(max(sequence), 0) FROM documents").integer(0, 0)
    if try lastSequence() < greatest {
      problems.append(error(.damaged("its last sequence number is too low")))
    }
    // Without fsync, acknowledged data may be lost after a power cut.
    if try rows("SELECT current_setting('fsync')").text(0, 0) == "off" {
      problems.append(error(.database("the server runs with fsync off, so nothing is durable")))
    }
    return problems
  }

  /// Looks up the entries of documents in all indexes, and returns the expected number of entries.
  private func check(
    _ documents: [Document], _ problems: inout [StorageError]
  ) throws(StorageError) -> Int64 {
    var wanted: [(document: Document, key: PlaceKey, pattern: IndexPattern)] = []
    for document in documents {
      for pattern in patterns[document.path.collection.name] ?? [] {
        let key = PlaceKey(pattern.key(of: document.fields, id: document.id))
        wanted.append((document, key, pattern))
      }
    }
    if wanted.isEmpty { return 0 }
    let lists: [[PostgresConnection.Value]] = wanted.map { entry in
      [
        .integer(entry.pattern.number), .text(entry.document.path.collection.description),
        .bytes(entry.key.head), .text(entry.document.id),
        Self.terms(of: entry.document.fields, entry.pattern, entry.document.path.collection),
      ]
    }
    let found = try run { (connection) throws(StorageError) in
      try connection.rows(
        """
        SELECT rest FROM places WHERE pattern = $1 AND collection = $2 AND head = $3 AND id = $4
        AND terms IS NOT DISTINCT FROM nullif($5, '')::bigint[]
        """, each: lists)
    }
    for (entry, rows) in zip(wanted, found)
    where rows.isEmpty || rows.bytes(0, 0) != entry.key.rest {
      problems.append(
        StorageError(.damaged("it is missing in an index"), entry.document.path.description))
    }
    return Int64(wanted.count)
  }
}
