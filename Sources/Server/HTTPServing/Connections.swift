import Glibc
import Threads

/// All open connections, and their limits per client.
///
/// No client can occupy the server. A new connection of a client at its limit displaces that
/// client's longest idle one. When nearly all connections are in use, a new one displaces an idle
/// one of the client with the most connections, but not of a client with fewer than its own. If
/// none is idle, the client gets one of a few extra connections, on which only probes are answered;
/// a new one displaces the longest idle one of these, too.
final class Connections: Sendable {
  /// The maximum numbers of connections.
  struct Limits: Sendable {
    var all: Int
    /// Of one address, or one first half of an IPv6 address.
    var ofClient: Int
    /// In addition to all others, for probes.
    var extra: Int
    /// The addresses of proxies, whose connections count for the clients named in requests.
    var proxies: Set<String>

    /// The number of connections from which on the longest idle ones are ended.
    fileprivate var nearlyAll: Int { all - max(all / 16, 1) }
    /// The number of open connections, including ended ones, at which accepting pauses.
    fileprivate var crowd: Int { all + extra + max(all / 16, 16) }
  }

  fileprivate struct Entry {
    let connection: Connection
    var share: ClientAddress.Share
    /// Whether the connection was ended, and only waits to be closed.
    var isEnding = false
    var progress: Connection.Progress?
  }

  fileprivate struct State {
    var open: [ObjectIdentifier: Entry] = [:]
    /// Connections that were passed to the library, by their sockets, with the time.
    var arriving: [Int32: (entry: Entry, at: Int)] = [:]
    /// The number of connections of each share, without ending or extra ones.
    var counts: [ClientAddress.Share: Int] = [:]
    var (usual, extra) = (0, 0)
    /// The extra connections among the open ones.
    var extras: Set<ObjectIdentifier> = []
    /// The shares for which no idle connection was found, and the end of the pause before the next
    /// search. It prevents a search through all connections for each new one.
    var fruitless: [ClientAddress.Share?: Int] = [:]
    var (displaced, refused) = (0, 0)
  }

  private let limits: Limits
  private let state = ConditionMutex(State())

  init(_ limits: Limits) { self.limits = limits }

  var count: Int { state.withLock { $0.usual + $0.extra } }

  /// The numbers of idle connections that were ended for others, and of connections that were
  /// refused or only allowed for probes.
  var losses: (displaced: Int, refused: Int) { state.withLock { ($0.displaced, $0.refused) } }

  var isCrowded: Bool { state.withLock { $0.open.count + $0.arriving.count >= limits.crowd } }

  // MARK: - From the first to the last moment of a connection

  /// Registers a new connection that is about to be passed to the library; nil to refuse it.
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
      // The library has refused an earlier one with this descriptor.
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

  /// The library has started a connection; nil if it was not admitted.
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
    // The lock prevents ending another connection that gets the same socket descriptor.
    state.withLock { state in
      let key = ObjectIdentifier(connection)
      guard let entry = state.open.removeValue(forKey: key) else { return }
      state.extras.remove(key)
      if !entry.isEnding { state.discount(entry) }
    }
  }

  /// Counts a proxy's connection for the client of a request; false if that client has used up its
  /// share.
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

  /// Counts a proxy's connection for itself again.
  func takeBack(_ connection: Connection) {
    state.withLock { $0.move(connection, to: .proxy(socket: connection.socket)) }
  }

  /// Ends the longest idle connections, since the system has no free file descriptors.
  func makeRoom() {
    state.withLock { state in
      state.fruitless = [:]
      state.endIdle(max(limits.all / 64, 1), for: nil, ofAll: true)
    }
  }

  // MARK: - Requests

  /// Whether any request waits for its response, or for the rest of it.
  var hasUnansweredRequests: Bool {
    state.withLock { state in
      state.open.values.contains { $0.connection.hasUnansweredRequest }
    }
  }

  /// The maximum time for the library to start a connection, in milliseconds.
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
          // Its request may have arrived at this moment.
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

  /// Ends idle connections: of the newcomer's share, or also of shares with more connections than
  /// it.
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
    // The client with the most connections first, and of these the longest idle.
    found.sort { ($1.weight, $0.since) < ($0.weight, $1.since) }
    for one in found.prefix(count) { end(one.key) }
  }

  /// The pause after a search without a result, in milliseconds.
  private static let searchPause = 20

  /// Ends the longest idle extra connection; false if all have requests.
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
