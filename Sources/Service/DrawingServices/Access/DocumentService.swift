public import Storage

/// Access to any document by path, for operators and for tests of the rules. It runs no code of an
/// app.
public struct DocumentService: Sendable {
  private let gate: AccessGate

  /// Access to documents as a caller.
  /// With `expecting`, changes only a document that still has this sequence number.
  public init(
    _ environment: ServiceEnvironment, as caller: Caller, expecting sequence: Int64? = nil
  ) {
    gate = AccessGate(environment, as: caller, expecting: sequence)
  }

  /// The default number of documents in a page.
  public static let pageSize = 50

  /// A document; throws if there is none.
  public func document(_ path: DocumentPath) throws -> Document {
    try gate.read { try $0.existing(path) }
  }

  /// One page of the documents in a collection, in the order of their names.
  public func page(
    _ collection: CollectionPath, limit: Int = pageSize, after cursor: Query.Cursor? = nil
  ) throws -> Query.Page {
    try gate.read { try $0.page(Query(collection).page(limit, after: cursor)) }
  }

  /// Creates a document or replaces its fields; if `merges`, only overwrites the given fields.
  @discardableResult
  public func set(
    _ path: DocumentPath, _ fields: Fields, merges: Bool = false
  ) throws -> Updated<Document> {
    try gate.change { transaction in
      let stored = try transaction.stored(path)
      let given = withoutServiceFields(fields, path)
      guard let stored else {
        return Updated(try transaction.create(path, given), isApplied: true)
      }
      if merges { return try transaction.stampedUpdate(path, given) }
      let kept = stored.fields.all.filter { name, _ in
        fields[name] != nil && given[name] == nil || isServiceField(name, path)
      }
      return try transaction.replace(path, given.merging(Fields(kept)))
    }
  }

  /// Deletes a document and returns whether it existed. Also deletes the files of a drawing.
  @discardableResult
  public func delete(_ path: DocumentPath) throws -> Bool {
    if let uid = drawingOwner(path) {
      return try DrawingService(gate.environment, as: gate.caller).delete(path.id, of: uid)
    }
    return try gate.change { try $0.delete(path) }
  }

  /// The owner of the drawing at a path; nil for other documents.
  private func drawingOwner(_ path: DocumentPath) -> String? {
    let names = path.collection.description.split(separator: "/")
    return names.count == 3 && names[0] == "users" && names[2] == "drawings"
      ? String(names[1]) : nil
  }

  /// Whether only the service may set a field.
  private func isServiceField(_ name: String, _ path: DocumentPath) -> Bool {
    gate.caller != .operator && drawingOwner(path) != nil
      && DrawingRecord.serviceFields.contains(name)
  }

  private func withoutServiceFields(_ fields: Fields, _ path: DocumentPath) -> Fields {
    Fields(fields.all.filter { !isServiceField($0.0, path) })
  }
}

extension DocumentSchema {
  /// Converts texts from JSON, which has no type for moments, to moments where the schema has a
  /// moment. Invalid texts stay, so that the schema rejects them.
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
