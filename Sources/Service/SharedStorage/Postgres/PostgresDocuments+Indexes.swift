import Storage

/// Indexes: declaring, repairing and updating them.
extension PostgresDocuments {
  /// Creates the missing indexes of a list, and deletes the indexes that are not in it.
  func declare(_ indexes: [DocumentIndex]) throws(StorageError) {
    for index in indexes { try index.check() }
    let wanted = Set(indexes)
    // Usually all exist already; reading first avoids waiting for another writer.
    try beginReading()
    let isUpToDate = patterns.indexes == wanted
    end()
    if isUpToDate { return }
    try inTransaction { () throws(StorageError) in
      let found = patterns.indexes
      for index in found.subtracting(wanted) { delete(index) }
      for index in wanted.subtracting(found) { try create(index) }
      if wanted != found { noteIndexChange() }
    }
  }

  /// Rebuilds all indexes and document counts from the readable documents.
  func repairIndexes() throws(StorageError) {
    try inTransaction { () throws(StorageError) in
      // First the server's own indexes, which find the documents.
      for table in ["documents", "collections", "places", "patterns"] {
        later("REINDEX TABLE \(table)")
      }
      let indexes = patterns.indexes
      for table in ["places", "patterns", "collections"] { later("DELETE FROM \(table)") }
      later(
        """
        INSERT INTO collections SELECT collection, regexp_replace(collection, '^.*/', ''),
        count(fields) FROM documents GROUP BY collection
        """)
      for index in indexes { try create(index) }
      noteIndexChange()
      let greatest = try rows("SELECT coalesce(max(sequence), 0) FROM documents")
      note(lastSequence: greatest.integer(0, 0))
    }
  }

  private func inTransaction(_ body: () throws(StorageError) -> Void) throws(StorageError) {
    try begin()
    do throws(StorageError) {
      try body()
      try commit()
    } catch {
      rollBack()
      throw error
    }
    // The next transaction reads the indexes again.
  }

  private func noteIndexChange() {
    later(
      """
      INSERT INTO facts VALUES ('indexChanges', 1)
      ON CONFLICT (name) DO UPDATE SET value = facts.value + 1
      """)
  }

  private func delete(_ index: DocumentIndex) {
    guard
      let pattern = patterns[Substring(index.collection)]?.first(where: {
        ($0.fields, $0.texts) == (index.fields, index.texts)
      })
    else { return }
    later("DELETE FROM places WHERE pattern = $1", .integer(pattern.number))
    later("DELETE FROM patterns WHERE number = $1", .integer(pattern.number))
  }

  private func create(_ index: DocumentIndex) throws(StorageError) {
    let number = try rows(
      "INSERT INTO patterns (collection, fields) VALUES ($1, $2) RETURNING number",
      .text(index.collection), .text(index.lines)
    ).integer(0, 0)
    let pattern = IndexPattern(number: number, index)
    var last = ""
    while true {
      let paths = try rows(
        "SELECT path FROM collections WHERE name = $1 AND path > $2 ORDER BY path LIMIT 1000",
        .text(index.collection), .text(last))
      for row in 0..<paths.count {
        let collection = CollectionPath(trusted: paths.text(row, 0))
        // A damaged document is in no index: its key is unknown.
        try forEach(in: collection) { document in
          insertEntry(of: document.fields, pattern, document.path)
        }
        last = paths.text(row, 0)
      }
      if paths.count < 1000 { break }
    }
    try finish()
  }

  private func insertEntry(of fields: Fields, _ pattern: IndexPattern, _ path: DocumentPath) {
    let key = PlaceKey(pattern.key(of: fields, id: path.id))
    later(
      """
      INSERT INTO places (pattern, collection, head, rest, id, terms)
      VALUES ($1, $2, $3, $4, $5, nullif($6, '')::bigint[])
      """, .integer(pattern.number), .text(path.collection.description), .bytes(key.head),
      .bytes(key.rest), .text(path.id), Self.terms(of: fields, pattern, path.collection))
  }

  private func deleteEntry(_ key: ValueKey, _ pattern: IndexPattern, _ path: DocumentPath) {
    later(
      "DELETE FROM places WHERE pattern = $1 AND collection = $2 AND head = $3 AND id = $4",
      .integer(pattern.number), .text(path.collection.description), .bytes(PlaceKey(key).head),
      .text(path.id))
  }

  /// Updates the indexes and the document count of a collection after a document has changed.
  func updateIndexes(_ path: DocumentPath, from row: StoredRow, to after: Fields?) {
    let change = (after == nil ? 0 : 1) - (row.isCounted ? 1 : 0)
    if change != 0 {
      later(
        """
        INSERT INTO collections (path, name, count) VALUES ($1, $2, $3)
        ON CONFLICT (path) DO UPDATE SET count = collections.count + $3
        """, .text(path.collection.description), .text(String(path.collection.name)),
        .integer(Int64(change)))
    }
    for pattern in patterns[path.collection.name] ?? [] {
      if case .damaged = row {
        // By the document's name, since its keys are unknown.
        later(
          "DELETE FROM places WHERE pattern = $1 AND collection = $2 AND id = $3",
          .integer(pattern.number), .text(path.collection.description), .text(path.id))
      }
      let old = row.document.map { pattern.key(of: $0.fields, id: path.id) }
      let new = after.map { pattern.key(of: $0, id: path.id) }
      if old == new, pattern.hasSameTexts(row.document?.fields, after) { continue }
      if let old { deleteEntry(old, pattern, path) }
      if let after { insertEntry(of: after, pattern, path) }
    }
  }
}
