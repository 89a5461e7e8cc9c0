import Foundation
import HTTP
import JSON
import TestSupport
import Testing

@testable import DrawingServer

/// The description of the API, which is generated from the table of routes.
struct DescriptionTests {
  private static let file = Corpus.project.appendingPathComponent("docs/api.yaml")

  /// JSON as YAML, in the same order.
  private static func yaml(_ reader: inout JSONReader, _ indent: Int) throws(JSONError) -> String {
    let margin = String(repeating: "  ", count: indent)
    switch reader.peek() {
    case UInt8(ascii: "{"):
      var text = ""
      try reader.object { (name, reader) throws(JSONError) in
        text += "\n\(margin)\(quoted(name)):" + (try yaml(&reader, indent + 1))
      }
      return text.isEmpty ? " {}" : text
    case UInt8(ascii: "["):
      var text = ""
      try reader.list { (reader) throws(JSONError) in
        // The first line of an item follows its dash.
        let item = try yaml(&reader, indent + 1)
        let isShort = !item.hasPrefix("\n")
        text += "\n\(margin)-" + (isShort ? item : " " + item.dropFirst(1 + 2 * (indent + 1)))
      }
      return text.isEmpty ? " []" : text
    case UInt8(ascii: "\""): return " " + quoted(try reader.string())
    case UInt8(ascii: "t"), UInt8(ascii: "f"):
      let isTrue = reader.peek() == UInt8(ascii: "t")
      try reader.skip()
      return " \(isTrue)"
    default:
      let number = try reader.number()
      return " \(Int(exactly: number).map { "\($0)" } ?? "\(number)")"
    }
  }

  private static func quoted(_ text: String) -> String {
    let isPlain =
      text.first?.isLetter == true
      && text.allSatisfy { $0.isLetter || $0.isNumber || "_-/ ".contains($0) }
      && !["true", "false", "null", "yes", "no", "on", "off"].contains(text.lowercased())
    return isPlain
      ? text
      : "\""
        + text.replacingOccurrences(of: "\\", with: "\\\\")
        .replacingOccurrences(of: "\"", with: "\\\"") + "\""
  }

  @Test func `docs/api.yaml is the description that the server gives`() throws {
    var reader = JSONReader(APIDescription.json)
    let text =
      "# Made of the table of routes; TEST_RENEW=1 swift test --filter DescriptionTests writes it."
      + (try Self.yaml(&reader, 0)) + "\n"
    if ProcessInfo.processInfo.environment["TEST_RENEW"] != nil {
      try Data(text.utf8).write(to: Self.file)
    }
    #expect(try String(contentsOf: Self.file, encoding: .utf8) == text)
  }

  @Test func `every route is described once, with all its parameters`() throws {
    let root = try #require(
      try JSONSerialization.jsonObject(with: Data(APIDescription.json)) as? [String: Any])
    let paths = try #require(root["paths"] as? [String: [String: [String: Any]]])
    let schemas = try #require(
      (root["components"] as? [String: Any])?["schemas"] as? [String: Any])
    for route in Server.routes
    where !route.path.hasPrefix("/v0") && !pageRoutes.contains(where: { $0 === route }) {
      let operation = try #require(paths[route.path]?[route.method.rawValue.lowercased()])
      #expect((operation["summary"] as? String)?.isEmpty == false)
      let names = (operation["parameters"] as? [[String: Any]])?.compactMap {
        $0["name"] as? String
      }
      for segment in route.segments {
        if case .parameter(let name) = segment { #expect(names?.contains(name) == true) }
      }
      for answer in route.answers {
        guard case .json(let name) = answer.what, name != "object" else { continue }
        #expect(schemas[name] != nil, "there is no schema \(name)")
      }
    }
    let count = paths.values.reduce(0) { $0 + $1.count }
    #expect(count == Server.routes.count { !$0.path.hasPrefix("/v0") } - pageRoutes.count)
  }
}
