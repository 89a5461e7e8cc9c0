package import DrawingServices
import Graphics
import Storage

/// Synchronizes a device with another place: sends changes of this device, accepts changes from
/// there.
///
///     local store ─▶ waiting changes ─▶ request ─▶ other place
///     local store ◀─ joined, merged  ◀─ response ◀─┘
///
/// The local store is its own queue: every change has a sequence number, and `PlaceState` has the
/// number up to which changes were sent. So a write queues itself in one transaction, and no change
/// is lost (decision 40).
package final class SyncClient {
  let environment: ServiceEnvironment
  let replica: Replica
  let bases: InkBases
  let peer: any SyncPeer
  let place: String
  let address: String
  let statePath: DocumentPath
  package var settings: SyncSettings
  /// A random number from 0 up to 1.
  package var random: () -> Double = { Double.random(in: 0..<1) }
  /// Called with events.
  package var report: (SyncEvent) -> Void = { _ in }
  /// Merges two versions of a recording, with their common base if known.
  let mergeInk: (_ base: [UInt8]?, _ ours: [UInt8], _ theirs: [UInt8]) throws -> [UInt8]
  var state: PlaceState
  /// The held changes, by name.
  var heldSent: [SyncName: HeldChange] = [:]
  var heldReceived: [SyncName: HeldChange] = [:]
  var count = SyncCount()
  /// The changes that are being sent.
  var sending: Set<SyncName> = []
  var isSettingPause = false

  /// The maximum number of rounds in one run. Conflicts need further rounds, and the other place
  /// may change again and again.
  private static let maximumRounds = 10_000
  static let largestPage = 500

  package init(
    _ environment: ServiceEnvironment, of uid: String, with peer: any SyncPeer, at address: String,
    _ settings: SyncSettings = SyncSettings(),
    mergingInk mergeInk: @escaping ([UInt8]?, [UInt8], [UInt8]) throws -> [UInt8]
  ) throws {
    self.environment = environment
    replica = try Replica(environment, as: .operator, of: uid)
    bases = try InkBases(environment, of: uid)
    self.peer = peer
    self.address = address
    self.settings = settings
    self.mergeInk = mergeInk
    place = PlaceState.key(ofAddress: address)
    statePath = try replica.place(place)
    state = PlaceState(address: address)
    try load()
  }

  /// Reads the notes about the place. A store that was restored from a backup continues from its
  /// state then: its changes and the notes about them are from the same moment.
  func load() throws {
    let (stored, held) = try environment.documents.read { reader in
      (
        try reader.document(statePath),
        try reader.documents(Query(replica.held).filtered("place", .equal(.text(place))))
      )
    }
    state = stored.map { PlaceState($0.fields) } ?? PlaceState(address: address)
    (heldSent, heldReceived) = ([:], [:])
    for change in held.compactMap({ HeldChange($0, in: environment.application) }) {
      switch change.direction {
      case .sent: heldSent[change.name] = change
      case .received: heldReceived[change.name] = change
      }
    }
  }

  // MARK: - Running

  /// Sends and accepts changes until none wait on either side.
  package func run() throws(SyncProblem) -> SyncCount {
    count = SyncCount()
    do {
      try load()
      guard !state.isPaused else { return count }
      try rounds()
      try note { state in
        state.lastSuccess = environment.now()
        (state.problem, state.failures) = (nil, 0)
      }
      report(.finished(count))
      return count
    } catch {
      let problem = error as? SyncProblem ?? SyncProblem(.local, "\(error)")
      // A device with a full disk cannot store this note either.
      try? note { state in
        state.problem = PlaceState.Problem(kind: problem.kind.rawValue, text: problem.description)
        state.failures += 1
      }
      report(.failed(problem))
      throw problem
    }
  }

  private func rounds() throws {
    var size = settings.pageSize
    var isFirst = true
    var resets = 0
    for _ in 0..<Self.maximumRounds {
      // Another program may have paused it.
      guard !state.isPaused else { return }
      let batch = try waitingChanges(size)
      if !isFirst, batch.changes.isEmpty, !batch.hasMore { break }
      var request = SyncRequest()
      request.store = state.store
      request.cursor = state.cursor
      request.limit = size
      request.changes = batch.changes
      request.refusesUnseen = settings.conflicts != .lastWrite
      sending = Set(batch.changes.map(\.name))
      defer { sending = [] }
      report(.sending(batch.changes.map(\.name)))
      var response: SyncResponse
      do throws(SyncProblem) {
        response = try peer.exchange(request)
      } catch {
        guard error.kind == .tooLarge else { throw error }
        guard batch.changes.count > 1 else {
          guard let change = batch.changes.first else { throw error }
          try hold(tooLarge: change, batch, error)
          continue
        }
        size = max(batch.changes.count / 2, 1)
        continue
      }
      isFirst = false
      if response.isReset {
        resets += 1
        guard resets < 3 else {
          throw SyncProblem(.unexpected, "the other place wants to begin again and again")
        }
        try beginAgain()
        isFirst = true
        continue
      }
      guard response.cursor >= state.cursor,
        !response.hasMore || response.cursor > state.cursor || !response.changes.isEmpty
      else { throw SyncProblem(.unexpected, "the other place does not get on with its changes") }
      try finish(batch, &response)
      try take(response)
      if !response.hasMore, !batch.hasMore, batch.changes.isEmpty { break }
      if response.hasMore || batch.hasMore { size = min(size * 2, Self.largestPage) }
      // Remaining changes of the other place are fetched even if nothing waits here.
      if response.hasMore { isFirst = true }
    }
    try note { state in state.lastAttempt = environment.now() }
    try retryReceived()
  }

  /// Handles a new store of the other place, or an older state of it: everything is compared again,
  /// and its recordings are unknown.
  private func beginAgain() throws {
    state.reset()
    try replica.change { transaction in
      try bases.forgetAll(at: place, in: transaction.documents)
      try store(in: transaction)
    }
  }

  /// Changes the state in a transaction of its own.
  func note(_ body: (inout PlaceState) -> Void) throws {
    body(&state)
    try replica.change { try store(in: $0) }
  }

  /// Stores the state within a transaction.
  func store(in transaction: ReplicaTransaction) throws {
    let stored = try transaction.documents.readable(statePath).document?.fields
    // Another program may have paused it meanwhile.
    if !isSettingPause, let paused = stored?["isPaused"]?.boolValue { state.isPaused = paused }
    let fields = state.fields
    guard stored != fields else { return }
    try transaction.documents.set(statePath, fields)
  }

  // MARK: - Holding

  /// Holds a change within a transaction.
  func hold(_ change: HeldChange, in transaction: ReplicaTransaction) throws {
    var change = change
    let isReceived = change.direction == .received
    let before = isReceived ? heldReceived[change.name] : heldSent[change.name]
    if let before, before.sequence == change.sequence { change.attempts = before.attempts + 1 }
    let path = try replica.held(change.name, isReceived: isReceived, at: place)
    try transaction.documents.set(path, change.fields(at: place))
    if isReceived { heldReceived[change.name] = change } else { heldSent[change.name] = change }
    report(.held(change))
  }

  /// Ends the holding of a change.
  func release(
    _ name: SyncName, _ direction: HeldChange.Direction, in transaction: ReplicaTransaction
  ) throws {
    let isReceived = direction == .received
    let known =
      isReceived
      ? heldReceived.removeValue(forKey: name) : heldSent.removeValue(forKey: name)
    guard known != nil else { return }
    try transaction.documents.erase(replica.held(name, isReceived: isReceived, at: place))
  }

  private func hold(
    tooLarge change: SyncChange, _ batch: WaitingChanges, _ problem: SyncProblem
  ) throws {
    try replica.change { transaction in
      try hold(
        HeldChange(
          change.name, .sent, sequence: change.sequence, code: problem.kind.rawValue,
          problem.description), in: transaction)
      state.noteSent(upTo: batch.upTo)
      try store(in: transaction)
    }
  }

  /// The time of the next attempt after a number of failures.
  func nextAttempt(after attempts: Int) -> Moment {
    let seconds = Backoff.change.seconds(
      afterFailures: attempts, random: random())
    return environment.now() + Int64(clamping: seconds)
  }
}

/// The counts of a run.
package struct SyncCount: Hashable, Sendable {
  package var sent = 0
  package var received = 0
  /// Drawings that were merged.
  package var merged = 0
  /// Entries that were changed in both places.
  package var conflicts = 0

  package init() {}
}

/// An event of a synchronizing device.
package enum SyncEvent: Sendable {
  /// Changes are being sent.
  case sending([SyncName])
  /// The other place has a change of this device.
  case sent(SyncName, attempts: Int)
  /// A change of another device was accepted.
  case received(SyncName)
  /// A change cannot be sent or accepted now.
  case held(HeldChange)
  /// A run has ended.
  case finished(SyncCount)
  case failed(SyncProblem)
}
