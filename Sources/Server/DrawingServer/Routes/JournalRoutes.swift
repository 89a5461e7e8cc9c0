import DrawingServices
import HTTP
import HTTPServing
import JSON
import Journal
import Storage

// Check-ins, mood entries and session logs: documents that clients name and write.

private let jsonLimit = 1 << 20

/// The parameters of a list in pages.
private let paging = [
  QueryParameter("limit", .number(1...500), "The maximum number of items."),
  QueryParameter("after", .text, "The cursor of the page before."),
]

private let period = [
  QueryParameter("from", .moment, "From this moment on."),
  QueryParameter("to", .moment, "Up to this moment, not included."),
]

/// The successful responses of the routes of one document.
private let documentAnswers: [(Int, Route.Content)] = [(200, .json("Document"))]
private let createdAnswers: [(Int, Route.Content)] = [(201, .json("Document"))]
private let deletedAnswers: [(Int, Route.Content)] = [(204, .nothing)]
private let listAnswers: [(Int, Route.Content)] = [(200, .json("DocumentPage"))]

extension Call {
  /// The maximum number of entries in a list.
  func limit(_ standard: Int) throws(Refusal) -> Int {
    try number("limit", 1...500) ?? standard
  }

  /// The response for a new document, with its URL.
  func created(_ document: Document, below path: String) throws -> Response {
    try answer(document, 201, [("Location", "\(origin)\(path)/\(document.id)")])
  }

  /// The version that a change of an existing document requires.
  fileprivate func environmentForChange() throws(Refusal) -> (ServiceEnvironment, Int64?) {
    (environment, try expectedSequence())
  }
}

let checkInRoutes: [Route] = [
  Route(
    .get, "/v1/users/{uid}/mood_checkins", "List check-ins: the newest first, or a period.",
    query: paging + period, answers: listAnswers
  ) { call in
    let service = CheckInService(call.environment, as: call.caller)
    let (from, to) = (try call.moment("from"), try call.moment("to"))
    let (uid, cursor) = (try call.uid, try call.cursor())
    let page =
      from == nil && to == nil
      ? try service.latestPage(of: uid, limit: try call.limit(50), after: cursor)
      : try service.page(
        from: from ?? Moment.supported.lowerBound, to: to ?? Moment.supported.upperBound, of: uid,
        limit: try call.limit(50), after: cursor)
    return call.page(page.checkIns.map(\.document), page.cursor)
  },
  Route(
    .post, "/v1/users/{uid}/mood_checkins", "Submit a check-in.", body: .json(limit: jsonLimit),
    answers: createdAnswers
  ) { call in
    let uid = try call.uid
    let fields = try call.fields(for: "users/\(uid)/mood_checkins/new")
    let checkIn = try CheckInService(call.environment, as: call.caller).submit(fields, of: uid)
    return try call.created(checkIn.document, below: "/v1/users/\(uid)/mood_checkins")
  },
  Route(
    .get, "/v1/users/{uid}/mood_checkins/{id}", "Get a check-in.", answers: documentAnswers
  ) { call in
    try call.answer(
      CheckInService(call.environment, as: call.caller).checkIn(call.id, of: call.uid).document)
  },
  Route(
    .put, "/v1/users/{uid}/mood_checkins/{id}",
    "Submit a check-in with a name made by the client; the same again is no error.",
    body: .json(limit: jsonLimit), answers: createdAnswers
  ) { call in
    let (uid, id) = (try call.uid, try call.id)
    let fields = try call.fields(for: "users/\(uid)/mood_checkins/\(id)")
    let service = CheckInService(call.environment, as: call.caller)
    if try call.mustBeNew(), (try? service.checkIn(id, of: uid)) != nil { throw Refusal.exists }
    let checkIn = try service.submit(fields, of: uid, id: id)
    return try call.created(checkIn.document, below: "/v1/users/\(uid)/mood_checkins")
  },
  Route(
    .patch, "/v1/users/{uid}/mood_checkins/{id}", "Change some fields of a check-in.",
    body: .json(limit: jsonLimit), answers: documentAnswers
  ) { call in
    let (uid, id) = (try call.uid, try call.id)
    let fields = try call.fields(for: "users/\(uid)/mood_checkins/\(id)")
    let (environment, expected) = try call.environmentForChange()
    let result = try CheckInService(environment, as: call.caller, expecting: expected)
      .update(id, of: uid, fields)
    return try call.answer(result.map(\.document))
  },
  Route(
    .delete, "/v1/users/{uid}/mood_checkins/{id}", "Delete a check-in; its drawings stay.",
    answers: deletedAnswers
  ) { call in
    let (environment, expected) = try call.environmentForChange()
    return try call.deleted(
      CheckInService(environment, as: call.caller, expecting: expected)
        .delete(call.id, of: call.uid))
  },
]

let moodRoutes: [Route] = [
  Route(
    .get, "/v1/users/{uid}/moodEntries", "List mood entries, the latest first.", query: paging,
    answers: listAnswers
  ) { call in
    let page = try MoodEntryService(call.environment, as: call.caller).page(
      of: call.uid, limit: try call.limit(MoodEntryService.pageSize), after: try call.cursor())
    return call.page(page.documents, page.cursor)
  },
  Route(
    .post, "/v1/users/{uid}/moodEntries", "Add a mood entry.", body: .json(limit: jsonLimit),
    answers: createdAnswers
  ) { call in
    let uid = try call.uid
    let fields = try call.fields(for: "users/\(uid)/moodEntries/new")
    let entry = try MoodEntryService(call.environment, as: call.caller).create(fields, of: uid)
    return try call.created(entry, below: "/v1/users/\(uid)/moodEntries")
  },
  Route(
    .get, "/v1/users/{uid}/moodEntries/{id}", "Get a mood entry.", answers: documentAnswers
  ) { call in
    try call.answer(
      MoodEntryService(call.environment, as: call.caller).entry(call.id, of: call.uid))
  },
  Route(
    .put, "/v1/users/{uid}/moodEntries/{id}",
    "Add a mood entry with a name made by the client; the same again is no error.",
    body: .json(limit: jsonLimit), answers: createdAnswers
  ) { call in
    let (uid, id) = (try call.uid, try call.id)
    let fields = try call.fields(for: "users/\(uid)/moodEntries/\(id)")
    let service = MoodEntryService(call.environment, as: call.caller)
    if try call.mustBeNew(), (try? service.entry(id, of: uid)) != nil { throw Refusal.exists }
    let entry = try service.create(fields, of: uid, id: id)
    return try call.created(entry, below: "/v1/users/\(uid)/moodEntries")
  },
  Route(
    .patch, "/v1/users/{uid}/moodEntries/{id}",
    "Change some fields of a mood entry; the last write wins by 'updatedAt'.",
    body: .json(limit: jsonLimit), answers: documentAnswers
  ) { call in
    let (uid, id) = (try call.uid, try call.id)
    let fields = try call.fields(for: "users/\(uid)/moodEntries/\(id)")
    let (environment, expected) = try call.environmentForChange()
    return try call.answer(
      MoodEntryService(environment, as: call.caller, expecting: expected)
        .update(id, of: uid, fields))
  },
  Route(
    .delete, "/v1/users/{uid}/moodEntries/{id}", "Delete a mood entry.", answers: deletedAnswers
  ) { call in
    let (environment, expected) = try call.environmentForChange()
    return try call.deleted(
      MoodEntryService(environment, as: call.caller, expecting: expected)
        .delete(call.id, of: call.uid))
  },
]

let logRoutes: [Route] = [
  Route(
    .get, "/v1/sessionLogs", "List the caller's session logs, the latest first.", query: paging,
    answers: listAnswers
  ) { call in
    guard case .user(let uid) = call.caller else { throw Refusal(401, "no-token", "Who asks?") }
    let page = try SessionLogService(call.environment, as: call.caller).page(
      of: uid, limit: try call.limit(50), after: try call.cursor())
    return call.page(page.documents, page.cursor)
  },
  Route(
    .post, "/v1/sessionLogs", "Add a session log.", body: .json(limit: jsonLimit),
    answers: createdAnswers
  ) { call in
    let log = try SessionLogService(call.environment, as: call.caller).create(
      try call.fields(for: "sessionLogs/new"))
    return try call.created(log, below: "/v1/sessionLogs")
  },
  Route(.get, "/v1/sessionLogs/{id}", "Get a session log.", answers: documentAnswers) { call in
    try call.answer(SessionLogService(call.environment, as: call.caller).log(call.id))
  },
  Route(
    .patch, "/v1/sessionLogs/{id}", "Change some fields of a session log.",
    body: .json(limit: jsonLimit), answers: documentAnswers
  ) { call in
    let id = try call.id
    let fields = try call.fields(for: "sessionLogs/\(id)")
    let (environment, expected) = try call.environmentForChange()
    return try call.answer(
      SessionLogService(environment, as: call.caller, expecting: expected).update(id, fields))
  },
  Route(.delete, "/v1/sessionLogs/{id}", "Delete a session log.", answers: deletedAnswers) { call in
    let (environment, expected) = try call.environmentForChange()
    return try call.deleted(
      SessionLogService(environment, as: call.caller, expecting: expected).delete(call.id))
  },
]

let catalogueRoutes: [Route] = [
  Route(
    .get, "/v1/growthMethods", "List the growth methods, by stage.", answers: listAnswers
  ) { call in
    call.page(try CatalogueService(call.environment, as: call.caller).growthMethods(), nil)
  },
  Route(
    .get, "/v1/growthMethods/{id}", "Get a growth method.", answers: documentAnswers
  ) { call in
    try call.answer(
      CatalogueService(call.environment, as: call.caller).entry(call.id, .growthMethods))
  },
  Route(
    .get, "/v1/educationalResources", "List the educational resources, by title.",
    answers: listAnswers
  ) { call in
    call.page(try CatalogueService(call.environment, as: call.caller).educationalResources(), nil)
  },
  Route(
    .get, "/v1/educationalResources/{id}", "Get an educational resource.", answers: documentAnswers
  ) { call in
    try call.answer(
      CatalogueService(call.environment, as: call.caller).entry(call.id, .educationalResources))
  },
]

extension Call {
  /// The result of an update: the stored document, and whether the change was applied.
  func answer(_ result: Updated<Document>) throws -> Response {
    let applied = result.isApplied ? "true" : "false"
    return try answer(result.value, 200, [("X-Applied", applied)])
  }
}

extension Refusal {
  static let exists = Refusal(412, "exists", "It exists already.", field: "if-none-match")
}
