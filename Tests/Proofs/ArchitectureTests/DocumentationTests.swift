import Foundation
import TestSupport
import Testing

/// The pages of the documentation, as a reader finds them.
struct DocumentationTests {
  private static func pages() throws -> [String] {
    let others = try ["docs", "Sources", "Samples", "Tests"].flatMap { folder in
      try FileManager.default.subpathsOfDirectory(
        atPath: Corpus.project.appendingPathComponent(folder).path
      ).map { "\(folder)/\($0)" }
    }
    // Pages of a `.docc` folder link to symbols.
    return ["README.md"] + others.filter { $0.hasSuffix(".md") && !$0.contains(".docc/") }
  }

  /// The lines of a page without those of its code blocks.
  private static func prose(_ page: String) throws -> [Substring] {
    var isCode = false
    return try ArchitectureTests.text(page).split(separator: "\n").filter { line in
      if line.hasPrefix("```") { isCode.toggle() }
      return !isCode && !line.hasPrefix("```")
    }
  }

  /// The names by which links find the headings of a page: lower case, hyphens for spaces, and no other marks.
  private static func anchors(of page: String) throws -> Set<String> {
    var counts: [String: Int] = [:]
    var anchors: Set<String> = []
    for line in try prose(page) {
      anchors.formUnion(line.matches(of: /<a (?:id|name)="([^"]+)"/).map { String($0.output.1) })
      guard let heading = line.wholeMatch(of: #/#+ (.*)/#)?.output.1 else { continue }
      let text = heading.replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.output.1) }
      let name = String(
        text.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
          .map { $0 == " " ? "-" : $0 })
      let count = counts[name, default: 0]
      counts[name] = count + 1
      anchors.insert(count == 0 ? name : "\(name)-\(count)")
    }
    return anchors
  }

  @Test func `every link of the documentation leads to a page, a file or a heading`() throws {
    var known: [String: Set<String>] = [:]
    var count = 0
    for page in try Self.pages() {
      let folder = URL(fileURLWithPath: "/" + page).deletingLastPathComponent()
      for line in try Self.prose(page) {
        for link in line.matches(of: /\]\(([^)\s]+)\)/).map({ $0.output.1 })
        where !link.contains(/^[a-z]+:/) {
          let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
          let target =
            parts[0].isEmpty
            ? page
            : String(folder.appendingPathComponent(String(parts[0])).standardized.path.dropFirst())
          let exists = FileManager.default.fileExists(
            atPath: Corpus.project.appendingPathComponent(target).path)
          #expect(exists, "\(page): \(link)")
          count += 1
          guard exists, parts.count == 2, target.hasSuffix(".md") else { continue }
          if known[target] == nil { known[target] = try Self.anchors(of: target) }
          #expect(known[target]?.contains(String(parts[1])) == true, "\(page): \(link)")
        }
      }
    }
    #expect(count > 200)
  }

  @Test func `the documentation has at most sixty pages`() throws {
    let pages = try Self.pages().filter { $0 == "README.md" || $0.hasPrefix("docs/") }
    let words = try pages.reduce(0) { count, page in
      try count + ArchitectureTests.text(page).split { $0.isWhitespace }.count
    }
    #expect(pages.count <= 60 && words <= 57_500, "\(pages.count) pages of \(words) words")
    let lines = try ArchitectureTests.text("README.md").split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 121)
  }

  @Test func `each decision has a number of its own, and the table lists all of them`() throws {
    var numbers: [Int] = []
    for area in ["engine", "formats", "service", "web", "programs"] {
      let found = try Self.prose("docs/decisions/\(area).md").compactMap { line in
        line.prefixMatch(of: #/## (\d+)\. /#).flatMap { Int($0.output.1) }
      }
      #expect(found == found.sorted(), "\(area)")
      numbers += found
    }
    #expect(numbers.sorted() == Array(1...numbers.count))
    let rows = try Self.prose("docs/decisions/README.md").filter { $0.hasPrefix("| [") }
    #expect(rows.count == numbers.count)
  }
}
