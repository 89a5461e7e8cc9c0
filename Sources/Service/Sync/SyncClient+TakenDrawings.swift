import DrawingServices
import Storage

// Notes about accepted drawings, and about those that could not be accepted.

extension SyncClient {
  /// Notes the results of drawings within a transaction.
  func note(_ taken: [TakenDrawing], in transaction: ReplicaTransaction) throws {
    for drawing in taken {
      let name = drawing.change.name
      switch drawing.result {
      case nil:
        if let sequence = drawing.sequence { state.noteReceived(sequence) }
        try bases.setKnown(drawing.known, of: name.id, at: place, in: transaction.documents)
        try release(name, .received, in: transaction)
        if drawing.sequence != nil {
          count.received += 1
          report(.received(name))
        }
      case .superseded:
        try release(name, .received, in: transaction)
        try insist(on: drawing.change, in: transaction)
      case .refused(let code, let text):
        try hold(drawing.change, code, text, isPassing: false, in: transaction)
      case .failed(let code, let text):
        try hold(drawing.change, code, text, isPassing: true, in: transaction)
      case .needs, .conflict, .unseen, .ahead:
        try hold(
          drawing.change, "changed", "it was changed at the same time", isPassing: true,
          in: transaction)
      }
    }
  }

  /// Removes the bytes of former merge bases, after it is noted that the place has later
  /// recordings.
  func removeBases(of taken: [TakenDrawing]) throws {
    for drawing in taken where drawing.result == nil && drawing.hasMerged {
      try bases.remove(drawing.change.name.id, at: place, exceptFor: drawing.known)
    }
  }

  private func hold(
    _ change: SyncChange, _ code: String, _ text: String, isPassing: Bool,
    in transaction: ReplicaTransaction
  ) throws {
    var held = HeldChange(
      change.name, .received, sequence: change.sequence, code: code, text)
    held.change = change.content
    if isPassing, code != HeldChange.metered {
      held.nextAttempt = nextAttempt(after: (heldReceived[change.name]?.attempts ?? 0) + 1)
    }
    try hold(held, in: transaction)
  }

  /// Tries again to accept drawings that could not be accepted.
  func retryReceived() throws {
    let now = environment.now()
    let due = heldReceived.values.filter { held in
      held.code == HeldChange.metered
        ? !settings.isMetered : held.nextAttempt.map { $0 <= now } ?? false
    }
    guard !due.isEmpty else { return }
    let changes = due.compactMap { held in
      held.change.map { SyncChange(held.name, $0, sequence: held.sequence) }
    }
    let drawings = changes.filter { $0.name.kind == .drawings }
    let taken = try take(drawings: drawings.sorted { $0.sequence < $1.sequence })
    try replica.change { transaction in
      for change in changes where change.name.kind != .drawings {
        try take(change, in: transaction)
      }
      try note(taken, in: transaction)
      try store(in: transaction)
    }
    try removeBases(of: taken)
  }
}
