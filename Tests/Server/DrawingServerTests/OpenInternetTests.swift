import DrawingServices
import Foundation
import HTTP
import Storage
import TestSupport
import Testing
import Tokens

@testable import DrawingServer

/// Requests of strangers that a server on the open internet must refuse, and data of its users that
/// it must not lose.
struct OpenInternetTests {
  private static func put(_ server: TestServer, _ id: String, _ sample: String = "mood") throws {
    let reply = try server.send(
      "PUT", "/v1/users/ann/drawings/\(id)/recording.pkd", body: Recordings.sample(sample))
    #expect(reply.status == 201)
  }

  private static func target(_ link: String) -> String {
    link.replacingOccurrences(of: "http://ink.example", with: "")
  }

  // MARK: - Queries

  @Test func `an unknown filter is refused`()
    throws
  {
    let server = try TestServer()
    for address in [
      "/v1/users/ann/moodEntries?timestamp=2026-11-20T08:00:00Z&moodType=happy",
      "/v1/users/ann/drawings?checkin=abc", "/v1/users/ann/mood_checkins?emotion=joy",
      "/v1/users/ann/mood_checkins?Limit=7", "/v1/users/ann/drawings?", "/v1/users/ann/drawings?=",
      "/v1/users/ann/drawings/d?expires=9", "/v1/growthMethods?stage=1",
    ] {
      let reply = try server.send("GET", address)
      let isEmpty = address.hasSuffix("?")
      #expect(reply.status == (isEmpty ? 200 : 400), "\(address)")
      #expect(isEmpty || reply.code == "unknown-parameter", "\(address): \(reply.text)")
    }
    #expect(
      try server.send("PUT", "/v1/users/ann/moodEntries/m?x=1", json: #"{"moodType":"happy"}"#).code
        == "unknown-parameter")
    // Page addresses may get extra parameters on their way, and Firebase's SDKs have their own.
    #expect(try server.send("GET", "/health?utm_source=mail", as: nil).status == 200)
    #expect(
      try server.send("GET", "/v0/b/b/o?prefix=users%2Fann%2F&x=1").status == 200)
  }

  @Test func `every parameter in a route's description is accepted`() throws {
    let server = try TestServer()
    try Self.put(server, "d")
    let values = [
      "limit": "7", "from": "2026-11-01T00:00:00Z", "to": "2026-12-01T00:00:00Z",
      "checkinId": "c", "search": "ink", "format": "csv", "timeZone": "Asia/Taipei",
      "lang": "en", "checkIns": "3", "reading": "within-day", "width": "256", "style": "dark",
      "background": "ffffff", "paper": "dots", "earlier": "true", "of": "20",
    ]
    for route in Server.routes
    where route.method == .get && route.path.hasPrefix("/v1/users/{uid}/") {
      let path = route.path.replacingOccurrences(of: "{uid}", with: "ann")
        .replacingOccurrences(of: "{id}", with: "d")
        .replacingOccurrences(of: "{number}", with: "3")
      guard !path.contains("{"), !path.hasSuffix("/events"), !path.hasSuffix("/live") else {
        continue
      }
      for parameter in route.query {
        guard let value = values[parameter.name] else { continue }
        let reply = try server.send("GET", "\(path)?\(parameter.name)=\(value)")
        #expect(reply.code != "unknown-parameter", "\(path) \(parameter.name): \(reply.text)")
      }
    }
  }

  @Test func `a name that comes twice in JSON is refused`() throws {
    let server = try TestServer()
    let entry = #"{"moodType":"a","timestamp":"2026-11-20T08:00:00Z","moodType":"b"}"#
    #expect(try server.send("PUT", "/v1/users/ann/moodEntries/m", json: entry).status == 400)
    #expect(try server.send("GET", "/v1/users/ann/moodEntries/m").status == 404)
  }

  // MARK: - Links

  @Test func `signed links end with their drawing, and open no later one of its name`() throws {
    let server = try TestServer()
    try Self.put(server, "d")
    let document = try server.send("GET", "/v1/users/ann/drawings/d").json
    var links = ["imageURL", "recordingURL", "thumbnailURL"].compactMap {
      (document[$0] as? String).map(Self.target)
    }
    let made = try server.send(
      "POST", "/v1/users/ann/links",
      json: #"{"paths":["drawings/d/image.png","drawings/d/render?width=99","drawings/d"]}"#)
    links += made.items.compactMap { $0["url"] as? String }.map(Self.target)
    let gallery = try server.send(
      "POST", "/v1/users/ann/links", json: #"{"paths":["gallery"]}"#
    ).items.compactMap { $0["url"] as? String }.map(Self.target)
    let soon = try server.send(
      "POST", "/v1/users/ann/links", json: #"{"paths":["drawings/later/image.png"]}"#
    ).items.compactMap { $0["url"] as? String }.map(Self.target)
    #expect(links.count == 6 && gallery.count == 1 && soon.count == 1)
    // Twice, because small files are cached in memory.
    for _ in 0..<2 {
      for link in links { #expect(try server.send("GET", link, as: nil).status == 200, "\(link)") }
    }
    for again in [false, true] {
      #expect(try server.send("DELETE", "/v1/users/ann/drawings/d").status == (again ? 404 : 204))
      for link in links {
        #expect(try server.send("GET", link, as: nil).status == 403, "\(link)")
      }
    }
    try Self.put(server, "d", "handwriting")
    try Self.put(server, "later")
    // Twice, because its files may be cached in memory.
    for _ in 0..<2 {
      for name in ["image.png", "thumbnail.png"] {
        #expect(try server.send("GET", "/v1/users/ann/drawings/d/\(name)").status == 200)
      }
      for link in links + soon {
        #expect(try server.send("GET", link, as: nil).status == 403, "\(link)")
      }
    }
    #expect(try server.send("GET", gallery[0], as: nil).status == 200)
    // The part of a link that binds it to its drawing cannot be removed.
    let bare = links[0].replacing(/&made=[0-9a-z]+/, with: "")
    #expect(try bare != links[0] && server.send("GET", bare, as: nil).status == 403)
  }

  @Test func `paths that would open nothing are not signed`() throws {
    let server = try TestServer()
    try Self.put(server, "d")
    for (path, status) in [
      ("drawings/d/render?width=99999", 422), ("drawings/d/render?width=0", 422),
      ("drawings/d/render?width=x", 422), ("drawings/d/render?background=red", 422),
      ("drawings/d/render?colour=red", 422), ("drawings?limit=501", 422),
      ("drawings/d/render?made=1", 422), ("drawings/d/render?style=dim", 422),
      ("drawings/d/render?width=99&background=123abc", 200), ("drawings?limit=5", 200),
    ] {
      let reply = try server.send("POST", "/v1/users/ann/links", json: "{\"paths\":[\"\(path)\"]}")
      #expect(reply.status == status, "\(path): \(reply.text)")
      for item in reply.items {
        let link = Self.target(item["url"] as? String ?? "")
        #expect(try server.send("GET", link, as: nil).status == 200)
      }
    }
  }

  @Test func `a share lasts thirty days, unless the owner wants another end or none`() throws {
    let server = try TestServer()
    try Self.put(server, "d")
    func days(_ more: String) throws -> Double? {
      let reply = try server.send(
        "POST", "/v1/users/ann/shares", json: "{\"drawing\":\"d\"\(more)}")
      #expect(reply.status == 201)
      let text = reply.json["expires"] as? String
      return text.flatMap { Moment(iso8601: $0) }.map {
        (Double($0.microseconds) / 1e6 - Date().timeIntervalSince1970) / 86_400
      }
    }
    #expect(try #require(try days("")).rounded() == 30)
    #expect(try #require(try days(",\"seconds\":864000")).rounded() == 10)
    #expect(try days(",\"seconds\":null") == nil)
    // A caller who may not share gets no information about fields.
    #expect(try server.send("POST", "/v1/users/ann/shares", as: "bob", json: "{}").status == 403)
  }

  // MARK: - Hosts

  @Test func `links do not contain a host that only a request has named`() throws {
    let server = try TestServer { $0.publicURL = "" }
    try Self.put(server, "d")
    let share = try server.send("POST", "/v1/users/ann/shares", json: #"{"drawing":"d"}"#)
    let id = try #require(share.json["id"] as? String)
    for path in [
      "/v1/users/ann/drawings", "/v1/users/ann/shares", "/s/\(id)", "/v1/users/ann/gallery",
    ] {
      let reply = try server.send("GET", path)
      #expect(reply.status == 200 && !reply.text.contains("ink.example"), "\(path)")
    }
    let document = try server.send("GET", "/v1/users/ann/drawings/d").json
    let link = try #require(document["imageURL"] as? String)
    #expect(link.hasPrefix("/v1/users/ann/"))
    #expect(try server.send("GET", link, as: nil).status == 200)
    // Hosts of this machine, under any name.
    for host in ["localhost:\(server.port)", "127.0.0.1:\(server.port)", "[::1]:80"] {
      let text =
        "GET /v1/users/ann/drawings/d HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n"
        + "Authorization: Bearer \(server.token("ann"))\r\n\r\n"
      let reply = try #require(try server.raw(Array(text.utf8)).first)
      #expect((reply.json["imageURL"] as? String)?.hasPrefix("http://\(host)/") == true)
    }
  }

  // MARK: - Types

  @Test func `a picture is served with its real type, whatever its uploader declared`() throws {
    let server = try TestServer()
    let path = "users/ann/drawings/d1/image.png"
    let object = "/v0/b/b/o/\(path.replacingOccurrences(of: "/", with: "%2F"))"
    let boundary = "xxBOUNDARYxx"
    let image = try Self.picture(server)
    let body =
      Array(
        ("--\(boundary)\r\nContent-Type: application/json\r\n\r\n{\"name\":\"\(path)\",\"contentType\":\"text/html\"}"
          + "\r\n--\(boundary)\r\nContent-Type: text/html\r\n\r\n").utf8)
      + image + Array("\r\n--\(boundary)--\r\n".utf8)
    let stored = try server.send(
      "POST", "/v0/b/b/o?name=\(path)",
      [("Content-Type", "multipart/related; boundary=\(boundary)")], body: body)
    #expect(stored.status == 200 && stored.json["contentType"] as? String == "image/png")
    let token = try #require(stored.json["downloadTokens"] as? String)
    let media = try server.send("GET", "\(object)?alt=media&token=\(token)", as: nil)
    #expect(media.status == 200 && media.fields["content-type"] == "image/png")
    let patched = try server.send("PATCH", object, json: #"{"contentType":"text/html"}"#)
    #expect(patched.json["contentType"] as? String == "image/png")
    #expect(
      try server.send("GET", "\(object)?alt=media&token=\(token)", as: nil).fields["content-type"]
        == "image/png")
  }

  private static func picture(_ server: TestServer) throws -> [UInt8] {
    try put(server, "p")
    return try server.send("GET", "/v1/users/ann/drawings/p/thumbnail.png").body
  }

  // MARK: - Quotas

  @Test func `everything that a user stores by any route counts for the quota`() throws {
    let server = try TestServer { $0.quotaBytes = 1 << 20 }
    let blob = String(repeating: "x", count: 900_000)
    func entry(_ id: String) throws -> Int {
      try server.send(
        "PUT", "/v1/users/ann/moodEntries/\(id)",
        json: "{\"moodType\":\"h\",\"timestamp\":\"2026-11-20T08:00:00Z\",\"blob\":\"\(blob)\"}"
      ).status
    }
    func piece(_ name: Character) throws -> Int {
      try server.send(
        "PUT", "/v1/users/ann/sync/files/\(String(repeating: name, count: 64))?offset=0",
        [("Content-Type", "application/octet-stream")], body: Array(repeating: 1, count: 900_000)
      ).status
    }
    #expect(try entry("a") == 201)
    #expect(try entry("b") == 402)
    #expect(try piece("a") == 402)
    #expect(try server.send("DELETE", "/v1/users/ann/moodEntries/a").status == 204)
    #expect(try piece("a") == 200)
    #expect(try entry("b") == 402 && piece("b") == 402)
    let upload = try server.send(
      "POST", "/v0/b/b/o?name=users%2Fann%2Fdrawings%2Fd%2Fimage.png",
      [
        ("X-Goog-Upload-Protocol", "resumable"), ("X-Goog-Upload-Command", "start"),
        ("X-Goog-Upload-Header-Content-Length", "900000"),
      ])
    #expect(upload.status == 402)
    // Deleting the user deletes all of it.
    #expect(try server.send("DELETE", "/v1/users/ann").status == 204)
    let all = try FileManager.default.subpathsOfDirectory(atPath: server.folder.url.path)
    #expect(all.filter { $0.contains("ann") } == [])
    #expect(try entry("b") == 201)
  }

  // MARK: - Tokens

  @Test func `a user of another issuer signs in, whatever the issuer calls its users`() throws {
    let server = try TestServer()
    for subject in ["auth0|5f7c8ec7c33c6c004bbafe82", "us-east-1:1234", "-AbC_9", "_x", "a@b.c"] {
      let session = try server.send("GET", "/v1/session", as: subject)
      #expect(session.status == 200, "\(subject): \(session.text)")
      let uid = UserName.of(subject)
      #expect(session.text.contains(uid))
      let name = subject.percentEncoded
      for user in [uid, name] {
        #expect(
          try server.send("PATCH", "/v1/users/\(user)", as: subject, json: #"{"userName":"A"}"#)
            .status == 200)
      }
      #expect(try server.send("GET", "/v1/users/\(name)", as: subject).status == 200)
      #expect(try (400..<500).contains(server.send("GET", "/v1/users/\(name)", as: "bob").status))
      #expect(try server.send("GET", "/v1/users/\(uid)", as: uid).status == 403)
    }
  }
}
