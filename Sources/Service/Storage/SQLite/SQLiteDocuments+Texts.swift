import Checksums

/// Indexes of texts: for each one a table of FTS5, which lists the numbers of the documents with
/// each term. The name of a term begins with the number of the collection, so a search reads lists
/// of one collection only.
///
/// The table keeps no texts, so a term is deleted by its name.
extension SQLiteDocuments {
  /// The maximum number of found documents that are sorted by their fields. More are visited in the
  /// order of the index.
  private static let sortedCount = 500
  /// The maximum number of documents that are compared without the index, of which words that most
  /// documents have need no more.
  private static let comparedFirst = 128

  private static func table(_ pattern: Int64) -> String { "texts\(pattern)" }
  /// A table with a row for each term of each document.
  private static func termTable(_ pattern: Int64) -> String { "terms\(pattern)" }

  func createTextTable(_ pattern: Int64) throws(StorageError) {
    try connection.run(
      """
      CREATE VIRTUAL TABLE \(Self.table(pattern))
      USING fts5(terms, content='', columnsize=0, detail=none, tokenize='ascii');
      CREATE VIRTUAL TABLE \(Self.termTable(pattern))
      USING fts5vocab(\(Self.table(pattern)), instance);
      """)
  }

  func deleteTextTable(_ pattern: Int64) throws(StorageError) {
    let table = Self.table(pattern)
    try connection.run("DROP TABLE IF EXISTS \(Self.termTable(pattern))")
    do throws(StorageError) {
      try connection.run("DROP TABLE IF EXISTS \(table)")
    } catch {
      guard case .damaged = error.problem else { throw error }
      // FTS5 opens a table to delete it. These are the averages and the structure of an empty one.
      try connection.run(
        """
        REPLACE INTO \(table)_data VALUES (1, x''), (10, zeroblob(7)); DROP TABLE \(table)
        """)
    }
  }

  // MARK: - Changing

  static func token(_ term: TextTerm, in collection: Int64) -> String {
    "\(collection)x\(term.digits)"
  }

  private static func tokens(
    of fields: Fields, _ pattern: IndexPattern, _ collection: Int64
  ) -> String {
    pattern.terms(of: fields).map { token($0, in: collection) }.joined(separator: " ")
  }

  func insertTerms(
    of fields: Fields, _ pattern: IndexPattern, _ collection: Int64, _ document: Int64
  ) throws(StorageError) {
    if pattern.texts.isEmpty { return }
    let tokens = Self.tokens(of: fields, pattern, collection)
    if tokens.isEmpty { return }
    try connection.run(
      "INSERT INTO \(Self.table(pattern.number)) (rowid, terms) VALUES (?1, ?2)",
      .integer(document), .text(tokens))
  }

  func deleteTerms(
    of fields: Fields, _ pattern: IndexPattern, _ collection: Int64, _ document: Int64
  ) throws(StorageError) {
    try deleteTokens(Self.tokens(of: fields, pattern, collection), pattern, document)
  }

  private func deleteTokens(
    _ tokens: String, _ pattern: IndexPattern, _ document: Int64
  ) throws(StorageError) {
    if tokens.isEmpty { return }
    let table = Self.table(pattern.number)
    try connection.run(
      "INSERT INTO \(table) (\(table), rowid, terms) VALUES ('delete', ?1, ?2)",
      .integer(document), .text(tokens))
  }

  /// Deletes the terms of a damaged document. They are unknown, so this reads all terms of the
  /// collection.
  func deleteTerms(
    ofDamaged document: Int64, _ pattern: IndexPattern, _ collection: Int64
  ) throws(StorageError) {
    let statement = try connection.statement(
      """
      SELECT term FROM \(Self.termTable(pattern.number))
      WHERE term >= ?1 AND term < ?2 AND doc = ?3
      """
    ).bind([.text("\(collection)x"), .text("\(collection)y"), .integer(document)])
    defer { statement.reset() }
    var tokens: [String] = []
    while try statement.step() { tokens.append(statement.text(0)) }
    statement.reset()
    try deleteTokens(tokens.joined(separator: " "), pattern, document)
  }

  /// Deletes the terms of all documents of a collection.
  func deleteAllTerms(
    _ pattern: IndexPattern, _ collection: Int64, _ path: CollectionPath
  ) throws(StorageError) {
    let statement = try connection.statement(
      """
      SELECT \(Self.columns), d.number FROM documents d
      WHERE d.collection = ?1 AND d.fields IS NOT NULL
      """
    ).bind([.integer(collection)])
    defer { statement.reset() }
    while try statement.step() {
      if let document = try readableRow(statement, path)?.document {
        try deleteTerms(of: document.fields, pattern, collection, statement.integer(6))
      } else {
        try deleteTerms(ofDamaged: statement.integer(6), pattern, collection)
      }
    }
  }

  /// Merges the parts of the tables, of which older ones still have the terms of erased documents.
  func forgetErasedTerms() throws(StorageError) {
    try begin()
    do throws(StorageError) {
      for pattern in patterns.values.joined() where !pattern.texts.isEmpty {
        let table = Self.table(pattern.number)
        try connection.run("INSERT INTO \(table) (\(table)) VALUES ('optimize')")
      }
      try commit()
    } catch {
      rollBack()
      throw error
    }
  }

  // MARK: - Searching

  /// Collects the documents of a range that have the searched words.
  func collect(
    _ search: TextSearch, _ range: QueryPlan.IndexRange, in collection: Int64, _ query: Query,
    _ collector: inout PageCollector
  ) throws(StorageError) {
    var range = range
    if let limit = query.limit {
      let first = min(2 * limit, Self.comparedFirst)
      if first > 0 {
        guard let rest = try collect(range, in: collection, query, first, &collector) else {
          return
        }
        range = rest
      }
    }
    let found = try documents(with: search, range.pattern, collection)
    found.count <= Self.sortedCount
      ? try sortAndCollect(found, range, in: collection, query, &collector)
      : try visitAndCollect(found, range, in: collection, query, &collector)
  }

  /// The numbers of all documents that have the words, and perhaps of others, in ascending order.
  private func documents(
    with search: TextSearch, _ pattern: Int64, _ collection: Int64
  ) throws(StorageError) -> [Int64] {
    let terms = Set(search.words.flatMap { TextTerm.of($0) }).sorted()
    let expression = terms.map { term in
      Self.token(term, in: collection) + (term.isWhole ? "" : "*")
    }
    let table = Self.table(pattern)
    let statement = try connection.statement(
      "SELECT rowid FROM \(table) WHERE \(table) MATCH ?1 ORDER BY rowid"
    ).bind([.text(expression.joined(separator: " "))])
    defer { statement.reset() }
    var found: [Int64] = []
    while try statement.step() { found.append(statement.integer(0)) }
    return found
  }

  private func sortAndCollect(
    _ found: [Int64], _ range: QueryPlan.IndexRange, in collection: Int64, _ query: Query,
    _ collector: inout PageCollector
  ) throws(StorageError) {
    guard
      let pattern = patterns[query.collection.name]?.first(where: { $0.number == range.pattern })
    else { return }
    var entries: [(key: ValueKey, number: Int64)] = []
    for number in found {
      guard let row = try row(number, in: collection, query.collection, &collector),
        let document = row.document
      else { continue }
      let key = pattern.key(of: document.fields, id: document.id)
      if range.contains(key) { entries.append((key, number)) }
    }
    entries.sort { query.isDescending ? $1.key < $0.key : $0.key < $1.key }
    for entry in entries {
      if let row = try row(entry.number, in: collection, query.collection, &collector),
        !collector.add(row)
      {
        return
      }
    }
  }

  private func visitAndCollect(
    _ found: [Int64], _ range: QueryPlan.IndexRange, in collection: Int64, _ query: Query,
    _ collector: inout PageCollector
  ) throws(StorageError) {
    let statement = try connection.statement(
      """
      SELECT document FROM places WHERE pattern = ?1 AND collection = ?2 AND key > ?3 AND key < ?4
      ORDER BY key \(query.isDescending ? "DESC" : "ASC")
      """
    ).bind([
      .integer(range.pattern), .integer(collection), .bytes(range.start.bytes),
      .bytes(range.end.bytes),
    ])
    defer { statement.reset() }
    while try statement.step() {
      let number = statement.integer(0)
      if Self.contains(found, number),
        let row = try row(number, in: collection, query.collection, &collector), !collector.add(row)
      {
        return
      }
    }
  }

  /// Whether a sorted list contains a number.
  private static func contains(_ numbers: [Int64], _ number: Int64) -> Bool {
    var (start, end) = (0, numbers.count)
    while start < end {
      let middle = (start + end) / 2
      if numbers[middle] < number { start = middle + 1 } else { end = middle }
    }
    return start < numbers.count && numbers[start] == number
  }

  /// The row of a document; nil if it is damaged or missing.
  private func row(
    _ number: Int64, in collection: Int64, _ path: CollectionPath,
    _ collector: inout PageCollector
  ) throws(StorageError) -> DocumentRow? {
    let statement = try connection.statement(
      """
      SELECT \(Self.columns) FROM documents d
      WHERE d.number = ?1 AND d.collection = ?2 AND d.fields IS NOT NULL
      """
    ).bind([.integer(number), .integer(collection)])
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return try readableRow(statement, path, &collector.damaged)
  }

  // MARK: - Verification

  /// A checksum of terms and their documents, in any order.
  struct TermSum: Equatable {
    private var sum: UInt64 = 0
    private var count = 0

    mutating func add(_ token: String, _ document: Int64) {
      let checksum = Checksum.of(UInt64(bitPattern: document), after: Checksum.of(token.utf8))
      sum &+= UInt64(checksum)
      count += 1
    }
  }

  /// The sum of all terms in an index.
  func termSum(_ pattern: IndexPattern) throws(StorageError) -> TermSum {
    var sum = TermSum()
    let statement = try connection.statement(
      "SELECT term, doc FROM \(Self.termTable(pattern.number))")
    defer { statement.reset() }
    while try statement.step() { sum.add(statement.text(0), statement.integer(1)) }
    return sum
  }
}
