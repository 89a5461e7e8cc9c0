import DrawingServices
import Storage

// Sending changes and files, and their results.

extension SyncClient {
  /// The maximum number of bytes of files in one request.
  private static let fileBytesAtOnce = 4 << 20
  /// Larger files are sent in pieces, which stay when the connection is lost.
  private static let pieceBytes = 1 << 20
  private static let largestWholeFile = 2 << 20
  /// The maximum bytes of piecewise files for one request: the other place limits them per user
  /// (`StagedFiles`).
  private static let stagedBytesAtOnce = StagedFiles.maximumByteCount / 2

  /// Sends the files that the other place needs, and notes the results of a request.
  func finish(
    _ batch: WaitingChanges, _ response: inout SyncResponse
  ) throws {
    var results = response.results
    var sentRecordings: [Int: [UInt8]] = [:]
    if settings.isMetered {
      for (index, result) in results {
        if case .needs = result {
          results[index] = .failed(code: HeldChange.metered, "drawings wait for a free connection")
        }
      }
    }
    try sendFiles(batch, &response, &results, &sentRecordings)
    var stored: [(change: SyncChange, recording: [UInt8]?)] = []
    try replica.change { transaction in
      for (index, change) in batch.changes.enumerated() {
        if let result = results[index], result != .superseded {
          try note(result, of: change, at: response.clock, in: transaction)
        } else {
          stored.append((change, sentRecordings[index]))
          try noteStored(change, isSuperseded: results[index] != nil, in: transaction)
        }
      }
      state.store = response.store
      state.noteSent(upTo: batch.upTo)
      try store(in: transaction)
    }
    for (change, recording) in stored where change.name.kind == .drawings {
      try keepBase(of: change, recording)
    }
    count.sent += stored.count
  }

  // MARK: - Results

  /// Notes that the other place has a change, or a later one.
  private func noteStored(
    _ change: SyncChange, isSuperseded: Bool, in transaction: ReplicaTransaction
  ) throws {
    let attempts = heldSent[change.name]?.attempts ?? 0
    try release(change.name, .sent, in: transaction)
    // The recording there is unknown if the drawing was superseded; the other place's change will
    // contain it.
    if change.name.kind == .drawings, !isSuperseded {
      try bases.setKnown(
        change.sha256(of: DrawingFiles.recording), of: change.name.id, at: place,
        in: transaction.documents)
      // This version has replaced a held one of the other place.
      if change.ancestors != [] { try release(change.name, .received, in: transaction) }
    }
    if let field = change.name.kind.synchronization?.sentField {
      try mark(field, of: change, in: transaction)
    }
    report(.sent(change.name, attempts: attempts))
  }

  /// Sets the field of a document that tells an app that it was sent.
  private func mark(
    _ field: String, of change: SyncChange, in transaction: ReplicaTransaction
  ) throws {
    let path = try change.name.path(of: replica.uid)
    guard change.fields != nil,
      var fields = try transaction.documents.readable(path).document?.fields,
      fields[field]?.boolValue == false
    else { return }
    fields[field] = true
    let document = try transaction.documents.set(path, fields)
    // This write needs no sending. But if the document has changed since it was sent, that change
    // now waits under this sequence number.
    if change.fields.map({ SyncOrder(of: $0, in: change.name.kind) })
      == SyncOrder(of: fields, in: change.name.kind)
    {
      state.noteReceived(document.sequence)
    }
  }

  private func note(
    _ result: SyncResult, of change: SyncChange, at clock: Moment,
    in transaction: ReplicaTransaction
  ) throws {
    func held(_ code: String, _ text: String, next: Moment?) -> HeldChange {
      var held = HeldChange(change.name, .sent, sequence: change.sequence, code: code, text)
      held.nextAttempt = next
      return held
    }
    let now = environment.now()
    switch result {
    case .superseded: break
    case .unseen, .conflict, .needs:
      // The other place's version arrives with its changes; then this one is tried again.
      let attempts = heldSent[change.name]?.attempts ?? 0
      let next = attempts < 8 ? now : nextAttempt(after: attempts)
      let lacksFiles = if case .needs = result { true } else { false }
      let reason =
        lacksFiles ? "its files have not arrived whole" : "it was changed in both places"
      try hold(held("changed", reason, next: next), in: transaction)
    case .ahead(let seen):
      if try setBack(change, to: clock, after: seen, in: transaction) { return }
      try hold(
        held("clock", "its times lie far ahead of the other place's clock", next: nil),
        in: transaction)
    case .refused(let code, let text):
      try hold(held(code, text, next: nil), in: transaction)
    case .failed(let code, let text):
      let isMetered = code == HeldChange.metered
      let attempts = (heldSent[change.name]?.attempts ?? 0) + 1
      try hold(
        held(code, text, next: isMetered ? nil : nextAttempt(after: attempts)), in: transaction)
    }
  }

  /// Keeps the sent recording as merge base if the drawing was changed meanwhile; otherwise keeps
  /// none.
  private func keepBase(of change: SyncChange, _ recording: [UInt8]?) throws {
    let name = change.name.id
    guard let sent = change.sha256(of: DrawingFiles.recording) else {
      return try bases.remove(name, at: place)
    }
    let path = try change.name.path(of: replica.uid)
    let document = try environment.documents.read { try $0.readable(path).document }
    guard let document else { return try bases.remove(name, at: place) }
    if try replica.recordingSHA256(of: document) != sent, let recording {
      try bases.set(recording, of: name, at: place)
    }
    try bases.remove(name, at: place, exceptFor: sent)
  }

  // MARK: - Files

  private func sendFiles(
    _ batch: WaitingChanges, _ answer: inout SyncResponse, _ results: inout [Int: SyncResult],
    _ sent: inout [Int: [UInt8]]
  ) throws {
    var indices: [Int] = []
    var follow = SyncRequest()
    follow.store = answer.store
    var (byteCount, stagedByteCount) = (0, 0)
    func send() throws {
      guard !indices.isEmpty else { return }
      try replica.change { transaction in
        for change in follow.changes {
          guard let sha256 = change.sha256(of: DrawingFiles.recording) else { continue }
          try bases.noteTry(sha256, of: change.name.id, at: place, in: transaction.documents)
        }
      }
      // Drawings stored now would be sent back with the next changes. So request those changes
      // here, if none are left over.
      follow.cursor = answer.hasMore ? nil : answer.cursor
      follow.limit = Self.largestPage
      let response = try peer.exchange(follow)
      // Drop earlier results for drawings that have just been stored.
      let stored = follow.changes.indices.filter { response.results[$0] == nil }
        .map { follow.changes[$0].name }
      if !response.isReset { answer.changes.removeAll { stored.contains($0.name) } }
      if follow.cursor != nil, !response.isReset {
        answer.changes += response.changes
        (answer.cursor, answer.hasMore) = (response.cursor, response.hasMore)
      }
      for (position, index) in indices.enumerated() { results[index] = response.results[position] }
      (indices, follow.changes) = ([], [])
      (byteCount, stagedByteCount) = (0, 0)
    }
    for index in batch.changes.indices {
      guard case .needs(let names, let has)? = results[index] else { continue }
      var change = batch.changes[index]
      guard let files = try files(names, of: change, has: has) else {
        // The drawing is being changed. The next change contains everything.
        results[index] = .failed(code: "changed", "it was changed while it was sent")
        continue
      }
      change.files = files.files
      sent[index] = files.recording
      let size = files.files.reduce(0) { $0 + $1.bytes.count }
      if byteCount + size > Self.fileBytesAtOnce { try send() }
      byteCount += size
      follow.changes.append(change)
      indices.append(index)
      stagedByteCount += files.stagedByteCount
      if stagedByteCount > Self.stagedBytesAtOnce { try send() }
    }
    try send()
  }

  /// The files to send with a change. Large files are sent in pieces immediately. Nil if the files
  /// have changed.
  private func files(
    _ names: [String], of change: SyncChange, has: String?
  ) throws -> (files: [SyncFile], recording: [UInt8]?, stagedByteCount: Int)? {
    var (files, stagedByteCount): ([SyncFile], Int) = ([], 0)
    var recording: [UInt8]?
    for name in names {
      guard let sha256 = change.sha256(of: name),
        let bytes = try replica.file(name, sha256, of: change.name.id)
      else { return nil }
      var file = SyncFile(name, sha256: sha256, bytes)
      if name == DrawingFiles.recording {
        recording = bytes
        // A place that has not stored the end of a file gets the whole one.
        if heldSent[change.name] == nil, let has,
          let base = try bases.base(has, of: change.name.id, at: place)
        {
          file.shorten(after: base, sha256: has)
        }
      }
      if file.bytes.count > Self.largestWholeFile {
        try upload(bytes, sha256)
        stagedByteCount += bytes.count
      } else {
        files.append(file)
      }
    }
    return (files, recording, stagedByteCount)
  }

  private func upload(_ bytes: [UInt8], _ sha256: String) throws {
    var offset = try peer.upload([], of: sha256, at: 0)
    // A place that has all bytes and still asks for them has wrong ones.
    if offset >= bytes.count { offset = 0 }
    while offset < bytes.count {
      let piece = Array(bytes[offset..<min(offset + Self.pieceBytes, bytes.count)])
      let next = try peer.upload(piece, of: sha256, at: offset)
      guard next > offset else {
        throw SyncProblem(.unexpected, "a file could not be sent in pieces")
      }
      offset = next
    }
  }
}
