import JSON
public import Storage

/// Any document by its path, as a caller may see and change it: for those who try the rules, and for
/// operators. What services do besides, such as counting milestones, is not done here.
public struct DocumentService: Sendable {
  private let gate: Gate

  /// The documents that a caller may see and change.
  public init(_ environment: ServiceEnvironment, as caller: Caller) {
    gate = Gate(environment: environment, caller: caller)
  }

  /// How many documents a page has unless another number is asked for.
  public static let pageSize = 50

  /// Fields from JSON. Texts become moments where the document's schema has moments.
  public static func fields(_ json: [UInt8], for path: DocumentPath) throws -> Fields {
    let fields: Fields
    do throws(JSONError) {
      fields = try Fields(json: json)
    } catch {
      throw ServiceError.badFields("\(error)")
    }
    return Schemas.schema(for: path)?.withMoments(fields) ?? fields
  }

  /// A document, which must be there.
  public func document(_ path: DocumentPath) throws -> Document {
    try gate.read { try $0.existing(path) }
  }

  /// The documents of a collection, in the order of their names.
  public func page(
    _ collection: CollectionPath, limit: Int = pageSize, after cursor: Query.Cursor? = nil
  ) throws -> Query.Page {
    try gate.read { try $0.page(Query(collection).page(limit, after: cursor)) }
  }

  /// Makes a document, or puts fields in place of all that it has; or over what it has, if `merges`.
  @discardableResult
  public func set(
    _ path: DocumentPath, _ fields: Fields, merges: Bool = false
  ) throws -> Updated<Document> {
    try gate.change { transaction in
      let stored = try transaction.transaction.document(path)
      let given = withoutOwnFields(fields, path)
      guard let stored else {
        return Updated(try transaction.create(path, given), isApplied: true)
      }
      if merges { return try transaction.stampedUpdate(path, given) }
      let kept = stored.fields.all.filter { name, _ in
        fields[name] != nil && given[name] == nil || isOwnField(name, path)
      }
      return try transaction.replace(path, given.merging(Fields(kept)))
    }
  }

  /// Deletes a document, and says whether there was one. A drawing's files go with it.
  @discardableResult
  public func delete(_ path: DocumentPath) throws -> Bool {
    if let uid = drawingOwner(path) {
      return try DrawingService(gate.environment, as: gate.caller).delete(path.id, of: uid)
    }
    return try gate.change { try $0.delete(path) }
  }

  /// Whose drawing a path leads to; nil for other documents.
  private func drawingOwner(_ path: DocumentPath) -> String? {
    let names = path.collection.description.split(separator: "/")
    return names.count == 3 && names[0] == "users" && names[2] == "drawings"
      ? String(names[1]) : nil
  }

  /// Whether the service alone says what a field holds.
  private func isOwnField(_ name: String, _ path: DocumentPath) -> Bool {
    gate.caller != .operator && drawingOwner(path) != nil && DrawingRecord.ownFields.contains(name)
  }

  private func withoutOwnFields(_ fields: Fields, _ path: DocumentPath) -> Fields {
    Fields(fields.all.filter { !isOwnField($0.0, path) })
  }
}

extension DocumentSchema {
  /// Fields as they come from JSON, which knows no moments, with moments where the schema has some. Texts
  /// that are none stay, so that the schema finds fault with them.
  func withMoments(_ fields: Fields) -> Fields {
    let changes: [(String, FieldValue)] = rules.compactMap { rule in
      guard let value = fields[rule.name] else { return nil }
      let read = rule.type.withMoments(value)
      return read == value ? nil : (rule.name, read)
    }
    return changes.isEmpty ? fields : fields.merging(Fields(changes))
  }
}

extension FieldType {
  fileprivate func withMoments(_ value: FieldValue) -> FieldValue {
    switch (self, value) {
    case (.moment, .text(let text)), (.timeOfDay, .text(let text)):
      Moment(iso8601: text).map { .moment($0) } ?? value
    case (.list(let type, _), .list(let values)): .list(values.map(type.withMoments))
    case (.map(let schema), .map(let fields)): .map(schema.withMoments(fields))
    default: value
    }
  }
}
