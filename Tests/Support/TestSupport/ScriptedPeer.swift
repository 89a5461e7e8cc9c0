import Foundation
import Glibc

/// A server that sends scripted bytes, including answers that no proper server gives.
public final class ScriptedPeer: @unchecked Sendable {
  private let listener: LoopbackListener
  private let lock = NSLock()
  private var taken: [UInt8] = []
  private var counted = 0

  /// All bytes that clients have sent and scripts have read.
  public var received: [UInt8] { lock.withLock { taken } }
  /// The number of connections so far.
  public var connectionCount: Int { lock.withLock { counted } }
  /// Its port.
  public var port: UInt16 { listener.port }
  /// Its address.
  public var url: String { "http://127.0.0.1:\(port)" }

  /// Runs a script with every connection, one after the other, and closes it after that.
  public init(_ script: @escaping @Sendable (Link) -> Void) throws {
    listener = try LoopbackListener()
    listener.start { [weak self] client in
      self?.lock.withLock { self?.counted += 1 }
      script(Link(client) { bytes in self?.lock.withLock { self?.taken += bytes } })
      close(client)
    }
  }

  /// A connection from a client.
  public struct Link {
    private let handle: Int32
    private let note: ([UInt8]) -> Void

    fileprivate init(_ handle: Int32, _ note: @escaping ([UInt8]) -> Void) {
      (self.handle, self.note) = (handle, note)
    }

    /// Reads up to the end of a header, or of the connection.
    public func readHeader() {
      var bytes: [UInt8] = []
      while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
        guard let byte = Loopback.receive(handle, limit: 1) else { return }
        bytes += byte
      }
      note(bytes)
    }

    /// Reads until the client closes the connection.
    public func readToEnd() {
      while let bytes = Loopback.receive(handle) { note(bytes) }
    }

    /// Sends bytes.
    public func write(_ bytes: [UInt8]) { _ = Loopback.send(bytes[...], to: handle) }

    /// Sends text.
    public func write(_ text: String) { write(Array(text.utf8)) }
  }
}
