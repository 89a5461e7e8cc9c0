import DrawingServices
import HTTP
import HTTPServing
import JSON
import Passkeys
import Storage
import Tokens
import WebPages

// Signing in: with a passkey, with a provider of OpenID Connect, or with an invitation.
//
// A refused sign-in has one answer, whatever the reason is, so that nobody learns which users and
// passkeys there are.

private let bodyLimit = 64 << 10

let signInRoutes: [Route] = [
  Route(
    .get, "/v1/sign-in", "How visitors can sign in.", access: .everyone,
    answers: [(200, .json("Doors"))]
  ) { call in
    let settings = call.server.settings
    return call.json { json in
      json.object { json in
        json.field("openid", call.door.provider?.name)
        json.field("signUp", settings.takesEveryone ? "everyone" : "invited")
      }
    }
  },
  Route(
    .post, "/v1/sign-in/passkey/options", "A challenge for signing in with a passkey.",
    access: .everyone, answers: [(200, .json("PasskeyRequest"))]
  ) { call in
    try call.enter()
    let challenge = try randomText()
    return call.json(
      200, [call.noteField(["challenge": .text(challenge)], for: .signIn)]
    ) { json in
      json.object { json in
        json.field("challenge", challenge)
        json.field("rpId", PasskeyVerifier(origin: call.webOrigin).party)
        json.field("timeout", Int(NoteSeal.seconds) * 1000)
        json.field("userVerification", "preferred")
      }
    }
  },
  Route(
    .post, "/v1/sign-in/passkey",
    "Sign in with a passkey's answer: {\"id\": …, \"clientDataJSON\": …, \"authenticatorData\": …,"
      + " \"signature\": …, \"userHandle\": …}, each in base64url.",
    access: .everyone, body: .json(limit: bodyLimit), answers: [(200, .json("SignedIn"))]
  ) { call in
    try call.enter()
    let parts = try call.parts(
      ["id", "clientDataJSON", "authenticatorData", "signature", "userHandle"])
    let (note, expires) = try call.note(for: .signIn)
    guard let challenge = note["challenge"]?.textValue.flatMap({ Base64.decodeURL($0.utf8) }),
      let id = parts["id"], 1...PasskeyVerifier.maximumIDByteCount ~= id.count
    else { throw Door.refusal }
    try call.door.checkAttempt(ContentHash.of(id))
    let passkey = try PasskeyService.passkey(credential: id, in: call.environment)
    guard let key = try passkey.map({ try PasskeyKey($0.key) }) ?? Door.noKey else {
      throw Door.refusal
    }
    let counter: UInt32
    do throws(PasskeyError) {
      counter = try PasskeyVerifier(origin: call.webOrigin).signIn(
        clientData: parts["clientDataJSON"] ?? [],
        authenticatorData: parts["authenticatorData"] ?? [],
        signature: parts["signature"] ?? [], challenge: challenge, key: key,
        counter: passkey?.counter ?? 0)
    } catch {
      if error == .counterBack, let passkey {
        call.server.log.write(
          problem:
            "the counter of passkey \(passkey.id) of \(passkey.uid) went back: was it copied?",
          call.exchange.number)
      }
      throw Door.refusal
    }
    guard let passkey, parts["userHandle"].map({ $0 == handle(of: passkey.uid) }) ?? true,
      let begun = try SignInService(call.environment).signIn(
        with: passkey, counter: counter, .init(challenge, expires: expires), agent: call.agent)
    else { throw Door.refusal }
    return try call.signedIn(begun, without: .signIn)
  },
  Route(
    .post, "/v1/sign-in/invitation", "Look at an invitation: {\"code\": …}.", access: .everyone,
    body: .json(limit: bodyLimit), answers: [(200, .json("Admission"))]
  ) { call in
    try call.enter()
    let invitation = try call.invitation(call.code())
    return call.json { json in
      json.object { json in
        json.field("name", invitation.name)
        json.field("expires", invitation.expires.iso8601)
      }
    }
  },
  Route(
    .post, "/v1/sign-in/invitation/accept",
    "Sign in with an invitation alone: {\"code\": …}. It works once.", access: .everyone,
    body: .json(limit: bodyLimit), answers: [(200, .json("SignedIn"))]
  ) { call in
    try call.enter()
    let code = try call.code()
    guard
      let begun = try SignInService(call.environment).accept(invitation: code, agent: call.agent)
    else { throw Door.refusal }
    return try call.signedIn(begun)
  },
  Route(
    .post, "/v1/sign-in/openid",
    "The address of the provider's page: {\"page\": a page to return to, \"code\": of an invitation}.",
    access: .everyone, body: .json(limit: bodyLimit), answers: [(200, .json("Address"))]
  ) { call in
    try call.enter()
    guard let provider = call.door.provider else {
      throw Refusal(404, "not-found", "There is no provider for signing in.")
    }
    let fields = try call.fields(named: ["page", "code"])
    let page = fields["page"]?.textValue ?? ""
    guard isOwnPage(page) else { throw Refusal.badField("page", "It must be one of the pages.") }
    let request = OpenIDProvider.Request(
      state: try randomText(), nonce: try randomText(), verifier: try randomText(),
      redirect: call.callback)
    let address = try provider.address(of: request)
    let note: Fields = [
      "state": .text(request.state), "nonce": .text(request.nonce),
      "verifier": .text(request.verifier), "page": .text(page), "code": fields["code"],
    ]
    return call.json(200, [call.noteField(note, for: .openid)]) { json in
      json.object { $0.field("url", address) }
    }
  },
  // Not below /v1, where unknown parameters are refused: providers add some of their own.
  Route(
    .get, "/sign-in/back", "Where the provider's page leads back to.", access: .everyone,
    query: [
      QueryParameter("code", .text, "The provider's code."),
      QueryParameter("state", .text, "The state of the request."),
      QueryParameter("iss", .text, "The provider."),
      QueryParameter("error", .text, "Why there is no code."),
    ], answers: [(303, .nothing)]
  ) { call in
    // An address that is only opened has no note, and ends at the gallery.
    do {
      return try call.comeBack()
    } catch let refusal as Refusal {
      if refusal.status >= 500 { throw refusal }
      let reason = refusal.status == 429 ? "busy" : "refused"
      return call.redirect("?sign-in=\(reason)", [call.noteRemoval(of: .openid)])
    }
  },
]

/// 256 random bits in base64url.
func randomText() throws(Refusal) -> String {
  guard let bytes = randomBytes(32) else {
    throw Refusal(500, "internal", "The server could not do this.")
  }
  return Base64.encodeURL(bytes)
}

/// The name of a user for authenticators: it says nothing about the user.
func handle(of uid: String) -> [UInt8] { Array(ContentHash.of(Array("user \(uid)".utf8)).utf8) }

/// Whether a text is the address of a page, relative to the server's: a redirect must lead nowhere
/// else.
func isOwnPage(_ text: String) -> Bool {
  let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
  let name = "/" + (parts.first ?? "")
  guard text.utf8.count <= 500,
    WebPages.addresses.contains(where: { $0.0 == name && $0.1.hasSuffix(".html") })
  else { return false }
  return parts.dropFirst().allSatisfy { query in
    query.utf8.allSatisfy { byte in
      switch byte {
      case 37, 38, 45, 46, 48...57, 61, 65...90, 95, 97...122, 126: true
      default: false
      }
    }
  }
}

extension Call {
  /// Texts of a JSON body in base64url, as bytes.
  func parts(_ names: [String]) throws -> [String: [UInt8]] {
    let fields = try fields(named: names)
    var parts: [String: [UInt8]] = [:]
    for (name, value) in fields.all where value != .null {
      guard let bytes = value.textValue.flatMap({ Base64.decodeURL($0.utf8) }) else {
        throw Refusal.badField(name, "It must be base64url.")
      }
      parts[name] = bytes
    }
    return parts
  }

  /// The code of an invitation in the body.
  fileprivate func code() throws -> String {
    guard let code = try fields(named: ["code"])["code"]?.textValue else {
      throw Refusal(422, "missing-field", "The field is needed.", field: "code")
    }
    return code
  }

  /// The open invitation with a code.
  func invitation(_ code: String) throws -> InvitationService.Invitation {
    try door.checkAttempt(AccessSecret.name(of: code))
    guard let found = try InvitationService.invitation(code, in: environment) else {
      throw Door.refusal
    }
    return found
  }

  /// A response that begins a session, and removes the note of the sign-in.
  func signedIn(
    _ begun: SignInService.Begun, _ response: Response? = nil, without purpose: NoteSeal.Purpose
  ) throws -> Response {
    var response = try signedIn(begun, response)
    response.fields.append(noteRemoval(of: purpose))
    return response
  }

  fileprivate var callback: String { "\(server.settings.publicURL)/sign-in/back" }

  fileprivate func redirect(
    _ page: String, _ fields: [(name: String, value: String)]
  ) -> Response {
    Response(
      303,
      [("Location", "\(server.settings.publicURL)/\(page)"), ("Cache-Control", "no-store")]
        + fields)
  }

  /// Signs in the user whom the provider has sent back.
  fileprivate func comeBack() throws -> Response {
    try door.checkVisit(client)
    guard let provider = door.provider else { throw Door.refusal }
    let (note, expires) = try note(for: .openid)
    // The state shows that this browser has begun the sign-in.
    guard let state = note["state"]?.textValue, try text("state") == state,
      let nonce = note["nonce"]?.textValue, let verifier = note["verifier"]?.textValue,
      let page = note["page"]?.textValue, isOwnPage(page), try text("error") == nil,
      let code = try text("code")
    else { throw Door.refusal }
    let now = Double(environment.now().microseconds) / 1e6
    let subject = try provider.subject(
      code: code, issuer: text("iss"),
      .init(state: state, nonce: nonce, verifier: verifier, redirect: callback), at: now)
    let identity = IdentityService.Identity(issuer: provider.issuer, subject: subject)
    let invitation = note["code"]?.textValue
    let settings = server.settings
    if try !IdentityService.isKnown(identity, in: environment) { try door.checkNewcomer(client) }
    let begun = try SignInService(environment).signIn(
      as: identity, uid: identity.user(tokenIssuer: settings.tokenIssuer),
      mayBeNew: settings.openIDTakesEveryone, invitation: invitation, name: "",
      .init(Array(nonce.utf8), expires: expires), agent: agent)
    guard let begun else { throw Door.refusal }
    return try signedIn(begun, redirect(page, []), without: .openid)
  }
}
