/// Indexes: declaring, repairing and updating them.
extension SQLiteDocuments {
  func readPatterns() throws(StorageError) {
    patterns = [:]
    let statement = try connection.statement("SELECT number, collection, fields FROM patterns")
    while try statement.step() {
      let index = DocumentIndex(statement.text(1), lines: statement.text(2))
      patterns[Substring(index.collection), default: []].append(
        IndexPattern(number: statement.integer(0), index))
    }
    statement.reset()
  }

  /// Creates the missing indexes of a list, and deletes the indexes that are not in it.
  func declare(_ indexes: [DocumentIndex]) throws(StorageError) {
    for index in indexes { try index.check() }
    let wanted = Set(indexes)
    // Usually all exist already; reading first avoids waiting for another writer.
    try begin("BEGIN")
    let isUpToDate = patterns.indexes == wanted
    end()
    if isUpToDate { return }
    try begin("BEGIN IMMEDIATE")
    do throws(StorageError) {
      let found = patterns.indexes
      for index in found.subtracting(wanted) { try delete(index) }
      for index in wanted.subtracting(found) { try create(index) }
      if wanted != found { try noteIndexChange() }
      try commit()
    } catch {
      rollBack()
      throw error
    }
  }

  private func noteIndexChange() throws(StorageError) {
    try connection.run(
      """
      INSERT INTO facts VALUES ('indexChanges', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1
      """)
  }

  /// Rebuilds all indexes and document counts from the readable documents.
  func repairIndexes() throws(StorageError) {
    try begin("BEGIN IMMEDIATE")
    do throws(StorageError) {
      // First SQLite's own indexes, which find the documents.
      try connection.run("REINDEX")
      let indexes = patterns.indexes
      for index in indexes { try delete(index) }
      try connection.run("DELETE FROM places; DELETE FROM patterns")
      for (number, path, _) in try collectionNames() {
        try connection.run(
          "UPDATE collections SET name = ?2 WHERE number = ?1", .integer(number),
          .text(String(path.name)))
      }
      for index in indexes { try create(index) }
      try noteIndexChange()
      try connection.run(
        """
        UPDATE collections SET count = (SELECT count(*) FROM documents d
          WHERE d.collection = collections.number AND d.fields IS NOT NULL);
        INSERT INTO facts SELECT 'lastSequence', coalesce(max(sequence), 0) FROM documents WHERE true
          ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)
        """)
      try commit()
    } catch {
      rollBack()
      throw error
    }
  }

  /// The number and path of each collection, and the name by which indexes find it.
  func collectionNames() throws(StorageError) -> [(Int64, CollectionPath, String)] {
    let statement = try connection.statement("SELECT number, path, name FROM collections")
    defer { statement.reset() }
    var found: [(Int64, CollectionPath, String)] = []
    while try statement.step() {
      found.append(
        (statement.integer(0), CollectionPath(trusted: statement.text(1)), statement.text(2)))
    }
    return found
  }

  private func delete(_ index: DocumentIndex) throws(StorageError) {
    guard
      let number = try connection.integer(
        "SELECT number FROM patterns WHERE collection = ?1 AND fields = ?2",
        .text(index.collection), .text(index.lines))
    else { return }
    try connection.run("DELETE FROM places WHERE pattern = ?1", .integer(number))
    try connection.run("DELETE FROM patterns WHERE number = ?1", .integer(number))
    try deleteTextTable(number)
  }

  private func create(_ index: DocumentIndex) throws(StorageError) {
    try connection.run(
      "INSERT INTO patterns (collection, fields) VALUES (?1, ?2)", .text(index.collection),
      .text(index.lines))
    let pattern = IndexPattern(number: connection.lastRow, index)
    if !pattern.texts.isEmpty { try createTextTable(pattern.number) }
    let statement = try connection.statement(
      """
      SELECT \(Self.columns), c.path, d.collection, d.number FROM collections c
      JOIN documents d ON d.collection = c.number WHERE c.name = ?1 AND d.fields IS NOT NULL
      ORDER BY d.number
      """
    ).bind([.text(index.collection)])
    while try statement.step() {
      // A damaged document is in no index: its key is unknown.
      let collection = CollectionPath(trusted: statement.text(6))
      guard let document = try readableRow(statement, collection)?.document else { continue }
      try insertEntry(
        pattern.key(of: document.fields, id: document.id), pattern, statement.integer(7),
        statement.integer(8))
      try insertTerms(
        of: document.fields, pattern, statement.integer(7), statement.integer(8))
    }
  }

  private func insertEntry(
    _ key: ValueKey, _ pattern: IndexPattern, _ collection: Int64, _ document: Int64
  ) throws(StorageError) {
    try connection.run(
      "INSERT INTO places VALUES (?1, ?2, ?3, ?4)", .integer(pattern.number),
      .integer(collection), .bytes(key.bytes), .integer(document))
  }

  private func deleteEntry(
    _ key: ValueKey, _ pattern: IndexPattern, _ collection: Int64
  ) throws(StorageError) {
    try connection.run(
      "DELETE FROM places WHERE pattern = ?1 AND collection = ?2 AND key = ?3",
      .integer(pattern.number), .integer(collection), .bytes(key.bytes))
  }

  /// Updates the indexes and the document count of a collection after a document has changed.
  func updateIndexes(
    _ path: DocumentPath, from row: StoredRow, to after: Fields?, _ collection: Int64
  ) throws(StorageError) {
    let change = (after == nil ? 0 : 1) - (row.isCounted ? 1 : 0)
    if change != 0 {
      try connection.run(
        "UPDATE collections SET count = count + ?2 WHERE number = ?1", .integer(collection),
        .integer(Int64(change)))
    }
    guard let patterns = patterns[path.collection.name] else { return }
    var before: Fields?
    var isDamaged = false
    switch row {
    case .none, .deleted: break
    case .document(let document): before = document.fields
    case .damaged: isDamaged = true
    }
    if isDamaged { try deleteEntries(of: path, patterns, collection) }
    var found: Int64?
    func number() throws(StorageError) -> Int64 {
      if let found { return found }
      let number = try connection.integer(
        "SELECT number FROM documents WHERE collection = ?1 AND id = ?2", .integer(collection),
        .text(path.id))
      guard let number else {
        throw StorageError(.damaged("it has no row"), path.description)
      }
      found = number
      return number
    }
    for pattern in patterns {
      let (old, new) = (
        before.map { pattern.key(of: $0, id: path.id) },
        after.map { pattern.key(of: $0, id: path.id) }
      )
      if old != new {
        if let old { try deleteEntry(old, pattern, collection) }
        if let new { try insertEntry(new, pattern, collection, number()) }
      }
      if pattern.hasSameTexts(before, after) { continue }
      if let before { try deleteTerms(of: before, pattern, collection, number()) }
      if let after { try insertTerms(of: after, pattern, collection, number()) }
    }
  }

  /// Deletes the index entries of a damaged document by its number, as its keys are unknown.
  private func deleteEntries(
    of path: DocumentPath, _ patterns: [IndexPattern], _ collection: Int64
  ) throws(StorageError) {
    for pattern in patterns {
      try connection.run(
        """
        DELETE FROM places WHERE pattern = ?1 AND collection = ?2 AND document =
        (SELECT number FROM documents WHERE collection = ?2 AND id = ?3)
        """, .integer(pattern.number), .integer(collection), .text(path.id))
      guard !pattern.texts.isEmpty,
        let number = try connection.integer(
          "SELECT number FROM documents WHERE collection = ?1 AND id = ?2", .integer(collection),
          .text(path.id))
      else { continue }
      try deleteTerms(ofDamaged: number, pattern, collection)
    }
  }
}
