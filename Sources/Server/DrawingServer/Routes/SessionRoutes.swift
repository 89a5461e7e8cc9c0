import DrawingServices
import HTTP
import HTTPServing
import JSON

// Signing in from a page. The token is stored in a cookie that scripts cannot read, so that
// pictures, downloads and streams need no URL with a secret.

let sessionRoutes: [Route] = [
  Route(
    .get, "/v1/session", "Who is signed in.", answers: [(200, .json("Session"))]
  ) { call in
    guard case .user(let uid) = call.caller else {
      throw Refusal.noToken
    }
    return call.json { json in
      json.object { json in
        json.field("uid", uid)
        json.field("isDevelopment", call.server.settings.isDevelopment)
        json.field("hasJournal", call.server.settings.hasJournal)
      }
    }
  },
  Route(
    .post, "/v1/session", "Sign in with the bearer token of this request, for pages.",
    answers: [(204, .nothing)]
  ) { call in
    guard let token = call.exchange.head.flatMap(Authentication.bearerToken) else {
      // In development no token is needed.
      guard call.server.settings.isDevelopment else {
        throw Refusal.noToken
      }
      return Response(204, [("Cache-Control", "no-store")])
    }
    return try call.response(settingCookie: token, seconds: SessionCookie.seconds)
  },
  Route(
    .delete, "/v1/session", "Sign out, and end the session.", access: .everyone,
    answers: [(204, .nothing)]
  ) { call in
    if let head = call.exchange.head, let secret = SessionCookie.token(in: head),
      Sessions.isSecret(secret),
      call.server.isFromOwnPage(call.exchange, head, isSafe: false),
      let session = try? call.server.sessions.session(of: secret)
    {
      try call.end(session)
    }
    return try call.response(settingCookie: "", seconds: 0)
  },
  Route(
    .get, "/v1/sessions", "List the browsers in which the user is signed in.",
    answers: [(200, .json("Sessions"))]
  ) { call in
    let sessions = try SessionService(call.environment, as: call.caller).all(of: call.user)
    return call.json { json in
      json.object { json in
        json.list("items", sessions) { json, session in
          json.object { json in
            json.field("id", session.id)
            json.field("method", session.method)
            json.field("agent", session.agent)
            json.field("createdAt", session.created.iso8601)
            json.field("lastUsed", session.lastUsed.iso8601)
            json.field("expires", session.expires.iso8601)
            json.field("isThis", session.key == call.session?.key)
          }
        }
      }
    }
  },
  Route(
    .delete, "/v1/sessions", "End all other sessions of the user.", answers: [(204, .nothing)]
  ) { call in
    let own = call.session?.key
    _ = try call.endSessions { $0.key != own }
    return Response(204)
  },
  Route(
    .delete, "/v1/sessions/{id}", "End a session.", answers: [(204, .nothing)]
  ) { call in
    let id = try call.id
    return try call.deleted(call.endSessions { $0.id == id } > 0)
  },
]

/// The cookie with the token of a user of the pages.
enum SessionCookie {
  static let name = "pentimento"

  /// The cookie's lifetime; the token expires earlier.
  static let seconds = 400 * 86_400

  /// The maximum size that browsers store of a cookie.
  static let sizeLimit = 3800

  /// The token or secret in the cookies of a request.
  static func token(in head: RequestHead) -> String? { value(name, in: head) }

  /// The value of a cookie; nil if there is none, or it is empty.
  static func value(_ name: String, in head: RequestHead) -> String? {
    guard let cookies = head.text("cookie") else { return nil }
    for cookie in cookies.split(separator: ";") {
      let parts = cookie.drop { $0 == " " }.split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, parts[0] == name, !parts[1].isEmpty { return String(parts[1]) }
    }
    return nil
  }
}

extension Call {
  fileprivate func response(settingCookie token: String, seconds: Int) throws(Refusal) -> Response {
    guard token.utf8.count <= SessionCookie.sizeLimit else {
      throw Refusal(
        431, "large-token", "The token is too large for a cookie.", field: "authorization")
    }
    return Response(
      204,
      [
        ("Set-Cookie", cookie(SessionCookie.name, token, seconds: seconds)),
        ("Cache-Control", "no-store"),
      ])
  }

  /// Ends sessions of the user, and returns their number.
  fileprivate func endSessions(
    where isChosen: (SessionService.Session) -> Bool
  ) throws -> Int {
    let keys = try SessionService(environment, as: caller).end(of: user, where: isChosen)
    server.forget(sessions: keys)
    return keys.count
  }
}

extension Server {
  /// Whether a request with a cookie comes from a page of this server. Current browsers do not send
  /// the cookie from other sites; changing requests must also contain their origin.
  func isFromOwnPage(_ exchange: Exchange, _ head: RequestHead, isSafe: Bool) -> Bool {
    if let site = head.text("sec-fetch-site"), site != "same-origin", site != "none" {
      return false
    }
    guard let origin = head.text("origin") else {
      return isSafe || head.text("sec-fetch-site") == "same-origin"
    }
    func host(_ url: some StringProtocol) -> Substring? {
      let parts = url.split(separator: "/", maxSplits: 2)
      return parts.count > 1 ? Substring(parts[1]) : nil
    }
    return host(origin) == host(self.origin(of: exchange)) && host(origin) != nil
  }
}
