import DrawingServices
import Testing

@testable import DrawingServer

/// Signing in from a page: the cookie, and the origins from which it is accepted.
struct SessionTests {
  /// The cookie that a server sets for a user, in the form that a browser sends.
  private static func cookie(_ server: TestServer, _ uid: String) throws -> String {
    let reply = try server.send("POST", "/v1/session", as: uid)
    #expect(reply.status == 204)
    let field = try #require(reply.fields["set-cookie"])
    #expect(field.hasPrefix("pentimento=") && field.contains("; HttpOnly; SameSite=Strict"))
    return String(field.prefix { $0 != ";" })
  }

  @Test func `a page signs in with a token and out again`() throws {
    let server = try TestServer()
    #expect(try server.send("GET", "/v1/session", as: nil).status == 401)
    #expect(try server.send("POST", "/v1/session", as: nil).status == 401)
    let cookie = try Self.cookie(server, "ann")
    let found = try server.send("GET", "/v1/session", as: nil, [("Cookie", "a=b; \(cookie)")])
    #expect(found.status == 200)
    #expect(found.text.contains(#""uid": "ann""#))
    let own = try server.send("GET", "/v1/users/ann/drawings", as: nil, [("Cookie", cookie)])
    #expect(own.status == 200)
    let others = try server.send("GET", "/v1/users/bob/drawings", as: nil, [("Cookie", cookie)])
    #expect(others.status == 403)
    let out = try server.send("DELETE", "/v1/session", as: nil, [("Cookie", cookie)])
    #expect(out.status == 204)
    #expect(out.fields["set-cookie"]?.contains("Max-Age=0") == true)
  }

  @Test func `a cookie does not authorize pages of other sites`() throws {
    let server = try TestServer()
    let cookie = try Self.cookie(server, "ann")
    let target = "/v1/users/ann/mood_checkins/one"
    let json = #"{"colorHex":"","colorIntensity":0.5,"emotion":"joy","topic":"","evaluation":""}"#
    let refused: [[(String, String)]] = [
      [], [("Origin", "http://evil.example")], [("Origin", "null")],
      [("Origin", "http://ink.example.evil.example")],
      [("Sec-Fetch-Site", "cross-site"), ("Origin", "http://ink.example")],
      [("Sec-Fetch-Site", "same-site")],
    ]
    for fields in refused {
      let reply = try server.send(
        "PUT", target, as: nil, [("Cookie", cookie)] + fields, json: json)
      #expect(reply.status == 401, "\(fields)")
    }
    #expect(try server.send("GET", target).status == 404)
    let taken = try server.send(
      "PUT", target, as: nil, [("Cookie", cookie), ("Origin", "http://ink.example")], json: json)
    #expect(taken.status == 201)
    let read = try server.send(
      "GET", target, as: nil, [("Cookie", cookie), ("Sec-Fetch-Site", "cross-site")])
    #expect(read.status == 401)
  }

  @Test func `a cookie is as valid as its token`() throws {
    let server = try TestServer()
    let cookie = try Self.cookie(server, "ann")
    let last = cookie.last == "A" ? "B" : "A"
    for wrong in [
      "pentimento=", "pentimento=x.y.z", cookie.dropLast() + last,
      "pentimento=\(server.token("ann", seconds: -600))",
    ] {
      let reply = try server.send("GET", "/v1/session", as: nil, [("Cookie", String(wrong))])
      #expect(reply.status == 401, "\(wrong)")
    }
    // A header has priority over the cookie.
    let both = try server.send("GET", "/v1/session", as: "bob", [("Cookie", cookie)])
    #expect(both.text.contains(#""uid": "bob""#))
    // A user with an expired cookie can sign in again.
    let again = try server.send(
      "POST", "/v1/session", as: "ann", [("Cookie", "pentimento=x.y.z")])
    #expect(again.status == 204)
  }

  @Test func `a cookie belongs to the path of the pages and to HTTPS`() throws {
    let server = try TestServer { $0.publicURL = "https://ink.example/draw/here" }
    let reply = try server.send("POST", "/v1/session")
    let field = try #require(reply.fields["set-cookie"])
    #expect(field.contains("; Path=/draw/here/;") && field.hasSuffix("; Secure"))
  }
}
