import Foundation
import HTTPServing
import Testing

@testable import WebClient

/// The kind of problem that a body throws; nil if it throws none.
func problem(_ body: () throws -> Void) -> WebProblem.Kind? {
  do {
    try body()
    return nil
  } catch {
    return (error as? WebProblem)?.kind
  }
}

struct WebConnectionTests {
  private let server: TestListener
  private let connection: WebConnection

  init() throws {
    server = try TestListener()
    connection = try WebConnection(server.url)
  }

  @Test func `status, fields and body of an answer arrive, whatever its method`() throws {
    for method in [WebConnection.Method.post, .put, .patch, .delete] {
      let answer = try connection.request(
        method, "/a/b?c=%2f&d=..", fields: [("X-Sent", "so"), ("X-Empty", "")], body: [1, 0, 255],
        limit: 3)
      #expect(answer.status == 201)
      #expect(answer.body == [1, 0, 255])
      #expect(answer.field("x-method") == method.rawValue)
      // The path is sent unchanged.
      #expect(answer.field("x-target") == "/a/b?c=%2f&d=..")
      #expect(answer.field("X-TWICE") == "last")
      #expect(answer.field("x-none") == nil)
      #expect(answer.maximumAge == 60)
      let fields = answer.field("x-fields")?.split(separator: "|") ?? []
      #expect(fields.contains("x-sent=so"))
      #expect(fields.contains("x-empty="))
      #expect(fields.contains("content-length=3"))
      #expect(!fields.contains { $0.hasPrefix("expect") || $0.hasPrefix("content-type") })
    }
    let head = try connection.request(.head, "/bytes/5", limit: 0)
    #expect(head.status == 200 && head.field("content-length") == "5" && head.body.isEmpty)
    #expect(try connection.request(.get, "/bytes/5", limit: 5).body.count == 5)
  }

  @Test func `many requests use one connection`() throws {
    let ends = try (0..<20).map { number in
      try connection.request(number % 2 == 0 ? .get : .put, "/echo", limit: 9)
        .field("x-connection")
    }
    #expect(Set(ends).count == 1)
    #expect(server.listener.connectionCount == 1)
  }

  @Test func `an empty body has a length, and a request without a body has none`() throws {
    for method in [WebConnection.Method.post, .put, .patch] {
      let answer = try connection.request(method, "/echo", limit: 9)
      #expect(answer.field("x-fields")?.contains("content-length=0") == true)
    }
    for method in [WebConnection.Method.get, .delete] {
      let answer = try connection.request(method, "/echo", limit: 9)
      #expect(answer.status == 201)
      #expect(answer.field("x-fields")?.contains("content-length") == false)
    }
    #expect(
      problem { _ = try connection.request(.get, "/echo", body: [1], limit: 9) } == .other)
  }

  @Test func `a large body is sent and received unchanged`() throws {
    let body = (0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 / 3) }
    let answer = try connection.request(.put, "/echo", body: body, limit: body.count)
    // Expecting equal arrays would compute their difference for hours.
    let isSame = answer.body == body
    #expect(isSame)
    #expect(answer.field("x-fields")?.contains("expect") == false)
    #expect(connection.traffic.sent > body.count)
    #expect(connection.traffic.sent < body.count + 500)
  }

  @Test func `an answer that is too large is refused, and the connection stays usable`() throws {
    #expect(
      problem { _ = try connection.request(.get, "/bytes/5000000", limit: 999) } == .tooLarge)
    // The answer is not read to its end.
    #expect(connection.traffic.received < 1 << 20)
    #expect(try connection.request(.get, "/bytes/999", limit: 999).body.count == 999)
  }

  @Test func `redirects are returned, not followed`() throws {
    let answer = try connection.request(.get, "/moved", limit: 0)
    #expect(answer.status == 302)
    #expect(answer.field("location") == "/echo")
  }

  @Test func `the pieces of a stream arrive as they are sent, until one is the last`() throws {
    var texts: [String] = []
    server.events.send(Array("1".utf8))
    let answer = try connection.stream("/events") { piece in
      texts.append(String(decoding: piece, as: UTF8.self))
      // The next piece is made when this one has arrived.
      server.events.send(Array("\(texts.count + 1)".utf8))
      return texts.count < 5
    }
    #expect(answer.status == 200)
    #expect(texts == ["1", "2", "3", "4", "5"])
  }

  @Test func `a stream ends with its server`() throws {
    server.events.send([1, 2])
    var count = 0
    let answer = try connection.stream("/events") { piece in
      count += piece.count
      server.events.close()
      return true
    }
    #expect(answer.status == 200 && count == 2)
  }

  @Test func `another thread can end a stream, and the connection stays usable`() throws {
    server.events.send([1])
    let connection = connection
    let kind = problem {
      try connection.stream("/events") { _ in
        Thread.detachNewThread { connection.end() }
        return true
      }
    }
    #expect(kind == .ended)
    // Only the running request was ended.
    connection.end()
    #expect(try connection.request(.get, "/echo", limit: 9).status == 201)
    connection.close()
    #expect(problem { _ = try connection.request(.get, "/echo", limit: 9) } == .ended)
  }

  @Test func `a refused stream gives the body of its refusal`() throws {
    let answer = try connection.stream("/echo", fields: [("Range", "a\tb")]) { _ in false }
    #expect(answer.status == 201)
    let refused = try connection.stream("//") { _ in true }
    #expect(refused.status == 400)
    #expect(!refused.body.isEmpty)
  }

  @Test func `a connection makes one request at a time`() throws {
    server.events.send([1])
    var kind: WebProblem.Kind?
    try connection.stream("/events") { _ in
      kind = problem { _ = try connection.request(.get, "/echo", limit: 9) }
      return false
    }
    #expect(kind == .busy)
  }

  @Test func `header fields that would inject a request are refused`() {
    for (name, value) in [
      ("X-A", "a\r\nX-B: b"), ("X-A", "a\nb"), ("X-A", "a\rb"), ("X-A", "a\0b"),
      ("X-A\r\nX-B", "b"),
      ("X A", "b"), ("X-A:", "b"), ("", "b"), ("Ä", "b"), ("content-length", "5"), ("Host", "b"),
      ("Transfer-Encoding", "chunked"),
    ] {
      #expect(
        problem {
          _ = try connection.request(.post, "/echo", fields: [(name, value)], limit: 9)
        } == .unsafeField, "\(name): \(value)")
    }
    for path in ["", "echo", "/a b", "/a\r\nX-B: b", "/ä", "/a#b", "@example.org/", "/a\\b"] {
      #expect(
        problem { _ = try connection.request(.get, path, limit: 9) } == .unsafeAddress, "\(path)")
    }
    #expect(connection.traffic == (0, 0))
  }

  @Test func `only HTTPS servers and this machine are accepted`() throws {
    for base in [
      "", "/", "http://example.org", "ftp://127.0.0.1", "http://127.0.0.1@example.org",
      "http://a@127.0.0.1", "https://a:b@example.org", "https://example.org?a", "https://",
      "https://example.org/#", "https://exa mple.org", "http://127.0.0.1.example.org",
      "http://[::1].example.org", "http://[::2]", "file:///etc/passwd",
    ] {
      #expect(problem { _ = try WebConnection(base) } == .unsafeAddress, "\(base)")
    }
    for base in ["https://example.org", "http://localhost:80", "http://[::1]:80", "http://[::1]"] {
      #expect(try WebConnection("\(base)//").base == base)
    }
    let below = try WebConnection("\(server.url)/below/")
    #expect(try below.request(.get, "/a", limit: 0).field("x-target") == "/below/a")
  }

  @Test func `a single request needs no connection object`() throws {
    let answer = try WebClient.get("\(server.url)/bytes/7", limit: 7, seconds: 5)
    #expect(answer.status == 200 && answer.body.count == 7 && answer.maximumAge == nil)
    #expect(
      problem { _ = try WebClient.get("\(server.url)/bytes/8", limit: 7, seconds: 5) } == .tooLarge)
  }
}
