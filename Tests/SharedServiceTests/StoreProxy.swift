import Foundation
import Glibc

/// A proxy between servers and a store on this machine, which does wrong what it is told to, at once and for all
/// connections. Each has a thread.
final class StoreProxy: @unchecked Sendable {
  // All that changes is behind the lock.

  enum Mode: Hashable, Sendable {
    case passing
    /// Connections are reset, and new ones too.
    case refusing
    /// Requests get no answer. With a number that many bytes of it still come.
    case stallingAnswers(after: Int)
    /// Of each request that begins now that many bytes get through.
    case stallingRequests(after: Int)
    /// Each answer comes so much later.
    case delaying(seconds: Double)
  }

  let port: UInt16
  private let target: UInt16
  private let listener: Int32
  private let lock = NSLock()
  private var modeNow = Mode.passing
  private var stalled = 0

  struct NotStarted: Error {}

  init(target: UInt16) throws {
    self.target = target
    let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(handle, $0, length) == 0 && listen(handle, 256) == 0
          && getsockname(handle, $0, &length) == 0
      }
    }
    guard isBound else { throw NotStarted() }
    listener = handle
    port = UInt16(bigEndian: address.sin_port)
    Thread { [weak self, listener] in
      while true {
        let client = accept(listener, nil, nil)
        if client < 0 {
          guard errno == EINTR || errno == ECONNABORTED else { break }
          continue
        }
        // Servers that are started meanwhile would keep it open.
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        self?.begin(client)
      }
      close(listener)
    }.start()
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  /// What happens from now on.
  var mode: Mode {
    get { lock.withLock { modeNow } }
    set { lock.withLock { (modeNow, stalled) = (newValue, 0) } }
  }

  /// The number of connections that the mode has stalled.
  var stalledCount: Int { lock.withLock { stalled } }

  // MARK: - Connections

  private struct Side {
    let handle: Int32
    /// The bytes since the other side has spoken: those of this request or answer.
    var count = 0
    var isStalled = false
    var isDelayed = false
  }

  /// POLLRDHUP: the other side sends no more.
  private static let hangUp: Int16 = 0x2000

  private func begin(_ client: Int32) {
    Thread { [self] in
      serve(client)
      close(client)
    }.start()
  }

  private func serve(_ client: Int32) {
    guard mode != .refusing, let server = connection(to: target) else { return reset(client) }
    defer { close(server) }
    var sides = [Side(handle: client), Side(handle: server)]
    while true {
      let mode = mode
      if mode == .refusing {
        reset(client)
        return reset(server)
      }
      for index in sides.indices where sides[index].isStalled {
        sides[index].isStalled = allowed(sides[index], isAnswer: index == 1, mode) == 0
      }
      // A stalled side is not read, but its end is noticed.
      var ends = sides.map { side in
        pollfd(
          fd: side.handle, events: side.isStalled ? Self.hangUp : Int16(POLLIN), revents: 0)
      }
      guard poll(&ends, 2, 20) >= 0 else { return }
      for index in sides.indices where ends[index].revents != 0 {
        if sides[index].isStalled { return }
        guard pass(&sides, from: index, mode) else { return }
      }
    }
  }

  /// How many bytes of one side the mode lets through now.
  private func allowed(_ side: Side, isAnswer: Bool, _ mode: Mode) -> Int {
    switch mode {
    case .stallingAnswers(let limit) where isAnswer: max(limit - side.count, 0)
    case .stallingRequests(let limit) where !isAnswer: max(limit - side.count, 0)
    default: 1 << 16
    }
  }

  /// Passes on what one side has sent; false at its end.
  private func pass(_ sides: inout [Side], from index: Int, _ mode: Mode) -> Bool {
    let allowed = allowed(sides[index], isAnswer: index == 1, mode)
    if allowed == 0 {
      sides[index].isStalled = true
      lock.withLock { stalled += 1 }
      return true
    }
    if index == 1, sides[1].count == 0, case .delaying(let seconds) = mode {
      usleep(UInt32(seconds * 1e6))
    }
    guard let bytes = receive(sides[index].handle, limit: min(allowed, 1 << 16)) else {
      return false
    }
    sides[index].count += bytes.count
    sides[1 - index].count = 0
    return send(bytes[...], to: sides[1 - index].handle)
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

/// A port of this machine at which nobody listens.
func freePort() -> UInt16 {
  let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  defer { close(handle) }
  var address = loopback(port: 0)
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  _ = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(handle, $0, length) == 0 && getsockname(handle, $0, &length) == 0
    }
  }
  return UInt16(bigEndian: address.sin_port)
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
  guard status != 0 else {
    var one: Int32 = 1
    setsockopt(handle, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    return handle
  }
  close(handle)
  return nil
}

/// What has arrived; nil at the end.
private func receive(_ handle: Int32, limit: Int) -> [UInt8]? {
  var piece = [UInt8](repeating: 0, count: limit)
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
