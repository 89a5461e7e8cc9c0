import Storage

/// Rows: documents as they are stored, each with a checksum.
extension PostgresDocuments {
  /// The columns that `row` reads from a table `d`, in its order.
  static let columns =
    "d.collection, d.id, d.fields, d.created, d.updated, d.sequence, d.checksum"

  /// Reads a row. Throws if it is damaged.
  func row(_ rows: PostgresRows, _ index: Int) throws(StorageError) -> DocumentRow {
    let row = DocumentRow(
      path: path(rows, index), fields: rows.isNull(index, 2) ? nil : rows.bytes(index, 2),
      created: Moment(microseconds: rows.integer(index, 3)),
      updated: Moment(microseconds: rows.integer(index, 4)), sequence: rows.integer(index, 5))
    try row.check(rows.integer(index, 6))
    return row
  }

  func path(_ rows: PostgresRows, _ index: Int) -> DocumentPath {
    DocumentPath(trusted: CollectionPath(trusted: rows.text(index, 0)), rows.text(index, 1))
  }

  /// Reads a row. If it is damaged, returns nil and adds the error to a list.
  func readableRow(
    _ rows: PostgresRows, _ index: Int, _ damaged: inout [StorageError]
  ) throws(StorageError) -> DocumentRow? {
    do throws(StorageError) {
      return try row(rows, index)
    } catch {
      guard case .damaged = error.problem else { throw error }
      damaged.append(error)
      return nil
    }
  }

  private func stored(_ path: DocumentPath) throws(StorageError) -> PostgresRows {
    try rows(
      "SELECT \(Self.columns) FROM documents d WHERE collection = $1 AND id = $2",
      .text(path.collection.description), .text(path.id))
  }

  func document(_ path: DocumentPath) throws(StorageError) -> Document? {
    let rows = try stored(path)
    return rows.isEmpty ? nil : try row(rows, 0).document
  }

  func storedRow(_ path: DocumentPath) throws(StorageError) -> StoredRow {
    let rows = try stored(path)
    guard !rows.isEmpty else { return .none }
    var damaged: [StorageError] = []
    return try readableRow(rows, 0, &damaged).map { StoredRow($0) }
      ?? .damaged(isDocument: !rows.isNull(0, 2))
  }

  func deletion(of path: DocumentPath) throws(StorageError) -> DocumentDeletion? {
    if case .deleted(let deletion) = try storedRow(path) { deletion } else { nil }
  }

  func uncheckedFields(_ path: DocumentPath) throws(StorageError) -> Fields? {
    let rows = try stored(path)
    return rows.isEmpty || rows.isNull(0, 2) ? nil : try? Fields(bytes: rows.bytes(0, 2))
  }
}
