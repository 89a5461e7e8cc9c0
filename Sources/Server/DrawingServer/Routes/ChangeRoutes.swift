import DrawingServices
import HTTP
import HTTPServing
import JSON
import Storage

// Streams of events: changes of documents, and drawings in progress.

private let stream: [(name: String, value: String)] = [
  ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"), ("X-Accel-Buffering", "no"),
]

private let resume = QueryParameter(
  "after", .number(0...999_999_999_999_999_999), "The number of the last event that was seen.")

extension Call {
  /// The number of the last event that the client has received; nil for none.
  fileprivate func lastEvent() throws(Refusal) -> Int? {
    if let text = exchange.head?.text("last-event-id"), text.utf8.count <= 18,
      let number = Int(text), number >= 0
    {
      return number
    }
    return try number("after")
  }

  fileprivate func stream(_ stream: EventStream?) throws(Refusal) -> Response {
    guard let stream else {
      throw Refusal(429, "too-many-streams", "Too many streams are open.")
    }
    return Response(200, DrawingServer.stream, .events(stream))
  }
}

let changeRoutes: [Route] = [
  Route(
    .get, "/v1/users/{uid}/changes", "The documents that have changed, the oldest change first.",
    query: [resume, QueryParameter("limit", .number(1...500), "The maximum number of changes.")],
    answers: [(200, .json("Changes"))]
  ) { call in
    let page = try ChangeService(call.environment, as: call.caller).page(
      of: call.uid, after: Int64(try call.lastEvent() ?? 0), limit: try call.number("limit") ?? 200)
    return call.json { json in
      json.object { json in
        json.list("items", page.changes) { json, change in json.change(change, call) }
        json.field("cursor", String(page.cursor))
        json.field("hasMore", page.hasMore)
      }
    }
  },
  Route(
    .get, "/v1/users/{uid}/events", "The changes of documents as they happen.",
    query: [
      resume,
      QueryParameter(
        "content", .choice(["full", "brief"]),
        "Whether events have the documents; they do unless told."),
    ],
    answers: [(200, .type("text/event-stream"))]
  ) { call in
    let uid = try call.uid
    let last = try call.lastEvent().map(Int64.init)
    // Refuses callers who may not read the changes.
    _ = try ChangeService(call.environment, as: call.caller).page(
      of: uid, after: .max - 1, limit: 1)
    let current = try ChangeService.lastSequence(in: call.environment)
    // A higher number is from before a backup was restored: everything may have changed.
    let start = last.map { $0 > current ? 0 : $0 } ?? current
    let isBrief = try call.text("content") == "brief"
    return try call.stream(
      call.server.streams.listen(to: uid, after: start, isBrief: isBrief, call))
  },
  Route(
    .get, "/v1/users/{uid}/drawings/{id}/live", "The events of a drawing while it is drawn.",
    query: [resume], answers: [(200, .type("text/event-stream"))]
  ) { call in
    let key = try call.liveKey()
    return try call.stream(
      call.server.streams.watch(drawing: key, of: call.uid, after: call.lastEvent() ?? 0, call))
  },
  Route(
    .post, "/v1/users/{uid}/drawings/{id}/live",
    "Show watchers what is being drawn: one event a line, as 'pkd cat' prints them.",
    body: .upload(limit: 1 << 20), answers: [(200, .json("LivePosition"))]
  ) { call in
    let key = try call.liveKey()
    guard try call.role(of: call.id, of: call.uid)?.mayDraw == true else {
      throw Refusal.onlyReads
    }
    let lines = call.body.split(separator: UInt8(ascii: "\n")).map { Array($0) }
    guard !lines.isEmpty else { throw Refusal(422, "no-events", "There are no events.") }
    for line in lines {
      // A line break would begin another field of the stream.
      guard !line.contains(UInt8(ascii: "\r")), (try? Fields(json: line)) != nil else {
        throw Refusal(422, "bad-event", "An event is an object of JSON on a line of its own.")
      }
    }
    guard let last = call.server.streams.publish(lines, drawing: key, of: try call.uid) else {
      throw Refusal(429, "too-many-streams", "Too many drawings are being drawn.")
    }
    return call.json { json in json.object { $0.field("last", last) } }
  },
]

extension Call {
  /// The key of a drawing in progress. The caller must be allowed to read it.
  fileprivate func liveKey() throws -> String {
    let (uid, id) = (try uid, try id)
    // Checks both names and the access; the drawing need not be stored yet.
    _ = try DrawingService(environment, as: caller)
      .fileInfo(DrawingFiles.recording, ofDrawing: id, of: uid)
    return "\(uid)/\(id)"
  }
}
