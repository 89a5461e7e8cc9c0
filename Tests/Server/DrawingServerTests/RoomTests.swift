import DrawingServices
import Foundation
import PKDFormat
import Strokes
import TestSupport
import Testing

/// Rooms over HTTP: who may draw, what is kept, and what members and spectators hear.
struct RoomTests {
  private let server: TestServer
  private static let path = "/v1/users/ann/drawings/d/live"
  private static let (first, second) = (page(1), page(2))

  init() throws {
    server = try TestServer()
    let reply = try server.send(
      "PUT", "/v1/users/ann/drawings/d/recording.pkd", body: Recordings.sample())
    #expect(reply.status == 201)
  }

  // MARK: - Helpers

  private static func page(_ number: Int) -> String { String(repeating: "0\(number)", count: 16) }

  /// A recording of one stroke, which is an entry.
  private static func entry(_ number: UInt64) throws -> [UInt8] {
    var chance = Chance(seed: number)
    let stroke = chance.smallStroke(at: Timestamp(secondsSince1970: 1_790_000_000))
    return try PKDWriter.encode(
      Recording(events: [
        .init(time: stroke.path.creationDate, action: .strokeBegun(stroke)),
        .init(time: stroke.path.creationDate, action: .strokeEnded(stroke.id)),
      ]))
  }

  private static func number(_ value: Int) -> [UInt8] {
    value < 128 ? [UInt8(value)] : [UInt8(value % 128 + 128)] + number(value / 128)
  }

  private static func section(_ kind: UInt8, _ block: [UInt8]) -> [UInt8] {
    [kind] + number(block.count) + block
  }

  private static func section(entry count: Int, _ file: [UInt8]) -> [UInt8] {
    [4] + number(count) + number(file.count) + file
  }

  private func post(
    _ body: [UInt8], page: String = first, as uid: String? = "ann", to path: String = path
  ) throws -> Reply {
    try server.send("POST", "\(path)?page=\(page)", as: uid, body: body)
  }

  private func open(
    _ target: String = path, page: String? = nil, as uid: String? = "ann", after: Int? = nil
  ) throws -> Client {
    let client = try Client(port: server.port)
    var query = page.map { ["page=\($0)"] } ?? []
    query += after.map { ["after=\($0)"] } ?? []
    let token = uid.map { "Authorization: Bearer \(server.token($0))\r\n" } ?? ""
    client.write(
      "GET \(target)?\(query.joined(separator: "&")) HTTP/1.1\r\nHost: a\r\n\(token)\r\n")
    return client
  }

  private func text(_ client: Client, until isDone: (String) -> Bool) -> String {
    String(
      decoding: client.readAll(seconds: 30) { isDone(String(decoding: $0, as: UTF8.self)) },
      as: UTF8.self)
  }

  /// All frames in a text, joined.
  private func frames(_ text: String) -> [UInt8] {
    text.matches(of: /event: frame\ndata: (\S*)/)
      .flatMap { [UInt8](Data(base64Encoded: String($0.output.1)) ?? Data()) }
  }

  private func isIn(_ bytes: [UInt8], _ text: String) -> Bool {
    let all = frames(text)
    return all.count >= bytes.count
      && (0...all.count - bytes.count).contains { Array(all[$0..<$0 + bytes.count]) == bytes }
  }

  private func strokeCount() throws -> Int {
    let reply = try server.send("GET", "/v1/users/ann/drawings/d/recording.pkd")
    return try PKDReader(reply.body).readDrawing().value.strokes.count
  }

  // MARK: - Tests

  @Test func `members hear each entry once, in the order of their numbers, also after a pause`()
    throws
  {
    let watching = try open(page: Self.second)
    _ = text(watching) { $0.contains("event: room") }
    let files = try (1...3).map { try Self.entry($0) }
    for (index, file) in files.enumerated() {
      let reply = try post(Self.section(entry: index + 1, file))
      #expect(reply.status == 200, "\(reply.text)")
      #expect(reply.json["last"] as? Int == index + 1)
    }
    let heard = text(watching) { isIn(files[2], $0) }
    for file in files { #expect(isIn(file, heard)) }
    #expect(heard.contains("id: 3\n"))
    // Again from the second one on.
    let late = try open(page: Self.second, after: 1)
    let rest = text(late) { isIn(files[2], $0) }
    #expect(isIn(files[1], rest) && !isIn(files[0], rest))
  }

  @Test func `entries that come twice are stored once, and none can be left out`() throws {
    let before = try strokeCount()
    let files = try (1...3).map { try Self.entry($0) }
    #expect(try post(Self.section(entry: 1, files[0])).json["last"] as? Int == 1)
    #expect(try post(Self.section(entry: 1, files[0])).json["last"] as? Int == 1)
    let gap = try post(Self.section(entry: 3, files[2]))
    #expect(gap.status == 409 && gap.code == "entries-missing")
    let both = Self.section(entry: 1, files[0]) + Self.section(entry: 2, files[1])
    #expect(try post(both).json["last"] as? Int == 2)
    #expect(try server.send("POST", Self.path + "/recording").status == 204)
    #expect(try strokeCount() == before + 2)
  }

  @Test func `the recording takes entries in, and says which it contains`() throws {
    // Without anybody, the recording takes entries in at once.
    let client = try open()
    _ = text(client) { $0.contains("event: room") }
    let start = try server.send("GET", Self.path + "/recording")
    #expect(start.status == 200 && start.fields["x-room-next"] == "0")
    _ = try post(Self.section(entry: 1, try Self.entry(1)))
    let waiting = try server.send("GET", Self.path + "/recording")
    #expect(waiting.fields["x-room-next"] == "0" && waiting.body == start.body)
    #expect(try server.send("POST", Self.path + "/recording").status == 204)
    let taken = try server.send("GET", Self.path + "/recording")
    #expect(taken.fields["x-room-next"] == "1")
    #expect(try PKDReader(taken.body).readDrawing().value.strokes.count > 1)
  }

  @Test func `a device that revises the drawing first has to merge what was drawn in its room`()
    throws
  {
    let before = try server.send("GET", "/v1/users/ann/drawings/d/recording.pkd")
    let tag = try #require(before.fields["etag"])
    _ = try post(Self.section(entry: 1, try Self.entry(1)))
    let reply = try server.send(
      "PUT", "/v1/users/ann/drawings/d/recording.pkd", as: "ann", [("If-Match", tag)],
      body: Recordings.sample())
    #expect(reply.status == 412, "\(reply.text)")
    #expect(try strokeCount() > 1)
  }

  @Test func `members begin again when the recording was replaced, and end with the drawing`()
    throws
  {
    let client = try open(page: Self.second)
    _ = text(client) { $0.contains("event: room") }
    let path = "/v1/users/ann/drawings/d/recording.pkd"
    let tag = try #require(server.send("GET", path).fields["etag"])
    let reply = try server.send("PUT", path, [("If-Match", tag)], body: try Self.entry(9))
    #expect(reply.status < 300, "\(reply.text)")
    #expect(text(client) { $0.contains("event: reset") }.contains("event: reset"))
    let next = try open(page: Self.second)
    _ = text(next) { $0.contains("event: room") }
    #expect(try server.send("DELETE", "/v1/users/ann/drawings/d").status == 204)
    #expect(text(next) { $0.contains("event: gone") }.contains("event: gone"))
    #expect(try server.send("GET", Self.path).status == 404)
  }

  @Test func `strangers neither hear nor draw, and a page belongs to one user`() throws {
    for (uid, status) in [("bob" as String?, 403), (nil, 401)] {
      #expect(try server.send("GET", Self.path, as: uid).status == status)
      #expect(try server.send("GET", Self.path + "/recording", as: uid).status == status)
      #expect(try server.send("POST", Self.path + "/recording", as: uid).status == status)
      #expect(try post(Self.section(0, [1]), as: uid).status == status)
      #expect(try post(Self.section(entry: 1, try Self.entry(1)), as: uid).status == status)
    }
    #expect(try post([], page: "1").code == "bad-parameter")
    #expect(try server.send("POST", Self.path, body: [0]).code == "bad-parameter")
  }

  @Test
  func
    `presence and unfinished strokes are passed on, also to those who come later, and never stored`()
    throws
  {
    let drawing = try open(page: Self.first)
    _ = text(drawing) { $0.contains("event: room") }
    let early = try open(page: Self.second)
    _ = text(early) { $0.contains("event: room") }
    let begin = [UInt8](repeating: 7, count: 40)
    let body = Self.section(0, [9, 9, 9]) + Self.section(1, begin) + Self.section(2, [5, 5, 5, 5])
    #expect(try post(body).status == 200)
    let tag = [UInt8](repeating: 1, count: 8)
    #expect(isIn([1] + tag + [40] + begin, text(early) { isIn(begin, $0) }))
    let late = try open(page: Self.page(3))
    let seen = text(late) { isIn([5, 5, 5, 5], $0) }
    #expect(isIn([0] + tag + [3, 9, 9, 9], seen))
    #expect(isIn([5] + tag + [0], seen))
    // The finished stroke replaces it.
    #expect(try post(Self.section(entry: 1, try Self.entry(1))).status == 200)
    let last = try open(page: Self.page(4))
    let state = text(last) { isIn([5] + tag + [0], $0) }
    #expect(!isIn(begin, state))
  }

  @Test func `spectators of a shared replay hear everything, and those of a picture nothing`()
    throws
  {
    func share(_ view: String) throws -> String {
      let reply = try server.send(
        "POST", "/v1/users/ann/shares", json: "{\"drawing\":\"d\",\"view\":\"\(view)\"}")
      return try #require(reply.json["id"] as? String)
    }
    let (replay, picture) = (try share("replay"), try share("picture"))
    let client = try open("/s/\(replay)/live", as: nil)
    _ = text(client) { $0.contains("event: room") }
    let file = try Self.entry(1)
    _ = try post(Self.section(entry: 1, file))
    #expect(isIn(file, text(client) { isIn(file, $0) }))
    #expect(try server.send("GET", "/s/\(replay)/live/recording", as: nil).status == 200)
    #expect(try server.send("GET", "/s/\(picture)/live", as: nil).status == 404)
    #expect(try server.send("GET", "/s/\(picture)/live/recording", as: nil).status == 404)
    #expect(try server.send("POST", "/s/\(replay)/live", as: nil, body: [0, 0]).status == 405)
    // An ended share ends the stream.
    #expect(try server.send("DELETE", "/v1/users/ann/shares/\(replay)").status == 204)
    #expect(text(client) { $0.contains("event: gone") }.contains("event: gone"))
  }

  @Test func `malformed and huge messages are refused and change nothing`() throws {
    let file = try Self.entry(1)
    let many = (1...300).flatMap { Self.section(entry: $0, file) }
    let bodies: [([UInt8], Int)] = [
      ([9], 422), ([0], 422), ([0, 5, 1], 422),
      (Self.section(0, [UInt8](repeating: 0, count: 300)), 422),
      (Self.section(5, [0]), 422), (Self.section(1, [UInt8](repeating: 0, count: 40_000)), 422),
      ([4, 0, 1, 0], 422), ([4, 1, 255, 255, 255, 255, 255, 255, 255, 255], 422), (many, 422),
      (Self.section(entry: 1, [1, 2, 3]), 422),
      (Self.section(entry: 1, Array(file.dropLast(3))), 422),
      (Self.section(entry: 1, file) + Self.section(entry: 3, file), 422),
      ([UInt8](repeating: 0, count: 3 << 20), 413),
    ]
    for (body, status) in bodies {
      #expect(try post(body).status == status, "\(body.prefix(12))")
    }
    #expect(try post(Self.section(entry: 1, file)).json["last"] as? Int == 1)
    var chance = Chance(seed: 5)
    for _ in 0..<400 {
      var body = Self.section(0, [1, 2]) + Self.section(entry: 2, file)
      for _ in 0..<chance.whole(1...3) {
        body[chance.whole(0...body.count - 1)] = UInt8(chance.whole(0...255))
      }
      #expect([200, 409, 413, 422, 429].contains(try post(body).status))
    }
  }

  @Test func `a member who sends without a pause is told to wait, and others are not`() throws {
    let server = try TestServer { $0.changesPerSecond = 50 }
    for uid in ["ann", "bob"] {
      let reply = try server.send(
        "PUT", "/v1/users/\(uid)/drawings/d/recording.pkd", as: uid, body: Recordings.sample())
      #expect(reply.status == 201)
    }
    func status(_ uid: String) throws -> Int {
      try server.send(
        "POST", "/v1/users/\(uid)/drawings/d/live?page=\(Self.first)", as: uid,
        body: Self.section(0, [1])
      ).status
    }
    let statuses = try (0..<2_000).map { _ in try status("ann") }
    #expect(statuses.first == 200)
    #expect(statuses.contains(429))
    #expect(try status("bob") == 200)
  }

  @Test func `members at another server of the same store hear the entries, too`() throws {
    let other = try TestServer(folder: server.folder)
    let client = try Client(port: other.port)
    client.write(
      "GET \(Self.path)?page=\(Self.second) HTTP/1.1\r\nHost: a\r\n"
        + "Authorization: Bearer \(other.token("ann"))\r\n\r\n")
    _ = text(client) { $0.contains("event: room") }
    let files = try (1...2).map { try Self.entry($0) }
    #expect(try post(Self.section(entry: 1, files[0])).status == 200)
    #expect(isIn(files[0], text(client) { isIn(files[0], $0) }))
    let reply = try other.send(
      "POST", "\(Self.path)?page=\(Self.second)", body: Self.section(entry: 1, files[1]))
    #expect(reply.json["last"] as? Int == 1)
    #expect(try server.send("POST", Self.path + "/recording").status == 204)
    #expect(try other.send("GET", Self.path + "/recording").fields["x-room-next"] == "2")
  }

  @Test func `a room outlives its server, which then takes the rest in`() throws {
    let before = try strokeCount()
    _ = try post(Self.section(entry: 1, try Self.entry(1)))
    server.stop()
    let again = try TestServer(folder: server.folder)
    let end = Date().addingTimeInterval(30)
    var count = before
    while count == before, Date() < end {
      let reply = try again.send("GET", "/v1/users/ann/drawings/d/recording.pkd")
      count = try PKDReader(reply.body).readDrawing().value.strokes.count
      usleep(50_000)
    }
    #expect(count == before + 1)
    let reply = try again.send("GET", Self.path + "/recording")
    #expect(reply.fields["x-room-next"] == "1")
  }
}
