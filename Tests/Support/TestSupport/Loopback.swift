import Foundation
import Glibc

/// Connections of this machine to itself, for servers and proxies with deliberate faults.
public enum Loopback {
  fileprivate static func socket() -> Int32 {
    Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  }

  /// Calls `bind` or `connect` with an address of this machine; false if it fails.
  private static func call(
    _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ handle: Int32,
    _ host: String = "127.0.0.1", port: UInt16 = 0
  ) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr(host)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        function(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  /// Binds a socket to a free port and returns the port; nil if it cannot.
  fileprivate static func bind(_ handle: Int32) -> UInt16? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call(Glibc.bind, handle) && getsockname(handle, $0, &length) == 0
      }
    }
    return isBound ? UInt16(bigEndian: address.sin_port) : nil
  }

  /// A port without a listener.
  public static func freePort() -> UInt16 {
    let handle = socket()
    defer { close(handle) }
    return bind(handle) ?? 0
  }

  /// A connection to a port, optionally from another address of this machine; nil if there is no
  /// listener.
  public static func connection(to port: UInt16, from source: String? = nil) -> Int32? {
    let handle = socket()
    guard source.map({ call(Glibc.bind, handle, $0) }) ?? true, call(connect, handle, port: port)
    else {
      close(handle)
      return nil
    }
    var one: Int32 = 1
    setsockopt(handle, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    return handle
  }

  /// The bytes that have arrived; nil at the end.
  public static func receive(_ handle: Int32, limit: Int = 1 << 16) -> [UInt8]? {
    var piece = [UInt8](repeating: 0, count: limit)
    let count = piece.withUnsafeMutableBytes { recv(handle, $0.baseAddress, $0.count, 0) }
    return count > 0 ? Array(piece[..<count]) : nil
  }

  /// Sends bytes; false if the other side accepts no more.
  public static func send(_ bytes: ArraySlice<UInt8>, to handle: Int32) -> Bool {
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

  /// Lets a connection end with a reset when it is closed.
  public static func reset(_ handle: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(handle, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }
}

/// Listens at a free port of this machine until it is released.
public final class LoopbackListener: Sendable {
  /// The port.
  public let port: UInt16
  private let handle: Int32

  /// No port could be opened.
  public struct NotStarted: Error {}

  /// Listens; connections wait until `start`.
  public init() throws {
    handle = Loopback.socket()
    guard let port = Loopback.bind(handle), listen(handle, 256) == 0 else { throw NotStarted() }
    self.port = port
  }

  /// Calls a body with each connection, on one thread.
  public func start(_ body: @escaping @Sendable (Int32) -> Void) {
    Thread { [handle] in
      while true {
        let client = accept(handle, nil, nil)
        if client < 0 {
          guard errno == EINTR || errno == ECONNABORTED else { break }
          continue
        }
        // Servers that are started meanwhile would inherit it.
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        body(client)
      }
      close(handle)
    }.start()
  }

  deinit { shutdown(handle, Int32(SHUT_RDWR)) }
}
