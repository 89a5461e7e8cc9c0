public import Storage

/// A kind of documents: where they are, what they hold, who may do what with them, and what the service does for them.
public final class DocumentKind: Hashable, Sendable {
  /// The name of their collections.
  public let name: String
  /// Whose they are, which also says where they are.
  public let owner: Owner
  /// What they hold; nil for any fields.
  public let schema: DocumentSchema?
  /// A field that must be the name of the document, if a document has it.
  public let nameField: String?
  /// Who may do what with them. Whatever no rule allows is refused to all but the operator.
  public let access: [AccessRule]
  /// The indexes for frequent queries.
  public let indexes: [DocumentIndex]
  /// The fields that a document gets if they are missing.
  public let defaults: [(name: String, value: Default)]
  /// How devices get them; nil if they do not.
  public let synchronization: Synchronization?
  /// The name of their number in statistics; nil if they are not counted.
  public let countName: String?
  /// Whether the user gets them in an export.
  public let isExported: Bool

  /// Whose documents they are.
  public enum Owner: Hashable, Sendable {
    /// Of the user in their path, `users/UID/NAME/ID`.
    case user
    /// Of the user in a field, `NAME/ID`. An export has them in the order of another field.
    case field(String, order: String)
    /// Of nobody, `NAME/ID`.
    case nobody
  }

  /// A value for a missing field.
  public enum Default: Hashable, Sendable {
    case value(FieldValue)
    /// The time when the document is stored. It stays when the document is replaced.
    case now
  }

  /// How devices get documents. Each has then a time of change, `updatedAt`, and the last change wins.
  public struct Synchronization: Sendable {
    /// The fields that are of one place only.
    public var localFields: Set<String>
    /// A field of one place that becomes true when the document was sent; nil for none.
    public var sentField: String?
    /// The name of the event that tells a device's app that a document was sent.
    public var sentEvent: String
    /// The member of this event that has the value of a field.
    public var sentDetail: (member: String, field: String)?
    /// Called in the transaction in which a server has stored a new document of a user, which a device has sent.
    public var arrived:
      (
        @Sendable (_ uid: String, ServiceEnvironment, any DocumentTransaction) throws -> Void
      )?
    /// The fields that may have the time of change: the first one that a document has does.
    var momentFields = ["updatedAt"]

    /// How devices get documents: as a whole but for some fields.
    public init(
      localFields: Set<String> = [], sentField: String? = nil, sentEvent: String = "sent",
      sentDetail: (member: String, field: String)? = nil,
      arrived: (
        @Sendable (_ uid: String, ServiceEnvironment, any DocumentTransaction) throws -> Void
      )? = nil
    ) {
      self.localFields = sentField.map { localFields.union([$0]) } ?? localFields
      (self.sentField, self.sentEvent, self.sentDetail) = (sentField, sentEvent, sentDetail)
      self.arrived = arrived
    }
  }

  /// A kind of documents.
  public init(
    _ name: String, of owner: Owner, schema: DocumentSchema? = nil, nameField: String? = nil,
    access: [AccessRule] = [], indexes: [DocumentIndex] = [],
    defaults: [(name: String, value: Default)] = [], synchronization: Synchronization? = nil,
    countName: String? = nil, isExported: Bool = true
  ) {
    (self.name, self.owner, self.schema, self.nameField) = (name, owner, schema, nameField)
    (self.access, self.indexes, self.defaults) = (access, indexes, defaults)
    (self.synchronization, self.countName) = (synchronization, countName)
    self.isExported = isExported
  }

  /// Whether the documents of two kinds are in the same place.
  public static func == (a: DocumentKind, b: DocumentKind) -> Bool {
    a === b || a.name == b.name && a.owner == b.owner
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }

  /// Their collection, if they are of no user by their path.
  package var collection: CollectionPath {
    // A name that is not valid is a fault of the program that gives it.
    do throws(StorageError) {
      return try CollectionPath(name)
    } catch {
      preconditionFailure("a kind of documents has a name that is not valid: \(error)")
    }
  }

  /// The schema of the document with a name.
  func schema(ofDocument id: String) -> DocumentSchema? {
    guard let nameField else { return schema }
    return DocumentSchema((schema?.rules ?? []) + [.optional(nameField, .word([id]))])
  }
}
