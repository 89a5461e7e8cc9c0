import DrawingServices
import Foundation
import TestSupport
import Testing

/// Searches over HTTP.
struct SearchTests {
  private let server: TestServer

  init() throws {
    server = try TestServer()
    for (id, text) in [("d1", "Shopping"), ("d2", "<b>shop"), ("d3", "other")] {
      _ = try server.send(
        "PUT", "/v1/users/ann/drawings/\(id)/recording.pkd?promptUsed=tree",
        body: Recordings.sample("mood"))
      let reply = try server.send(
        "PATCH", "/v1/users/ann/drawings/\(id)",
        json:
          #"{"recognizedText": {"words": [{"text": "\#(text)", "box": [1, 2.5, 3, 4]}, {"text": "x", "box": [0, 0, 1, 1]}]}}"#
      )
      #expect(reply.status == 200, "\(reply.text)")
    }
  }

  private func search(_ query: String, as uid: String = "ann") throws -> Reply {
    try server.send("GET", "/v1/users/ann/drawings?search=\(query)", as: uid)
  }

  @Test func `a search returns drawings newest first, with the found words`() throws {
    let reply = try search("SHOP%20tree")
    #expect(reply.items.map { $0["id"] as? String } == ["d2", "d1"])
    let found = try #require(reply.items.last?["found"] as? [[String: Any]])
    #expect(found.count == 1 && found[0]["text"] as? String == "Shopping")
    #expect(found[0]["box"] as? [Double] == [1, 2.5, 3, 4])
    #expect(reply.items[0]["recognizedText"] == nil && reply.json["cursor"] is NSNull)
    let first = try search("shop&limit=1")
    let cursor = try #require(first.json["cursor"] as? String)
    #expect(try search("shop&after=\(cursor)").items.map { $0["id"] as? String } == ["d1"])
  }

  @Test func `documents contain all recognized words, gallery and cards none`() throws {
    let document = try server.send("GET", "/v1/users/ann/drawings/d1").json
    let text = try #require(document["recognizedText"] as? [String: Any])
    #expect((text["words"] as? [Any])?.count == 2)
    for path in ["gallery", "cards"] {
      let reply = try server.send("GET", "/v1/users/ann/\(path)")
      #expect(reply.text.contains("d1") && !reply.text.contains("recognizedText"))
    }
  }

  @Test func `a search without words, with long text or other filters is refused`() throws {
    for query in ["", "%20", String(repeating: "a", count: 201), "a&from=2026-01-01T00:00:00Z"] {
      #expect(try search(query).status == 400, "\(query)")
    }
    #expect(try search("shop", as: "bob").status == 403)
    #expect(
      try server.send("GET", "/v1/users/ann/drawings?search=shop", as: nil).status == 401)
  }
}
