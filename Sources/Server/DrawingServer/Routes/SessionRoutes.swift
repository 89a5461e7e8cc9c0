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
    .delete, "/v1/session", "Sign out.", access: .everyone, answers: [(204, .nothing)]
  ) { call in try call.response(settingCookie: "", seconds: 0) },
]

/// The cookie with the token of a user of the pages.
enum SessionCookie {
  static let name = "pentimento"

  /// The cookie's lifetime; the token expires earlier.
  static let seconds = 400 * 86_400

  /// The maximum size that browsers store of a cookie.
  static let sizeLimit = 3800

  /// The token in the cookies of a request.
  static func token(in head: RequestHead) -> String? {
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
    // The path prefix of the pages, if a proxy adds one.
    let parts = origin.split(separator: "/", maxSplits: 2)
    let path = parts.count > 2 ? "/\(parts[2])/" : "/"
    let isSecure = origin.hasPrefix("https:") ? "; Secure" : ""
    return Response(
      204,
      [
        (
          "Set-Cookie",
          "\(SessionCookie.name)=\(token); Path=\(path); Max-Age=\(seconds); HttpOnly; SameSite=Strict\(isSecure)"
        ), ("Cache-Control", "no-store"),
      ])
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
