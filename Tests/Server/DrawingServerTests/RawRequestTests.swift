import Foundation
import HTTPServing
import Testing

/// Requests as bytes: ambiguous ones are refused before they have any effect.
struct RawRequestTests {
  private static let good = "Host: a\r\nAuthorization: Bearer TOKEN\r\n"

  /// A request, and the status that it must get.
  private struct Case {
    let name: String
    let bytes: String
    let statuses: Set<Int>

    init(_ name: String, _ bytes: String, _ statuses: Int...) {
      (self.name, self.bytes, self.statuses) = (name, bytes, Set(statuses))
    }
  }

  /// A request that would create a check-in if it were run, with the status 201.
  private static let hidden =
    "PUT /v1/users/ann/mood_checkins/smuggled HTTP/1.1\r\n\(good)Content-Type: application/json\r\n"
    + "Content-Length: 2\r\n\r\n{}"

  private static func post(_ fields: String, _ body: String = "{}") -> String {
    "POST /v1/users/ann/mood_checkins HTTP/1.1\r\n\(good)Content-Type: application/json\r\n"
      + "\(fields)\r\n\(body)"
  }

  private static func get(_ target: String, _ fields: String = "") -> String {
    "GET \(target) HTTP/1.1\r\n\(good)\(fields)\r\n"
  }

  private static let smuggling: [Case] = [
    Case(
      "a length and chunks",
      post("Content-Length: 6\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n" + hidden), 400),
    Case(
      "chunks and a length",
      post("Transfer-Encoding: chunked\r\nContent-Length: 6\r\n", "0\r\n\r\n" + hidden), 400),
    Case("two lengths", post("Content-Length: 2\r\nContent-Length: 40\r\n", "{}" + hidden), 400),
    Case(
      "one length twice", post("Content-Length: 2\r\nContent-Length: 2\r\n", "{}" + hidden), 400),
    Case("a blank before the colon", post("Content-Length : 2\r\n", "{}" + hidden), 400),
    Case("a tab before the colon", post("Content-Length\t: 2\r\n", "{}" + hidden), 400),
    Case(
      "a coding twice",
      post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n" + hidden),
      400
    ),
    Case(
      "chunked and identity",
      post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "0\r\n\r\n" + hidden),
      400),
    Case(
      "gzip, chunked", post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n" + hidden), 400, 501),
    Case("xchunked", post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n" + hidden), 400, 501),
    Case("chunked,", post("Transfer-Encoding: chunked,\r\n", "0\r\n\r\n" + hidden), 400, 501),
    Case("a length with a sign", post("Content-Length: +2\r\n", "{}" + hidden), 400),
    Case("a length in digits of 16", post("Content-Length: 0x2\r\n", "{}" + hidden), 400),
    Case("a negative length", post("Content-Length: -2\r\n", "{}" + hidden), 400),
    Case("a list of lengths", post("Content-Length: 2,2\r\n", "{}" + hidden), 400),
    Case("a length of two words", post("Content-Length: 2 2\r\n", "{}" + hidden), 400),
    Case("no digits", post("Content-Length: \r\n", "{}" + hidden), 400),
    Case(
      "chunks in HTTP/1.0",
      "POST /v1/users/ann/mood_checkins HTTP/1.0\r\n\(good)Content-Type: application/json\r\n"
        + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n\(hidden)", 400),
    Case(
      "a chunk with a sign", post("Transfer-Encoding: chunked\r\n", "+2\r\n{}\r\n0\r\n\r\n"), 400),
    Case(
      "a chunk with 0x", post("Transfer-Encoding: chunked\r\n", "0x2\r\n{}\r\n0\r\n\r\n"), 400),
    Case(
      "a chunk without a size", post("Transfer-Encoding: chunked\r\n", "\r\n{}\r\n0\r\n\r\n"), 400),
    Case(
      "a chunk that is too long",
      post("Transfer-Encoding: chunked\r\n", "1\r\n{}\r\n0\r\n\r\n\(hidden)"), 400),
  ]

  private static let malformed: [Case] = [
    Case("two hosts", "GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
    Case("an empty host", "GET /health HTTP/1.1\r\nHost: \r\n\r\n", 400),
    Case("no host", "GET /health HTTP/1.1\r\n\r\n", 400),
    Case("a host with a path", "GET /health HTTP/1.1\r\nHost: a/b\r\n\r\n", 400),
    Case("the address of another server", get("http://evil.example/health"), 400),
    Case("a star", "OPTIONS * HTTP/1.1\r\n\(good)\r\n", 400),
    Case("a tunnel", "CONNECT a:1 HTTP/1.1\r\n\(good)\r\n", 400),
    Case("a method in lower case", "get /health HTTP/1.1\r\n\(good)\r\n", 501),
    Case("an unknown method", "BREW /health HTTP/1.1\r\n\(good)\r\n", 501),
    Case("a fragment", get("/health#x"), 400),
    Case("two tokens", get("/health", "Authorization: Bearer x\r\n"), 400),
    Case("a control character", get("/health", "X-A: a\u{1}b\r\n"), 400),
    // The library ends the value there, and reads nothing behind it as another field.
    Case("a NUL", get("/health", "X-A: a\u{0}b\r\n"), 200, 400),
    Case("an expectation", get("/health", "Expect: 200-maybe\r\n"), 417),
    Case("many fields", get("/health", (0..<120).map { "X-\($0): a\r\n" }.joined()), 431),
    Case(
      "a long field", get("/health", "X-A: \(String(repeating: "a", count: 20_000))\r\n"), 431),
    Case("a long target", get("/\(String(repeating: "a", count: 9000))"), 414),
    Case("HTTP/9.9", "GET /health HTTP/9.9\r\n\(good)\r\n", 505, 400),
    Case("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, 400),
    Case("nonsense", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\r\n\r\n", 400, 501, 505, 0),
    Case(
      "a body where none belongs", "GET /health HTTP/1.1\r\n\(good)Content-Length: 3\r\n\r\nabc",
      400),
  ]

  /// Notations of a path that leads elsewhere.
  private static let paths: [Case] =
    [
      "/v1/users/ann/../bob", "/v1/users/ann/%2e%2e/bob", "/v1/users/ann/.%2e/bob",
      "/v1//users/ann",
      "/v1/users/ann/./drawings", "/v1/users/%00/drawings", "/v1/users/a%0d%0aX:y/drawings",
      "/v1/users/ann%zz", "/v1/users/ann%", "/v1/users/ann%f", "/v1/users/%ff%fe/drawings",
      "/v1/users/%c0%ae%c0%ae/drawings", "/v1/users/ann/%7f",
    ].map { Case($0, get($0), 400) }
    + [
      "/v1/users/%252e%252e/drawings", "/v1/users/a%2fb/drawings", "/v1/users/a%5cb/drawings",
      "/v1/users/-/drawings", "/v1/users/.x/drawings", "/v1/users/ann%20/drawings",
      "/v1/users/\(String(repeating: "a", count: 129))/drawings",
    ].map { Case($0, get($0), 400, 403) }

  @Test func `no ambiguous request is carried out`() throws {
    let server = try TestServer()
    let token = server.token("ann")
    // Several at a time, because the test listens for five seconds to connections that stay open.
    let cases = Self.smuggling + Self.malformed + Self.paths
    for start in stride(from: 0, to: cases.count, by: 16) {
      let batch = try cases[start..<min(start + 16, cases.count)].map { one in
        let client = try Client(port: server.port)
        client.write(Array(one.bytes.replacingOccurrences(of: "TOKEN", with: token).utf8))
        return (one, client)
      }
      let end = Date().addingTimeInterval(5)
      for (one, client) in batch {
        let replies = Reply.all(in: client.readAll(seconds: max(end.timeIntervalSinceNow, 0.05)))
        let status = replies.first?.status ?? 0
        #expect(one.statuses.contains(status), "\(one.name): \(status)")
        // Bytes behind it must not have been run as another request.
        #expect(replies.count <= 1, "\(one.name): \(replies.map(\.status))")
      }
    }
    let list = try server.send("GET", "/v1/users/ann/mood_checkins")
    #expect(list.status == 200)
    #expect(list.items.isEmpty)
  }

  @Test func `hundreds of changed requests are refused or answered, and none breaks the server`()
    throws
  {
    let server = try TestServer()
    let token = server.token("ann")
    let seeds = [
      Self.get("/v1/users/ann/drawings?limit=3", "If-None-Match: \"a\"\r\nRange: bytes=0-3\r\n"),
      Self.post("Content-Length: 2\r\n"),
      Self.post("Transfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n"),
    ].map { Array($0.replacingOccurrences(of: "TOKEN", with: token).utf8) }
    var random = SystemRandomNumberGenerator()
    let special: [UInt8] = Array("\r\n :/%?&=,;\"\0\t\u{7f}0-+".utf8)
    for number in 0..<400 {
      var bytes = seeds[number % seeds.count]
      for _ in 0...number % 4 {
        let index = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] = special.randomElement(using: &random) ?? 0
        case 1: bytes.insert(special.randomElement(using: &random) ?? 0, at: index)
        case 2: bytes.remove(at: index)
        default: bytes.insert(contentsOf: bytes[index...].prefix(20), at: index)
        }
      }
      let client = try Client(port: server.port)
      client.write(bytes)
      let replies = Reply.all(in: client.readAll(seconds: 0.02))
      #expect(replies.allSatisfy { $0.status < 500 || $0.status == 501 || $0.status == 505 })
    }
    #expect(try server.send("GET", "/health").status == 200)
  }

  @Test func `pipelined requests on one connection get their answers in order`() throws {
    let server = try TestServer()
    let request = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
    let last = "GET /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    let replies = try server.raw(Array((request + request + last).utf8))
    #expect(replies.map(\.status) == [200, 200, 404])
  }

  @Test func `a client that expects 100-continue is refused before it sends a body`() throws {
    let server = try TestServer()
    let head =
      "PUT /v1/users/ann/drawings/d/image.png HTTP/1.1\r\nHost: a\r\nContent-Length: 20000000\r\n"
      + "Expect: 100-continue\r\nAuthorization: Bearer \(server.token("ann"))\r\n\r\n"
    let replies = try server.raw(Array(head.utf8))
    #expect(replies.map(\.status) == [413])
    #expect(replies.first?.fields["connection"] == "close")
  }

  @Test func `slow clients are disconnected, and others are served meanwhile`() throws {
    let server = try TestServer()
    // At one byte per second the library would keep the connection for ever.
    let slow = try Client(port: server.port)
    let begin = Date()
    var isClosed = false
    for letter in "GET /health HTTP/1.1\r\nHost: aaaaaaaaa" {
      slow.write(String(letter))
      isClosed = slow.isClosed(within: 0.5)
      if isClosed { break }
      #expect(try server.send("GET", "/health").status == 200)
    }
    #expect(isClosed)
    #expect(Date().timeIntervalSince(begin) > 8)
  }

  @Test func `interrupted uploads free their memory`() throws {
    var limits = HTTPListener.Limits()
    limits.bodyBytes = 1 << 20
    let server = try TestServer(limits: limits)
    let head =
      "PUT /v1/users/ann/drawings/d/recording.pkd HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n"
      + "Authorization: Bearer \(server.token("ann"))\r\n\r\n"
    for _ in 0..<20 {
      let client = try Client(port: server.port)
      client.write(Array(head.utf8) + [UInt8](repeating: 7, count: 300_000))
    }
    var status = 0
    for _ in 0..<50 where status != 201 {
      status =
        (try? server.send(
          "PUT", "/v1/users/ann/drawings/d/recording.pkd", body: Recordings.sample("mood")
        ).status) ?? 0
      Thread.sleep(forTimeInterval: 0.1)
    }
    #expect(status == 201)
  }

  @Test func `a body in chunks that is too long is refused with an answer`() throws {
    let server = try TestServer()
    let head =
      "PUT /v1/users/ann/drawings/d/image.png HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
      + "Authorization: Bearer \(server.token("ann"))\r\n\r\n"
    let chunk = Array("100000\r\n".utf8) + [UInt8](repeating: 7, count: 1 << 20) + [13, 10]
    let body = (0..<12).flatMap { _ in chunk } + Array("0\r\n\r\n".utf8)
    let replies = try server.raw(Array(head.utf8) + body)
    #expect(replies.map(\.status) == [413])
    #expect(try server.send("GET", "/health").status == 200)
  }
}
