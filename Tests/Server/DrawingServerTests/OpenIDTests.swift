import Checksums
import DrawingServices
import Foundation
import HTTP
import HTTPServing
import JSON
import Storage
import TestSupport
import Testing
import Threads

@testable import DrawingServer

/// A provider of OpenID Connect on this machine. Its answers can be changed by tests.
private final class FakeProvider: RequestHandler, Sendable {
  struct State {
    /// Changes of the description, and of the claims and the header of tokens.
    var description: [String: String] = [:]
    var claims: [String: String?] = [:]
    var header = #"{"alg":"ES256","kid":"k"}"#
    var subject = "ann@example.org"
    var sign: (@Sendable (String) throws -> [UInt8])?
    var keyName = "k"
    /// The form of the last exchange, and its field for authorization.
    var form: [String: String] = [:]
    var authorization: String?
    /// What the provider remembers of the last address.
    var nonce = ""
    var challenge = ""
    var keyRequests = 0
  }
  let state = ConditionMutex(State())
  let key: TestKey
  private let socket: ListeningSocket
  private let listener = ConditionMutex<HTTPListener?>(nil)

  struct NotStarted: Error {}

  init() throws {
    key = try TestKey()
    socket = try ListeningSocket("127.0.0.1:0")
    let listener = HTTPListener(HTTPListener.Limits(), self)
    self.listener.withLock { $0 = listener }
    guard listener.start(socket.handle) else { throw NotStarted() }
  }

  /// Ends the provider; its listener holds it.
  func stop() { listener.withLock { listener in (listener?.stop(), listener = nil).1 } }

  var issuer: String { "http://\(socket.address)" }

  func plan(for exchange: Exchange) -> Plan {
    .work(bodyLimit: 1 << 16, owner: "") { [self] exchange in
      let target = String(decoding: exchange.rawTarget, as: UTF8.self)
      let body =
        switch target {
        case "/.well-known/openid-configuration": description
        case "/keys": keys
        case "/token": try? token(exchange)
        default: String?.none
        }
      return Response(
        body == nil ? 400 : 200, [("Content-Type", "application/json")],
        .bytes(Array((body ?? "{}").utf8)))
    }
  }

  private var description: String {
    var fields = [
      "issuer": #""\#(issuer)""#, "authorization_endpoint": #""\#(issuer)/authorize""#,
      "token_endpoint": #""\#(issuer)/token""#, "jwks_uri": #""\#(issuer)/keys""#,
      "id_token_signing_alg_values_supported": #"["ES256","RS256","HS256","none"]"#,
    ]
    fields.merge(state.withLock { $0.description }) { $1 }
    return "{" + fields.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",") + "}"
  }

  private var keys: String {
    let name = state.withLock { state in
      state.keyRequests += 1
      return state.keyName
    }
    return #"""
      {"keys": [{"kty": "EC", "crv": "P-256", "kid": "\#(name)",
        "x": "\#(Base64.encodeURL(key.x))", "y": "\#(Base64.encodeURL(key.y))"}]}
      """#
  }

  private func token(_ exchange: Exchange) throws -> String? {
    var form: [String: String] = [:]
    for pair in String(decoding: exchange.body, as: UTF8.self).split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1).map {
        String($0).removingPercentEncoding ?? ""
      }
      form[parts[0]] = parts.count > 1 ? parts[1] : ""
    }
    let state = state.withLock { state in
      (state.form, state.authorization) = (form, exchange.head?.text("authorization"))
      return state
    }
    let hash = SHA256.of(Array((form["code_verifier"] ?? "").utf8)).bytes
    guard form["code"] == "good", Base64.encodeURL(hash) == state.challenge else { return nil }
    let now = Int(Date().timeIntervalSince1970)
    var claims: [String: String?] = [
      "iss": #""\#(issuer)""#, "sub": #""\#(state.subject)""#, "aud": #""ink""#,
      "nonce": #""\#(state.nonce)""#, "iat": "\(now)", "exp": "\(now + 300)",
    ]
    claims.merge(state.claims) { $1 }
    let payload =
      "{"
      + claims.compactMap { name, value in value.map { #""\#(name)":\#($0)"# } }
      .joined(separator: ",") + "}"
    let signed =
      "\(Base64.encodeURL(Array(state.header.utf8))).\(Base64.encodeURL(Array(payload.utf8)))"
    let signature =
      try state.sign?(signed) ?? key.signature(ofToken: Array(signed.utf8))
    return #"{"id_token": "\#(signed).\#(Base64.encodeURL(signature))"}"#
  }

  func response(to refusal: Refusal, in exchange: Exchange) -> Response {
    Response(refusal.status, [], .bytes([]))
  }
  func dropLimit(for exchange: Exchange) -> Int { 0 }
  func finished(_ exchange: Exchange) {}
}

/// Signing in with a provider of OpenID Connect.
@Suite(.enabled(if: TestKey.canBeMade, "the openssl program is not installed"))
final class OpenIDTests {
  private let provider: FakeProvider
  private let server: TestServer

  init() throws {
    let provider = try FakeProvider()
    self.provider = provider
    server = try TestServer { Self.use(provider, &$0) }
  }

  deinit { provider.stop() }

  private static func use(_ provider: FakeProvider, _ settings: inout ServerSettings) {
    settings.openIDIssuer = provider.issuer
    settings.openIDClientID = "ink"
    settings.openIDName = "Example"
    settings.openIDTakesEveryone = true
  }

  /// Begins a sign-in, and returns the items of the provider's address.
  private func begin(
    _ visitor: Visitor, _ body: String = #"{"page": "draw?id=d1"}"#
  ) throws -> [String: String] {
    let reply = try visitor.send("POST", "/v1/sign-in/openid", json: body)
    #expect(reply.status == 200, "\(reply.text)")
    let address = try #require(URLComponents(string: reply.json["url"] as? String ?? ""))
    let items = Dictionary(
      uniqueKeysWithValues: (address.queryItems ?? []).map { ($0.name, $0.value ?? "") })
    provider.state.withLock { state in
      (state.nonce, state.challenge) = (items["nonce"] ?? "", items["code_challenge"] ?? "")
    }
    return items
  }

  /// Comes back from the provider.
  private func comeBack(
    _ visitor: Visitor, _ state: String, _ more: String = "&code=good"
  ) throws -> Reply {
    // The address is opened from another site.
    try visitor.send(
      "GET", "/sign-in/back?state=\(state)\(more)", [("Sec-Fetch-Site", "cross-site")])
  }

  private func expectRefused(_ reply: Reply, _ visitor: Visitor, line: Int = #line) throws {
    let place = SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1)
    #expect(
      reply.status == 303
        && reply.fields["location"] == "http://ink.example/?sign-in=refused", "\(reply.text)",
      sourceLocation: place)
    #expect(visitor.cookies["pentimento"] == nil, sourceLocation: place)
  }

  @Test func `a user of the provider signs in, and is the same user next time`() throws {
    let visitor = Visitor(server)
    #expect(try visitor.send("GET", "/v1/sign-in").json["openid"] as? String == "Example")
    let items = try begin(visitor)
    #expect(items["response_type"] == "code" && items["client_id"] == "ink")
    #expect(items["redirect_uri"] == "http://ink.example/sign-in/back")
    #expect(items["code_challenge_method"] == "S256" && items["scope"] == "openid profile")
    let note = try #require(visitor.setCookies.first)
    #expect(note.hasPrefix("pentimento-openid=") && note.contains("; HttpOnly; SameSite=Lax"))
    // Providers add items of their own.
    let back = try comeBack(visitor, items["state"] ?? "", "&code=good&session_state=1")
    #expect(back.status == 303 && back.fields["location"] == "http://ink.example/draw?id=d1")
    #expect(
      visitor.setCookies.contains { $0.hasPrefix("pentimento=pkds_") && $0.contains("Strict") })
    #expect(visitor.cookies["pentimento-openid"] == nil)
    let uid = try #require(try visitor.uid)
    #expect(uid.hasPrefix("sub-"))
    let form = provider.state.withLock { $0.form }
    #expect(form["grant_type"] == "authorization_code" && form["client_id"] == "ink")
    #expect(form["redirect_uri"] == "http://ink.example/sign-in/back")
    let again = Visitor(server)
    #expect(try comeBack(again, begin(again)["state"] ?? "").status == 303)
    #expect(try again.uid == uid)
    #expect(try again.send("GET", "/v1/sessions").items.count == 2)
  }

  @Test func `the secret of this server is sent as the provider wants it`() throws {
    let folder = try TemporaryFolder()
    try Data("s:cret\n".utf8).write(to: folder.file("secret"))
    for (methods, isBasic) in [(nil, true), (#"["client_secret_post"]"#, false)] {
      let provider = try FakeProvider()
      defer { provider.stop() }
      if let methods {
        provider.state.withLock {
          $0.description["token_endpoint_auth_methods_supported"] = methods
        }
      }
      let server = try TestServer {
        Self.use(provider, &$0)
        $0.openIDClientSecretFile = folder.file("secret").path
      }
      let visitor = Visitor(server)
      let reply = try visitor.send("POST", "/v1/sign-in/openid", json: "{}")
      let state = try #require(
        URLComponents(string: reply.json["url"] as? String ?? "")?.queryItems?
          .first { $0.name == "state" }?.value)
      _ = try comeBack(visitor, state)
      let (form, field) = provider.state.withLock { ($0.form, $0.authorization) }
      let basic = "Basic " + Data("ink:s%3Acret".utf8).base64EncodedString()
      #expect(field == (isBasic ? basic : nil))
      #expect(form["client_secret"] == (isBasic ? nil : "s:cret"))
    }
  }

  @Test func `a wrong, old or missing state is refused, and so is one of another browser`() throws {
    let visitor = Visitor(server)
    let state = try begin(visitor)["state"] ?? ""
    let thief = Visitor(server)
    try expectRefused(comeBack(thief, state), thief)
    let other = Visitor(server)
    let otherState = try begin(other)["state"] ?? ""
    try expectRefused(comeBack(other, state), other)
    for wrong in ["", "x", String(state.dropLast()), state + "A", otherState] {
      let note = visitor.cookies
      try expectRefused(comeBack(visitor, wrong), visitor)
      visitor.cookies = note
    }
    try expectRefused(comeBack(visitor, state, "&error=access_denied"), visitor)
    // The note was removed with the refusal.
    try expectRefused(comeBack(visitor, state), visitor)
  }

  @Test func `an answer is used once, also if the provider takes its code twice`() throws {
    let visitor = Visitor(server)
    let state = try begin(visitor)["state"] ?? ""
    let note = visitor.cookies
    #expect(try comeBack(visitor, state).fields["location"]?.hasSuffix("draw?id=d1") == true)
    let thief = Visitor(server)
    thief.cookies = note
    try expectRefused(comeBack(thief, state), thief)
  }

  @Test func `an answer of another provider is refused`() throws {
    let visitor = Visitor(server)
    var state = try begin(visitor)["state"] ?? ""
    let evil = "&code=good&iss=https%3A%2F%2Fevil.example"
    try expectRefused(comeBack(visitor, state, evil), visitor)
    #expect(provider.state.withLock { $0.form.isEmpty }, "the code must not be sent anywhere")
    state = try begin(visitor)["state"] ?? ""
    let named = "&code=good&iss=\(provider.issuer.percentEncoded)"
    #expect(try comeBack(visitor, state, named).fields["location"]?.hasSuffix("draw?id=d1") == true)
    // A provider that says that it names itself must do so.
    let strict = try FakeProvider()
    defer { strict.stop() }
    strict.state.withLock {
      $0.description["authorization_response_iss_parameter_supported"] = "true"
    }
    let other = Visitor(try TestServer { Self.use(strict, &$0) })
    let reply = try other.send("POST", "/v1/sign-in/openid", json: "{}")
    let items = URLComponents(string: reply.json["url"] as? String ?? "")?.queryItems
    try expectRefused(
      comeBack(other, items?.first { $0.name == "state" }?.value ?? ""), other)
  }

  @Test func `tokens with a wrong claim or signature are refused`() throws {
    let now = Int(Date().timeIntervalSince1970)
    func expect(
      line: Int = #line, _ change: (inout FakeProvider.State) -> Void
    ) throws {
      let visitor = Visitor(server)
      let items = try begin(visitor)
      provider.state.withLock { state in change(&state) }
      try expectRefused(comeBack(visitor, items["state"] ?? ""), visitor, line: line)
      provider.state.withLock { state in
        (state.claims, state.sign) = ([:], nil)
        (state.header, state.keyName) = (#"{"alg":"ES256","kid":"k"}"#, "k")
      }
    }
    try expect { $0.claims["iss"] = #""https://evil.example""# }
    try expect { $0.claims["iss"] = .some(nil) }
    try expect { $0.claims["aud"] = #""other""# }
    try expect { $0.claims["aud"] = #"["other","ink"]"# }
    try expect {
      $0.claims["aud"] = #"["ink","other"]"#; $0.claims["azp"] = #""other""#
    }
    try expect { $0.claims["azp"] = #""other""# }
    try expect { $0.claims["aud"] = "[]" }
    try expect { $0.claims["exp"] = "\(now - 600)" }
    try expect { $0.claims["exp"] = .some(nil) }
    try expect { $0.claims["iat"] = "\(now + 600)" }
    try expect { $0.claims["iat"] = .some(nil) }
    try expect { $0.claims["nonce"] = #""another""# }
    try expect { $0.claims["nonce"] = #""""# }
    try expect { $0.claims["nonce"] = .some(nil) }
    try expect { $0.claims["sub"] = #""""# }
    try expect { $0.claims["sub"] = .some(nil) }
    // No signature, another key, and the public key as a secret.
    try expect {
      $0.header = #"{"alg":"none"}"#; $0.sign = { _ in [] }
    }
    try expect { $0.sign = { _ in [UInt8](repeating: 0, count: 64) } }
    let other = try TestKey()
    try expect { $0.sign = { try other.signature(ofToken: Array($0.utf8)) } }
    let secret = provider.key.x + provider.key.y
    try expect {
      $0.header = #"{"alg":"HS256","kid":"k"}"#
      $0.sign = { SHA256.authenticate(Array($0.utf8), with: secret).bytes }
    }
    try expect { $0.header = #"{"alg":"RS256","kid":"k"}"# }
    try expect { $0.header = #"{"alg":"ES256","kid":"unknown"}"# }
    // Nothing of that is remembered.
    let visitor = Visitor(server)
    #expect(try comeBack(visitor, begin(visitor)["state"] ?? "").status == 303)
    #expect(try visitor.uid != nil)
  }

  @Test func `new keys of the provider are fetched when a token needs them`() throws {
    let first = Visitor(server)
    _ = try comeBack(first, begin(first)["state"] ?? "")
    #expect(try first.uid != nil)
    provider.state.withLock {
      $0.keyName = "next"; $0.header = #"{"alg":"ES256","kid":"next"}"#
    }
    let second = Visitor(server)
    _ = try comeBack(second, begin(second)["state"] ?? "")
    #expect(try second.uid != nil)
    #expect(provider.state.withLock { $0.keyRequests } == 2)
  }

  @Test func `a redirect leads to pages of this server only`() throws {
    for page in [
      "", "draw", "drawing?id=d1", "account", "diary?lang=zh-TW", "draw?new=d-1&lang=en",
    ] {
      #expect(isOwnPage(page), "\(page)")
    }
    for page in [
      "//evil.example", "https://evil.example", "/draw", "\\evil.example", "draw/../x", "sw.js",
      "draw?a=b\r\nSet-Cookie: x=y", "draw#x", "draw?a=//evil", "javascript:alert(1)", "x",
      "draw?" + String(repeating: "a", count: 600), "draw?\u{20AC}", "@evil.example",
    ] {
      #expect(!isOwnPage(page), "\(page)")
      let reply = try Visitor(server).send(
        "POST", "/v1/sign-in/openid",
        json: String(
          decoding: try JSONSerialization.data(withJSONObject: ["page": page]), as: UTF8.self))
      #expect(reply.status == 422, "\(page): \(reply.text)")
    }
  }

  @Test func `unknown users of the provider need an invitation where it is asked for`() throws {
    let server = try TestServer {
      Self.use(provider, &$0)
      $0.openIDTakesEveryone = false
    }
    let stranger = Visitor(server)
    try expectRefused(comeBack(stranger, begin(stranger)["state"] ?? ""), stranger)
    let code = try InvitationService.invite("ann", name: "Ann", days: 1, in: server.environment)
    let invited = Visitor(server)
    let body = #"{"page": "", "code": "\#(code)"}"#
    #expect(
      try comeBack(invited, begin(invited, body)["state"] ?? "").fields["location"]
        == "http://ink.example/")
    #expect(try invited.uid == "ann")
    // From now on the identity is ann's, without an invitation.
    let again = Visitor(server)
    _ = try comeBack(again, begin(again)["state"] ?? "")
    #expect(try again.uid == "ann")
    provider.state.withLock { $0.subject = "eve" }
    let late = Visitor(server)
    try expectRefused(comeBack(late, begin(late, body)["state"] ?? ""), late)
  }

  @Test func `subjects of two issuers are two users`() {
    typealias Identity = IdentityService.Identity
    let one = Identity(issuer: "https://a.example", subject: "ann")
    let other = Identity(issuer: "https://b.example", subject: "ann")
    #expect(one.user(tokenIssuer: "https://a.example") == "ann")
    #expect(one.user(tokenIssuer: "").hasPrefix("sub-"))
    #expect(one.user(tokenIssuer: "") != other.user(tokenIssuer: ""))
  }

  @Test func `a description that is incomplete or another issuer's is not used`() throws {
    for (name, value) in [
      ("issuer", #""https://evil.example""#), ("token_endpoint", #""http://evil.example/token""#),
      ("jwks_uri", "null"), ("authorization_endpoint", #""javascript:alert(1)""#),
      ("id_token_signing_alg_values_supported", #"["HS256","none"]"#),
    ] {
      let provider = try FakeProvider()
      defer { provider.stop() }
      provider.state.withLock { $0.description[name] = value }
      let server = try TestServer { Self.use(provider, &$0) }
      let reply = try Visitor(server).send("POST", "/v1/sign-in/openid", json: "{}")
      #expect(reply.status == 503 && reply.code == "provider-away", "\(name): \(reply.text)")
    }
    let none = try TestServer()
    #expect(try Visitor(none).send("POST", "/v1/sign-in/openid", json: "{}").status == 404)
  }
}
