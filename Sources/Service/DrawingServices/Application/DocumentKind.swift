public import Storage

/// A kind of documents: location, schema, access rules and the service's treatment of them.
public final class DocumentKind: Hashable, Sendable {
  /// The name of their collections.
  public let name: String
  /// The owner of the documents, which determines their path.
  public let owner: Owner
  /// Other fields with users, each with the order of a list of that user's documents. Erasing such a
  /// user erases the document, too.
  public let others: [(field: String, order: String)]
  /// The schema of the documents; nil for any fields.
  public let schema: DocumentSchema?
  /// A field that must equal the document's name, if a document has the field.
  public let nameField: String?
  /// A field that `CollectionService` sets to the document's name; the access rules and the schema
  /// do not ask for that.
  public let idField: String?
  /// The access rules. Operations that no rule allows are refused to everyone but the operator.
  public let access: [AccessRule]
  /// The indexes for frequent queries. The first one is that of lists.
  public let indexes: [DocumentIndex]
  /// The default values of missing fields.
  public let defaults: [(name: String, value: Default)]
  /// How the documents are synchronized with devices; nil if they are not.
  public let synchronization: Synchronization?
  /// The label of their count in statistics; nil if they are not counted.
  public let countName: String?
  /// Whether a user's export includes them.
  public let isExported: Bool

  /// Called in the transaction that stores a user's new document, also one that a device has sent to
  /// a server.
  public let created:
    (
      @Sendable (_ uid: String, ServiceEnvironment, any DocumentTransaction) throws -> Void
    )?

  /// The owner of documents.
  public enum Owner: Hashable, Sendable {
    /// Of the user in their path, `users/UID/NAME/ID`.
    case user
    /// The user named in a field; the path is `NAME/ID`. An export sorts them by the field `order`.
    case field(String, order: String)
    /// No user; the path is `NAME/ID`.
    case nobody
  }

  /// A value for a missing field.
  public enum Default: Hashable, Sendable {
    case value(FieldValue)
    /// The time when the document is stored. Replacing the document keeps it.
    case now
  }

  /// How documents are synchronized. Each document has a time of change, `updatedAt`; the last
  /// change wins.
  public struct Synchronization: Sendable {
    /// Local fields, which are not synchronized.
    public var localFields: Set<String>
    /// A local field that becomes true when the document has been sent; nil for none.
    public var sentField: String?
    /// The name of the event that a device's app receives when a document has been sent.
    public var sentEvent: String
    /// A member of this event, and the field whose value it has; nil for none.
    public var sentDetail: (member: String, field: String)?
    /// The fields that may have the time of change; the first one that a document has is used.
    var momentFields = ["updatedAt"]

    /// Synchronizes whole documents except for the local fields.
    public init(
      localFields: Set<String> = [], sentField: String? = nil, sentEvent: String = "sent",
      sentDetail: (member: String, field: String)? = nil
    ) {
      self.localFields = sentField.map { localFields.union([$0]) } ?? localFields
      (self.sentField, self.sentEvent, self.sentDetail) = (sentField, sentEvent, sentDetail)
    }
  }

  /// A kind of documents.
  public init(
    _ name: String, of owner: Owner, others: [(field: String, order: String)] = [],
    schema: DocumentSchema? = nil, nameField: String? = nil,
    idField: String? = nil,
    access: [AccessRule] = [], indexes: [DocumentIndex] = [],
    defaults: [(name: String, value: Default)] = [], synchronization: Synchronization? = nil,
    countName: String? = nil, isExported: Bool = true,
    created: (
      @Sendable (_ uid: String, ServiceEnvironment, any DocumentTransaction) throws -> Void
    )? = nil
  ) {
    (self.name, self.owner, self.others, self.schema) = (name, owner, others, schema)
    (self.nameField, self.idField) = (nameField, idField)
    (self.access, self.indexes, self.defaults) = (access, indexes, defaults)
    (self.synchronization, self.countName) = (synchronization, countName)
    (self.isExported, self.created) = (isExported, created)
  }

  /// Whether devices synchronize the documents.
  package var isSynchronized: Bool { synchronization != nil }

  /// The moment by which lists of a user's documents are sorted.
  var order: String {
    if case .field(_, let order) = owner {
      order
    } else {
      indexes.first?.fields.first ?? "createdAt"
    }
  }

  /// Whether two kinds have the same collection path.
  public static func == (a: DocumentKind, b: DocumentKind) -> Bool {
    a === b || a.name == b.name && a.owner == b.owner
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }

  /// Their collection, unless it is below a user's path.
  package var collection: CollectionPath {
    // An invalid name is a bug in the calling program.
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
