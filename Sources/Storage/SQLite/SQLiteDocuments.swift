import Checksums

/// The documents of a database through one connection, within one transaction.
final class SQLiteDocuments: DocumentTransaction {
  /// For tests alone not private: they fill the disk through it.
  let connection: SQLiteConnection
  private let path: String
  /// The patterns of indexes by the collections' last names.
  private var patterns: [Substring: [Pattern]] = [:]
  /// How often indexes had been declared when the patterns were read.
  private var indexChanges: Int64 = -1
  /// Numbers of collections that were asked for in this transaction. Other connections may erase a
  /// collection between two, and its number may become another's.
  private var numbers: [CollectionPath: Int64] = [:]
  /// Why a change could not be made, after which the database may have taken back all the others.
  private var failure: StorageError?
  var moment = Moment(microseconds: 0)

  /// An index as it is stored.
  struct Pattern {
    let number: Int64
    let fields: [String]
  }

  init(_ connection: SQLiteConnection, _ path: String) throws(StorageError) {
    self.connection = connection
    self.path = path
  }

  // MARK: - Transactions

  func begin(_ word: String) throws(StorageError) {
    try connection.run(word)
    numbers = [:]
    failure = nil
    do throws(StorageError) {
      // This is also what a reader's moment is fixed by.
      let changes = try connection.integer("SELECT value FROM facts WHERE name = 'indexChanges'")
      if changes != indexChanges {
        try readPatterns()
        indexChanges = changes ?? 0
      }
    } catch {
      rollBack()
      throw error
    }
  }

  func commit() throws(StorageError) {
    if let failure { throw failure }
    try connection.run("COMMIT")
  }

  /// Makes a change. After one that failed none is made, and nothing stays of those before: the
  /// database may have ended the transaction by itself, and would keep each that follows.
  private func changing<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    if let failure { throw failure }
    do throws(StorageError) {
      return try body()
    } catch {
      failure = error
      throw error
    }
  }

  /// Ends a transaction that changed nothing.
  func end() { try? connection.run("COMMIT") }

  func rollBack() {
    try? connection.run("ROLLBACK")
    // Some may have been made by what never happened.
    numbers = [:]
  }

  func settle() throws(StorageError) { try connection.run("PRAGMA wal_checkpoint(TRUNCATE)") }

  func identity() throws(StorageError) -> Int64? {
    try connection.integer("SELECT value FROM facts WHERE name = 'identity'")
  }

  func copy(to other: SQLiteConnection) throws(StorageError) { try connection.copy(to: other) }

  // MARK: - Indexes

  private func readPatterns() throws(StorageError) {
    patterns = [:]
    let statement = try connection.statement("SELECT number, collection, fields FROM patterns")
    while try statement.step() {
      let fields = statement.text(2).split(separator: "\n").map(String.init)
      patterns[Substring(statement.text(1)), default: []].append(
        Pattern(number: statement.integer(0), fields: fields))
    }
    statement.reset()
  }

  /// Makes the indexes that are wanted, and takes the others away.
  func declare(_ indexes: [DocumentIndex]) throws(StorageError) {
    for index in indexes {
      try StorageName.check(index.collection)
      // Lines are what the names are kept in.
      for field in index.fields where field.isEmpty || field.utf8.contains(UInt8(ascii: "\n")) {
        throw StorageError(.badValue("no field of an index"), field.lowASCII)
      }
    }
    let wanted = Set(indexes)
    // Mostly they are there, which is no reason to wait for those who write.
    try begin("BEGIN")
    let isDone = declared == wanted
    end()
    if isDone { return }
    try begin("BEGIN IMMEDIATE")
    do throws(StorageError) {
      let found = declared
      for index in found.subtracting(wanted) { try drop(index) }
      for index in wanted.subtracting(found) { try make(index) }
      if wanted != found { try noteIndexChange() }
      try commit()
    } catch {
      rollBack()
      throw error
    }
  }

  /// The indexes that there are.
  private var declared: Set<DocumentIndex> {
    Set(
      patterns.flatMap { name, patterns in
        patterns.map { DocumentIndex(collection: String(name), fields: $0.fields) }
      })
  }

  private func noteIndexChange() throws(StorageError) {
    try connection.run(
      """
      INSERT INTO facts VALUES ('indexChanges', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1
      """)
  }

  /// Makes all indexes again from the documents that can be read, and the numbers of documents.
  func repairIndexes() throws(StorageError) {
    try begin("BEGIN IMMEDIATE")
    do throws(StorageError) {
      // SQLite's own, which are what documents are found by.
      try connection.run("REINDEX")
      let indexes = declared
      try connection.run("DELETE FROM places; DELETE FROM patterns")
      for (number, path, _) in try collectionNames() {
        try connection.run(
          "UPDATE collections SET name = ?2 WHERE number = ?1", .integer(number),
          .text(String(path.name)))
      }
      for index in indexes { try make(index) }
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

  /// The collections, by their numbers, and the names that indexes find them by.
  private func collectionNames() throws(StorageError) -> [(Int64, CollectionPath, String)] {
    let statement = try connection.statement("SELECT number, path, name FROM collections")
    defer { statement.reset() }
    var found: [(Int64, CollectionPath, String)] = []
    while try statement.step() {
      found.append(
        (statement.integer(0), CollectionPath(trusted: statement.text(1)), statement.text(2)))
    }
    return found
  }

  private func drop(_ index: DocumentIndex) throws(StorageError) {
    let fields = index.fields.joined(separator: "\n")
    guard
      let number = try connection.integer(
        "SELECT number FROM patterns WHERE collection = ?1 AND fields = ?2",
        .text(index.collection), .text(fields))
    else { return }
    try connection.run("DELETE FROM places WHERE pattern = ?1", .integer(number))
    try connection.run("DELETE FROM patterns WHERE number = ?1", .integer(number))
  }

  private func make(_ index: DocumentIndex) throws(StorageError) {
    try connection.run(
      "INSERT INTO patterns (collection, fields) VALUES (?1, ?2)", .text(index.collection),
      .text(index.fields.joined(separator: "\n")))
    let pattern = Pattern(number: connection.lastRow, fields: index.fields)
    let statement = try connection.statement(
      """
      SELECT \(Self.columns), c.path, d.collection, d.number FROM collections c
      JOIN documents d ON d.collection = c.number WHERE c.name = ?1 AND d.fields IS NOT NULL
      """
    ).bind([.text(index.collection)])
    while try statement.step() {
      // What is damaged is in no index: nobody knows where it would stand.
      let collection = CollectionPath(trusted: statement.text(6))
      guard let document = try soundRow(statement, collection)?.document else { continue }
      try add(
        pattern.key(of: document.fields, id: document.id), pattern, statement.integer(7),
        statement.integer(8))
    }
  }

  private func add(
    _ key: ValueKey, _ pattern: Pattern, _ collection: Int64, _ document: Int64
  ) throws(StorageError) {
    try connection.run(
      "INSERT INTO places VALUES (?1, ?2, ?3, ?4)", .integer(pattern.number),
      .integer(collection), .bytes(key.bytes), .integer(document))
  }

  private func remove(
    _ key: ValueKey, _ pattern: Pattern, _ collection: Int64
  ) throws(StorageError) {
    try connection.run(
      "DELETE FROM places WHERE pattern = ?1 AND collection = ?2 AND key = ?3",
      .integer(pattern.number), .integer(collection), .bytes(key.bytes))
  }

  // MARK: - Reading

  private func number(of collection: CollectionPath) throws(StorageError) -> Int64? {
    if let number = numbers[collection] { return number }
    let number = try connection.integer(
      "SELECT number FROM collections WHERE path = ?1", .text(collection.description))
    if let number {
      if numbers.count > 10_000 { numbers = [:] }
      numbers[collection] = number
    }
    return number
  }

  /// The columns that `row` reads, of a table `d`.
  private static let columns = "d.id, d.fields, d.created, d.updated, d.sequence, d.checksum"

  /// What a row says: its document, or nil where that was deleted.
  private typealias Row = (path: DocumentPath, sequence: Int64, document: Document?)

  /// The row that a statement stands at.
  private func row(
    _ statement: SQLiteStatement, _ collection: CollectionPath
  ) throws(StorageError) -> Row {
    let path = DocumentPath(trusted: collection, statement.text(0))
    let (bytes, isDeleted) = (statement.bytes(1), statement.isNull(1))
    let created = Moment(microseconds: statement.integer(2))
    let updated = Moment(microseconds: statement.integer(3))
    let sequence = statement.integer(4)
    let checksum = Self.checksum(path, bytes, isDeleted, created, updated, sequence)
    guard checksum == statement.integer(5) else {
      throw StorageError(.damaged("its checksum is wrong"), path.description)
    }
    if isDeleted { return (path, sequence, nil) }
    return (
      path, sequence,
      Document(
        path: path, fields: Fields(trusted: bytes), created: created, updated: updated,
        sequence: sequence)
    )
  }

  /// The row that a statement stands at; nil where it is damaged.
  private func soundRow(
    _ statement: SQLiteStatement, _ collection: CollectionPath
  ) throws(StorageError) -> Row? {
    var ignored: [StorageError] = []
    return try soundRow(statement, collection, &ignored)
  }

  /// The same, with the reason added to a list where it is damaged.
  private func soundRow(
    _ statement: SQLiteStatement, _ collection: CollectionPath, _ damaged: inout [StorageError]
  ) throws(StorageError) -> Row? {
    do throws(StorageError) {
      return try row(statement, collection)
    } catch {
      guard case .damaged = error.problem else { throw error }
      damaged.append(error)
      return nil
    }
  }

  /// What tells whether a row is as it was written.
  private static func checksum(
    _ path: DocumentPath, _ fields: [UInt8], _ isDeleted: Bool, _ created: Moment,
    _ updated: Moment, _ sequence: Int64
  ) -> Int64 {
    var sum = Checksum.of(path.collection.description.utf8)
    sum = Checksum.of(0, after: sum)
    sum = Checksum.of(path.id.utf8, after: sum)
    func add(_ number: Int64) { sum = Checksum.of(UInt64(bitPattern: number), after: sum) }
    add(created.microseconds)
    add(updated.microseconds)
    add(sequence)
    add(isDeleted ? 1 : 0)
    return Int64(Checksum.of(fields, after: sum))
  }

  func document(_ path: DocumentPath) throws(StorageError) -> Document? {
    guard let collection = try number(of: path.collection) else { return nil }
    let statement = try connection.statement(
      "SELECT \(Self.columns) FROM documents d WHERE collection = ?1 AND id = ?2"
    ).bind([.integer(collection), .text(path.id)])
    defer { statement.reset() }
    return try statement.step() ? row(statement, path.collection).document : nil
  }

  func wasDeleted(_ path: DocumentPath) throws(StorageError) -> Bool {
    guard let collection = try number(of: path.collection) else { return false }
    if case .deleted = try stored(path, collection) { return true }
    return false
  }

  func uncheckedFields(_ path: DocumentPath) throws(StorageError) -> Fields? {
    guard let collection = try number(of: path.collection) else { return nil }
    let statement = try connection.statement(
      "SELECT fields FROM documents WHERE collection = ?1 AND id = ?2 AND fields IS NOT NULL"
    ).bind([.integer(collection), .text(path.id)])
    defer { statement.reset() }
    return try statement.step() ? try? Fields(bytes: statement.bytes(0)) : nil
  }

  /// What a row holds, before it is changed.
  private enum StoredRow {
    case none
    case deleted
    case document(Document)
    /// Nobody knows what it said, only whether it was a document.
    case damaged(isDocument: Bool)

    /// Whether the collection's number of documents has it.
    var counts: Bool {
      switch self {
      case .none, .deleted, .damaged(isDocument: false): false
      case .document, .damaged(isDocument: true): true
      }
    }
  }

  private func stored(
    _ path: DocumentPath, _ collection: Int64
  ) throws(StorageError) -> StoredRow {
    let statement = try connection.statement(
      "SELECT \(Self.columns) FROM documents d WHERE collection = ?1 AND id = ?2"
    ).bind([.integer(collection), .text(path.id)])
    defer { statement.reset() }
    guard try statement.step() else { return .none }
    guard let row = try soundRow(statement, path.collection) else {
      return .damaged(isDocument: !statement.isNull(1))
    }
    guard let document = row.document else { return .deleted }
    return .document(document)
  }

  func page(_ query: Query) throws(StorageError) -> Query.Page {
    try query.check()
    guard let collection = try number(of: query.collection) else {
      return Query.Page(documents: [], cursor: nil)
    }
    let plan = QueryPlan(query, patterns[query.collection.name] ?? [])
    guard let run = plan.run else {
      // No index fits: all documents are looked at, and sorted.
      var answers = InOrder(query)
      answers.damaged = try forEach(in: collection, of: query.collection) { answers.add($0) }
      return answers.page
    }
    let statement = try connection.statement(
      """
      SELECT \(Self.columns), p.key FROM places p JOIN documents d ON d.number = p.document
      WHERE p.pattern = ?1 AND p.collection = ?2 AND p.key > ?3 AND p.key < ?4
      ORDER BY p.key \(query.isDescending ? "DESC" : "ASC")
      """
    ).bind([
      .integer(run.pattern), .integer(collection), .bytes(run.start.bytes), .bytes(run.end.bytes),
    ])
    defer { statement.reset() }
    var documents: [Document] = []
    var damaged: [StorageError] = []
    while try statement.step() {
      guard let row = try soundRow(statement, query.collection, &damaged) else { continue }
      guard let document = row.document else {
        damaged.append(
          StorageError(.damaged("an index names it though it was deleted"), row.path.description))
        continue
      }
      guard plan.rest.allSatisfy({ $0.condition.holds(for: document[$0.field] ?? .null) }) else {
        continue
      }
      if documents.count == query.limit {
        return Query.Page(
          documents: documents,
          cursor: documents.last.map { Query.Cursor(key: query.key(of: $0)) } ?? query.cursor,
          damaged: damaged)
      }
      documents.append(document)
    }
    return Query.Page(documents: documents, cursor: nil, damaged: damaged)
  }

  /// Calls a body with the documents of a collection, and returns why some cannot be read.
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
      if let document = try soundRow(statement, path, &damaged)?.document { body(document) }
    }
    return damaged
  }

  func count(_ query: Query) throws(StorageError) -> Int {
    try query.check()
    guard let collection = try number(of: query.collection) else { return 0 }
    var query = query
    query.cursor = nil
    if query.filters.isEmpty {
      return Int(
        try connection.integer(
          "SELECT count FROM collections WHERE number = ?1", .integer(collection)) ?? 0)
    }
    let plan = QueryPlan(query, patterns[query.collection.name] ?? [])
    if let run = plan.run, plan.rest.isEmpty {
      return Int(
        try connection.integer(
          """
          SELECT count(*) FROM places
          WHERE pattern = ?1 AND collection = ?2 AND key > ?3 AND key < ?4
          """, .integer(run.pattern), .integer(collection), .bytes(run.start.bytes),
          .bytes(run.end.bytes)) ?? 0)
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
    // Names hold no byte beyond 'z', so this is behind all that begin so.
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
      if let row = try soundRow(statement, collection) {
        changes.append(
          DocumentChange(path: row.path, sequence: row.sequence, document: row.document))
      } else {
        changes.append(
          DocumentChange(
            path: DocumentPath(trusted: collection, statement.text(0)),
            sequence: statement.integer(4), document: nil, isDamaged: true))
      }
    }
    return changes
  }

  func lastSequence() throws(StorageError) -> Int64 {
    try connection.integer("SELECT value FROM facts WHERE name = 'lastSequence'") ?? 0
  }

  // MARK: - Writing

  private func nextSequence() throws(StorageError) -> Int64 {
    try connection.run("UPDATE facts SET value = value + 1 WHERE name = 'lastSequence'")
    return try lastSequence()
  }

  @discardableResult
  func set(_ path: DocumentPath, _ fields: Fields) throws(StorageError) -> Document {
    try fields.checkAsDocument(path)
    return try changing { () throws(StorageError) in try store(path, fields) }
  }

  private func store(_ path: DocumentPath, _ fields: Fields) throws(StorageError) -> Document {
    let collection: Int64
    if let number = try number(of: path.collection) {
      collection = number
    } else {
      try connection.run(
        "INSERT INTO collections (path, name) VALUES (?1, ?2)",
        .text(path.collection.description), .text(String(path.collection.name)))
      collection = connection.lastRow
      numbers[path.collection] = collection
    }
    let before = try stored(path, collection)
    var created = moment
    if case .document(let document) = before { created = document.created }
    let document = Document(
      path: path, fields: fields, created: created, updated: moment,
      sequence: try nextSequence())
    let checksum = Self.checksum(
      path, fields.bytes, false, document.created, moment, document.sequence)
    // One that was deleted has its row still.
    try connection.run(
      """
      INSERT INTO documents (collection, id, fields, created, updated, sequence, checksum)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (collection, id) DO UPDATE SET
      fields = ?3, created = ?4, updated = ?5, sequence = ?6, checksum = ?7
      """, .integer(collection), .text(path.id), .bytes(fields.bytes),
      .integer(document.created.microseconds), .integer(moment.microseconds),
      .integer(document.sequence), .integer(checksum))
    try place(path, from: before, to: fields, collection)
    return document
  }

  @discardableResult
  func delete(_ path: DocumentPath) throws(StorageError) -> Bool {
    guard let collection = try number(of: path.collection) else { return false }
    let before = try stored(path, collection)
    guard before.counts else { return false }
    try changing { () throws(StorageError) in try delete(path, before, collection) }
    return true
  }

  private func delete(
    _ path: DocumentPath, _ before: StoredRow, _ collection: Int64
  ) throws(StorageError) {
    var created = moment
    if case .document(let document) = before { created = document.created }
    let sequence = try nextSequence()
    try connection.run(
      """
      UPDATE documents SET fields = NULL, created = ?6, updated = ?3, sequence = ?4, checksum = ?5
      WHERE collection = ?1 AND id = ?2
      """, .integer(collection), .text(path.id), .integer(moment.microseconds),
      .integer(sequence),
      .integer(Self.checksum(path, [], true, created, moment, sequence)),
      .integer(created.microseconds))
    try place(path, from: before, to: nil, collection)
  }

  /// Brings the indexes and the collection's number of documents up to date.
  private func place(
    _ path: DocumentPath, from row: StoredRow, to after: Fields?, _ collection: Int64
  ) throws(StorageError) {
    let change = (after == nil ? 0 : 1) - (row.counts ? 1 : 0)
    if change != 0 {
      try connection.run(
        "UPDATE collections SET count = count + ?2 WHERE number = ?1", .integer(collection),
        .integer(Int64(change)))
    }
    guard let patterns = patterns[path.collection.name] else { return }
    var (before, number): (Fields?, Int64?)
    switch row {
    case .none, .deleted: break
    case .document(let document): before = document.fields
    case .damaged: try removeAll(of: path, patterns, collection)
    }
    for pattern in patterns {
      let (old, new) = (
        before.map { pattern.key(of: $0, id: path.id) },
        after.map { pattern.key(of: $0, id: path.id) }
      )
      guard old != new else { continue }
      if let old { try remove(old, pattern, collection) }
      guard let new else { continue }
      if number == nil {
        number = try connection.integer(
          "SELECT number FROM documents WHERE collection = ?1 AND id = ?2", .integer(collection),
          .text(path.id))
      }
      if let number { try add(new, pattern, collection, number) }
    }
  }

  func erase(_ path: DocumentPath) throws(StorageError) {
    guard let collection = try number(of: path.collection) else { return }
    try changing { () throws(StorageError) in try erase(path, collection) }
  }

  /// Takes a document that cannot be read out of indexes: where they have it only its fields would say.
  private func removeAll(
    of path: DocumentPath, _ patterns: [Pattern], _ collection: Int64
  ) throws(StorageError) {
    for pattern in patterns {
      try connection.run(
        """
        DELETE FROM places WHERE pattern = ?1 AND collection = ?2 AND document =
        (SELECT number FROM documents WHERE collection = ?2 AND id = ?3)
        """, .integer(pattern.number), .integer(collection), .text(path.id))
    }
  }

  private func erase(_ path: DocumentPath, _ collection: Int64) throws(StorageError) {
    try place(path, from: stored(path, collection), to: nil, collection)
    try connection.run(
      "DELETE FROM documents WHERE collection = ?1 AND id = ?2", .integer(collection),
      .text(path.id))
  }

  func erase(_ collection: CollectionPath) throws(StorageError) {
    guard let number = try number(of: collection) else { return }
    try changing { () throws(StorageError) in try erase(collection, number) }
  }

  private func erase(_ collection: CollectionPath, _ number: Int64) throws(StorageError) {
    for pattern in patterns[collection.name] ?? [] {
      try connection.run(
        "DELETE FROM places WHERE pattern = ?1 AND collection = ?2", .integer(pattern.number),
        .integer(number))
    }
    try connection.run("DELETE FROM documents WHERE collection = ?1", .integer(number))
    try connection.run("DELETE FROM collections WHERE number = ?1", .integer(number))
    numbers[collection] = nil
  }

  // MARK: - Checking

  /// What is wrong with the file, its documents and its indexes.
  func problems() throws(StorageError) -> [StorageError] {
    var problems: [StorageError] = []
    let check = try connection.statement("PRAGMA integrity_check(20)")
    while try check.step() {
      guard check.text(0) != "ok" else { continue }
      problems.append(StorageError(.damaged(check.text(0)), path))
    }
    check.reset()
    let statement = try connection.statement(
      "SELECT \(Self.columns), c.path, d.number, c.number FROM documents d"
        + " JOIN collections c ON c.number = d.collection")
    var expected = 0
    var counts: [Int64: Int64] = [:]
    while try statement.step() {
      if !statement.isNull(1) { counts[statement.integer(8), default: 0] += 1 }
      do throws(StorageError) {
        let collection = CollectionPath(trusted: statement.text(6))
        guard let document = try row(statement, collection).document else { continue }
        for pattern in patterns[collection.name] ?? [] {
          expected += 1
          let key = pattern.key(of: document.fields, id: document.id)
          let found = try connection.integer(
            "SELECT document FROM places WHERE pattern = ?1 AND collection = ?2 AND key = ?3",
            .integer(pattern.number), .integer(statement.integer(8)), .bytes(key.bytes))
          if found != statement.integer(7) {
            throw StorageError(.damaged("an index lacks it"), document.path.description)
          }
        }
      } catch {
        problems.append(error)
      }
    }
    let places = try connection.integer("SELECT count(*) FROM places") ?? 0
    if places != Int64(expected), problems.isEmpty {
      problems.append(StorageError(.damaged("indexes name documents that are not there"), path))
    }
    let numbers = try connection.statement("SELECT number, count, path FROM collections")
    while try numbers.step() {
      guard numbers.integer(1) != counts[numbers.integer(0), default: 0] else { continue }
      problems.append(
        StorageError(.damaged("its number of documents is wrong"), numbers.text(2).lowASCII))
    }
    for (_, path, name) in try collectionNames() where !path.name.isIdentical(to: name) {
      problems.append(
        StorageError(.damaged("indexes know it by another name"), path.description.lowASCII))
    }
    let strays = try connection.integer(
      "SELECT count(*) FROM documents WHERE collection NOT IN (SELECT number FROM collections)")
    if let strays, strays > 0 {
      problems.append(StorageError(.damaged("\(strays) documents are in no collection"), path))
    }
    let last = try connection.integer("SELECT max(sequence) FROM documents") ?? 0
    if try lastSequence() < last {
      problems.append(StorageError(.damaged("its last change is numbered too low"), path))
    }
    return problems
  }
}

extension SQLiteDocuments.Pattern {
  /// Where a document stands in the index.
  func key(of document: Fields, id: String) -> ValueKey {
    var key = ValueKey()
    for field in fields { key.append(document[field] ?? .null) }
    key.append(.text(id))
    return key
  }
}
