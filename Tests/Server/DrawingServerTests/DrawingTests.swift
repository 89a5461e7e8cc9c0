import DrawingServices
import Foundation
import PNGFormat
import TestSupport
import Testing

/// Drawings and their files over HTTP.
struct DrawingTests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  private func put(_ id: String, _ query: String = "", sample: String = "inks") throws -> Reply {
    try server.send(
      "PUT", "/v1/users/ann/drawings/\(id)/recording.pkd\(query)", body: Recordings.sample(sample))
  }

  @Test func `an uploaded recording creates a drawing and is returned unchanged`() throws {
    let recording = try Recordings.sample()
    let reply = try server.send(
      "POST", "/v1/users/ann/drawings?promptUsed=a%20tree&timezoneOffsetMinutes=480",
      [("Content-Type", "application/octet-stream")], body: recording)
    #expect(reply.status == 201)
    let id = try #require(reply.json["id"] as? String)
    #expect(reply.fields["location"] == "http://ink.example/v1/users/ann/drawings/\(id)")
    #expect(reply.json["promptUsed"] as? String == "a tree")
    #expect(reply.json["timezoneOffsetMinutes"] as? Int == 480)
    let file = try server.send("GET", "/v1/users/ann/drawings/\(id)/recording.pkd")
    #expect(file.status == 200)
    #expect(file.body == recording)
    #expect(file.fields["content-type"] == "application/octet-stream")
    for name in ["image.png", "thumbnail.png"] {
      let picture = try server.send("GET", "/v1/users/ann/drawings/\(id)/\(name)")
      #expect(picture.status == 200)
      #expect(picture.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
      #expect(picture.fields["cache-control"] == "private, no-cache")
      #expect(picture.fields["x-content-type-options"] == "nosniff")
    }
  }

  @Test func `a form stores recording, image and fields together`() throws {
    _ = try put("first")
    let image = try server.send("GET", "/v1/users/ann/drawings/first/image.png").body
    let form = Recordings.form([
      ("recording", try Recordings.sample("minute")), ("image", image),
      ("promptUsed", Array("<script>alert(1)</script>".utf8)),
      ("isFromCheckIn", Array("true".utf8)),
      ("createdAt", Array("2026-11-22T13:00:00Z".utf8)), ("id", Array("second".utf8)),
    ])
    let reply = try server.send(
      "POST", "/v1/users/ann/drawings", [("Content-Type", form.type)], body: form.body)
    #expect(reply.status == 201, "\(reply.text)")
    #expect(reply.json["promptUsed"] as? String == "<script>alert(1)</script>")
    #expect(reply.json["createdAt"] as? String == "2026-11-22T13:00:00Z")
    #expect(reply.json["isFromCheckIn"] as? Bool == true)
    #expect(try server.send("GET", "/v1/users/ann/drawings/second/image.png").body == image)
    // Submitting the same files again gives the same drawing.
    let again = try server.send(
      "POST", "/v1/users/ann/drawings", [("Content-Type", form.type)], body: form.body)
    #expect(again.status == 201)
    #expect(try server.send("GET", "/v1/users/ann/drawings").items.count == 2)
  }

  @Test func `the files of a drawing can be stored one by one, and repeated`() throws {
    _ = try put("other")
    let image = try server.send("GET", "/v1/users/ann/drawings/other/image.png").body
    let path = "/v1/users/ann/drawings/made-here"
    let new = [("If-None-Match", "*")]
    #expect(try server.send("PUT", "\(path)/image.png", new, body: image).status == 201)
    #expect(try server.send("GET", path).status == 404)
    let recording = try Recordings.sample("minute")
    #expect(try server.send("PUT", "\(path)/recording.pkd", new, body: recording).status == 201)
    // A client repeats a request after a lost answer.
    #expect(try server.send("PUT", "\(path)/recording.pkd", new, body: recording).status == 200)
    #expect(try server.send("PUT", "\(path)/image.png", new, body: image).status == 200)
    #expect(try server.send("GET", "\(path)/image.png").body == image)
    // Another drawing with the same name is refused.
    let other = try server.send("PUT", "\(path)/recording.pkd", body: Recordings.sample("inks"))
    #expect(other.status == 409)
    #expect(
      try server.send("PUT", "\(path)/recording.pkd", new, body: Recordings.sample("inks")).status
        == 412)
    #expect(try server.send("GET", "\(path)/recording.pkd").body == recording)
  }

  @Test func `conditional and range requests follow RFC 9110`() throws {
    _ = try put("d")
    let path = "/v1/users/ann/drawings/d/recording.pkd"
    let whole = try server.send("GET", path)
    let tag = try #require(whole.fields["etag"])
    for matching in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
      let reply = try server.send("GET", path, [("If-None-Match", matching)])
      #expect(reply.status == 304)
      #expect(reply.fields["etag"] == tag)
      #expect(reply.body.isEmpty)
    }
    #expect(try server.send("GET", path, [("If-None-Match", "\"x\"")]).status == 200)
    #expect(try server.send("GET", path, [("If-Match", "\"x\"")]).status == 412)
    #expect(try server.send("GET", path, [("If-Match", tag)]).status == 200)
    #expect(try server.send("GET", path, [("If-None-Match", "x")]).status == 400)
    let part = try server.send("GET", path, [("Range", "bytes=10-19")])
    #expect(part.status == 206)
    #expect(part.body == Array(whole.body[10..<20]))
    #expect(part.fields["content-range"] == "bytes 10-19/\(whole.body.count)")
    let end = try server.send("GET", path, [("Range", "bytes=-7")])
    #expect(end.body == Array(whole.body.suffix(7)))
    #expect(try server.send("GET", path, [("Range", "bytes=999999999-")]).status == 416)
    for odd in ["bytes=9-2", "lines=1-2", "bytes=a-b", "bytes=0-1,3-4"] {
      #expect(try server.send("GET", path, [("Range", odd)]).body == whole.body)
    }
    #expect(
      try server.send("GET", path, [("Range", "bytes=0-1"), ("If-Range", "\"x\"")]).status == 200)
    let head = try server.send("HEAD", path)
    #expect(head.status == 200)
    #expect(head.fields["content-length"] == String(whole.body.count))
  }

  @Test func `a cached picture changes at once when its file does`() throws {
    _ = try put("d")
    let path = "/v1/users/ann/drawings/d/image.png"
    let first = try server.send("GET", path)
    #expect(try server.send("GET", path).body == first.body)
    _ = try put("e", sample: "minute")
    let other = try server.send("GET", "/v1/users/ann/drawings/e/image.png").body
    #expect(try server.send("PUT", path, body: other).status == 200)
    #expect(try server.send("GET", path).body == other)
    #expect(
      try server.send("GET", path, [("If-None-Match", first.fields["etag"] ?? "")]).status == 200)
    #expect(try server.send("DELETE", "/v1/users/ann/drawings/d").status == 204)
    #expect(try server.send("GET", path).status == 404)
  }

  @Test func `pictures of unlisted sizes or colours need a signature`() throws {
    _ = try put("d")
    let path = "/v1/users/ann/drawings/d/render"
    for query in [
      "", "?width=512", "?width=64&style=dark", "?background=transparent",
      "?background=25211c&style=dark",
      "?paper=grid&width=256", "?earlier=true", "?background=auto", "?shape=square&style=dark",
    ] {
      let reply = try server.send("GET", path + query)
      #expect(reply.status == 200, "\(query): \(reply.text)")
      #expect(reply.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    }
    for query in [
      "?width=513", "?width=0", "?width=-1", "?width=99999999999999999999", "?width=abc", "?width=",
      "?background=123456", "?background=zzzzzz", "?paper=napkin", "?style=neon", "?shape=round",
      "?earlier=maybe",
      "?width=256&width=512",
    ] {
      #expect(try server.send("GET", path + query).status == 400, "\(query)")
    }
    // The sample has no paper of its own.
    let (own, blank) = (
      try server.send("GET", path), try server.send("GET", path + "?paper=blank")
    )
    #expect(own.body == blank.body)
    let signed = try server.send(
      "POST", "/v1/users/ann/links",
      json: #"{"paths":["drawings/d/render?width=333&background=123456"]}"#)
    let url = try #require(signed.items.first?["url"] as? String)
    let target = url.replacingOccurrences(of: "http://ink.example", with: "")
    #expect(try server.send("GET", target, as: nil).status == 200)
  }

  @Test func `small pictures are squares with a background that shows the ink`() throws {
    for (id, grey) in [("white", 1), ("black", 0)] {
      let recording = try Recordings.line(grey: grey)
      #expect(
        try server.send("PUT", "/v1/users/ann/drawings/\(id)/recording.pkd", body: recording).status
          == 201)
      for (style, sheet) in [("light", 0xff), ("dark", 0x25)] {
        for name in ["render", "frames/50", "frames/100"] {
          let reply = try server.send(
            "GET",
            "/v1/users/ann/drawings/\(id)/\(name)?width=64&shape=square&background=auto&style=\(style)"
          )
          let picture = try PNGDecoder().decode(reply.body)
          #expect(picture.width == 64 && picture.height == 64, "\(id) \(style) \(name)")
          // White ink gets the sheet of the other style.
          let wanted = id == "black" ? sheet : 0xff + 0x25 - sheet
          let corner = picture.components.withUnsafeBytes { Int($0.first ?? 0) }
          #expect(corner == wanted, "\(id) \(style) \(name)")
        }
      }
    }
  }

  @Test func `replays come as a picture, as a page and as single frames`() throws {
    _ = try put("d")
    let path = "/v1/users/ann/drawings/d"
    let moving = try server.send("GET", "\(path)/replay.apng?width=64")
    #expect(moving.status == 200)
    #expect(moving.body.firstRange(of: Array("acTL".utf8)) != nil)
    let page = try server.send("GET", "\(path)/replay.html")
    #expect(page.status == 200)
    #expect(page.fields["content-type"] == "text/html; charset=utf-8")
    #expect(page.fields["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
    #expect(page.text.hasPrefix("<!doctype html>") || page.text.hasPrefix("<!DOCTYPE html>"))
    let first = try server.send("GET", "\(path)/frames/0?width=64").body
    let last = try server.send("GET", "\(path)/frames/100?width=64").body
    #expect(first != last)
    #expect(try server.send("GET", "\(path)/frames/3?of=4&width=64").status == 200)
    for odd in ["101", "-1", "x", "5?of=4", "0?of=0", "0?of=10001"] {
      #expect(
        [400, 404].contains(try server.send("GET", "\(path)/frames/\(odd)").status), "\(odd)")
    }
  }

  @Test func `uploads that are no drawings are refused, and nothing is stored`() throws {
    let path = "/v1/users/ann/drawings/bad"
    let recording = try Recordings.sample()
    var random = Mutation(seed: 3)
    let damaged =
      (0..<40).map { _ in random.mutated(recording) } + [
        [], Array("hello".utf8), Array(recording.prefix(recording.count / 2)),
      ]
    for bytes in damaged {
      let reply = try server.send("PUT", "\(path)/recording.pkd", body: bytes)
      #expect([201, 200, 409, 422].contains(reply.status), "\(reply.status) \(reply.text)")
      if reply.status == 201 { _ = try server.send("DELETE", path) }
    }
    #expect(try server.send("PUT", "\(path)/image.png", body: Array("GIF89a".utf8)).status == 422)
    #expect(try server.send("PUT", "\(path)/other.txt", body: recording).status == 403)
    #expect(try server.send("GET", path).status == 404)
    for name in ["image.png", "recording.pkd", "thumbnail.png"] {
      #expect(try server.send("GET", "\(path)/\(name)").status == 404)
    }
  }

  @Test func `invalid multipart forms are refused as a whole`() throws {
    let recording = try Recordings.sample()
    let form = Recordings.form([("recording", recording)])
    let cuts = stride(from: 0, to: form.body.count - 1, by: max(form.body.count / 60, 1))
      .map { Array(form.body[..<$0]) }
    for body in cuts {
      let reply = try server.send(
        "POST", "/v1/users/ann/drawings", [("Content-Type", form.type)], body: body)
      #expect((400..<500).contains(reply.status), "\(body.count): \(reply.status)")
    }
    for (type, body) in [
      ("multipart/form-data", form.body), ("multipart/form-data; boundary=", form.body),
      ("multipart/form-data; boundary=other", form.body),
      Recordings.form([("recording", recording), ("recording", recording)]),
      Recordings.form([("recording", recording), ("virus", [1])]), Recordings.form([]),
      Recordings.form([("recording", recording), ("timezoneOffsetMinutes", Array("late".utf8))]),
      Recordings.form([("recording", recording), ("createdAt", Array("yesterday".utf8))]),
      Recordings.form([("recording", recording), ("id", Array("../x".utf8))]),
      Recordings.form([("recording", recording), ("promptUsed", [0xFF, 0xFE])]),
    ] {
      let reply = try server.send(
        "POST", "/v1/users/ann/drawings", [("Content-Type", type)], body: body)
      #expect((400..<500).contains(reply.status), "\(type): \(reply.status)")
    }
    #expect(try server.send("GET", "/v1/users/ann/drawings").items.isEmpty)
  }

  @Test func `an upload beyond the user's quota is refused`() throws {
    let small = try TestServer { $0.quotaBytes = 400_000 }
    let recording = try Recordings.sample()
    var statuses: [Int] = []
    for number in 0..<12 {
      statuses.append(
        try small.send(
          "PUT", "/v1/users/ann/drawings/d\(number)/recording.pkd", body: recording
        ).status)
    }
    #expect(statuses.first == 201)
    #expect(statuses.last == 402)
    #expect(
      try small.send("PUT", "/v1/users/bob/drawings/d/recording.pkd", as: "bob", body: recording)
        .status == 201)
  }
}
