import DrawingServices
import Foundation
import JSON
import Storage
import TestSupport
import Testing

/// Bodies that are small as text and large in memory.
struct BodyTests {
  private static func list(_ item: String, _ count: Int) -> String {
    "[" + String(repeating: item + ",", count: count - 1) + item + "]"
  }

  /// As many as a message may have that is hardly longer than they are.
  private static let count = Fields.valueLimit(byteCount: 0)

  @Test(arguments: [
    ("{}", 1), ("[]", 1), ("1", 1), ("null", 1), ("\"\"", 1), ("[[],[],[]]", 4), ("{\"a\":{}}", 2),
  ])
  func `values are counted before they take memory`(_ item: String, _ values: Int) throws {
    _ = try Fields(json: Array("{\"a\":\(Self.list(item, Self.count / values - 2))}".utf8))
    #expect(throws: JSONError.self) {
      try Fields(json: Array("{\"a\":\(Self.list(item, Self.count * 2))}".utf8))
    }
  }

  @Test func `a message has as many values as its size allows, whatever its form`() throws {
    for (count, isTaken) in [(Self.count - 100, true), (Self.count * 2, false)] {
      let fields = Fields([("a", .list([FieldValue](repeating: .null, count: count)))])
      #expect(((try? Fields(message: fields.bytes)) != nil) == isTaken)
      #expect(((try? Fields(json: fields.json)) != nil) == isTaken)
      // What is stored is read whatever its number of values is.
      #expect(try Fields(bytes: fields.bytes) == fields)
    }
    // Longer texts, more values.
    let texts = Fields([
      (
        "a",
        .list([FieldValue](repeating: "a text of some thirty characters", count: Self.count * 4))
      )
    ])
    #expect(try Fields(message: texts.bytes) == texts)
    #expect(try Fields(json: texts.json) == texts)
  }

  @Test func `sync refuses a body of many values with an answer`() throws {
    let server = try TestServer()
    let many = Fields([
      ("version", 1), ("x", .list([FieldValue](repeating: .null, count: 500_000))),
    ])
    let binary = try server.send(
      "POST", "/v1/users/ann/sync", [("Content-Type", "application/cbor")], body: many.bytes)
    #expect(binary.status == 413 && binary.code == "too-many-values")
    let text = try server.send(
      "POST", "/v1/users/ann/sync", [("Content-Type", "application/json")],
      body: Array("{\"version\":1,\"x\":\(Self.list("{}", 500_000))}".utf8))
    #expect(text.status == 400 && text.text.contains("too many values"))
    // A change whose document is one, in its own bytes.
    let nested = Fields([
      ("version", 1),
      ("changes", .list([.list(["moodEntries/a", 0, .bytes(many.bytes)])])),
    ])
    let refused = try server.send(
      "POST", "/v1/users/ann/sync", [("Content-Type", "application/cbor")], body: nested.bytes)
    #expect(refused.status == 400)
  }
}
