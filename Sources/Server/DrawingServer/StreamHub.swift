import DrawingServices
import Glibc
import HTTPServing
import JSON
import Storage
import Threads

/// The open event streams of clients: changes of a user's documents.
///
/// While there are streams, one thread reads new changes: after each change through this server,
/// and for those of other programs on notification of the store, or ten times a second without
/// notifications.
final class StreamHub: Sendable {
  /// A client that receives the changes of a user.
  private struct Listener {
    let stream: EventStream
    let uid: String
    /// The sequence number up to which everything was sent.
    var sequence: Int64
    /// The client's call, with the URL prefix for links in documents.
    let call: Call
    /// Whether the client only wants notifications without the changes.
    let isBrief: Bool
    var lastSent: Int
  }

  private struct State {
    var listeners: [Listener] = []
    var sequence: Int64 = 0
    var isRunning = false
    var isClosed = false
    /// The times when streams end, in milliseconds.
    var ends: [(stream: EventStream, at: Int, session: String?)] = []
  }

  private let environment: ServiceEnvironment
  private let state = ConditionMutex(State())

  /// The maximum number of a user's open streams.
  private static let limitPerUser = 64
  /// The interval of comments, in milliseconds. They detect clients that are gone.
  private static let beat = 15_000
  /// The duration of a stream that was opened by a link or a token. The client reconnects by
  /// itself, and its authorization is checked again.
  private static let linkMilliseconds = 60_000
  private static let tokenMilliseconds = 1_800_000
  /// The same for a session, which another server may have ended.
  private static let sessionMilliseconds = 300_000

  private let bell = Doorbell()
  /// Notifies about changes of other programs; nil if the store does not support it.
  private let observation: ChangeObservation?

  init(_ environment: ServiceEnvironment) {
    self.environment = environment
    observation = environment.documents.observeChanges { [bell] _ in bell.ring() }
  }

  /// Checks for changes now.
  func look() { bell.ring() }

  var count: Int {
    state.withLock { $0.listeners.count }
  }

  // MARK: - Changes

  /// Opens a stream of changes after a sequence number; nil if the user has too many.
  func listen(
    to uid: String, after sequence: Int64, isBrief: Bool, _ call: Call
  ) -> EventStream? {
    let stream = EventStream()
    // A number without an event: a client that is cut off before the first one misses none.
    stream.send(Array("retry: 2000\nid: \(sequence)\n\n".utf8))
    let isTaken = state.withLock { state in
      let open = state.listeners.count { $0.uid == uid && !$0.stream.isClosed }
      guard !state.isClosed, open < Self.limitPerUser else { return false }
      state.listeners.append(
        Listener(
          stream: stream, uid: uid, sequence: sequence, call: call, isBrief: isBrief,
          lastSent: -Self.beat))
      state.ends.append(
        (stream, Self.milliseconds() + Self.lifetime(of: call), call.session?.key))
      start(&state)
      return true
    }
    return isTaken ? stream : nil
  }

  private func start(_ state: inout State) {
    guard !state.isRunning else { return }
    // The store's notifications may have stopped with a lost connection.
    let pause: Int32 = observation == nil ? 100 : 1_000
    state.isRunning = Lanes.begin { [self] in
      while step() { bell.wait(milliseconds: pause) }
    }
  }

  /// Sends new changes. Returns false if there are no listeners.
  private func step() -> Bool {
    let now = Self.milliseconds()
    let before = state.withLock { state -> Int64? in
      for end in state.ends where end.at < now { end.stream.close() }
      state.ends.removeAll { $0.at < now || $0.stream.isClosed }
      state.listeners.removeAll { $0.stream.isClosed }
      guard !state.isClosed, !state.listeners.isEmpty else {
        state.isRunning = false
        return nil
      }
      return state.sequence
    }
    guard let before else { return false }
    // A busy database is queried again at the next step.
    if let last = try? ChangeService.lastSequence(in: environment) {
      let changed =
        last == before
        ? nil
        : try? ChangeService.changedUsers(
          after: before, in: environment)
      let due = state.withLock { state in
        state.sequence = last
        return state.listeners.filter { listener in
          // A new listener, or one whose user has just changed something.
          listener.lastSent < 0
            || last != before && changed.map { $0.uids.contains(listener.uid) } ?? true
        }
      }
      for listener in due { send(listener, now) }
    }
    beat(now)
    return true
  }

  private func send(_ listener: Listener, _ now: Int) {
    var sequence = listener.sequence
    var text: [UInt8] = []
    while true {
      guard
        let page = try? ChangeService(environment, as: listener.call.caller)
          .page(of: listener.uid, after: sequence, limit: 200)
      else { break }
      for change in listener.isBrief ? page.changes.suffix(1) : page.changes {
        var json = JSONWriter()
        if listener.isBrief {
          json.object { $0.field("sequence", Int(change.sequence)) }
        } else {
          json.change(change, listener.call)
        }
        text += Array("id: \(change.sequence)\nevent: change\ndata: ".utf8) + json.bytes + [10, 10]
      }
      sequence = page.cursor
      if !page.hasMore { break }
      if text.count > 256 << 10 {
        listener.stream.send(text)
        text = []
      }
    }
    if !text.isEmpty { listener.stream.send(text) }
    state.withLock { state in
      for index in state.listeners.indices where state.listeners[index].stream === listener.stream {
        state.listeners[index].sequence = sequence
        if !text.isEmpty || state.listeners[index].lastSent < 0 {
          // Spread over time, so that not all comments are sent at once.
          state.listeners[index].lastSent =
            listener.lastSent < 0 ? now - Int.random(in: 0..<Self.beat) : now
        }
      }
    }
  }

  private func beat(_ now: Int) {
    let comment = Array(":\n\n".utf8)
    let due = state.withLock { state in
      var due: [EventStream] = []
      // A listener that arrived during this step stays new until its first changes are sent.
      for index in state.listeners.indices
      where state.listeners[index].lastSent >= 0
        && now - state.listeners[index].lastSent > Self.beat
      {
        state.listeners[index].lastSent = now
        due.append(state.listeners[index].stream)
      }
      return due
    }
    for stream in due { stream.send(comment) }
  }

  /// How long a stream may stay open, in milliseconds. A client opens it again, and its token or link
  /// is checked again.
  static func lifetime(of call: Call) -> Int {
    call.isSigned
      ? linkMilliseconds : call.session == nil ? tokenMilliseconds : sessionMilliseconds
  }

  /// Ends the streams of ended sessions.
  func end(sessions keys: Set<String>) {
    let streams = state.withLock { state in
      state.ends.filter { end in end.session.map(keys.contains) ?? false }.map(\.stream)
    }
    for stream in streams { stream.close() }
  }

  /// Ends all streams.
  func close() {
    let streams = state.withLock { state in
      state.isClosed = true
      return state.listeners.map(\.stream)
    }
    for stream in streams { stream.close() }
  }

  private static func milliseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}
