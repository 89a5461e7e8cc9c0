import DrawingServices
import Foundation
import Glibc
import TestSupport
import Testing
import Threads

@testable import DrawingServer

/// A server that returns keys, or any other answer.
final class FakeIssuer: Sendable {
  struct Answer {
    var status = 500
    var fields = ""
    var body: [UInt8] = []
  }

  private let stored: ConditionMutex<Answer>
  private let peer: ScriptedPeer

  /// The answer to every request.
  var answer: Answer {
    get { stored.withLock { $0 } }
    set { stored.withLock { $0 = newValue } }
  }

  /// The number of requests.
  var count: Int { peer.connectionCount }
  var url: String { "\(peer.url)/keys" }

  init() throws {
    let stored = ConditionMutex(Answer())
    self.stored = stored
    peer = try ScriptedPeer { link in
      link.readHeader()
      let answer = stored.withLock { $0 }
      link.write(
        "HTTP/1.1 \(answer.status) X\r\n\(answer.fields)"
          + "Content-Length: \(answer.body.count)\r\nConnection: close\r\n\r\n")
      link.write(answer.body)
    }
  }
}

/// Whether a condition becomes true within some seconds.
func waited(_ seconds: Double, _ condition: () throws -> Bool) rethrows -> Bool {
  let end = Date().addingTimeInterval(seconds)
  while Date() < end {
    if try condition() { return true }
    usleep(20_000)
  }
  return try condition()
}

/// The keys of another issuer, fetched from its address.
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

  @Test func `the keys of an issuer are fetched again when they have expired`() throws {
    issuer.answer = .init(
      status: 200, fields: "Cache-Control: public, max-age=1\r\n", body: Self.keys)
    let keys = try keys(pace(least: 0.1))
    defer { keys.close() }
    #expect(waited(10) { keys.current.verifier != nil && keys.current.version >= 3 })
  }

  @Test func `the keys of an issuer are fetched soon after a token with an unknown key`() throws {
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

  @Test func `responses without valid keys leave the former keys of an issuer`() throws {
    issuer.answer = .init(status: 200, body: Self.keys)
    let keys = try keys(pace(least: 0.1, usual: 0.1))
    defer { keys.close() }
    #expect(waited(10) { keys.current.version > 0 })
    for answer in [
      FakeIssuer.Answer(status: 200, body: Array("{}".utf8)),
      FakeIssuer.Answer(status: 200, body: Array(repeating: 32, count: 3 << 20)),
      FakeIssuer.Answer(status: 302, fields: "Location: \(issuer.url)\r\n", body: Self.keys),
      // A public set contains no secrets.
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
  func `key addresses that are malformed or without TLS are refused`(_ url: String) {
    var settings = ServerSettings()
    settings.tokenKeys = url
    #expect(throws: ServerProblem.self) { try IssuerKeys(settings) }
  }
}
