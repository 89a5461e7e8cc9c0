import HTTP
import Testing

/// A head with a host and more fields.
private func head(
  _ method: String = "GET", _ target: String = "/v1/drawings", version: Int = 1,
  host: String? = "localhost:8080", fields: [(String, String)] = []
) -> RequestHead {
  RequestHead(
    method: Array(method.utf8), target: Array(target.utf8), minorVersion: version,
    fields: ((host.map { [("Host", $0)] } ?? []) + fields)
      .map { RequestHead.Field(Array($0.0.utf8), Array($0.1.utf8)) })
}

/// The status and code of a refused head; nil if it is accepted.
private func refusal(_ head: RequestHead) -> String? {
  do throws(Refusal) {
    _ = try head.check()
    return nil
  } catch {
    return "\(error.status) \(error.code)"
  }
}

@Suite struct RequestHeadTests {
  @Test func `an ordinary request is parsed into method, target, host and body`() throws {
    let checked = try head(
      "PUT", "/v1/users/ann/drawings/d1?width=256",
      fields: [("Content-Length", "5"), ("X-Other", " a\tb ")]
    ).check()
    #expect(checked.method == .put && checked.body == .count(5))
    #expect(checked.host == "localhost:8080")
    #expect(checked.target.segments == ["v1", "users", "ann", "drawings", "d1"])
    #expect(try checked.target.value("width") == "256")
    #expect(try head("POST", fields: [("Transfer-Encoding", "Chunked")]).check().body == .chunked)
    #expect(try head().check().body == .none)
    #expect(try head(version: 0, host: nil).check().host == nil)
  }

  @Test(
    arguments: [
      ([("Content-Length", "3"), ("Transfer-Encoding", "chunked")], "400 two-lengths"),
      ([("Content-Length", "3"), ("Content-Length", "5")], "400 double-header"),
      ([("Content-Length", "3"), ("content-length", "3")], "400 double-header"),
      ([("Content-Length ", "3")], "400 bad-header"),
      ([("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "identity")], "400 double-header"),
      ([("Transfer-Encoding", "gzip, chunked")], "501 unknown-coding"),
      ([("Transfer-Encoding", "xchunked")], "501 unknown-coding"),
      ([("Transfer-Encoding", "chunked, identity")], "501 unknown-coding"),
      ([("Transfer-Encoding", "")], "501 unknown-coding"),
      ([("Content-Length", "+3")], "400 bad-length"),
      ([("Content-Length", "0x3")], "400 bad-length"),
      ([("Content-Length", "-1")], "400 bad-length"),
      ([("Content-Length", "3 3")], "400 bad-length"),
      ([("Content-Length", "3,3")], "400 bad-length"), ([("Content-Length", "")], "400 bad-length"),
      ([("Content-Length", "99999999999999999999")], "400 bad-length"),
      ([("Host", "evil")], "400 double-header"),
      ([("Authorization", "Bearer a"), ("Authorization", "Bearer b")], "400 double-header"),
      ([("Range", "bytes=0-1"), ("Range", "bytes=1-2")], "400 double-header"),
      ([("X-Name", "a\0b")], "400 bad-header"), ([("X-Name", "a\rb")], "400 bad-header"),
      ([("X-Name", "a\nb")], "400 bad-header"),
      ([("X-Name", "a\u{7f}")], "400 bad-header"), ([("X Name", "a")], "400 bad-header"),
      ([("", "a")], "400 bad-header"), ([("X:Y", "a")], "400 bad-header"),
      ([("Expect", "a pony")], "417 bad-expectation"),
    ] as [([(String, String)], String)])
  func `ambiguous requests are refused, and the connection ends`(
    _ fields: [(String, String)], expected: String
  ) throws {
    let head = head("POST", fields: fields)
    #expect(refusal(head) == expected)
    let thrown = #expect(throws: Refusal.self) { try head.check() }
    #expect(thrown?.closesConnection == true)
  }

  @Test func `a header value that is no UTF-8 does not count as missing`() {
    for name in ["Transfer-Encoding", "Content-Length", "Host", "Authorization"] {
      let head = RequestHead(
        method: Array("POST".utf8), target: Array("/".utf8), minorVersion: 1,
        fields: [
          RequestHead.Field(Array("Host".utf8), Array("a".utf8)),
          RequestHead.Field(Array(name.utf8), [0x63, 0xFF, 0x64]),
        ].filter { name != "Host" || $0.value.count > 1 })
      #expect(refusal(head) == "400 bad-header", "\(name)")
    }
  }

  @Test func `a chunked body needs HTTP 1.1`() {
    #expect(
      refusal(head("POST", version: 0, fields: [("Transfer-Encoding", "chunked")]))
        == "400 bad-coding")
  }

  @Test(arguments: [
    ("", "400 bad-host"), ("a b", "400 bad-host"), ("a/b", "400 bad-host"), ("a@b", "400 bad-host"),
    ("a\"b", "400 bad-host"), (String(repeating: "a", count: 256), "400 bad-host"),
  ])
  func `a Host field must be a name or an address`(_ host: String, expected: String) {
    #expect(refusal(head(host: host)) == expected)
  }

  @Test func `a Host field is required, and may be an address with a port`() throws {
    for host in ["[::1]:8080", "127.0.0.1", "draw.example.org:443", "localhost"] {
      #expect(refusal(head(host: host)) == nil, "\(host)")
    }
    #expect(refusal(head(host: nil)) == "400 no-host")
  }

  @Test(arguments: [
    ("get", "501 unknown-method"), ("TRACE", "405 wrong-method"),
    ("QUERY", "405 wrong-method"), ("", "501 unknown-method"),
    ("CONNECT", "400 bad-method"), ("PROPFIND", "501 unknown-method"),
  ])
  func `unknown HTTP methods are refused`(_ method: String, expected: String) {
    #expect(refusal(head(method)) == expected)
  }

  @Test func `a request header that is too large is refused`() {
    let many = (0..<101).map { ("X-\($0)", "a") }
    #expect(refusal(head(fields: many)) == "431 large-header")
    #expect(
      refusal(head(fields: [("X-Long", String(repeating: "a", count: 16_384))]))
        == "431 large-header")
    #expect(refusal(head(fields: Array(many.dropLast(2)))) == nil)
  }

  @Test func `header fields are found by lower-case names, and lists are joined`() {
    let head = head(fields: [("If-None-Match", "\"a\""), ("IF-NONE-MATCH", "\"b\"")])
    #expect(head.list("if-none-match") == "\"a\", \"b\"" && head.text("if-none-match") == "\"a\"")
    #expect(head.list("accept") == nil && head.text("accept") == nil)
  }
}

@Suite struct RequestTargetTests {
  @Test func `request paths and queries are decoded once`() throws {
    let target = try RequestTarget(
      Array("/v0/b/app/o/users%2Fann%2Fa%20b%252e.png?alt=media&token=a+b%2Bc&x".utf8))
    #expect(target.segments == ["v0", "b", "app", "o", "users/ann/a b%2e.png"])
    #expect(target.query.map(\.name) == ["alt", "token", "x"])
    #expect(try target.value("token") == "a b+c" && target.value("x")?.isEmpty == true)
    #expect(try target.value("none") == nil)
    #expect(try RequestTarget(Array("/".utf8)).segments.isEmpty)
    #expect(try RequestTarget(Array("/v1/".utf8)).segments == ["v1"])
    #expect(try RequestTarget(Array("/%E7%95%AB".utf8)).segments == ["畫"])
  }

  @Test(arguments: [
    "", "v1", "http://evil/x", "*", "a:1", "/a b", "/a#b", "/a\u{e9}", "/../etc", "/a/../b",
    "/a/./b",
    "/%2e%2e/etc", "/%2E/", "//", "/a//b", "/a%00b", "/a%0ab", "/%zz", "/%2", "/%", "/%ff",
    "/%c0%ae",
    "/a%2F..%2Fb", "/a%2F%2Fb", "/%2F", "/a?b=%00", "/a?b=%ff", "/a?%=1", "/a%7f", "/a\u{1}",
  ])
  func `a request target with dot segments or invalid bytes is refused`(_ target: String) {
    #expect(throws: Refusal.self) { try RequestTarget(Array(target.utf8)) }
  }

  @Test func `a repeated query parameter is refused when it is read`() throws {
    let target = try RequestTarget(Array("/a?uid=ann&uid=bob&x=1".utf8))
    #expect(try target.value("x") == "1")
    #expect(throws: Refusal.self) { try target.value("uid") }
  }

  @Test func `request targets have a maximum length`() throws {
    let long = Array("/".utf8) + Array(repeating: UInt8(ascii: "a"), count: 8_191)
    #expect(try RequestTarget(long).segments.count == 1)
    let thrown = #expect(throws: Refusal.self) { try RequestTarget(long + [97]) }
    #expect(thrown?.status == 414)
  }
}
