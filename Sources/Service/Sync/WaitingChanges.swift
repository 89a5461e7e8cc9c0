import DrawingServices
import Graphics
import Storage

/// Changes of this device that the other place does not have.
struct WaitingChanges {
  var changes: [SyncChange] = []
  /// All changes up to this sequence number are in this batch, were sent, came from there or are
  /// held.
  var upTo: Int64
  var hasMore = false
}

extension SyncClient {
  /// The next waiting changes, oldest first, and held ones whose time has come.
  func waitingChanges(_ limit: Int) throws -> WaitingChanges {
    let now = environment.now()
    let due = heldSent.values.filter { isDue($0, now) }
    var waiting = WaitingChanges(upTo: state.sentUpTo)
    try environment.documents.read { reader in
      let page = try replica.changes(after: state.sentUpTo, limit: limit, in: reader) {
        state.isReceived($1) || isHeld($0, $1)
      }
      waiting.changes = page.changes
      waiting.upTo = page.cursor
      waiting.hasMore = page.hasMore
      let names = Set(page.changes.map(\.name))
      for held in due.sorted(by: { $0.sequence < $1.sequence }) where !names.contains(held.name) {
        guard waiting.changes.count < limit else {
          waiting.hasMore = true
          break
        }
        if let change = try replica.stored(held.name, in: reader) { waiting.changes.append(change) }
      }
    }
    for index in waiting.changes.indices where waiting.changes[index].fields != nil {
      guard waiting.changes[index].name.kind == .drawings else { continue }
      try complete(&waiting.changes[index])
    }
    return waiting
  }

  /// Whether this change, or a later one of the same document, is held.
  func isHeld(_ name: SyncName, _ sequence: Int64) -> Bool {
    guard let held = heldSent[name] else { return false }
    return held.sequence >= sequence || held.code == HeldChange.conflict
  }

  private func isDue(_ held: HeldChange, _ now: Moment) -> Bool {
    if held.code == HeldChange.metered { return !settings.isMetered }
    guard let next = held.nextAttempt else { return false }
    // A clock that was set back must not prolong the wait.
    return next <= now || now + Int64(clamping: Backoff.change.limit) < next
  }

  /// Adds the hashes of the recordings that the drawing's present one has replaced since the last
  /// common one.
  private func complete(_ change: inout SyncChange) throws {
    try replica.settle(change.name.id)
    let (stored, known) = try environment.documents.read { reader in
      (
        try replica.stored(change.name, in: reader),
        try bases.known(change.name.id, at: place, in: reader)
      )
    }
    let sequence = change.sequence
    if let stored { change = stored }
    // The sequence number limits the coverage of this request. A later change has a later number
    // and is sent again.
    change.sequence = sequence
    let recording = change.sha256(of: DrawingFiles.recording)
    // If nothing was ever sent to the place, it may have any former recording of the drawing.
    let there = known.hashes.isEmpty ? stored?.ancestors ?? [] : known.hashes
    let replaced = there.filter { $0 != recording }
    // An empty list means unchanged ink, which must be certain: only if the place is known to have
    // this recording.
    change.ancestors = replaced.isEmpty && known.sha256 != recording ? nil : replaced
  }
}
