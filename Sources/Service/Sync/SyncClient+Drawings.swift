import DrawingServices
import Storage
import Threads

// Receiving drawings.

extension SyncClient {
  /// The maximum number of merges of a drawing that is being changed meanwhile.
  private static let mergeAttempts = 4

  /// The result of accepting a drawing.
  struct TakenDrawing {
    var change: SyncChange
    var result: SyncResult?
    /// The sequence number of the change here; nil if none was made, or if it has to be sent.
    var sequence: Int64?
    /// The recording that the other place has; nil after a deletion.
    var known: String?
    var hasMerged = false
  }

  /// Accepts drawings, and fetches their missing files.
  func take(drawings: [SyncChange]) throws -> [TakenDrawing] {
    var taken: [TakenDrawing] = []
    var waiting: [(change: SyncChange, wanted: [WantedFile])] = []
    for change in drawings {
      guard change.hasValidHashes else {
        taken.append(
          TakenDrawing(
            change: change, result: .refused(code: "bad-hash", "its hashes are not valid")))
        continue
      }
      try replica.settle(change.name.id)
      let wanted = try wantedFiles(of: change)
      if wanted.isEmpty {
        taken.append(try take(change, with: [:]))
      } else if settings.isMetered {
        taken.append(
          TakenDrawing(
            change: change,
            result: .failed(code: HeldChange.metered, "drawings wait for a free connection")))
      } else {
        waiting.append((change, wanted))
      }
    }
    try fetch(waiting) { drawings in
      try noteComing(drawings.map { $0.change })
      taken += try Lanes.map(drawings, lanes: settings.threads) { change, files in
        let names = try wantedFiles(of: change).map(\.name)
        guard names.allSatisfy({ files[$0] != nil }) else {
          // It has changed there since, which arrives as another change, or it is damaged there.
          return TakenDrawing(
            change: change, result: .failed(code: "missing", "its files are missing"))
        }
        return try take(change, with: files)
      }
    }
    count.merged += taken.count { $0.hasMerged }
    return taken
  }

  /// Notes the recordings that are about to be stored here.
  private func noteComing(_ changes: [SyncChange]) throws {
    try replica.change { transaction in
      for change in changes {
        guard let theirs = change.sha256(of: DrawingFiles.recording) else { continue }
        let mine = try replica.stored(change.name, in: transaction.documents)?
          .sha256(of: DrawingFiles.recording)
        try bases.noteComing(
          theirs, over: mine, of: change.name.id, at: place, in: transaction.documents)
      }
    }
  }

  /// The files of a drawing that are missing here.
  private func wantedFiles(of change: SyncChange) throws -> [WantedFile] {
    guard change.fields != nil, let theirs = change.sha256(of: DrawingFiles.recording) else {
      return []
    }
    let name = change.name
    let (stored, known) = try environment.documents.read { reader in
      (
        try replica.stored(name, in: reader), try bases.known(name.id, at: place, in: reader)
      )
    }
    var wanted: [WantedFile] = []
    func want(_ file: String, _ sha256: String, after base: SyncFile.Base? = nil) {
      wanted.append(WantedFile(drawing: name.id, name: file, sha256: sha256, base: base))
    }
    let image = change.sha256(of: DrawingFiles.image)
    guard let stored, stored.fields != nil else {
      // A drawing that was deleted here later is not wanted.
      if let stored, case .deleted(let moment) = stored.content,
        change.fields?["updatedAt"]?.momentValue ?? moment <= moment
      {
        return []
      }
      want(DrawingFiles.recording, theirs)
      if let image { want(DrawingFiles.image, image) }
      return wanted
    }
    let mine = stored.sha256(of: DrawingFiles.recording)
    let isOlder = InkDescent(of: change, and: stored, known).isOlder
    if mine != theirs, !isOlder {
      var base: SyncFile.Base?
      if let mine, let bytes = try replica.file(DrawingFiles.recording, mine, of: name.id) {
        base = SyncFile.Base(sha256: mine, count: bytes.count)
      }
      want(DrawingFiles.recording, theirs, after: base)
    }
    if let image, image != stored.sha256(of: DrawingFiles.image),
      mine == theirs || !isOlder
    {
      want(DrawingFiles.image, image)
    }
    return wanted
  }

  /// Accepts a drawing. `files` has all wanted ones, by their names.
  private func take(_ given: SyncChange, with files: [String: [UInt8]]) throws -> TakenDrawing {
    var change = given
    change.files = files.compactMap { name, bytes in
      change.sha256(of: name).map { SyncFile(name, sha256: $0, bytes) }
    }
    let theirs = change.sha256(of: DrawingFiles.recording)
    for _ in 0..<Self.mergeAttempts {
      let (stored, known) = try environment.documents.read { reader in
        (
          try replica.stored(change.name, in: reader),
          try bases.known(change.name.id, at: place, in: reader)
        )
      }
      let mine = stored?.sha256(of: DrawingFiles.recording)
      let descent = InkDescent(of: given, and: stored, known)
      if let theirs, let mine, mine != theirs, !descent.isOlder, !descent.isNewer {
        guard let bytes = files[DrawingFiles.recording] else { break }
        if let merged = try merge(change, theirs: bytes, mine: mine, common: descent.common) {
          return merged
        }
        continue
      }
      // Unchanged here: theirs replaces mine. If theirs is an old one of mine, only its description
      // counts.
      change.ancestors = mine.map { $0 == theirs || descent.isOlder ? [] : [$0] } ?? []
      var sequence: Int64?
      let result = try joinDrawing(change, &sequence)
      if case .conflict? = result { continue }
      if result == nil, theirs == nil { try bases.remove(change.name.id, at: place) }
      if try !isAsGiven(given, sequence) { sequence = nil }
      return TakenDrawing(change: given, result: result, sequence: sequence, known: theirs)
    }
    return TakenDrawing(
      change: given, result: .failed(code: "changed", "it is being drawn on"))
  }

  /// Whether a change that was made here leaves the drawing equal to the other place's version. The
  /// result of joining both has to be sent.
  private func isAsGiven(_ given: SyncChange, _ sequence: Int64?) throws -> Bool {
    guard let sequence else { return false }
    let stored = try environment.documents.read { try replica.stored(given.name, in: $0) }
    return stored?.sequence == sequence && stored?.fields == given.fields
  }

  private func joinDrawing(_ change: SyncChange, _ sequence: inout Int64?) throws -> SyncResult? {
    do {
      return try replica.joinDrawing(change, from: place, sequence: &sequence)
    } catch {
      guard let result = SyncResult(refusing: error) else { throw error }
      return result
    }
  }

  /// Merges a drawing that was changed in both places. Nil if it was changed here meanwhile.
  private func merge(
    _ change: SyncChange, theirs: [UInt8], mine: String, common: String?
  ) throws -> TakenDrawing? {
    let name = change.name.id
    guard let ours = try replica.file(DrawingFiles.recording, mine, of: name) else { return nil }
    let merged: [UInt8]
    do {
      merged = try mergeInk(base(common, of: name, mine: (mine, ours)), ours, theirs)
    } catch {
      return TakenDrawing(
        change: change, result: .refused(code: "not-mergeable", "\(error)"))
    }
    if merged == theirs {
      var replacing = change
      replacing.ancestors = [mine]
      var sequence: Int64?
      let result = try joinDrawing(replacing, &sequence)
      if case .conflict? = result { return nil }
      if try !isAsGiven(change, sequence) { sequence = nil }
      return TakenDrawing(
        change: change, result: result, sequence: sequence,
        known: change.sha256(of: DrawingFiles.recording))
    }
    if merged != ours {
      guard
        try replica.storeMerged(
          merged, of: name, replacing: mine, joining: change.fields ?? Fields()) != nil
      else { return nil }
    } else {
      var described = change
      (described.ancestors, described.files) = ([], [])
      var sequence: Int64?
      _ = try joinDrawing(described, &sequence)
    }
    // Theirs becomes the merge base only now that the stored recording contains all of it.
    try bases.set(theirs, of: name, at: place)
    return TakenDrawing(
      change: change, result: nil, known: change.sha256(of: DrawingFiles.recording),
      hasMerged: merged != ours)
  }

  /// The bytes of the last common ancestor, if they are still stored here.
  private func base(
    _ common: String?, of drawing: String, mine: (sha256: String, bytes: [UInt8])
  ) throws -> [UInt8]? {
    guard let common else { return nil }
    return common == mine.sha256 ? mine.bytes : try bases.base(common, of: drawing, at: place)
  }
}
