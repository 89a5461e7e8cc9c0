import ForeignSamples
import Foundation
import Measurement
import TestSupport
import Testing

/// Ink of other programs in all commands.
struct ForeignInkTests {
  private let folder: TemporaryFolder

  /// Three drawings of Quick, Draw!, the second of which is damaged.
  private static let lines = """
    {"key_id": "11", "word": "cat", "drawing": [[[0, 100, 200], [0, 50, 0], [0, 100, 200]]]}
    {"key_id": "12", "word": "dog", "drawing": [[[0, 100], [0
    {"key_id": "13", "word": "sun", "drawing": [[[0, 10], [0, 10], [0, 50]], [[5, 9], [7, 7], [90, 99]]]}

    """

  init() throws {
    folder = try TemporaryFolder()
    try Data(Self.lines.utf8).write(to: folder.file("three.txt"))
    let good = Self.lines.split(separator: "\n").enumerated().filter { $0.offset != 1 }
    try Data(good.map { $0.element + "\n" }.joined().utf8).write(to: folder.file("two.txt"))
  }

  private func sh(_ script: String) throws -> Program.Result {
    try Program.shell(script, in: folder.url)
  }

  @Test func `info lists the pages of a foreign file and its notes`() throws {
    let result = try sh("pkd info two.txt")
    #expect(result.code == 0)
    #expect(result.text.contains("quickdraw"))
    #expect(result.text.contains("page 1") && result.text.contains("cat: 1 strokes"))
    #expect(result.text.contains("sun: 2 strokes"))
    let page = try sh("pkd info --page 2 --json two.txt")
    let json = try JSONSerialization.jsonObject(with: page.output) as? [String: Any]
    #expect(json?["pages"] as? Int == 2)
    let drawings = try #require(json?["drawings"] as? [[String: Any]])
    #expect(drawings.count == 1)
    #expect((drawings[0]["source"] as? [String: Int])?["points"] == 4)
  }

  @Test func `routine notes about a format are printed only with --verbose`() throws {
    let routine = "the drawing has no pen"
    #expect(try !sh("pkd info two.txt").text.contains(routine))
    #expect(try sh("pkd info -v two.txt").text.contains(routine))
    #expect(try sh("pkd info --json two.txt").text.contains(routine))
    #expect(try sh("pkd convert two.txt --to pkd -o a/").errors.isEmpty)
    #expect(try sh("pkd convert -v two.txt --to pkd -o b/").errors.contains(routine))
  }

  @Test func `a Notes database without drawings is intact`() throws {
    try Data(ForeignSample.emptyNotes()).write(to: folder.file("NoteStore.sqlite"))
    let info = try sh("pkd info NoteStore.sqlite")
    #expect(info.code == 0 && info.text.contains("no drawings"))
    let verified = try sh("pkd verify NoteStore.sqlite")
    #expect(verified.code == 0 && verified.text.contains("ok (0 strokes, 0 points)"))
  }

  @Test func `pages, papers and titles survive JSON and InkML`() throws {
    let canvas = #""canvas": {"size": [400, 300], "metadata": {"paper": "grid", "title": "Tea"}}"#
    let events = [
      #"{"format": "pentimento-events", "version": 1, \#(canvas)}"#,
      #"{"event": "begin", "time": 5, "points": [[10, 20], [30, 40]]}"#, #"{"event": "end"}"#,
      #"{"event": "undo"}"#, #"{"event": "redo"}"#,
    ]
    try Data(events.joined(separator: "\n").utf8).write(to: folder.file("a.jsonl"))
    let cat = try sh("pkd convert a.jsonl a.pkd && pkd cat a.pkd").text
    #expect(cat.contains("grid") && cat.contains("undo"))
    #expect(
      try sh("pkd convert a.pkd a.json && pkd convert a.json b.pkd && pkd cat b.pkd").text == cat)
    let inkML = try sh("pkd convert a.pkd a.inkml && pkd convert a.inkml c.pkd && pkd cat c.pkd")
      .text
    #expect(inkML.hasPrefix(String(cat.prefix { $0 != "\n" })))
  }

  @Test func `foreign files with one extreme value take little memory`() throws {
    let launcher = Array(Program.binary("pkd").path.utf8)
    for sample in try ForeignSample.all(.mark) {
      let target = folder.file(sample.name.replacingOccurrences(of: " ", with: "-"))
      try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
      let copies = ExtremeValues(sample.bytes).sample(RunLength.count(12, long: 2_000))
      for (number, bytes) in copies.enumerated() {
        try Data(bytes).write(to: target.appendingPathComponent("\(number)"))
      }
      let script = "pkd info \"$1\"/* >/dev/null 2>&1 || [ $? = 65 ]"
      let words =
        ["sh", "-c", "PATH=\"$2:$PATH\"; \(script)", "sh", target.path]
        + [Program.binary("pkd").deletingLastPathComponent().path]
      let peak = try PeakMemory.bytes(of: words.map { Array($0.utf8) }, launcher: launcher)
      // The input is a few kilobytes of ink. The sanitizer keeps freed memory for a while.
      #expect(peak < 1 << 30, "\(sample.name): \(peak) bytes")
    }
  }

  @Test func `render writes all pages into a folder, or one page to a file`() throws {
    let all = try sh("pkd render two.txt -o out/ && ls out")
    #expect(all.code == 0 && all.text == "two-1.png\ntwo-2.png\n")
    let one = try sh("pkd render --page 2 two.txt -o b.png && cmp b.png out/two-2.png")
    #expect(one.code == 0 && one.errors.isEmpty)
    let first = try sh("pkd render two.txt -o a.png && cmp a.png out/two-1.png")
    #expect(first.code == 0 && first.errors.contains("page 1 of 2"))
    #expect(try sh("pkd render --page 3 two.txt -o c.png").errors.contains("no page 3"))
    #expect(try sh("pkd render --page 0 two.txt -o c.png").errors.contains("from 1"))
    // Nothing is replaced without --force.
    #expect(try sh("pkd render two.txt -o out/").code == 1)
    #expect(try sh("pkd render --force two.txt -o out/").code == 0)
  }

  @Test func `a damaged page does not prevent the output of others`() throws {
    let result = try sh(
      """
      pkd render three.txt -o out/ || echo $?
      pkd render two.txt -o good/; cmp out/three-3.png good/two-2.png; ls out
      """)
    // A page without readable strokes gives no picture.
    #expect(result.text == "65\nthree-1.png\nthree-3.png\n")
    #expect(result.errors.contains("three.txt, page 2") && result.errors.contains("line 2"))
    #expect(try sh("pkd verify three.txt").code == 65)
    #expect(try sh("pkd verify two.txt").code == 0)
  }

  @Test func `several files are converted with all of their pages`() throws {
    let result = try sh(
      """
      cp two.txt other.txt; pkd convert --to pkd -o ink/ two.txt other.txt; ls ink
      pkd info ink/two-2.pkd | grep -c 'strokes *2'
      """)
    #expect(
      result.text == "other-1.pkd\nother-2.pkd\ntwo-1.pkd\ntwo-2.pkd\n1\n", "\(result.errors)")
    #expect(try sh("pkd convert -o ink/ two.txt").errors.contains("--to"))
    #expect(try sh("pkd convert two.txt --to pkd -o ink/").code == 1)
    #expect(try sh("pkd convert two.txt other.txt more.txt").errors.contains("-o FOLDER/"))
  }

  @Test func `every command accepts --page`() throws {
    let result = try sh(
      """
      pkd cat --page 2 two.txt | grep -c begin
      pkd replay --page 2 two.txt --every-stroke -o f/%05d.png; ls f | wc -l
      pkd convert --page 2 two.txt two.json; pkd info two.json | grep -c 'strokes *2'
      pkd thumbnail --page 1 two.txt -o t.png
      """)
    #expect(result.code == 0, "\(result.errors)")
    #expect(result.text.split(separator: "\n").first == "2")
    #expect(result.text.hasSuffix("\n1\n"))
  }

  @Test func `drawings are converted to the simplified form of Quick, Draw!`() throws {
    // Without times, points are corners.
    let corners = """
      {"key_id": "1", "drawing": [[[100, 200, 300], [0, 50, 0]]]}
      {"key_id": "2", "drawing": [[[0, 10], [0, 10]], [[5, 9], [7, 7]]]}

      """
    try Data(corners.utf8).write(to: folder.file("corners.txt"))
    let result = try sh(
      """
      pkd convert --simplified two.txt from-raw.ndjson
      pkd convert --simplified from-raw.ndjson again.ndjson; cmp from-raw.ndjson again.ndjson
      pkd convert --simplified corners.txt small.ndjson
      pkd convert --page 2 --to quickdraw --simplified corners.txt page; tail -n 1 small.ndjson | cmp - page
      cut -d '[' -f 2- small.ndjson
      """)
    #expect(result.code == 0, "\(result)")
    #expect(
      result.text == "[[0,128,255],[0,64,0]]]}\n[[0,255],[0,255]],[[128,230],[178,178]]]}\n")
    for line in ["two.txt a.pkd", "two.txt a.svg", "--to json two.txt -"] {
      let refused = try sh("pkd convert --simplified \(line)")
      #expect(refused.code == 2 && refused.errors.contains("--simplified is for .ndjson files"))
    }
  }

  @Test func `record fits a curve through the points of a pen`() throws {
    // A circle of 40 points: as control points, they would flatten its curve.
    let points = (0...40).map { index in
      let angle = Double(index) / 40 * 2 * Double.pi
      return "[\(100 + 50 * cos(angle)), \(100 + 50 * sin(angle)), \(Double(index) / 60)]"
    }
    let events = """
      {"format": "pentimento-events", "version": 1}
      {"event": "begin", "time": 0, "ink": {"type": "monoline"}, "points": [\(points[..<20].joined(separator: ","))]}
      {"event": "points", "points": [\(points[20...].joined(separator: ","))]}
      {"event": "end"}

      """
    try Data(events.utf8).write(to: folder.file("events"))
    let result = try sh(
      """
      pkd record --fit fitted.pkd < events; pkd record plain.pkd < events
      for name in fitted plain; do pkd info --json $name.pkd; done
      """)
    let lines = result.text.split(separator: "\n").map { Data($0.utf8) }
    let boxes = try lines.map { line in
      let json = try JSONSerialization.jsonObject(with: line) as? [String: Any]
      return try #require((json?["drawings"] as? [[String: Any]])?.first)
    }
    #expect(boxes.count == 2)
    let points0 = try #require(boxes[0]["points"] as? Int)
    #expect(points0 < 41 && boxes[1]["points"] as? Int == 41)
  }
}
