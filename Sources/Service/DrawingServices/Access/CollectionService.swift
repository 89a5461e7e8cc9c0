public import Storage

/// Documents of one kind, which clients name and write. The kind declares their path, checks,
/// defaults and hooks.
///
/// `uid` is the user in the path; without effect if a field names the owner.
public struct CollectionService: Sendable {
  package let gate: AccessGate
  private let kind: DocumentKind

  /// Documents of a kind with the access of a caller.
  /// With `expecting`, changes only a document that still has this sequence number.
  public init(
    _ kind: DocumentKind, in environment: ServiceEnvironment, as caller: Caller,
    expecting sequence: Int64? = nil
  ) {
    self.kind = kind
    gate = AccessGate(environment, as: caller, expecting: sequence)
  }

  /// The default number of documents in a page.
  public static let pageSize = 50

  /// The documents: of the user, or of all users if the owner is in a field.
  private func collection(of uid: String) throws -> CollectionPath {
    kind.owner == .user ? try UserPaths(uid).collection(kind) : kind.collection
  }

  /// Stores a document with the id from the client, the one in its field for it, or a new one, at
  /// the current time unless the fields have one. Creating the same document again is not an error.
  @discardableResult
  public func create(_ fields: Fields, of uid: String = "", id: String? = nil) throws -> Document {
    let named = kind.idField.flatMap { fields[$0]?.textValue }
    let id = id ?? named ?? gate.environment.newID()
    try checkID(fields, id)
    let path = try collection(of: uid).document(id)
    return try gate.change { transaction in
      var defaults = Fields()
      if let field = kind.idField { defaults[field] = .text(id) }
      if kind.order == "createdAt" { defaults["createdAt"] = .moment(transaction.moment) }
      let document = try transaction.create(path, fields, defaults: defaults)
      try kind.created?(uid, gate.environment, transaction.ofService)
      return document
    }
  }

  /// One document; throws if there is none.
  public func document(_ id: String, of uid: String = "") throws -> Document {
    let path = try collection(of: uid).document(id)
    return try gate.read { try $0.existing(path) }
  }

  /// Overwrites some fields of a document. If the changes have the time of the device, an update
  /// that is older than the stored document has no effect; without a time the current time is used.
  @discardableResult
  public func update(
    _ id: String, of uid: String = "", _ changes: Fields
  ) throws -> Updated<Document> {
    let path = try collection(of: uid).document(id)
    return try gate.change { transaction in
      try checkID(changes, id)
      return try transaction.stampedUpdate(path, changes)
    }
  }

  private func checkID(_ fields: Fields, _ id: String) throws(ServiceError) {
    for field in [kind.idField, "id"].compactMap(\.self) {
      guard fields[field] ?? .text(id) == .text(id) else {
        throw .badRequest("the \(field) must be the id of the document, '\(id)'")
      }
    }
  }

  /// Deletes a document and returns whether it existed.
  @discardableResult
  public func delete(_ id: String, of uid: String = "") throws -> Bool {
    let path = try collection(of: uid).document(id)
    return try gate.change { try $0.delete(path) }
  }

  /// One page of a user's documents, the latest first. Of a period, `from` a moment up to another
  /// one, the oldest come first.
  public func page(
    of uid: String, from start: Moment? = nil, to end: Moment? = nil, limit: Int? = pageSize,
    after cursor: Query.Cursor? = nil
  ) throws -> Query.Page {
    var query = Query(try collection(of: uid))
    if case .field(let owner, _) = kind.owner {
      query = query.filtered(owner, .equal(.text(uid)))
    }
    let order = kind.order
    if let start { query = query.filtered(order, .atLeast(.moment(start))) }
    if let end { query = query.filtered(order, .less(.moment(end))) }
    query = query.ordered(by: order, descending: start == nil && end == nil)
    return try gate.read { try $0.page(query.page(limit, after: cursor)) }
  }
}
