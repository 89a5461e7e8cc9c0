package import Storage

/// The entry point of callers to documents and files. It checks access rules and schemas.
package struct AccessGate {
  package let environment: ServiceEnvironment
  let caller: Caller
  /// The sequence number that a changed document must still have; nil for any.
  var expected: Int64?
  /// The user for whom bytes count: the owner, if the caller is a member; nil for the caller.
  private var owner: String?
  /// Whether roles of members count.
  var admitsMembers = true
  /// Whether the access was checked before, in the transaction that began a change in several steps.
  var wasChecked = false

  package init(
    _ environment: ServiceEnvironment, as caller: Caller, expecting expected: Int64? = nil
  ) {
    (self.environment, self.caller, self.expected) = (environment, caller, expected)
  }

  /// Throws if a document is not the version that the caller has read.
  fileprivate func checkVersion(_ stored: Document?) throws(ServiceError) {
    if let expected, stored?.sequence != expected { throw .changedSince }
  }

  /// Whether the caller is another user than an owner, and so at most a member.
  func isMember(_ owner: String) -> Bool {
    if case .user(let uid) = caller { !uid.isIdentical(to: owner) } else { false }
  }

  /// A gate for the objects of an owner: their bytes count for that user, whoever stores them.
  func of(_ owner: String) -> AccessGate {
    var gate = self
    gate.owner = owner
    return gate
  }

  /// Throws if the rules do not allow an operation. An operator may do everything. The caller's
  /// role is read from a transaction or snapshot, if there is one.
  func check(
    _ operation: AccessRequest.Operation, _ resource: AccessRequest.Resource,
    in reader: (any DocumentReader)? = nil
  ) throws {
    switch caller {
    case .operator: return
    case .anonymous: try environment.rules.check(AccessRequest(.anonymous, operation, resource))
    case .user(let uid):
      if wasChecked { return }
      try environment.rules.check(AccessRequest(.user(uid), operation, resource)) { membership in
        guard admitsMembers else { return nil }
        func role(_ reader: any DocumentReader) throws -> AccessRule.Role? {
          try DrawingAccess.role(
            ofMember: uid, String(membership.owner), String(membership.shared), in: reader)
        }
        return try reader.map(role) ?? environment.documents.read(role)
      }
    }
  }

  /// Calls a body with a snapshot of the documents.
  package func read<Result>(_ body: (GatedReader) throws -> Result) throws -> Result {
    try environment.documents.read { try body(GatedReader(gate: self, reader: $0)) }
  }

  // MARK: - Quotas

  /// The user whose bytes are counted; nil without quotas, for the operator and for anonymous
  /// callers.
  private var countedUser: String? {
    guard environment.quotas != nil, case .user(let uid) = caller else { return nil }
    return owner ?? uid
  }

  /// Throws if new files of these sizes exceed the quota of the folder's owner. The bytes of the files that they
  /// replace are subtracted; `names` nil means all files of the folder.
  func checkQuota(
    _ sizes: [Int?], replacing names: [String]?, in folder: BlobFolder
  ) throws {
    guard countedUser != nil else { return }
    let uid = String(folder.names[1])
    let count = sizes.reduce(0) { $0 + ($1 ?? 0) }
    do {
      try environment.checkQuota(count, of: uid)
    } catch {
      // The stored sizes are only read now, since reading them costs a bucket some requests.
      let former = try environment.storedBlobs.byteCount(of: names, in: folder)
      guard former > 0 else { throw error }
      try environment.checkQuota(count - former, of: uid)
    }
  }

  /// Runs a transaction in a body and counts its documents towards the quota. The body passes each
  /// transaction that it begins to its argument; failed transactions do not count.
  private func countingDocuments<Result>(
    _ body: ((any DocumentTransaction) throws -> GatedTransaction) throws -> Result
  ) throws -> Result {
    guard let uid = countedUser, let quotas = environment.quotas else {
      return try body { GatedTransaction(gate: self, unchecked: $0) }
    }
    // Counting documents needs no files, so it does not wait until the files are counted.
    return try quotas.withSum(of: uid, in: environment, files: false) {
      var counting: CountingTransaction?
      do {
        let result = try body { transaction in
          // The store may run the transaction again.
          counting?.end(isStored: false)
          counting = nil
          let new = try CountingTransaction(transaction, quotas, of: uid)
          counting = new
          return GatedTransaction(gate: self, unchecked: new)
        }
        counting?.end(isStored: true)
        if counting?.wasRefused == true { quotas.doubt(uid) }
        return result
      } catch {
        counting?.end(isStored: false)
        throw error
      }
    }
  }

  // MARK: - Changing

  /// Runs a body in one transaction, at the current time. `altersFiles` is for bodies that also
  /// store or delete files, which preparations of other changes look for.
  @discardableResult
  package func change<Result>(
    altersFiles: Bool = false, _ body: (GatedTransaction) throws -> Result
  ) throws -> Result {
    try countingDocuments { counted in
      try environment.documents.change(at: environment.now(), isBarrier: altersFiles) {
        try body(counted($0))
      }
    }
  }

  /// Like `change(_:)`, with a preparation that runs first, while no other transaction can run.
  func change<Preparation, Result>(
    preparing prepare: () throws -> Preparation,
    _ body: (GatedTransaction, Preparation) throws -> Result
  ) throws -> Result {
    try countingDocuments { counted in
      try environment.documents.change(at: environment.now(), preparing: prepare) {
        try body(counted($0), $1)
      }
    }
  }
}

/// A snapshot of documents that checks the access of a caller.
package struct GatedReader {
  let gate: AccessGate
  let reader: any DocumentReader

  package func document(_ path: DocumentPath) throws -> Document? {
    let document = try reader.document(path)
    try gate.check(.read, .document(path, now: document?.fields), in: reader)
    return document
  }

  package func existing(_ path: DocumentPath) throws -> Document {
    guard let document = try document(path) else {
      throw StorageError(.notFound, path.description)
    }
    return document
  }

  package func page(_ query: Query) throws -> Query.Page {
    try gate.check(.read, .query(query), in: reader)
    let page = try reader.page(query)
    page.damaged.forEach(gate.environment.reportSkipped)
    return page
  }

  package func documents(_ query: Query) throws -> [Document] { try page(query).documents }

  package func count(_ query: Query) throws -> Int {
    try gate.check(.read, .query(query), in: reader)
    return try reader.count(query)
  }
}

/// A transaction that checks the access of a caller and the schemas.
package struct GatedTransaction {
  let gate: AccessGate
  private let unchecked: any DocumentTransaction

  fileprivate init(gate: AccessGate, unchecked: any DocumentTransaction) {
    (self.gate, self.unchecked) = (gate, unchecked)
  }

  package var moment: Moment { unchecked.moment }

  /// The transaction without access rules, for documents of the service itself: milestones and
  /// events.
  package var ofService: any DocumentTransaction { unchecked }

  /// Throws if the rules do not allow an operation at this moment.
  func check(
    _ operation: AccessRequest.Operation, _ resource: AccessRequest.Resource
  ) throws {
    try gate.check(operation, resource, in: unchecked)
  }

  /// The stored document, for decisions. Check read access before showing it to the caller.
  package func stored(_ path: DocumentPath) throws -> Document? { try unchecked.document(path) }

  /// Like `stored(_:)`, with nil for a damaged document, and whether it is damaged.
  func readable(_ path: DocumentPath) throws -> (document: Document?, isDamaged: Bool) {
    try unchecked.readable(path)
  }

  /// Stores a document, new or not, and returns whether it differs from the stored one.
  package func put(_ path: DocumentPath, _ fields: Fields) throws -> Bool {
    // Checked even if nothing has to be written.
    try check(.create, .document(path, then: fields))
    try gate.environment.application.check(
      fields, for: path, now: gate.environment.judgingTime(at: moment))
    guard try unchecked.document(path)?.fields != fields else { return false }
    try unchecked.set(path, fields)
    return true
  }

  /// Stores a new document, with defaults for missing fields. Returns an existing document if it
  /// has the same fields: it comes from an earlier attempt whose response was lost. `beside` is the
  /// stored document if this transaction has read it already.
  @discardableResult
  package func create(
    _ path: DocumentPath, _ fields: Fields, defaults: Fields = Fields(),
    beside known: (document: Document?, isDamaged: Bool)? = nil
  ) throws -> Document {
    let missing = defaults.all.filter { fields[$0.0] ?? .null == .null }
    let complete = completed(
      fields.merging(Fields(missing)), kind(of: path),
      after: try unchecked.deletion(of: path)?.moment)
    try check(.create, .document(path, then: complete))
    try gate.environment.application.check(
      complete, for: path, now: gate.environment.judgingTime(at: moment))
    // A damaged document counts as missing.
    guard let document = try (known ?? unchecked.readable(path)).document else {
      return try unchecked.set(path, complete)
    }
    let isSame = (complete.all + document.fields.all).allSatisfy { name, _ in
      // The earlier attempt may have filled in these fields with other values.
      complete[name] != fields[name] || complete[name] ?? .null == document[name] ?? .null
    }
    guard isSame else { throw StorageError(.alreadyExists, path.description) }
    return document
  }

  /// Overwrites some fields of an existing document. Changes that have a time are ignored unless it
  /// is newer than that of the stored document.
  @discardableResult
  package func update(_ path: DocumentPath, _ changes: Fields) throws -> Updated<Document> {
    let stored = try unchecked.document(path)
    let isTimed = changes["updatedAt"]?.momentValue != nil
    var then = (stored?.fields ?? Fields()).merging(changes)
    if isTimed { then["describedAt"] = changes["describedAt"] }
    return try change(path, stored, to: then, isTimed: isTimed)
  }

  /// Overwrites some fields of an existing document, and sets its time of change if the changes
  /// have none.
  @discardableResult
  package func stampedUpdate(_ path: DocumentPath, _ changes: Fields) throws -> Updated<Document> {
    guard kind(of: path)?.isTimed == true, changes["updatedAt"] ?? .null == .null else {
      return try update(path, changes)
    }
    let stored = try unchecked.document(path)
    var then = (stored?.fields ?? Fields()).merging(changes)
      .merging(stamp(after: stored.flatMap { lastUpdate(of: $0) }))
    // The whole document is now as new as this change.
    then["describedAt"] = nil
    return try change(path, stored, to: then, isTimed: false)
  }

  /// Replaces all fields of an existing document. `isRevision` means that only its files have
  /// changed: the document keeps the device that last changed its fields.
  @discardableResult
  package func replace(
    _ path: DocumentPath, _ fields: Fields, isRevision: Bool = false
  ) throws -> Updated<Document> {
    let stored = try unchecked.document(path)
    var then = fields
    let isTimed = fields["updatedAt"] ?? .null != .null
    let kind = kind(of: path)
    if kind?.isTimed == true, !isTimed {
      then = then.merging(stamp(after: stored.flatMap { lastUpdate(of: $0) }))
      if isRevision { then["deviceID"] = fields["deviceID"] }
    }
    for (name, value) in kind?.defaults ?? [] where value == .now && then[name] ?? .null == .null {
      then[name] = stored?[name]
    }
    return try change(path, stored, to: completed(then, kind, after: nil), isTimed: isTimed)
  }

  private func change(
    _ path: DocumentPath, _ stored: Document?, to then: Fields, isTimed: Bool
  ) throws -> Updated<Document> {
    try check(.update, .document(path, now: stored?.fields, then: then))
    guard let stored else { throw StorageError(.notFound, path.description) }
    try gate.checkVersion(stored)
    // The gate's own stamp may be far ahead of a slow clock.
    let known = isTimed ? stored.fields : stored.fields.merging(Fields(stamped: then))
    try gate.environment.application.check(
      then, for: path, stored: known, now: gate.environment.judgingTime(at: moment))
    if isTimed, let last = lastUpdate(of: stored), let new = then["updatedAt"]?.momentValue,
      gate.environment.deviceID != nil || last <= moment + Application.maximumLeadSeconds,
      new <= last
    {
      // This is a repeated request whose response was lost, or a request that came too late.
      return Updated(stored, isApplied: then == stored.fields)
    }
    return Updated(try unchecked.set(path, then), isApplied: true)
  }

  /// When a document was last changed, according to its writer.
  private func lastUpdate(of document: Document) -> Moment? { document["updatedAt"]?.momentValue }

  /// The current time, or just after the last change if that writer's clock was ahead. So a change
  /// is always later than the version that its writer has seen (decision 39).
  func time(after last: Moment?) -> Moment {
    guard let last, last >= moment, last < Moment.supported.upperBound else { return moment }
    return Moment(microseconds: last.microseconds + 1)
  }

  /// The time of a change, and the device that makes it.
  private func stamp(after last: Moment?) -> Fields {
    [
      "updatedAt": .moment(time(after: last)),
      "deviceID": gate.environment.deviceID.map { .text($0) },
    ]
  }

  /// Deletes a document; false if there is none.
  @discardableResult
  package func delete(_ path: DocumentPath) throws -> Bool {
    // The owner of a damaged document is unknown, unless it is in the path.
    let stored = try unchecked.readable(path).document
    try check(.delete, .document(path, now: stored?.fields))
    try gate.checkVersion(stored)
    return try unchecked.delete(path, at: time(after: stored.flatMap { lastUpdate(of: $0) }))
  }

  /// Adds the fields that documents of a kind have and clients may omit.
  private func completed(
    _ fields: Fields, _ kind: DocumentKind?, after last: Moment?
  ) -> Fields {
    guard let kind else { return fields }
    var fields = fields
    if kind.isTimed, fields["updatedAt"] ?? .null == .null {
      fields = fields.merging(stamp(after: last))
    }
    for (name, value) in kind.defaults where fields[name] ?? .null == .null {
      switch value {
      case .value(let value): fields[name] = value
      case .now: fields[name] = .moment(moment)
      }
    }
    return fields
  }

  private func kind(of path: DocumentPath) -> DocumentKind? {
    gate.environment.application.kind(of: path.collection)
  }
}

extension DocumentKind {
  /// Whether its documents have a time of change, by which the last change wins.
  fileprivate var isTimed: Bool { synchronization != nil }
}

extension Fields {
  /// Only the time of change.
  fileprivate init(stamped fields: Fields) { self = ["updatedAt": fields["updatedAt"]] }
}

extension DocumentReader {
  /// A document, or nil if it is missing or damaged, and whether it is damaged.
  package func readable(_ path: DocumentPath) throws -> (document: Document?, isDamaged: Bool) {
    do throws(StorageError) {
      return (try document(path), false)
    } catch {
      guard case .damaged = error.problem else { throw error }
      return (nil, true)
    }
  }
}

extension ServiceEnvironment {
  /// The readable documents that match a query. Reports damaged documents to `reportSkipped`.
  package func documents(_ query: Query, in reader: any DocumentReader) throws -> [Document] {
    let page = try reader.page(query)
    page.damaged.forEach(reportSkipped)
    return page.documents
  }
}
