import Foundation
import Testing

/// Events that are sent when they occur.
struct StreamTests {
  private let server: TestServer
  private static let entry = #"{"moodType":"happy","timestamp":"2026-11-22T12:00:00Z"}"#

  init() throws { server = try TestServer() }

  private func open(_ target: String, as uid: String = "ann", after: String? = nil) throws -> Client
  {
    let client = try Client(port: server.port)
    client.write(
      "GET \(target) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(server.token(uid))\r\n"
        + (after.map { "Last-Event-ID: \($0)\r\n" } ?? "") + "\r\n")
    return client
  }

  private func text(_ client: Client, until word: String) -> String {
    String(
      decoding: client.readAll(seconds: 60) { bytes in
        String(decoding: bytes, as: UTF8.self).contains(word)
      }, as: UTF8.self)
  }

  @Test func `changes arrive as events, and a reconnected client misses none`() throws {
    let client = try open("/v1/users/ann/events")
    #expect(text(client, until: "retry:").contains("text/event-stream"))
    #expect(try server.send("PUT", "/v1/users/ann/moodEntries/a", json: Self.entry).status == 201)
    _ = try server.send("PUT", "/v1/users/bob/moodEntries/secret", as: "bob", json: Self.entry)
    let first = text(client, until: "moodEntries/a")
    #expect(first.contains("event: change"))
    #expect(!first.contains("secret"))
    let number = try #require(first.firstMatch(of: /id: (\d+)/)).output.1
    _ = try server.send("PUT", "/v1/users/ann/moodEntries/b", json: Self.entry)
    let again = try open("/v1/users/ann/events", after: String(number))
    let missed = text(again, until: "moodEntries/b")
    #expect(missed.contains("moodEntries/b"))
    #expect(!missed.contains("moodEntries/a\""))
    #expect(text(client, until: "moodEntries/b").contains("moodEntries/b"))
  }

  @Test
  func
    `a client that is cut off before the first change resumes by a number, also after a restore`()
    throws
  {
    let start = text(try open("/v1/users/ann/events"), until: "id:")
    let number = try #require(start.firstMatch(of: /id: (\d+)\n\n/)).output.1
    #expect(!start.contains("event:"))
    _ = try server.send("PUT", "/v1/users/ann/moodEntries/a", json: Self.entry)
    let again = text(
      try open("/v1/users/ann/events", after: String(number)), until: "moodEntries/a")
    #expect(again.contains("moodEntries/a"))
    // A backup has lower numbers than the client knows.
    let restored = text(try open("/v1/users/ann/events", after: "999999"), until: "moodEntries/a")
    #expect(restored.contains("moodEntries/a"))
  }

  @Test func `a hundred streams end when the server does`() throws {
    var clients: [Client] = []
    for number in 0..<100 {
      let client = try open("/v1/users/u\(number)/events", as: "u\(number)")
      clients.append(client)
    }
    for client in clients { #expect(text(client, until: "retry:").contains("200 OK")) }
    server.stop()
    for client in clients { #expect(client.isClosed(within: 5)) }
  }

  @Test func `one user cannot open any number of streams`() throws {
    var clients: [Client] = []
    var statuses: [String] = []
    for _ in 0..<70 {
      let client = try open("/v1/users/ann/events")
      statuses.append(String(text(client, until: "\r\n\r\n").prefix(12)))
      clients.append(client)
    }
    #expect(statuses.first == "HTTP/1.1 200")
    #expect(statuses.last == "HTTP/1.1 429")
  }
}
