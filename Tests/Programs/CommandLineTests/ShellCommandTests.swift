import Foundation
import TestSupport
import Testing

/// The completions of `pkd` for shells, and its manual page.
struct ShellCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The completions of bash for the last of some words.
  private func offers(_ words: String...) throws -> [String] {
    let list = words.map { "'\($0)'" }.joined(separator: " ")
    let result = try Program.shell(
      """
      pkd completions bash > script
      bash -c 'compopt() { :; }; source ./script
        COMP_WORDS=(pkd "$@"); COMP_CWORD=$#; _pkd; printf "%s\\n" "${COMPREPLY[@]}"' bash \(list)
      """, in: folder.url)
    #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
    return result.text.split(separator: "\n").map(String.init)
  }

  @Test func `bash completes commands, verbs, options, their values and files`() throws {
    try Data().write(to: folder.file("page.drawing"))
    #expect(try offers("ren") == ["render"])
    #expect(try offers("store", "sub") == ["submit"])
    #expect(try offers("render", "--sty") == ["--style"])
    #expect(try offers("render", "--style", "d") == ["dark"])
    #expect(try offers("render", "pa") == ["page.drawing"])
    #expect(try offers("render", "-o", "pa") == ["page.drawing"])
    #expect(try offers("help", "thumb") == ["thumbnail"])
    #expect(try offers("completions", "z") == ["zsh"])
    #expect(try offers("store", "checkin", "pl") == ["planets"])
    #expect(try offers("nonsense", "a") == [])
    #expect(try offers("render", "--size", "p") == [])
  }

  @Test func `completions for all shells offer every command and option`() throws {
    let help = try Program.run("pkd", ["--help"]).text
    let lists = try #require(help.components(separatedBy: "\nCommands:\n").last)
    let commands = lists.split(separator: "\n").filter {
      $0.hasPrefix("  ") && !$0.hasPrefix("   ")
    }
    .compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(commands.count > 20)
    for shell in ["bash", "zsh", "fish"] {
      let script = try Program.run("pkd", ["completions", shell]).text
      for command in commands { #expect(script.contains(command), "\(shell): \(command)") }
      for option in ["thumbnail-size", "skip-done", "older-than", "store-links"] {
        #expect(script.contains(option), "\(shell): \(option)")
      }
    }
    #expect(try Program.run("pkd", ["completions", "csh"]).code == 2)
  }

  @Test(arguments: [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")])
  func `completion scripts are valid for their shells`(_ shell: String, _ option: String) throws {
    let result = try Program.shell(
      """
      if command -v \(shell) >/dev/null; then
        pkd completions \(shell) > script && \(shell) \(option) script
      else echo 'skipped: there is no \(shell)'; fi
      """, in: folder.url)
    #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
  }

  @Test func `the manual page has all commands and options, and groff finds nothing wrong`() throws
  {
    let page = try Program.run("pkd", ["man"]).text
    for text in [".SS pkd render", ".SS pkd store sweep", "\\-\\-older\\-than SECONDS", ".SH EXIT"]
    {
      #expect(page.contains(text), "\(text)")
    }
    // No line may begin with an unknown request.
    let requests = Set(
      page.split(separator: "\n").filter { $0.hasPrefix(".") }.map { $0.prefix { $0 != " " } })
    #expect(
      requests.isSubset(
        of: [
          ".\\\"", ".TH", ".SH", ".SS", ".B", ".I", ".RI", ".PP", ".ad", ".TP", ".RS", ".RE", ".nf",
          ".fi",
        ]))
    let result = try Program.shell(
      "if command -v groff >/dev/null; then pkd man | groff -man -Tutf8 -ww >/dev/null; fi",
      in: folder.url)
    #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
  }

  @Test func `an installed pkd works from its new path and lists its files`() throws {
    let result = try Program.shell(
      """
      pkd install --dry-run --prefix there; [ ! -e there ] && echo nothing
      pkd install --prefix there > list; xargs ls < list > /dev/null && echo all
      cd there; PATH=$PWD/bin:$PATH bin/pkd --version; stat -c %a bin/pkd share/man/man1/pkd.1
      bin/pkd install --prefix ../there | wc -l
      bin/pkd install --prefix '' || echo $?
      (umask 077; bin/pkd install --prefix ../other > /dev/null; stat -c '%a bin' ../other/bin)
      """, in: folder.url)
    #expect(result.code == 0, "\(result)")
    let lines = result.text.split(separator: "\n").map(String.init)
    #expect(lines.first == "there/bin/pkd" && lines.contains("nothing") && lines.contains("all"))
    #expect(
      lines.contains { $0.hasPrefix("pkd 0.") } && lines.contains("755") && lines.contains("644"))
    #expect(
      result.errors.contains("export PATH=\"$PWD\"/'there/bin':\"$PATH\""), "\(result.errors)")
    #expect(result.errors.contains("--prefix needs a folder") && lines.contains("2"))
    #expect(lines.contains(geteuid() == 0 ? "755 bin" : "700 bin"))
  }

  @Test func `pkd doctor reports working parts and missing programs`() throws {
    let result = try Program.shell(
      "PATH=$(dirname \"$(command -v pkd)\") pkd doctor", in: folder.url)
    #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
    #expect(result.text.contains("missing; for replays as .mp4 and .webm: apt install ffmpeg"))
    #expect(!result.text.contains("does not work") && result.text.contains("works"))
    let broken = try Program.shell("TMPDIR=/missing pkd doctor --json", in: folder.url)
    #expect(broken.code == 1 && broken.errors.contains("temporary files: /missing"), "\(broken)")
  }
}
