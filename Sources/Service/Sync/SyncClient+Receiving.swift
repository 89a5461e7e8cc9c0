package import DrawingServices
import Storage

// Accepting changes from the other place.

extension SyncClient {
  /// Accepts the changes of a response: documents in one transaction, then drawings one by one;
  /// then stores the cursor. An interrupted response is accepted again.
  func take(_ response: SyncResponse) throws {
    // A change with an invalid name cannot even be noted.
    let changes = response.changes.filter { (try? $0.name.path(of: replica.uid)) != nil }
    let documents = changes.filter { $0.name.kind != .drawings }
    // A response in parts may have two versions of a drawing that was changed in between. The
    // earlier one is not available now.
    let latest = Dictionary(changes.map { ($0.name, $0.sequence) }, uniquingKeysWith: max)
    let drawings = changes.filter {
      $0.name.kind == .drawings && latest[$0.name] == $0.sequence
    }
    if drawings.isEmpty {
      try replica.change { transaction in
        for change in documents { try take(change, in: transaction) }
        try seen(response, in: transaction)
      }
      return
    }
    if !documents.isEmpty {
      try replica.change { transaction in
        for change in documents { try take(change, in: transaction) }
        try store(in: transaction)
      }
    }
    let taken = try take(drawings: drawings)
    try replica.change { transaction in
      try note(taken, in: transaction)
      try seen(response, in: transaction)
    }
    try removeBases(of: taken)
  }

  private func seen(_ response: SyncResponse, in transaction: ReplicaTransaction) throws {
    state.store = response.store
    state.cursor = response.cursor
    try store(in: transaction)
  }

  // MARK: - Documents

  func take(_ change: SyncChange, in transaction: ReplicaTransaction) throws {
    if settings.conflicts != .lastWrite,
      try solveConflict(with: change, in: transaction)
    {
      return
    }
    let result: SyncResult?
    let sequence: Int64?
    do {
      (result, sequence) = try transaction.join(change)
    } catch {
      // A document that cannot be stored here does not block the others.
      guard case .refused(let code, let text)? = SyncResult(refusing: error) else { throw error }
      var held = HeldChange(
        change.name, .received, sequence: change.sequence, code: code, text)
      held.change = change.content
      return try hold(held, in: transaction)
    }
    try release(change.name, .received, in: transaction)
    if let sequence {
      state.noteReceived(sequence)
      count.received += 1
      report(.received(change.name))
    }
    if result == .superseded { try insist(on: change, in: transaction) }
  }

  /// The version here is later. If it is not waiting to be sent, the other place has lost it: send
  /// it again.
  func insist(on change: SyncChange, in transaction: ReplicaTransaction) throws {
    guard let stored = try replica.stored(change.name, in: transaction.documents),
      !isWaiting(stored)
    else { return }
    let path = try change.name.path(of: replica.uid)
    if let document = try transaction.documents.readable(path).document {
      try transaction.documents.set(path, document.fields)
    } else if let deletion = try transaction.documents.deletion(of: path) {
      try transaction.documents.noteDeletion(of: path, at: deletion.moment)
    }
  }

  /// Whether a version here was not sent yet.
  func isWaiting(_ stored: SyncChange) -> Bool {
    state.isWaiting(stored.sequence) || heldSent[stored.name] != nil
  }

  // MARK: - Conflicts

  /// If an entry was changed in both places, keeps both versions or asks the user. Returns whether
  /// nothing else has to be done.
  private func solveConflict(
    with change: SyncChange, in transaction: ReplicaTransaction
  ) throws -> Bool {
    let name = change.name
    guard let stored = try replica.stored(name, in: transaction.documents), isWaiting(stored),
      let mine = stored.fields
    else { return false }
    let myOrder = SyncOrder(of: mine, in: name.kind)
    let theirOrder =
      switch change.content {
      case .document(let fields): SyncOrder(of: fields, in: name.kind)
      case .deleted(let moment): SyncOrder(ofDeletionAt: moment)
      }
    guard myOrder != theirOrder else { return false }
    count.conflicts += 1
    guard settings.conflicts == .keepBoth else {
      var held = HeldChange(
        name, .sent, sequence: stored.sequence, code: HeldChange.conflict,
        "it was changed in both places")
      held.change = change.content
      try hold(held, in: transaction)
      return true
    }
    let path = try name.path(of: replica.uid)
    guard let theirs = change.fields else {
      // A deletion does not win over a change that its writer did not know.
      if myOrder < theirOrder {
        let later = transaction.time(after: theirOrder.moment)
        try transaction.documents.set(path, mine.merging(["updatedAt": .moment(later)]))
      }
      return true
    }
    // Every device that resolves this conflict makes the same copy.
    let earlier = myOrder < theirOrder ? mine : theirs
    let hash = SyncService.hash(of: earlier)
    let copy = SyncName(name.kind, "\(name.id.prefix(100))-\(hash.prefix(12))")
    let copyPath = try copy.path(of: replica.uid)
    if try transaction.documents.readable(copyPath).document == nil {
      try transaction.documents.set(copyPath, earlier)
    }
    return false
  }

  /// Resolves a conflict according to the user's decision.
  package func decide(_ name: SyncName, keeping choice: ConflictChoice) throws {
    try load()
    guard let held = heldSent[name], held.code == HeldChange.conflict, let theirs = held.change
    else { throw SyncProblem(.local, "there is no conflict about '\(name)'") }
    let path = try name.path(of: replica.uid)
    try replica.change { transaction in
      let mine = try transaction.documents.readable(path).document?.fields
      let theirMoment =
        switch theirs {
        case .document(let fields): name.kind.moment(of: fields)
        case .deleted(let moment): moment
        }
      let myMoment = mine.map { name.kind.moment(of: $0) }
      let later = transaction.time(after: max(theirMoment, myMoment ?? theirMoment))
      if choice == .both, let mine, case .document = theirs {
        let copy = SyncName(name.kind, environment.newID())
        try transaction.documents.set(copy.path(of: replica.uid), mine)
      }
      switch (choice, theirs) {
      case (.local, _):
        if let mine {
          try transaction.documents.set(path, mine.merging(["updatedAt": .moment(later)]))
        } else {
          try transaction.documents.delete(path, at: later)
        }
      case (_, .document(let fields)):
        try transaction.documents.set(path, fields.merging(["updatedAt": .moment(later)]))
      case (_, .deleted):
        if choice == .remote { try transaction.documents.delete(path, at: later) }
      }
      try release(name, .sent, in: transaction)
    }
  }

  /// The version of an entry that is kept.
  package enum ConflictChoice: String, CaseIterable, Sendable { case local, remote, both }
}
