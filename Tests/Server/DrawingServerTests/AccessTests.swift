import Foundation
import HTTP
import JSON
import Testing

@testable import DrawingServer
@testable import Tokens

/// Every route for every kind of caller, and whether it is allowed.
struct AccessTests {
  /// An address of each route, with identifiers that exist for `ann`.
  private static func target(_ route: Route) -> String {
    route.path.split(separator: "/").map { segment in
      switch segment {
      case "{uid}": "ann"
      case "{id}": "sample"
      case "{file}": "thumbnail.png"
      case "{number}": "50"
      case "{sha256}": String(repeating: "0", count: 64)
      case "{bucket}": "ink"
      case "{object...}": "users%2Fann%2Fdrawings%2Fsample%2Fthumbnail.png"
      // In buckets, only a user's objects can be listed.
      case "o" where route.path.hasSuffix("/o"): "o?prefix=users%2Fann%2F"
      default: segment.hasPrefix("{") ? "sample" : String(segment)
      }
    }.reduce(route.segments.isEmpty ? "/" : "") { "\($0)/\($1)" }
  }

  private static func isStream(_ route: Route) -> Bool {
    route.answers.contains { $0.what == .type("text/event-stream") }
  }

  private static func server() throws -> TestServer {
    let server = try TestServer()
    let recording = try Recordings.sample()
    #expect(
      try server.send(
        "PUT", "/v1/users/ann/drawings/sample/recording.pkd", body: recording
      ).status == 201)
    #expect(
      try server.send(
        "PUT", "/v1/users/ann/mood_checkins/sample",
        json:
          #"{"colorHex":"","colorIntensity":0.5,"emotion":"joy","topic":"","evaluation":""}"#
      ).status == 201)
    return server
  }

  /// The statuses of forbidden requests.
  private static let refusals: Set<Int> = [401, 403]

  @Test func `every route for signed-in callers refuses everybody else`() throws {
    let server = try Self.server()
    for route in Server.routes where route.access == .signedIn {
      let target = Self.target(route)
      let method = route.method.rawValue
      let anonymous = try server.send(method, target, as: nil)
      #expect(anonymous.status == 401, "\(method) \(route.path)")
      #expect(anonymous.fields["www-authenticate"]?.hasPrefix("Bearer") == true)
      guard route.path.contains("{uid}"), !Self.isStream(route) || method == "POST" else {
        continue
      }
      let body = Array("{}".utf8)
      let other = try server.send(
        method, target, as: "bob",
        route.body == .none ? [] : [("Content-Type", "application/json")],
        body: route.body == .none ? [] : body)
      // An invalid body may be found before the owner is checked, but never after a change.
      #expect(
        (400..<500).contains(other.status) && other.status != 404 && other.status != 405,
        "\(method) \(route.path): \(other.status)")
      if route.body == .none {
        #expect(Self.refusals.contains(other.status), "\(method) \(route.path): \(other.status)")
      }
    }
    // Nothing was deleted or changed.
    #expect(try server.send("GET", "/v1/users/ann/drawings/sample").status == 200)
    #expect(try server.send("GET", "/v1/users/ann/mood_checkins/sample").status == 200)
    #expect(try server.send("GET", "/v1/users/bob/drawings", as: "bob").items.isEmpty)
  }

  @Test func `the owner reaches every route that can be read`() throws {
    let server = try Self.server()
    _ = try server.send("PATCH", "/v1/users/ann", json: #"{"userName":"Ann"}"#)
    for route in Server.routes where route.method == .get && !Self.isStream(route) {
      // A provider leads back to here, and from here on to a page.
      if route.path == "/sign-in/back" { continue }
      let reply = try server.send("GET", Self.target(route))
      // Catalogues, mood entries and logs are empty here. A missing session log could belong to any
      // user.
      if route.path == "/v1/sessionLogs/{id}", reply.status == 403 { continue }
      #expect([200, 404].contains(reply.status), "\(route.path): \(reply.status) \(reply.text)")
      if reply.status == 404 {
        #expect(
          [
            "moodEntries", "sessionLogs", "growthMethods", "educationalResources", "/s/",
            "/assets/",
          ].contains { route.path.contains($0) }, "\(route.path)")
      }
    }
  }

  // MARK: - Forged tokens

  private static func part(_ text: String) -> String { Base64.encodeURL(Array(text.utf8)) }

  /// Tokens that authorize nobody, most of them for `ann`.
  private static func forgeries(_ server: TestServer) -> [String] {
    let now = Int(Date().timeIntervalSince1970)
    let good = #"{"alg":"HS256","typ":"JWT"}"#
    func claims(_ change: String = "") -> String {
      #"{"iss":"pentimento","sub":"ann","iat":\#(now),"exp":\#(now + 600)\#(change)}"#
    }
    func signed(_ header: String, _ payload: String, by secret: Secret? = nil) -> String {
      let text = part(header) + "." + part(payload)
      let signature = (secret ?? server.secret).signature(of: Array(text.utf8))
      return text + "." + Base64.encodeURL(signature)
    }
    let valid = signed(good, claims())
    let parts = valid.split(separator: ".").map(String.init)
    let other = Secret(Array(repeating: 7, count: 32))
    var forged = [
      "", "x", ".", "..", "...", "a.b.c", valid + ".", "." + valid, valid + "x", valid + "=",
      parts[0] + "." + parts[1], parts[0] + "." + parts[1] + ".",
      parts[1] + "." + parts[0] + "." + parts[2], signed(good, claims(), by: other),
      "\(parts[0]).\(part(#"{"iss":"pentimento","sub":"bob","exp":99999999999}"#)).\(parts[2])",
      String(valid.dropLast()), String(valid.dropLast(20)),
      valid.replacingOccurrences(of: ".", with: ".."), parts[0] + "." + parts[1] + "." + parts[1],
    ]
    for algorithm in [
      "none", "None", "NONE", "nOnE", "", "HS384", "HS512", "hs256", "RS256", "ES256", "PS256",
      "EdDSA", "dir", "null",
    ] {
      let header = #"{"alg":"\#(algorithm)","typ":"JWT"}"#
      forged.append(signed(header, claims()))
      forged.append("\(part(header)).\(part(claims())).")
    }
    for header in [
      "{}", "[]", "null", "1", #"{"alg":null}"#, #"{"alg":1}"#, #"{"alg":["HS256"]}"#,
      #"{"alg":"HS256","alg":"none"}"#, #"{"alg":"HS256","crit":["x"],"x":1}"#,
      #"{"alg":"HS256","kid":"../../etc/passwd"}"#, #"{"alg":"HS256","kid":"' OR 1=1"}"#,
      #"{"alg":"HS256","kid":"\#(String(repeating: "k", count: 4000))"}"#,
    ] {
      forged.append(signed(header, claims(), by: header.contains("kid") ? other : nil))
    }
    for payload in [
      "{}", "[]", "null", #"{"iss":"pentimento","sub":"ann"}"#,
      #"{"iss":"pentimento","sub":"ann","exp":\#(now - 3600)}"#,
      #"{"iss":"pentimento","sub":"ann","exp":"\#(now + 600)"}"#,
      #"{"iss":"pentimento","sub":"ann","exp":-1}"#,
      #"{"iss":"pentimento","sub":"ann","exp":null}"#,
      #"{"iss":"pentimento","sub":"","exp":\#(now + 600)}"#,
      #"{"iss":"pentimento","sub":"ann","exp":1e308}"#,
      #"{"iss":"pentimento","sub":"ann","exp":253402300800}"#,
      #"{"iss":"pentimento","sub":"a\u0000b","exp":\#(now + 600)}"#,
      #"{"iss":"pentimento","sub":["ann"],"exp":\#(now + 600)}"#,
      #"{"iss":"pentimento","sub":7,"exp":\#(now + 600)}"#,
      #"{"iss":"other","sub":"ann","exp":\#(now + 600)}"#,
      #"{"iss":"pentimento ","sub":"ann","exp":\#(now + 600)}"#,
      #"{"sub":"ann","exp":\#(now + 600)}"#, #"{"iss":"pentimento","exp":\#(now + 600)}"#,
      #"{"iss":"pentimento","sub":"ann","exp":\#(now + 600),"nbf":\#(now + 3600)}"#,
      #"{"iss":"pentimento","sub":"ann","exp":\#(now + 600),"iat":\#(now + 3600)}"#,
      #"{"iss":"pentimento","sub":"ann","exp":\#(now - 3600),"exp":\#(now + 600)}"#,
    ] {
      forged.append(signed(good, payload))
    }
    return forged
  }

  @Test func `no forged token gets through any route`() throws {
    let server = try Self.server()
    let forgeries = Self.forgeries(server)
    #expect(forgeries.count >= 60)
    for (number, route) in Server.routes.enumerated() where route.access == .signedIn {
      let target = Self.target(route)
      // All forgeries on one connection: the server refuses each by its header alone.
      var text = ""
      for (index, token) in forgeries.enumerated() {
        let scheme = (index + number) % 3 == 0 ? "Firebase" : "Bearer"
        text += "\(route.method.rawValue) \(target) HTTP/1.1\r\nHost: a\r\n"
        text += "Authorization: \(scheme) \(token)\r\n"
        text += index == forgeries.count - 1 ? "Connection: close\r\n\r\n" : "\r\n"
      }
      let replies = try server.raw(Array(text.utf8), seconds: 20)
      #expect(replies.count == forgeries.count, "\(route.method.rawValue) \(route.path)")
      for (index, reply) in replies.enumerated() where reply.status != 401 {
        Issue.record(
          "\(route.method.rawValue) \(route.path): \(reply.status) for \(forgeries[index])")
      }
    }
  }

  @Test func `an expired token is refused, and is not cached for longer`() throws {
    let server = try Self.server()
    #expect(try server.send("GET", "/v1/users/ann/drawings").status == 200)
    let old = TokenIssuer(server.secret).token(
      for: "ann", from: Date().timeIntervalSince1970 - 7200, seconds: 3600)
    let reply = try server.send(
      "GET", "/v1/users/ann/drawings", as: nil, [("Authorization", "Bearer \(old)")])
    #expect(reply.status == 401)
    #expect(reply.fields["www-authenticate"]?.contains("invalid_token") == true)
  }

  @Test func `a token comes behind one of two words, in any case and with any blanks`() throws {
    let server = try Self.server()
    let token = TokenIssuer(server.secret).token(
      for: "ann", from: Date().timeIntervalSince1970, seconds: 3600)
    func status(_ value: String) throws -> Int {
      try server.send("GET", "/v1/users/ann/drawings", as: nil, [("Authorization", value)]).status
    }
    for value in ["Bearer \(token)", "bearer   \(token)", "FIREBASE \(token)"] {
      #expect(try status(value) == 200, "\(value)")
    }
    for value in [token, "Bearer", "Basic \(token)", "Bearer \(token) x", "Bearer\t\(token)", " "] {
      #expect(try status(value) == 401, "\(value)")
    }
  }
}
