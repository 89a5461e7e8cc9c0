import Foundation
import HTTP
import Testing

private func head(_ fields: [(String, String)]) -> RequestHead {
  RequestHead(
    method: Array("GET".utf8), target: Array("/".utf8), minorVersion: 1,
    fields: fields.map { RequestHead.Field(Array($0.0.utf8), Array($0.1.utf8)) })
}

@Suite struct PreconditionTests {
  private let tag = EntityTag("abc")

  private func outcome(
    _ name: String, _ value: String, _ method: RequestHead.Method, _ tag: EntityTag?
  ) throws -> Preconditions.Outcome {
    try Preconditions(head([(name, value)])).outcome(method, current: tag)
  }

  @Test(arguments: ["\"abc\"", "W/\"abc\"", "\"x\", \"abc\"", "*", "\"x\" ,, W/\"abc\""])
  func `a version that the client has is not sent again`(_ list: String) throws {
    #expect(try outcome("If-None-Match", list, .get, tag) == .notModified)
    #expect(try outcome("If-None-Match", list, .head, tag) == .notModified)
    #expect(try outcome("If-None-Match", list, .put, tag) == .failed)
    #expect(try outcome("If-None-Match", list, .put, nil) == .proceed)
  }

  @Test func `an entity tag is read as it is written`() {
    for tag in [EntityTag("abc"), EntityTag("", isWeak: true)] {
      #expect(EntityTagList(tag.headerValue) == .tags([tag]))
    }
    #expect(EntityTag("x", isWeak: true).headerValue == "W/\"x\"")
  }

  @Test func `a change of a version that the client does not know fails`() throws {
    #expect(try outcome("If-Match", "\"abc\"", .put, tag) == .proceed)
    #expect(try outcome("If-Match", "\"x\"", .put, tag) == .failed)
    #expect(
      try outcome("If-Match", "W/\"abc\"", .put, tag) == .failed, "Weak tags never match here.")
    #expect(try outcome("If-Match", "*", .put, tag) == .proceed)
    #expect(try outcome("If-Match", "*", .put, nil) == .failed)
    #expect(try Preconditions(head([])).outcome(.put, current: nil) == .proceed)
  }

  @Test(arguments: [
    "abc", "\"abc", "\"a b\"", "\"a\" \"b\"", "", ",", "W/abc", "\"a\"x", "*, \"a\"",
  ])
  func `malformed entity tags are refused`(_ list: String) {
    #expect(throws: Refusal.self) { try Preconditions(head([("If-Match", list)])) }
  }
}

@Suite struct ByteRangeTests {
  private func range(_ text: String, of count: Int, ifRange: String? = nil) -> ByteRange {
    ByteRange(
      head([("Range", text)] + (ifRange.map { [("If-Range", $0)] } ?? [])), count: count,
      tag: EntityTag("abc"))
  }

  @Test(arguments: [
    ("bytes=0-3", ByteRange.part(0..<4)), ("bytes=4-", .part(4..<10)), ("bytes=-3", .part(7..<10)),
    ("bytes=000000000000003-000000000000004", .part(3..<5)),
    ("bytes=00000000000000000000003-", .part(3..<10)),
    ("bytes=0-99", .part(0..<10)), ("bytes=-99", .part(0..<10)), ("Bytes=9-9", .part(9..<10)),
    ("bytes=10-", .unsatisfiable), ("bytes=10-20", .unsatisfiable), ("bytes=-0", .unsatisfiable),
    ("bytes=99999999999999999999-", .unsatisfiable),
    ("bytes=0-99999999999999999999", .part(0..<10)),
    ("bytes=3-1", .whole), ("bytes=0-1,3-4", .whole), ("bytes=-", .whole), ("bytes=a-b", .whole),
    ("bytes=", .whole), ("items=0-1", .whole), ("bytes=1--2", .whole), ("", .whole),
  ])
  func `ranges of ten bytes follow RFC 9110`(_ text: String, expected: ByteRange) {
    #expect(range(text, of: 10) == expected)
  }

  @Test func `a body of no bytes has no range`() {
    #expect(range("bytes=0-", of: 0) == .unsatisfiable)
    #expect(range("bytes=-1", of: 0) == .unsatisfiable)
  }

  @Test func `a range of another version is ignored`() {
    #expect(range("bytes=0-3", of: 10, ifRange: "\"abc\"") == .part(0..<4))
    for other in ["\"x\"", "W/\"abc\"", "Mon, 23 Nov 2026 00:00:00 GMT", "*"] {
      #expect(range("bytes=0-3", of: 10, ifRange: other) == .whole)
    }
  }
}

@Suite struct ProblemTests {
  @Test func `a refusal is JSON with status, code, detail and field`() throws {
    let refusal = Refusal(400, "bad-field", "The \"name\"\nis too long.", field: "name")
    let data = Data(refusal.problem(request: "7f"))
    let value = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(value["status"] as? Int == 400 && value["code"] as? String == "bad-field")
    #expect(value["detail"] as? String == refusal.detail && value["field"] as? String == "name")
    #expect(value["title"] as? String == "Bad request" && value["request"] as? String == "7f")
  }

  @Test func `every error status has a title`() {
    for status in 400..<600 { #expect(!Refusal.title(ofStatus: status).isEmpty) }
  }
}
