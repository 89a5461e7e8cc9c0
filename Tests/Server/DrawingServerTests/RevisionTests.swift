import DrawingServices
import Foundation
import TestSupport
import Testing
import Threads

/// Recordings that newer ones replace over HTTP, as a page does while it saves.
struct RevisionTests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  private static let drawing = "/v1/users/ann/drawings/d"
  private static let recording = "\(drawing)/recording.pkd"

  private static func put(
    _ server: TestServer, _ sample: String, as uid: String? = "ann",
    _ fields: [(String, String)] = []
  ) throws -> Reply {
    try server.send("PUT", recording, as: uid, fields, body: Recordings.sample(sample))
  }

  private func put(
    _ sample: String, as uid: String? = "ann", _ fields: (String, String)...
  ) throws -> Reply {
    try Self.put(server, sample, as: uid, fields)
  }

  /// The tag of the stored recording.
  private static func tag(_ server: TestServer) throws -> String {
    try #require(try server.send("HEAD", recording).fields["etag"])
  }

  private func tag() throws -> String { try Self.tag(server) }

  private func get(_ name: String) throws -> [UInt8] {
    let reply = try server.send("GET", "\(Self.drawing)/\(name)")
    #expect(reply.status == 200, "\(name): \(reply.text)")
    return reply.body
  }

  private static let views = [
    "thumbnail.png", "image.png", "render?width=64", "frames/100?width=64", "replay.apng?width=64",
  ]

  @Test func `a recording with the tag of the stored one replaces it, and all pictures follow`()
    throws
  {
    #expect(try put("inks").status == 201)
    let document = try server.send("GET", Self.drawing)
    let before = try Self.views.map(get)
    let old = try tag()
    let reply = try put("minute", ("If-Match", old))
    #expect(reply.status == 200, "\(reply.text)")
    #expect(try reply.fields["etag"] == tag() && reply.fields["etag"] != old)
    #expect(reply.fields["location"] == "http://ink.example\(Self.recording)")
    let size = try Recordings.sample("minute").count
    #expect(reply.json["size"] as? Int == size)
    #expect(reply.json["path"] as? String == "users/ann/drawings/d/recording.pkd")
    #expect(try get("recording.pkd") == Recordings.sample("minute"))
    // The result equals a drawing that was first stored with this recording.
    #expect(
      try server.send(
        "PUT", "/v1/users/ann/drawings/e/recording.pkd", body: Recordings.sample("minute")
      ).status == 201)
    for (index, view) in Self.views.enumerated() {
      let picture = try get(view)
      #expect(picture != before[index], "\(view)")
      #expect(try server.send("GET", "/v1/users/ann/drawings/e/\(view)").body == picture, "\(view)")
    }
    let after = try server.send("GET", Self.drawing)
    #expect(after.fields["etag"] != document.fields["etag"])
    #expect(after.json["createdAt"] as? String == document.json["createdAt"] as? String)
    #expect(after.json["updatedAt"] as? String != document.json["updatedAt"] as? String)
    #expect(after.json["nextRecordingSHA256"] == nil)
    // Once more, and back.
    #expect(try put("mood", ("If-Match", "\"x\", \(tag())")).status == 200)
    #expect(try put("inks", ("If-Match", tag())).status == 200)
    #expect(try tag() == old)
    #expect(try get("render?width=64") == before[2])
  }

  @Test func `a client may repeat a revision after a lost answer`() throws {
    #expect(try put("inks").status == 201)
    let old = try tag()
    let first = try put("minute", ("If-Match", old))
    let document = try server.send("GET", Self.drawing).fields["etag"]
    for condition in [old, first.fields["etag"] ?? "", "*"] {
      let again = try put("minute", ("If-Match", condition))
      #expect(again.status == 200 && again.fields["etag"] == first.fields["etag"])
    }
    #expect(try server.send("GET", Self.drawing).fields["etag"] == document)
  }

  @Test func `a recording with another tag is refused, and so is one without a condition`() throws {
    // There is no version to replace.
    for condition in ["*", "\"x\""] {
      #expect(try put("inks", ("If-Match", condition)).status == 412)
    }
    #expect(try server.send("GET", Self.drawing).status == 404)
    #expect(try put("inks").status == 201)
    let old = try tag()
    #expect(try put("minute", ("If-Match", old)).status == 200)
    let current = try tag()
    for condition in [old, "W/\(current)", "\"x\"", "\"\"", String(current.prefix(20)) + "\""] {
      let reply = try put("mood", ("If-Match", condition))
      #expect(reply.status == 412 && reply.code == "changed", "\(condition)")
    }
    #expect(try put("mood", ("If-Match", "x")).status == 400)
    #expect(try put("mood").status == 409)
    #expect(try put("mood", ("If-None-Match", "*")).status == 412)
    #expect(try tag() == current)
    #expect(try put("mood", ("If-Match", "*")).status == 200)
    #expect(try get("recording.pkd") == Recordings.sample("mood"))
    // A deleted drawing is not restored.
    #expect(try server.send("DELETE", Self.drawing).status == 204)
    for condition in ["*", try "\"\(Recordings.sample("mood").count)\"", current] {
      #expect(try put("mood", ("If-Match", condition)).status == 412)
    }
    #expect(try server.send("GET", Self.drawing).status == 404)
  }

  @Test func `nobody else may revise a drawing`() throws {
    #expect(try put("inks").status == 201)
    let current = try tag()
    for condition in [current, "*"] {
      #expect(try put("minute", as: "bob", ("If-Match", condition)).status == 403)
      #expect(try put("minute", as: nil, ("If-Match", condition)).status == 401)
      #expect(try put("inks", as: "bob", ("If-Match", condition)).status == 403)
    }
    let links = try server.send(
      "POST", "/v1/users/ann/links", json: #"{"paths":["drawings/d/recording.pkd"]}"#)
    let link = try #require(links.items.first?["url"] as? String)
      .replacingOccurrences(of: "http://ink.example", with: "")
    let reply = try server.send(
      "PUT", link, as: nil, [("If-Match", "*")], body: Recordings.sample("minute"))
    #expect(reply.status == 403)
    #expect(try tag() == current)
    #expect(try get("recording.pkd") == Recordings.sample("inks"))
  }

  @Test func `damaged recordings are refused, and the drawing stays`() throws {
    #expect(try put("inks").status == 201)
    let (current, document) = (try tag(), try server.send("GET", Self.drawing).fields["etag"])
    let recording = try Recordings.sample("minute")
    for bytes in [
      [], Array("hello".utf8), Array(recording.dropLast()), Array(recording.prefix(999)),
      try get("thumbnail.png"),
    ] {
      let reply = try server.send(
        "PUT", Self.recording, [("If-Match", current)], body: bytes)
      #expect(reply.status == 422, "\(reply.status) \(reply.text)")
    }
    #expect(try tag() == current)
    #expect(try server.send("GET", Self.drawing).fields["etag"] == document)
  }

  @Test func `one of several pages that save at once succeeds`() throws {
    #expect(try put("inks").status == 201)
    let samples = ["minute", "mood", "landscape", "handwriting"]
    for round in 0..<6 {
      let old = try tag()
      let statuses = ConditionMutex<[String: Int]>([:])
      DispatchQueue.concurrentPerform(iterations: samples.count) { index in
        let reply = try? Self.put(server, samples[index], [("If-Match", old)])
        statuses.withLock { $0[samples[index]] = reply?.status ?? 0 }
      }
      let found = statuses.withLock { $0 }
      let winners = samples.filter { found[$0] == 200 }
      #expect(winners.count == 1, "round \(round): \(found)")
      #expect(found.values.count { $0 == 412 } == samples.count - 1, "round \(round): \(found)")
      #expect(try get("recording.pkd") == Recordings.sample(winners.first ?? ""))
      #expect(try put("inks", ("If-Match", "*")).status == 200)
    }
  }

  @Test func `a share shows the drawing as it is now`() throws {
    #expect(try put("inks").status == 201)
    let share = try server.send(
      "POST", "/v1/users/ann/shares", json: #"{"drawing":"d","view":"replay"}"#)
    let address = try #require(share.json["url"] as? String)
      .replacingOccurrences(of: "http://ink.example", with: "")
    let names = ["picture.png", "replay.html"]
    let before = try names.map { try server.send("GET", "\(address)/\($0)", as: nil).body }
    #expect(try put("minute", ("If-Match", tag())).status == 200)
    for (name, old) in zip(names, before) {
      let reply = try server.send("GET", "\(address)/\(name)", as: nil)
      #expect(reply.status == 200 && reply.body != old, "\(name)")
    }
  }

  @Test func `the feed of changes has the revised drawing`() throws {
    #expect(try put("inks").status == 201)
    let feed = try server.send("GET", "/v1/users/ann/changes?after=0")
    let cursor = try #require(feed.json["cursor"] as? String)
    #expect(try put("minute", ("If-Match", tag())).status == 200)
    let changes = try server.send("GET", "/v1/users/ann/changes?after=\(cursor)")
    #expect(changes.items.count == 1)
    let document = changes.items.first?["document"] as? [String: Any]
    #expect(
      try (document?["recordingSHA256"] as? String)?.hasPrefix(tag().dropFirst().dropLast()) == true
    )
    #expect(!changes.text.contains("nextRecordingSHA256"))
    // Clients cannot announce the next recording.
    let forged = try server.send(
      "PATCH", Self.drawing, json: #"{"nextRecordingSHA256": "0"}"#)
    #expect((400..<500).contains(forged.status))
  }

  @Test func `download tokens of the former files end`() throws {
    #expect(try put("inks").status == 201)
    var links: [String] = []
    for name in ["image.png", "recording.pkd", "thumbnail.png"] {
      let object = "/v0/b/ink/o/users%2Fann%2Fdrawings%2Fd%2F\(name)"
      let described = try server.send("GET", object)
      let token = try #require(described.json["downloadTokens"] as? String)
      links.append("\(object)?alt=media&token=\(token)")
    }
    for link in links { #expect(try server.send("GET", link, as: nil).status == 200) }
    #expect(try put("minute", ("If-Match", tag())).status == 200)
    for link in links { #expect(try server.send("GET", link, as: nil).status == 403) }
  }

  @Test func `a drawing that is saved again and again takes the space of one`() throws {
    let samples = ["inks", "minute", "mood"]
    let sizes = try samples.map { try Recordings.sample($0).count }
    // Space for the largest one, and for pictures.
    let small = try TestServer { $0.quotaBytes = (sizes.max() ?? 0) + 60_000 }
    #expect(try Self.put(small, "inks").status == 201)
    for round in 1..<30 {
      let reply = try Self.put(small, samples[round % 3], [("If-Match", Self.tag(small))])
      #expect(reply.status == 200, "round \(round): \(reply.text)")
    }
    // Refused recordings take no space.
    for _ in 0..<5 {
      #expect(try Self.put(small, "inks", [("If-Match", "\"x\"")]).status == 412)
    }
    #expect(try Self.put(small, "inks", [("If-Match", "*")]).status == 200)
    // A recording larger than the quota is refused.
    let landscape = try Recordings.sample("landscape")
    if landscape.count > (sizes.max() ?? 0) + 60_000 {
      #expect(try Self.put(small, "landscape", [("If-Match", "*")]).status == 402)
    }
    #expect(
      try small.send("GET", Self.recording).body == Recordings.sample("inks"))
  }
}
