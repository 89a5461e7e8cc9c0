import Foundation
import Glibc

/// A server of plain bytes, for answers that a proper one never gives.
final class Peer: @unchecked Sendable {
  let port: Int
  private let listener: Int32
  private let lock = NSLock()
  private var taken: [UInt8] = []
  private var counted = 0

  struct NotStarted: Error {}

  /// Everything that clients have sent and the scripts have read.
  var received: [UInt8] { lock.withLock { taken } }
  /// The connections so far.
  var connectionCount: Int { lock.withLock { counted } }

  var url: String { "http://127.0.0.1:\(port)" }

  /// Runs a script with every connection, one after the other, and closes it after that.
  init(_ script: @escaping @Sendable (Link) -> Void) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let handle = listener
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(handle, $0, length) | listen(handle, 8) | getsockname(handle, $0, &length)
      }
    }
    guard status == 0 else { throw NotStarted() }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [weak self] in
      while true {
        let client = accept(handle, nil, nil)
        guard client >= 0 else { break }
        self?.lock.withLock { self?.counted += 1 }
        script(Link(client) { bytes in self?.lock.withLock { self?.taken += bytes } })
        Glibc.close(client)
      }
      Glibc.close(handle)
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  /// A port at which nobody listens.
  static func refusedPort() throws -> Int {
    let peer = try Peer { _ in }
    return peer.port
  }

  /// A connection from a client.
  struct Link {
    private let handle: Int32
    private let note: ([UInt8]) -> Void

    init(_ handle: Int32, _ note: @escaping ([UInt8]) -> Void) {
      (self.handle, self.note) = (handle, note)
    }

    /// Reads up to the end of a header, or of the connection. Returns false at the latter.
    @discardableResult
    func readHeader() -> Bool {
      var bytes: [UInt8] = []
      var byte = [UInt8](repeating: 0, count: 1)
      while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
        guard recv(handle, &byte, 1, 0) == 1 else { return false }
        bytes += byte
      }
      note(bytes)
      return true
    }

    /// Reads until the client closes the connection.
    func readToEnd() {
      var piece = [UInt8](repeating: 0, count: 4096)
      while case let count = recv(handle, &piece, piece.count, 0), count > 0 {
        note(Array(piece[..<count]))
      }
    }

    func write(_ text: String) {
      let bytes = Array(text.utf8)
      _ = send(handle, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
  }
}
