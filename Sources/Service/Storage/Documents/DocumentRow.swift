import Checksums

/// A store's row of a document or a deleted one, the same in every database: its values and a
/// checksum over them.
package struct DocumentRow {
  package let path: DocumentPath
  /// Nil for a deleted document.
  package let fields: [UInt8]?
  package let created: Moment
  package let updated: Moment
  package let sequence: Int64

  package init(
    path: DocumentPath, fields: [UInt8]?, created: Moment, updated: Moment, sequence: Int64
  ) {
    (self.path, self.fields) = (path, fields)
    (self.created, self.updated, self.sequence) = (created, updated, sequence)
  }

  /// The document; nil for a deleted one.
  package var document: Document? {
    fields.map {
      Document(
        path: path, fields: Fields(trusted: $0), created: created, updated: updated,
        sequence: sequence)
    }
  }

  /// The CRC-32C over path, times, sequence number, deletion flag and fields.
  package var checksum: Int64 {
    var sum = Checksum.of(path.collection.description.utf8)
    sum = Checksum.of(0, after: sum)
    sum = Checksum.of(path.id.utf8, after: sum)
    func add(_ number: Int64) { sum = Checksum.of(UInt64(bitPattern: number), after: sum) }
    add(created.microseconds)
    add(updated.microseconds)
    add(sequence)
    add(fields == nil ? 1 : 0)
    return Int64(Checksum.of(fields ?? [], after: sum))
  }

  /// Throws if a stored checksum is not that of the values.
  package func check(_ checksum: Int64) throws(StorageError) {
    guard checksum == self.checksum else {
      throw StorageError(.damaged("its checksum is wrong"), path.description)
    }
  }
}

/// The contents of a row before a change.
package enum StoredRow {
  case none
  case deleted(DocumentDeletion)
  case document(Document)
  /// The contents are lost, but it is known whether the row was a document or a deletion.
  case damaged(isDocument: Bool)

  /// The contents of a row that is intact.
  package init(_ row: DocumentRow) {
    self =
      row.document.map { .document($0) }
      ?? .deleted(DocumentDeletion(moment: row.updated, sequence: row.sequence))
  }

  /// Whether the document count of the collection includes this row.
  package var isCounted: Bool {
    switch self {
    case .none, .deleted, .damaged(isDocument: false): false
    case .document, .damaged(isDocument: true): true
    }
  }

  /// The document, if there is one that can be read.
  package var document: Document? {
    if case .document(let document) = self { document } else { nil }
  }
}
