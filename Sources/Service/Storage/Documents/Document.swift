/// Named fields at a path, with the times and the sequence number of their last change.
public struct Document: Hashable, Sendable {
  /// The path of the document.
  public let path: DocumentPath
  /// The contents.
  public let fields: Fields
  /// When it was created, by the clock of the store.
  public let created: Moment
  /// When it was last changed, by the clock of the store.
  public let updated: Moment
  /// The sequence number of its last change, greater than those of all earlier changes in the
  /// store.
  public let sequence: Int64

  package init(
    path: DocumentPath, fields: Fields, created: Moment, updated: Moment, sequence: Int64
  ) {
    (self.path, self.fields) = (path, fields)
    (self.created, self.updated, self.sequence) = (created, updated, sequence)
  }

  /// The name in the collection.
  public var id: String { path.id }

  /// The value of a field; nil if the field is missing.
  public subscript(name: String) -> FieldValue? { fields[name] }

  /// The maximum size of the fields of a document, in bytes.
  public static let maximumByteCount = 1 << 20
}

/// The deletion of a document that `changes` still reports.
public struct DocumentDeletion: Hashable, Sendable {
  /// The time of the deletion, as given by its writer.
  public let moment: Moment
  /// The sequence number of the deletion.
  public let sequence: Int64

  package init(moment: Moment, sequence: Int64) {
    (self.moment, self.sequence) = (moment, sequence)
  }
}

/// The last change of a document. A store keeps it for every document, including deleted ones.
public struct DocumentChange: Hashable, Sendable {
  /// The path of the document.
  public let path: DocumentPath
  /// The sequence number of the change; later changes have greater numbers.
  public let sequence: Int64
  /// The time of the change, by the clock of the store; for a deletion, as given by its writer.
  public let moment: Moment
  /// The current document; nil if it was deleted or is damaged.
  public let document: Document?
  /// Whether the stored document is damaged and cannot be read.
  public let isDamaged: Bool

  package init(
    path: DocumentPath, sequence: Int64, moment: Moment, document: Document?,
    isDamaged: Bool = false
  ) {
    self.path = path
    self.sequence = sequence
    self.moment = moment
    self.document = document
    self.isDamaged = isDamaged
  }
}
