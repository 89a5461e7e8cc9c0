import Storage
import Threads

/// Connections that several threads share, up to a limit. A thread that finds none free waits for
/// one, up to a time limit.
final class PostgresPool<Connection>: Sendable {
  private struct State {
    var idle: [Connection] = []
    /// The number of connections, including those in use.
    var count = 0
    /// The waiting threads, in order of arrival.
    var waiting: [Doorbell] = []
  }

  private let state = ConditionMutex(State())
  private let limit: Int
  private let waitMilliseconds: Int
  private let subject: String

  /// A pool without connections. Errors name the subject.
  init(limit: Int, waitMilliseconds: Int, subject: String) {
    self.limit = max(limit, 1)
    self.waitMilliseconds = waitMilliseconds
    self.subject = subject
  }

  /// An unused connection, or a new one. It must be given back.
  func borrow(
    _ connect: () throws(StorageError) -> Connection
  ) throws(StorageError) -> Connection {
    let deadline = PostgresConnection.now() + waitMilliseconds
    while true {
      let (idle, bell) = state.withLock { state -> (Connection?, Doorbell?) in
        if let connection = state.idle.popLast() { return (connection, nil) }
        guard state.count >= limit else {
          state.count += 1
          return (nil, nil)
        }
        let bell = Doorbell()
        state.waiting.append(bell)
        return (nil, bell)
      }
      if let idle { return idle }
      guard let bell else { break }
      let rest = deadline - PostgresConnection.now()
      if rest > 0 { bell.wait(milliseconds: Int32(clamping: rest)) }
      let wasWaiting = state.withLock { state in
        let index = state.waiting.firstIndex { $0 === bell }
        if let index { state.waiting.remove(at: index) }
        return index != nil
      }
      // A thread that was notified tries again, so that the notification is not lost.
      if wasWaiting, deadline <= PostgresConnection.now() {
        throw StorageError(.unavailable("all \(limit) connections are in use"), subject)
      }
    }
    do throws(StorageError) {
      return try connect()
    } catch {
      giveBack(nil)
      throw error
    }
  }

  /// Gives a connection back, or nil for a broken one.
  func giveBack(_ connection: Connection?) {
    let next = state.withLock { state -> Doorbell? in
      if let connection { state.idle.append(connection) } else { state.count -= 1 }
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
    next?.ring()
  }
}
