import Glibc
import Threads

/// All open connections, and who may have how many of them.
///
/// No client can occupy the server. Who has its share of the connections takes the place of the one of its own that has
/// waited longest without a request. Who comes when nearly all are in use takes that of the client that has most, but of
/// none that has fewer than itself. If none waits, the client gets one of a few extra connections, on which only probes are
/// answered; these, too, are taken from those that say nothing for longest.
final class Connections: Sendable {
  /// How many connections there may be.
  struct Limits: Sendable {
    var all: Int
    /// Of one address, or the first half of one of IPv6.
    var ofClient: Int
    /// Beyond all others, for probes.
    var extra: Int
    /// The addresses of proxies, whose connections are those of the clients that they name.
    var proxies: Set<String>

    /// From how many connections on the longest idle ones are ended.
    fileprivate var nearlyAll: Int { all - max(all / 16, 1) }
    /// Open connections, ended ones among them, with which no more are accepted for a moment.
    fileprivate var crowd: Int { all + extra + max(all / 16, 16) }
  }

  fileprivate struct Entry {
    let connection: Connection
    var share: ClientAddress.Share
    /// Whether the connection was ended, and is only to be closed.
    var isEnding = false
    var progress: Connection.Progress?
  }

  fileprivate struct State {
    var open: [ObjectIdentifier: Entry] = [:]
    /// Connections that were handed to the library by their sockets, and when.
    var arriving: [Int32: (entry: Entry, at: Int)] = [:]
    /// How many connections each share has, without those that are ending or extra.
    var counts: [ClientAddress.Share: Int] = [:]
    var (usual, extra) = (0, 0)
    /// The extra connections among the open ones.
    var extras: Set<ObjectIdentifier> = []
    /// For whom nothing idle was found, and until when nobody looks again: not through all connections for each one that
    /// comes.
    var fruitless: [ClientAddress.Share?: Int] = [:]
    var (displaced, refused) = (0, 0)
  }

  private let limits: Limits
  private let state = ConditionMutex(State())

  init(_ limits: Limits) { self.limits = limits }

  var count: Int { state.withLock { $0.usual + $0.extra } }

  /// How many idle connections had to go for others, and how many were refused, or allowed for probes only.
  var losses: (displaced: Int, refused: Int) { state.withLock { ($0.displaced, $0.refused) } }

  var isCrowded: Bool { state.withLock { $0.open.count + $0.arriving.count >= limits.crowd } }

  // MARK: - From the first to the last moment of a connection

  /// A place for a new connection, which is about to be handed to the library; nil if there is none.
  func admit(_ socket: Int32, _ client: ClientAddress) -> Connection? {
    let isProxy = limits.proxies.contains(client.text)
    let share = isProxy ? .proxy(socket: socket) : client.share
    return state.withLock { state in
      if state.counts[share] ?? 0 >= limits.ofClient {
        state.endIdle(max(limits.ofClient / 16, 1), for: share, ofAll: false)
      }
      if state.usual >= limits.nearlyAll {
        state.endIdle(max(limits.all / 64, 1), for: share, ofAll: true)
      }
      let excess: Connection.Excess? =
        state.counts[share] ?? 0 >= limits.ofClient
        ? .ofClient : state.usual >= limits.all ? .ofServer : nil
      if excess != nil {
        state.refused += 1
        guard state.extra < limits.extra || state.endIdleExtra() else { return nil }
      }
      // The library had no place for an earlier one with this number.
      if let lost = state.arriving.removeValue(forKey: socket) { state.discount(lost.entry) }
      let entry = Entry(
        connection: Connection(socket, client, isProxy: isProxy, excess: excess), share: share)
      state.count(entry)
      state.arriving[socket] = (entry, milliseconds())
      return entry.connection
    }
  }

  /// The library has refused a connection.
  func forget(_ socket: Int32) {
    state.withLock { state in
      if let lost = state.arriving.removeValue(forKey: socket) { state.discount(lost.entry) }
    }
  }

  /// The library begins with a connection; nil if it is none of those that were admitted.
  func begin(_ socket: Int32) -> Connection? {
    state.withLock { state in
      guard let entry = state.arriving.removeValue(forKey: socket)?.entry else { return nil }
      let key = ObjectIdentifier(entry.connection)
      state.open[key] = entry
      if entry.connection.excess != nil { state.extras.insert(key) }
      return entry.connection
    }
  }

  func remove(_ connection: Connection) {
    // The lock keeps everybody from ending another connection that gets the number of this socket.
    state.withLock { state in
      let key = ObjectIdentifier(connection)
      guard let entry = state.open.removeValue(forKey: key) else { return }
      state.extras.remove(key)
      if !entry.isEnding { state.discount(entry) }
    }
  }

  /// Counts the connection of a proxy for the client of a request; false if that client has its share already.
  func lend(_ connection: Connection, to client: ClientAddress) -> Bool {
    state.withLock { state in
      guard state.counts[client.share] ?? 0 < limits.ofClient else {
        state.refused += 1
        return false
      }
      state.move(connection, to: client.share)
      return true
    }
  }

  /// Counts the connection of a proxy for itself again.
  func takeBack(_ connection: Connection) {
    state.withLock { $0.move(connection, to: .proxy(socket: connection.socket)) }
  }

  /// Ends connections that have waited longest, since the system has no more files.
  func makeRoom() {
    state.withLock { state in
      state.fruitless = [:]
      state.endIdle(max(limits.all / 64, 1), for: nil, ofAll: true)
    }
  }

  // MARK: - Requests

  /// Whether a request is waiting for its answer, or for the rest of it.
  var hasUnansweredRequests: Bool {
    state.withLock { state in
      state.open.values.contains { $0.connection.hasUnansweredRequest }
    }
  }

  /// How long the library may take to begin with a connection, in milliseconds.
  private static let arrival = 30_000

  /// Ends the connections of clients that are too slow, and returns their number.
  func endSlow() -> Int {
    let now = milliseconds()
    var ended = 0
    state.withLock { state in
      state.fruitless = [:]
      for (socket, arriving) in state.arriving where now - arriving.at > Self.arrival {
        state.arriving[socket] = nil
        state.discount(arriving.entry)
      }
      for (key, var entry) in state.open where !entry.isEnding {
        switch entry.connection.slowPhase(at: now, &entry.progress) {
        case nil, .work?, .ended?: break
        case .header?:
          // Its request may have come in this moment.
          guard entry.connection.endIdle() else { break }
          state.discount(entry)
          entry.isEnding = true
          ended += 1
        case .body?, .answer?:
          entry.connection.end()
          ended += 1
        }
        state.open[key] = entry
      }
    }
    return ended
  }
}

extension Connections.State {
  fileprivate mutating func count(_ entry: Connections.Entry) {
    guard entry.connection.excess == nil else { return extra += 1 }
    usual += 1
    counts[entry.share, default: 0] += 1
  }

  fileprivate mutating func discount(_ entry: Connections.Entry) {
    guard entry.connection.excess == nil else { return extra -= 1 }
    usual -= 1
    let count = (counts[entry.share] ?? 1) - 1
    counts[entry.share] = count > 0 ? count : nil
  }

  fileprivate mutating func move(_ connection: Connection, to share: ClientAddress.Share) {
    let key = ObjectIdentifier(connection)
    guard var entry = open[key], !entry.isEnding, entry.share != share else { return }
    discount(entry)
    entry.share = share
    count(entry)
    open[key] = entry
  }

  /// Ends connections without a request: those of the share for which room is made, or of any that has more than it.
  fileprivate mutating func endIdle(_ count: Int, for newcomer: ClientAddress.Share?, ofAll: Bool) {
    let now = milliseconds()
    guard fruitless[newcomer] ?? 0 <= now else { return }
    let own = newcomer.flatMap { counts[$0] } ?? 0
    var found: [(key: ObjectIdentifier, weight: Int, since: Int)] = []
    for (key, entry) in open where !entry.isEnding && entry.connection.excess == nil {
      let weight = counts[entry.share] ?? 0
      guard entry.share == newcomer || ofAll && weight > own,
        let since = entry.connection.idleSince
      else { continue }
      found.append((key, weight, since))
    }
    if found.isEmpty { fruitless[newcomer] = now + Self.searchPause }
    // Of the client that has most first; of its connections the longest idle.
    found.sort { ($1.weight, $0.since) < ($0.weight, $1.since) }
    for one in found.prefix(count) { end(one.key) }
  }

  /// For how many milliseconds nobody looks again for what was not there.
  private static let searchPause = 20

  /// Ends the extra connection that has waited longest; false if all have requests.
  fileprivate mutating func endIdleExtra() -> Bool {
    let waiting = extras.compactMap { key -> (ObjectIdentifier, Int)? in
      guard let entry = open[key], !entry.isEnding else { return nil }
      return entry.connection.idleSince.map { (key, $0) }
    }
    guard let longest = waiting.min(by: { $0.1 < $1.1 }) else { return false }
    return end(longest.0)
  }

  @discardableResult
  private mutating func end(_ key: ObjectIdentifier) -> Bool {
    guard var entry = open[key], entry.connection.endIdle() else { return false }
    discount(entry)
    entry.isEnding = true
    open[key] = entry
    displaced += 1
    return true
  }
}
