import DrawingServices
import Foundation
import Testing

/// Check-ins, mood entries, logs and profiles, and results computed from them.
struct DocumentTests {
  private let server: TestServer
  private static let checkIn =
    ##"{"colorHex":"#FFD700","colorIntensity":0.5,"emotion":"joy","topic":"","evaluation":""}"##

  init() throws { server = try TestServer() }

  @Test func `check-ins are submitted, listed, changed and deleted`() throws {
    let path = "/v1/users/ann/mood_checkins"
    let made = try server.send("POST", path, json: Self.checkIn)
    #expect(made.status == 201)
    let id = try #require(made.json["id"] as? String)
    #expect(made.fields["location"] == "http://ink.example\(path)/\(id)")
    let named = try server.send("PUT", "\(path)/mine", json: Self.checkIn)
    #expect(named.status == 201)
    // A client repeats a request after a lost answer.
    #expect(try server.send("PUT", "\(path)/mine", json: Self.checkIn).status == 201)
    #expect(
      try server.send("PUT", "\(path)/mine", [("If-None-Match", "*")], json: Self.checkIn).status
        == 412)
    #expect(try server.send("GET", path).items.count == 2)
    let tag = try #require(try server.send("GET", "\(path)/mine").fields["etag"])
    let changed = try server.send(
      "PATCH", "\(path)/mine", [("If-Match", tag)], json: #"{"journal":"a day"}"#)
    #expect(changed.status == 200)
    #expect(changed.json["journal"] as? String == "a day")
    // A client that has read the old version must not overwrite the new one.
    #expect(
      try server.send("PATCH", "\(path)/mine", [("If-Match", tag)], json: #"{"journal":"x"}"#)
        .status == 412)
    #expect(try server.send("DELETE", "\(path)/mine", [("If-Match", tag)]).status == 412)
    #expect(try server.send("DELETE", "\(path)/mine").status == 204)
    #expect(try server.send("DELETE", "\(path)/mine").status == 404)
    #expect(try server.send("GET", "\(path)/mine").status == 404)
  }

  @Test func `lists come in pages that contain everything once`() throws {
    for number in 0..<7 {
      #expect(
        try server.send(
          "PUT", "/v1/users/ann/moodEntries/e\(number)",
          json: #"{"moodType":"happy","timestamp":"2026-11-1\#(number)T12:00:00Z"}"#
        ).status == 201)
    }
    var (ids, cursor) = ([String](), "")
    repeat {
      let page = try server.send("GET", "/v1/users/ann/moodEntries?limit=3\(cursor)")
      #expect(page.status == 200)
      ids += page.items.compactMap { $0["id"] as? String }
      cursor = (page.json["cursor"] as? String).map { "&after=\($0)" } ?? ""
    } while !cursor.isEmpty && ids.count < 20
    #expect(ids == (0..<7).reversed().map { "e\($0)" })
    for query in ["limit=0", "limit=501", "limit=x", "after=zz", "limit=3&limit=4"] {
      #expect(
        try server.send("GET", "/v1/users/ann/moodEntries?\(query)").status == 400, "\(query)")
    }
  }

  @Test func `invalid documents are refused with the wrong field, and nothing is stored`()
    throws
  {
    let path = "/v1/users/ann/mood_checkins"
    for (body, field) in [
      ("{}", "colorHex"),
      (Self.checkIn.replacingOccurrences(of: "0.5", with: "7"), "colorIntensity"),
      (Self.checkIn.replacingOccurrences(of: "\"joy\"", with: "7"), "emotion"),
      (Self.checkIn.replacingOccurrences(of: "0.5", with: "\"x\""), "colorIntensity"),
    ] {
      let reply = try server.send("POST", path, json: body)
      #expect(reply.status == 422, "\(body): \(reply.text)")
      #expect(reply.json["field"] as? String == field, "\(reply.text)")
      #expect(reply.fields["content-type"] == "application/problem+json")
    }
    for body in [
      "", "x", "[]", "{", #"{"a":}"#, #"{"a":1e999}"#, #"{"a":"\ud800"}"#,
      "{\"a\":\"\u{1}\"}", String(repeating: #"{"a":"#, count: 2000),
      String(repeating: "[", count: 100_000),
    ] {
      let reply = try server.send("POST", path, json: body)
      #expect((400..<500).contains(reply.status), "\(body.prefix(20)): \(reply.status)")
    }
    let text = try server.send(
      "POST", path, [("Content-Type", "text/plain")], body: Array(Self.checkIn.utf8))
    #expect(text.status == 415)
    let large = try server.send(
      "POST", path, json: "{\"journal\":\"\(String(repeating: "a", count: 1 << 20))\"}")
    #expect(large.status == 413)
    #expect(try server.send("GET", path).items.isEmpty)
  }

  @Test func `a profile is created by its first change, and exported`() throws {
    #expect(try server.send("GET", "/v1/users/ann").status == 404)
    let script = "<script>alert(1)</script>"
    #expect(
      try server.send("PATCH", "/v1/users/ann", json: "{\"userName\":\"\(script)\"}").status == 200)
    #expect(try server.send("GET", "/v1/users/ann").json["userName"] as? String == script)
    _ = try server.send("PUT", "/v1/users/ann/mood_checkins/c", json: Self.checkIn)
    _ = try server.send("POST", "/v1/users/ann/links", json: #"{"paths":["gallery"]}"#)
    let export = try server.send("GET", "/v1/users/ann/export")
    #expect(export.text.contains("users/ann/mood_checkins/c"))
    #expect(export.fields["content-disposition"]?.hasPrefix("attachment") == true)
    // The secrets of signed links are hidden from the user.
    #expect(!export.text.contains("secrets"))
    let csv = try server.send("GET", "/v1/users/ann/export?format=csv")
    #expect(csv.fields["content-type"] == "text/csv; charset=utf-8")
    #expect(csv.text.hasPrefix("path,"))
  }

  @Test func `session logs belong to the user that they name`() throws {
    let log =
      #"{"userId":"ann","methodId":"m","startTime":"2026-11-22T12:00:00Z","duration":60,"moodBefore":"neutral","moodAfter":"positive"}"#
    let made = try server.send("POST", "/v1/sessionLogs", json: log)
    #expect(made.status == 201, "\(made.text)")
    let id = try #require(made.json["id"] as? String)
    #expect(try server.send("POST", "/v1/sessionLogs", as: "bob", json: log).status == 403)
    #expect(try server.send("GET", "/v1/sessionLogs").items.count == 1)
    #expect(try server.send("GET", "/v1/sessionLogs", as: "bob").items.isEmpty)
    for method in ["GET", "DELETE"] {
      #expect(try server.send(method, "/v1/sessionLogs/\(id)", as: "bob").status == 403)
    }
    #expect(try server.send("DELETE", "/v1/sessionLogs/\(id)").status == 204)
  }

  @Test func `changes can be listed from a cursor and followed`() throws {
    let start = try server.send("GET", "/v1/users/ann/changes")
    let cursor = try #require(start.json["cursor"] as? String)
    _ = try server.send("PUT", "/v1/users/ann/mood_checkins/a", json: Self.checkIn)
    _ = try server.send("PUT", "/v1/users/bob/mood_checkins/b", as: "bob", json: Self.checkIn)
    _ = try server.send("DELETE", "/v1/users/ann/mood_checkins/a")
    let page = try server.send("GET", "/v1/users/ann/changes?after=\(cursor)")
    #expect(page.items.count == 1)
    #expect(page.items.first?["isDeleted"] as? Bool == true)
    #expect(page.items.first?["path"] as? String == "users/ann/mood_checkins/a")
    let next = try #require(page.json["cursor"] as? String)
    #expect(try server.send("GET", "/v1/users/ann/changes?after=\(next)").items.isEmpty)
  }

  @Test func `pages of other origins may use the server only if they are listed`() throws {
    let open = try TestServer { $0.origins = ["https://app.example"] }
    let listed = try open.send("GET", "/health", [("Origin", "https://app.example")])
    #expect(listed.fields["access-control-allow-origin"] == "https://app.example")
    #expect(listed.fields["vary"]?.contains("Origin") == true)
    let other = try open.send("GET", "/health", [("Origin", "https://evil.example")])
    #expect(other.fields["access-control-allow-origin"] == nil)
    let before = try open.send(
      "OPTIONS", "/v1/users/ann/drawings/d", as: nil,
      [
        ("Origin", "https://app.example"), ("Access-Control-Request-Method", "DELETE"),
        ("Access-Control-Request-Headers", "authorization, x-evil: a"),
      ])
    #expect(before.status == 204)
    #expect(before.fields["access-control-allow-methods"]?.contains("DELETE") == true)
    #expect(before.fields["access-control-allow-headers"] == nil)
    let wrong = try open.send("DELETE", "/health")
    #expect(wrong.status == 405)
    #expect(wrong.fields["allow"] == "GET, HEAD, OPTIONS")
  }

  @Test func `too many changes in a short time are refused`() throws {
    let strict = try TestServer { $0.changesPerSecond = 1 }
    let replies = try (0..<12).map {
      try strict.send("PUT", "/v1/users/ann/mood_checkins/c\($0)", json: Self.checkIn)
    }
    #expect(replies.first?.status == 201)
    #expect(replies.last?.status == 429)
    #expect(replies.last?.fields["retry-after"] == "1")
    #expect(
      try strict.send("PUT", "/v1/users/bob/mood_checkins/c", as: "bob", json: Self.checkIn).status
        == 201)
  }
}
