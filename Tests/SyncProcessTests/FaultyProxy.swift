import Foundation
import Glibc

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

  let port: UInt16
  private let listener: Int32
  private let lock = NSLock()
  private var target: UInt16
  private var faults: [Fault] = []
  private var isRefusing = false
  private var counts: [Fault.Kind: Int] = [:]
  private var kill: @Sendable () -> Void = {}

  struct NotStarted: Error {}

  init(target: UInt16) throws {
    self.target = target
    let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(handle, $0, length) == 0 && listen(handle, 64) == 0
          && getsockname(handle, $0, &length) == 0
      }
    }
    guard isBound else { throw NotStarted() }
    listener = handle
    port = UInt16(bigEndian: address.sin_port)
    Thread { [listener] in
      while true {
        let client = accept(listener, nil, nil)
        if client < 0 {
          guard errno == EINTR || errno == ECONNABORTED else { break }
          continue
        }
        // Servers that are started meanwhile would keep it open.
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        Thread { [weak self] in
          self?.serve(client)
          close(client)
        }.start()
      }
      close(listener)
    }.start()
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

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
      return reset(client)
    case .answer429: return answer(client, .answer429, "429 Too Many Requests")
    case .answer500: return answer(client, .answer500, "500 Internal Server Error")
    case .answer503: return answer(client, .answer503, "503 Service Unavailable")
    default: break
    }
    guard let server = connection(to: port) else { return reset(client) }
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
        guard let bytes = receive(client) else { return }
        let allowed = min(bytes.count, requestLimit - passed.request)
        passed.request += allowed
        guard send(bytes.prefix(allowed), to: server) else { return }
        if passed.request >= requestLimit { return happen(fault, client, server) }
      }
      if ends[1].revents != 0 {
        guard let bytes = receive(server) else { return }
        let allowed = min(bytes.count, answerLimit - passed.answer)
        passed.answer += allowed
        guard send(bytes.prefix(allowed), to: client) else { return }
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
      reset(client)
      reset(server)
    }
  }

  /// Answers a request itself.
  private func answer(_ client: Int32, _ kind: Fault.Kind, _ status: String) {
    guard let first = receive(client) else { return }
    note(kind)
    _ = send(
      Array(
        "HTTP/1.1 \(status)\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
          .utf8)[...], to: client)
    shutdown(client, Int32(SHUT_WR))
    // Bytes that nobody reads would reset the connection before the answer is read.
    var count = first.count
    while let more = receive(client), count < 64 << 20 { count += more.count }
  }
}

// MARK: - Sockets

private func loopback(port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = inet_addr("127.0.0.1")
  return address
}

/// A connection to a port of this machine; nil if nobody listens there.
private func connection(to port: UInt16) -> Int32? {
  let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  var address = loopback(port: port)
  let status = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  guard status != 0 else { return handle }
  close(handle)
  return nil
}

/// What has arrived; nil at the end.
private func receive(_ handle: Int32) -> [UInt8]? {
  var piece = [UInt8](repeating: 0, count: 1 << 16)
  let count = piece.withUnsafeMutableBytes { recv(handle, $0.baseAddress, $0.count, 0) }
  return count > 0 ? Array(piece[..<count]) : nil
}

private func send(_ bytes: ArraySlice<UInt8>, to handle: Int32) -> Bool {
  var rest = bytes
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes {
      Glibc.send(handle, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    guard count > 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}

/// Lets the connection end with a reset when it is closed.
private func reset(_ handle: Int32) {
  var option = linger(l_onoff: 1, l_linger: 0)
  setsockopt(handle, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
}
