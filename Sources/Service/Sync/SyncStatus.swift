package import DrawingServices
package import JSON
package import Storage

/// The state of a device's synchronization with a place, for people and programs.
package struct SyncStatus: Sendable {
  package var address: String
  /// The number of changes that wait to be sent, without held ones.
  package var waiting = 0
  package var held: [HeldChange] = []
  package var isPaused: Bool
  package var lastAttempt: Moment?
  package var lastSuccess: Moment?
  package var problem: PlaceState.Problem?

  /// The state of one entry.
  package enum State: String, Sendable {
    case notSynced = "NOT_SYNCED"
    case syncing = "SYNCING"
    case synced = "SYNCED"
    case failed = "SYNC_FAILED"
  }
}

extension SyncClient {
  /// The state according to the device's store.
  package func status() throws -> SyncStatus {
    try load()
    var status = SyncStatus(address: state.address, isPaused: state.isPaused)
    status.held = (Array(heldSent.values) + Array(heldReceived.values)).sorted {
      "\($0.name)" < "\($1.name)"
    }
    status.lastAttempt = state.lastAttempt
    status.lastSuccess = state.lastSuccess
    status.problem = state.problem
    try environment.documents.read { reader in
      var cursor = state.sentUpTo
      while true {
        let page = try replica.changes(after: cursor, limit: 500, in: reader) {
          state.isReceived($1) || isHeld($0, $1)
        }
        status.waiting += page.changes.count
        guard page.hasMore else { break }
        cursor = page.cursor
      }
    }
    return status
  }

  /// The state of one entry; nil if there is none of this name.
  package func state(of name: SyncName) throws -> SyncStatus.State? {
    try load()
    guard let stored = try environment.documents.read({ try replica.stored(name, in: $0) }) else {
      return nil
    }
    if sending.contains(name) { return .syncing }
    if heldSent[name] != nil { return .failed }
    return state.isWaiting(stored.sequence) ? .notSynced : .synced
  }

  /// Whether any change waits to be sent now.
  package func hasWaitingChanges() throws -> Bool {
    try load()
    return try !waitingChanges(1).changes.isEmpty
  }

  /// Pauses or resumes all runs, including those of other programs.
  package func setPaused(_ isPaused: Bool) throws {
    try load()
    isSettingPause = true
    defer { isSettingPause = false }
    try note { $0.isPaused = isPaused }
  }

  /// Makes the next run try held changes again.
  package func retryHeld() throws {
    try load()
    let held = Array(heldSent.values) + Array(heldReceived.values)
    try replica.change { transaction in
      for var change in held where change.code != HeldChange.conflict {
        change.nextAttempt = environment.now()
        try hold(change, in: transaction)
      }
    }
  }

  /// Deletes all synchronized documents of the user here, drawings with their files. The next run
  /// deletes them at the other place, and from there on all other devices. Unsent changes of
  /// another device are not deleted.
  package func deleteEverything() throws -> Int {
    var count = 0
    let contents = try environment.documents.read { reader in
      try replica.changes(after: 0, limit: .max - 1, byteLimit: .max, in: reader).changes
    }
    for change in contents where change.fields != nil {
      let path = try change.name.path(of: replica.uid)
      if try DocumentService(environment, as: .operator).delete(path) { count += 1 }
    }
    return count
  }
}

extension SyncStatus {
  /// One line: `3 waiting, last success 12:01, offline`.
  package func line(_ clock: (Moment) -> String) -> String {
    var parts: [String] = []
    if isPaused { parts.append("paused") }
    parts.append(waiting == 0 ? "nothing waiting" : "\(waiting) waiting")
    if !held.isEmpty { parts.append("\(held.count) held") }
    parts.append(lastSuccess.map { "last success \(clock($0))" } ?? "never synchronized")
    if let problem { parts.append(problem.text) }
    return parts.joined(separator: ", ")
  }

  package func write(to json: inout JSONWriter) {
    json.object { json in
      // The user is part of the place's address.
      json.field("remote", address.lastIndex(of: "#").map { String(address[..<$0]) } ?? address)
      json.field("waiting", waiting)
      json.field("isPaused", isPaused)
      json.field("lastAttempt", lastAttempt?.iso8601)
      json.field("lastSuccess", lastSuccess?.iso8601)
      json.field("problem", problem?.kind)
      json.field("problemText", problem?.text)
      json.list("held", held) { json, change in
        json.object { json in
          json.field("name", change.name.description)
          json.field("direction", change.direction.rawValue)
          json.field("code", change.code)
          json.field("text", change.text)
          json.field("attempts", change.attempts)
          json.field("nextAttempt", change.nextAttempt?.iso8601)
        }
      }
    }
  }
}
