import Foundation
import TestSupport
import Testing

/// Runs the real `pkd`.
private func pkd(_ arguments: String..., input: Data = Data()) throws -> Program.Result {
  try Program.run("pkd", arguments, input: input)
}

/// The commands for `.pkd` files.
struct RecordingCommandTests {
  private let folder = try? TemporaryFolder()

  private func file(_ name: String) throws -> URL { try #require(folder).file(name) }
  private func path(_ name: String) throws -> String { try file(name).path }

  /// A copy of a sample.
  private func sample(_ name: String) throws -> String {
    let result = try path(name + ".pkd")
    try? FileManager.default.removeItem(atPath: result)
    try FileManager.default.copyItem(
      atPath: Corpus.project.appendingPathComponent("Samples/\(name).pkd").path, toPath: result)
    return result
  }

  /// A sample as a PencilKit archive.
  private func archive(_ name: String) throws -> String {
    let result = try path(name + ".drawing")
    #expect(try pkd("convert", sample(name), result).code == 0)
    return result
  }

  /// A copy of a file with one byte changed.
  private func damaged(_ name: String, at offset: (Data) -> Int) throws -> String {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: name))
    bytes[offset(bytes)] ^= 0x10
    try bytes.write(to: file("damaged.pkd"))
    return try path("damaged.pkd")
  }

  /// The range of the payload of a chunk.
  private func payload(_ type: String, number: Int = 0, in bytes: Data) -> Int {
    var offset = 8
    var left = number
    while offset + 8 < bytes.count {
      let length = (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
      if bytes[offset + 4..<offset + 8] == Data(type.utf8) {
        if left == 0 { return offset + 8 }
        left -= 1
      }
      offset += length + 12
    }
    return 0
  }

  private func object(_ result: Program.Result) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
  }

  @Test(arguments: ["verify", "repair", "cat", "record", "web"])
  func `the help of a command begins with examples`(_ name: String) throws {
    let result = try pkd(name, "--help")
    #expect(result.code == 0 && result.text.contains("Examples:\n  p"))
  }

  // MARK: - convert

  @Test(.enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
  func `every real archive survives conversion to a recording and back, byte for byte`() throws {
    for name in Corpus.names(in: "pkdrawing", suffix: ".drawing") {
      let original = Corpus.folder.appendingPathComponent("pkdrawing/" + name)
      let (recording, again) = (try path("x.pkd"), try file("y.drawing"))
      #expect(try pkd("convert", original.path, recording).code == 0)
      #expect(try pkd("verify", recording).code == 0)
      #expect(try pkd("convert", recording, again.path).code == 0)
      let bytes = try Data(contentsOf: original)
      // Compressed drawings of 2018 become current archives.
      guard bytes.starts(with: Data("wrd".utf8)) else { continue }
      #expect(try Data(contentsOf: again) == bytes, "\(name)")
    }
  }

  @Test func `a recording is recognized by its content, not by its name`() throws {
    let page = try sample("mood")
    try FileManager.default.copyItem(atPath: page, toPath: path("recording.drawing"))
    #expect(try pkd("info", path("recording.drawing")).text.contains("format    pkd, version 2"))
    // Apps store PencilKit archives under the names of recordings.
    let archive = try archive("mood")
    try FileManager.default.copyItem(atPath: archive, toPath: path("recording.pkd"))
    #expect(try pkd("info", path("recording.pkd")).text.contains("pencilkit, version"))
  }

  @Test func `profiles and --ink-only give smaller files`() throws {
    let page = try sample("handwriting")
    var sizes: [Int] = []
    for words in [[], ["--profile", "sensor"], ["--profile", "compact", "--ink-only"]] {
      let result = try Program.run("pkd", ["convert", page, "-", "--to", "pkd"] + words)
      #expect(result.code == 0)
      sizes.append(result.output.count)
    }
    #expect(sizes[0] > sizes[1] && sizes[1] > sizes[2], "\(sizes)")
  }

  @Test func `a recording keeps its profile unless another one is given`() throws {
    let page = try sample("mood")
    let (small, again) = (try path("small.pkd"), try path("again.pkd"))
    #expect(try pkd("convert", "--profile", "compact", page, small).code == 0)
    #expect(try pkd("convert", small, again).code == 0)
    #expect(FileManager.default.contentsEqual(atPath: small, andPath: again))
    #expect(try pkd("info", again).text.contains("pkd, version 2, compact"))
  }

  @Test(arguments: [["--profile", "sensor"], ["--ink-only"]])
  func `options of recordings are wrong for other targets`(_ words: [String]) throws {
    let result = try Program.run("pkd", ["convert", "a.pkd", "b.json"] + words)
    #expect(result.code == 2 && result.errors.contains("is for .pkd files, not for json"))
  }

  @Test func `conversion of a recording keeps its events`() throws {
    let (demo, again) = (try path("demo.pkd"), try path("again.pkd"))
    #expect(try pkd("record", "--demo", "--fast", demo).code == 0)
    #expect(try pkd("convert", demo, again).code == 0)
    #expect(try pkd("cat", again).output == pkd("cat", demo).output)
  }

  @Test func `convert accepts a damaged recording only with --salvage`() throws {
    let bad = try damaged(sample("mood")) { payload("STRK", number: 1, in: $0) + 100 }
    let output = try path("out.json")
    let refusal = try pkd("convert", bad, output)
    #expect(refusal.code == 65 && refusal.errors.contains("nothing was written"))
    #expect(refusal.errors.contains("the checksum of the chunk STRK does not match at byte"))
    #expect(!FileManager.default.fileExists(atPath: output))
    #expect(refusal.errors.contains("--salvage converts them"))
    // Replacing a file needs its own option.
    #expect(try pkd("convert", "--force", bad, output).code == 65)
    let salvaged = try pkd("convert", "--salvage", bad, output)
    #expect(salvaged.code == 0 && salvaged.errors.contains("damaged recording"))
    #expect(try pkd("info", output).text.contains("strokes   16"))
  }

  // MARK: - info

  @Test func `info prints the sizes of the parts of a recording`() throws {
    let page = try sample("handwriting")
    let brief = try pkd("info", page)
    #expect(brief.text.contains("overhead") && !brief.text.contains("bits per point"))
    let result = try pkd("info", "--sizes", page)
    for part in ["pkd, version 2, exact", "of points", "bits per point", "overhead"] {
      #expect(result.text.contains(part), "\(result.text)")
    }
    let facts = try object(pkd("info", "--json", "--sizes", page))
    #expect(facts["format"] as? String == "pkd" && facts["finished"] as? Bool == true)
    let sizes = try #require(facts["sizes"] as? [String: [String: Double]])
    let chunks = try #require(sizes["chunks"])
    #expect(chunks.values.reduce(0, +) == facts["bytes"] as? Double)
    let channels = try #require(sizes["channels"])
    #expect(abs(channels.values.reduce(0, +) - (chunks["points"] ?? 0)) < 1, "\(sizes)")
    #expect((channels["x"] ?? 0) > 100 && (channels["y"] ?? 0) > 100)
  }

  @Test(arguments: ["erased", "handwriting", "inks", "landscape", "minute", "mood"])
  func `info finds the same in the heads of strokes as in their points`(_ name: String) throws {
    let page = try sample(name)
    let json = try path("page.json")
    #expect(try pkd("convert", page, json).code == 0)
    let drawings = try [page, json].map { path in
      try #require(object(pkd("info", "--json", path))["drawings"] as? [[String: Any]])[0]
    }
    let fields = [
      "strokes", "pieces", "points", "inks", "channels", "bounds", "created",
      "requiredContentVersion",
    ]
    for field in fields {
      #expect("\(drawings[0][field] ?? "")" == "\(drawings[1][field] ?? "")", "\(field)")
    }
  }

  @Test func `info prints the readable part of a damaged recording and ends with 65`() throws {
    let bad = try damaged(sample("mood")) { payload("STRK", number: 1, in: $0) + 100 }
    let result = try pkd("info", bad)
    #expect(result.code == 65 && result.errors.contains("'pkd verify' has details"))
    #expect(result.text.contains("strokes   16") && result.text.contains("state     damaged"))
    let facts = try object(pkd("info", "--json", bad))
    #expect((facts["damage"] as? [String])?.count == 1)
  }

  // MARK: - verify

  @Test func `verify reports an intact file as ok`() throws {
    let page = try sample("mood")
    let result = try pkd("verify", page)
    #expect(result.code == 0 && result.text == "\(page): ok (45 strokes, 1098 points)\n")
    #expect(try pkd("verify", "--quiet", page).text.isEmpty)
    let facts = try object(pkd("verify", "--json", page))
    #expect(facts["ok"] as? Bool == true && (facts["problems"] as? [Any])?.isEmpty == true)
    #expect((facts["recoverable"] as? [String: Int]) == ["strokes": 45, "points": 1098])
  }

  @Test func `verify accepts files of every format`() throws {
    let archive = try archive("mood")
    #expect(try pkd("verify", archive).text.contains("ok (45 strokes, 1098 points)"))
    try Data("wrd?".utf8).write(to: file("bad"))
    let result = try pkd("verify", archive, path("bad"), path("none"))
    #expect(result.code == 65 && result.text.contains("bad: damaged"))
    #expect(result.errors.contains("none: No such file"))
  }

  @Test func `verify reports the damage and the recoverable part`() throws {
    let page = try sample("mood")
    let bad = try damaged(page) { payload("STRK", number: 1, in: $0) + 100 }
    let result = try pkd("verify", bad)
    #expect(result.code == 65)
    #expect(result.text.contains("damaged; 29 of 45 strokes, "), "\(result.text)")
    #expect(result.text.contains("the checksum of the chunk STRK does not match at byte"))
    let facts = try object(pkd("verify", "--json", bad))
    #expect(facts["ok"] as? Bool == false)
    #expect((facts["original"] as? [String: Int]) == ["strokes": 45, "points": 1098])
    let problem = try #require((facts["problems"] as? [[String: Any]])?.first)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: page))
    #expect(problem["offset"] as? Int == payload("STRK", number: 1, in: bytes) - 8)
  }

  @Test func `a recording that ends between two chunks is intact but not finished`() throws {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: sample("mood")))
    try bytes.prefix(payload("STRK", number: 2, in: bytes) - 8).write(to: file("cut.pkd"))
    let result = try pkd("verify", path("cut.pkd"))
    #expect(result.code == 0 && result.text.contains("ok (32 strokes") == true, "\(result.text)")
    #expect(result.text.contains("not finished"))
    let converted = try pkd("convert", path("cut.pkd"), path("cut.json"))
    #expect(converted.code == 0 && converted.errors.contains("is not finished"))
    #expect(try pkd("repair", path("cut.pkd"), path("whole.pkd")).code == 0)
    #expect(try pkd("verify", path("whole.pkd")).text.contains("ok (32 strokes"))
  }

  // MARK: - repair

  @Test func `a repaired recording is intact and lacks only the lost strokes`() throws {
    let page = try sample("mood")
    let bad = try damaged(page) { payload("STRK", number: 1, in: $0) + 100 }
    let fixed = try path("fixed.pkd")
    let result = try pkd("repair", bad, fixed)
    #expect(result.code == 0 && result.errors.contains("29 of 45 strokes"), "\(result.errors)")
    #expect(try pkd("verify", fixed).text.contains("ok (29 strokes"))
    // The remaining strokes are unchanged, with the same identifiers.
    func begun(_ file: String) throws -> [Substring] {
      try pkd("cat", file).text.split(separator: "\n").filter { $0.contains(#""begin""#) }
    }
    let (before, after) = (try begun(page), try begun(fixed))
    #expect(after.count == 29)
    #expect(Array(before[..<16] + before[32...]) == after)
  }

  @Test func `a recording that lost its events still has its strokes whole`() throws {
    let demo = try path("demo.pkd")
    #expect(try pkd("record", "--demo", "--fast", demo).code == 0)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: demo))
    try bytes.prefix(payload("EVNT", in: bytes) - 8).write(to: file("cut.pkd"))
    for name in try [path("cut.pkd"), damaged(demo) { payload("EVNT", in: $0) + 9 }] {
      let result = try pkd("repair", "--force", name, path("fixed.pkd"))
      #expect(result.code == 0 && result.errors.contains("its events are lost"))
      for file in [name, try path("fixed.pkd")] {
        // Two strokes, and the two pieces that remain of the third.
        #expect(try pkd("info", file).text.contains("strokes   4, 2 of them cut by an eraser"))
      }
      #expect(try pkd("verify", name).code == 65)
    }
  }

  @Test func `repairing an intact recording gives the same file`() throws {
    let (page, copy) = (try sample("inks"), try path("copy.pkd"))
    let result = try pkd("repair", page, copy)
    #expect(result.code == 0 && result.errors.contains("is intact"))
    #expect(FileManager.default.contentsEqual(atPath: page, andPath: copy))
  }

  @Test func `repair does not write over its input by another name`() throws {
    let page = try sample("landscape")
    let link = try path("link.pkd")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: page)
    let result = try pkd("repair", page, link)
    #expect(result.code == 2 && result.errors.contains("give the same name twice"))
    let bad = try damaged(page) { payload("iNDX", in: $0) + 2 }
    #expect(try pkd("repair", bad, bad).errors.contains("--force replaces it"))
    #expect(try pkd("repair", "--force", bad, bad).errors.contains("nothing was lost"))
    #expect(FileManager.default.contentsEqual(atPath: page, andPath: bad))
  }

  @Test func `repair writes nothing if nothing can be recovered`() throws {
    let page = try sample("mood")
    for chunk in ["HEAD", "TABL"] {
      let bad = try damaged(page) { payload(chunk, in: $0) + 1 }
      let result = try pkd("repair", bad, path("none.pkd"))
      #expect(result.code == 65 && result.errors.contains("nothing can be recovered"))
      #expect(!FileManager.default.fileExists(atPath: try path("none.pkd")))
    }
    let archive = try archive("mood")
    #expect(try pkd("repair", archive, path("none.pkd")).code == 65)
  }

  // MARK: - cat and record

  @Test(arguments: ["mood", "erased", "inks"])
  func `record restores the recording from the output of cat`(_ name: String) throws {
    let page = try sample(name)
    let events = try pkd("cat", page)
    #expect(events.code == 0)
    let again = try path("again.pkd")
    #expect(try pkd("record", again, input: events.output).code == 0)
    #expect(try pkd("cat", again).output == events.output)
    // A recording with only strokes is an ordinary drawing.
    #expect(
      try pkd("convert", "--to", "json", again, "-").text.components(separatedBy: "\"points\"")
        .count
        > 10)
  }

  @Test func `every line of cat is an object and the first names the format`() throws {
    let lines = try pkd("cat", sample("mood")).text.split(separator: "\n")
    #expect(lines.count == 91)
    let objects = try lines.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(objects[0]["format"] as? String == "pentimento-events")
    #expect(Set(objects.dropFirst().compactMap { $0["event"] as? String }) == ["begin", "end"])
  }

  @Test func `the recorded demo is always the same and contains all kinds of events`() throws {
    let (first, second) = (try path("a.pkd"), try path("b.pkd"))
    #expect(try pkd("record", "--demo", "--fast", first).errors.contains("3 strokes"))
    #expect(try pkd("record", "--demo", "--fast", "--quiet", second).errors.isEmpty)
    #expect(FileManager.default.contentsEqual(atPath: first, andPath: second))
    #expect(try pkd("verify", first).code == 0)
    let text = try pkd("cat", first).text
    for event in ["tool", "begin", "points", "end", "erase", "undo"] {
      #expect(text.contains(#"{"event": "\#(event)""#))
    }
  }

  @Test func `record accepts a few lines written by hand`() throws {
    let lines = """
      {"format": "pentimento-events", "version": 1, "canvas": {"size": [800, 600]}}
      {"event": "begin", "time": "2026-11-21T12:00:00Z", "ink": {"type": "marker"}}

      {"event": "points", "points": [[10, 20, 0], [40, 60, 0.1], [90, 40, 0.2]]}
      {"event": "end"}
      {"event": "erase", "eraser": {"type": "bitmap", "width": 10}, "points": [[40, 0], [40, 90]]}
      """
    let page = try path("hand.pkd")
    #expect(try pkd("record", page, input: Data(lines.utf8)).code == 0)
    let info = try pkd("info", page).text
    #expect(
      info.contains("2, 2 of them cut by an eraser") && info.contains("marker (2)"), "\(info)")
  }

  @Test func `record keeps the events before an invalid line`() throws {
    let lines = """
      {"format": "pentimento-events", "version": 1}
      {"event": "begin", "time": 7}
      {"event": "points", "points": [[10, 20], [40, 60]]}
      {"event": "pionts", "points": [[10, 20]]}
      {"event": "end"}
      """
    let page = try path("part.pkd")
    let result = try pkd("record", page, input: Data(lines.utf8))
    #expect(result.code == 65)
    #expect(result.errors.contains("line 4: the event 'pionts' is not known"), "\(result.errors)")
    #expect(try pkd("info", page).text.contains("points    2 "))
  }

  @Test func `an event that cannot be stored ends the recording, and earlier ones are kept`() throws
  {
    let name = String(repeating: "x", count: 1 << 17)
    let lines = #"""
      {"format": "pentimento-events", "version": 1}
      {"event": "begin", "time": 7, "points": [[10, 20], [40, 60]]}
      {"event": "end"}
      {"event": "begin", "ink": {"type": "\#(name)"}, "points": []}
      """#
    let page = try path("long.pkd")
    let result = try pkd("record", page, input: Data(lines.utf8))
    #expect(result.code == 65)
    #expect(result.errors.contains("line 4: a recording cannot store 131072 bytes of text"))
    #expect(try pkd("info", page).text.contains("points    2 "))
  }

  @Test func `record without a valid first line writes nothing`() throws {
    let page = try path("none.pkd")
    for text in ["", #"{"event": "begin", "time": 0}"#, "{}"] {
      let result = try pkd("record", page, input: Data(text.utf8))
      #expect(result.code == 65 && result.errors.contains("line 1: the first line must be"))
      #expect(!FileManager.default.fileExists(atPath: page))
    }
  }

  @Test func `record replaces a file only with --force`() throws {
    let page = try path("a.pkd")
    #expect(try pkd("record", "--demo", "--fast", page).code == 0)
    let result = try pkd("record", "--demo", "--fast", page)
    #expect(result.code == 1 && result.errors.contains("--force replaces it"))
    #expect(try pkd("record", "--demo", "--fast", "--force", page).code == 0)
    #expect(try pkd("record", "--fast", page).code == 2)
  }

  @Test func `an interrupted recording keeps the drawn strokes`() throws {
    // A busy machine may start the program late, so the signal is sent more than once.
    let script = """
      pkd record --demo page.pkd &
      for n in 1 2 3 4 5 6; do sleep 0.5; kill -INT $! || true; done
      wait $! || echo "code $?"
      pkd verify page.pkd
      """
    let result = try Program.shell(script, in: #require(folder).url)
    #expect(result.text.hasPrefix("code 130\npage.pkd: ok ("), "\(result)")
  }
}
