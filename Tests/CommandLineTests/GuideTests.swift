import Foundation
import TestSupport
import Testing

/// The commands in the README and the guides, all of which must work unchanged.
struct GuideTests {
  /// A page and the environment of its commands.
  static let pages = [
    "README.md", "docs/guides/convert.md", "docs/guides/operate.md", "docs/guides/render.md",
    "docs/guides/replay.md",
  ]

  /// A command of a page, and its line.
  struct Command: CustomStringConvertible {
    let line: Int
    let text: String
    var description: String { "line \(line): \(text)" }
  }

  /// The commands of a page: lines of its code blocks, and whole cells of its tables. Blocks of other languages
  /// have none; in cron blocks each command follows the times and the user, and variables are replaced.
  static func commands(of text: String) -> [Command] {
    var commands: [Command] = []
    var block: String?
    var variables: [(name: String, value: String)] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line.hasPrefix("```") {
        block = block == nil ? String(line.dropFirst(3)) : nil
        continue
      }
      switch block {
      case ""?:
        // The rest is for the reader.
        let command = line.components(separatedBy: "  #")[0].trimmingCharacters(in: .whitespaces)
        commands.append(Command(line: index + 1, text: command))
      case "cron"?:
        let fields = line.split(separator: " ", maxSplits: 6, omittingEmptySubsequences: true)
        guard fields.count == 7 else {
          let parts = line.split(separator: "=", maxSplits: 1).map { String($0) }
          if parts.count == 2 { variables.append((parts[0], parts[1])) }
          continue
        }
        let text = fields[6].replacingOccurrences(of: "\\%", with: "%")
        commands.append(
          Command(
            line: index + 1,
            text: variables.reduce(text) {
              $0.replacingOccurrences(of: "$" + $1.name, with: $1.value)
            }))
      case nil where line.hasPrefix("|"):
        let cells = line.replacingOccurrences(of: "\\|", with: "\u{1}").split(separator: "|")
        for cell in cells {
          let code = cell.split(separator: "`", omittingEmptySubsequences: false)
          guard code.count >= 3, code[0].allSatisfy({ $0 == " " }) else { continue }
          commands.append(
            Command(line: index + 1, text: code[1].replacingOccurrences(of: "\u{1}", with: "|")))
        }
      default: break
      }
    }
    return commands.filter { $0.text.hasPrefix("pkd ") || $0.text.hasPrefix(".build/release/pkd ") }
  }

  /// Other programs that a command needs, and that not every machine has.
  private static let needs = [
    "ffmpeg": "ffmpeg", ".mp4": "ffmpeg", ".webm": "ffmpeg", "cwebp": "cwebp",
    "pnmtops": "pnmtops", "curl": "curl",
  ]

  @Test(arguments: pages)
  func `every command of a page works unchanged`(_ page: String) throws {
    let text = try String(contentsOf: Corpus.project.appendingPathComponent(page), encoding: .utf8)
    let commands = Self.commands(of: text)
    #expect(commands.count >= 10, "\(page): few commands were found")
    let folder = try TemporaryFolder()
    try Self.furnish(folder)
    for command in commands {
      if command.text.contains(" play ") { continue }  // it wants a terminal
      if let need = Self.needs.first(where: { command.text.contains($0.key) })?.value,
        try Program.shell("command -v \(need)", in: folder.url).code != 0
      {
        print("skipped without \(need): \(command)")
        continue
      }
      // Absolute paths are moved below the folder, and the program is the built one.
      var script = command.text.replacingOccurrences(of: ".build/release/pkd", with: "pkd")
      for prefix in ["/tmp/", "/srv/", "/backups"] {
        script = script.replacingOccurrences(of: " \(prefix)", with: " \(folder.url.path)\(prefix)")
      }
      // Rows of a table are alternatives, not steps: each starts without the files of the others.
      script = "rm -rf *.png *.apng pictures thumbnails icons frames; " + script
      script = "PATH=\"$PWD/bin:$PATH\"; " + script
      if script.contains("pkd record ") || script.contains("pkd repair ") {
        script += " </dev/null"
      }
      // All of the measurements take seconds; that one run of each works is enough here.
      if command.text.contains("pkd bench"), !RunLength.isLong { script += " --runs 1" }
      let result = try Program.shell(script, in: folder.url)
      #expect(result.code == 0, "\(page), \(command): \(result.errors)")
      let isQuiet = !command.text.contains("--quiet") || result.text + result.errors == ""
      #expect(isQuiet, "\(page), \(command) says: \(result.text)\(result.errors)")
    }
  }

  /// Creates the files that the pages mention in a folder.
  private static func furnish(_ folder: TemporaryFolder) throws {
    let samples = Corpus.project.appendingPathComponent("Samples").path
    let script = """
      mkdir -p tmp srv backups Samples notes/2026 bucket/users/eve/drawings/x
      cp "$1"/*.pkd Samples/
      cp Samples/mood.pkd page.pkd
      cp Samples/mood.pkd notes/2026/
      cp Samples/mood.pkd bucket/users/eve/drawings/x/recording.pkd
      pkd convert --quiet page.pkd page.drawing
      pkd convert --quiet page.pkd one.ndjson
      cat one.ndjson one.ndjson one.ndjson > cat.ndjson
      pkd convert --quiet cat.ndjson notes.xopp
      pkd store submit page.pkd --uid demo --root Samples/out/store --quiet
      pkd store submit page.pkd --uid old --root other --quiet
      pkd store backup -o backups/ink.tar --root other --quiet
      mkdir bin
      # On Mondays there are summaries to deliver, and the address of the guide does not exist.
      printf '#!/bin/sh\ncat > /dev/null; echo 204\n' > bin/curl
      chmod +x bin/curl
      """
    let result = try Program.shell(script, samples, in: folder.url)
    #expect(result.code == 0, "\(result.errors)")
  }

  @Test(arguments: pages)
  func `no command of a page is longer than 80 columns`(_ page: String) throws {
    let text = try String(contentsOf: Corpus.project.appendingPathComponent(page), encoding: .utf8)
    var isCode = false
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line.hasPrefix("```") { isCode.toggle() }
      #expect(!isCode || line.count <= 80, "\(page), line \(index + 1): \(line.count) columns")
    }
  }

  @Test func `commands are found in blocks, tables and lines of cron`() {
    let page = """
      ```
      pkd info a.pkd   # what it is
      Samples/render
      ```
      | to | type |
      |---|---|
      | draw | `pkd render - < a.pkd \\| cat` and more |
      ```cron
      ROOT=r
      30 3 * * * ink pkd store stats --root $ROOT-$(date +\\%F)
      ```
      ```swift
      pkd()
      ```
      """
    #expect(
      Self.commands(of: page).map(\.text) == [
        "pkd info a.pkd", "pkd render - < a.pkd | cat", "pkd store stats --root r-$(date +%F)",
      ])
  }
}
