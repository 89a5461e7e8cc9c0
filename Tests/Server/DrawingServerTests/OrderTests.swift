import DrawingServices
import Foundation
import TestSupport
import Testing
import WebPages

/// Titles, tags and orders over HTTP, and a server without check-ins.
struct OrderTests {
  private func server() throws -> TestServer {
    let server = try TestServer()
    for (id, fields) in [
      ("d1", #"{"title": "birch", "tags": ["tree"]}"#),
      ("d2", #"{"title": "Ash", "tags": ["tree", "<b>"]}"#),
      ("d3", "{}"),
    ] {
      _ = try server.send(
        "PUT",
        "/v1/users/ann/drawings/\(id)/recording.pkd?createdAt=2026-01-0\(id.suffix(1))T00:00:00Z",
        body: Recordings.sample("mood"))
      #expect(
        try server.send("PATCH", "/v1/users/ann/drawings/\(id)", json: fields).status == 200)
    }
    return server
  }

  private func ids(_ reply: Reply) -> [String] {
    (reply.json["sections"] as? [[String: Any]] ?? []).flatMap {
      ($0["drawings"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
    }
  }

  @Test func `the gallery has all drawings in each order, and those with a tag`() throws {
    let server = try server()
    let path = "/v1/users/ann/gallery"
    for (query, wanted) in [
      ("sort=newest", ["d3", "d2", "d1"]), ("sort=oldest", ["d1", "d2", "d3"]),
      ("sort=title", ["d2", "d1", "d3"]), ("sort=changed", ["d3", "d2", "d1"]),
      ("tag=tree", ["d2", "d1"]), ("tag=tree&sort=oldest", ["d1", "d2"]),
      ("tag=%3Cb%3E", ["d2"]), ("tag=tre", []),
    ] {
      let reply = try server.send("GET", "\(path)?\(query)")
      #expect(ids(reply) == wanted, "\(query): \(reply.text)")
    }
    // Without an order, as apps ask, only the last 90 days.
    #expect(try ids(server.send("GET", path)).isEmpty)
    #expect(try server.send("GET", "\(path)?sort=size").status == 400)
    #expect(try server.send("GET", "\(path)?sort=title", as: "bob").status == 403)
    let first = try server.send("GET", "\(path)?sort=title&limit=2")
    let cursor = try #require(first.json["cursor"] as? String)
    #expect(try ids(server.send("GET", "\(path)?sort=title&limit=2&after=\(cursor)")) == ["d3"])
  }

  @Test func `tags are listed for their user alone`() throws {
    let server = try server()
    let reply = try server.send("GET", "/v1/users/ann/tags")
    #expect(reply.items.map { $0["name"] as? String } == ["<b>", "tree"])
    #expect(try server.send("GET", "/v1/users/ann/tags", as: "bob").status == 403)
    #expect(try server.send("GET", "/v1/users/ann/tags", as: nil).status == 401)
  }

  @Test func `a server without the journal has no pages of it and says so`() throws {
    let with = try TestServer()
    let without = try TestServer { $0.hasJournal = false }
    for page in ["/checkin", "/diary"] {
      #expect(try with.send("GET", page, as: nil).status == 200)
      #expect(try without.send("GET", page, as: nil).status == 404)
    }
    #expect(try with.send("GET", "/v1/session").json["hasJournal"] as? Bool == true)
    #expect(try without.send("GET", "/v1/session").json["hasJournal"] as? Bool == false)
    // The service worker caches no missing page.
    let worker = try without.send("GET", "/sw.js", as: nil).text
    let list = try #require(worker.split(separator: "\n").first { $0.hasPrefix("const files = ") })
    let kept = try JSONDecoder().decode(
      [String].self, from: Data(list.dropFirst(14).dropLast().utf8))
    #expect(kept.count > 30)
    for address in kept {
      #expect(
        try without.send("GET", String(address.dropFirst()), as: nil).status == 200, "\(address)")
    }
  }
}
