package import DrawingServices
import Glibc
package import HTTP
package import HTTPServing
import Storage
import Threads
package import Tokens

/// The drawing service over HTTP: authenticates callers, routes requests and returns responses.
///
///     header ─▶ first look ─▶ route ─▶ caller ─▶ limits ─▶ body ─▶ handler ─▶ response
///
/// All steps before the body run on the thread of the connection, without waiting. Handlers that
/// read or write run on the work queue's threads.
package final class Server: RequestHandler, Sendable {
  let environment: ServiceEnvironment
  let settings: ServerSettings
  let table: RouteTable
  let authentication: Authentication
  let links: LinkSigner
  let pictures: PictureShelf
  let sessions: Sessions
  let door: Door
  let changes: RateLimits
  /// The rate at which a user may try codes of invitations.
  let codes = RateLimits(perSecond: 2, capacity: 10)
  let uploads: ResumableUploads
  let streams: StreamHub
  let rooms: RoomHub
  let log: AccessLog
  let metrics = Metrics()
  let readiness: Readiness
  private let listener = ConditionMutex<HTTPListener?>(nil)

  package init(
    _ environment: ServiceEnvironment, _ settings: ServerSettings, secret: Secret, log: AccessLog
  ) throws {
    var environment = environment
    environment.quotas = UserQuotas(limit: settings.quotaBytes)
    self.environment = environment
    self.settings = settings
    self.log = log
    table = RouteTable(Self.routes)
    authentication = try Authentication(settings, local: secret)
    links = LinkSigner(environment, secret, seconds: settings.linkSeconds)
    pictures = PictureShelf(root: settings.root)
    sessions = Sessions(environment)
    door = try Door(settings, secret: secret)
    // Five seconds of changes may come at once.
    let rate = Double(settings.changesPerSecond)
    changes = RateLimits(perSecond: rate, capacity: 5 * rate)
    uploads = ResumableUploads(environment)
    streams = StreamHub(environment)
    rooms = RoomHub(environment, isLimited: settings.changesPerSecond > 0)
    readiness = Readiness(environment, settings)
    rooms.takeInRest()
  }

  /// Sets the listener, whose load is reported.
  package func attach(_ listener: HTTPListener) { self.listener.withLock { $0 = listener } }

  /// Ends all event streams and flushes the log.
  package func close() {
    streams.close()
    rooms.close()
    authentication.close()
    listener.withLock { $0 = nil }
  }

  /// The listener's current load.
  var load: Metrics.Load {
    listener.withLock { listener in
      guard let listener else { return Metrics.Load() }
      return Metrics.Load(
        connections: listener.connectionCount, work: listener.workCount,
        slow: listener.slowConnectionCount, displaced: listener.connectionLosses.displaced,
        refused: listener.connectionLosses.refused)
    }
  }

  /// The table of routes. The first match wins, so the routes of files, which match any name, come
  /// last.
  static let routes =
    statusRoutes + pageRoutes + sessionRoutes + signInRoutes + passkeyRoutes + convertRoutes
    + userRoutes + overviewRoutes
    + documentRoutes
    + drawingRoutes + pictureRoutes + linkRoutes + shareRoutes + memberRoutes + changeRoutes
    + roomRoutes
    + syncRoutes
    + catalogueRoutes
    + firebaseRoutes + fileRoutes

  // MARK: - Requests

  package func plan(for exchange: Exchange) -> Plan {
    do {
      return try checkedPlan(exchange)
    } catch {
      return .answer(response(to: error, in: exchange))
    }
  }

  private func checkedPlan(_ exchange: Exchange) throws -> Plan {
    guard let checked = exchange.checked, let head = exchange.head else {
      throw Refusal(500, "internal", "The request was not checked.")
    }
    try authentication.checkSite(head, checked)
    if checked.method == .options {
      return .answer(finish(Response(204, preflight(checked, head)), exchange))
    }
    let note = RequestNote()
    exchange.note = note
    let (route, parameters) = try find(checked.method, checked.target.segments)
    note.route = route.path
    if let excess = exchange.connection.excess, !route.isProbe { throw Refusal(excess) }
    let caller = try caller(of: exchange, head, checked, route)
    if case .user(let uid) = caller { note.uid = uid }
    if route.access == .signedIn, caller == .anonymous {
      throw Refusal.noToken
    }
    if !checked.method.isSafe, !route.isFrequent, case .user(let uid) = caller,
      !changes.take(uid)
    {
      throw Refusal(429, "too-many-changes", "Too many changes in a short time; try again later.")
    }
    try route.checkNames(of: checked.target.query)
    let call = Call(exchange, self, route, parameters, caller)
    try checkBody(checked, head, route)
    // Pages of other origins need header fields that the prepared responses lack.
    if !head.has("origin"), let response = route.quick?(call) {
      if case .prepared = response.content { return .answer(response) }
      return .answer(finish(response, exchange))
    }
    if route.isProbe { return .probe { [self] _ in finish(answer(call), exchange) } }
    let quick = route.quickWithBody.map { quick in
      { @Sendable [self] (_: Exchange) in quick(call).map { finish($0, exchange) } }
    }
    return .work(
      bodyLimit: route.body.limit, owner: note.uid ?? client(of: exchange), quick: quick
    ) { [self] _ in
      let response = finish(answer(call), exchange)
      if let session = note.session { sessions.touch(session) }
      if !checked.method.isSafe, !route.isFrequent { streams.look() }
      return response
    }
  }

  private func find(
    _ method: RequestHead.Method, _ path: [String]
  ) throws(Refusal) -> (Route, [String]) {
    switch table.find(method, path) {
    case .route(let route, let parameters): return (route, parameters)
    case .nothing: throw Refusal(404, "not-found", "There is nothing at this address.")
    case .otherMethods:
      throw Refusal(405, "wrong-method", "The address does not support this method.")
    }
  }

  /// The caller: the holder of a token or of a signed link, or anonymous.
  private func caller(
    of exchange: Exchange, _ head: RequestHead, _ checked: RequestHead.Checked, _ route: Route
  ) throws -> Caller {
    if try checked.target.value("signature") != nil {
      guard checked.method.isSafe else {
        throw Refusal(403, "read-only-link", "A link can only be read.", field: "signature")
      }
      return .user(try links.owner(of: checked.target, at: environment.now()))
    }
    if !head.has("authorization"), let token = SessionCookie.token(in: head),
      isFromOwnPage(exchange, head, isSafe: checked.method.isSafe)
    {
      // Sign-in and sign-out accept an expired cookie.
      let isSession = route.path == "/v1/session" && !checked.method.isSafe
      if isSession { return .anonymous }
      func user() throws -> Caller {
        guard Sessions.isSecret(token) else { return .user(try authentication.user(of: token)) }
        let session = try sessions.session(of: token)
        (exchange.note as? RequestNote)?.session = session
        return .user(session.uid)
      }
      // Pages do so too: they contain no user data and lead to a sign-in, as other doors do.
      let isOpen = !route.path.hasPrefix("/v") || route.isDoor
      if route.access == .everyone, isOpen { return (try? user()) ?? .anonymous }
      return try user()
    }
    return try authentication.caller(head, isLocal: exchange.connection.isLocal)
  }

  private func checkBody(
    _ checked: RequestHead.Checked, _ head: RequestHead, _ route: Route
  ) throws(Refusal) {
    guard checked.body != .none else { return }
    switch route.body {
    case .none:
      throw Refusal(400, "unexpected-body", "This request has no body.", closesConnection: true)
    case .json:
      guard head.text("content-type").flatMap(MediaType.init)?.name == "application/json" else {
        throw Refusal(
          415, "not-json", "The body must be application/json.", field: "content-type",
          closesConnection: true)
      }
    case .upload: break
    }
    if let coding = head.text("content-encoding"), coding.lowercased() != "identity" {
      throw Refusal(
        415, "encoded-body", "The body must not be compressed.", field: "content-encoding",
        closesConnection: true)
    }
  }

  private func answer(_ call: Call) -> Response {
    do {
      try call.checkDrawingOfLink()
      let method = call.exchange.checked?.method
      if method == .delete { return try environment.makingRoom { try call.route.handle(call) } }
      if method?.isSafe != true, let reserve = environment.reserve, reserve.isInUse {
        throw StorageError(.full, call.route.path)
      }
      return try call.route.handle(call)
    } catch {
      return problem(error, in: call.exchange)
    }
  }

  // MARK: - Answers

  package func response(to refusal: Refusal, in exchange: Exchange) -> Response {
    finish(problem(refusal, in: exchange), exchange)
  }

  package func dropLimit(for exchange: Exchange) -> Int {
    // Firebase's clients retry an upload for minutes if they receive no response.
    isForFirebase(exchange) ? 64 << 20 : 0
  }

  private func isForFirebase(_ exchange: Exchange) -> Bool {
    exchange.rawTarget.starts(with: "/v0/".utf8)
  }

  /// The response to a failed request.
  private func response(to error: any Error, in exchange: Exchange) -> Response {
    finish(problem(error, in: exchange), exchange)
  }

  private func problem(_ error: any Error, in exchange: Exchange) -> Response {
    let isFirebase = isForFirebase(exchange)
    var refusal = Refusal(error)
    let note = exchange.note as? RequestNote
    note?.code = refusal.code
    // Problems that only the operator can repair are logged.
    if refusal.status == 500 || refusal.status == 507 {
      if error is StorageError { readiness.doubt() }
      log.write(problem: "\(error)", exchange.number)
    } else if refusal.status == 503, let error = error as? StorageError {
      log.write(passing: error, exchange.number)
    }
    if isFirebase { refusal = FirebaseAnswers.patient(refusal) }
    var fields = [
      ("Content-Type", isFirebase ? FirebaseAnswers.mediaType : Refusal.mediaType),
      ("Cache-Control", "no-store"),
    ]
    switch refusal.status {
    case 401:
      let code = refusal.code == "no-token" ? "" : ", error=\"invalid_token\""
      fields.append(("WWW-Authenticate", "Bearer realm=\"pentimento\"\(code)"))
    case 405:
      if case .otherMethods(let methods)? = exchange.checked.map({
        table.find($0.method, $0.target.segments)
      }) {
        fields.append(("Allow", Self.allowed(methods)))
      } else {
        fields.append(
          ("Allow", RequestHead.Method.allCases.map(\.rawValue).joined(separator: ", ")))
      }
    case 429, 503: fields.append(("Retry-After", String(refusal.retrySeconds)))
    default: break
    }
    if refusal.closesConnection { fields.append(("Connection", "close")) }
    if !isFirebase, let page = PlainPage(refusal, exchange, home: settings.publicURL + "/") {
      fields[0].1 = "text/html; charset=utf-8"
      fields.append(("Content-Security-Policy", PlainPage.policy))
      return Response(refusal.status, fields, .bytes(page.html))
    }
    let body =
      isFirebase
      ? FirebaseAnswers.problem(refusal)
      : refusal.problem(request: String(exchange.number, radix: 36))
    return Response(refusal.status, fields, .bytes(body))
  }

  /// The methods of a path as `Allow` lists them.
  private static func allowed(_ methods: [RequestHead.Method]) -> String {
    let all = methods + (methods.contains(.get) ? [.head] : []) + [.options]
    return all.map(\.rawValue).joined(separator: ", ")
  }

  private func preflight(
    _ checked: RequestHead.Checked, _ head: RequestHead
  ) -> [(name: String, value: String)] {
    let methods = RequestHead.Method.allCases.filter { method in
      if case .route = table.find(method, checked.target.segments) { true } else { false }
    }
    var fields = [(name: "Allow", value: Self.allowed(methods.filter { $0 != .head }))]
    guard head.text("access-control-request-method") != nil else { return fields }
    fields.append(("Access-Control-Allow-Methods", Self.allowed(methods.filter { $0 != .head })))
    // Only names: no other text of the request is copied into a header.
    if let wanted = head.text("access-control-request-headers"),
      wanted.utf8.count <= 1024, wanted.utf8.allSatisfy({ Self.isListCharacter($0) })
    {
      fields.append(("Access-Control-Allow-Headers", wanted))
    }
    fields.append(("Access-Control-Max-Age", "3600"))
    if head.text("access-control-request-private-network") == "true" {
      fields.append(("Access-Control-Allow-Private-Network", "true"))
    }
    return fields
  }

  private static func isListCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 32, 44, 45, 48...57, 65...90, 95, 97...122: true
    default: false
    }
  }

  /// The header fields of every response.
  private static let commonFields: [(name: String, value: String)] = [
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "cross-origin"),
  ]

  /// The header fields of a response, with those of every response.
  func complete(
    _ fields: [(name: String, value: String)]
  ) -> [(name: String, value: String)] {
    var fields = fields + Self.commonFields
    if !fields.contains(where: { $0.name == "Content-Security-Policy" }) {
      fields.append(("Content-Security-Policy", "default-src 'none'; sandbox"))
    }
    if !settings.certificate.isEmpty {
      fields.append(("Strict-Transport-Security", "max-age=31536000"))
    }
    return fields
  }

  /// A response with the common header fields, and those for pages of other origins.
  private func finish(_ response: Response, _ exchange: Exchange) -> Response {
    var response = response
    response.fields = complete(response.fields)
    guard let origin = exchange.head?.text("origin") else { return response }
    response.fields.append(("Vary", "Origin"))
    guard settings.origins.contains(origin) || settings.origins.contains("*") else {
      return response
    }
    response.fields.append(("Access-Control-Allow-Origin", origin))
    response.fields.append(("Access-Control-Expose-Headers", Self.exposedFields))
    return response
  }

  private static let exposedFields =
    "Content-Type, Content-Range, ETag, Location, X-Applied, X-Room-Next, X-Room-Origin, X-Goog-Upload-Status, X-Goog-Upload-URL, "
    + "X-Goog-Upload-Size-Received, X-Goog-Upload-Chunk-Granularity"

  package func finished(_ exchange: Exchange) {
    let note = exchange.note as? RequestNote
    metrics.count(exchange, route: note?.route)
    log.write(exchange, note, self)
  }

  // MARK: - Addresses

  private func isProxied(_ exchange: Exchange) -> Bool {
    settings.proxies.contains(exchange.connection.address)
  }

  /// The client of a request, or the last one in a trusted proxy's header.
  package func client(of exchange: Exchange) -> String {
    guard isProxied(exchange),
      let last = exchange.head?.list("x-forwarded-for")?.split(separator: ",").last
    else { return exchange.connection.address }
    return String(last.filter { $0 != " " }.prefix(64))
  }

  /// Whether a request comes from a program on this machine that is not a known proxy, and has no
  /// proxy's header fields.
  func isFromThisMachine(_ exchange: Exchange) -> Bool {
    exchange.connection.isLocal && !isProxied(exchange)
      && exchange.head?.fields.contains {
        $0.name.hasPrefix("x-forwarded") || $0.name == "forwarded"
      }
        != true
  }

  /// The URL prefix for links: as configured, or from a trusted proxy's header. Without both, only
  /// clients on this machine get absolute URLs, others get paths: a request may contain any host,
  /// and links made from it may be shown to others or cached.
  func origin(of exchange: Exchange) -> String {
    if !settings.publicURL.isEmpty { return settings.publicURL }
    if isProxied(exchange) { return origin(asNamedBy: exchange) }
    let isHere = exchange.connection.isLocal && Self.isLoopback(exchange.checked?.host ?? "")
    return isHere ? origin(asNamedBy: exchange) : ""
  }

  /// The URL prefix according to this client's request, for a response that no other client gets.
  func origin(asNamedBy exchange: Exchange) -> String {
    if !settings.publicURL.isEmpty { return settings.publicURL }
    var scheme = settings.certificate.isEmpty ? "http" : "https"
    var host = exchange.checked?.host ?? ""
    if isProxied(exchange), let head = exchange.head {
      if head.text("x-forwarded-proto") == "https" { scheme = "https" }
      if let named = head.text("x-forwarded-host"), !named.isEmpty, named.utf8.count <= 255,
        named.utf8.allSatisfy({ Self.isHostCharacter($0) })
      {
        host = named
      }
    }
    return host.isEmpty ? "" : "\(scheme)://\(host)"
  }

  /// Whether a host, with or without a port, is the loopback name or address.
  static func isLoopback(_ host: String) -> Bool {
    let name = host.hasPrefix("[") ? host : String(host.prefix { $0 != ":" })
    let isNumeric = name.utf8.allSatisfy { $0 == 46 || 48...57 ~= $0 }
    return name == "localhost" || name.hasPrefix("127.") && isNumeric || name.hasPrefix("[::1]")
  }

  private static func isHostCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 45, 46, 48...58, 65...91, 93, 95, 97...122: true
    default: false
    }
  }
}

/// The log's data about a request.
final class RequestNote: @unchecked Sendable {
  // Like its exchange, used by one thread at a time.
  var route: String?
  var uid: String?
  /// The session of the cookie; nil for none.
  var session: SessionService.Session?
  /// The code of the problem; nil for none.
  var code: String?
}
