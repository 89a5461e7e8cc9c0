import Foundation
import TestSupport
import Testing

/// Recognized words in recordings, from any program.
struct IndexCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let result = try shell(
      """
      pkd record --demo --fast --quiet page.pkd
      cp page.pkd before.pkd
      pkd convert page.pkd page.drawing
      """)
    try #require(result.code == 0, "\(result)")
  }

  @discardableResult
  private func shell(_ script: String) throws -> Program.Result {
    try Program.shell(script, in: folder.url)
  }

  private struct Words: Decodable {
    struct Word: Decodable {
      let text: String
      let box: [Double]
      let strokes: [String]
    }
    let recognizer, version, language: String
    let words: [Word]
  }

  /// The words in the output of `--json`.
  private func words(_ arguments: String) throws -> Words {
    let result = try shell("pkd index --json \(arguments)")
    try #require(result.code == 0 && result.errors.isEmpty, "\(result)")
    return try JSONDecoder().decode(Words.self, from: Data(result.text.utf8))
  }

  @Test func `index stores words that info shows, and removes them without a trace`() throws {
    try shell(
      #"""
      echo '{"recognizer": "mine", "version": "2", "language": "en", "words": [
        {"text": "spiral", "box": [30, 40, 120, 120]}, {"text": "wave", "box": [170, 50, 120, 80]}
      ]}' > words.json
      """#)
    let first = try words("--recognizer 'cat words.json' --give json page.pkd")
    #expect(first.recognizer == "mine" && first.version == "2" && first.language == "en")
    #expect(first.words.map(\.text) == ["spiral", "wave"])
    #expect(first.words[0].box == [30, 40, 120, 120])
    // The strokes whose middles are in the boxes.
    #expect(first.words.map(\.strokes.count) == [1, 1])
    let info = try shell(
      "pkd info page.pkd; pkd verify page.pkd; pkd cat page.pkd > a; pkd cat before.pkd > b; cmp a b"
    )
    #expect(info.code == 0 && info.text.contains("2 words by mine 2"), "\(info)")
    #expect(try shell("pkd info --json page.pkd").text.contains(#""text": {"recognizer": "mine""#))
    // Other commands keep them.
    let copied = try shell("pkd convert page.pkd copy.pkd && pkd info copy.pkd")
    #expect(copied.text.contains("2 words by mine 2"), "\(copied)")
    #expect(try shell("pkd index --remove page.pkd copy.pkd; cmp page.pkd before.pkd").code == 0)
  }

  @Test func `an indexed recording is recognized again only with --again`() throws {
    let command = #"--recognizer 'echo run >> runs; echo {}'"#
    try shell("pkd index \(command) page.pkd; pkd index \(command) page.pkd")
    #expect(try shell("cat runs").text == "run\n")
    try shell("pkd index \(command) --again page.pkd")
    #expect(try shell("cat runs").text == "run\nrun\n")
    #expect(try words("--recognizer 'echo {}' --again page.pkd").recognizer == "echo")
  }

  @Test func `boxes from a recognizer are converted from pixels to points`() throws {
    // A recognizer that reports one word with the box of the whole picture.
    try shell(
      #"""
      cat > boxes.py << 'END'
      import json, struct, sys, zlib
      data = sys.stdin.buffer.read()
      width, height, depth, form = struct.unpack('>IIBB', data[16:26])
      sys.stdout.write(json.dumps({"words": [{"text": "all", "box": [0, 0, width, height]}]}))
      END
      """#)
    for scale in [1.0, 2.5] {
      let found = try words("--recognizer 'python3 boxes.py' --scale \(scale) --again page.pkd")
      let box = try #require(found.words.first).box
      // The ink and a margin of 8 points; a picture has whole pixels.
      #expect(abs(box[0] - (20.6 - 8)) < 3 && box[2] > 250 && box[2] < 320, "\(box)")
      #expect(found.words.first?.strokes.count == 3)
    }
    let none = try shell("command -v python3")
    if none.code != 0 { print("skipped: there is no python3") }
  }

  @Test func `index reads the TSV output of Tesseract`() throws {
    try shell(
      #"""
      printf 'level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n' > table
      printf '1\t1\t0\t0\t0\t0\t0\t0\t600\t400\t-1\t\n' >> table
      printf '5\t1\t1\t1\t1\t1\t30\t60\t90\t30\t95.5\tEvery\n' >> table
      printf '5\t1\t1\t1\t1\t2\t150\t60\t60\t30\t91\t   \n' >> table
      printf '5\t1\t1\t1\t1\t3\t150\t60\t60\t30\t91\tline\n' >> table
      """#)
    let found = try words("--recognizer 'cat table' --scale 3 --dry-run page.pkd")
    #expect(found.words.map(\.text) == ["Every", "line"] && found.recognizer == "cat")
    #expect(abs(found.words[0].box[2] - 30) < 0.001 && abs(found.words[0].box[3] - 10) < 0.001)
    #expect(try shell("cmp page.pkd before.pkd").code == 0)
    try shell(#"printf '5\t1\t1\tx\n' >> table"#)
    let bad = try shell("pkd index --recognizer 'cat table' page.pkd")
    #expect(bad.code == 1 && bad.errors.contains("line 6 of the table is no word"), "\(bad)")
  }

  @Test(.timeLimit(.minutes(2)))
  func `a recognizer that prints too much is ended with its children`() throws {
    let command = "(head -c 70000000 /dev/zero; sleep 1000) &"
    let result = try Program.run(
      "pkd", ["index", "--recognizer", command, "--timeout", "1000", "page.pkd"], in: folder.url)
    #expect(result.code == 1 && result.errors.contains("printed more than 67108864"), "\(result)")
  }

  @Test(
    arguments: [
      ("false", "the command ended with 1"), ("kill -9 $$", "ended by signal 9"),
      ("echo hello", "printed no words"), ("true", "printed no words"),
      ("sleep 9", "longer than 1 seconds"),
      ("echo '{\"words\": [{\"text\": \"a\"}]}'", "needs \"text\" and a \"box\" or \"strokes\""),
      ("echo '{\"words\": [{\"text\": \"a\", \"box\": [0, 0, -1, 1]}]}'", "a box is x, y, width"),
      ("echo '{\"words\": [{\"text\": \"a\", \"box\": [0, 0, 1e999, 1]}]}'", "printed no words"),
      ("echo '{\"words\": [{\"text\": \"a\", \"strokes\": [\"b\"]}]}'", "'b' names no stroke"),
      ("head -c 100000 /dev/urandom", "printed no words"), ("missing-program", "ended with 127"),
      ("yes", "printed more than 67108864 bytes"),
    ])
  func `a recognizer that fails changes nothing, and the reason is printed`(
    _ command: String, _ message: String
  ) throws {
    let result = try Program.run(
      "pkd", ["index", "--recognizer", command, "--timeout", "1", "page.pkd"], in: folder.url)
    #expect(result.code == 1 && result.errors.contains(message), "\(result)")
    #expect(try shell("cmp page.pkd before.pkd").code == 0)
  }

  @Test func `index refuses other formats, damaged and unfinished files`() throws {
    try shell(
      "head -c -40 page.pkd > cut.pkd; head -c 300 /dev/urandom > noise.pkd; mkdir d; cp page.drawing page.pkd d/"
    )
    let result = try shell("pkd index --recognizer 'echo {}' page.drawing cut.pkd noise.pkd")
    #expect(result.code == 65, "\(result)")
    #expect(result.errors.contains("page.drawing: only .pkd recordings hold words"))
    #expect(result.errors.contains("cut.pkd") && result.errors.contains("noise.pkd"))
    // In a folder, only recordings are inputs.
    #expect(try shell("pkd index --recognizer 'echo {}' d").text == "d/page.pkd: 0 words\n")
    #expect(try shell("pkd index --recognizer 'echo {}' - < page.pkd").code == 2)
    for line in [
      "page.pkd", "--recognizer '' page.pkd", "--recognizer x --scale 0 page.pkd",
      "--recognizer x --give json --scale 2 page.pkd", "--remove --recognizer x page.pkd",
    ] {
      #expect(try shell("pkd index \(line)").code == 2, "\(line)")
    }
  }

  @Test func `index does not overwrite a recording that changed meanwhile`() throws {
    try shell("pkd convert page.pkd other.pkd --ink-only; ln -s page.pkd link.pkd")
    for name in ["page.pkd", "link.pkd"] {
      let result = try shell(
        "pkd index --recognizer 'cp other.pkd page.pkd; echo {}' --again \(name)")
      #expect(
        result.code == 1 && result.errors.contains("\(name): it was changed while"), "\(result)")
      #expect(try shell("cmp page.pkd other.pkd && cp before.pkd page.pkd").code == 0)
    }
    let linked = try shell(
      "pkd index --recognizer 'echo {}' link.pkd; readlink link.pkd; pkd info page.pkd")
    #expect(linked.text.contains("page.pkd\n") && linked.text.contains("0 words"), "\(linked)")
  }

  @Test func `several concurrent indexers leave an intact file`() throws {
    let result = try shell(
      """
      for i in 1 2 3 4 5 6; do echo '{"version": "'$i'"}' > $i.json; done
      seq 6 | xargs -P 6 -I % pkd index --again --quiet page.pkd --recognizer 'cat %.json' || true
      pkd verify page.pkd && pkd info --json page.pkd
      """)
    #expect(
      result.text.contains(#""version": ""#) && result.text.contains("page.pkd: ok"), "\(result)")
  }
}
