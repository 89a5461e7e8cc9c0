import DrawingServices
import HTTP
import HTTPServing
import InkFiles
import JSON
import Storage

// Drawing together. `docs/room-protocol.md` describes the messages.

private let stream: [(name: String, value: String)] = [
  ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"), ("X-Accel-Buffering", "no"),
]

private let after = QueryParameter(
  "after", .number(0...999_999_999_999_999_999),
  "The number of the first entry that the page does not have.")
private let origin = QueryParameter(
  "origin", .text, "X-Room-Origin of the recording that the page has.")
private let page = QueryParameter(
  "page", .text, "The secret name of the page: 32 random hexadecimal digits. Spectators have none.")

let roomRoutes: [Route] = [
  Route(
    .get, "/v1/users/{uid}/drawings/{id}/live/recording",
    "The recording; in X-Room-Next the first entry that it does not contain, in X-Room-Origin its beginning.",
    answers: [(200, .type("application/octet-stream"))]
  ) { call in try call.recordingOfRoom(call.id, of: call.uid, as: call.caller) },
  Route(
    .post, "/v1/users/{uid}/drawings/{id}/live/recording",
    "Let the recording take in all entries now, for pictures and galleries.",
    answers: [(204, .nothing)]
  ) { call in
    let (uid, id) = (try call.uid, try call.id)
    try call.mayRead(id, of: uid)
    try RoomService.takeIn(id, of: uid, in: call.environment)
    call.server.rooms.look(RoomHub.Key(uid: uid, drawing: id))
    return Response(204)
  },
  Route(
    .get, "/v1/users/{uid}/drawings/{id}/live",
    "Follow a drawing while it is drawn: the entries of its room, unfinished strokes, members.",
    query: [page, after, origin], answers: [(200, .type("text/event-stream"))]
  ) { call in
    let (uid, id) = (try call.uid, try call.id)
    let page = try call.page()
    return try call.room(id, of: uid, page: page) { [call] in
      // A page that draws ends when its user may only look.
      if page != nil { return (try? call.role(of: id, of: uid))?.mayDraw == true }
      return (try? call.mayRead(id, of: uid)) != nil
    }
  },
  Route(
    .post, "/v1/users/{uid}/drawings/{id}/live",
    "Draw in a room: presence and unfinished strokes for others to see, and entries to keep.",
    body: .upload(limit: 2 << 20), query: [page], answers: [(200, .json("RoomPosition"))],
    isFrequent: true, quickWithBody: { call in call.passed() }
  ) { call in
    let key = RoomHub.Key(uid: try call.uid, drawing: try call.id)
    guard let page = try call.page() else {
      throw Refusal(400, "bad-parameter", "The page needs a name.", field: "page")
    }
    guard let message = RoomMessage(call.body) else {
      throw Refusal(422, "bad-message", "The message is malformed.")
    }
    let rooms = call.server.rooms
    let isStored = !message.entries.files.isEmpty
    guard rooms.allows(page, of: call.caller, storing: isStored, in: key) else {
      throw Refusal(429, "too-many-changes", "Too many messages in a short time.")
    }
    var last: Int?
    if !isStored {
      try call.mayDraw(key.drawing, of: key.uid)
    } else {
      last = try call.refusing {
        try RoomService(call.environment, as: call.caller).append(
          message.entries.files, from: message.entries.first, ofPage: page, to: key.drawing,
          of: key.uid)
      }
    }
    rooms.pass(message, of: page, by: call.caller, in: key)
    if last != nil { rooms.look(key) }
    return call.json { json in
      json.object { json in if let last { json.field("last", last) } }
    }
  },
  Route(
    .get, "/v1/users/{uid}/drawings/{id}/people",
    "Who has drawn on a drawing; nobody if only its owner has.",
    answers: [(200, .json("People"))]
  ) { call in
    try call.mayRead(call.id, of: call.uid)
    let facts = try RoomService.facts(of: call.id, call.uid, in: call.environment)
    return call.json { $0.people(facts?.people ?? []) }
  },
  Route(
    .get, "/v1/users/{uid}/drawings/{id}/by-person.pkd",
    "The recording with each stroke in the colour of the person who drew it.",
    answers: [(200, .type("application/octet-stream"))]
  ) { call in
    let blob = try DrawingService(call.environment, as: call.caller)
      .file(DrawingFiles.recording, ofDrawing: call.id, of: call.uid)
    let file = try DrawingFile(own: blob.bytes).coloredByPerson()
    return Response(
      200, [("Content-Type", "application/octet-stream"), ("Cache-Control", "private, no-cache")],
      .bytes(try file.contents(withArchive: false).encodeRecording()))
  },
  Route(
    .get, "/s/{id}/live/recording", "The recording of a shared drawing, as in its room.",
    access: .everyone, answers: [(200, .type("application/octet-stream"))]
  ) { call in
    let share = try call.sharedReplay()
    return try call.recordingOfRoom(share.drawing, of: share.uid, as: .user(share.uid))
  },
  Route(
    .get, "/s/{id}/live", "Follow a shared drawing while it is drawn.", access: .everyone,
    query: [after, origin], answers: [(200, .type("text/event-stream"))]
  ) { call in
    let share = try call.sharedReplay()
    return try call.room(share.drawing, of: share.uid, page: nil) { [call] in
      (try? call.sharedReplay()) != nil
    }
  },
]

extension Call {
  fileprivate func page() throws(Refusal) -> String? {
    guard let name = try text("page") else { return nil }
    guard PageTag.isName(name) else {
      throw .badParameter("page", "It must be 32 hexadecimal digits.")
    }
    return name
  }

  /// The response to a message without entries of a page with an open stream, which was passed on;
  /// nil for any other, and for one to refuse.
  fileprivate func passed() -> Response? {
    guard let uid = try? uid, let id = try? id, let page = try? page(),
      let message = RoomMessage(body), message.entries.files.isEmpty
    else { return nil }
    let key = RoomHub.Key(uid: uid, drawing: id)
    guard server.rooms.allows(page, of: caller, storing: false, in: key),
      server.rooms.pass(message, of: page, by: caller, in: key)
    else { return nil }
    return json { $0.object { _ in } }
  }

  /// The share of the link, with the replay: a room shows every stroke.
  fileprivate func sharedReplay() throws -> ShareService.Share {
    guard let share = try ShareService.share(id, in: environment), share.showsReplay else {
      throw Refusal(404, "not-found", "There is nothing here, or not any more.")
    }
    return share
  }

  /// Throws if the caller may not read a drawing.
  fileprivate func mayRead(_ id: String, of uid: String) throws {
    _ = try DrawingService(environment, as: caller).drawing(id, of: uid)
  }

  /// Throws if the caller may not change a drawing.
  fileprivate func mayDraw(_ id: String, of uid: String) throws {
    try mayRead(id, of: uid)
    guard try role(of: id, of: uid)?.mayDraw == true else { throw Refusal.onlyReads }
  }

  fileprivate func recordingOfRoom(
    _ id: String, of uid: String, as caller: Caller
  ) throws -> Response {
    let found = try RoomService(environment, as: caller).recording(id, of: uid)
    return Response(
      200,
      [
        ("Content-Type", "application/octet-stream"), ("Cache-Control", "no-store"),
        ("ETag", EntityTag(String(found.sha256.prefix(32))).headerValue),
        ("X-Room-Next", String(found.next)), ("X-Room-Origin", found.origin),
      ], .bytes(found.bytes))
  }

  fileprivate func room(
    _ id: String, of uid: String, page: String?, isAllowed: @escaping @Sendable () -> Bool
  ) throws -> Response {
    guard isAllowed() else {
      try mayRead(id, of: uid)
      if page != nil { throw Refusal.onlyReads }
      throw Refusal(404, "not-found", "There is nothing here, or not any more.")
    }
    let rooms = RoomService(environment, as: caller)
    let joined = try refusing { try page.map { try rooms.join(id, of: uid, page: $0) } }
    guard let facts = try RoomService.facts(of: id, uid, in: environment) else {
      throw StorageError(.notFound, "users/\(uid)/drawings/\(id)")
    }
    let start = try exchange.head?.text("last-event-id").flatMap { Int($0) } ?? number("after")
    let isOther = try text("origin").map { $0 != facts.origin } ?? false
    let hello =
      Array("retry: 1000\n\n".utf8)
      + RoomHub.event("room") { json in
        json.object { json in
          if let joined {
            json.field("person", Int(joined.person))
            json.field("last", joined.last)
          }
          json.field("next", facts.next)
        }
      } + RoomHub.event("people") { $0.people(facts.people) }
      + (isOther ? RoomHub.event("reset") { $0.object { _ in } } : [])
    let stream = server.rooms.watch(
      RoomHub.Key(uid: uid, drawing: id), from: start ?? facts.next, origin: facts.origin,
      caller: caller, as: joined.flatMap { joined in page.map { ($0, joined.person) } },
      hello: hello,
      lifetime: StreamHub.lifetime(of: self), session: session?.key, isAllowed: isAllowed)
    guard let stream else {
      throw Refusal(429, "too-many-streams", "Too many streams are open.")
    }
    return Response(200, DrawingServer.stream, .events(stream))
  }

  /// Calls a body, and turns a room's refusals into responses.
  fileprivate func refusing<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let refusal as RoomService.Refusal {
      switch refusal {
      case .unreadable(let reason):
        throw Refusal(422, "bad-entry", "An entry cannot be read: \(reason).")
      case .gap(let last):
        throw Refusal(409, "entries-missing", "The last entry of this page is \(last).")
      case .foreignPage:
        throw Refusal(403, "foreign-page", "The page's name is another member's.", field: "page")
      case .full: throw Refusal(413, "drawing-full", "The drawing has no space for more ink.")
      case .crowded: throw Refusal(403, "too-many-people", "Too many people have drawn here.")
      }
    }
  }
}
