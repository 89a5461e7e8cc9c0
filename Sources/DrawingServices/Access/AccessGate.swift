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
    try Schemas.check(complete, for: path, now: moment)
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

  /// Puts fields over those of a document; it must be there. Where the changes say when they were made,
  /// those that are older than what is stored change nothing, nor others of the same moment.
  @discardableResult
  func update(_ path: DocumentPath, _ changes: Fields) throws -> Updated<Document> {
    let stored = try transaction.document(path)
    return try change(
      path, stored, to: (stored?.fields ?? Fields()).merging(changes),
      isTimed: changes["updatedAt"]?.momentValue != nil)
  }

  /// The same, with the moment of the change filled in where it is not given.
  @discardableResult
  func stampedUpdate(_ path: DocumentPath, _ changes: Fields) throws -> Updated<Document> {
    guard hasTimes(path), changes["updatedAt"] ?? .null == .null else {
      return try update(path, changes)
    }
    let stored = try transaction.document(path)
    let then = (stored?.fields ?? Fields()).merging(changes)
      .merging(["updatedAt": .moment(nextUpdate(of: stored))])
    return try change(path, stored, to: then, isTimed: false)
  }

  /// Puts fields in place of those of a document; it must be there.
  @discardableResult
  func replace(_ path: DocumentPath, _ fields: Fields) throws -> Updated<Document> {
    let stored = try transaction.document(path)
    var then = fields
    let isTimed = fields["updatedAt"] ?? .null != .null
    if hasTimes(path), !isTimed { then["updatedAt"] = .moment(nextUpdate(of: stored)) }
    if path.collection.name == "moodEntries", then["createdAt"] ?? .null == .null {
      then["createdAt"] = stored?["createdAt"]
    }
    return try change(path, stored, to: completed(then, path), isTimed: isTimed)
  }

  private func change(
    _ path: DocumentPath, _ stored: Document?, to then: Fields, isTimed: Bool
  ) throws -> Updated<Document> {
    try gate.check(.update, .document(path, now: stored?.fields, then: then))
    guard let stored else { throw StorageError(.notFound, path.description) }
    try Schemas.check(then, for: path, stored: stored.fields, now: moment)
    if isTimed, let last = lastUpdate(of: stored), let new = then["updatedAt"]?.momentValue,
      new <= last
    {
      // The same once more, as whoever got no answer does, or one that came too late.
      return Updated(stored, isApplied: then == stored.fields)
    }
    return Updated(try transaction.set(path, then), isApplied: true)
  }

  /// When a document was last changed, as its writer says. A moment that nobody may give any more is not
  /// believed: nothing would ever be newer.
  private func lastUpdate(of document: Document?) -> Moment? {
    guard let last = document?["updatedAt"]?.momentValue, last <= moment + Schemas.longestLead
    else { return nil }
    return last
  }

  /// A moment for a change of now, later than the last one, whose writer's clock may be ahead.
  private func nextUpdate(of document: Document?) -> Moment {
    guard let last = lastUpdate(of: document), last > moment else { return moment }
    return Moment(microseconds: last.microseconds + 1)
  }

  /// Takes a document away; false where there is none.
  @discardableResult
  func delete(_ path: DocumentPath) throws -> Bool {
    // A damaged document does not say whose it is; only its path may.
    let now = try transaction.readable(path).document?.fields
    try gate.check(.delete, .document(path, now: now))
    return try transaction.delete(path)
  }

  private func hasTimes(_ path: DocumentPath) -> Bool {
    ["mood_checkins", "drawings", "moodEntries"].contains(path.collection.name)
  }

  /// What every model has and clients may leave out.
  private func completed(_ fields: Fields, _ path: DocumentPath) -> Fields {
    guard hasTimes(path) else { return fields }
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
