import Checksums

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

  /// The contents of a row; `document` is nil for a deleted document.
  typealias Row = (path: DocumentPath, sequence: Int64, updated: Moment, document: Document?)

  /// Reads the current row of a statement. Throws if it is damaged.
  func row(
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
    if isDeleted { return (path, sequence, updated, nil) }
    return (
      path, sequence, updated,
      Document(
        path: path, fields: Fields(trusted: bytes), created: created, updated: updated,
        sequence: sequence)
    )
  }

  /// Reads the current row of a statement; nil if it is damaged.
  func readableRow(
    _ statement: SQLiteStatement, _ collection: CollectionPath
  ) throws(StorageError) -> Row? {
    var ignored: [StorageError] = []
    return try readableRow(statement, collection, &ignored)
  }

  /// Reads the current row of a statement. If it is damaged, returns nil and adds the error to a list.
  func readableRow(
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

  /// The CRC-32C over path, times, sequence number, deletion flag and fields of a row.
  static func checksum(
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

  /// The contents of a row before a change.
  enum StoredRow {
    case none
    case deleted(DocumentDeletion)
    case document(Document)
    /// The contents are lost, but not whether it was a document or a deleted one.
    case damaged(isDocument: Bool)

    /// Whether the document count of the collection includes this row.
    var isCounted: Bool {
      switch self {
      case .none, .deleted, .damaged(isDocument: false): false
      case .document, .damaged(isDocument: true): true
      }
    }
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
    guard let document = row.document else {
      return .deleted(DocumentDeletion(moment: row.updated, sequence: row.sequence))
    }
    return .document(document)
  }
}
