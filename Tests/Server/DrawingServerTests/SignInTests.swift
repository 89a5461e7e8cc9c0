import DrawingServices
import Foundation
import HTTP
import JSON
import Storage
import TestSupport
import Testing

@testable import DrawingServer

/// The doors: passkeys, invitations and sessions.
@Suite(.enabled(if: TestKey.canBeMade, "the openssl program is not installed"))
struct SignInTests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  private func invite(_ uid: String = "ann", days: Int = 7) throws -> String {
    try InvitationService.invite(uid, name: "Ann", days: days, in: server.environment)
  }

  /// A browser whose user has come with an invitation, and the passkey that was made.
  private func welcomed(_ uid: String = "ann") throws -> (Visitor, Authenticator) {
    let (visitor, authenticator) = (Visitor(server), try Authenticator())
    let reply = try visitor.register(authenticator, #"{"code": "\#(try invite(uid))"}"#)
    #expect(reply.status == 201, "\(reply.text)")
    return (visitor, authenticator)
  }

  private func expectRefused(
    _ reply: Reply, _ status: Int = 403, _ code: String = "not-accepted", line: Int = #line
  ) {
    let place = SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1)
    #expect(reply.status == status && reply.code == code, "\(reply.text)", sourceLocation: place)
    #expect(reply.fields["set-cookie"] == nil, sourceLocation: place)
  }

  @Test func `an invited person makes a passkey, signs out, and signs in with it`() throws {
    let code = try invite()
    let visitor = Visitor(server)
    let look = try visitor.send("POST", "/v1/sign-in/invitation", json: #"{"code": "\#(code)"}"#)
    #expect(look.status == 200 && look.json["name"] as? String == "Ann")
    #expect(try visitor.uid == nil)
    var authenticator = try Authenticator()
    let made = try visitor.register(authenticator, #"{"code": "\#(code)"}"#)
    #expect(made.status == 201 && made.json["name"] as? String == "Firefox, Linux")
    let cookie = try #require(visitor.setCookies.first { $0.hasPrefix("pentimento=") })
    #expect(cookie.hasPrefix("pentimento=pkds_"))
    #expect(cookie.hasSuffix("; Path=/; Max-Age=\(400 * 86_400); HttpOnly; SameSite=Strict"))
    #expect(try visitor.uid == "ann")
    #expect(try visitor.send("GET", "/v1/users/ann").json["userName"] as? String == "Ann")
    #expect(try visitor.send("GET", "/v1/users/bob/drawings").status == 403)
    let former = visitor.cookies
    #expect(try visitor.send("DELETE", "/v1/session").status == 204)
    #expect(try visitor.uid == nil)
    // The session has ended in the store, not only in the browser.
    visitor.cookies = former
    #expect(try visitor.uid == nil)
    visitor.cookies = [:]
    authenticator.counter = 1
    #expect(try visitor.signIn(authenticator).status == 200)
    #expect(try visitor.uid == "ann")
    let sessions = try visitor.send("GET", "/v1/sessions").items
    #expect(sessions.count == 1)
    #expect(sessions[0]["isThis"] as? Bool == true)
    #expect(sessions[0]["method"] as? String == "passkey")
    #expect(sessions[0]["agent"] as? String == "Firefox, Linux")
  }

  @Test func `documents of the door have no secret, and no user reads them`() throws {
    let (visitor, _) = try welcomed()
    let secret = try #require(visitor.cookies["pentimento"])
    let stored = try server.environment.documents.read { reader in
      try ["sessions", "passkeys", "invitations", "used_challenges"].flatMap { name in
        try reader.page(Query(CollectionPath(name))).documents
      }
    }
    #expect(
      stored.map(\.path.description).map { $0.prefix { $0 != "/" } }
        == ["sessions", "passkeys", "used_challenges"])
    for document in stored {
      let text = "\(document.id) \(String(decoding: document.fields.json, as: UTF8.self))"
      #expect(!text.contains(secret) && !text.contains(secret.dropFirst(5)))
      #expect(throws: AccessRefusal.self) {
        try DocumentService(server.environment, as: .user("ann")).document(document.path)
      }
    }
    let export = try visitor.send("GET", "/v1/users/ann/export").text
    #expect(!export.contains("Firefox") && export.contains("userName"))
  }

  @Test func `an invitation works once, in time, and for whom it is`() throws {
    let code = try invite()
    let body = #"{"code": "\#(code)"}"#
    let (first, second) = (Visitor(server), Visitor(server))
    // Both have begun before one ends.
    let (one, other) = (try Authenticator(), try Authenticator())
    let challenge = try second.challenge("/v1/passkeys/options", body)
    #expect(try first.register(one, body).status == 201)
    expectRefused(try second.send("POST", "/v1/passkeys", json: other.registration(challenge)))
    expectRefused(try second.send("POST", "/v1/passkeys/options", json: body))
    expectRefused(try second.send("POST", "/v1/sign-in/invitation", json: body))
    expectRefused(try second.send("POST", "/v1/sign-in/invitation/accept", json: body))
    for wrong in ["", "pkdi_", String(code.dropLast()), String(repeating: "x", count: 5000)] {
      expectRefused(
        try second.send("POST", "/v1/sign-in/invitation", json: #"{"code": "\#(wrong)"}"#))
    }
    let late = try invite(days: -1)
    expectRefused(
      try second.send("POST", "/v1/sign-in/invitation/accept", json: #"{"code": "\#(late)"}"#))
    #expect(try second.uid == nil)
    let again = #"{"code": "\#(try invite("bob"))"}"#
    #expect(try second.send("POST", "/v1/sign-in/invitation/accept", json: again).status == 200)
    #expect(try second.uid == "bob")
    expectRefused(try second.send("POST", "/v1/sign-in/invitation/accept", json: again))
  }

  @Test func `a challenge is answered once, on any server, by the browser that got it`() throws {
    var (visitor, authenticator) = try welcomed()
    let other = try TestServer(folder: server.folder)
    visitor = Visitor(server)
    let challenge = try visitor.challenge("/v1/sign-in/passkey/options")
    let note = try #require(visitor.cookies["pentimento-sign-in"])
    #expect(
      visitor.setCookies == [
        "pentimento-sign-in=\(note); Path=/; Max-Age=300; HttpOnly; SameSite=Strict"
      ])
    authenticator.counter = 1
    let body = try authenticator.signIn(challenge)
    // Another browser, or one without the note.
    expectRefused(try Visitor(server).send("POST", "/v1/sign-in/passkey", json: body))
    let stranger = Visitor(server)
    _ = try stranger.challenge("/v1/sign-in/passkey/options")
    expectRefused(try stranger.send("POST", "/v1/sign-in/passkey", json: body))
    #expect(try visitor.send("POST", "/v1/sign-in/passkey", json: body, to: other).status == 200)
    #expect(visitor.cookies["pentimento-sign-in"] == nil)
    for place in [server, other] {
      let thief = Visitor(place)
      thief.cookies["pentimento-sign-in"] = note
      expectRefused(try thief.send("POST", "/v1/sign-in/passkey", json: body))
      authenticator.counter += 1
      expectRefused(
        try thief.send("POST", "/v1/sign-in/passkey", json: authenticator.signIn(challenge)))
    }
  }

  @Test func `a changed note, and one for another purpose, are refused`() throws {
    var (visitor, authenticator) = try welcomed()
    authenticator.counter = 1
    visitor = Visitor(server)
    let challenge = try visitor.challenge("/v1/sign-in/passkey/options")
    let note = try #require(visitor.cookies["pentimento-sign-in"])
    let parts = note.split(separator: ".").map(String.init)
    let body = try authenticator.signIn(challenge)
    let forged = Base64.encodeURL(Array(#"{"challenge":"AA","until":99999999999}"#.utf8))
    for changed in [
      "", ".", parts[0], "\(parts[0]).", ".\(parts[1])", "\(forged).\(parts[1])",
      "\(parts[0]).\(String(parts[1].reversed()))", note + ".", "\(note)A",
    ] {
      visitor.cookies["pentimento-sign-in"] = changed
      expectRefused(try visitor.send("POST", "/v1/sign-in/passkey", json: body))
    }
    visitor.cookies["pentimento-register"] = note
    expectRefused(
      try visitor.send("POST", "/v1/passkeys", json: authenticator.registration(challenge)))
    visitor.cookies["pentimento-sign-in"] = note
    #expect(try visitor.send("POST", "/v1/sign-in/passkey", json: body).status == 200)
  }

  @Test func `pages of other sites reach no door`() throws {
    let (visitor, _) = try welcomed()
    let doors = Server.routes.filter {
      $0.isDoor && $0.access == .everyone && !$0.method.isSafe
    }
    #expect(doors.count == 7)
    for route in doors {
      for origin in [
        nil, "null", "http://evil.example", "https://ink.example", "http://ink.example:81",
        "http://ink.example.evil.example",
      ] {
        visitor.origin = origin
        let reply = try visitor.send(
          route.method.rawValue, route.path, json: route.body == .none ? nil : "{}")
        expectRefused(reply, 403, "wrong-origin")
      }
      visitor.origin = "http://ink.example"
      let framed = try visitor.send(
        route.method.rawValue, route.path, json: route.body == .none ? nil : "{}",
        [("Sec-Fetch-Site", "cross-site")])
      expectRefused(framed, 403, "wrong-origin")
    }
    // The cookie alone changes nothing either.
    visitor.origin = "http://evil.example"
    #expect(try visitor.send("DELETE", "/v1/sessions").status == 401)
    #expect(try visitor.send("DELETE", "/v1/session").status == 204)
    visitor.origin = "http://ink.example"
  }

  @Test func `every refused passkey gets the same answer`() throws {
    var (_, known) = try welcomed()
    known.counter = 5
    let visitor = Visitor(server)
    #expect(try visitor.signIn(known).status == 200)
    var answers: Set<String> = []
    func attempt(_ change: (inout Authenticator) -> Void = { _ in }, handle: String? = nil) throws {
      let stranger = Visitor(server)
      var changed = known
      changed.counter = 9
      change(&changed)
      let reply = try stranger.signIn(changed, handle: handle)
      expectRefused(reply)
      answers.insert(reply.text.replacing(/"request": "[^"]*"/, with: ""))
    }
    let stranger = try Authenticator()
    try attempt { $0 = stranger }
    try attempt { $0.origin = "http://evil.example" }
    try attempt { $0.party = "evil.example" }
    try attempt { $0.flags = 4 }
    try attempt { $0.counter = 5 }
    try attempt { $0.counter = 4 }
    try attempt(handle: Base64.encodeURL(handle(of: "bob")))
    #expect(answers.count == 1)
    known.counter = 10
    #expect(
      try Visitor(server).signIn(known, handle: Base64.encodeURL(handle(of: "ann"))).status == 200)
  }

  @Test func `a secret that somebody else has chosen signs in nobody`() throws {
    var (_, authenticator) = try welcomed()
    let victim = Visitor(server)
    let chosen = "pkds_\(String(repeating: "A", count: 43))"
    victim.cookies["pentimento"] = chosen
    #expect(try victim.uid == nil)
    authenticator.counter = 1
    #expect(try victim.signIn(authenticator).status == 200)
    #expect(victim.cookies["pentimento"] != chosen)
    let attacker = Visitor(server)
    attacker.cookies["pentimento"] = chosen
    #expect(try attacker.uid == nil)
    // A second sign-in ends the browser's former session.
    let former = victim.cookies["pentimento"]
    authenticator.counter = 2
    #expect(try victim.signIn(authenticator).status == 200)
    attacker.cookies["pentimento"] = former
    #expect(try attacker.uid == nil)
    #expect(try victim.send("GET", "/v1/sessions").items.count == 2)
  }

  @Test func `an ended session is over at once, with its streams`() throws {
    var (here, authenticator) = try welcomed()
    authenticator.counter = 1
    let there = Visitor(server)
    #expect(try there.signIn(authenticator).status == 200)
    #expect(try there.uid == "ann")
    let stream = try Client(port: server.port)
    stream.write(
      "GET /v1/users/ann/events HTTP/1.1\r\nHost: ink.example\r\nConnection: close\r\n"
        + "Cookie: pentimento=\(there.cookies["pentimento"] ?? "")\r\n\r\n")
    let begun = stream.readAll { String(decoding: $0, as: UTF8.self).contains("retry:") }
    #expect(String(decoding: begun, as: UTF8.self).hasPrefix("HTTP/1.1 200"))
    let sessions = try here.send("GET", "/v1/sessions").items
    let other = try #require(sessions.first { $0["isThis"] as? Bool == false })
    let id = try #require(other["id"] as? String)
    #expect(try Visitor(server).send("DELETE", "/v1/sessions/\(id)").status == 401)
    #expect(try server.send("DELETE", "/v1/sessions/\(id)", as: "bob").status == 404)
    #expect(try here.send("DELETE", "/v1/sessions/\(id)").status == 204)
    #expect(try here.send("DELETE", "/v1/sessions/\(id)").status == 404)
    #expect(try there.uid == nil)
    #expect(stream.isClosed(within: 10))
    #expect(try here.uid == "ann")
    authenticator.counter = 2
    #expect(try there.signIn(authenticator).status == 200)
    #expect(try here.send("DELETE", "/v1/sessions").status == 204)
    #expect(try there.uid == nil)
    #expect(try here.send("GET", "/v1/sessions").items.count == 1)
  }

  @Test func `a user lists, names and deletes passkeys, the last one only on purpose`() throws {
    let (visitor, _) = try welcomed()
    let second = try Authenticator()
    let added = try visitor.register(second, label: #"Key \u0007at home"#)
    #expect(added.status == 201 && added.json["name"] as? String == "Key at home")
    // It is known already, also to others.
    #expect(try visitor.register(second).status == 409)
    let (bob, _) = try welcomed("bob")
    #expect(try bob.register(second).status == 409)
    let ids = try visitor.send("GET", "/v1/passkeys").items.compactMap { $0["id"] as? String }
    #expect(ids.count == 2)
    let place = "/v1/passkeys/\(ids[1])"
    let renamed = try visitor.send("PATCH", place, json: #"{"name": "Blue"}"#)
    #expect(renamed.json["name"] as? String == "Blue")
    #expect(try bob.send("PATCH", place, json: #"{"name": "Mine"}"#).status == 404)
    #expect(try bob.send("DELETE", "\(place)?even-if-last=true").status == 404)
    #expect(try Visitor(server).send("GET", "/v1/passkeys").status == 401)
    #expect(try visitor.send("DELETE", place).status == 204)
    expectRefused(try visitor.send("DELETE", "/v1/passkeys/\(ids[0])"), 409, "last-way-in")
    #expect(try visitor.send("DELETE", "/v1/passkeys/\(ids[0])?even-if-last=true").status == 204)
    expectRefused(try Visitor(server).signIn(second))
  }

  @Test func `a note for a passkey belongs to the user who was signed in`() throws {
    let (ann, _) = try welcomed()
    let (bob, _) = try welcomed("bob")
    let authenticator = try Authenticator()
    let challenge = try ann.challenge("/v1/passkeys/options", "{}")
    bob.cookies["pentimento-register"] = ann.cookies["pentimento-register"]
    expectRefused(
      try bob.send("POST", "/v1/passkeys", json: authenticator.registration(challenge)))
    let stranger = Visitor(server)
    stranger.cookies["pentimento-register"] = ann.cookies["pentimento-register"]
    expectRefused(
      try stranger.send("POST", "/v1/passkeys", json: authenticator.registration(challenge)))
    #expect(
      try ann.send("POST", "/v1/passkeys", json: authenticator.registration(challenge)).status
        == 201)
  }

  @Test func `visitors become users only where everyone may`() throws {
    expectRefused(try Visitor(server).send("POST", "/v1/passkeys/options", json: "{}"))
    #expect(
      try Visitor(server).send("GET", "/v1/sign-in").json["signUp"] as? String == "invited")
    let open = try TestServer { $0.takesEveryone = true }
    let visitor = Visitor(open)
    #expect(try visitor.send("GET", "/v1/sign-in").json["signUp"] as? String == "everyone")
    var authenticator = try Authenticator()
    #expect(try visitor.register(authenticator, #"{"name": "Eve"}"#).status == 201)
    let uid = try #require(try visitor.uid)
    #expect(uid.hasPrefix("u-"))
    #expect(try visitor.send("GET", "/v1/users/\(uid)").json["userName"] as? String == "Eve")
    authenticator.counter = 1
    let again = Visitor(open)
    #expect(try again.signIn(authenticator).status == 200)
    #expect(try again.uid == uid)
  }

  @Test func `too many attempts are refused for a while`() throws {
    let visitor = Visitor(server)
    var last: Reply?
    for _ in 0..<65 { last = try visitor.send("POST", "/v1/sign-in/passkey/options") }
    #expect(last?.status == 429 && last?.code == "too-many-attempts")
    #expect(last?.fields["retry-after"] == "1")
    // A proxied client of another address is not affected.
    let proxied = try TestServer { $0.proxies = ["127.0.0.1"] }
    let code = try InvitationService.invite("ann", name: "", days: 1, in: proxied.environment)
    let body = #"{"code": "\#(code)"}"#
    var statuses: [Int] = []
    for number in 0..<12 {
      statuses.append(
        try Visitor(proxied).send(
          "POST", "/v1/sign-in/invitation", json: body, [("X-Forwarded-For", "10.0.0.\(number)")]
        ).status)
    }
    // Attempts with one code count together, wherever they come from.
    #expect(statuses.prefix(10).allSatisfy { $0 == 200 })
    #expect(statuses.last == 429)
  }

  @Test func `an erased user has no session, passkey or invitation left`() throws {
    var (visitor, authenticator) = try welcomed()
    let code = try invite()
    #expect(try visitor.send("DELETE", "/v1/users/ann").status == 204)
    #expect(try visitor.uid == nil)
    authenticator.counter = 1
    visitor = Visitor(server)
    expectRefused(try visitor.signIn(authenticator))
    expectRefused(
      try visitor.send("POST", "/v1/sign-in/invitation", json: #"{"code": "\#(code)"}"#))
  }

  @Test func `cookies of HTTPS are secure, and belong to the path of the pages`() throws {
    let secure = try TestServer { $0.publicURL = "https://ink.example/draw/here" }
    let visitor = Visitor(secure)
    visitor.origin = "https://ink.example"
    let code = try InvitationService.invite("ann", name: "", days: 1, in: secure.environment)
    var authenticator = try Authenticator()
    authenticator.origin = "https://ink.example"
    #expect(try visitor.register(authenticator, #"{"code": "\#(code)"}"#).status == 201)
    #expect(visitor.setCookies.count == 2)
    for cookie in visitor.setCookies {
      #expect(cookie.contains("; Path=/draw/here/;"))
      #expect(cookie.contains("; HttpOnly; SameSite=Strict") && cookie.hasSuffix("; Secure"))
    }
  }

  @Test func `a public address with a default port or capitals is the one that browsers name`()
    throws
  {
    let server = try TestServer { $0.publicURL = "https://Ink.Example:443/here" }
    let visitor = Visitor(server)
    visitor.origin = "https://ink.example"
    let reply = try visitor.send("POST", "/v1/sign-in/passkey/options")
    #expect(reply.status == 200 && reply.json["rpId"] as? String == "ink.example")
  }

  @Test func `the name of a browser says no more than its kind and system`() {
    for (header, name) in [
      (
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1",
        "Safari, iPhone"
      ),
      ("Mozilla/5.0 (Windows NT 10.0) Chrome/140.0.0.0 Safari/537.36 Edg/140.0", "Edge, Windows"),
      ("Mozilla/5.0 (Linux; Android 10; K) Chrome/140.0 Mobile Safari/537.36", "Chrome, Android"),
      ("<script>", ""), ("", ""),
    ] {
      #expect(UserAgent.name(of: header) == name)
    }
  }
}
