import Foundation
import TestSupport
import Testing

/// The commands in the README and the guides. All of them must work unchanged, and those of a page
/// in sequence.
struct GuideTests {
  /// Pages whose code blocks without a language are pasted. Blocks of `sh` need more than this
  /// package: a database, a bucket, a build or another program.
  static let pages = [
    "README.md", "docs/guides/convert.md", "docs/guides/operate.md", "docs/guides/render.md",
    "docs/guides/replay.md", "docs/guides/scale-out.md", "docs/guides/serve.md",
    "docs/guides/sync.md",
  ]

  /// A command of a page with all its lines, and the first one.
  struct Command: CustomStringConvertible {
    let line: Int
    let text: String
    var description: String { "line \(line): \(text)" }
  }

  /// The commands that a reader pastes from a page, in sequence.
  struct Pasted {
    /// The lines of blocks without a language.
    var lines: [Command] = []
    /// The commands in whole table cells, and cron commands with their variables replaced.
    var others: [Command] = []
  }

  static func pasted(from text: String) -> Pasted {
    var pasted = Pasted()
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
        if let last = pasted.lines.last, ["\\", "|", ","].contains(last.text.suffix(1)) {
          pasted.lines[pasted.lines.count - 1] = Command(
            line: last.line, text: last.text + "\n" + line)
        } else {
          pasted.lines.append(Command(line: index + 1, text: String(line)))
        }
      case "cron"?:
        // In cron each command follows the times and the user.
        let fields = line.split(separator: " ", maxSplits: 6, omittingEmptySubsequences: true)
        guard fields.count == 7 else {
          let parts = line.split(separator: "=", maxSplits: 1).map { String($0) }
          if parts.count == 2 { variables.append((parts[0], parts[1])) }
          continue
        }
        let text = fields[6].replacingOccurrences(of: "\\%", with: "%")
        pasted.others.append(
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
          pasted.others.append(
            Command(line: index + 1, text: code[1].replacingOccurrences(of: "\u{1}", with: "|")))
        }
      default: break
      }
    }
    pasted.others.removeAll {
      !$0.text.hasPrefix("pkd ") && !$0.text.hasPrefix("find ")
    }
    return pasted
  }

  /// Other programs that a command needs, and that may be missing.
  private static let needs = [
    "ffmpeg": "ffmpeg", ".mp4": "ffmpeg", ".webm": "ffmpeg", "cwebp": "cwebp",
    "pnmtops": "pnmtops", "curl": "curl",
  ]

  /// The form of a command for the test; nil if it cannot run here.
  private static func runnable(_ command: Command, in folder: URL) throws -> String? {
    let text = command.text
    // Skips commands that need a terminal, run until they are interrupted, need a clone, or select
    // the built program.
    if text.contains(" play ") || text.contains(" --watch") || text.hasPrefix("curl -N")
      || text.hasPrefix("Samples/render") || text.hasPrefix("export ")
    {
      return nil
    }
    if let need = Self.needs.first(where: { text.contains($0.key) })?.value,
      try Program.shell("command -v \(need)", in: folder).code != 0
    {
      print("skipped without \(need): \(command)")
      return nil
    }
    // Absolute paths are moved below the folder, and the program is the built one.
    var script = text.replacingOccurrences(of: ".build/release/pkd", with: "pkd")
    for prefix in ["/tmp/", "/srv/", "/backups"] {
      script = script.replacingOccurrences(of: " \(prefix)", with: " \(folder.path)\(prefix)")
    }
    // A server listens on a free port and is waited for; an error answer fails.
    script = script.replacingOccurrences(of: "http://127.0.0.1:8080", with: "$(cat address)")
      .replacingOccurrences(of: "127.0.0.1:8080", with: "127.0.0.1:0")
      .replacingOccurrences(of: "curl ", with: "curl --silent --show-error --fail ")
    if script.hasPrefix("pkd serve"), script.hasSuffix(" &") {
      script = """
        PENTIMENTO_LISTEN=127.0.0.1:0 \(script.dropLast(2)) > address &
        while kill -0 $! && [ ! -s address ]; do sleep 0.05; done
        """
    }
    // Bash calls the trap for no command behind an exclamation mark.
    if text.hasPrefix("! ") { script += " || false" }
    // All measurements take seconds; one run of each is enough here.
    if text.hasPrefix("pkd bench"), !RunLength.isLong {
      script = script.replacingOccurrences(of: "pkd bench", with: "pkd bench --runs 1")
    }
    return script
  }

  @Test(arguments: pages)
  func `the commands of a documentation page work when pasted in a row`(
    _ page: String
  ) throws {
    let text = try String(contentsOf: Corpus.project.appendingPathComponent(page), encoding: .utf8)
    let pasted = Self.pasted(from: text)
    #expect(pasted.lines.count + pasted.others.count >= 5, "\(page): few commands were found")
    let folder = try TemporaryFolder()
    try Self.furnish(folder)
    let lines = try pasted.lines.compactMap { try Self.runnable($0, in: folder.url) }
    let script =
      "trap 'echo \"failed: $BASH_COMMAND\" >&2' ERR\n" + lines.joined(separator: "\n")
      + "\nfor server in $(jobs -p); do kill $server; wait $server; done\n"
    try Data(script.utf8).write(to: folder.file("pasted"))
    let result = try Program.shell("bash pasted", in: folder.url)
    let failed = result.errors.components(separatedBy: "\n").filter { $0.hasPrefix("failed: ") }
    #expect(failed.isEmpty, "\(page): \(failed), \(result.errors)")

    for command in pasted.others {
      guard let script = try Self.runnable(command, in: folder.url) else { continue }
      let result = try Program.shell("PATH=\"$PWD/bin:$PATH\"; \(script)", in: folder.url)
      #expect(result.code == 0, "\(page), \(command): \(result.errors)")
      let isQuiet = !command.text.contains("--quiet") || result.text + result.errors == ""
      #expect(isQuiet, "\(page), \(command) says: \(result.text)\(result.errors)")
    }
  }

  /// Creates the files that readers have: the samples, as in a clone, and the folders of the
  /// system. The guide to running a service also adopts a bucket.
  private static func furnish(_ folder: TemporaryFolder) throws {
    let samples = Corpus.project.appendingPathComponent("Samples").path
    let script = """
      mkdir -p tmp srv Samples bucket/users/eve/drawings/x bin
      cp "$1"/*.pkd Samples/
      cp Samples/mood.pkd bucket/users/eve/drawings/x/recording.pkd
      pkd convert --quiet Samples/mood.pkd page.drawing
      # On Mondays there are summaries to deliver, and the address of the guide does not exist.
      printf '#!/bin/sh\ncat > /dev/null; echo 204\n' > bin/curl
      chmod +x bin/curl
      """
    let result = try Program.shell(script, samples, in: folder.url)
    #expect(result.code == 0, "\(result.errors)")
  }

  @Test(arguments: pages)
  func `no command of a documentation page is longer than 80 columns`(_ page: String) throws {
    let text = try String(contentsOf: Corpus.project.appendingPathComponent(page), encoding: .utf8)
    var block: Substring?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line.hasPrefix("```") { block = block == nil ? line.dropFirst(3) : nil }
      let isCommand = block == "" || block == "sh"
      #expect(!isCommand || line.count <= 80, "\(page), line \(index + 1): \(line.count) columns")
    }
  }

  @Test func `documented commands are found in blocks, tables and cron lines`() {
    let page = """
      ```
      pkd info a.pkd   # what it is
      cp a.pkd \\
        b.pkd
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
    let pasted = Self.pasted(from: page)
    #expect(pasted.lines.map(\.text) == ["pkd info a.pkd   # what it is", "cp a.pkd \\\n  b.pkd"])
    #expect(
      pasted.others.map(\.text) == [
        "pkd render - < a.pkd | cat", "pkd store stats --root r-$(date +%F)",
      ])
  }
}
