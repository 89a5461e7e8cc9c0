import DrawingServices
import HTTP
import Storage
import Threads
import Tokens

/// Uploads in pieces, which wait on the disk until they are complete:
///
///     ROOT/uploads/UID/NUMBER/state        the parameters of the upload, and its result
///     ROOT/uploads/UID/NUMBER/chunk.0 …    the pieces by the offset of their first byte
///
/// All state is in these files, so that neither a crash nor a restart loses an acknowledged piece.
/// An id consists of a 128-bit random number and the user; knowing it authorizes continuing the
/// upload.
final class ResumableUploads: Sendable {
  /// An upload in progress.
  struct Upload: Sendable {
    let id: String
    let uid: String
    let bucket: String
    let name: String
    /// The size that the client has declared; nil for any.
    let declared: Int?
    /// The client's metadata.
    let metadata: Fields
    let begun: Moment
    var state = State.active
    /// The body of the final response, for repeated requests.
    var answer = ""
    /// The number of bytes that have arrived.
    fileprivate(set) var received = 0
    fileprivate(set) var chunkCount = 0
  }

  enum State: String, Sendable { case active, final, cancelled }

  private struct Entry {
    let id: String
    var touched: Moment
    var isActive: Bool
  }

  private struct Table {
    /// The uploads of each user, oldest first.
    var entries: [String: [Entry]] = [:]
    /// The uploads that a thread is processing.
    var busy: Set<String> = []
    var swept = Moment(microseconds: .min)
  }

  private let environment: ServiceEnvironment
  private let table = ConditionMutex(Table())

  private static let stateName = "state"
  private static let chunkPrefix = "chunk."

  /// The maximum duration of an upload, in seconds.
  static let lifeSeconds: Int64 = 86_400
  /// The maximum number of a user's open uploads. One that has been idle for a while is dropped for
  /// a new one: clients retry for ten minutes.
  static let maximumActiveCount = 16
  private static let restSeconds: Int64 = 900
  /// The maximum number of a user's ended uploads whose responses are kept.
  private static let maximumEndedCount = 64
  /// The maximum number of pieces of an upload, which prevents filling the disk with pieces of one
  /// byte. Clients begin with 256 KiB.
  private static let maximumChunkCount = 256

  /// Loads the uploads of an earlier run, and deletes expired ones.
  init(_ environment: ServiceEnvironment) {
    self.environment = environment
    // Unreadable uploads can be swept later.
    try? findAll()
  }

  /// The digits of the number of an upload.
  private static let numberLength = 32

  /// The folder of an upload; nil for an invalid id.
  private func folder(_ id: String) -> BlobFolder? {
    let (number, rest) = (id.prefix(Self.numberLength), id.dropFirst(Self.numberLength))
    guard number.utf8.count == Self.numberLength,
      number.utf8.allSatisfy({ 48...57 ~= $0 || 97...102 ~= $0 }), rest.first == "."
    else { return nil }
    return try? BlobFolder("\(FilePlace.unfinished.folder)/\(rest.dropFirst())/\(number)")
  }

  private func path(_ id: String) throws(StorageError) -> BlobFolder {
    guard let folder = folder(id) else {
      throw StorageError(.badPath("it is not that of an upload"), id)
    }
    return folder
  }

  /// The id of the upload in a folder; nil if the folder is not that of an upload.
  private func id(of folder: BlobFolder) -> String? {
    let names = folder.names
    guard names.count == 3, names[2].utf8.count == Self.numberLength else { return nil }
    return "\(names[2]).\(names[1])"
  }

  private func isOver(_ upload: Upload) -> Bool {
    let now = environment.now()
    // A clock that was set back must not prolong the time.
    return now < upload.begun - Self.lifeSeconds || upload.begun + Self.lifeSeconds <= now
  }

  private func findAll() throws {
    let now = environment.now()
    let root = try FilePlace.unfinished.folder
    _ = try environment.blobs.removeLeftovers(below: root, before: now - Self.lifeSeconds)
    var found: [Upload] = []
    for folder in try environment.blobs.folders(below: root, after: nil, limit: .max) {
      guard let id = id(of: folder) else {
        // From an older program with other ids. A sweep deletes the rest (`StagedFiles`).
        if folder.names.count == 2 { try environment.blobs.delete(folder) }
        continue
      }
      if let upload = try readable(id), !isOver(upload) {
        found.append(upload)
      } else {
        try environment.blobs.delete(folder)
      }
    }
    found.sort { $0.begun < $1.begun }
    table.withLock { table in
      table.swept = now
      for upload in found {
        table.entries[upload.uid, default: []].append(
          Entry(id: upload.id, touched: upload.begun, isActive: upload.state == .active))
      }
    }
  }

  /// An upload; nil if it is damaged. Throws for a temporary error of the store.
  private func readable(_ id: String) throws -> Upload? {
    do {
      return try read(id)
    } catch let error as StorageError {
      switch error.problem {
      case .damaged, .badPath, .badValue, .notFound: return nil
      default: throw error
      }
    }
  }

  /// Deletes expired uploads, once an hour.
  private func sweep() {
    let now = environment.now()
    let old = table.withLock { table -> [(uid: String, id: String)] in
      guard now < table.swept || table.swept + 3600 <= now else { return [] }
      table.swept = now
      return table.entries.flatMap { uid, entries in
        entries.filter { $0.touched + Self.lifeSeconds <= now }.map { (uid, $0.id) }
      }
    }
    for (uid, id) in old { try? withExclusiveAccess(to: id) { try drop(id, of: uid) } }
  }

  // MARK: - Beginning

  /// Begins an upload.
  func begin(
    _ name: ObjectName, inBucket bucket: String, declared: Int?, _ metadata: Fields, of uid: String
  ) throws -> Upload {
    sweep()
    guard let random = randomBytes(16) else {
      throw Refusal(503, "busy", "The system has no random bytes.")
    }
    let id = random.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + ".\(uid)"
    let now = environment.now()
    let upload = Upload(
      id: id, uid: uid, bucket: bucket, name: name.text, declared: declared, metadata: metadata,
      begun: now)
    let (isTaken, resting) = table.withLock { table -> (Bool, String?) in
      let active = (table.entries[uid] ?? []).filter(\.isActive)
      var resting: String?
      if active.count >= Self.maximumActiveCount {
        resting =
          active.filter { $0.touched + Self.restSeconds <= now }
          .min { $0.touched < $1.touched }?.id
        guard resting != nil else { return (false, nil) }
        table.entries[uid]?.removeAll { $0.id == resting }
      }
      table.entries[uid, default: []].append(Entry(id: id, touched: now, isActive: true))
      return (true, resting)
    }
    guard isTaken else {
      throw Refusal(
        429, "too-many-uploads",
        "A user can have \(Self.maximumActiveCount) open uploads; try again later.")
    }
    if let resting { try withExclusiveAccess(to: resting) { try drop(resting, of: uid) } }
    do {
      try write(upload, in: environment.blobs)
    } catch {
      forget(id, of: uid)
      throw error
    }
    return upload
  }

  // MARK: - Going on

  /// Calls a body while no other thread works on the upload.
  func withExclusiveAccess<Result>(
    to id: String, _ body: () throws -> Result
  ) throws -> Result {
    table.wait { $0.busy.insert(id).inserted ? () : nil }
    defer { table.change { $0.busy.remove(id) } }
    return try body()
  }

  /// The current state of an upload; nil if no upload has this id now.
  func upload(_ id: String) throws -> Upload? {
    guard folder(id) != nil, let upload = try read(id) else { return nil }
    guard !isOver(upload) else {
      try drop(id, of: upload.uid)
      return nil
    }
    table.withLock { table in
      guard let index = table.entries[upload.uid]?.firstIndex(where: { $0.id == id }) else {
        return
      }
      table.entries[upload.uid]?[index].touched = environment.now()
    }
    return upload
  }

  /// Adds a piece. It is durable when this returns.
  func add(_ bytes: [UInt8], to upload: inout Upload) throws {
    guard upload.chunkCount < Self.maximumChunkCount else {
      throw Refusal(
        400, "too-many-chunks", "An upload has at most \(Self.maximumChunkCount) pieces.")
    }
    let content = BlobContent(
      "\(Self.chunkPrefix)\(upload.received)", contentType: "application/octet-stream", bytes)
    try environment.blobs.put([content], in: path(upload.id), at: environment.now())
    upload.received += bytes.count
    upload.chunkCount += 1
  }

  /// All bytes that have arrived.
  func bytes(of upload: Upload) throws -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(upload.received)
    while bytes.count < upload.received {
      let chunk = try path(upload.id).blob("\(Self.chunkPrefix)\(bytes.count)")
      guard let blob = try environment.blobs.get(chunk), !blob.bytes.isEmpty else {
        throw StorageError(.notFound, chunk.description)
      }
      bytes += blob.bytes
    }
    return bytes
  }

  // MARK: - Ending

  /// Ends an upload, and stores the result.
  func end(_ upload: inout Upload, _ state: State, answer: String = "") throws {
    upload.state = state
    upload.answer = answer
    // The file may already be stored, so this note about it must not be refused.
    try write(upload, in: environment.blobsForNotes)
    let (id, uid) = (upload.id, upload.uid)
    let oldest = table.withLock { table -> String? in
      guard let index = table.entries[uid]?.firstIndex(where: { $0.id == id }) else { return nil }
      table.entries[uid]?[index].isActive = false
      let ended = (table.entries[uid] ?? []).filter { !$0.isActive }
      return ended.count > Self.maximumEndedCount ? ended.first?.id : nil
    }
    // The bytes are stored elsewhere now, or were refused. Files that cannot be deleted now are
    // deleted with the folder later.
    for entry in (try? environment.blobs.entries(of: path(id))) ?? []
    where entry.name.hasPrefix(Self.chunkPrefix) {
      _ = try? environment.blobs.delete(path(id).blob(entry.name))
    }
    if let oldest, oldest != id { try? drop(oldest, of: uid) }
  }

  /// Deletes an upload.
  func drop(_ id: String, of uid: String) throws {
    forget(id, of: uid)
    try environment.blobs.delete(path(id))
  }

  /// Forgets the uploads of a user, whose files were deleted.
  func forgetAll(of uid: String) { table.withLock { $0.entries[uid] = nil } }

  private func forget(_ id: String, of uid: String) {
    table.withLock { table in
      table.entries[uid]?.removeAll { $0.id == id }
      if table.entries[uid]?.isEmpty == true { table.entries[uid] = nil }
    }
  }

  // MARK: - Files

  private func write(_ upload: Upload, in blobs: any BlobStore) throws {
    let fields: Fields = [
      "uid": .text(upload.uid), "bucket": .text(upload.bucket), "name": .text(upload.name),
      "declared": upload.declared.map { .integer(Int64($0)) }, "metadata": .map(upload.metadata),
      "begun": .moment(upload.begun), "state": .text(upload.state.rawValue),
      "answer": .text(upload.answer), "received": .integer(Int64(upload.received)),
    ]
    let content = BlobContent(
      Self.stateName, contentType: "application/cbor", fields.bytes)
    try blobs.put([content], in: path(upload.id), at: environment.now())
  }

  private func read(_ id: String) throws -> Upload? {
    let folder = try path(id)
    guard let blob = try environment.blobs.get(folder.blob(Self.stateName)) else { return nil }
    let fields = try Fields(bytes: blob.bytes)
    guard let uid = fields["uid"]?.textValue, let bucket = fields["bucket"]?.textValue,
      let name = fields["name"]?.textValue, let metadata = fields["metadata"]?.mapValue,
      let begun = fields["begun"]?.momentValue,
      let state = fields["state"]?.textValue.flatMap(State.init(rawValue:)),
      let received = fields["received"]?.integerValue
    else { return nil }
    var upload = Upload(
      id: id, uid: uid, bucket: bucket, name: name,
      declared: fields["declared"]?.integerValue.map { Int($0) }, metadata: metadata, begun: begun)
    upload.state = state
    upload.answer = fields["answer"]?.textValue ?? ""
    upload.received = Int(received)
    guard state == .active else { return upload }
    // The contiguous pieces.
    var sizes: [String: Int] = [:]
    for entry in try environment.blobs.entries(of: folder) where entry.modified != nil {
      sizes[entry.name] = entry.info?.size
    }
    upload.received = 0
    while let size = sizes["\(Self.chunkPrefix)\(upload.received)"], size > 0 {
      upload.received += size
      upload.chunkCount += 1
    }
    return upload
  }
}
