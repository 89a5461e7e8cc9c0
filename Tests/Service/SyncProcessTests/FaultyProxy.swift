import Foundation
import Glibc
import TestSupport

/// A proxy between devices and a server on this machine that does wrong what it is told to. Each connection has a thread.
final class FaultyProxy: @unchecked Sendable {
  // All that changes is behind the lock.

  /// What happens to a connection.
  struct Fault: Sendable {
    enum Kind: String, CaseIterable, Sendable {
      /// The connection ends before it was used.
      case refusal
      /// It is cut at a byte of what the device or the server sends.
      case cutRequest, cutAnswer
      /// It is cut when the server begins to answer: all was done, and nobody hears of it.
      case droppedAnswer
      case delay
      case answer429, answer500, answer503
      /// The server is killed at a byte of a request or of an answer.
      case killAtRequest, killAtAnswer
    }

    var kind: Kind
    var byte = 0
    /// Whether a cut connection ends with a reset.
    var isReset = false
  }

  var port: UInt16 { listener.port }
  private let listener: LoopbackListener
  private let lock = NSLock()
  private var target: UInt16
  private var faults: [Fault] = []
  private var isRefusing = false
  private var counts: [Fault.Kind: Int] = [:]
  private var kill: @Sendable () -> Void = {}

  init(target: UInt16) throws {
    self.target = target
    listener = try LoopbackListener()
    listener.start { client in
      Thread { [weak self] in
        self?.serve(client)
        close(client)
      }.start()
    }
  }

  // MARK: - What is to happen

  /// Passes connections to a server, which `kill` kills.
  func connect(to port: UInt16, killingBy kill: @escaping @Sendable () -> Void) {
    lock.withLock { (target, self.kill) = (port, kill) }
  }

  /// What happens to the next connections, one each; those after them are passed on.
  func plan(_ faults: [Fault]) { lock.withLock { self.faults = faults } }

  /// Whether all connections are refused.
  func setRefusing(_ isRefusing: Bool) { lock.withLock { self.isRefusing = isRefusing } }

  /// How often what has happened.
  var happened: [Fault.Kind: Int] { lock.withLock { counts } }

  private func note(_ kind: Fault.Kind) { lock.withLock { counts[kind, default: 0] += 1 } }

  // MARK: - Connections

  private func serve(_ client: Int32) {
    let (fault, port) = lock.withLock {
      let fault = isRefusing ? Fault(kind: .refusal) : faults.isEmpty ? nil : faults.removeFirst()
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
    pass(client, server, fault)
  }

  /// Passes bytes on in both directions, until one side ends or the fault happens.
  private func pass(_ client: Int32, _ server: Int32, _ fault: Fault?) {
    let (requestLimit, answerLimit) = limits(fault)
    var passed = (request: 0, answer: 0)
    var isDelayed = fault?.kind == .delay
    while true {
      var ends = [
        pollfd(fd: client, events: Int16(POLLIN), revents: 0),
        pollfd(fd: server, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&ends, 2, 60_000) > 0 else { return }
      if isDelayed {
        isDelayed = false
        note(.delay)
        usleep(UInt32(fault?.byte ?? 0))
      }
      if ends[0].revents != 0 {
        guard let bytes = Loopback.receive(client) else { return }
        let allowed = min(bytes.count, requestLimit - passed.request)
        passed.request += allowed
        guard Loopback.send(bytes.prefix(allowed), to: server) else { return }
        if passed.request >= requestLimit { return happen(fault, client, server) }
      }
      if ends[1].revents != 0 {
        guard let bytes = Loopback.receive(server) else { return }
        let allowed = min(bytes.count, answerLimit - passed.answer)
        passed.answer += allowed
        guard Loopback.send(bytes.prefix(allowed), to: client) else { return }
        if passed.answer >= answerLimit { return happen(fault, client, server) }
      }
    }
  }

  /// After how many bytes of the request and of the answer the fault happens.
  private func limits(_ fault: Fault?) -> (request: Int, answer: Int) {
    switch fault?.kind {
    case .cutRequest, .killAtRequest: (fault?.byte ?? 0, .max)
    case .cutAnswer, .killAtAnswer: (.max, fault?.byte ?? 0)
    case .droppedAnswer: (.max, 0)
    default: (.max, .max)
    }
  }

  private func happen(_ fault: Fault?, _ client: Int32, _ server: Int32) {
    guard let fault else { return }
    note(fault.kind)
    if fault.kind == .killAtRequest || fault.kind == .killAtAnswer { lock.withLock { kill }() }
    if fault.isReset {
      Loopback.reset(client)
      Loopback.reset(server)
    }
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
    // Bytes that nobody reads would reset the connection before the answer is read.
    var count = first.count
    while let more = Loopback.receive(client), count < 64 << 20 { count += more.count }
  }
}
