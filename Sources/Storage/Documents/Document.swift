/// Named fields under a path, with what the store knows of them.
public struct Document: Hashable, Sendable {
  /// Where it lies.
  public let path: DocumentPath
  /// What it says.
  public let fields: Fields
  /// When it was first stored, by the store's clock.
  public let created: Moment
  /// When it was last changed, by the store's clock.
  public let updated: Moment
  /// The number of its last change: greater than that of every change before.
  public let sequence: Int64

  /// Its name in the collection.
  public var id: String { path.id }

  /// The value of a field; nil where there is none.
  public subscript(name: String) -> FieldValue? { fields[name] }

  /// The most bytes that the fields of one document may take.
  public static let maximumByteCount = 1 << 20
}

/// That something happened to a document. A store remembers the last change of each.
public struct DocumentChange: Hashable, Sendable {
  /// Which document.
  public let path: DocumentPath
  /// The number of the change; they are numbered in the order in which they came to be.
  public let sequence: Int64
  /// The document as it is; nil where it was deleted, or is damaged.
  public let document: Document?
  /// Whether its row is damaged, so that nothing can be said of the document.
  public let isDamaged: Bool

  init(path: DocumentPath, sequence: Int64, document: Document?, isDamaged: Bool = false) {
    self.path = path
    self.sequence = sequence
    self.document = document
    self.isDamaged = isDamaged
  }
}
