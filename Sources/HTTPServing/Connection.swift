import CMicroHTTPDShim
import Glibc
import Synchronization
import Threads

/// A connection from a client, with the clock of its current request.
package final class Connection: Sendable {
  /// The address of the client without its port.
  package let address: String
  /// Whether the client is on this machine.
  package let isLocal: Bool

  let socket: Int32
  /// The phase in the lowest two bits, above them the milliseconds when it began.
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
  }

  init(_ link: OpaquePointer) {
    socket = httpConnectionSocket(link)
    (address, isLocal) = httpConnectionAddress(link).map { numeric($0) } ?? ("", false)
    state = Atomic(milliseconds() << 2)
  }

  func enter(_ phase: Phase) {
    if phase == .body { received.store(0, ordering: .relaxed) }
    if phase != .header { isUsed.store(true, ordering: .relaxed) }
    state.store(milliseconds() << 2 | phase.rawValue, ordering: .releasing)
  }

  var hasUnansweredRequest: Bool { state.load(ordering: .acquiring) & 3 != Phase.header.rawValue }

  func noteReceived(_ count: Int) { received.add(count, ordering: .relaxed) }

  /// Whether the client is slower than any that is served. `progress` holds what was seen of its reading before.
  func isTooSlow(at now: Int, _ progress: inout Progress?) -> Bool {
    let state = state.load(ordering: .acquiring)
    let elapsed = now - state >> 2
    switch Phase(rawValue: state & 3) ?? .work {
    case .header:
      progress = nil
      // On a connection that was used, nobody can tell a slow header from a pause before it.
      let isFirst = !isUsed.load(ordering: .relaxed)
      return elapsed > (isFirst ? ClientLimits.headerMilliseconds : ClientLimits.idleMilliseconds)
    case .body: return isBehind(Int64(received.load(ordering: .relaxed)), at: now, &progress)
    case .work:
      progress = nil
      return false
    case .answer: return readsTooSlowly(at: now, &progress)
    }
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

/// All open connections.
final class Connections: Sendable {
  private struct Entry {
    let connection: Connection
    var progress: Connection.Progress?
  }

  private let all = ConditionMutex<[ObjectIdentifier: Entry]>([:])

  var count: Int { all.withLock { $0.count } }

  func add(_ connection: Connection) {
    all.withLock { $0[ObjectIdentifier(connection)] = Entry(connection: connection) }
  }

  func remove(_ connection: Connection) {
    // The lock keeps `endSlow` from ending another connection that gets the number of this socket.
    all.withLock { $0[ObjectIdentifier(connection)] = nil }
  }

  /// Whether a request is waiting for its answer, or for the rest of it.
  var hasUnansweredRequests: Bool {
    all.withLock { all in all.values.contains { $0.connection.hasUnansweredRequest } }
  }

  /// Ends the connections of clients that are too slow, and returns their number.
  func endSlow() -> Int {
    let now = milliseconds()
    var ended = 0
    all.withLock { all in
      for key in all.keys {
        guard var entry = all[key] else { continue }
        if entry.connection.isTooSlow(at: now, &entry.progress) {
          entry.connection.end()
          ended += 1
        }
        all[key] = entry
      }
    }
    return ended
  }
}

/// The milliseconds of the monotonic clock, as of the last tick: reading that is cheap.
func milliseconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
  return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
}

/// Sleeps while waiting for other threads.
func sleepShortly() { usleep(5_000) }

/// An address as text without its port, and whether it is one of this machine.
private func numeric(_ address: UnsafePointer<sockaddr>) -> (String, Bool) {
  var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
  let isFour = Int32(address.pointee.sa_family) == AF_INET
  let size = isFour ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
  guard
    getnameinfo(
      address, socklen_t(size), &text, socklen_t(text.count), nil, 0, Int32(NI_NUMERICHOST)) == 0
  else { return ("", false) }
  var name = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  if name.hasPrefix("::ffff:") { name.removeFirst(7) }
  return (name, name.hasPrefix("127.") || name == "::1")
}
