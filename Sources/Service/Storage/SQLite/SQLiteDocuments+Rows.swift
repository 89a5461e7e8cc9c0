/// Rows: documents as they are stored, each with a checksum.
extension SQLiteDocuments {
  /// The number of a collection; nil if it has never held a document.
  func number(of collection: CollectionPath) throws(StorageError) -> Int64? {
    if let number = numbers[collection] { return number }
    let number = try connection.integer(
      "SELECT number FROM collections WHERE path = ?1", .text(collection.description))
    if let number {
      if numbers.count > 10_000 { numbers = [:] }
      numbers[collection] = number
    }
    return number
  }

  /// The columns that `row` reads from a table `d`, in its order.
  static let columns = "d.id, d.fields, d.created, d.updated, d.sequence, d.checksum"

  /// Reads the current row of a statement. Throws if it is damaged.
  func row(
    _ statement: SQLiteStatement, _ collection: CollectionPath
  ) throws(StorageError) -> DocumentRow {
    let row = DocumentRow(
      path: DocumentPath(trusted: collection, statement.text(0)),
      fields: statement.isNull(1) ? nil : statement.bytes(1),
      created: Moment(microseconds: statement.integer(2)),
      updated: Moment(microseconds: statement.integer(3)), sequence: statement.integer(4))
    try row.check(statement.integer(5))
    return row
  }

  /// Reads the current row of a statement; nil if it is damaged.
  func readableRow(
    _ statement: SQLiteStatement, _ collection: CollectionPath
  ) throws(StorageError) -> DocumentRow? {
    var ignored: [StorageError] = []
    return try readableRow(statement, collection, &ignored)
  }

  /// Reads the current row of a statement. If it is damaged, returns nil and adds the error to a
  /// list.
  func readableRow(
    _ statement: SQLiteStatement, _ collection: CollectionPath, _ damaged: inout [StorageError]
  ) throws(StorageError) -> DocumentRow? {
    do throws(StorageError) {
      return try row(statement, collection)
    } catch {
      guard case .damaged = error.problem else { throw error }
      damaged.append(error)
      return nil
    }
  }

  func document(_ path: DocumentPath) throws(StorageError) -> Document? {
    guard let collection = try number(of: path.collection) else { return nil }
    let statement = try connection.statement(
      "SELECT \(Self.columns) FROM documents d WHERE collection = ?1 AND id = ?2"
    ).bind([.integer(collection), .text(path.id)])
    defer { statement.reset() }
    return try statement.step() ? row(statement, path.collection).document : nil
  }

  func deletion(of path: DocumentPath) throws(StorageError) -> DocumentDeletion? {
    guard let collection = try number(of: path.collection) else { return nil }
    if case .deleted(let deletion) = try storedRow(path, collection) { return deletion }
    return nil
  }

  func uncheckedFields(_ path: DocumentPath) throws(StorageError) -> Fields? {
    guard let collection = try number(of: path.collection) else { return nil }
    let statement = try connection.statement(
      "SELECT fields FROM documents WHERE collection = ?1 AND id = ?2 AND fields IS NOT NULL"
    ).bind([.integer(collection), .text(path.id)])
    defer { statement.reset() }
    return try statement.step() ? try? Fields(bytes: statement.bytes(0)) : nil
  }

  func storedRow(
    _ path: DocumentPath, _ collection: Int64
  ) throws(StorageError) -> StoredRow {
    let statement = try connection.statement(
      "SELECT \(Self.columns) FROM documents d WHERE collection = ?1 AND id = ?2"
    ).bind([.integer(collection), .text(path.id)])
    defer { statement.reset() }
    guard try statement.step() else { return .none }
    guard let row = try readableRow(statement, path.collection) else {
      return .damaged(isDocument: !statement.isNull(1))
    }
    return StoredRow(row)
  }
}
