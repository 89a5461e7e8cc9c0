import DrawingServices
import HTTP
import HTTPServing
import JSON
import Journal
import Storage

// Check-ins, mood entries and session logs: documents that clients name and write.

extension QueryParameter {
  static let limit = QueryParameter("limit", .number(1...500), "The maximum number of items.")
  static let after = QueryParameter("after", .text, "The cursor of the page before.")
  static let from = QueryParameter("from", .moment, "From this moment on.")
  static let to = QueryParameter("to", .moment, "Up to this moment, not included.")
}

/// The successful responses of the routes of one document.
private let documentAnswers: [(Int, Route.Content)] = [(200, .json("Document"))]
private let listAnswers: [(Int, Route.Content)] = [(200, .json("DocumentPage"))]

extension Call {
  /// The response for a new document, with its URL.
  func created(_ document: Document, below path: String) throws -> Response {
    try answer(document, 201, [("Location", "\(origin)\(path)/\(document.id)")])
  }
}

/// The kinds of documents that clients name and write.
let documentRoutes =
  routes(of: .checkIns, "a check-in", many: "check-ins")
  + routes(of: .moodEntries, "a mood entry", many: "mood entries")
  + routes(of: .sessionLogs, "a session log", many: "session logs")

/// The routes of a kind of documents: to list, store, read, change and delete them.
private func routes(of kind: DocumentKind, _ one: String, many: String) -> [Route] {
  let isOfUser = kind.owner == .user
  let path = isOfUser ? "/v1/users/{uid}/\(kind.name)" : "/v1/\(kind.name)"
  let body = Route.Body.json(limit: 1 << 20)
  let created: [(Int, Route.Content)] = [(201, .json("Document"))]
  @Sendable func service(_ call: Call) throws -> CollectionService {
    CollectionService(
      kind, in: call.environment, as: call.caller, expecting: try call.expectedSequence())
  }
  /// The user whose documents are meant: the one in the path, or the caller.
  @Sendable func owner(_ call: Call) throws -> String {
    if isOfUser { return try call.uid }
    guard case .user(let uid) = call.caller else {
      throw Refusal.noToken
    }
    return uid
  }
  /// The path of the documents.
  @Sendable func folder(_ call: Call) throws -> String {
    isOfUser ? "users/\(try call.uid)/\(kind.name)" : kind.name
  }
  return [
    Route(
      .get, path, "List \(many): the latest first, or a period with the oldest first.",
      query: [.limit, .after, .from, .to], answers: listAnswers
    ) { call in
      let page = try service(call).page(
        of: owner(call), from: call.moment("from"), to: call.moment("to"),
        limit: call.number("limit") ?? CollectionService.pageSize, after: call.cursor())
      return call.page(page.documents, page.cursor)
    },
    Route(.post, path, "Add \(one).", body: body, answers: created) { call in
      let folder = try folder(call)
      let fields = try call.fields(for: "\(folder)/new")
      return try call.created(service(call).create(fields, of: owner(call)), below: "/v1/\(folder)")
    },
    Route(.get, path + "/{id}", "Get \(one).", answers: documentAnswers) { call in
      try call.answer(service(call).document(call.id, of: owner(call)))
    },
    Route(
      .put, path + "/{id}",
      "Add \(one) with a name made by the client; the same again is no error.",
      body: body, answers: created
    ) { call in
      let (folder, id) = (try folder(call), try call.id)
      let fields = try call.fields(for: "\(folder)/\(id)")
      let service = CollectionService(kind, in: call.environment, as: call.caller)
      if try call.mustBeNew(), (try? service.document(id, of: owner(call))) != nil {
        throw Refusal.exists
      }
      return try call.created(
        service.create(fields, of: owner(call), id: id), below: "/v1/\(folder)")
    },
    Route(
      .patch, path + "/{id}",
      "Change some fields of \(one)"
        + (kind.isSynchronized
          ? "; with an 'updatedAt', only if that is later than the stored." : "."),
      body: body, answers: documentAnswers
    ) { call in
      let id = try call.id
      let fields = try call.fields(for: "\(folder(call))/\(id)")
      return try call.answer(service(call).update(id, of: owner(call), fields))
    },
    Route(.delete, path + "/{id}", "Delete \(one).", answers: [(204, .nothing)]) { call in
      try call.deleted(service(call).delete(call.id, of: owner(call)))
    },
  ]
}

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
