import Foundation
import TestSupport
import Testing

/// `pkd play` on a terminal that tmux provides. Without tmux these tests print that and do nothing.
@Suite(.serialized) struct PlayCommandTests {
  private let sample = Corpus.project.appendingPathComponent("Samples/minute.pkd").path

  @Test func `play without a terminal is wrong usage`() throws {
    let result = try Program.run("pkd", ["play", sample])
    #expect(result.code == 2 && result.errors.contains("needs a terminal"))
    #expect(result.output.isEmpty)
  }

  @Test(
    arguments: [
      (["--speed", "0"], "--speed needs a number above zero"), (["--loop", "-1"], "--loop needs"),
      (["--max-pause", "nan"], "--max-pause needs a time"),
      (["--display", "kity"], "did you mean 'kitty'?"),
    ])
  func `options that play does not support are wrong usage`(
    _ words: [String], _ message: String
  ) throws {
    let result = try Program.run("pkd", ["play", sample] + words)
    #expect(result.code == 2 && result.errors.contains(message), "\(result.errors)")
  }

  @Test func `play draws in half blocks, pauses, seeks and restores the terminal`() throws {
    guard let terminal = try Tmux() else { return }
    try terminal.play(sample, "--speed 8")
    let first = try terminal.wait { $0.contains("▀") && $0.contains(" ▶ ") }
    let second = try terminal.wait { $0 != first && $0.contains("▀") }
    #expect(first != second)
    try terminal.type("Space")
    let paused = try terminal.wait { $0.contains(" ‖ ") }
    usleep(400_000)
    #expect(try terminal.screen() == paused)
    try terminal.type("Home")
    try terminal.wait { $0.contains("0:0") && $0.contains(" ▶ ") }
    try terminal.type("+")
    try terminal.wait { $0.contains("16×") }
    try terminal.type("q")
    try terminal.expectEnd(code: 0)
  }

  @Test(arguments: [("TERM", 130), ("INT", 130), ("HUP", 130)])
  func `signals end play and restore the terminal`(_ signal: String, _ code: Int) throws {
    guard let terminal = try Tmux() else { return }
    try terminal.play(sample, "--loop 0")
    try terminal.wait { $0.contains(" ▶ ") }
    try terminal.signal(signal)
    try terminal.expectEnd(code: code)
  }

  @Test func `a trap in play restores the terminal`() throws {
    guard let terminal = try Tmux() else { return }
    try terminal.play(sample, "--loop 0")
    try terminal.wait { $0.contains(" ▶ ") }
    try terminal.signal("TRAP")
    try terminal.expectEnd(code: 128 + 5)
  }

  @Test func `play can be stopped and continued`() throws {
    guard let terminal = try Tmux() else { return }
    try terminal.play(sample, "--loop 0")
    try terminal.wait { $0.contains(" ▶ ") }
    try terminal.type("C-z")
    try terminal.wait { $0.contains("Stopped") && !$0.contains("▶") }
    try terminal.type("fg", "Enter")
    try terminal.wait { $0.contains(" ▶ ") }
    try terminal.type("q")
    try terminal.wait { $0.contains("ended") }
  }

  @Test func `play fits a terminal that changes its size`() throws {
    guard let terminal = try Tmux() else { return }
    try terminal.play(sample, "--speed 8 --loop 0")
    try terminal.wait { $0.contains(" ▶ ") && $0.contains("▀") }
    try terminal.resize(columns: 50, rows: 14)
    let screen = try terminal.wait { $0.split(separator: "\n").last?.contains("▶") ?? false }
    #expect(screen.split(separator: "\n").allSatisfy { $0.count <= 50 })
    try terminal.type("q")
    try terminal.wait { $0.contains("ended 0") }
  }

  @Test func `play can force graphics on a terminal that reports none`() throws {
    guard let terminal = try Tmux() else { return }
    try terminal.play(sample, "--speed 20 --display kitty")
    try terminal.wait { $0.contains(" ▶ ") }
    try terminal.wait { $0.contains(" ■ ") }
    try terminal.type("Escape")
    try terminal.expectEnd(code: 0)
  }
}

/// A separate terminal.
private final class Tmux {
  private let folder: TemporaryFolder
  private let socket: String

  struct Failure: Error {
    let reason: String
  }

  /// Nil if tmux is not installed.
  init?() throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/tmux") else {
      print("skipped: tmux is not installed (apt install tmux)")
      return nil
    }
    folder = try TemporaryFolder()
    socket = folder.file("tmux").path
    try run("-f", "/dev/null", "new-session", "-d", "-x", "90", "-y", "24", "bash --norc")
    try type("PS1='$ '; set +m; set -m; clear", "Enter")
    try wait { $0.hasPrefix("$") }
  }

  // Ends the session, not the server, which may miss its own signal; it ends with its last session.
  deinit { _ = try? run("kill-session") }

  @discardableResult
  private func run(_ words: String...) throws -> String {
    try run(words)
  }

  private func run(_ words: [String]) throws -> String {
    // The server must not inherit the pipe that the test process waits for.
    let script = #"""
      exec bash -c '
        for file in /proc/self/fd/*; do
          number=${file##*/}
          if [ "$number" -gt 2 ]; then eval "exec $number>&-"; fi
        done
        unset TMUX
        exec tmux -S "$@"' bash "$@"
      """#
    return try Program.shell(script, words: [socket] + words, in: folder.url).text
  }

  /// Starts `pkd play` and records the terminal settings before and after it.
  func play(_ file: String, _ options: String) throws {
    let program = Program.binary("pkd").path
    let script = """
      stty -a > before
      "\(program)" play \(options) "\(file)"
      code=$?
      stty -a > after
      echo ended $code
      """
    try script.write(to: folder.file("script"), atomically: true, encoding: .utf8)
    try type("clear; cd '\(folder.url.path)'; . ./script", "Enter")
  }

  func type(_ keys: String...) throws {
    _ = try run(["send-keys"] + keys)
  }

  func signal(_ name: String) throws {
    let shell = try run("display-message", "-p", "#{pane_pid}")
      .trimmingCharacters(in: .whitespacesAndNewlines)
    // The program is the only child of the terminal's shell.
    _ = try Program.shell(
      #"kill -"$1" $(cat /proc/"$2"/task/"$2"/children)"#, words: [name, shell], in: folder.url)
  }

  func resize(columns: Int, rows: Int) throws {
    try run("resize-window", "-x", "\(columns)", "-y", "\(rows)")
  }

  func screen() throws -> String { try run("capture-pane", "-p") }

  /// Waits until the screen fulfils a condition.
  @discardableResult
  func wait(until isRight: (String) -> Bool) throws -> String {
    var last = ""
    for _ in 0..<200 {
      last = try screen()
      if isRight(last) { return last }
      usleep(50_000)
    }
    throw Failure(reason: "the terminal shows:\n\(last)")
  }

  /// Checks that the program has ended and the terminal is restored.
  func expectEnd(code: Int) throws {
    let screen = try wait { $0.contains("ended") }
    #expect(screen.contains("ended \(code)\n"), "\(screen)")
    #expect(!screen.contains("▶") && !screen.contains("▀"))
    let (before, after) = (
      try String(contentsOf: folder.file("before"), encoding: .utf8),
      try String(contentsOf: folder.file("after"), encoding: .utf8)
    )
    #expect(before == after)
    let modes = try run("display-message", "-p", "#{cursor_flag} #{alternate_on}")
    #expect(modes == "1 0\n")
  }
}
