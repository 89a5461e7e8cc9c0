import Foundation
import TestSupport
import Testing

/// Event files as inputs of all commands.
struct EventFileCommandTests {
  private let folder: TemporaryFolder

  /// Two strokes, the second of which is undone.
  private static let lines = [
    #"{"format": "pentimento-events", "version": 1, "canvas": {"size": [40, 30]}}"#,
    #"{"event": "begin", "time": 5, "points": [[5, 5, 0], [35, 25, 0.1]]}"#,
    #"{"event": "end"}"#,
    #"{"event": "begin", "time": 9, "points": [[9, 9, 0], [9, 20, 0.1]]}"#,
    #"{"event": "end"}"#,
    #"{"event": "undo", "time": 12}"#,
  ]

  init() throws {
    folder = try TemporaryFolder()
    try write("a", Self.lines)
    // An invalid line between the strokes.
    try write("bad", Self.lines[..<3] + [#"{"event": "jump"}"#] + Self.lines[3...])
  }

  private func write(_ name: String, _ lines: some Sequence<String>) throws {
    let text = lines.map { $0 + "\n" }.joined()
    try Data(text.utf8).write(to: folder.file(name + ".jsonl"))
  }

  private func sh(_ script: String) throws -> Program.Result {
    try Program.shell(script, in: folder.url)
  }

  @Test func `commands read events as the recording that they describe`() throws {
    let result = try sh(
      """
      pkd record --quiet page.pkd < a.jsonl
      pkd convert a.jsonl b.pkd; pkd cat b.pkd > b.txt; pkd cat a.jsonl | cmp - b.txt
      for name in a.jsonl page.pkd; do pkd render $name -o $name.png; done
      cmp a.jsonl.png page.pkd.png; pkd render - -o stream.png < a.jsonl; cmp stream.png page.pkd.png
      pkd replay a.jsonl --every-stroke -o frames/%d.png; ls frames | wc -l
      pkd verify a.jsonl
      pkd info a.jsonl | grep -e format -e strokes
      """)
    #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
    let words = result.text.split { $0.isWhitespace }.joined(separator: " ")
    #expect(
      words.hasSuffix("a.jsonl: ok (1 stroke, 2 points) format events, version 1 strokes 1"),
      "\(words)")
  }

  @Test func `events that are converted to events stay the same`() throws {
    let result = try sh(
      """
      pkd convert a.jsonl b.jsonl; pkd convert b.jsonl c.pkd; pkd convert c.pkd d.jsonl
      cmp b.jsonl d.jsonl; pkd convert --to events b.jsonl - | cmp - b.jsonl; grep -c undo d.jsonl
      """)
    #expect(result.code == 0 && result.text == "1\n", "\(result.errors)")
  }

  @Test func `a damaged event line is reported and loses no other`() throws {
    let result = try sh(
      """
      pkd verify bad.jsonl || echo $?
      pkd render bad.jsonl -o bad.png || echo $?; pkd render a.jsonl -o a.png; cmp a.png bad.png
      pkd cat bad.jsonl > bad.txt || echo $?; pkd cat a.jsonl | cmp - bad.txt
      pkd convert bad.jsonl bad.pkd || echo $?; ls *.pkd 2> /dev/null || true
      pkd convert --salvage bad.jsonl bad.pkd && pkd verify bad.pkd
      """)
    // The recording keeps the undone stroke.
    #expect(
      result.text.split(separator: "\n").filter { $0 == "65" }.count == 4
        && result.text.hasSuffix("\nbad.pkd: ok (2 strokes, 4 points)\n"), "\(result.text)")
    #expect(result.errors.contains("line 4: the event 'jump' is not known"))
    #expect(result.errors.contains("--salvage converts them"))
  }

  @Test func `an event file that ends within a stroke keeps its points`() throws {
    try write("cut", Self.lines[..<2])
    let result = try sh("pkd info cut.jsonl | grep -c 'points *2'")
    #expect(result.text == "1\n", "\(result)")
  }

  @Test func `an event file of a later version and other JSON are refused`() throws {
    try write("later", [#"{"format": "pentimento-events", "version": 99}"#])
    let later = try sh("pkd info later.jsonl")
    #expect(later.code == 65 && later.errors.contains("version"), "\(later.errors)")
    try write("other", [#"{"event": "begin", "time": 5, "points": [[5, 5]]}"#])
    #expect(try sh("pkd render other.jsonl -o a.png").code == 65)
  }
}
