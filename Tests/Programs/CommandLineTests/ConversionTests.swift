import Foundation
import TestSupport
import Testing

/// The input that `pkd convert` refuses, and the files that it leaves.
struct ConversionTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try Data(#"{"strokes": [{"points": [{"x": 1, "y": 2}, {"x": 30, "y": 9}]}]}"#.utf8)
      .write(to: folder.file("page.json"))
    let made = try sh("pkd convert page.json page.pkd; pkd convert page.json p.drawing")
    try #require(made.code == 0, "\(made)")
  }

  private func sh(_ script: String) throws -> Program.Result {
    try Program.shell(script, in: folder.url)
  }

  @Test(arguments: ["p.drawing", "soft.drawing", "hard.drawing"])
  func `converting a drawing to another format does not overwrite it`(_ output: String) throws {
    let result = try sh(
      """
      ln -s p.drawing soft.drawing; ln p.drawing hard.drawing; cp p.drawing before
      for format in quickdraw svg json pencilkit; do
        pkd convert p.drawing \(output) --to $format || echo $?
      done
      cmp p.drawing before; ls -A | grep tmp || true
      """)
    #expect(result.text == "2\n2\n2\n2\n", "\(result)")
    let line = "pkd: \(output): this is the drawing itself\n"
    #expect(result.errors == String(repeating: line, count: 4))
  }

  @Test func `our own formats can be converted in place`() throws {
    let result = try sh(
      """
      pkd convert page.pkd page.pkd --profile compact && pkd info page.pkd | grep -c compact
      pkd convert page.json page.json && pkd verify -q page.json
      """)
    #expect(result.code == 0 && result.text == "1\n", "\(result)")
  }

  @Test func `an output that cannot be written does not prevent the others`() throws {
    let result = try sh(
      """
      mkdir out out/a.svg; cp page.pkd a.pkd; cp page.pkd b.pkd
      pkd convert -f a.pkd b.pkd --to svg -o out/ || echo $?; ls out
      """)
    #expect(result.text == "1\na.svg\nb.svg\n", "\(result)")
  }

  @Test(.enabled(if: geteuid() == 0, "only root may give files away"))
  func `converting in place keeps a file's owner`() throws {
    let result = try sh(
      """
      chown 12345:12346 page.pkd; chmod 640 page.pkd
      pkd convert page.pkd page.pkd --profile compact; stat -c '%u %g %a' page.pkd
      """)
    #expect(result.code == 0 && result.text == "12345 12346 640\n", "\(result)")
  }

  @Test func `an interrupted conversion leaves no temporary file`() throws {
    let line = #"{"key_id": "1", "drawing": [[[0, 7, 9], [5, 8, 3]]]}"# + "\n"
    try Data(String(repeating: line, count: 20_000).utf8).write(to: folder.file("many.ndjson"))
    let result = try sh(
      """
      mkdir out
      pkd convert -q many.ndjson --to pkd -o out/ & run=$!
      for turn in $(seq 2000); do [ -n "$(ls -A out)" ] && break; done
      kill -INT $run; code=0; wait $run || code=$?; echo $code; ls -A out | grep tmp || true
      """)
    #expect(result.text == "130\n", "\(result)")
  }

  @Test(
    arguments: [
      ("--annotations page.pkd a.svg", "--annotations is for .pdf files, not for svg"),
      ("--precision 3 page.pkd a.pdf", "--precision is for .svg files, not for pdf"),
      ("--flat page.pkd a.json", "--flat is for .svg and .pdf files"),
      ("--frame page page.json a.svg", "the drawing has no page"),
      ("--frame page page.json a.pdf", "the drawing has no page"),
      ("--region 1e300,1e300,1,1 page.json a.svg", ""),
      ("page.pkd page.json -o x.pkd", "'x.pkd' is not a folder for 2 inputs"),
      ("page.pkd page.json --to pkd -o x.pkd", "several inputs need -o FOLDER/"),
    ])
  func `convert refuses options that it cannot apply`(_ line: String, _ message: String) throws {
    let result = try sh("pkd convert \(line) || echo $?; ls")
    #expect(result.text == "2\np.drawing\npage.json\npage.pkd\n", "\(result)")
    #expect(!result.errors.isEmpty && (message.isEmpty || result.errors.contains(message)))
  }

  @Test func `control characters in names, options and data never reach the terminal`() throws {
    let escape = "e\u{1B}[31m\u{9B}2J\n\u{7F}"
    let shown = "e\u{FFFD}[31m\u{FFFD}2J\u{FFFD}\u{FFFD}"
    for words in [
      ["info", escape], ["render", escape], [escape], ["info", "--\(escape)", "x"],
      ["convert", "page.pkd", escape], ["render", "page.pkd", "--size", escape],
      ["info", "--from", escape, "x"],
    ] {
      let result = try Program.run("pkd", words, in: folder.url)
      let text = result.errors.replacing("\nTry ", with: "").dropLast()
      #expect(result.code != 0 && text.contains(shown), "\(text)")
      #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }
    let result = try Program.run("pkd", ["convert", "page.pkd", "\u{9B}2J.pkd"], in: folder.url)
    #expect(result.code == 0)
    let info = try Program.run("pkd", ["info", "--json", "\u{9B}2J.pkd"], in: folder.url)
    #expect(info.text.contains(#""\u009b2J.pkd""#))
    let json = try JSONSerialization.jsonObject(with: info.output) as? [String: Any]
    #expect(json?["file"] as? String == "\u{9B}2J.pkd")
  }

  @Test func `a conversion reports that an archive's bytes are lost`() throws {
    let lost = "does not give back all of the archive's bytes"
    // An unknown field.
    _ = try sh("printf '\\370\\007\\001' >> p.drawing")
    let whole = try sh(
      "pkd convert p.drawing a.pkd && pkd convert a.pkd a.json && pkd convert a.json b.drawing")
    #expect(whole.code == 0 && whole.errors.isEmpty, "\(whole)")
    #expect(try sh("cmp p.drawing b.drawing").code == 0)
    for input in ["p.drawing", "a.pkd", "a.json"] {
      let result = try sh("pkd convert \(input) \(input).jsonl")
      #expect(result.code == 0 && result.errors.contains(lost), "\(result)")
    }
    // An intended loss is reported only with --verbose.
    for option in ["--ink-only", "--profile sensor"] {
      #expect(try sh("pkd convert \(option) a.pkd c.pkd").errors.isEmpty)
    }
    #expect(try sh("pkd convert -v --ink-only a.pkd c.pkd").errors.contains(lost))
    let database = try sh(
      "(printf '\\001'; cat p.drawing) > d.drawing; pkd convert d.drawing d.pkd")
    #expect(database.code == 0 && database.errors.contains("without the byte"), "\(database)")
  }

  @Test func `a conversion to an archive reports lost properties of the page`() throws {
    let text = """
      {"canvas": {"size": [400, 300], "metadata": {"paper": "grid", "title": "Tea"}},
       "strokes": [{"points": [{"x": 1, "y": 2}, {"x": 30, "y": 9}]}]}
      """
    try Data(text.utf8).write(to: folder.file("tea.json"))
    let errors = try sh("pkd convert tea.json tea.drawing").errors
    for part in ["extent", "paper", "title"] { #expect(errors.contains(part), "\(errors)") }
  }
}
