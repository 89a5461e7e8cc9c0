package import Storage
import Threads

/// The server side of sync, which answers requests of a user's devices; also used for a folder.
package struct SyncService: Sendable {
  private let environment: ServiceEnvironment
  private let caller: Caller
  /// The threads that store drawings; they share the flushes of the disk.
  private let threads: Int

  package init(_ environment: ServiceEnvironment, as caller: Caller, threads: Int = 8) {
    (self.environment, self.caller) = (environment, caller)
    self.threads = threads
  }

  /// The maximum number of documents in one transaction, which bounds the waiting time of other
  /// writers.
  private static let documentsAtOnce = 500
  /// The maximum number of bytes of files in a response.
  private static let fileByteLimit = 8 << 20

  /// Stores the changes of a request, and returns those of other devices.
  package func answer(_ request: SyncRequest, of uid: String) throws -> SyncResponse {
    let replica = try Replica(environment, as: caller, of: uid)
    var response = SyncResponse()
    var request = request
    if replica.isOfMember, request.cursor == nil {
      try checkRoles(&request, replica, &response.results)
    } else {
      try checkReading(replica)
    }
    response.store = try Self.name(of: environment)
    response.clock = environment.now()
    let last = try environment.documents.read { try $0.lastSequence() }
    let cursor = request.cursor ?? 0
    let isOther = request.store.map { $0 != response.store } ?? (cursor != 0)
    if isOther || cursor > last {
      response.isReset = true
      response.hasMore = true
      return response
    }
    var stored: [SyncName: Int64] = [:]
    try storeDocuments(request, replica, &response.results, &stored)
    try storeDrawings(request, replica, &response.results, &stored)
    if let cursor = request.cursor {
      let page = try environment.documents.read { reader in
        try replica.changes(after: cursor, limit: request.limit, in: reader) { stored[$0] == $1 }
      }
      response.changes = page.changes
      response.cursor = page.cursor
      response.hasMore = page.hasMore
    }
    response.files = try files(request, uid)
    return response
  }

  /// The identity by which devices recognize a store.
  package static func name(of environment: ServiceEnvironment) throws -> String {
    String(UInt64(bitPattern: try environment.documents.identity ?? 0), radix: 16)
  }

  /// The hash of the fields of a document.
  package static func hash(of fields: Fields) -> String { ContentHash.of(fields.bytes) }

  /// The hash of a file.
  package static func hash(of bytes: [UInt8]) -> String { ContentHash.of(bytes) }

  private func checkReading(_ replica: Replica) throws {
    for kind in replica.environment.application.synchronizedKinds {
      try replica.gate.check(.read, .query(Query(replica.paths.collection(kind))))
    }
  }

  /// Refuses all changes of a member but those of shared drawings, and throws like `checkReading`
  /// if the caller is a member of no drawing in the request. Whether a member may still write is
  /// decided again by the transactions.
  private func checkRoles(
    _ request: inout SyncRequest, _ replica: Replica, _ results: inout [Int: SyncResult]
  ) throws {
    let named = request.changes.filter { $0.name.kind == .drawings }.map(\.name.id)
    let drawings = Set(named + request.wanted.map(\.drawing))
    let roles = try environment.documents.read { reader in
      try drawings.reduce(into: [String: DrawingAccess.Role]()) { roles, drawing in
        guard (try? StorageName.check(drawing)) != nil else { return }
        roles[drawing] = try DrawingAccess.role(
          of: caller, owner: replica.uid, drawing: drawing, in: reader)
      }
    }
    if roles.isEmpty { try checkReading(replica) }
    for (index, change) in request.changes.enumerated() {
      let role = change.name.kind == .drawings ? roles[change.name.id] : nil
      guard role?.mayDraw != true || change.fields == nil else { continue }
      results[index] = .refused(
        code: "not-allowed",
        role == .reader ? "the caller may only read it" : "it belongs to another user")
    }
    request.refusesUnseen = false
  }

  // MARK: - Storing

  private func storeDocuments(
    _ request: SyncRequest, _ replica: Replica, _ results: inout [Int: SyncResult],
    _ stored: inout [SyncName: Int64]
  ) throws {
    let indices = request.changes.indices.filter {
      request.changes[$0].name.kind != .drawings && results[$0] == nil
    }
    for start in stride(from: 0, to: indices.count, by: Self.documentsAtOnce) {
      let part = indices[start..<min(start + Self.documentsAtOnce, indices.count)]
      let (found, sequences) = try replica.gate.change { transaction in
        var (found, sequences): ([Int: SyncResult], [SyncName: Int64]) = ([:], [:])
        for index in part {
          let change = request.changes[index]
          var sequence: Int64?
          do {
            if request.refusesUnseen, try isUnseen(change, request, replica, transaction) {
              found[index] = .unseen
              continue
            }
            found[index] = try replica.join(change, in: transaction, sequence: &sequence)
          } catch {
            // An invalid change does not block the others.
            guard let result = SyncResult(refusing: error) else { throw error }
            found[index] = result
          }
          if case .ahead = found[index] {
            let seen = try seenMoment(change, request, replica, in: transaction.ofService)
            found[index] = .ahead(of: seen)
          }
          if let sequence { sequences[change.name] = sequence }
        }
        return (found, sequences)
      }
      results.merge(found) { $1 }
      stored.merge(sequences) { $1 }
    }
  }

  /// Whether the stored version is a different one that the device has not received.
  private func isUnseen(
    _ change: SyncChange, _ request: SyncRequest, _ replica: Replica,
    _ transaction: GatedTransaction
  ) throws -> Bool {
    let path = try change.name.path(of: replica.uid)
    let kind = change.name.kind
    if let stored = try transaction.readable(path).document {
      guard stored.sequence > request.cursor ?? .max else { return false }
      return change.fields.map {
        SyncOrder(of: $0, in: kind) != SyncOrder(of: stored.fields, in: kind)
      } ?? true
    }
    guard let deletion = try transaction.ofService.deletion(of: path), change.fields != nil else {
      return false
    }
    return deletion.sequence > request.cursor ?? .max
  }

  /// The moment of the stored version if the device has received or written it; the device's new
  /// version must be later.
  private func seenMoment(
    _ change: SyncChange, _ request: SyncRequest, _ replica: Replica, in reader: any DocumentReader
  ) throws -> Moment? {
    guard let stored = try replica.stored(change.name, in: reader) else { return nil }
    let isOwn =
      stored.fields?["deviceID"] != nil && stored.fields?["deviceID"] == change.fields?["deviceID"]
    guard isOwn || stored.sequence <= request.cursor ?? .max else { return nil }
    return switch stored.content {
    case .document(let fields): fields["updatedAt"]?.momentValue
    case .deleted(let moment): moment
    }
  }

  private func storeDrawings(
    _ request: SyncRequest, _ replica: Replica, _ results: inout [Int: SyncResult],
    _ stored: inout [SyncName: Int64]
  ) throws {
    let indices = request.changes.indices.filter {
      request.changes[$0].name.kind == .drawings && results[$0] == nil
    }
    let outcomes = try Lanes.map(indices, lanes: threads) { index in
      let change = request.changes[index]
      var outcome = storeDrawing(change, replica)
      if case .ahead? = outcome.result {
        outcome.result = .ahead(
          of: try environment.documents.read { try seenMoment(change, request, replica, in: $0) })
      }
      return outcome
    }
    for (index, outcome) in zip(indices, outcomes) {
      results[index] = outcome.result
      if let sequence = outcome.sequence { stored[request.changes[index].name] = sequence }
    }
  }

  /// Stores a version of a drawing. Returns its result, and the sequence number of the change if
  /// the drawing is now equal to the device's version.
  private func storeDrawing(
    _ change: SyncChange, _ replica: Replica
  ) -> (result: SyncResult?, sequence: Int64?) {
    do {
      var sequence: Int64?
      let result = try replica.joinDrawing(change, from: nil, sequence: &sequence)
      // The result of joining two versions is new to the device.
      if sequence != nil, let fields = change.fields {
        let stored = try environment.documents.read { try replica.stored(change.name, in: $0) }
        if stored?.fields != fields || stored?.sequence != sequence { sequence = nil }
      }
      return (result, sequence)
    } catch {
      return (SyncResult(refusing: error) ?? .failed(code: "failed", "\(error)"), nil)
    }
  }

  // MARK: - Files

  private func files(_ request: SyncRequest, _ uid: String) throws -> [FoundFile] {
    let service = DrawingService(environment, as: caller)
    var room = min(request.fileBytes, Self.fileByteLimit)
    var found: [FoundFile] = []
    for (index, wanted) in request.wanted.enumerated() where room > 0 {
      // A file that has changed since is sent with its change.
      guard [DrawingFiles.recording, DrawingFiles.image].contains(wanted.name),
        let blob = try file(wanted, service, uid), blob.info.sha256 == wanted.sha256
      else { continue }
      let bytes = blob.bytes
      var (start, followsBase) = (min(wanted.offset, bytes.count), false)
      if let base = wanted.base, start == 0, 1...bytes.count ~= base.count,
        ContentHash.of(Array(bytes[..<base.count])) == base.sha256
      {
        (start, followsBase) = (base.count, true)
      }
      let piece = Array(bytes[start...].prefix(room))
      room -= piece.count
      found.append(
        FoundFile(index: index, count: bytes.count, followsBase: followsBase, bytes: piece))
    }
    return found
  }

  private func file(_ wanted: WantedFile, _ service: DrawingService, _ uid: String) throws -> Blob?
  {
    do {
      return try service.file(wanted.name, ofDrawing: wanted.drawing, of: uid)
    } catch let error as StorageError where !error.isAboutFile {
      throw error
    } catch {
      // A damaged or missing file must not block the others.
      return nil
    }
  }
}

extension StorageError {
  /// Whether a single file is missing or damaged, as opposed to a failing store.
  fileprivate var isAboutFile: Bool {
    switch problem {
    case .notFound, .damaged: true
    default: false
    }
  }
}

extension SyncResult {
  /// The result for a change that can never be stored in this form; nil for a temporary error.
  package init?(refusing error: any Error) {
    switch error {
    case let error as SyncFailure: self = .failed(code: error.code, error.text)
    case let error as FieldError:
      self = Self.isAhead(error) ? .ahead(of: nil) : .refused(code: "bad-field", "\(error)")
    case let error as AccessRefusal: self = .refused(code: "not-allowed", "\(error)")
    case let error as ServiceError: self = .refused(code: "bad-drawing", "\(error)")
    case let error as StorageError:
      switch error.problem {
      case .badPath, .badValue, .tooLarge: self = .refused(code: "bad-value", "\(error)")
      // It may fit after something was deleted.
      case .overQuota: self = .failed(code: "quota-exceeded", "\(error.reason)")
      default: return nil
      }
    default: return nil
    }
  }

  private static func isAhead(_ error: FieldError) -> Bool {
    if case .tooFarAhead = error.problem { true } else { false }
  }
}

/// A temporary reason why a valid change cannot be stored.
package struct SyncFailure: Error, Hashable, Sendable {
  package let code: String
  package let text: String

  package init(code: String, text: String) { (self.code, self.text) = (code, text) }
}
