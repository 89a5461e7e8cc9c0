import Foundation
import TestSupport
import Testing

/// Compares `docs/configuration.md` with the sources and with the help of the commands.
struct ConfigurationTests {
  private let page: String
  private let sources = Corpus.project.appendingPathComponent("Sources")

  init() throws {
    page = try String(
      contentsOf: Corpus.project.appendingPathComponent("docs/configuration.md"), encoding: .utf8)
  }

  /// The first cells of the table below a heading.
  private func rows(_ heading: String) throws -> [String] {
    let part = try #require(page.components(separatedBy: "\n## \(heading)\n").dropFirst().first)
    return part.components(separatedBy: "\n## ")[0].split(separator: "\n")
      .filter { $0.hasPrefix("| `") }.compactMap { $0.split(separator: "|").first.map(String.init) }
  }

  /// The variables that the sources read by name.
  private func askedFor() throws -> Set<String> {
    let pattern = try Regex(#"(?:variable|getenv|environ\.get)\("([A-Z_]+)""#)
    let files = try #require(
      FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    ).compactMap { $0 as? URL }.filter {
      ["swift", "py", "c"].contains($0.pathExtension) && !$0.path.contains("/tests/")
    }
    #expect(files.count > 500)
    return try files.reduce(into: []) { names, file in
      let text = try String(contentsOf: file, encoding: .utf8)
      // Compressed files of pages are long, and contain no code.
      guard text.utf8.count < 200_000 else { return }
      for match in text.matches(of: pattern) {
        names.insert(String(match.output[1].substring ?? ""))
      }
    }
  }

  @Test func `every environment variable is on the page and in the manual`() throws {
    let manual = try Program.run("pkd", ["man"]).text.replacingOccurrences(of: "\\-", with: "-")
    let cells = try rows("Environment variables")
    let names = try askedFor()
    #expect(names.count > 12)
    for name in names {
      #expect(cells.contains { $0.contains("`\(name)`") }, "\(name)")
      #expect(manual.contains(name), "\(name)")
    }
    // Unused variables are not listed either. The names of settings are made from the options'
    // names.
    for cell in cells {
      for name in cell.split(separator: "`").map(String.init) where name.first?.isLetter == true {
        let isSetting = ["PENTIMENTO_ROOT", "PENTIMENTO_…"].contains(name)
        #expect(isSetting || name.hasPrefix("PG") || names.contains(name), "\(name)")
      }
    }
  }

  @Test func `the settings of the server are the options of its command`() throws {
    let help = try Program.run("pkd", ["serve", "--help"]).text
    let options = help.components(separatedBy: "Options:\n")[1].split(separator: "\n")
      .filter { $0.hasPrefix("      --") }
      .compactMap { $0.split(separator: " ").first.map { String($0.dropFirst(2)) } }
    let general = ["config", "version"]
    #expect(
      try rows("Settings of the server").sorted()
        == options.filter { !general.contains($0) }.map { " `\($0)` " }.sorted())
  }

  @Test(
    arguments: [
      "LINK_HOURS=0", "ORIGINS=foo", "ORIGINS=https://a.test/,*",
      "TRUSTED_PROXIES=x", "TRUSTED_PROXIES=10.0.0.1,10.0.0.256", "PUBLIC_URL=foo",
      "PUBLIC_URL=https://a.test/",
    ])
  func `a variable with a wrong value is named, and no server begins`(
    _ variable: String
  ) throws {
    let parts = variable.split(separator: "=").map(String.init)
    let folder = try TemporaryFolder()
    let result = try Program.run(
      "pkd", ["serve", "--listen", "127.0.0.1:0"],
      environment: ["PENTIMENTO_\(parts[0])": parts[1]], in: folder.url)
    #expect(result.code == 2 && result.errors.contains("PENTIMENTO_\(parts[0])"), "\(result)")
  }

  @Test func `the settings of a service are those that its command shows, with their defaults`()
    throws
  {
    let folder = try TemporaryFolder()
    let root = folder.file("ink").path
    _ = try Program.run("pkd", ["store", "init", "--root", root])
    let list = try Program.run("pkd", ["store", "settings", "--root", root]).text
    let names = list.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
    #expect(names.count > 8)
    #expect(try rows("Settings of a service") == names.map { " `\($0)` " })
    for name in names {
      let value = try Program.run(
        "pkd", ["store", "settings", name, "--root", root, "--json"]
      ).text
      let line = page.split(separator: "\n").first { $0.hasPrefix("| `\(name)` |") }
      let cell = try #require(line?.split(separator: "`").dropFirst(3).first)
      #expect(value.contains(cell), "\(name): \(value)")
    }
  }
}
