import DrawingServices
import Foundation
import PNGFormat
import TestSupport
import Testing

/// Links that open without a token: signed ones, and shares.
struct LinkTests {
  private let server: TestServer

  init() throws {
    server = try TestServer()
    let reply = try server.send(
      "PUT", "/v1/users/ann/drawings/d/recording.pkd", body: Recordings.sample())
    #expect(reply.status == 201)
  }

  private func links(
    _ paths: [String], _ more: String = "", as uid: String = "ann"
  ) throws -> [String] {
    let list = paths.map { "\"\($0)\"" }.joined(separator: ",")
    let reply = try server.send(
      "POST", "/v1/users/\(uid)/links", as: uid, json: "{\"paths\":[\(list)]\(more)}")
    #expect(reply.status == 200, "\(reply.text)")
    return reply.items.compactMap { $0["url"] as? String }.map(target)
  }

  /// The target of a link to this server.
  private func target(_ link: String) -> String {
    #expect(link.hasPrefix("http://ink.example/"))
    return link.replacingOccurrences(of: "http://ink.example", with: "")
  }

  private func status(_ target: String, _ method: String = "GET") throws -> Int {
    try server.send(method, target, as: nil).status
  }

  @Test func `the links in the document of a drawing open in an img without a token`() throws {
    let document = try server.send("GET", "/v1/users/ann/drawings/d").json
    for name in ["imageURL", "recordingURL", "thumbnailURL"] {
      let link = target(try #require(document[name] as? String))
      let reply = try server.send("GET", link, as: nil)
      #expect(reply.status == 200)
      #expect(reply.fields["cache-control"]?.contains("private") == true)
      #expect(reply.fields["referrer-policy"] == "no-referrer")
    }
  }

  @Test func `a signed link that was changed opens nothing`() throws {
    let link = try links(["drawings/d/image.png"])[0]
    #expect(try status(link) == 200)
    let changed = [
      link.replacingOccurrences(of: "image.png", with: "recording.pkd"),
      link.replacingOccurrences(of: "/ann/", with: "/bob/"),
      link.replacingOccurrences(of: "/d/", with: "/e/"),
      link.replacingOccurrences(of: "expires=1", with: "expires=2"),
      link.replacingOccurrences(of: "?expires", with: "?width=9&expires"), link + "&a=b",
      link + "&expires=9999999999", link + "&signature=x", String(link.dropLast()), link + "A",
      link.replacingOccurrences(of: "signature=", with: "Signature="),
      link.replacingOccurrences(of: "image.png", with: "image%2epng%00"),
      link.replacingOccurrences(of: "/v1/", with: "/v0/"),
    ]
    for other in changed {
      let status = try status(other)
      #expect((400..<500).contains(status), "\(other): \(status)")
    }
    // The same path in another encoding is equal.
    #expect(try status(link.replacingOccurrences(of: "image.png", with: "image%2epng")) == 200)
  }

  @Test func `a signed link allows reading and nothing else`() throws {
    let link = try links(["drawings/d/image.png"])[0]
    for method in ["DELETE", "PUT", "PATCH", "POST"] {
      #expect([403, 405].contains(try status(link, method)), "\(method)")
    }
    #expect(try status(link, "HEAD") == 200)
    #expect(try server.send("GET", "/v1/users/ann/drawings/d").status == 200)
  }

  @Test func `signed links end after their time, and when the user revokes them`() throws {
    let long = try links(["drawings/d/image.png", "gallery", "drawings/d/render?width=99"])
    let start = ContinuousClock.now
    let short = try links(["drawings/d/image.png"], ",\"seconds\":1")[0]
    let first = try status(short)
    // On a busy machine more than a second may pass before this answer.
    #expect(first == 200 || ContinuousClock.now - start > .seconds(1))
    Thread.sleep(forTimeInterval: 2.1)
    #expect(try status(short) == 403)
    for link in long { #expect(try status(link) == 200, "\(link)") }
    #expect(try server.send("DELETE", "/v1/users/ann/links", as: "bob").status == 403)
    for link in long { #expect(try status(link) == 200) }
    #expect(try server.send("DELETE", "/v1/users/ann/links").status == 204)
    for link in long {
      #expect(try status(link) == 403, "a revoked link was opened again: \(link)")
    }
    // The document contains new links.
    let document = try server.send("GET", "/v1/users/ann/drawings/d")
    #expect(try status(target(try #require(document.json["imageURL"] as? String))) == 200)
  }

  @Test func `links to another user's data or to invalid paths are not signed`() throws {
    #expect(
      try server.send("POST", "/v1/users/ann/links", as: "bob", json: #"{"paths":["gallery"]}"#)
        .status == 403)
    for path in [
      "", "..", "../bob/gallery", "drawings/../../bob", "nothing", "drawings/d/render?signature=x",
      "drawings/d/render?expires=1", "drawings//d", "drawings/d/%2e%2e", "links",
    ] {
      let reply = try server.send(
        "POST", "/v1/users/ann/links", json: "{\"paths\":[\"\(path)\"]}")
      #expect(reply.status == 422, "\(path): \(reply.status)")
    }
    for body in ["{}", #"{"paths":[]}"#, #"{"paths":[1]}"#, #"{"paths":"gallery"}"#, "[]", "x", ""]
    {
      let reply = try server.send("POST", "/v1/users/ann/links", json: body)
      #expect([400, 422].contains(reply.status), "\(body): \(reply.status)")
    }
  }

  @Test func `links are built from the configured address or a trusted proxy's headers`()
    throws
  {
    func url(
      _ fields: [(String, String)], _ change: @escaping (inout ServerSettings) -> Void
    ) throws -> String {
      let server = try TestServer {
        $0.publicURL = ""
        change(&$0)
      }
      let reply = try server.send(
        "POST", "/v1/users/ann/links",
        [("Content-Type", "application/json")] + fields, body: Array(#"{"paths":["gallery"]}"#.utf8)
      )
      return try #require(reply.items.first?["url"] as? String)
    }
    let forwarded = [("X-Forwarded-Host", "ink.test"), ("X-Forwarded-Proto", "https")]
    #expect(try url(forwarded) { _ in }.hasPrefix("/v1/"))
    #expect(
      try url(forwarded) { $0.proxies = ["127.0.0.1"] }.hasPrefix("https://ink.test/v1/"))
    #expect(
      try url(forwarded) { $0.publicURL = "https://public.test" }
        .hasPrefix("https://public.test/v1/"))
    #expect(
      try url([("X-Forwarded-Host", "evil\"><script>")]) { $0.proxies = ["127.0.0.1"] }
        .hasPrefix("http://ink.example/"))
  }

  @Test func `responses to a signed link contain no links that outlive it`() throws {
    let soon = Int(Date().timeIntervalSince1970) + 60
    for path in ["drawings", "drawings/d", "gallery", "changes"] {
      let link = try links([path], ",\"seconds\":60")[0]
      let text = try server.send("GET", link, as: nil).text
      let ends = text.matches(of: /expires=(\d+)/).compactMap { Int($0.output.1) }
      #expect(ends.count >= 3, "\(path)")
      #expect(ends.allSatisfy { $0 <= soon + 2 }, "\(path): \(ends)")
    }
  }

  // MARK: - Shares

  private func share(_ json: String) throws -> String {
    let reply = try server.send("POST", "/v1/users/ann/shares", json: json)
    #expect(reply.status == 201, "\(reply.text)")
    return target(try #require(reply.json["url"] as? String))
  }

  @Test func `a shared picture shows its card to everybody, and no recording`() throws {
    let link = try share(##"{"drawing":"d","title":"<b>\"Trees\" & more</b>"}"##)
    let page = try server.send("GET", link, as: nil)
    #expect(page.status == 200)
    #expect(page.text.contains("og:image\" content=\"http://ink.example\(link)/picture.png"))
    #expect(page.text.contains("&lt;b&gt;&quot;Trees&quot; &amp; more&lt;/b&gt;"))
    #expect(!page.text.contains("<b>"))
    #expect(!page.text.contains("ann"))
    #expect(try status(link + "/picture.png") == 200)
    #expect(try status(link + "/replay.html") == 404)
  }

  @Test func `a shared replay plays, and a share ends when its owner or its time ends it`() throws {
    let link = try share(#"{"drawing":"d","view":"replay"}"#)
    let replay = try server.send("GET", link + "/replay.html", as: nil)
    #expect(replay.status == 200)
    // A poster is visible while the engine is compiled.
    #expect(replay.text.contains(#""poster":"data:image/png;base64,"#))
    let short = try share(#"{"drawing":"d","seconds":1}"#)
    let list = try server.send("GET", "/v1/users/ann/shares").items
    #expect(list.count == 2)
    let id = link.split(separator: "/").last.map(String.init) ?? ""
    #expect(try server.send("DELETE", "/v1/users/bob/shares/\(id)", as: "bob").status == 404)
    #expect(try status(link) == 200)
    #expect(try server.send("DELETE", "/v1/users/ann/shares/\(id)").status == 204)
    for path in ["", "/picture.png", "/replay.html"] { #expect(try status(link + path) == 404) }
    Thread.sleep(forTimeInterval: 1.1)
    #expect(try status(short) == 404)
    #expect(try server.send("GET", "/v1/users/ann/shares", as: "bob").status == 403)
    #expect(
      try server.send("POST", "/v1/users/bob/shares", as: "bob", json: #"{"drawing":"d"}"#).status
        == 404)
    for body in [
      "{}", #"{"drawing":"nothing"}"#, #"{"drawing":"../d"}"#, #"{"drawing":"d","view":"x"}"#,
      #"{"drawing":"d","seconds":0}"#, #"{"drawing":"d","title":7}"#,
      #"{"drawing":"d","second":60}"#,
    ] {
      let reply = try server.send("POST", "/v1/users/ann/shares", json: body)
      #expect((400..<500).contains(reply.status), "\(body): \(reply.status)")
    }
  }

  @Test func `a shared picture shows ink of any colour, and small ink stays small`()
    throws
  {
    for grey in [0, 1] {
      let recording = try Recordings.line(grey: grey)
      let path = "/v1/users/ann/drawings/line\(grey)/recording.pkd"
      #expect(try server.send("PUT", path, body: recording).status == 201)
      let link = try share("{\"drawing\":\"line\(grey)\"}")
      let reply = try server.send("GET", link + "/picture.png", as: nil)
      let picture = try PNGDecoder().decode(reply.body)
      let paper = picture[0, 0].x
      #expect(paper < 10_000 ? grey == 1 : grey == 0, "\(paper)")
      // The line of 70 points is drawn with at most four pixels per point.
      let drawn = (0..<picture.width).filter { x in
        (0..<picture.height).contains { picture[x, $0].x != paper }
      }
      #expect(200..<350 ~= drawn.count, "\(drawn.count) columns")
    }
  }

  @Test func `page addresses with a trailing slash redirect to those without`()
    throws
  {
    let link = try share(#"{"drawing":"d","view":"replay"}"#)
    let id = try #require(link.split(separator: "/").last)
    for (path, place) in [
      ("/draw/", "../draw"), ("/draw/?id=a%20b", "../draw?id=a%20b"), ("/diary/", "../diary"),
      ("/drawing/?id=d", "../drawing?id=d"), (link + "/", "../\(id)"),
      (link + "/replay.html/", "../replay.html"),
    ] {
      let reply = try server.send("GET", path, as: nil)
      #expect(reply.status == 308 && reply.fields["location"] == place, "\(path): \(reply)")
    }
    for path in ["/", "/?a=b/", "/s/nothing/", "/none/", "/draw//"] {
      #expect(try server.send("GET", path, as: nil).fields["location"] == nil, "\(path)")
    }
  }

  @Test func `the page of a share loads a picture and links to the player`() throws {
    let link = try share(#"{"drawing":"d","view":"replay","title":"Trees"}"#)
    let page = try server.send("GET", link, as: nil)
    let id = try #require(link.split(separator: "/").last)
    for wanted in [
      "<img src=\"\(id)/picture.png\" width=\"", "<a href=\"\(id)/replay.html#play\"",
      "og:image:width", "<h1>Trees</h1>",
    ] { #expect(page.text.contains(wanted), "\(wanted)") }
    for unwanted in ["<script", "<iframe", "engine"] {
      #expect(!page.text.contains(unwanted), "\(unwanted)")
    }
    #expect(page.body.count < 4_000)
    let icon = try #require(page.text.firstMatch(of: /rel="icon" href="\.\.(\/assets[^"]*)"/)?.1)
    #expect(try status(String(icon)) == 200)
    #expect(page.fields["content-security-policy"]?.contains("script-src") == false)
  }

  @Test func `a share whose recording is lost or damaged says so, without a broken picture`() throws
  {
    let link = try share(#"{"drawing":"d","view":"replay"}"#)
    let file = server.folder.file("users/ann/drawings/d/recording.pkd")
    let bytes = try Data(contentsOf: file)
    for damaged in [Data(bytes.prefix(bytes.count / 2)), nil] {
      if let damaged {
        try damaged.write(to: file)
      } else {
        try FileManager.default.removeItem(at: file)
      }
      let page = try server.send("GET", link, as: nil)
      #expect(page.status == 200)
      #expect(page.text.contains("This drawing cannot be shown."))
      #expect(!page.text.contains("<img") && !page.text.contains("og:image"))
    }
  }

  @Test func `deleting a user ends its documents, files, links and shares`() throws {
    let link = try links(["drawings/d/image.png"])[0]
    let share = try share(#"{"drawing":"d"}"#)
    #expect(try server.send("DELETE", "/v1/users/ann", as: "bob").status == 403)
    #expect(try server.send("DELETE", "/v1/users/ann").status == 204)
    #expect([403, 404].contains(try status(link)))
    #expect(try status(share) == 404)
    #expect(try server.send("GET", "/v1/users/ann/drawings").items.isEmpty)
    #expect(try server.send("GET", "/v1/users/ann/shares").items.isEmpty)
    // Old links must not open files that a new user of the same name stores later.
    _ = try server.send(
      "PUT", "/v1/users/ann/drawings/d/recording.pkd", body: Recordings.sample())
    #expect(try status(link) == 403)
  }
}
