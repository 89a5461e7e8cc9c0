import DrawingServices
import Graphics
import Storage

/// Changes of this device that the other place does not have.
struct WaitingChanges {
  var changes: [SyncChange] = []
  /// All changes up to this number are among these, were sent, came from there or are held.
  var upTo: Int64
  var hasMore = false
}

extension SyncClient {
  /// The next changes that wait, the oldest first, and those that are tried again.
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

  /// Whether a change is held, and not a later one than that which is.
  func isHeld(_ name: SyncName, _ sequence: Int64) -> Bool {
    guard let held = heldSent[name] else { return false }
    return held.sequence >= sequence || held.code == HeldChange.conflict
  }

  private func isDue(_ held: HeldChange, _ now: Moment) -> Bool {
    if held.code == HeldChange.metered { return !settings.isMetered }
    guard let next = held.nextAttempt else { return false }
    // A clock that was set back must not prolong it.
    return next <= now || now + Int64(clamping: Backoff.change.limit) < next
  }

  /// Adds what the other place needs to know about a drawing: which recordings the present one has replaced.
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
    // The number decides what this request covers. A change since then has a later one, and is sent again.
    change.sequence = sequence
    let recording = change.sha256(of: DrawingFiles.recording)
    // Of a place to which nothing was ever sent, it may be any that the drawing had.
    let there = known.hashes.isEmpty ? stored?.ancestors ?? [] : known.hashes
    let replaced = there.filter { $0 != recording }
    // With nothing replaced, nothing of the ink is new, and that must be certain: so it is if both have this recording.
    change.ancestors = replaced.isEmpty && known.sha256 != recording ? nil : replaced
  }
}
