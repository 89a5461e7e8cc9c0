package import Storage

/// A user's synchronized documents in one place (a device, a server or a folder), for reading and
/// changing by sync. Servers and devices join versions by the same rules (decision
/// 40).
package struct Replica {
  let environment: ServiceEnvironment
  let caller: Caller
  package let uid: String
  let paths: UserPaths

  package init(_ environment: ServiceEnvironment, as caller: Caller, of uid: String) throws {
    (self.environment, self.caller, self.uid) = (environment, caller, uid)
    paths = try UserPaths(uid)
  }

  var gate: AccessGate { AccessGate(environment, as: caller).of(uid) }

  /// Whether the caller is another user, who may be a member of some drawings.
  var isOfMember: Bool { gate.isMember(uid) }

  /// The files that have arrived in pieces: the caller's own. So members cannot displace those of
  /// the owner.
  var staged: StagedFiles {
    if case .user(let caller) = caller { return StagedFiles(environment, of: caller) }
    return StagedFiles(environment, of: uid)
  }

  // MARK: - Reading

  /// Changes, and the sequence number up to which they are covered.
  package struct Page {
    package var changes: [SyncChange] = []
    package var cursor: Int64
    package var hasMore = false
  }

  /// The changes after a sequence number, oldest first, limited by count and bytes. Changes for
  /// which `isSkipped` is true are omitted and do not count.
  package func changes(
    after sequence: Int64, limit: Int, byteLimit: Int = 4 << 20,
    in reader: any DocumentReader, skipping isSkipped: (SyncName, Int64) -> Bool = { _, _ in false }
  ) throws -> Page {
    var page = Page(cursor: sequence)
    let last = try reader.lastSequence()
    var byteCount = 0
    while page.cursor < last {
      var found: [DocumentChange] = []
      for kind in environment.application.synchronizedKinds {
        found += try reader.changes(
          after: page.cursor, in: paths.collection(kind), limit: limit + 1)
      }
      found.sort { $0.sequence < $1.sequence }
      for change in found.prefix(limit) {
        guard let name = SyncName(change.path, in: environment.application) else { continue }
        if !isSkipped(name, change.sequence), let change = SyncChange(change, name) {
          byteCount += change.fields?.bytes.count ?? 0
          guard page.changes.count < limit, byteCount <= byteLimit || page.changes.isEmpty else {
            page.hasMore = true
            return page
          }
          page.changes.append(change)
        }
        page.cursor = change.sequence
      }
      if found.count <= limit { page.cursor = last }
    }
    return page
  }

  // MARK: - Joining documents

  /// Joins a version of a document other than a drawing within a transaction. Returns nil if it is
  /// stored now or was already. Sets `sequence` to that of a change made here.
  func join(
    _ change: SyncChange, in transaction: GatedTransaction, sequence: inout Int64?
  ) throws -> SyncResult? {
    let path = try change.name.path(of: uid)
    let kind = change.name.kind
    let stored = try transaction.readable(path).document
    switch change.content {
    case .deleted(let moment):
      try gate.check(.delete, .document(path, now: stored?.fields))
      guard
        !environment.isTooFarAhead(
          moment, at: transaction.moment, beside: stored?.fields)
      else {
        return .ahead(of: nil)
      }
      if let stored {
        guard SyncOrder(of: stored.fields, in: kind) < SyncOrder(ofDeletionAt: moment)
        else { return .superseded }
      } else if let deletion = try transaction.ofService.deletion(of: path),
        moment <= deletion.moment
      {
        return nil
      }
      // Also for an unknown document: it may still be on its way.
      try transaction.ofService.noteDeletion(of: path, at: moment)
      sequence = try transaction.ofService.lastSequence()
    case .document(let given):
      let order = SyncOrder(of: given, in: kind)
      if let stored {
        let mine = SyncOrder(of: stored.fields, in: kind)
        if order == mine { return nil }
        guard mine < order else { return .superseded }
      } else if let deletion = try transaction.ofService.deletion(of: path) {
        guard SyncOrder(ofDeletionAt: deletion.moment) < order else { return .superseded }
      }
      let fields = kind.content(of: given)
        .merging(kind.local(of: stored?.fields ?? Fields()))
      try gate.check(
        stored == nil ? .create : .update, .document(path, now: stored?.fields, then: fields))
      try environment.application.check(
        fields, for: path, stored: stored?.fields,
        now: environment.judgingTime(at: transaction.moment, beside: stored?.fields))
      sequence = try transaction.ofService.set(path, fields).sequence
      if stored == nil, environment.deviceID == nil {
        try kind.created?(uid, environment, transaction.ofService)
      }
    }
    return nil
  }
}

extension SyncChange {
  /// A change as a message; nil for an unreadable document, which must not be sent.
  package init?(_ change: DocumentChange, _ name: SyncName) {
    guard !change.isDamaged else { return nil }
    guard let document = change.document else {
      self.init(name, .deleted(change.moment), sequence: change.sequence)
      return
    }
    self.init(
      name, .document(name.kind.sent(document.fields)), sequence: change.sequence)
    // The recordings that the present one has replaced here.
    ancestors = (document["formerRecordings"]?.listValue ?? []).compactMap(\.textValue)
  }
}

extension DocumentKind {
  /// The synchronized part of a document: its content, its time of change, and the hashes of files.
  fileprivate func sent(_ fields: Fields) -> Fields {
    guard self == .drawings else { return content(of: fields) }
    var names: Set = ["updatedAt", "describedAt", "recordingSHA256"]
    // Rendered images are not sent; every place renders its own.
    if fields["imageIsRendered"]?.boolValue == false { names.insert("imageSHA256") }
    return content(of: fields).merging(Fields(fields.all.filter { names.contains($0.0) }))
  }
}

// MARK: - Transactions

/// A transaction that joins versions.
package struct ReplicaTransaction {
  private let replica: Replica
  private let gated: GatedTransaction

  fileprivate init(_ replica: Replica, _ gated: GatedTransaction) {
    (self.replica, self.gated) = (replica, gated)
  }

  /// The documents, without rules.
  package var documents: any DocumentTransaction { gated.ofService }

  /// Joins a version of a document other than a drawing. Returns its result, nil if it is stored
  /// now or was already, and the sequence number of the change if one was made.
  package func join(_ change: SyncChange) throws -> (result: SyncResult?, sequence: Int64?) {
    var sequence: Int64?
    let result = try replica.join(change, in: gated, sequence: &sequence)
    return (result, sequence)
  }

  /// The current time, or just after `moment` if that is later.
  package func time(after moment: Moment?) -> Moment { gated.time(after: moment) }
}

extension Replica {
  /// Runs a body in one transaction.
  package func change<Result>(_ body: (ReplicaTransaction) throws -> Result) throws -> Result {
    try gate.change { try body(ReplicaTransaction(self, $0)) }
  }
}

// MARK: - What a device notes about other places

extension Replica {
  /// The document with the synchronization state of a place.
  package func place(_ key: String) throws -> DocumentPath { try paths.syncPlaces.document(key) }

  /// All places that this device synchronizes with.
  package var places: CollectionPath { paths.syncPlaces }

  /// The collection of changes that cannot be sent or accepted now.
  package var held: CollectionPath { paths.syncHeld }

  /// The path of the note about a held change for a place.
  package func held(
    _ name: SyncName, isReceived: Bool, at place: String
  ) throws -> DocumentPath {
    let hash = ContentHash.of(Array(name.description.utf8)).prefix(32)
    return try paths.syncHeld.document("\(place)-\(isReceived ? "in" : "out")-\(hash)")
  }

  /// The last change of a document; nil if there was none.
  package func stored(_ name: SyncName, in reader: any DocumentReader) throws -> SyncChange? {
    let path = try name.path(of: uid)
    if let document = try reader.readable(path).document {
      return SyncChange(
        DocumentChange(
          path: path, sequence: document.sequence, moment: document.updated, document: document),
        name)
    }
    return try reader.deletion(of: path).map {
      SyncChange(name, .deleted($0.moment), sequence: $0.sequence)
    }
  }

  /// Completes an interrupted revision of a drawing, and waits for a running one.
  package func settle(_ drawing: String) throws {
    let path = try paths.drawings.document(drawing)
    let stored = try environment.documents.read { try $0.readable(path).document }
    guard let stored, DrawingRecord(stored).nextRecordingSHA256 != nil else { return }
    try DrawingService(environment, as: caller).finishRevision(ofDrawing: drawing, of: uid)
  }

  /// A file of a drawing; nil if there is none with this hash.
  package func file(_ name: String, _ sha256: String, of drawing: String) throws -> [UInt8]? {
    let blob = try environment.blobs.get(paths.folder(ofDrawing: drawing).blob(name))
    return blob?.info.sha256 == sha256 ? blob?.bytes : nil
  }

  /// Replaces the recording of a drawing by the result of a merge with another place's version.
  /// Returns nil if the drawing has changed since the merge.
  package func storeMerged(
    _ recording: [UInt8], of drawing: String, replacing sha256: String, joining given: Fields
  ) throws -> Document? {
    do {
      return try DrawingService(environment, as: caller).revise(
        recording, ofDrawing: drawing, of: uid, replacing: .named([sha256]),
        keepingBaseExceptFor: nil
      ) { fields in
        var then = joined(fields, given, withInk: true, words: .stored)
        // The merged recording is a new change, later than both.
        let last = then["updatedAt"]?.momentValue ?? environment.now()
        let described = DocumentKind.drawings.moment(of: then)
        then["updatedAt"] = .moment(
          max(environment.now(), Moment(microseconds: last.microseconds + 1)))
        then["describedAt"] = .moment(described)
        return then
      }.document
    } catch ServiceError.changedSince {
      return nil
    }
  }
}
