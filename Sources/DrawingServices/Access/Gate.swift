import Storage

/// The one way of callers to documents and files: what they may not do is refused here, and fields that
/// may not be so.
struct Gate {
  let environment: ServiceEnvironment
  let caller: Caller

  /// Throws where the caller may not do something.
  func check(
    _ operation: AccessRequest.Operation, _ resource: AccessRequest.Resource
  ) throws(AccessRefusal) {
    switch caller {
    case .operator: return
    case .nobody: try environment.rules.check(AccessRequest(.nobody, operation, resource))
    case .user(let uid):
      try environment.rules.check(AccessRequest(.user(uid), operation, resource))
    }
  }

  /// Calls a body with documents as they are at one moment.
  func read<Result>(_ body: (GatedReader) throws -> Result) throws -> Result {
    try environment.documents.read { try body(GatedReader(gate: self, reader: $0)) }
  }

  /// Calls a body that changes documents now, all of it or nothing.
  func change<Result>(_ body: (GatedTransaction) throws -> Result) throws -> Result {
    try environment.documents.change(at: environment.now()) {
      try body(GatedTransaction(gate: self, transaction: $0))
    }
  }
}

/// Documents as one caller may see them.
struct GatedReader {
  let gate: Gate
  let reader: any DocumentReader

  func document(_ path: DocumentPath) throws -> Document? {
    let document = try reader.document(path)
    try gate.check(.read, .document(path, now: document?.fields))
    return document
  }

  func existing(_ path: DocumentPath) throws -> Document {
    guard let document = try document(path) else {
      throw StorageError(.notFound, path.description)
    }
    return document
  }

  func page(_ query: Query) throws -> Query.Page {
    try gate.check(.read, .query(query))
    let page = try reader.page(query)
    page.damaged.forEach(gate.environment.passOver)
    return page
  }

  func documents(_ query: Query) throws -> [Document] { try page(query).documents }

  func count(_ query: Query) throws -> Int {
    try gate.check(.read, .query(query))
    return try reader.count(query)
  }
}

/// Documents as one caller may change them.
struct GatedTransaction {
  let gate: Gate
  /// What the service itself keeps goes past the rules.
  let transaction: any DocumentTransaction

  var moment: Moment { transaction.moment }

  /// Stores a document where there is none, with defaults for fields that are not given. One that an
  /// earlier attempt has stored with these fields is found again, as the answer may have been lost.
  @discardableResult
  func create(
    _ path: DocumentPath, _ fields: Fields, defaults: Fields = Fields()
  ) throws -> Document {
    let missing = defaults.all.filter { fields[$0.0] ?? .null == .null }
    let complete = completed(fields.merging(Fields(missing)), path)
    try gate.check(.create, .document(path, then: complete))
    try Schemas.schema(for: path)?.check(complete)
    // One that is damaged is as good as not there.
    let stored = try transaction.readable(path)
    if stored.isDamaged { return try transaction.set(path, complete) }
    if let document = stored.document {
      let isSame = (complete.all + document.fields.all).allSatisfy { name, _ in
        // What was filled in then may differ from what would be now.
        complete[name] != fields[name]
          || complete[name] ?? .null == document[name] ?? .null
      }
      if isSame { return document }
    }
    return try transaction.create(path, complete)
  }

  /// Puts fields over those of a document; it must be there.
  @discardableResult
  func update(_ path: DocumentPath, _ changes: Fields) throws -> Document {
    let now = try transaction.document(path)?.fields
    let then = (now ?? Fields()).merging(changes)
    try gate.check(.update, .document(path, now: now, then: then))
    guard now != nil else { throw StorageError(.notFound, path.description) }
    try Schemas.schema(for: path)?.check(then)
    return try transaction.set(path, then)
  }

  /// Takes a document away; false where there is none.
  @discardableResult
  func delete(_ path: DocumentPath) throws -> Bool {
    // Of one that is damaged nobody knows whose it is, unless its path says so.
    let now = try transaction.readable(path).document?.fields
    try gate.check(.delete, .document(path, now: now))
    return try transaction.delete(path)
  }

  /// What every model has and clients may leave out.
  private func completed(_ fields: Fields, _ path: DocumentPath) -> Fields {
    let hasTimes = ["mood_checkins", "drawings", "moodEntries"].contains(path.collection.name)
    guard hasTimes else { return fields }
    var fields = fields
    if fields["updatedAt"] ?? .null == .null { fields["updatedAt"] = .moment(moment) }
    if path.collection.name == "moodEntries" {
      if fields["createdAt"] ?? .null == .null { fields["createdAt"] = .moment(moment) }
    } else if fields["timezoneOffsetMinutes"] ?? .null == .null {
      fields["timezoneOffsetMinutes"] = 0
    }
    return fields
  }
}

extension DocumentReader {
  /// A document, where there is one that can be read, and whether there is one that cannot.
  func readable(_ path: DocumentPath) throws -> (document: Document?, isDamaged: Bool) {
    do throws(StorageError) {
      return (try document(path), false)
    } catch {
      guard case .damaged = error.problem else { throw error }
      return (nil, true)
    }
  }
}

extension ServiceEnvironment {
  /// All documents that answer a question, and can be read.
  func documents(_ query: Query, in reader: any DocumentReader) throws -> [Document] {
    let page = try reader.page(query)
    page.damaged.forEach(passOver)
    return page.documents
  }
}
