import Foundation
import Glibc

/// A proxy between clients and a server on this machine that simulates planned faults: in single
/// connections, or in all of them, depending on its mode. Each connection has a thread.
public final class FaultyProxy: @unchecked Sendable {
  // All mutable state is protected by the lock.

  /// A fault of one connection.
  public struct Fault: Sendable {
    /// The kind of the fault.
    public enum Kind: String, CaseIterable, Sendable {
      /// The connection ends before it was used.
      case refusal
      /// It is cut at a byte of the request or of the answer.
      case cutRequest, cutAnswer
      /// It is cut when the server begins to answer: the request was carried out, but its answer is
      /// lost.
      case droppedAnswer
      /// Nothing is passed on for some microseconds.
      case delay
      case answer429, answer500, answer503
      /// The server is killed at a byte of a request or of an answer.
      case killAtRequest, killAtAnswer
    }

    let kind: Kind
    let byte: Int
    let isReset: Bool

    /// A fault at a byte; with `isReset` a cut connection ends with a reset.
    public init(kind: Kind, byte: Int = 0, isReset: Bool = false) {
      (self.kind, self.byte, self.isReset) = (kind, byte, isReset)
    }

    /// The number of bytes of a side before the fault.
    fileprivate func limit(isAnswer: Bool) -> Int {
      switch kind {
      case .cutRequest, .killAtRequest: isAnswer ? .max : byte
      case .cutAnswer, .killAtAnswer: isAnswer ? byte : .max
      case .droppedAnswer: isAnswer ? 0 : .max
      default: .max
      }
    }
  }

  /// The state of all connections.
  public enum Mode: Hashable, Sendable {
    case passing
    /// Connections are reset, and new ones too.
    case refusing
    /// Requests get no answer, or only this many bytes of it.
    case stallingAnswers(after: Int)
    /// Only this many bytes of each request pass, beginning with the next request.
    case stallingRequests(after: Int)
    /// Each answer is delayed by this time.
    case delaying(seconds: Double)
  }

  /// Its port.
  public var port: UInt16 { listener.port }
  private let listener: LoopbackListener
  private let lock = NSLock()
  private var target: UInt16
  private var kill: @Sendable () -> Void = {}
  private var faults: [Fault] = []
  private var counts: [Fault.Kind: Int] = [:]
  private var modeNow = Mode.passing
  private var stalled = 0

  /// Passes connections on to a port.
  public init(target: UInt16) throws {
    self.target = target
    listener = try LoopbackListener()
    // The listener's thread must not retain the proxy, because the listener ends with it.
    listener.start { [weak self] client in
      guard let self else { return _ = close(client) }
      Thread {
        self.serve(client)
        close(client)
      }.start()
    }
  }

  // MARK: - What is to happen

  /// Passes connections on to a server, which `kill` kills.
  public func connect(to port: UInt16, killingBy kill: @escaping @Sendable () -> Void) {
    lock.withLock { (target, self.kill) = (port, kill) }
  }

  /// Faults of the next connections, one each; later connections have none.
  public func plan(_ faults: [Fault]) { lock.withLock { self.faults = faults } }

  /// The mode from now on.
  public var mode: Mode {
    get { lock.withLock { modeNow } }
    set { lock.withLock { (modeNow, stalled) = (newValue, 0) } }
  }

  /// The number of faults of each kind so far.
  public var happened: [Fault.Kind: Int] { lock.withLock { counts } }

  /// The number of connections that the mode has stalled.
  public var stalledCount: Int { lock.withLock { stalled } }

  private func note(_ kind: Fault.Kind) { lock.withLock { counts[kind, default: 0] += 1 } }

  // MARK: - Connections

  private struct Side {
    let handle: Int32
    /// The bytes until the fault of the connection.
    var rest: Int
    /// The bytes of the current request or answer.
    var count = 0
    var isStalled = false
  }

  /// POLLRDHUP: the other side sends no more.
  private static let hangUp: Int16 = 0x2000

  private func serve(_ client: Int32) {
    let (fault, port) = lock.withLock {
      let fault = modeNow == .refusing ? Fault(kind: .refusal) : faults.first
      if modeNow != .refusing { faults = Array(faults.dropFirst()) }
      return (fault, target)
    }
    switch fault?.kind {
    case .refusal:
      note(.refusal)
      return Loopback.reset(client)
    case .answer429: return answer(client, .answer429, "429 Too Many Requests")
    case .answer500: return answer(client, .answer500, "500 Internal Server Error")
    case .answer503: return answer(client, .answer503, "503 Service Unavailable")
    default: break
    }
    guard let server = Loopback.connection(to: port) else { return Loopback.reset(client) }
    defer { close(server) }
    if let fault, fault.kind == .delay {
      note(.delay)
      usleep(UInt32(fault.byte))
    }
    var sides = [client, server].map {
      Side(handle: $0, rest: fault?.limit(isAnswer: $0 == server) ?? .max)
    }
    while passSome(&sides, fault) {}
  }

  /// Passes on available bytes; false at the end of a side, and after the fault.
  private func passSome(_ sides: inout [Side], _ fault: Fault?) -> Bool {
    let mode = mode
    if mode == .refusing {
      for side in sides { Loopback.reset(side.handle) }
      return false
    }
    for index in sides.indices where sides[index].isStalled {
      sides[index].isStalled = allowed(sides[index], isAnswer: index == 1, mode) == 0
    }
    // A stalled side is not read, but its end is detected.
    var ends = sides.map { side in
      pollfd(fd: side.handle, events: side.isStalled ? Self.hangUp : Int16(POLLIN), revents: 0)
    }
    guard poll(&ends, 2, 20) >= 0 else { return false }
    for index in sides.indices where ends[index].revents != 0 {
      guard !sides[index].isStalled, pass(&sides, from: index, mode, fault) else { return false }
    }
    return true
  }

  /// The number of bytes of one side that the mode allows now.
  private func allowed(_ side: Side, isAnswer: Bool, _ mode: Mode) -> Int {
    switch mode {
    case .stallingAnswers(let limit) where isAnswer: max(limit - side.count, 0)
    case .stallingRequests(let limit) where !isAnswer: max(limit - side.count, 0)
    default: 1 << 16
    }
  }

  /// Passes on the bytes of one side; false at its end, and after the fault.
  private func pass(
    _ sides: inout [Side], from index: Int, _ mode: Mode, _ fault: Fault?
  ) -> Bool {
    let allowed = allowed(sides[index], isAnswer: index == 1, mode)
    if allowed == 0 {
      sides[index].isStalled = true
      lock.withLock { stalled += 1 }
      return true
    }
    if index == 1, sides[1].count == 0, case .delaying(let seconds) = mode {
      usleep(UInt32(seconds * 1e6))
    }
    guard let bytes = Loopback.receive(sides[index].handle, limit: min(allowed, 1 << 16)) else {
      return false
    }
    let passed = bytes.prefix(sides[index].rest)
    sides[index].rest -= passed.count
    sides[index].count += passed.count
    sides[1 - index].count = 0
    guard Loopback.send(passed, to: sides[1 - index].handle) else { return false }
    guard let fault, sides[index].rest == 0 else { return true }
    note(fault.kind)
    if [.killAtRequest, .killAtAnswer].contains(fault.kind) { lock.withLock { kill }() }
    if fault.isReset { for side in sides { Loopback.reset(side.handle) } }
    return false
  }

  /// Answers a request itself.
  private func answer(_ client: Int32, _ kind: Fault.Kind, _ status: String) {
    guard let first = Loopback.receive(client) else { return }
    note(kind)
    _ = Loopback.send(
      Array(
        "HTTP/1.1 \(status)\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
          .utf8)[...], to: client)
    shutdown(client, Int32(SHUT_WR))
    // Unread bytes would reset the connection before the answer is read.
    var count = first.count
    while let more = Loopback.receive(client), count < 64 << 20 { count += more.count }
  }
}
