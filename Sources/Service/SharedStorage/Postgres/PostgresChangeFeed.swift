import Storage
import Threads

/// A thread that waits for notifications and publishes the sequence number of the last change.
final class PostgresChangeFeed: Sendable {
  private struct State {
    var last: Int64?
    var failure: StorageError?
    var observers: [Int: @Sendable (Int64) -> Void] = [:]
    var nextObserver = 0
    var isRunning = false
    var isStopped = false
  }

  private let session: PostgresSession
  private let state = ConditionMutex(State())
  /// Interrupts the thread's wait.
  private let bell = Doorbell()
  /// The time without notifications until the thread checks the connection, in milliseconds.
  private static let beat: Int32 = 10_000
  /// The pause before reconnecting after a lost connection, in milliseconds.
  private static let pause: Int32 = 200

  init(_ session: PostgresSession) { self.session = session }

  /// The notification channel for a store's changes.
  static func channel(_ schema: String) -> String { "pkd_\(schema)" }

  func stop() {
    state.withLock {
      $0.isStopped = true
      $0.observers = [:]
    }
    bell.ring()
  }

  func observe(_ body: @escaping @Sendable (Int64) -> Void) -> ChangeObservation {
    let (number, last) = state.withLock { state in
      state.nextObserver += 1
      state.observers[state.nextObserver] = body
      if !state.isRunning, !state.isStopped { state.isRunning = Lanes.begin { [self] in run() } }
      return (state.nextObserver, state.last)
    }
    if let last { body(last) }
    return ChangeObservation { [self] in
      _ = state.withLock { $0.observers.removeValue(forKey: number) }
    }
  }

  func wait(after sequence: Int64, milliseconds: Int32) throws(StorageError) -> Int64 {
    let deadline = PostgresConnection.now() + Int(milliseconds)
    let own = Doorbell()
    let observation = observe { _ in own.ring() }
    defer { observation.end() }
    while true {
      let (last, failure) = state.withLock { ($0.last, $0.failure) }
      if let last, last > sequence { return last }
      let rest = deadline - PostgresConnection.now()
      if rest <= 0 {
        if let failure { throw failure }
        return last ?? sequence
      }
      own.wait(milliseconds: Int32(clamping: rest))
    }
  }

  private var isStopped: Bool { state.withLock { $0.isStopped } }

  /// The thread's body: listens, and reconnects when the connection is lost.
  private func run() {
    while !isStopped {
      do throws(StorageError) {
        try listen()
      } catch {
        state.withLock { $0.failure = error }
        bell.wait(milliseconds: Self.pause)
      }
    }
    state.withLock { $0.isRunning = false }
  }

  private func listen() throws(StorageError) {
    let connection = try session.connect(for: .signals)
    _ = try connection.rows("LISTEN \(Self.channel(session.schema))")
    while !isStopped {
      // After LISTEN, so that no change is missed, and then periodically.
      let stored = try connection.integer("SELECT value FROM facts WHERE name = 'lastSequence'")
      tell(stored ?? 0)
      while !isStopped {
        let texts = try connection.notifications(or: bell.handle, milliseconds: Self.beat)
        guard let last = texts.compactMap({ Int64($0) }).max() else { break }
        tell(last)
      }
      bell.clear()
    }
  }

  private func tell(_ last: Int64) {
    let observers = state.withLock { state -> [@Sendable (Int64) -> Void] in
      state.failure = nil
      guard last != state.last else { return [] }
      state.last = last
      return Array(state.observers.values)
    }
    for observer in observers { observer(last) }
  }
}
