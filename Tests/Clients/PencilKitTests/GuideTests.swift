import Foundation
import PencilKit
import Testing

/// The examples of docs/guides/swift.md, and the symbols of docs/pencilkit-api.md.
struct GuideTests {
  private static let project = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: project.appendingPathComponent(path), encoding: .utf8)
  }

  @Test func `every example of the guide is compiled`() throws {
    let blocks = try Self.text("docs/guides/swift.md").components(separatedBy: "```swift\n")
      .dropFirst().compactMap { $0.components(separatedBy: "\n```").first }
    #expect(blocks.count == 5)
    try expectExamples(blocks)
  }

  @Test func `examples of the catalogue are compiled, and the symbols it names are there`() throws {
    let folder = Self.project.appendingPathComponent("Sources/Clients/PencilKit")
    let files = try #require(FileManager.default.enumerator(atPath: folder.path))
      .compactMap { $0 as? String }
    func all(_ ending: String) throws -> [String] {
      try files.filter { $0.hasSuffix(ending) }.map {
        try Self.text("Sources/Clients/PencilKit/\($0)")
      }
    }
    let pages = try all(".md")
    #expect(pages.count == 2)
    let sources = try all(".swift").joined()
    for page in pages {
      let parts = page.components(separatedBy: "```swift\n").dropFirst()
      try expectExamples(parts.compactMap { $0.components(separatedBy: "\n```").first })
      for match in page.matches(of: /``(?:\w+\/)?(\w+)``/) where match.output.1 != "PencilKit" {
        let name = match.output.1
        #expect(
          try sources.contains(
            Regex("(public|open) [a-z ]*(struct|class|enum|protocol|let|var|typealias) \(name)\\b")),
          "\(name)")
      }
    }
  }

  private func expectExamples(_ blocks: [String]) throws {
    let code = try Self.text("Tests/Clients/PencilKitTests/GuideExamples.swift")
    for block in blocks { #expect(code.contains(block), "\(block)") }
  }

  @Test func `the examples of the guide do what it says`() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).drawing")
    defer { try? FileManager.default.removeItem(at: url) }
    let drawing = signature(through: (0..<30).map { CGPoint(x: 4 * Double($0), y: 10) })
    try save(drawing, to: url)
    #expect(try open(url) == drawing)
    let data = try backup([Page(title: "A", drawing: drawing)])
    #expect(try JSONDecoder().decode([Page].self, from: data)[0].drawing == drawing)
    #expect(isClose(length(of: drawing.strokes[0]), 116, 0.01))
    let pictures = [false, true].map { thumbnail(of: drawing, isDark: $0) }
    #expect(pictures[0] != nil && pictures[1] != nil && pictures[0] != pictures[1])
    #expect(thumbnail(of: PKDrawing(), isDark: false) == nil)
    #expect(frame(of: drawing, at: 0.5).strokes[0].path.count == 16)
    #expect(frame(of: drawing, at: 1).bounds == drawing.bounds)
  }

  @Test func `the table names every public symbol of the sources`() throws {
    let table = try Self.text("docs/pencilkit-api.md")
    let words = Set(table.matches(of: /\w+/).map { String($0.output) })
    let folder = Self.project.appendingPathComponent("Sources/Clients/PencilKit")
    let files = try #require(FileManager.default.enumerator(atPath: folder.path))
      .compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
    #expect(files.count > 25)
    let declaration =
      /(?m)^\s*(?:public|open) (?:final |class |static |mutating |override |required |convenience |indirect )*(?:struct|class|enum|protocol|func|var|let|typealias) (\w+)/
    let cases = /(?m)^\s*case (\w+)/
    for file in files {
      let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      for match in text.matches(of: declaration) {
        #expect(words.contains(String(match.output.1)), "\(file): \(match.output.1)")
      }
      guard file.hasPrefix("Tools") || file.hasSuffix("PKContentVersion.swift") else { continue }
      for match in text.matches(of: cases) {
        #expect(words.contains(String(match.output.1)), "\(file): \(match.output.1)")
      }
    }
  }
}
