import Foundation
import TestSupport
import Testing

/// Runs the real `pkd`.
private func pkd(_ arguments: String..., input: Data = Data()) throws -> Program.Result {
  try Program.run("pkd", arguments, input: input)
}

/// A drawing in the JSON form with two strokes of three and two points.
private let smallDrawing = Data(
  #"""
  {"strokes": [
    {"ink": {"type": "marker", "color": [1, 0.5, 0, 1]}, "date": "2026-11-21T12:00:00Z",
     "points": [{"x": 0, "y": 0, "t": 0}, {"x": 10, "y": 0, "t": 0.5}, {"x": 20, "y": 9, "t": 1}]},
    {"ink": {"type": "pen"}, "date": "2026-11-21T12:00:02.5Z",
     "points": [{"x": 5, "y": 5, "t": 0, "force": 1}, {"x": 6, "y": 7, "t": 0.25, "force": 2}]}
  ]}
  """#.utf8)

struct CommandLineTests {
  private let folder: TemporaryFolder
  private let json: String
  private let archive: String

  init() throws {
    folder = try TemporaryFolder()
    json = folder.file("small.json").path
    archive = folder.file("small.drawing").path
    try smallDrawing.write(to: folder.file("small.json"))
  }

  // MARK: - The program

  @Test func `pkd without arguments prints its help`() throws {
    let result = try Program.run("pkd", [])
    #expect(result.code == 0 && result.text.contains("Commands:") && result.errors.isEmpty)
  }

  @Test(arguments: [["--help"], ["-h"], ["help"]])
  func `the options and the command for help print the usage`(_ words: [String]) throws {
    let result = try Program.run("pkd", words)
    #expect(result.code == 0 && result.text.contains("Usage: pkd"))
  }

  @Test func `the version is a name and three numbers`() throws {
    let result = try pkd("--version")
    #expect(result.code == 0)
    #expect(result.text.wholeMatch(of: /pkd \d+\.\d+\.\d+\n/) != nil)
  }

  @Test(arguments: ["info", "convert", "render", "thumbnail"])
  func `the help of a command begins with examples`(_ name: String) throws {
    let result = try pkd(name, "--help")
    #expect(result.code == 0)
    let examples = try #require(result.text.range(of: "Examples:"))
    let options = try #require(result.text.range(of: "Options:"))
    #expect(examples.lowerBound < options.lowerBound)
    #expect(result.text.contains("--help") && result.text.contains("--quiet"))
  }

  @Test func `an error about a mistyped command names the nearest one`() throws {
    let result = try pkd("inof", "x")
    #expect(result.code == 2)
    #expect(result.errors.contains("unknown command 'inof'; did you mean 'info'?"))
    #expect(result.text.isEmpty)
  }

  @Test func `an error about a mistyped option names the nearest one`() throws {
    let result = try pkd("info", "--jsno", json)
    #expect(result.code == 2)
    #expect(result.errors.contains("unknown option '--jsno'; did you mean '--json'?"))
    #expect(result.errors.contains("pkd info --help"))
  }

  @Test(
    arguments: [
      (["info"], "info needs FILE…"), (["convert", "a"], "convert needs IN OUT"),
      (["convert", "a", "b", "c"], "'c' is one argument too many"),
      (["info", "--from"], "--from needs a value"), (["info", "--json=1", "x"], "takes no value"),
      (["info", "--from", "jsn", "x"], "did you mean 'json'?"),
      (["info", "--from", "xyzzyx", "x"], "it is one of pencilkit, json"),
      (["info", "--threads", "0", "x"], "--threads needs a whole number from 1"),
      (["convert", "a", "b.xyz"], "the format of 'b.xyz' is unknown"),
    ])
  func `wrong usage has its own message and the exit code 2`(_ words: [String], _ message: String)
    throws
  {
    let result = try Program.run("pkd", words)
    #expect(result.code == 2 && result.errors.contains(message), "\(result.errors)")
  }

  @Test func `every argument after two dashes is an operand`() throws {
    let result = try pkd("info", "--", "--json")
    #expect(result.code == 1 && result.errors.contains("--json: No such file"))
  }

  // MARK: - info

  @Test func `info prints the contents of a file`() throws {
    let result = try pkd("info", json)
    #expect(result.code == 0)
    for part in ["strokes   2", "points    5", "marker (1), pen (1)", "duration  2.75 s"] {
      #expect(result.text.contains(part), "\(result.text)")
    }
    #expect(!result.text.contains("\u{1B}"), "colours belong on a terminal")
  }

  @Test func `info prints one JSON object per file`() throws {
    let result = try pkd("info", "--json", json, json)
    let lines = result.text.split(separator: "\n")
    #expect(result.code == 0 && lines.count == 2)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
    #expect(object["file"] as? String == json && object["format"] as? String == "json")
    #expect(object["version"] as? Int == 1 && object["bytes"] as? Int == smallDrawing.count)
    let drawing = try #require((object["drawings"] as? [[String: Any]])?.first)
    #expect(drawing["strokes"] as? Int == 2 && drawing["deletedStrokes"] as? Int == 0)
    #expect(drawing["points"] as? Int == 5 && drawing["duration"] as? Double == 2.75)
    #expect(drawing["inks"] as? [String] == ["marker", "pen"])
    #expect(drawing["channels"] as? [String] == ["x", "y", "t", "force"])
    #expect((drawing["bounds"] as? [Double])?.count == 4)
    #expect(drawing["created"] as? String == "2026-11-21T12:00:00Z")
  }

  @Test func `info reads the standard input`() throws {
    let result = try pkd("info", "-", input: smallDrawing)
    #expect(result.code == 0 && result.text.contains("strokes   2"))
  }

  @Test func `info continues after a bad file and ends with the greatest code`() throws {
    let bad = folder.file("bad.drawing")
    try Data("wrd\u{F0}".utf8).write(to: bad)
    let result = try pkd("info", "--json", folder.file("none").path, bad.path, json)
    #expect(result.code == 65)
    #expect(result.errors.contains("none: No such file or directory"))
    #expect(result.errors.contains("bad.drawing: not a drawing of a known format"))
    #expect(result.text.split(separator: "\n").count == 1)
  }

  @Test func `a folder without ink is a failure`() throws {
    let empty = folder.file("empty")
    try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
    let result = try pkd("info", empty.path)
    #expect(result.code == 1 && result.errors.contains("there is no ink in this folder"))
  }

  @Test func `errors about bad bytes have their offset`() throws {
    let bad = folder.file("bad.drawing")
    try Data([0x77, 0x72, 0x64, 0xF0, 1, 0, 0x2A, 0x7F]).write(to: bad)
    let result = try pkd("info", bad.path)
    #expect(result.code == 65 && result.errors.contains("at byte 7"), "\(result.errors)")
  }

  // MARK: - convert

  @Test func `a drawing is the same after conversion to an archive and back`() throws {
    let again = folder.file("again.json").path
    let third = folder.file("third.drawing").path
    #expect(try pkd("convert", json, archive).code == 0)
    #expect(try pkd("convert", archive, again).code == 0)
    #expect(try pkd("convert", again, third).code == 0)
    let bytes = try Data(contentsOf: folder.file("small.drawing"))
    #expect(bytes.prefix(4) == Data([0x77, 0x72, 0x64, 0xF0]))
    #expect(try Data(contentsOf: folder.file("third.drawing")) == bytes)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 4)
  }

  @Test func `convert reads and writes the standard streams`() throws {
    let result = try pkd("convert", "--to", "pencilkit", "-", "-", input: smallDrawing)
    #expect(result.code == 0 && result.output.prefix(3) == Data("wrd".utf8))
  }

  @Test func `a conversion whose output cannot be written fails`() throws {
    let result = try pkd("convert", json, folder.file("none/out.drawing").path)
    #expect(result.code == 1 && result.errors.contains("No such file or directory"))
    #expect(try pkd("convert", json, "/dev/full", "--to", "json").code == 1)
  }

  @Test func `the target of a link is replaced and keeps its permissions`() throws {
    let (target, link) = (folder.file("target.json"), folder.file("link.json"))
    try Data("old".utf8).write(to: target)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: target.path)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
    #expect(try pkd("convert", json, link.path).code == 0)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == target.path)
    let attributes = try FileManager.default.attributesOfItem(atPath: target.path)
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(try Data(contentsOf: target).count > 100)
  }

  @Test func `a link to a missing file stays, and its target is created`() throws {
    let script = """
      mkdir there; ln -s there/second first.json; ln -s third.json there/second
      pkd convert "$1" first.json
      readlink first.json there/second; ls -A there; pkd info first.json
      """
    let result = try Program.shell(script, json, in: folder.url)
    #expect(result.code == 0, "\(result.errors)")
    #expect(result.text.hasPrefix("there/second\nthird.json\nsecond\nthird.json\n"), "\(result)")
    #expect(result.text.contains("strokes   2"))
  }

  @Test func `circular links are an error and stay`() throws {
    let script = #"ln -s b.json a.json; ln -s a.json b.json; pkd convert "$1" a.json || readlink *"#
    let result = try Program.shell(script, json, in: folder.url)
    #expect(result.text == "b.json\na.json\n")
    #expect(result.errors.contains("a.json: Too many levels of symbolic links"))
  }

  @Test(arguments: [252, 253, 254, 255])
  func `a name may be as long as the system allows`(_ length: Int) throws {
    let name = String(repeating: "n", count: length - 5) + ".json"
    for _ in 0..<2 { #expect(try pkd("convert", json, folder.file(name).path).code == 0) }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(Set(names) == ["small.json", name])
  }

  @Test(
    arguments: [
      #"pkd convert --to json "$1" /dev/stdout | cat > out"#,
      #"echo old > out; pkd convert --to json "$1" /dev/stdout >> out; sed -i 1d out"#,
      #"ln -s /dev/stdout link.json; pkd convert "$1" link.json > out; [ -h link.json ]"#,
      #"mkfifo pipe; cat pipe > out & pkd convert --to json "$1" pipe; wait; [ -p pipe ]"#,
      #"exec 3<> gone; rm gone; pkd convert --to json "$1" /dev/fd/3; cat /dev/fd/3 > out"#,
    ])
  func `convert writes to streams, pipes and files without a name`(_ script: String) throws {
    let result = try Program.shell(
      script + #"; pkd convert "$1" same.json; cmp out same.json; ls -A"#, json, in: folder.url)
    #expect(result.code == 0, "\(result.errors)")
    #expect(!result.text.contains("gone") && !result.text.contains("tmp"), "\(result.text)")
  }

  @Test func `converting to a device does not replace the device`() throws {
    let script = #"pkd convert --to json "$1" /dev/null; [ -c /dev/null ]"#
    #expect(try Program.shell(script, json, in: folder.url).code == 0)
  }

  @Test func `names that are not UTF-8 work and are printed with replacement characters`()
    throws
  {
    let script = #"""
      name=$(printf 'a\377b'); mkdir "$name"; ln -s "$name/c" link.json
      pkd convert --verbose "$1" "$name/c.json"; pkd info "$name/c.json"; pkd convert "$1" link.json
      pkd convert "$name/c" "$name.json" --from json; cmp "$name.json" "$name/c.json"
      rm "$name/c" "$name/c.json"
      pkd info "$name" || rm -r "$name" "$name.json"
      """#
    let result = try Program.shell(script, json, in: folder.url)
    #expect(result.code == 0, "\(result.errors)")
    #expect(result.text.contains("a\u{FFFD}b/c.json\n") && result.text.contains("strokes   2"))
    #expect(result.errors.contains("→ a\u{FFFD}b/c.json"))
    #expect(result.errors.contains("a\u{FFFD}b: there is no ink"))
  }

  @Test func `the byte 1 before an archive of a database is read, not written back`()
    throws
  {
    let blob = folder.file("blob.drawing")
    #expect(try pkd("convert", json, archive).code == 0)
    let bytes = try Data(contentsOf: folder.file("small.drawing"))
    try (Data([1]) + bytes).write(to: blob)
    let result = try pkd("convert", "--to", "pencilkit", blob.path, "-")
    #expect(result.code == 0 && result.output == bytes)
  }

  @Test func `drawings with extreme numbers are converted or refused without delay`() throws {
    let points = (0..<2_000).map {
      #"{"x": \#($0 % 2 == 0 ? "3e38" : "-3e38"), "y": \#($0), "w": 1e38}"#
    }
    let text =
      #"{"strokes": [{"transform": [1e300, 0, 0, 1e300, 1e308, 0], "points": ["#
      + points.joined(separator: ",") + "]}]}"
    let wild = folder.file("wild.json")
    try Data(text.utf8).write(to: wild)
    #expect(try pkd("info", "--json", wild.path).code == 0)
    #expect(try pkd("convert", wild.path, archive).code == 0)
    #expect(try pkd("info", archive).code == 0)
  }

  @Test func `a quiet conversion prints only results`() throws {
    #expect(try pkd("convert", "--verbose", json, archive).errors.contains("2 strokes"))
    #expect(try pkd("convert", "--verbose", "--quiet", json, archive).errors.isEmpty)
  }

  @Test func `a time without a date is reported when an archive stores it as a date`() throws {
    let old = folder.file("old.json")
    try Data(
      #"{"strokes": [{"date": 27266.6, "scale": "notes2018", "points": [[1, 2], [9, 9]]}]}"#.utf8
    ).write(to: old)
    #expect(!(try pkd("info", old.path).text.contains("created")))
    let result = try pkd("convert", old.path, archive)
    #expect(result.code == 0 && result.errors.contains("come from a clock"))
    #expect(try pkd("convert", json, archive).errors.isEmpty)
  }

  @Test(.enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
  func `the page of 2018 has 835 strokes and 20,323 points`() throws {
    let page = Corpus.folder.appendingPathComponent("pkdrawing/apple-notes-color.drawing").path
    let result = try pkd("info", page)
    #expect(result.text.contains("strokes   835, and 52 deleted"))
    #expect(result.text.contains("points    20323"))
    #expect(!result.text.contains("created"))
    let converted = try pkd("convert", page, archive).errors
    #expect(converted.contains("52 deleted strokes") && converted.contains("clock"))
  }
}
