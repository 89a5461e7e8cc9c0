import DrawingServices
import Foundation
import HTTP
import Storage
import TestSupport
import Testing

@testable import DrawingServer

/// Every route of a user for every kind of caller, and how members join and leave.
struct MemberRouteTests {
  /// Those who may use a route with a drawing of ann's.
  private enum Who: Comparable {
    /// Nobody but ann.
    case owner
    /// Also members who may change the drawing.
    case writers
    /// All members.
    case readers
  }

  /// The routes of a user, and who may use them, in an order in which deletions come late. A request
  /// of a caller with access needs a valid body.
  private static let table: [(route: String, who: Who, body: String)] = {
    let recording = "recording"
    let checkIn =
      #"{"colorHex":"","colorIntensity":0.5,"emotion":"joy","topic":"","evaluation":""}"#
    var table: [(route: String, who: Who, body: String)] = [
      ("GET drawings/{id}", .readers, ""),
      ("GET drawings/{id}/{file}", .readers, ""),
      ("GET drawings/{id}/render", .readers, ""),
      ("GET drawings/{id}/replay.apng", .readers, ""),
      ("GET drawings/{id}/replay.html", .readers, ""),
      ("GET drawings/{id}/archive.drawing", .readers, ""),
      ("GET drawings/{id}/frames/{number}", .readers, ""),
      ("GET drawings/{id}/live", .readers, ""),
      ("GET drawings/{id}/live/recording", .readers, ""),
      ("POST drawings/{id}/live/recording", .readers, ""),
      ("GET drawings/{id}/people", .readers, ""),
      ("GET drawings/{id}/by-person.pkd", .readers, ""),
      ("GET drawings/{id}/members", .readers, ""),
      (
        "POST sync", .readers,
        #"{"version":1,"wanted":[["sample","recording.pkd","\#(String(repeating: "0", count: 64))",0]]}"#
      ),
      ("POST drawings/{id}/live", .writers, "message"),
      ("PATCH drawings/{id}", .writers, #"{"title":"New"}"#),
      ("PUT drawings/{id}/{file}", .writers, recording),
      ("GET drawings/{id}/invitations", .owner, ""),
      ("POST drawings/{id}/invitations", .owner, "{}"),
      ("PUT drawings/{id}/members/{member}", .owner, #"{"role":"writer"}"#),
      ("GET ", .owner, ""), ("PATCH ", .owner, #"{"userName":"Ann"}"#),
      ("GET export", .owner, ""), ("GET gallery", .owner, ""), ("GET tags", .owner, ""),
      ("GET cards", .owner, ""), ("GET charts/week", .owner, ""), ("GET planets", .owner, ""),
      ("GET shared", .owner, ""), ("GET changes", .owner, ""), ("GET events", .owner, ""),
      ("GET shares", .owner, ""), ("POST shares", .owner, #"{"drawing":"sample"}"#),
      ("POST links", .owner, #"{"paths":["gallery"]}"#),
      ("GET sync/files/{sha256}", .owner, ""), ("PUT sync/files/{sha256}", .owner, "piece"),
      ("GET drawings", .owner, ""), ("POST drawings", .owner, recording),
      ("PUT drawings/{id}", .owner, "{}"),
    ]
    for (kind, body) in [
      ("mood_checkins", checkIn),
      ("moodEntries", #"{"moodType":"calm","timestamp":"2026-11-22T08:00:00Z"}"#),
    ] {
      table += [
        ("GET \(kind)", .owner, ""), ("POST \(kind)", .owner, body),
        ("PUT \(kind)/{id}", .owner, body), ("GET \(kind)/{id}", .owner, ""),
        ("PATCH \(kind)/{id}", .owner, "{}"), ("DELETE \(kind)/{id}", .owner, ""),
      ]
    }
    return table + [
      ("DELETE shares/{id}", .owner, ""),
      ("DELETE drawings/{id}/invitations/{invitation}", .owner, ""),
      ("DELETE drawings/{id}/members/{member}", .owner, ""), ("DELETE links", .owner, ""),
      ("DELETE download-tokens", .owner, ""), ("DELETE drawings/{id}/{file}", .owner, ""),
      ("DELETE drawings/{id}", .owner, ""), ("DELETE ", .owner, ""),
    ]
  }()

  private static func target(_ path: String) -> String {
    let names = [
      "{id}": "sample", "{file}": "thumbnail.png", "{number}": "50", "{member}": "fay",
      "{invitation}": String(repeating: "0", count: 64),
      "{sha256}": String(repeating: "0", count: 64),
    ]
    return path.split(separator: "/").reduce("/v1/users/ann") {
      "\($0)/\(names[String($1)] ?? String($1))"
    }
  }

  private let server: TestServer
  private let recording: [UInt8]

  init() throws {
    server = try TestServer()
    recording = try Recordings.sample()
    #expect(
      try server.send("PUT", "/v1/users/ann/drawings/sample/recording.pkd", body: recording)
        .status == 201)
  }

  private func invite(_ role: String = "reader", uses: Int = 1) throws -> String {
    let reply = try server.send(
      "POST", "/v1/users/ann/drawings/sample/invitations",
      json: #"{"role":"\#(role)","uses":\#(uses)}"#)
    #expect(reply.status == 201, "\(reply.text)")
    return try #require(reply.json["code"] as? String)
  }

  @discardableResult
  private func join(_ uid: String, _ code: String) throws -> Reply {
    try server.send("POST", "/v1/invitations", as: uid, json: #"{"code":"\#(code)"}"#)
  }

  private func makeMembers() throws {
    for (uid, role) in [("cat", "reader"), ("dan", "writer"), ("eve", "writer"), ("fay", "reader")]
    {
      #expect(try join(uid, invite(role)).status == 200)
    }
    #expect(
      try server.send("DELETE", "/v1/users/ann/drawings/sample/members/eve").status == 204)
  }

  /// The status of an answer, also of a stream, which does not end.
  private func status(
    _ method: String, _ target: String, as uid: String?, _ body: String
  ) throws -> Int {
    if target.hasSuffix("/events") || target.hasSuffix("/live"), method == "GET" {
      let client = try Client(port: server.port)
      let token = uid.map { "Authorization: Bearer \(server.token($0))\r\n" } ?? ""
      client.write("GET \(target) HTTP/1.1\r\nHost: ink.example\r\n\(token)\r\n")
      var head = ""
      for _ in 0..<100 where !head.contains("\r\n\r\n") {
        head += String(decoding: client.readAll(seconds: 0.1), as: UTF8.self)
      }
      return Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0
    }
    switch body {
    case "": return try server.send(method, target, as: uid).status
    case "message":
      let page = String(repeating: "0", count: 32)
      return try server.send(method, "\(target)?page=\(page)", as: uid, body: [0, 1, 1]).status
    case "recording", "piece":
      // A recording is replaced by the next one with its tag; so writers change it.
      let target = target.replacingOccurrences(of: "thumbnail.png", with: "recording.pkd")
      let fields = target.hasSuffix(".pkd") ? [("If-Match", "*")] : []
      return try server.send(
        method, target, as: uid, fields, body: body == "piece" ? [1, 2] : recording
      ).status
    default: return try server.send(method, target, as: uid, json: body).status
    }
  }

  @Test func `every route of a user allows exactly the roles that it should`() throws {
    let routes = Server.routes.filter { $0.path.hasPrefix("/v1/users/{uid}") }
      .map {
        "\($0.method.rawValue) \($0.path.dropFirst("/v1/users/{uid}".count).drop { $0 == "/" })"
      }
    #expect(Set(routes) == Set(Self.table.map(\.route)))
    #expect(Self.table.count == routes.count)
    // Other routes have no user in their address; these are for all who are signed in.
    let others = Server.routes.filter { $0.access == .signedIn }.map {
      "\($0.method.rawValue) \($0.path)"
    }
    .filter {
      !$0.contains("/v1/users/{uid}") && !$0.contains("Methods") && !$0.contains("Resources")
    }
    #expect(
      Set(others.filter { !$0.contains("sessionLogs") })
        .isSubset(of: [
          "POST /v1/convert", "POST /v1/invitations", "POST /v1/invitations/look",
          "GET /v1/session", "POST /v1/session", "DELETE /v1/session", "GET /v1/sessions",
          "DELETE /v1/sessions", "DELETE /v1/sessions/{id}", "GET /v1/passkeys",
          "PATCH /v1/passkeys/{id}", "DELETE /v1/passkeys/{id}",
        ]))

    try makeMembers()
    #expect(
      try server.send(
        "PUT", "/v1/users/ann/mood_checkins/sample",
        json: Self.table.first { $0.route == "PUT mood_checkins/{id}" }?.body ?? ""
      ).status == 201)
    _ = try server.send("PATCH", "/v1/users/ann", json: #"{"userName":"Ann"}"#)
    let link = try #require(
      try server.send("GET", "/v1/users/ann/drawings/sample").json["thumbnailURL"] as? String)
    let signature = try #require(link.split(separator: "?").last)
    // A member, a former one, a stranger, and the owner last.
    let callers: [(uid: String?, role: Who?)] = [
      (nil, nil), ("bob", nil), ("eve", nil), ("cat", .readers), ("dan", .writers), ("ann", .owner),
    ]
    for (uid, role) in callers {
      for (route, who, body) in Self.table {
        let (method, path) = route.split(separator: " ", omittingEmptySubsequences: false)
          .map(String.init).pair
        let status = try status(method, Self.target(path), as: uid, body)
        let isAllowed = role.map { $0 <= who } ?? false
        if isAllowed {
          // Some have nothing to delete, or exist already.
          #expect(
            status < 300 || [404, 409].contains(status), "\(route) as \(uid ?? "-"): \(status)")
        } else {
          #expect(status == (uid == nil ? 401 : 403), "\(route) as \(uid ?? "-"): \(status)")
        }
      }
      if uid == nil {
        // A link opens its own address only.
        for (route, _, body) in Self.table where route != "GET drawings/{id}/{file}" {
          let (method, path) = route.split(separator: " ", omittingEmptySubsequences: false)
            .map(String.init).pair
          let target = "\(Self.target(path))?\(signature)"
          let status = try server.send(
            method, target, as: nil,
            body.isEmpty ? [] : [("Content-Type", "application/json")], body: Array(body.utf8)
          ).status
          #expect(status == 403, "\(route) by a link: \(status)")
        }
        #expect(
          try server.send(
            "GET", link.replacingOccurrences(of: "http://ink.example", with: ""), as: nil
          )
          .status == 200)
      }
    }
  }

  @Test func `a user joins by a code, and both change the drawing`() throws {
    let address = "/v1/users/ann/drawings/sample"
    _ = try server.send("PATCH", address, json: #"{"title":"Ours"}"#)
    _ = try server.send("PATCH", "/v1/users/ann", json: #"{"userName":"Ann"}"#)
    let reply = try server.send(
      "POST", "\(address)/invitations", json: #"{"role":"writer","seconds":3600}"#)
    #expect(reply.status == 201)
    let code = try #require(reply.json["code"] as? String)
    #expect(reply.json["url"] as? String == "http://ink.example/join#\(code)")
    let list = try server.send("GET", "\(address)/invitations")
    #expect(list.items.count == 1 && !list.text.contains(code))
    let look = try server.send(
      "POST", "/v1/invitations/look", as: "dan", json: #"{"code":"\#(code)"}"#)
    #expect(look.json["title"] as? String == "Ours" && look.json["owner"] as? String == "Ann")
    #expect(look.json["id"] is NSNull && look.json["uid"] is NSNull)
    let picture = try #require(look.json["picture"] as? String)
    #expect(
      try server.send(
        "GET", picture.replacingOccurrences(of: "http://ink.example", with: ""), as: nil
      )
      .status == 200)
    let joined = try server.send(
      "POST", "/v1/invitations", as: "dan", json: #"{"code":"\#(code)","name":"Dan"}"#)
    #expect(joined.json["owner"] as? String == "ann" && joined.json["role"] as? String == "writer")
    #expect(try join("dan", code).status == 200)
    #expect(try join("ann", code).json["code"] as? String == "own-drawing")
    #expect(try join("bob", code).json["code"] as? String == "no-invitation")

    let shared = try server.send("GET", "/v1/users/dan/shared", as: "dan")
    #expect(shared.items.count == 1 && shared.items[0]["title"] as? String == "Ours")
    // Members get no links that work without their own token.
    let thumbnail = try #require(shared.items[0]["thumbnailURL"] as? String)
    let document = try server.send("GET", address, as: "dan")
    for text in [thumbnail, document.json["imageURL"], document.json["recordingURL"]] {
      let text = try #require(text as? String)
      #expect(!text.contains("?"))
      let target = text.replacingOccurrences(of: "http://ink.example", with: "")
      #expect(try server.send("GET", target, as: nil).status == 401)
      #expect(try server.send("GET", target, as: "bob").status == 403)
      #expect(try server.send("GET", target, as: "dan").status == 200)
    }
    let other = try Recordings.sample("mood")
    let tag = try #require(
      try server.send("GET", "\(address)/recording.pkd", as: "dan").fields["etag"])
    let changed = try server.send(
      "PUT", "\(address)/recording.pkd", as: "dan", [("If-Match", tag)], body: other)
    #expect(changed.status == 200, "\(changed.text)")
    #expect(try server.send("GET", "\(address)/recording.pkd").body == other)
    let tags = try server.send("PATCH", address, as: "dan", json: #"{"tags":["x"]}"#)
    #expect(tags.status == 403 && tags.json["code"] as? String == "owners-field")

    let members = try server.send("GET", "\(address)/members")
    #expect(members.items.first?["uid"] as? String == "dan")
    #expect(members.json["role"] as? String == "owner")
    #expect(try join("cat", invite()).status == 200)
    let seen = try server.send("GET", "\(address)/members", as: "cat")
    #expect(seen.items.compactMap { $0["uid"] as? String } == ["cat"], "names only")
    #expect(
      try server.send("PUT", "\(address)/members/dan", json: #"{"role":"reader"}"#).status == 200)
    let refused = try server.send("PATCH", address, as: "dan", json: #"{"title":"x"}"#)
    #expect(refused.status == 403 && refused.json["code"] as? String == "only-reads")
    #expect(try server.send("DELETE", "\(address)/members/cat", as: "dan").status == 403)
    #expect(try server.send("DELETE", "\(address)/members/dan", as: "dan").status == 204)
    #expect(try server.send("GET", address, as: "dan").status == 403)
  }

  @Test func `a member's pieces and pictures follow the membership at once`() throws {
    let address = "/v1/users/ann/drawings/sample/thumbnail.png"
    #expect(try join("cat", invite()).status == 200)
    // The picture is in the server's memory for its owner.
    for _ in 0..<2 { #expect(try server.send("GET", address).status == 200) }
    #expect(try server.send("GET", address, as: "cat").status == 200)
    #expect(try server.send("DELETE", "/v1/users/ann/drawings/sample/members/cat").status == 204)
    #expect(try server.send("GET", address, as: "cat").status == 403)
  }

  @Test func `Firebase's addresses stay the owner's, who alone gets tokens`() throws {
    try makeMembers()
    let object = "/v0/b/ink/o/users%2Fann%2Fdrawings%2Fsample%2Frecording.pkd"
    for uid in ["cat", "dan"] {
      #expect(try server.send("GET", object, as: uid).status == 403)
      #expect(try server.send("GET", "\(object)?alt=media", as: uid).status == 403)
      #expect(try server.send("DELETE", object, as: uid).status == 403)
      #expect(
        try server.send("GET", "/v0/b/ink/o?prefix=users%2Fann%2Fdrawings%2Fsample%2F", as: uid)
          .status == 403)
    }
    #expect(try server.send("GET", object).status == 200)
  }

  @Test func `nobody can try many codes`() throws {
    var statuses: Set<Int> = []
    for number in 0..<40 { statuses.insert(try join("bob", "guess\(number)").status) }
    #expect(statuses == [404, 429])
    // Others are not hindered.
    #expect(try join("cat", invite()).status == 200)
  }

  @Test func `invitations with wrong fields are refused`() throws {
    let address = "/v1/users/ann/drawings/sample/invitations"
    for json in [
      #"{"role":"owner"}"#, #"{"role":1}"#, #"{"seconds":0}"#, #"{"seconds":1.5}"#,
      #"{"seconds":31622401}"#, #"{"uses":0}"#, #"{"uses":101}"#, #"{"use":1}"#,
    ] {
      #expect(try server.send("POST", address, json: json).status == 422, "\(json)")
    }
    #expect(
      try server.send("POST", "/v1/users/ann/drawings/none/invitations", json: "{}").status == 404)
    for json in ["{}", #"{"code":""}"#, #"{"code":1}"#, #"{"code":"x","name":1}"#] {
      #expect(try server.send("POST", "/v1/invitations", as: "bob", json: json).status == 422)
    }
  }

  @Test(arguments: ["full", "brief"])
  func `an open stream of the member tells of beginning and end`(_ content: String) throws {
    let client = try Client(port: server.port)
    client.write(
      "GET /v1/users/bob/events?content=\(content) HTTP/1.1\r\nHost: ink.example\r\n"
        + "Authorization: Bearer \(server.token("bob"))\r\n\r\n")
    var seen = ""
    func wait(for count: Int) {
      for _ in 0..<100 where seen.components(separatedBy: "event: change").count <= count {
        seen += String(decoding: client.readAll(seconds: 0.1), as: UTF8.self)
      }
      #expect(seen.components(separatedBy: "event: change").count == count + 1, "\(seen)")
    }
    for _ in 0..<100 where !seen.contains("retry:") {
      seen += String(decoding: client.readAll(seconds: 0.1), as: UTF8.self)
    }
    #expect(try join("bob", invite("writer")).status == 200)
    wait(for: 1)
    if content == "full" { #expect(seen.contains("writer")) }
    #expect(try server.send("DELETE", "/v1/users/ann/drawings/sample/members/bob").status == 204)
    wait(for: 2)
  }
}

extension [String] {
  /// The first two.
  fileprivate var pair: (String, String) { (self[0], self[1]) }
}
