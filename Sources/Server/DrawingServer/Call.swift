import DrawingServices
import HTTP
import HTTPServing
import JSON
import Storage

/// A request for a route, with its caller.
struct Call: Sendable {
  let exchange: Exchange
  let server: Server
  let route: Route
  let caller: Caller
  private let parameters: [String]

  init(
    _ exchange: Exchange, _ server: Server, _ route: Route, _ parameters: [String],
    _ caller: Caller
  ) {
    (self.exchange, self.server, self.route) = (exchange, server, route)
    (self.parameters, self.caller) = (parameters, caller)
  }

  /// The URL of this server as the client reaches it: the prefix of all links in the response.
  var origin: String { server.origin(of: exchange) }

  var environment: ServiceEnvironment { server.environment }
  var body: [UInt8] { exchange.body }
  var method: RequestHead.Method { exchange.checked?.method ?? .get }

  /// A parameter of the path.
  func parameter(_ name: String) throws(Refusal) -> String {
    guard let index = route.parameterNames.firstIndex(of: name), index < parameters.count else {
      throw Refusal(404, "not-found", "There is nothing at this address.")
    }
    return parameters[index]
  }

  var uid: String {
    get throws(Refusal) { UserName.of(try parameter("uid"), inRequestBy: caller) }
  }
  var id: String { get throws(Refusal) { try parameter("id") } }

  /// Whether the request is authorized by a signed link instead of a token.
  var isSigned: Bool {
    exchange.checked?.target.query.contains { $0.name == "signature" } ?? false
  }

  /// The drawing of the signed link, as its `made` value; empty without a signed link, or for one
  /// without that value.
  var drawingOfLink: String {
    get throws(Refusal) { isSigned ? try item("made") ?? "" : "" }
  }

  /// The time when links in the response expire, in seconds since 1970. Links in the response to a
  /// signed link expire with it at the latest.
  var linkExpiry: Int64 {
    let usual = server.links.expiry(at: environment.now())
    guard isSigned, let own = try? item("expires").flatMap({ Int64($0) }) else { return usual }
    return min(own, usual)
  }

  // MARK: - The query

  /// The value of a query item that only links have; nil if there is none.
  private func item(_ name: String) throws(Refusal) -> String? {
    try exchange.checked?.target.value(name)
  }

  /// The value of a parameter that the route declares; nil if it was not given. Throws unless the
  /// value is one of those declared.
  func text(_ name: String) throws(Refusal) -> String? {
    let parameter = route.query.first { $0.name == name }
    assert(parameter != nil, "the route \(route.path) does not declare the parameter \(name)")
    guard let parameter, let text = try item(name) else { return nil }
    let kind = isSigned ? parameter.kindOfLinks : parameter.kind
    if let problem = kind.problem(with: text) { throw .badParameter(name, problem) }
    return text
  }

  func number(_ name: String) throws(Refusal) -> Int? { try text(name).flatMap { Int($0) } }

  func moment(_ name: String) throws(Refusal) -> Moment? {
    try text(name).flatMap { Moment(iso8601: $0) }
  }

  func cursor() throws(Refusal) -> Query.Cursor? {
    guard let text = try text("after") else { return nil }
    guard let cursor = Query.Cursor(text) else {
      throw .badParameter("after", "It must be the cursor of a page before.")
    }
    return cursor
  }

  func zone() throws -> ZoneRules {
    try ZoneRules(named: try text("timeZone") ?? environment.settings.timeZone)
  }

  // MARK: - The header and the body

  /// The fields of a JSON body for a document.
  func fields(for path: String) throws -> Fields {
    try environment.application.fields(body, for: DocumentPath(path))
  }

  /// The values of a JSON body.
  func fields() throws -> Fields {
    do throws(JSONError) {
      return try Fields(json: body)
    } catch {
      throw Refusal(400, "bad-json", "The body is not a JSON object: \(error).")
    }
  }

  /// The body as a JSON object that has only fields with these names: a misspelt one would have no
  /// effect.
  func fields(named names: [String]) throws -> Fields {
    let fields = try fields()
    for (name, _) in fields.all where !names.contains(name) {
      throw Refusal(
        422, "unknown-field",
        "There is no such field; there are: \(names.joined(separator: ", ")).",
        field: name)
    }
    return fields
  }

  /// The preconditions of the request.
  func conditions() throws(Refusal) -> Preconditions {
    try Preconditions(exchange.head)
  }
}

extension Refusal {
  static func badParameter(_ name: String, _ detail: String) -> Refusal {
    Refusal(400, "bad-parameter", detail, field: name)
  }
}
