import CNetwork
import Glibc
import Synchronization
import Threads

/// A connection from a client, with the clock of its current request.
package final class Connection: Sendable {
  /// The address of the client, or of the proxy in front of it, without its port.
  package var address: String { client.text }
  /// Whether that address is on this machine.
  package var isLocal: Bool { client.isLocal }
  /// The limit that the connection exceeds; nil for an ordinary one.
  package let excess: Excess?

  /// A limit that a connection exceeds. Then only the most urgent requests are answered on it.
  package enum Excess: Sendable {
    /// The client has used up its share of the connections.
    case ofClient
    /// The server has used up its connections.
    case ofServer
  }

  let client: ClientAddress
  let socket: Int32
  /// Whether a trusted proxy has opened the connection, for several clients.
  let isProxy: Bool
  /// The phase in the lowest three bits; above them the time of its start in milliseconds.
  private let state: Atomic<Int>
  private let received = Atomic(0)
  private let isUsed = Atomic(false)

  /// The phase of a connection.
  enum Phase: Int {
    /// Waiting for the next header, or receiving it.
    case header
    /// Receiving a body.
    case body
    /// A worker computes the response.
    case work
    /// Sending a response.
    case answer
    /// The connection was ended while idle, and accepts no requests.
    case ended
  }

  init(_ socket: Int32, _ client: ClientAddress, isProxy: Bool = false, excess: Excess? = nil) {
    (self.socket, self.client, self.isProxy, self.excess) = (socket, client, isProxy, excess)
    state = Atomic(Self.word(.header))
  }

  private static func word(_ phase: Phase) -> Int { milliseconds() << 3 | phase.rawValue }

  private static func phase(_ word: Int) -> Phase { Phase(rawValue: word & 7) ?? .work }

  private static func moment(_ word: Int) -> Int { word >> 3 }

  /// Begins a request whose header has arrived. False if the connection was ended before: then the
  /// request must not be carried out, since its client cannot get a response and will retry.
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

  /// The start of the idle time; nil during a request, or if the connection was ended.
  var idleSince: Int? {
    let word = state.load(ordering: .acquiring)
    return Self.phase(word) == .header ? Self.moment(word) : nil
  }

  /// Ends the connection if it is idle. The library then closes it.
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

  /// The phase in which the client is slower than allowed; nil if it is not. `progress` is the last
  /// measurement.
  func slowPhase(at now: Int, _ progress: inout Progress?) -> Phase? {
    let word = state.load(ordering: .acquiring)
    let (phase, elapsed) = (Self.phase(word), now - Self.moment(word))
    let isSlow =
      switch phase {
      case .header:
        // On a used connection, a slow header cannot be distinguished from a pause before it.
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

  /// A measurement of a client's progress.
  struct Progress {
    let moment: Int
    let count: Int64
  }

  /// Whether a count has grown too little since the last measurement, one per grace period. An
  /// average from the beginning would let a client that was fast at first pause for hours.
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

  /// Whether bytes wait in the socket, and the client reads more slowly than required.
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

/// The limits for slow clients, so that nobody keeps connections occupied: the library accepts one
/// byte a second as alive.
enum ClientLimits {
  /// The maximum time for the first header of a connection.
  static let headerMilliseconds = 10_000
  /// The maximum idle time of a connection before its next request.
  static let idleMilliseconds = 60_000
  /// How long a body or the reading of a response may be slower than `bytesPerSecond`.
  static let graceMilliseconds = 10_000
  static let bytesPerSecond = 1_024
}

/// The milliseconds of the monotonic clock at its last tick, which is cheap to read.
func milliseconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
  return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
}

/// Sleeps while waiting for other threads.
func sleepShortly() { usleep(5_000) }
