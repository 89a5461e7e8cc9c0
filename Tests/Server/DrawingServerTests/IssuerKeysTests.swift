import DrawingServices
import Foundation
import Glibc
import Testing

@testable import DrawingServer

/// A server that gives keys, or whatever else it is told to.
final class FakeIssuer: @unchecked Sendable {
  struct Answer {
    var status = 500
    var fields = ""
    var body: [UInt8] = []
  }

  private let lock = NSLock()
  private let listener: Int32
  private var stored = Answer()
  private var counted = 0
  let url: String

  /// What every request is answered with.
  var answer: Answer {
    get { lock.withLock { stored } }
    set { lock.withLock { stored = newValue } }
  }

  /// How many requests came.
  var count: Int { lock.withLock { counted } }

  init() throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
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
    guard status == 0 else { throw TestServer.NotStarted() }
    url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/keys"
    Thread.detachNewThread { [weak self] in
      while true {
        let client = accept(handle, nil, nil)
        guard client >= 0 else { return }
        var piece = [UInt8](repeating: 0, count: 4096)
        _ = piece.withUnsafeMutableBytes { recv(client, $0.baseAddress, $0.count, 0) }
        if let self {
          let answer = self.lock.withLock {
            self.counted += 1
            return self.stored
          }
          let head =
            "HTTP/1.1 \(answer.status) X\r\n\(answer.fields)"
            + "Content-Length: \(answer.body.count)\r\nConnection: close\r\n\r\n"
          let bytes = Array(head.utf8) + answer.body
          _ = bytes.withUnsafeBytes {
            Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
        }
        Glibc.close(client)
      }
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }
}

/// Whether a condition holds within some seconds.
func waited(_ seconds: Double, _ condition: () throws -> Bool) rethrows -> Bool {
  let end = Date().addingTimeInterval(seconds)
  while Date() < end {
    if try condition() { return true }
    usleep(20_000)
  }
  return try condition()
}

/// The keys of another issuer, by its address.
struct IssuerKeysTests {
  /// The base point of P-256, which is a valid key.
  private static let keys = Array(
    #"""
    {"keys": [{"kty": "EC", "crv": "P-256", "kid": "g",
      "x": "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY",
      "y": "T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"}]}
    """#.utf8)

  private let issuer: FakeIssuer

  init() throws { issuer = try FakeIssuer() }

  private func keys(_ pace: IssuerKeys.Pace) throws -> IssuerKeys {
    var settings = ServerSettings()
    settings.tokenKeys = issuer.url
    return try #require(try IssuerKeys(settings, pace: pace))
  }

  private func pace(least: Double, usual: Double = 3600) -> IssuerKeys.Pace {
    IssuerKeys.Pace(
      least: least, most: 3600, usual: usual, afterUnknownKey: 0.1, afterFailure: 0.1)
  }

  @Test func `an address is asked again when its answer is old`() throws {
    issuer.answer = .init(
      status: 200, fields: "Cache-Control: public, max-age=1\r\n", body: Self.keys)
    let keys = try keys(pace(least: 0.1))
    defer { keys.close() }
    #expect(waited(10) { keys.current.verifier != nil && keys.current.version >= 3 })
  }

  @Test func `an address is asked soon after a token with a key that is not there`() throws {
    issuer.answer = .init(status: 200, body: Self.keys)
    let keys = try keys(pace(least: 3600))
    defer { keys.close() }
    #expect(waited(10) { keys.current.version == 1 })
    #expect(
      waited(10) {
        keys.lacksKey()
        return keys.current.version == 2
      })
  }

  @Test func `answers without keys, too large ones and redirects leave the keys of before`() throws
  {
    issuer.answer = .init(status: 200, body: Self.keys)
    let keys = try keys(pace(least: 0.1, usual: 0.1))
    defer { keys.close() }
    #expect(waited(10) { keys.current.version > 0 })
    for answer in [
      FakeIssuer.Answer(status: 200, body: Array("{}".utf8)),
      FakeIssuer.Answer(status: 200, body: Array(repeating: 32, count: 3 << 20)),
      FakeIssuer.Answer(status: 302, fields: "Location: \(issuer.url)\r\n", body: Self.keys),
      // A set that everybody can read holds no secrets.
      FakeIssuer.Answer(
        status: 200,
        body: Array(#"{"keys":[{"kty":"oct","k":"\#(String(repeating: "A", count: 43))"}]}"#.utf8)),
    ] {
      issuer.answer = answer
      let count = issuer.count
      #expect(waited(10) { issuer.count >= count + 2 })
      let version = keys.current.version
      #expect(waited(10) { issuer.count >= count + 4 })
      #expect(keys.current.verifier != nil && keys.current.version == version)
    }
  }

  @Test(arguments: [
    "http://id.example/keys", "ftp://id.example", "https://", "http://localhost@id.example/",
    "https://id.example/a b",
  ])
  func `addresses that others could answer for are refused`(_ url: String) {
    var settings = ServerSettings()
    settings.tokenKeys = url
    #expect(throws: ServerProblem.self) { try IssuerKeys(settings) }
  }
}
