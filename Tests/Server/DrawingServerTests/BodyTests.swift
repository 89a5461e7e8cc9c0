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

  /// The maximum number of values in a message that consists of little else.
  private static let count = Fields.valueLimit(byteCount: 0)

  @Test(arguments: [
    ("{}", 1), ("[]", 1), ("1", 1), ("null", 1), ("\"\"", 1), ("[[],[],[]]", 4), ("{\"a\":{}}", 2),
  ])
  func `values are counted before they are allocated`(_ item: String, _ values: Int) throws {
    _ = try Fields(json: Array("{\"a\":\(Self.list(item, Self.count / values - 2))}".utf8))
    #expect(throws: JSONError.self) {
      try Fields(json: Array("{\"a\":\(Self.list(item, Self.count * 2))}".utf8))
    }
  }

  @Test func `CBOR and JSON bodies have the same limit on values`() throws {
    for (count, isTaken) in [(Self.count - 100, true), (Self.count * 2, false)] {
      let fields = Fields([("a", .list([FieldValue](repeating: .null, count: count)))])
      #expect(((try? Fields(message: fields.bytes)) != nil) == isTaken)
      #expect(((try? Fields(json: fields.json)) != nil) == isTaken)
      // Stored documents are read with any number of values.
      #expect(try Fields(bytes: fields.bytes) == fields)
    }
    // Longer texts allow more values.
    let texts = Fields([
      (
        "a",
        .list([FieldValue](repeating: "a text of some thirty characters", count: Self.count * 4))
      )
    ])
    #expect(try Fields(message: texts.bytes) == texts)
    #expect(try Fields(json: texts.json) == texts)
  }

  @Test func `sync answers a body of too many values with a refusal`() throws {
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
    // A change whose document has this many values, as nested bytes.
    let nested = Fields([
      ("version", 1),
      ("changes", .list([.list(["moodEntries/a", 0, .bytes(many.bytes)])])),
    ])
    let refused = try server.send(
      "POST", "/v1/users/ann/sync", [("Content-Type", "application/cbor")], body: nested.bytes)
    #expect(refused.status == 400)
  }
}
