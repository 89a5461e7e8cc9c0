import CNetwork
import Glibc
import Synchronization
import Threads

/// A connection from a client, with the clock of its current request.
package final class Connection: Sendable {
  /// The address of the client, or of the proxy in front of it, without its port.
  package var address: String { client.text }
  /// Whether that is on this machine.
  package var isLocal: Bool { client.isLocal }
  /// Why the connection is one too many; nil for an ordinary one.
  package let excess: Excess?

  /// Why a connection is one too many. Then only the most urgent requests are answered on it.
  package enum Excess: Sendable {
    /// The client has its share of the connections.
    case ofClient
    /// The server has all its connections.
    case ofServer
  }

  let client: ClientAddress
  let socket: Int32
  /// Whether a trusted proxy has made the connection, for several clients.
  let isProxy: Bool
  /// The phase in the lowest three bits, above them the milliseconds when it began.
  private let state: Atomic<Int>
  private let received = Atomic(0)
  private let isUsed = Atomic(false)

  /// What is happening on a connection.
  enum Phase: Int {
    /// The next header is awaited or arriving.
    case header
    /// A body is arriving.
    case body
    /// A worker makes the answer: the client waits for us.
    case work
    /// An answer is sent.
    case answer
    /// The connection was ended while it had no request, and takes none.
    case ended
  }

  init(_ socket: Int32, _ client: ClientAddress, isProxy: Bool = false, excess: Excess? = nil) {
    (self.socket, self.client, self.isProxy, self.excess) = (socket, client, isProxy, excess)
    state = Atomic(Self.word(.header))
  }

  private static func word(_ phase: Phase) -> Int { milliseconds() << 3 | phase.rawValue }

  private static func phase(_ word: Int) -> Phase { Phase(rawValue: word & 7) ?? .work }

  private static func moment(_ word: Int) -> Int { word >> 3 }

  /// Begins a request whose header has arrived. False if the connection was ended before: then nothing may be done for
  /// it, as its client cannot get an answer and will ask again.
  func begin() -> Bool {
    isUsed.store(true, ordering: .relaxed)
    return enter(.body)
  }

  /// Returns false if the connection was ended.
  @discardableResult
  func enter(_ phase: Phase) -> Bool {
    if phase == .body { received.store(0, ordering: .relaxed) }
    var word = state.load(ordering: .acquiring)
    while Self.phase(word) != .ended {
      let (isDone, now) = state.compareExchange(
        expected: word, desired: Self.word(phase), ordering: .acquiringAndReleasing)
      if isDone { return true }
      word = now
    }
    return false
  }

  var hasUnansweredRequest: Bool {
    switch Self.phase(state.load(ordering: .acquiring)) {
    case .header, .ended: false
    case .body, .work, .answer: true
    }
  }

  /// Since when no request is on the connection; nil if there is one, or the connection was ended.
  var idleSince: Int? {
    let word = state.load(ordering: .acquiring)
    return Self.phase(word) == .header ? Self.moment(word) : nil
  }

  /// Ends the connection if no request is on it. The library then closes it.
  func endIdle() -> Bool {
    let word = state.load(ordering: .acquiring)
    guard Self.phase(word) == .header,
      state.compareExchange(
        expected: word, desired: Self.word(.ended), ordering: .acquiringAndReleasing
      ).exchanged
    else { return false }
    end()
    return true
  }

  func noteReceived(_ count: Int) { received.add(count, ordering: .relaxed) }

  /// In which phase the client is slower than any that is served; nil if it is not. `progress` holds what was seen of its
  /// reading before.
  func slowPhase(at now: Int, _ progress: inout Progress?) -> Phase? {
    let word = state.load(ordering: .acquiring)
    let (phase, elapsed) = (Self.phase(word), now - Self.moment(word))
    let isSlow =
      switch phase {
      case .header:
        // On a connection that was used, nobody can tell a slow header from a pause before it.
        elapsed
          > (isUsed.load(ordering: .relaxed)
            ? ClientLimits.idleMilliseconds : ClientLimits.headerMilliseconds)
      case .body: isBehind(Int64(received.load(ordering: .relaxed)), at: now, &progress)
      case .answer: readsTooSlowly(at: now, &progress)
      case .work, .ended: false
      }
    if phase != .body, phase != .answer { progress = nil }
    return isSlow ? phase : nil
  }

  /// How far a client was at a moment.
  struct Progress {
    let moment: Int
    let count: Int64
  }

  /// Whether a count has grown too little since it was looked at, which happens once in the time of grace: an average
  /// from the beginning would let a client rest for hours that was fast at first.
  private func isBehind(_ count: Int64, at now: Int, _ progress: inout Progress?) -> Bool {
    guard let before = progress, before.count <= count else {
      progress = Progress(moment: now, count: count)
      return false
    }
    let elapsed = now - before.moment
    guard elapsed > ClientLimits.graceMilliseconds else { return false }
    progress = Progress(moment: now, count: count)
    return count - before.count < Int64(elapsed * ClientLimits.bytesPerSecond / 1000)
  }

  /// Whether bytes wait in the socket, and the client reads fewer than it must.
  private func readsTooSlowly(at now: Int, _ progress: inout Progress?) -> Bool {
    var acknowledged: Int64 = 0
    guard socketUnreadBytes(socket, &acknowledged) > 0 else {
      progress = nil
      return false
    }
    return isBehind(acknowledged, at: now, &progress)
  }

  /// Ends the connection. The library then closes it.
  func end() { shutdown(socket, Int32(SHUT_RDWR)) }
}

/// What clients must keep to, so that nobody holds connections for ever: one byte a second would count as alive for
/// the library.
enum ClientLimits {
  /// How long the first header of a connection may take.
  static let headerMilliseconds = 10_000
  /// How long a connection may wait for its next request.
  static let idleMilliseconds = 60_000
  /// How long a body or the reading of an answer may be slower than `bytesPerSecond`.
  static let graceMilliseconds = 10_000
  static let bytesPerSecond = 1_024
}

/// The milliseconds of the monotonic clock, as of the last tick: reading that is cheap.
func milliseconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
  return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
}

/// Sleeps while waiting for other threads.
func sleepShortly() { usleep(5_000) }
