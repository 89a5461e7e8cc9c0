import DrawingServices
import HTTP
import HTTPServing
import JSON
import Journal
import Storage

// A user: profile, export, erasure, and the views of an app.

private let zone = QueryParameter(
  "timeZone", .text, "The viewer's zone, such as Asia/Taipei or +08:00.")

let userRoutes: [Route] = [
  Route(
    .get, "/v1/users/{uid}", "Get the profile of a user.", answers: [(200, .json("Document"))]
  ) { call in
    guard
      let profile = try UserService(call.environment, as: call.caller).profile(call.uid)
    else { throw Refusal(404, "not-found", "The user has no profile yet.") }
    return try call.answer(profile)
  },
  Route(
    .patch, "/v1/users/{uid}", "Change some fields of a profile, or make it.",
    body: .json(limit: 1 << 20), answers: [(200, .json("Document"))]
  ) { call in
    let uid = try call.uid
    let fields = try call.fields(for: "users/\(uid)")
    return try call.answer(
      UserService(call.environment, as: call.caller, expecting: call.expectedSequence())
        .setProfile(uid, fields))
  },
  Route(
    .delete, "/v1/users/{uid}", "Erase a user: every document and every file.",
    answers: [(204, .nothing)]
  ) { call in
    let uid = try call.uid
    try UserService(call.environment, as: call.caller).deleteEverything(of: uid)
    call.server.links.forget(uid)
    call.server.forgetSessions(of: uid)
    call.server.uploads.forgetAll(of: uid)
    return Response(204)
  },
  Route(
    .get, "/v1/users/{uid}/export", "All documents of a user, to keep or to take elsewhere.",
    query: [QueryParameter("format", .choice(["json", "csv"]), "The format; JSON unless given.")],
    answers: [(200, .types(["application/json", "text/csv"]))]
  ) { call in
    let isText = try call.text("format") == "csv"
    let documents = try UserService(call.environment, as: call.caller).documents(of: call.uid)
    return Response(
      200,
      [
        ("Content-Type", isText ? "text/csv; charset=utf-8" : "application/json"),
        ("Cache-Control", "no-store"),
        ("Content-Disposition", "attachment; filename=\"export.\(isText ? "csv" : "json")\""),
      ], .bytes(isText ? Export.csv(documents) : Export.json(documents)))
  },
]

extension Call {
  /// The check-ins of drawings, each once. Deleted ones are omitted.
  fileprivate func checkIns(of drawings: [DrawingRecord]) throws -> [Document] {
    let service = CollectionService(.checkIns, in: environment, as: caller)
    let uid = try uid
    return Set(drawings.compactMap(\.checkInID)).sorted().compactMap {
      try? service.document($0, of: uid)
    }
  }
}

let overviewRoutes: [Route] = [
  Route(
    .get, "/v1/users/{uid}/gallery",
    "The drawings of the last 90 days, by day, newest first; with 'sort' or 'tag' all drawings.",
    query: [
      zone,
      QueryParameter(
        "lang", .choice(Language.allCases.map(\.rawValue)), "The language of the titles."),
      QueryParameter(
        "sort", .choice(DrawingService.Order.allCases.map(\.rawValue)),
        "The order; sorted by title and change, they are one section."),
      QueryParameter("tag", .text, "Only those with this tag; a page may have few, and a cursor."),
      .limit, .after,
    ], answers: [(200, .json("Gallery"))]
  ) { call in
    let language =
      try call.text("lang").flatMap(Language.init(rawValue:))
      ?? call.environment.settings.language
    let service = DrawingService(call.environment, as: call.caller)
    let (uid, zone, cursor) = (try call.uid, try call.zone(), try call.cursor())
    let limit = try call.number("limit") ?? DrawingService.galleryPageSize
    let (order, tag) = (try call.text("sort"), try call.text("tag"))
    let page =
      if order == nil && tag == nil {
        try service.gallery(of: uid, zone: zone, language: language, limit: limit, after: cursor)
      } else {
        try service.gallery(
          of: uid, in: order.flatMap { .init(rawValue: $0) } ?? .newest, tag: tag, zone: zone,
          language: language, limit: limit, after: cursor)
      }
    let checkIns = try call.checkIns(of: page.sections.flatMap(\.drawings))
    return call.json { json in
      json.object { json in
        page.write(to: &json, title: language.gallery) { $0.document($1, call, isBrief: true) }
        json.list("checkIns", checkIns) { json, checkIn in json.document(checkIn, call) }
        json.field("cursor", page.cursor?.description)
      }
    }
  },
  Route(
    .get, "/v1/users/{uid}/tags", "The tags of a user's drawings, sorted.",
    answers: [(200, .json("Tags"))]
  ) { call in
    let tags = try DrawingService(call.environment, as: call.caller).tags(of: call.uid)
    return call.json { json in
      json.object { json in
        json.list("items", tags) { json, tag in json.object { $0.field("name", tag) } }
      }
    }
  },
  Route(
    .get, "/v1/users/{uid}/cards", "The latest check-ins as cards with their drawings.",
    query: [
      zone,
      QueryParameter("checkIns", .number(0...200), "The number of check-ins; 7 unless given."),
      QueryParameter(
        "reading", .choice(["until-next", "within-day"]), "Which drawings belong to a check-in."),
    ], answers: [(200, .json("Cards"))]
  ) { call in
    let isWithinDay = try call.text("reading") == "within-day"
    let cards = try CheckInService(call.environment, as: call.caller).cards(
      of: call.uid, checkIns: call.number("checkIns") ?? 7, zone: call.zone(),
      reading: isWithinDay ? .withinDay : .untilNextCheckIn)
    return call.json { json in
      json.object { json in
        json.list("items", cards) { json, card in
          card.write(to: &json) {
            $0.document($1, call)
          } drawing: {
            $0.document($1, call, isBrief: true)
          }
        }
      }
    }
  },
  Route(
    .get, "/v1/users/{uid}/charts/week", "The scores of the check-ins of the last seven days.",
    query: [zone], answers: [(200, .json("WeekChart"))]
  ) { call in
    let points = try CheckInService(call.environment, as: call.caller)
      .weekChart(of: call.uid, until: call.environment.now(), zone: call.zone())
    return call.json { json in
      json.object { json in
        json.list("items", points) { $1.write(to: &$0) }
      }
    }
  },
  Route(
    .get, "/v1/users/{uid}/planets", "The check-ins of today, oldest first.", query: [zone],
    answers: [(200, .json("DocumentPage"))]
  ) { call in
    call.page(
      try CheckInService(call.environment, as: call.caller)
        .planets(of: call.uid, at: call.environment.now(), zone: call.zone()).map(\.document), nil)
  },
]
