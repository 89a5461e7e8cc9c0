import CNetwork
import Glibc

/// The address of a client, without its port.
struct ClientAddress: Sendable {
  /// The address as text; IPv4-mapped addresses as IPv4.
  let text: String
  /// Whether the client is on this machine.
  let isLocal: Bool
  /// The share of the connections that the client counts towards.
  let share: Share

  /// A group of connections with a common limit.
  enum Share: Hashable, Sendable {
    case four(UInt32)
    /// The first half of an IPv6 address: an owner of one may choose the other half freely.
    case six(UInt64)
    /// A client named by a proxy with something other than an address.
    case name(String)
    /// A proxy's connection between two requests, which counts for itself only.
    case proxy(socket: Int32)
  }

  /// The address of a connection.
  init(_ address: sockaddr_storage) {
    self = withUnsafeBytes(of: address) { bytes in
      if Int32(address.ss_family) == AF_INET {
        let found = bytes.loadUnaligned(as: sockaddr_in.self)
        return ClientAddress(four: found.sin_addr)
      }
      guard Int32(address.ss_family) == AF_INET6 else { return ClientAddress(name: "") }
      return ClientAddress(six: bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
    }
  }

  /// Parses an address as proxies write it, with or without a port.
  init(_ text: String) {
    var bare = text[...]
    if bare.hasPrefix("["), let end = bare.firstIndex(of: "]") {
      bare = bare[..<end].dropFirst()
    } else if bare.count(where: { $0 == ":" }) == 1 {
      bare = bare.prefix { $0 != ":" }
    }
    var (four, six) = (in_addr(), in6_addr())
    if inet_pton(AF_INET, String(bare), &four) == 1 {
      self.init(four: four)
    } else if inet_pton(AF_INET6, String(bare), &six) == 1 {
      self.init(six: six)
    } else {
      self.init(name: String(text.prefix(64)))
    }
  }

  private init(text: String, isLocal: Bool, share: Share) {
    (self.text, self.isLocal, self.share) = (text, isLocal, share)
  }

  private init(name: String) { (text, isLocal, share) = (name, false, .name(name)) }

  private init(four address: in_addr) {
    let bits = UInt32(bigEndian: address.s_addr)
    text = Self.text(address, AF_INET)
    isLocal = bits >> 24 == 127
    share = .four(bits)
  }

  private init(six address: in6_addr) {
    let (high, low) = withUnsafeBytes(of: address) {
      (
        UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
        UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
    if high == 0, low >> 32 == 0xFFFF {
      self.init(four: in_addr(s_addr: UInt32(truncatingIfNeeded: low).bigEndian))
    } else {
      self.init(
        text: Self.text(address, AF_INET6), isLocal: high == 0 && low == 1, share: .six(high))
    }
  }

  private static func text(_ address: some Any, _ family: Int32) -> String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let isText = withUnsafeBytes(of: address) {
      inet_ntop(family, $0.baseAddress, &text, socklen_t(text.count)) != nil
    }
    return isText
      ? String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
  }
}
