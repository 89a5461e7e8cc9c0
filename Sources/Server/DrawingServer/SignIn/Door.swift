import DrawingServices
import HTTP
import HTTPServing
import JSON
import Passkeys
import Storage
import Tokens

/// What the routes for signing in share: notes of sign-ins in progress, limits, and the provider.
final class Door: Sendable {
  let seal: NoteSeal
  let provider: OpenIDProvider?
  /// Requests of one address, for any door.
  private let visits = RateLimits(perSecond: 1, capacity: 60)
  /// Attempts with one credential or code.
  private let attempts = RateLimits(perSecond: 0.1, capacity: 10)
  /// New users from one address.
  private let newcomers = RateLimits(perSecond: 1 / 60, capacity: 10)

  init(_ settings: ServerSettings, secret: Secret) throws {
    seal = NoteSeal(secret)
    provider = try OpenIDProvider(settings)
  }

  /// The answer to every sign-in that is refused, whatever the reason is.
  static let refusal = Refusal(403, "not-accepted", "The sign-in is not accepted.")

  func checkVisit(_ client: String) throws(Refusal) { try Self.check(visits, client) }
  func checkAttempt(_ name: String) throws(Refusal) { try Self.check(attempts, name) }
  func checkNewcomer(_ client: String) throws(Refusal) { try Self.check(newcomers, client) }

  private static func check(_ limits: RateLimits, _ name: String) throws(Refusal) {
    guard !limits.take(name) else { return }
    throw Refusal(
      429, "too-many-attempts", "Too many attempts in a short time; try again later.",
      retrySeconds: limits.pause)
  }

  /// A key that no passkey has: sign-ins with unknown passkeys take as long as others.
  static let noKey = try? PasskeyKey(
    [0xA5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32] + generator.x + [0x22, 0x58, 32] + generator.y)

  /// The generator of P-256 (FIPS 186-4, D.1.2.3), as good as any point.
  private static let generator = (
    x: bytes("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"),
    y: bytes("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
  )

  private static func bytes(_ digits: String) -> [UInt8] {
    stride(from: 0, to: digits.utf8.count, by: 2).compactMap {
      UInt8(digits.dropFirst($0).prefix(2), radix: 16)
    }
  }
}

extension Call {
  var door: Door { server.door }

  /// The session of the request's cookie; nil for none, and for a token.
  var session: SessionService.Session? { (exchange.note as? RequestNote)?.session }

  /// The origin of this server's pages as their browser names it: scheme, host and port.
  var webOrigin: String {
    let parts = server.origin(asNamedBy: exchange).split(
      separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count > 2 else { return "" }
    let text = "\(parts[0])//\(parts[2])".lowercased()
    // Browsers omit default ports.
    let port = text.hasPrefix("https:") ? ":443" : ":80"
    return text.hasSuffix(port) ? String(text.dropLast(port.count)) : text
  }

  /// The signed-in user.
  var user: String {
    get throws(Refusal) {
      guard case .user(let uid) = caller else { throw Refusal.noToken }
      return uid
    }
  }

  /// Checks what all doors check first: the request comes from a page of this server, and there
  /// were not too many.
  func enter() throws(Refusal) {
    guard let origin = exchange.head?.text("origin"), origin == webOrigin, !origin.isEmpty,
      exchange.head?.text("sec-fetch-site").map({ $0 == "same-origin" }) ?? true
    else {
      throw Refusal(
        403, "wrong-origin", "Only pages of this server may do this.", field: "origin")
    }
    try door.checkVisit(client)
  }

  /// The client's share of the limits.
  var client: String { ClientShare.name(server.client(of: exchange)) }

  /// Browser and system of the client.
  var agent: String { UserAgent.name(of: exchange.head?.text("user-agent") ?? "") }

  /// A response that begins a session: its secret is in a cookie that scripts cannot read. The
  /// former session of this browser ends.
  func signedIn(_ begun: SignInService.Begun, _ response: Response? = nil) throws -> Response {
    if let session { try end(session) }
    var response =
      response
      ?? json { json in
        json.object { $0.field("uid", begun.session.uid) }
      }
    response.fields.append(
      ("Set-Cookie", cookie(SessionCookie.name, begun.secret, seconds: SessionCookie.seconds)))
    response.fields.removeAll { $0.name == "Cache-Control" }
    response.fields.append(("Cache-Control", "no-store"))
    return response
  }

  /// Ends a session here and its streams at once.
  func end(_ session: SessionService.Session) throws {
    try SessionService.end(key: session.key, in: environment)
    server.forget(sessions: [session.key])
  }

  /// The value of a cookie for the pages.
  func cookie(
    _ name: String, _ value: String, seconds: Int, site: String = "Strict", below path: String = ""
  ) -> String {
    let origin = server.origin(asNamedBy: exchange)
    // The path prefix of the pages, if a proxy adds one.
    let parts = origin.split(separator: "/", maxSplits: 2)
    let base = parts.count > 2 ? "/\(parts[2])/" : "/"
    let isSecure = origin.hasPrefix("https:") ? "; Secure" : ""
    return "\(name)=\(value); Path=\(base)\(path); Max-Age=\(seconds); HttpOnly; SameSite=\(site)"
      + isSecure
  }

  // MARK: - Notes

  /// The field that puts a note into the browser.
  func noteField(_ fields: Fields, for purpose: NoteSeal.Purpose) -> (name: String, value: String) {
    let note = door.seal.seal(fields, for: purpose, at: environment.now())
    // The provider's site leads back to here, and then browsers send no strict cookie.
    let site = purpose == .openid ? "Lax" : "Strict"
    return (
      "Set-Cookie",
      cookie(Self.noteName(purpose), note, seconds: Int(NoteSeal.seconds), site: site)
    )
  }

  /// The field that takes a note out of the browser.
  func noteRemoval(of purpose: NoteSeal.Purpose) -> (name: String, value: String) {
    let site = purpose == .openid ? "Lax" : "Strict"
    return ("Set-Cookie", cookie(Self.noteName(purpose), "", seconds: 0, site: site))
  }

  /// The note that the browser has.
  func note(for purpose: NoteSeal.Purpose) throws(Refusal) -> (fields: Fields, expires: Moment) {
    guard
      let text = exchange.head.flatMap({ SessionCookie.value(Self.noteName(purpose), in: $0) }),
      let note = door.seal.open(text, for: purpose, at: environment.now())
    else { throw Door.refusal }
    return note
  }

  private static func noteName(_ purpose: NoteSeal.Purpose) -> String {
    "pentimento-\(purpose.rawValue)"
  }
}

extension Server {
  /// Forgets ended sessions, and ends their streams.
  func forget(sessions keys: [String]) {
    sessions.forget(keys)
    endStreams(of: Set(keys))
  }

  /// Forgets the sessions of an erased user.
  func forgetSessions(of uid: String) { endStreams(of: Set(sessions.forgetAll(of: uid))) }

  private func endStreams(of sessions: Set<String>) {
    streams.end(sessions: sessions)
    rooms.end(sessions: sessions)
  }
}
