import DrawingServices
import Journal
import Foundation
import HTTP
import JSON
import Storage
import TestSupport
import Testing
import Threads
import Tokens

@testable import DrawingServer
@testable import DrawingServices

/// The routes of Firebase Storage, with the requests of its SDKs.
struct FirebaseTests {
  private static let folder = "users/ann/drawings/d1"
  private static let image = "users/ann/drawings/d1/image.png"
  private static let thumbnail = "users/ann/drawings/d1/thumbnail.png"
  private static let recording = "users/ann/drawings/d1/recording.pkd"

  /// The text encoded as by `encodeURIComponent`.
  private static func encoded(_ text: String) -> String {
    let bare = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: "\0"..."\u{7F}"))
      .union(CharacterSet(charactersIn: "-_.!~*'()"))
    return text.addingPercentEncoding(withAllowedCharacters: bare) ?? ""
  }

  private static func object(_ name: String, _ query: String = "") -> String {
    "/v0/b/app.example/o/\(encoded(name))\(query.isEmpty ? "" : "?" + query)"
  }

  private static func upload(_ name: String) -> String {
    "/v0/b/app.example/o?name=\(encoded(name))"
  }

  /// The body of a multipart upload in the form of the JavaScript SDK.
  private static func parts(
    _ json: String, _ bytes: [UInt8], type: String = "image/png", boundary: String
  ) -> [UInt8] {
    Array(
      """
      --\(boundary)\r\nContent-Type: application/json; charset=utf-8\r\n\r\n\(json)\r\n--\(boundary)\r\n\
      Content-Type: \(type)\r\n\r\n
      """.utf8) + bytes + Array("\r\n--\(boundary)--".utf8)
  }

  @discardableResult
  private static func put(
    _ server: TestServer, _ name: String, _ bytes: [UInt8], as uid: String? = "ann",
    json: String = #"{"contentType":"image/png"}"#, boundary: String = "98910253908320334945",
    quoted: Bool = false
  ) throws -> Reply {
    let mark = quoted ? "\"" : ""
    return try server.send(
      "POST", upload(name), as: uid,
      [
        ("X-Goog-Upload-Protocol", "multipart"),
        ("Content-Type", "multipart/related; boundary=\(mark)\(boundary)\(mark)"),
      ], body: parts(json, bytes, boundary: boundary))
  }

  private static func bytes(_ server: TestServer, _ name: String) throws -> [UInt8]? {
    let reply = try server.send("GET", object(name, "alt=media"))
    return reply.status == 200 ? reply.body : nil
  }

  private static func tokens(_ reply: Reply) -> [String] {
    (reply.json["downloadTokens"] as? String ?? "").split(separator: ",").map(String.init)
  }

  /// Begins an upload in pieces, and returns the path of its URL.
  private static func start(
    _ server: TestServer, _ name: String, size: Int?, as uid: String? = "ann",
    json: String = #"{"contentType":"image/png"}"#
  ) throws -> (reply: Reply, address: String) {
    var fields = [
      ("X-Goog-Upload-Protocol", "resumable"), ("X-Goog-Upload-Command", "start"),
      ("X-Goog-Upload-Header-Content-Type", "image/png"),
      ("Content-Type", "application/json; charset=utf-8"),
    ]
    if let size { fields.append(("X-Goog-Upload-Header-Content-Length", "\(size)")) }
    let reply = try server.send("POST", upload(name), as: uid, fields, body: Array(json.utf8))
    let url = reply.fields["x-goog-upload-url"] ?? ""
    return (reply, url.replacingOccurrences(of: "http://ink.example", with: ""))
  }

  private static func send(
    _ server: TestServer, _ address: String, _ command: String, at offset: Int? = nil,
    as uid: String? = nil, _ bytes: [UInt8] = []
  ) throws -> Reply {
    var fields = [("X-Goog-Upload-Command", command)]
    if let offset { fields.append(("X-Goog-Upload-Offset", "\(offset)")) }
    return try server.send("POST", address, as: uid, fields, body: bytes)
  }

  // MARK: - Objects

  @Test func `an image is uploaded, described, downloaded with its token, changed and deleted`()
    throws
  {
    let server = try TestServer()
    let png = TestPicture.png(1000)
    let stored = try Self.put(server, Self.image, png)
    #expect(stored.status == 200)
    let described = try server.send("GET", Self.object(Self.image))
    #expect(described.body == stored.body)
    for (name, value) in [
      ("name", Self.image), ("bucket", "app.example"), ("contentType", "image/png"),
      ("size", "1000"), ("metageneration", "1"), ("contentEncoding", "identity"),
      ("contentDisposition", "inline; filename*=utf-8''image.png"),
    ] {
      #expect(described.json[name] as? String == value)
    }
    let time = /20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ/
    #expect((described.json["timeCreated"] as? String)?.wholeMatch(of: time) != nil)
    #expect((described.json["updated"] as? String)?.wholeMatch(of: time) != nil)
    #expect(Int64(described.json["generation"] as? String ?? "") ?? 0 > 1_700_000_000_000_000)
    let token = try #require(Self.tokens(described).first)
    #expect(UUID(uuidString: token) != nil)

    let media = try server.send(
      "GET", Self.object(Self.image, "alt=media&token=\(token)"), as: nil)
    #expect(media.status == 200 && media.body == png)
    #expect(media.fields["content-type"] == "image/png")
    #expect(media.fields["x-goog-hash"]?.hasPrefix("crc32c=") == true)
    #expect(media.fields["cache-control"] == "private, max-age=0")
    #expect(try server.send("GET", Self.object(Self.image, "alt=media"), as: nil).status == 401)
    #expect(try server.send("GET", Self.object(Self.image, "alt=media"), as: "bob").status == 403)
    #expect(
      try server.send("GET", Self.object(Self.image, "alt=media&token=x"), as: nil).status == 403)

    let tag = try #require(media.fields["etag"])
    let part = try server.send(
      "GET", Self.object(Self.image, "alt=media"), [("Range", "bytes=0-100")])
    #expect(part.status == 206 && part.body == Array(png[...100]))
    #expect(part.fields["content-range"] == "bytes 0-100/1000")
    #expect(
      try server.send("GET", Self.object(Self.image, "alt=media"), [("If-None-Match", tag)]).status
        == 304)
    #expect(
      try server.send("GET", Self.object(Self.image, "alt=media"), [("If-Match", "\"x\"")]).status
        == 412)

    #expect(try server.send("DELETE", Self.object(Self.image), as: "bob").status == 403)
    #expect(try server.send("DELETE", Self.object(Self.image)).status == 204)
    let missing = try server.send("DELETE", Self.object(Self.image))
    #expect(missing.status == 404)
    let error = try #require(missing.json["error"] as? [String: Any])
    #expect(error["code"] as? Int == 404 && error["message"] is String)
    #expect(try server.send("GET", Self.object(Self.image)).status == 404)
    #expect(
      try server.send("GET", Self.object(Self.image, "alt=media&token=\(token)"), as: nil).status
        == 403)
  }

  @Test func `bodies of every size and boundary arrive as they were sent`() throws {
    let server = try TestServer()
    for (size, quoted) in [(73, false), (262_144, true)] {
      let png = TestPicture.png(size)
      #expect(try Self.put(server, Self.image, png, quoted: quoted).status == 200)
      #expect(try Self.bytes(server, Self.image) == png)
    }
    // The boundary without its hyphens is ordinary content.
    let tricky = TestPicture.png(
      200, comment: Array("\r\n98910253908320334945\r\n-98910253908320334945--".utf8))
    #expect(try Self.put(server, Self.image, tricky).status == 200)
    #expect(try Self.bytes(server, Self.image) == tricky)
    // Bytes that are no picture are refused as in other routes, and change nothing.
    for bytes in [[], [1]] as [[UInt8]] {
      #expect(try Self.put(server, Self.image, bytes).status == 422)
      #expect(try Self.bytes(server, Self.image) == tricky)
    }
    let raw = try server.send(
      "POST", Self.upload(Self.thumbnail), [("Content-Type", "image/png")], body: tricky)
    #expect(raw.status == 200 && raw.json["contentType"] as? String == "image/png")
    let recording = try Recordings.sample("mood")
    let reply = try Self.put(server, Self.recording, recording, json: "{}")
    #expect(reply.status == 200)
    #expect(try Self.bytes(server, Self.recording) == recording)
    // The drawing is created from the uploads, and its files keep their links.
    let token = try #require(Self.tokens(reply).first)
    #expect(try server.send("PUT", "/v1/users/ann/drawings/d1", json: "{}").status == 201)
    #expect(
      try server.send("GET", Self.object(Self.recording, "alt=media&token=\(token)"), as: nil)
        .status == 200)
    #expect(try Self.put(server, Self.recording, recording, json: "{}").status == 200)
    #expect(try Self.put(server, Self.recording, Recordings.sample(), json: "{}").status == 409)
    #expect(try server.send("DELETE", Self.object(Self.recording)).status == 409)
  }

  @Test func `a multipart body that ends anywhere is refused and changes nothing`() throws {
    let server = try TestServer()
    let before = try Self.put(server, Self.image, TestPicture.png(0))
    let body = Self.parts("{}", TestPicture.png(100), boundary: "b1")
    for count in 0..<body.count {
      let reply = try server.send(
        "POST", Self.upload(Self.image),
        [
          ("X-Goog-Upload-Protocol", "multipart"),
          ("Content-Type", "multipart/related; boundary=b1"),
        ], body: Array(body[..<count]))
      #expect(400..<500 ~= reply.status, "cut at \(count)")
    }
    #expect(try server.send("GET", Self.object(Self.image)).body == before.body)
    for body in [
      Self.parts("{", TestPicture.png(0), boundary: "b1"),
      Self.parts("[]", TestPicture.png(0), boundary: "b1"),
      Self.parts("{}", TestPicture.png(0), boundary: "b1").dropLast(2)
        + Array("\r\n\r\nthird\r\n--b1--".utf8),
    ] {
      let reply = try server.send(
        "POST", Self.upload(Self.image), [("Content-Type", "multipart/related; boundary=b1")],
        body: Array(body))
      #expect(400..<500 ~= reply.status)
    }
    #expect(try server.send("GET", Self.object(Self.image)).body == before.body)
  }

  @Test func `hashes that a client sends are checked`() throws {
    let server = try TestServer()
    let png = TestPicture.png(0)
    let right = try #require(try Self.put(server, Self.image, png).json["md5Hash"] as? String)
    #expect(
      try Self.put(server, Self.image, png, json: #"{"md5Hash":"\#(right)"}"#).status == 200)
    for wrong in ["1B2M2Y8AsgTpgAmY7PhCfg==", "x", "AAAA"] {
      let reply = try Self.put(server, Self.thumbnail, png, json: #"{"md5Hash":"\#(wrong)"}"#)
      #expect(reply.status == 400)
    }
    #expect(try server.send("GET", Self.object(Self.thumbnail)).status == 404)
  }

  @Test func `metadata is set, cleared by null, and also changed through proxies`() throws {
    let server = try TestServer()
    let first = try Self.put(
      server, Self.image, TestPicture.png(0),
      json: #"{"contentType":"image/x-png","cacheControl":"no-store","metadata":{"a":"1","b":"2"}}"#
    )
    #expect(first.json["metadata"] as? [String: String] == ["a": "1", "b": "2"])
    let changed = try server.send(
      "PATCH", Self.object(Self.image),
      json:
        #"{"cacheControl":null,"contentLanguage":"zh","metadata":{"a":null,"c":"三"},"size":"9"}"#
    )
    #expect(changed.status == 200)
    #expect(changed.json["cacheControl"] == nil && changed.json["size"] as? String == "73")
    #expect(changed.json["contentLanguage"] as? String == "zh")
    #expect(changed.json["metadata"] as? [String: String] == ["b": "2", "c": "三"])
    #expect(changed.json["metageneration"] as? String == "2")
    #expect(changed.json["generation"] as? String == first.json["generation"] as? String)
    #expect(Self.tokens(changed) == Self.tokens(first))
    for method in ["PUT", "POST"] {
      let reply = try server.send(
        method, Self.object(Self.image),
        [("X-HTTP-Method-Override", "PATCH"), ("Content-Type", "application/json")],
        body: Array(#"{"metadata":null,"contentType":null}"#.utf8))
      #expect(reply.status == 200 && reply.json["metadata"] == nil)
    }
    #expect(try server.send("PUT", Self.object(Self.image), body: [1]).status == 400)
    for bad in [
      #"{"cacheControl":"a\r\nX: y"}"#, #"{"cacheControl":5}"#, #"{"metadata":{"a":5}}"#,
      #"{"metadata":"x"}"#, #"{"metadata":{"a":"\#(String(repeating: "x", count: 9000))"}}"#, "{",
    ] {
      #expect(try server.send("PATCH", Self.object(Self.image), json: bad).status == 400)
    }
    #expect(try server.send("PATCH", Self.object(Self.image), as: "bob", json: "{}").status == 403)
    #expect(try server.send("PATCH", Self.object(Self.thumbnail), json: "{}").status == 404)
    // The metadata of a file is not exported as a document.
    #expect(try !server.send("GET", "/v1/users/ann/export").text.contains("secrets"))
    #expect(try !server.send("GET", "/v1/users/ann/changes?after=0").text.contains("tokens"))
  }

  @Test func `object names are decoded once, and those that lead elsewhere are refused`() throws {
    let server = try TestServer()
    let png = TestPicture.png(0)
    try Self.put(server, Self.image, png)
    // One segment or several: the same object.
    for path in [Self.image, "users/ann%2Fdrawings/d1%2Fimage.png"] {
      let reply = try server.send("GET", "/v0/b/app.example/o/\(path)?alt=media")
      #expect(reply.status == 200 && reply.body == png)
    }
    for name in [
      "users/ann/drawings/../d1/image.png", "users/ann/drawings/d1/%2e%2e/image.png",
      "users/ann//d1/image.png", "users/ann/drawings/d1/image.png/", "users/ann/drawings/d%00/x",
      "users/ann/drawings/d\u{0}1/image.png", "users/ann/drawings/d 1/image.png",
      "users/ann/drawings/d+1/image.png", "users/ann/drawings/d%1/image.png",
      "users/ann/drawings/畫/image.png", "users/ann/drawings/d1/other.png",
      "users/ann/drawings/d1/%2Fimage.png", "users/a n/drawings/d1/image.png",
      "users/ann/profile.png", "image.png", "users/ann/secrets/links", "/",
      "users/ann/drawings/\(String(repeating: "d", count: 1100))/image.png",
      "users/ann/drawings/.d1/image.png", "users/ann/drawings/d1/.blobs",
    ] {
      for (method, target) in [
        ("GET", Self.object(name)), ("GET", Self.object(name, "alt=media&token=x")),
        ("DELETE", Self.object(name)), ("PATCH", Self.object(name)),
      ] {
        let reply = try server.send(
          method, target, [("Content-Type", "application/json")],
          body: method == "PATCH" ? [123, 125] : [])
        #expect([400, 403, 404].contains(reply.status), "\(method) \(name): \(reply.status)")
      }
      let reply = try Self.put(server, name, png)
      #expect([400, 403].contains(reply.status), "POST \(name): \(reply.status)")
      #expect(try [400, 403].contains(Self.start(server, name, size: 73).reply.status))
    }
    // Sent as raw bytes, because these names are no valid text.
    for path in [
      "users%2Fann%2Fdrawings%2F..%2Fd1%2Fimage.png", "users/ann/drawings/%252e%252e/image.png",
      "users%2Fann%2Fdrawings%2Fd1%00%2Fimage.png", "%FF", "%", "users%2fann%2fdrawings%2f%2f",
    ] {
      let reply = try server.send("GET", "/v0/b/app.example/o/\(path)")
      #expect([400, 403].contains(reply.status), "\(path): \(reply.status)")
      #expect(reply.json["error"] != nil)
    }
    #expect(try server.send("GET", "/v0/b/a%20b/o?prefix=users%2Fann%2F").status == 404)
    #expect(
      try server.send(
        "POST", Self.object(Self.image, "name=\(Self.encoded(Self.thumbnail))"), body: png
      ).status == 400)
  }

  @Test func `lists of objects come in pages, sorted by bytes`() throws {
    let server = try TestServer()
    let png = TestPicture.png(0)
    for id in ["a", "a-b", "b"] {
      try Self.put(server, "users/ann/drawings/\(id)/image.png", png)
      try Self.put(server, "users/ann/drawings/\(id)/thumbnail.png", png)
    }
    func pages(_ query: String) throws -> (names: [String], pages: Int) {
      var (names, token, count) = ([String](), "", 0)
      repeat {
        let reply = try server.send(
          "GET", "/v0/b/app.example/o?\(query)" + (token.isEmpty ? "" : "&pageToken=\(token)"))
        #expect(reply.status == 200)
        names += reply.json["prefixes"] as? [String] ?? []
        names += reply.items.compactMap { $0["name"] as? String }
        #expect(
          reply.items.allSatisfy { $0.count == 2 && $0["bucket"] as? String == "app.example" })
        token = reply.json["nextPageToken"] as? String ?? ""
        count += 1
      } while !token.isEmpty && count < 20
      return (names, count)
    }
    let below = "prefix=users%2Fann%2Fdrawings%2F"
    let folders = ["a-b", "a", "b"].map { "users/ann/drawings/\($0)/" }
    #expect(try pages("\(below)&delimiter=%2F") == (folders, 1))
    #expect(try pages("\(below)&delimiter=%2F&maxResults=1") == (folders, 3))
    let files = folders.flatMap { ["\($0)image.png", "\($0)thumbnail.png"] }
    for size in [1, 2, 4] {
      #expect(try pages("\(below)&maxResults=\(size)") == (files, (6 + size - 1) / size))
    }
    #expect(
      try pages("\(below)a%2F&delimiter=%2F&maxResults=1") == (Array(files[2..<4]), 2))
    #expect(try pages("prefix=users%2Fann%2F&delimiter=%2F") == (["users/ann/drawings/"], 1))
    #expect(try pages("prefix=users%2Fann%2F") == (files, 1))
    #expect(try pages("\(below)none%2F&delimiter=%2F") == ([], 1))
    for (query, status) in [
      ("", 403), ("prefix=users%2F", 403), ("prefix=users%2Fbob%2F", 403), ("prefix=x%2F", 403),
      ("prefix=users%2Fann", 400), ("\(below)&maxResults=0", 400), ("\(below)&pageToken=!", 400),
      ("\(below)&delimiter=a", 400), ("prefix=users%2Fann%2F..%2F", 400), ("prefix=%2F", 400),
      ("prefix=users%2Fann%2Fmood_checkins%2F", 403),
    ] {
      #expect(try server.send("GET", "/v0/b/app.example/o?\(query)").status == status, "\(query)")
    }
    #expect(try server.send("GET", "/v0/b/app.example/o?\(below)", as: nil).status == 401)
  }

  // MARK: - Tokens

  @Test func `every download token opens the file until it is revoked`() throws {
    let server = try TestServer()
    func opens(_ token: String) throws -> Bool {
      let media = try server.send(
        "GET", Self.object(Self.image, "alt=media&token=\(token)"), as: nil)
      let metadata = try server.send("GET", Self.object(Self.image, "token=\(token)"), as: nil)
      // The holder of one token does not see the others.
      if metadata.status == 200 { #expect(Self.tokens(metadata) == [token]) }
      #expect((media.status == 200) == (metadata.status == 200))
      return media.status == 200
    }
    let first = try Self.tokens(Self.put(server, Self.image, TestPicture.png(0)))
    #expect(first.count == 1)
    let two = try Self.tokens(server.send("POST", Self.object(Self.image, "create_token=true")))
    #expect(two.count == 2 && two.first == first.first)
    #expect(try two.allSatisfy(opens))
    #expect(
      try server.send("POST", Self.object(Self.image, "create_token=true"), as: "bob").status == 403
    )
    let one = try Self.tokens(
      server.send("POST", Self.object(Self.image, "delete_token=\(two[0])")))
    #expect(one == [two[1]])
    #expect(try !opens(two[0]) && opens(two[1]))
    let fresh = try Self.tokens(
      server.send("POST", Self.object(Self.image, "delete_token=\(two[1])")))
    #expect(fresh.count == 1 && fresh != one)
    #expect(try !opens(two[1]) && opens(fresh[0]))

    // Other bytes get another token, unless the upload has one.
    let given = "0f8fad5b-d9cb-469f-a165-70867728950e"
    let brought = try Self.put(
      server, Self.image, TestPicture.png(100),
      json: #"{"metadata":{"firebaseStorageDownloadTokens":"\#(given)","x":"y"}}"#)
    #expect(Self.tokens(brought) == [given])
    #expect(brought.json["metadata"] as? [String: String] == ["x": "y"])
    #expect(try !opens(fresh[0]) && opens(given))
    #expect(
      try Self.put(
        server, Self.image, TestPicture.png(100),
        json: #"{"metadata":{"firebaseStorageDownloadTokens":"a"}}"#
      ).status == 400)
    #expect(try opens(given))
    let last = try Self.tokens(Self.put(server, Self.image, TestPicture.png(0)))
    #expect(try !opens(given) && opens(last[0]))

    // Revokes all tokens of a user at once.
    #expect(try server.send("DELETE", "/v1/users/ann/download-tokens", as: "bob").status == 403)
    #expect(try opens(last[0]))
    #expect(try server.send("DELETE", "/v1/users/ann/download-tokens").status == 204)
    #expect(try !opens(last[0]))
    let next = try Self.tokens(server.send("GET", Self.object(Self.image)))
    #expect(try next.count == 1 && opens(next[0]))
    #expect(
      try server.send(
        "PUT", "/v1/users/ann/drawings/d1/image.png", [("Content-Type", "image/png")],
        body: TestPicture.png(120)
      ).status == 200)
    #expect(try !opens(next[0]))
  }

  @Test func `files uploaded by another API get metadata and a token on request`() throws {
    let server = try TestServer()
    let recording = try Recordings.sample("mood")
    #expect(
      try server.send(
        "PUT", "/v1/users/ann/drawings/d1/recording.pkd",
        [("Content-Type", "application/octet-stream")], body: recording
      ).status == 201)
    let media = try server.send("GET", Self.object(Self.thumbnail, "alt=media"))
    #expect(media.status == 200 && media.fields["content-type"] == "image/png")
    let first = try server.send("GET", Self.object(Self.thumbnail))
    #expect(first.json["contentType"] as? String == "image/png")
    #expect(Self.tokens(first).count == 1)
    #expect(try server.send("GET", Self.object(Self.thumbnail)).body == first.body)
    // Deleting the drawing deletes its tokens, and deleting the user deletes everything.
    let token = Self.tokens(first)[0]
    #expect(try server.send("DELETE", "/v1/users/ann/drawings/d1").status == 204)
    #expect(
      try server.send("GET", Self.object(Self.thumbnail, "alt=media&token=\(token)"), as: nil)
        .status == 403)
    let names = try server.environment.documents.read {
      try $0.names(in: CollectionPath("users/ann/secrets"), after: nil, limit: 100)
    }
    #expect(names.allSatisfy { !$0.hasPrefix("file-") })
    try Self.put(server, Self.image, TestPicture.png(0))
    let (_, address) = try Self.start(server, Self.image, size: 73)
    #expect(try server.send("DELETE", "/v1/users/ann").status == 204)
    #expect(try Self.send(server, address, "query").status == 404)
    #expect(try server.send("GET", Self.object(Self.image)).status == 404)
  }

  @Test func `a picture that the service renders again keeps its links, as another generation`()
    throws
  {
    let server = try TestServer()
    let before = try Self.put(
      server, Self.image, TestPicture.png(0), json: #"{"metadata":{"a":"b"}}"#)
    let png = TestPicture.png(500)
    try server.environment.blobs.put(
      BlobPath(Self.image), contentType: "image/png", png, at: LocalService.systemTime())
    let token = Self.tokens(before)[0]
    let target = Self.object(Self.image, "alt=media&token=\(token)")
    #expect(try server.send("GET", target, as: nil).body == png)
    let after = try server.send("GET", Self.object(Self.image))
    #expect(Self.tokens(after) == [token] && after.json["size"] as? String == "500")
    #expect(after.json["metadata"] as? [String: String] == ["a": "b"])
    #expect(after.json["md5Hash"] as? String != before.json["md5Hash"] as? String)
    func generation(_ reply: Reply) -> Int64 {
      Int64(reply.json["generation"] as? String ?? "") ?? 0
    }
    #expect(generation(after) > generation(before))
    #expect(try server.send("GET", Self.object(Self.image)).body == after.body)
  }

  @Test func `a server without download tokens leaves them out and refuses them`() throws {
    let folder = try TemporaryFolder()
    let server = try TestServer(folder: folder) { $0.hasDownloadTokens = false }
    let reply = try Self.put(server, Self.image, TestPicture.png(0))
    #expect(reply.status == 200 && reply.json["downloadTokens"] == nil)
    #expect(try server.send("GET", Self.object(Self.image)).json["downloadTokens"] == nil)
    #expect(try server.send("POST", Self.object(Self.image, "create_token=true")).status == 403)
    server.stop()
    let other = try TestServer(folder: folder)
    let token = try #require(try Self.tokens(other.send("GET", Self.object(Self.image))).first)
    let target = Self.object(Self.image, "alt=media&token=\(token)")
    #expect(try other.send("GET", target, as: nil).status == 200)
    other.stop()
    let strict = try TestServer(folder: folder) { $0.hasDownloadTokens = false }
    #expect(try strict.send("GET", target, as: nil).status == 403)
  }

  // MARK: - Uploads in pieces

  @Test func `an upload in pieces survives a restart, and shows nothing before its end`() throws {
    let folder = try TemporaryFolder()
    let png = TestPicture.png(700_000)
    let server = try TestServer(folder: folder)
    let (reply, address) = try Self.start(server, Self.image, size: png.count)
    #expect(reply.status == 200 && reply.body.isEmpty)
    #expect(reply.fields["x-goog-upload-status"] == "active")
    #expect(address.hasPrefix("/v0/b/app.example/o?name=users%2Fann%2Fdrawings%2Fd1%2Fimage.png&"))
    let piece = try Self.send(
      server, address, "upload", at: 0, as: "ann", Array(png[..<262_144]))
    #expect(piece.status == 200 && piece.body.isEmpty)
    #expect(piece.fields["x-goog-upload-status"] == "active")
    #expect(try server.send("GET", Self.object(Self.image)).status == 404)
    let uploads = folder.url.appendingPathComponent("uploads")
    for path in try FileManager.default.subpathsOfDirectory(atPath: uploads.path) {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: uploads.appendingPathComponent(path).path)
      #expect((attributes[.posixPermissions] as? Int ?? 0) & 0o077 == 0, "\(path)")
    }
    server.stop()

    let next = try TestServer(folder: folder)
    let query = try Self.send(next, address, "query")
    #expect(query.status == 200 && query.fields["x-goog-upload-status"] == "active")
    #expect(query.fields["x-goog-upload-size-received"] == "262144")
    let end = try Self.send(
      next, address, "upload, finalize", at: 262_144, as: "ann", Array(png[262_144...]))
    #expect(end.status == 200 && end.fields["x-goog-upload-status"] == "final")
    #expect(end.json["size"] as? String == "700000")
    #expect(end.json["contentType"] as? String == "image/png")
    #expect(try Self.bytes(next, Self.image) == png)
    // The answer may have been lost: a repeated request succeeds, also after another restart.
    next.stop()
    let last = try TestServer(folder: folder)
    for command in ["upload, finalize", "finalize"] {
      let again = try Self.send(
        last, address, command, at: 262_144, command == "finalize" ? [] : Array(png[262_144...]))
      #expect(again.status == 200 && again.body == end.body)
      #expect(again.fields["x-goog-upload-status"] == "final")
    }
    let state = try Self.send(last, address, "query")
    #expect(state.fields["x-goog-upload-status"] == "final")
    #expect(state.fields["x-goog-upload-size-received"] == "700000")
    #expect(try Self.send(last, address, "cancel").status == 400)
    #expect(try Self.send(last, address, "upload", at: 0, [1]).status == 400)
    #expect(try Self.bytes(last, Self.image) == png)
  }

  @Test func `an upload of a phone has other names, and no token after its start`() throws {
    let server = try TestServer()
    let recording = try Recordings.sample("mood")
    let reply = try server.send(
      "POST",
      Self.object(Self.recording, "uploadType=resumable&name=\(Self.encoded(Self.recording))"),
      [
        ("X-Goog-Upload-Protocol", "resumable"), ("X-Goog-Upload-Command", "start"),
        ("X-Goog-Upload-Content-Length", "\(recording.count)"),
        ("X-Goog-Upload-Content-Type", "application/x-pkd"),
        ("Content-Type", "application/json; charset=UTF-8"),
      ], body: Array(#"{"bucket":"app.example","name":"\#(Self.recording)"}"#.utf8))
    let url = try #require(reply.fields["x-goog-upload-url"])
    let address = url.replacingOccurrences(of: "http://ink.example", with: "")
    let end = try Self.send(server, address, "upload, finalize", at: 0, recording)
    #expect(end.status == 200 && end.json["contentType"] as? String == "application/octet-stream")
    #expect(try Self.bytes(server, Self.recording) == recording)
  }

  @Test func `upload pieces at wrong offsets or of wrong sizes are refused`() throws {
    let server = try TestServer()
    let png = TestPicture.png(1000)
    let (_, address) = try Self.start(server, Self.image, size: 1000)
    #expect(try Self.send(server, address, "upload", at: 0, Array(png[..<400])).status == 200)
    for offset in [0, 399, 401, 1000] {
      let reply = try Self.send(server, address, "upload", at: offset, Array(png[400..<500]))
      #expect(reply.status == 400 && reply.fields["x-goog-upload-status"] == "active")
      #expect(reply.fields["x-goog-upload-size-received"] == "400")
    }
    #expect(try Self.send(server, address, "upload", Array(png[400..<500])).status == 400)
    #expect(try Self.send(server, address, "finalize").status == 400)
    for command in ["", "start", "query, upload", "delete"] {
      #expect(try Self.send(server, address, command, at: 400, [1]).status == 400)
    }
    #expect(try Self.send(server, address, "upload", at: 400, Array(png[400...])).status == 200)
    let end = try Self.send(server, address, "finalize")
    #expect(end.status == 200)
    #expect(try Self.bytes(server, Self.image) == png)

    // More bytes than declared end the upload.
    let (_, other) = try Self.start(server, Self.thumbnail, size: 10)
    let reply = try Self.send(server, other, "upload, finalize", at: 0, png)
    #expect(reply.status == 400 && reply.fields["x-goog-upload-status"] == "cancelled")
    #expect(try Self.send(server, other, "upload", at: 0, [1]).status == 400)
    #expect(try server.send("GET", Self.object(Self.thumbnail)).status == 404)
    // So do bytes that are no picture.
    let (_, bad) = try Self.start(server, Self.thumbnail, size: 10)
    let refused = try Self.send(
      server, bad, "upload, finalize", at: 0, [UInt8](repeating: 1, count: 10))
    #expect(refused.status == 422)
    #expect(try Self.send(server, bad, "query").status == 404)
    // Without a declared size, the upload may grow up to the limit, but not beyond.
    let (_, open) = try Self.start(server, Self.thumbnail, size: nil)
    #expect(try Self.send(server, open, "upload, finalize", at: 0, png).status == 200)
    #expect(try Self.start(server, Self.image, size: 10 << 20).reply.status == 413)
    #expect(try Self.start(server, Self.image, size: (10 << 20) - 1).reply.status == 200)
    let (_, cancelled) = try Self.start(server, Self.image, size: 1000)
    let state = try Self.send(server, cancelled, "cancel")
    #expect(state.status == 200 && state.fields["x-goog-upload-status"] == "cancelled")
    #expect(try Self.send(server, cancelled, "upload", at: 0, png).status == 400)
  }

  @Test func `an upload belongs to its user, its object and its bucket`() throws {
    let server = try TestServer()
    let png = TestPicture.png(0)
    #expect(try Self.start(server, Self.image, size: 73, as: nil).reply.status == 401)
    #expect(try Self.start(server, Self.image, size: 73, as: "bob").reply.status == 403)
    let (_, address) = try Self.start(server, Self.image, size: 73)
    #expect(
      try Self.send(server, address, "upload, finalize", at: 0, as: "bob", png).status == 403)
    for other in [
      address.replacingOccurrences(of: "image.png", with: "thumbnail.png"),
      address.replacingOccurrences(of: "app.example", with: "other.example"),
      address.replacingOccurrences(of: "upload_id=", with: "upload_id=0"),
      address.replacing(/upload_id=[0-9a-f]+/, with: "upload_id=..%2F..%2Fusers"),
      address.replacing(
        /upload_id=[0-9a-f]+/, with: "upload_id=\(String(repeating: "0", count: 32))"),
    ] {
      #expect(
        try Self.send(server, other, "upload, finalize", at: 0, png).status == 404, "\(other)")
    }
    #expect(try server.send("GET", Self.object(Self.image)).status == 404)
    #expect(try Self.send(server, address, "upload, finalize", at: 0, png).status == 200)
  }

  @Test func `one of several concurrent upload pieces is stored`() throws {
    let server = try TestServer()
    let png = TestPicture.png(50_000)
    for _ in 0..<8 {
      let (_, address) = try Self.start(server, Self.image, size: png.count)
      let statuses = ConditionMutex<[Int]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        let reply = try? Self.send(server, address, "upload", at: 0, Array(png[..<30_000]))
        statuses.withLock { $0.append(reply?.status ?? 0) }
      }
      #expect(statuses.withLock { $0.sorted() } == [200, 400, 400, 400])
      let bodies = ConditionMutex<Set<[UInt8]>>([])
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        let reply = try? Self.send(
          server, address, "upload, finalize", at: 30_000, Array(png[30_000...]))
        _ = bodies.withLock { $0.insert(reply?.body ?? []) }
      }
      #expect(bodies.withLock { $0.count } == 1)
      #expect(try Self.bytes(server, Self.image) == png)
    }
  }

  @Test func `a user has sixteen open uploads, and others have theirs`() throws {
    let server = try TestServer()
    var addresses: [String] = []
    for _ in 0..<16 { addresses.append(try Self.start(server, Self.image, size: 73).address) }
    #expect(try Self.start(server, Self.image, size: 73).reply.status == 429)
    #expect(
      try Self.start(server, "users/bob/drawings/d1/image.png", size: 73, as: "bob").reply.status
        == 200)
    #expect(try Self.send(server, addresses[3], "cancel").status == 200)
    #expect(try Self.start(server, Self.image, size: 73).reply.status == 200)
  }

  @Test func `uploads expire after a day, and leftovers of crashes are deleted`() throws {
    let clock = ConditionMutex(Moment(seconds: 1_795_000_000))
    let environment = ServiceEnvironment(
      .journal, documents: InMemoryDocumentStore(), blobs: InMemoryBlobStore(),
      now: { clock.withLock { $0 } }, newID: { "x" })
    let name = try ObjectName(Self.image, .user("ann"))
    func begin(_ uploads: ResumableUploads) throws -> String {
      try uploads.begin(name, inBucket: "b", declared: 9, Fields(), of: "ann").id
    }
    let uploads = ResumableUploads(environment)
    let id = try begin(uploads)
    var upload = try #require(try uploads.upload(id))
    try uploads.add([1, 2, 3], to: &upload)
    clock.withLock { $0 = $0 + 86_399 }
    #expect(try uploads.upload(id)?.received == 3)
    #expect(try ResumableUploads(environment).upload(id)?.received == 3)
    clock.withLock { $0 = $0 + 1 }
    #expect(try uploads.upload(id) == nil)
    let root = try BlobFolder("uploads")
    #expect(try environment.blobs.folders(below: root, after: nil, limit: 9).isEmpty)

    // A new server process deletes them without a request, including files of no upload.
    let left = try begin(uploads)
    try environment.blobs.put(
      BlobPath("uploads/0123/chunk.0"), contentType: "a/b", [1], at: environment.now())
    clock.withLock { $0 = $0 + 86_400 }
    let next = ResumableUploads(environment)
    #expect(try environment.blobs.folders(below: root, after: nil, limit: 9).isEmpty)
    #expect(try next.upload(left) == nil)

    // The oldest idle upload is deleted for a seventeenth.
    var ids: [String] = []
    for _ in 0..<16 { ids.append(try begin(next)) }
    #expect(throws: (any Error).self) { try begin(next) }
    clock.withLock { $0 = $0 + 1000 }
    for id in ids where id != ids[5] { _ = try next.upload(id) }
    _ = try begin(next)
    #expect(try next.upload(ids[5]) == nil)
    #expect(throws: (any Error).self) { try begin(next) }
  }

  // MARK: - Limits and pages

  @Test func `an object beyond the quota is refused with 402, and not stored`() throws {
    let server = try TestServer { $0.quotaBytes = 100_000 }
    let large = TestPicture.png(90_000)
    #expect(try Self.put(server, Self.image, large).status == 200)
    for _ in 0..<2 { #expect(try Self.put(server, Self.thumbnail, large).status == 402) }
    #expect(try Self.start(server, Self.thumbnail, size: 90_000).reply.status == 402)
    #expect(try server.send("GET", Self.object(Self.thumbnail)).status == 404)
    // Refused requests of other users do not count.
    for _ in 0..<5 {
      #expect(try Self.put(server, Self.thumbnail, large, as: "bob").status == 403)
    }
    #expect(try Self.put(server, Self.thumbnail, TestPicture.png(5000)).status == 200)
    #expect(FirebaseAnswers.patient(Refusal(StorageError(.full, "x"))).status == 402)
  }

  @Test func `programs that send the whole body first can read a refusal`() throws {
    let server = try TestServer()
    let large = [UInt8](repeating: 1, count: 20 << 20)
    let tooLarge = try server.send("POST", Self.upload(Self.image), body: large)
    #expect(tooLarge.status == 413 && tooLarge.json["error"] != nil)
    let forged = try server.send(
      "POST", Self.upload(Self.image), as: nil, [("Authorization", "Firebase x.y.z")], body: large)
    #expect(forged.status == 401)
    // A client that expects 100-continue is refused at once, and so is one that sends too much.
    for (size, field) in [(20 << 20, "Expect: 100-continue\r\n"), (1 << 30, "")] {
      let client = try Client(port: server.port)
      client.write(
        "POST \(Self.upload(Self.image)) HTTP/1.1\r\nHost: a\r\n\(field)Content-Length: \(size)\r\n\r\n"
      )
      let replies = Reply.all(in: client.readAll(seconds: 5) { !Reply.all(in: $0).isEmpty })
      #expect(replies.first?.status == 413)
    }
    #expect(try Self.put(server, Self.image, TestPicture.png(0)).status == 200)
  }

  @Test func `pages of configured origins may do all that the SDK does`() throws {
    let server = try TestServer { $0.origins = ["https://app.example"] }
    let wanted =
      "authorization,content-type,range,x-firebase-gmpid,x-firebase-storage-version,"
      + "x-goog-upload-command,x-goog-upload-header-content-length,x-goog-upload-header-content-type,"
      + "x-goog-upload-offset,x-goog-upload-protocol,x-firebase-appcheck,x-http-method-override"
    for (method, target) in [
      ("GET", Self.object(Self.image)), ("PATCH", Self.object(Self.image)),
      ("DELETE", Self.object(Self.image)), ("POST", Self.object(Self.image)),
      ("PUT", Self.object(Self.image)), ("POST", Self.upload(Self.image)),
      ("GET", "/v0/b/app.example/o?prefix="),
    ] {
      let reply = try server.send(
        "OPTIONS", target, as: nil,
        [
          ("Origin", "https://app.example"), ("Access-Control-Request-Method", method),
          ("Access-Control-Request-Headers", wanted),
        ])
      #expect(reply.status == 204)
      #expect(reply.fields["access-control-allow-origin"] == "https://app.example")
      #expect(reply.fields["access-control-allow-headers"] == wanted)
      #expect(reply.fields["access-control-allow-methods"]?.contains(method) == true)
    }
    let (reply, address) = try Self.start(server, Self.image, size: 73)
    #expect(reply.fields["access-control-allow-origin"] == nil)
    let query = try server.send(
      "POST", address, as: nil,
      [("X-Goog-Upload-Command", "query"), ("Origin", "https://app.example")])
    #expect(query.fields["access-control-allow-origin"] == "https://app.example")
    let exposed = query.fields["access-control-expose-headers"]?.lowercased() ?? ""
    for name in query.fields.keys where name.hasPrefix("x-goog") {
      #expect(exposed.contains(name), "\(name)")
    }
    #expect(exposed.contains("x-goog-upload-url"))
    let other = try server.send(
      "GET", Self.object(Self.image), [("Origin", "https://evil.example")])
    #expect(other.fields["access-control-allow-origin"] == nil)
  }

  @Test func `tokens of the emulator are accepted in development only`() throws {
    let server = try TestServer()
    func part(_ text: String) -> String { Base64.encodeURL(Array(text.utf8)) }
    let token =
      part(#"{"alg":"none","type":"JWT"}"#) + "."
      + part(
        #"{"iss":"https://securetoken.google.com/p","aud":"p","iat":0,"exp":3600,"sub":"ann"}"#)
      + "."
    func get(_ server: TestServer, _ token: String) throws -> Int {
      try server.send(
        "GET", "/v0/b/app.example/o?prefix=users%2Fann%2F", as: nil,
        [("Authorization", "Firebase \(token)"), ("Host", "127.0.0.1")].filter {
          $0.0 != "Host"
        }
      ).status
    }
    #expect(try get(server, token) == 401)
    #expect(try get(server, server.token("ann")) == 200)
    #expect(try get(server, server.token("bob")) == 403)
  }

  @Test func `the requests of a recorded run of the SDK get their answers in order`() throws {
    let server = try TestServer()
    let png = TestPicture.png(1000)
    #expect(try Self.put(server, Self.image, png).status == 200)
    for _ in 0..<2 { #expect(try server.send("GET", Self.object(Self.image)).status == 200) }
    let token = try Self.tokens(server.send("GET", Self.object(Self.image)))[0]
    #expect(
      try server.send("GET", Self.object(Self.image, "alt=media&token=\(token)"), as: nil).status
        == 200)
    #expect(try server.send("GET", Self.object(Self.image, "alt=media")).status == 200)
    #expect(
      try server.send("GET", Self.object(Self.image, "alt=media"), [("Range", "bytes=0-100")])
        .status == 206)
    #expect(
      try server.send(
        "PATCH", Self.object(Self.image),
        [("Content-Type", "application/json; charset=utf-8")],
        body: Array(#"{"cacheControl":"x"}  "#.utf8)
      ).status == 200)
    let recording = try Recordings.sample("mood")
    let (_, address) = try Self.start(
      server, Self.recording, size: recording.count,
      json: #"{"name":"\#(Self.recording)","contentType":"application/octet-stream"}"#)
    let half = recording.count / 2
    #expect(
      try Self.send(server, address, "upload", at: 0, as: "ann", Array(recording[..<half])).status
        == 200)
    #expect(
      try Self.send(
        server, address, "upload, finalize", at: half, as: "ann", Array(recording[half...])
      ).status == 200)
    #expect(try Self.put(server, Self.thumbnail, TestPicture.png(0)).status == 200)
    let prefix = "prefix=\(Self.encoded(Self.folder + "/"))&delimiter=%2F"
    let first = try server.send("GET", "/v0/b/app.example/o?\(prefix)&maxResults=2")
    #expect(first.items.count == 2)
    let page = try #require(first.json["nextPageToken"] as? String)
    let second = try server.send(
      "GET", "/v0/b/app.example/o?\(prefix)&maxResults=2&pageToken=\(page)")
    #expect(second.items.count == 1 && second.json["nextPageToken"] == nil)
    for status in [204, 404] {
      #expect(try server.send("DELETE", Self.object(Self.image)).status == status)
    }
    #expect(try server.send("GET", Self.object(Self.thumbnail)).status == 200)
  }
}

/// A picture of one pixel, padded to a size by an ancillary chunk.
private enum TestPicture {
  /// A PNG of this many bytes, at least 73.
  static func png(_ size: Int, comment: [UInt8] = []) -> [UInt8] {
    var bytes: [UInt8] = [137, 80, 78, 71, 13, 10, 26, 10]
    bytes += chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0])
    // Five stored bytes, and their Adler-32.
    bytes += chunk("IDAT", [0x78, 1, 1, 5, 0, 250, 255, 0, 0, 0, 0, 0, 0, 5, 0, 1])
    let count = size - bytes.count - 24
    if count >= comment.count {
      bytes += chunk(
        "teSt", comment + (comment.count..<count).map { UInt8(truncatingIfNeeded: $0) })
    }
    return bytes + chunk("IEND", [])
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let bytes = Array(name.utf8) + content
    var checksum = UInt32.max
    for byte in bytes {
      checksum ^= UInt32(byte)
      for _ in 0..<8 {
        checksum = checksum & 1 == 0 ? checksum >> 1 : checksum >> 1 ^ 0xEDB8_8320
      }
    }
    return bigEndian(UInt32(content.count)) + bytes + bigEndian(~checksum)
  }

  private static func bigEndian(_ number: UInt32) -> [UInt8] {
    (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
