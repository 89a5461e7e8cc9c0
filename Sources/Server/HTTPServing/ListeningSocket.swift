import CNetwork
import Glibc

/// A listening socket.
package struct ListeningSocket {
  package let handle: Int32
  /// The address with its port, in the form for URLs.
  package let address: String
  /// Whether only programs on this machine can connect.
  package let isLocal: Bool

  /// The reason for a failure: the address is invalid, or the system refuses it with an error
  /// number.
  package enum Problem: Error {
    case badAddress
    case system(Int32)
  }

  /// Listens at a numeric address with a port: `127.0.0.1:8080`, `[::1]:8080`, `0.0.0.0:0` for any
  /// free port.
  package init(_ text: String) throws(Problem) {
    guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { throw .badAddress }
    let port = String(text[text.utf8.index(after: colon)...])
    var host = String(text[..<colon])
    if host == "localhost" { host = "127.0.0.1" }
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard UInt16(port) != nil, !host.isEmpty else { throw .badAddress }
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, port, &hints, &found) == 0, let info = found?.pointee else {
      throw .badAddress
    }
    defer { freeaddrinfo(found) }
    let handle = socket(
      info.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
      0)
    guard handle >= 0 else { throw .system(errno) }
    var one: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &one, size)
    guard bind(handle, info.ai_addr, info.ai_addrlen) == 0, listen(handle, 1024) == 0 else {
      let code = errno
      close(handle)
      throw .system(code)
    }
    self.handle = handle
    let bound = Self.port(of: handle) ?? port
    address = (host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host) + ":" + bound
    isLocal = host.hasPrefix("127.") || host == "::1"
  }

  private static func port(of handle: Int32) -> String? {
    var (address, size) = (sockaddr_storage(), socklen_t(MemoryLayout<sockaddr_storage>.size))
    var service = [CChar](repeating: 0, count: 32)
    let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        getsockname(handle, pointer, &size) == 0
          && getnameinfo(
            pointer, size, nil, 0, &service, socklen_t(service.count), Int32(NI_NUMERICSERV)) == 0
      }
    }
    guard isKnown else { return nil }
    return String(
      decoding: service.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
