import Foundation
import Graphics
import PNGFormat
import TestSupport
import Testing

/// A page with a thick black line from 10, 10 to 30, 10.
private func page(size: String = "[40, 30]", metadata: String = "{}") -> Data {
  Data(
    #"""
    {"format": "pentimento-events", "version": 1, "canvas": {"size": \#(size), "metadata": \#(metadata)}}
    {"event": "begin", "time": 0, "ink": {"type": "pen", "color": [0, 0, 0, 1]}, "points": []}
    {"event": "points", "points": [[10, 10, 0, 6, 6], [20, 10, 0.5, 6, 6], [30, 10, 1, 6, 6]]}
    {"event": "end"}

    """#.utf8)
}

struct PictureCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try write("page.pkd")
    try write("loose.json", loose)
  }

  private let loose = Data(
    #"{"strokes": [{"points": [{"x": 10, "y": 10, "w": 12}, {"x": 50, "y": 30, "w": 12}]}]}"#.utf8)

  /// Writes a recording, or other bytes, to the folder.
  private func write(_ name: String, _ bytes: Data? = nil) throws {
    let file = folder.file(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    if let bytes { return try bytes.write(to: file) }
    let result = try Program.run("pkd", ["record", "--quiet", file.path], input: page())
    try #require(result.code == 0, "\(result.errors)")
  }

  /// Runs a command line in the folder.
  private func pkd(_ line: String, input: Data = Data()) throws -> Program.Result {
    try Program.run(
      "pkd", line.split(separator: " ").map(String.init), input: input, in: folder.url)
  }

  private func image(_ name: String) throws -> PNGImage {
    try PNGDecoder().decode([UInt8](try Data(contentsOf: folder.file(name))))
  }

  private var names: Set<String> {
    get throws { Set(try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)) }
  }

  // MARK: - Pictures

  @Test func `render writes a picture beside the page, one pixel for each point`() throws {
    let result = try pkd("render page.pkd")
    #expect(result.code == 0 && result.text.isEmpty && result.errors.isEmpty, "\(result)")
    let image = try image("page.png")
    #expect(image.width == 40 && image.height == 30 && image.pixelsPerMeter == 2_835)
    #expect(!image.hasAlpha && image.depth == .eight && image.texts.isEmpty)
    #expect(image[20, 10] == SIMD4(0, 0, 0, 65_535))
    #expect(image[20, 25] == SIMD4(repeating: 65_535))
  }

  @Test func `a thumbnail has 256 pixels on its longer side, or the given size`() throws {
    #expect(try pkd("thumbnail page.pkd loose.json -o small/").code == 0)
    #expect(try image("small/page.png").width == 256)
    #expect(try image("small/page.png").height == 192)
    #expect(try image("small/loose.png").width == 256)
    #expect(try pkd("thumbnail --size 64x64 page.pkd").code == 0)
    #expect(try image("page.png").width == 64 && image("page.png").height == 64)
    #expect(try pkd("thumbnail --size 20 --force page.pkd").code == 0)
    #expect(try image("page.png").width == 20 && image("page.png").height == 15)
    #expect(try pkd("thumbnail --scale 3 --force page.pkd").code == 0)
    #expect(try image("page.png").width == 120)
  }

  @Test func `thumbnails of ink without a page have a margin, rendered pictures none`() throws {
    func inkStarts(_ line: String) throws -> Int {
      let result = try pkd("\(line) loose.json --force")
      #expect(result.code == 0, "\(result.errors)")
      let image = try image("loose.png")
      return try #require(
        (0..<image.width).first { x in
          (0..<image.height).contains { image[x, $0] != SIMD4(repeating: 65_535) }
        })
    }
    // The box of a stroke may be larger than its ink.
    let bare = try inkStarts("render --size 256")
    #expect(try inkStarts("thumbnail --margin 0") == bare)
    // The margin is 6 of 112 parts of 256 pixels, and the rest is scaled down accordingly.
    let start = 13.7 + Double(bare) / 1.12
    #expect(try abs(Double(inkStarts("thumbnail")) - start) <= 1.5)
    #expect(try inkStarts("thumbnail --margin 25") > bare + 30)
    // A page and a region have no margin.
    for options in ["", "--region 5,5,30,20"] {
      #expect(try pkd("thumbnail page.pkd \(options) -o a.png").code == 0)
      #expect(try pkd("render page.pkd \(options) --size 256 -o b.png").code == 0)
      #expect(try image("a.png").components == image("b.png").components)
    }
    #expect(try pkd("thumbnail --help").text.contains("6 %"))
    #expect(try !pkd("render --help").text.contains("6 %"))
  }

  @Test func `ink that does not show is reported, with a background on which it does`() throws {
    try write(
      "chalk.json",
      Data(
        String(decoding: loose, as: UTF8.self).replacingOccurrences(
          of: #""points""#, with: #""ink": {"type": "pen", "color": [1, 1, 1, 1]}, "points""#
        ).utf8))
    let note =
      "pkd: chalk.json: its white ink does not show on white; --background auto chooses a "
      + "background on which it does\n"
    for command in ["render", "thumbnail"] {
      let result = try pkd("\(command) chalk.json --force")
      #expect(result.code == 0 && result.errors == note, "\(result)")
      let facts = try pkd("\(command) chalk.json --force --quiet --json")
      #expect(facts.errors.isEmpty && facts.text.contains(#""hasHiddenInk": true"#), "\(facts)")
      for options in ["auto", "transparent", "navy"] {
        let result = try pkd("\(command) chalk.json --force --background \(options)")
        #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
      }
      let last = try pkd("\(command) chalk.json --force --quiet --json --at 100%")
      #expect(last.text.contains(#""hasHiddenInk": true"#), "\(last)")
      #expect(try pkd("\(command) loose.json --force --json").text.contains(": false"))
    }
    #expect(
      try pkd("render chalk.json --force --background #FEFDFC").errors.contains("on #FEFDFC;"))
  }

  @Test(
    arguments: [
      ("--scale 2", 80, 60), ("--size 100", 100, 75), ("--size 100x90", 100, 90),
      ("--region 5,5,10,20", 10, 20), ("--region -5,-5,10,20 --scale 1.5", 15, 30),
      ("--frame page --margin 5", 50, 40), ("--frame content", 30, 14),
      ("--frame content --margin 2", 34, 18), ("--scale 0.01", 1, 1),
      ("--max-pixels 1200", 40, 30),
    ])
  func `pictures have the requested extents`(_ options: String, _ width: Int, _ height: Int) throws
  {
    let result = try pkd("render page.pkd \(options)")
    #expect(result.code == 0, "\(result.errors)")
    let image = try image("page.png")
    if options.contains("content") {
      // The renderer decides the box of the ink, but not the margin.
      #expect(abs(image.width - width) <= 6 && abs(image.height - height) <= 10)
    } else {
      #expect(image.width == width && image.height == height)
    }
  }

  @Test func `a rendered region has the pixels of the whole picture`() throws {
    #expect(try pkd("render page.pkd --scale 2 --paper isometric").code == 0)
    let result = try pkd(
      "render page.pkd --scale 2 --paper isometric --region 8,4,20,16 -o part.png")
    #expect(result.code == 0)
    let (whole, part) = (try image("page.png"), try image("part.png"))
    for y in 0..<part.height {
      for x in 0..<part.width where part[x, y] != whole[x + 16, y + 8] {
        Issue.record("\(x), \(y)")
      }
    }
  }

  @Test func `undone ink shows through in sienna or a given colour`() throws {
    let events = page() + Data("{\"event\": \"undo\", \"time\": 9}\n".utf8)
    let file = folder.file("undone.pkd").path
    try #require(try Program.run("pkd", ["record", "--quiet", file], input: events).code == 0)
    func pixel(_ options: String) throws -> SIMD4<UInt16> {
      let result = try pkd("render undone.pkd --force \(options)")
      try #require(result.code == 0, "\(result.errors)")
      return try image("undone.png")[20, 10]
    }
    let white = SIMD4<UInt16>(repeating: 65_535)
    #expect(try pixel("") == white)
    #expect(try pixel("--earlier") == SIMD4(223, 191, 179, 255) &* 257)
    #expect(try pixel("--earlier=blue") == SIMD4(168, 168, 255, 255) &* 257)
    #expect(try pixel("--earlier=#0000FF80") == SIMD4(127, 127, 255, 255) &* 257)
    #expect(try pkd("thumbnail undone.pkd --earlier -o small.png").code == 0)
    #expect(try image("small.png")[Int(image("small.png").width / 2), 64] != white)
    let wrong = try pkd("render undone.pkd --earlier=blu")
    #expect(wrong.code == 2 && wrong.errors.contains("did you mean 'blue'?"), "\(wrong)")
    #expect(try pkd("replay undone.pkd --earlier -o page.svg").code == 2)
    for (option, attribute) in [("--earlier", ""), ("--earlier=blue", "#0000ff57")] {
      #expect(try pkd("replay undone.pkd \(option) -o page.html --force").code == 0)
      #expect(
        String(
          decoding: try Data(contentsOf: folder.file("page.html")).prefix(4000), as: UTF8.self
        )
        .contains("\"earlier\":\"\(attribute)\""))
    }
    #expect(try pkd("replay undone.pkd --earlier -o page.apng").code == 0)
  }

  @Test func `render backgrounds are transparent, coloured, or chosen by the style`() throws {
    func corner(_ options: String) throws -> (SIMD4<UInt16>, Bool) {
      let result = try pkd("render page.pkd --force \(options)")
      #expect(result.code == 0, "\(result.errors)")
      return (try image("page.png")[0, 0], try image("page.png").hasAlpha)
    }
    #expect(try corner("--background transparent") == (.zero, true))
    #expect(try corner("--background #102030") == (SIMD4(4_112, 8_224, 12_336, 65_535), false))
    #expect(try corner("--background ORANGE").0 == SIMD4(65_535, 42_405, 0, 65_535))
    #expect(try corner("--background #FF000080") == (SIMD4(65_535, 0, 0, 32_896), true))
    #expect(try corner("--style dark") == (SIMD4(0, 0, 0, 65_535), false))
    #expect(try corner("--style stored") == (SIMD4(repeating: 65_535), false))
    #expect(try corner("--background auto") == (SIMD4(repeating: 65_535), false))
    #expect(try corner("--background auto --style dark").0 == SIMD4(0, 0, 0, 65_535))
  }

  @Test func `papers are drawn unless their pattern is left out`() throws {
    #expect(try pkd("render page.pkd -o blank.png").code == 0)
    for paper in ["dotted", "lined", "grid", "graph", "isometric"] {
      #expect(try pkd("render page.pkd --paper \(paper) -o \(paper).png").code == 0)
      #expect(try image("\(paper).png").components != image("blank.png").components, "\(paper)")
      #expect(try pkd("render page.pkd --paper \(paper) --no-pattern -o none.png").code == 0)
      #expect(try image("none.png").components == image("blank.png").components, "\(paper)")
    }
  }

  @Test func `a page is drawn on its own paper unless another one is given`() throws {
    for paper in ["lined", "napkin"] {
      let result = try Program.run(
        "pkd", ["record", "--quiet", folder.file("\(paper).pkd").path],
        input: page(metadata: #"{"paper": "\#(paper)"}"#))
      try #require(result.code == 0, "\(result.errors)")
    }
    for (line, same) in [
      ("render lined.pkd", "render page.pkd --paper lined"),
      ("render lined.pkd --paper grid", "render page.pkd --paper grid"),
      ("render lined.pkd --paper blank", "render page.pkd"),
      ("render lined.pkd --no-pattern", "render page.pkd"),
      ("render napkin.pkd", "render page.pkd"),
      ("thumbnail lined.pkd", "thumbnail page.pkd --paper lined"),
    ] {
      #expect(try pkd("\(line) --force -o a.png").code == 0, "\(line)")
      #expect(try pkd("\(same) --force -o b.png").code == 0)
      #expect(try image("a.png").components == image("b.png").components, "\(line)")
    }
    #expect(try pkd("render lined.pkd -o a.png --force").code == 0)
    #expect(try pkd("render page.pkd -o b.png --force").code == 0)
    #expect(try image("a.png").components != image("b.png").components)
    #expect(try pkd("info lined.pkd").text.contains("paper     lined\n"))
    #expect(try pkd("info napkin.pkd").text.contains("paper     napkin, which is unknown"))
    #expect(try pkd("info --json lined.pkd").text.contains(#""paper": "lined""#))
    #expect(try !pkd("info page.pkd").text.contains("paper"))
    #expect(try !pkd("info --json page.pkd").text.contains("paper"))
  }

  @Test func `render stores texts and the colour space in the PNG`() throws {
    let result = try pkd(
      "render page.pkd --metadata Title=plums --metadata Comment=a=b --color-space p3")
    #expect(result.code == 0, "\(result.errors)")
    #expect(try image("page.png").texts == [PNGText("Title", "plums"), PNGText("Comment", "a=b")])
    let bytes = try Data(contentsOf: folder.file("page.png"))
    #expect(bytes.range(of: Data("cICP".utf8)) != nil && bytes.range(of: Data("iCCP".utf8)) != nil)
  }

  @Test func `PNG, as libpng reads it, has the pixels of plain files`() throws {
    for options in ["", "--background transparent", "--depth 16", "--color-space p3 --scale 3"] {
      let line = "render page.pkd \(options) --paper grid --force"
      #expect(try pkd("\(line) -o page.png").code == 0)
      #expect(try pkd("\(line) -o page.rgba").code == 0)
      let plain = try Data(contentsOf: folder.file("page.rgba"))
      #expect(try image("page.png").plainBytes == [UInt8](plain))
    }
  }

  @Test func `a verbose run prints the pixel form`() throws {
    let result = try pkd("render page.pkd --verbose")
    #expect(result.errors.contains("40×30 pixels, 1 strokes, 4-bit palette"), "\(result.errors)")
  }

  @Test func `the same render command gives the same bytes, for any number of threads`() throws {
    #expect(try pkd("render page.pkd --scale 20 -o a.png").code == 0)
    for threads in 1...3 {
      #expect(try pkd("render page.pkd --scale 20 --threads \(threads) -o b.png").code == 0)
      #expect(
        try Data(contentsOf: folder.file("a.png")) == Data(contentsOf: folder.file("b.png")))
    }
  }

  @Test(
    arguments: [
      ("render --scale 2", [1, 2, 3, 5, 8]),
      ("render --scale 2 --background transparent", [1, 2, 3, 5, 8]),
      ("render --scale 2 --depth 16", [1, 2, 3, 5, 8]),
      ("replay --duration 2 --fps 3", [1, 2, 3, 5, 8]),
      ("render --scale 1.5 --effort small", [1, 2, 5]),
      ("render --region 300,300,300,300 --effort best", [1, 3, 8]),
    ])
  func `a large PNG is the same for any number of threads`(
    _ words: String, _ threadCounts: [Int]
  ) throws {
    let sample = Corpus.project.appendingPathComponent("Samples/landscape.pkd").path
    let name = words.hasPrefix("replay") ? "picture.apng" : "picture.png"
    var first: Data?
    for threads in threadCounts {
      let result = try pkd("\(words) \(sample) --threads \(threads) -o \(name) --force")
      #expect(result.code == 0, "\(result.errors)")
      let bytes = try Data(contentsOf: folder.file(name))
      let isSame = bytes == first ?? bytes
      #expect(isSame, "\(threads) threads")
      first = bytes
    }
  }

  @Test(arguments: ["landscape", "inks"])
  func `a picture is the same with all instructions that a variable allows`(_ name: String) throws {
    let sample = Corpus.project.appendingPathComponent("Samples/\(name).pkd").path
    var pictures: Set<Data> = []
    for level in ["any", "avx2", "avx512"] {
      let result = try Program.run(
        "pkd", ["render", sample, "-o", "picture.png", "--force"],
        environment: ["PENTIMENTO_INSTRUCTIONS": level], in: folder.url)
      #expect(result.code == 0, "\(result.errors)")
      pictures.insert(try Data(contentsOf: folder.file("picture.png")))
    }
    #expect(pictures.count == 1)
    let doctor = try Program.run(
      "pkd", ["doctor"], environment: ["PENTIMENTO_INSTRUCTIONS": "any"], in: folder.url)
    #expect(doctor.text.contains("those of any processor"))
  }

  @Test func `a drawing without ink is a small picture`() throws {
    try write("none.json", Data(#"{"strokes": []}"#.utf8))
    #expect(try pkd("render none.json").code == 0)
    #expect(try image("none.png").width == 1 && image("none.png").height == 1)
  }

  @Test func `an unknown ink is reported and drawn as pen`() throws {
    try write(
      "odd.json",
      Data(
        String(decoding: loose, as: UTF8.self)
          .replacingOccurrences(
            of: #""points""#, with: #""ink": {"type": "com.example.glue"}, "points""#
          ).utf8))
    let result = try pkd("render odd.json")
    #expect(result.code == 0)
    #expect(result.errors.contains("odd.json: the ink 'com.example.glue' is unknown"))
    #expect(try pkd("render odd.json --quiet --force").errors.isEmpty)
    let facts = try pkd("render odd.json --quiet --force --json").text
    #expect(facts.contains(#""unknownInks": ["com.example.glue"]"#), "\(facts)")
  }

  // MARK: - Streams

  @Test func `pictures go from the standard input to the standard output`() throws {
    let result = try pkd("render -", input: loose)
    #expect(result.code == 0 && result.errors.isEmpty)
    #expect(try PNGDecoder().decode([UInt8](result.output)).width > 30)
    let named = try pkd("render loose.json -o -")
    #expect(named.output == result.output)
    #expect(try pkd("thumbnail - -o small.png", input: loose).code == 0)
    #expect(try image("small.png").width == 256)
    let script =
      #"pkd render - < loose.json | cat > a.png; pkd render loose.json -o /dev/stdout > b.png; cmp a.png b.png"#
    #expect(try Program.shell(script, in: folder.url).code == 0)
  }

  @Test func `a closed pipe ends render without an error`() throws {
    let script =
      #"pkd render page.pkd --scale 100 -o - | head -c 10 > /dev/null; pkd render page.pkd -o /dev/full"#
    let result = try Program.shell(script, in: folder.url)
    #expect(result.code == 1 && result.errors == "pkd: /dev/full: No space left on device\n")
  }

  // MARK: - Names

  @Test func `an output name does not depend on other inputs`() throws {
    for name in ["a/page.pkd", "b/page.pkd"] { try write(name) }
    let result = try pkd("render a/page.pkd b/page.pkd -o out/")
    #expect(result.code == 2 && result.errors.contains("--with-folders"), "\(result.errors)")
    #expect(try !names.contains { $0.hasPrefix("out") })
    #expect(try pkd("render a/page.pkd other/../page.pkd -o out/").code == 2)
    #expect(try pkd("render a/page.pkd loose.json -o out/").code == 0)
    #expect(try pkd("render b/page.pkd --with-folders -o out/").code == 0)
    let drawn = try names.filter { $0.hasSuffix("png") }
    #expect(drawn == ["out/page.png", "out/loose.png", "out/b-page.png"])
  }

  @Test func `output names are prefixed with folders on request`() throws {
    for name in ["a/page.pkd", "b/page.pkd", "a/x/note.pkd", "b/x/note.pkd", "other.pkd"] {
      try write(name)
    }
    let line =
      "render a/page.pkd ./b/../b/page.pkd a/x/note.pkd b/x/note.pkd other.pkd --with-folders -o out/"
    #expect(try pkd(line).code == 0)
    let drawn = try names.filter { $0.hasSuffix("png") }
    let expected = ["a-page", "b-page", "a-x-note", "b-x-note", "other"].map { "out/\($0).png" }
    #expect(drawn == Set(expected))
  }

  @Test func `equal output names are an error before anything is drawn`() throws {
    try write("page.json", loose)
    for line in [
      "render page.pkd page.json", "render page.pkd page.json -o out/",
      "thumbnail loose.json page.pkd page.pkd -o out/",
    ] {
      let result = try pkd(line)
      #expect(result.code == 2 && result.errors.contains("would both become"), "\(result.errors)")
    }
    #expect(try !names.contains { $0.hasSuffix("png") || $0 == "out" })
  }

  @Test func `two spellings of an output name are one, and no input is replaced`() throws {
    try write("page.json", loose)
    try write("ink.png", loose)
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("here").path, withDestinationPath: ".")
    for line in ["render ./page.pkd page.json", "render here/page.pkd ./page.json"] {
      let result = try pkd(line)
      #expect(result.code == 2 && result.errors.contains("would both become"), "\(result.errors)")
    }
    try write("ink.pkd")
    let before = try Data(contentsOf: folder.file("ink.png"))
    let result = try pkd("render --force ./ink.pkd ink.png")
    #expect(result.code == 2 && result.errors.contains("is another input"), "\(result.errors)")
    #expect(try Data(contentsOf: folder.file("ink.png")) == before)
  }

  @Test func `messages are never written into pictures, even if standard error is closed`() throws {
    for number in 0..<40 { try write("\(number).json", loose) }
    _ = try Program.shell(
      "pkd render -v --threads 8 [0-9]*.json -o out/ 2>&-", in: folder.url)
    let expected = try pkd("render loose.json -o -").output
    for number in 0..<40 {
      #expect(try Data(contentsOf: folder.file("out/\(number).png")) == expected)
    }
  }

  @Test func `render replaces existing files only with --force`() throws {
    try write("page.png", Data("mine".utf8))
    let result = try pkd("render page.pkd loose.json")
    #expect(result.code == 1)
    #expect(result.errors.contains("page.png: it exists already; --force replaces it"))
    #expect(result.errors.contains("1 of 2 files could not be drawn"))
    #expect(try Data(contentsOf: folder.file("page.png")) == Data("mine".utf8))
    #expect(try names.contains("loose.png"), "the others are drawn")
    #expect(try pkd("render page.pkd --force").code == 0)
    #expect(try image("page.png").width == 40)
    // A file named with -o may be replaced, as by `convert`.
    #expect(try pkd("render page.pkd --scale 2 -o page.png").code == 0)
    #expect(try image("page.png").width == 80)
  }

  @Test func `a drawing is never replaced by its picture`() throws {
    try write("odd.png", loose)
    for line in ["render odd.png", "render odd.png --force", "render odd.png -o odd.png"] {
      #expect(try pkd(line).code != 0)
      #expect(try Data(contentsOf: folder.file("odd.png")) == loose)
    }
  }

  @Test func `file names of any bytes are kept`() throws {
    let script = #"""
      name=$(printf 'a\377b'); cp page.pkd "$name.pkd"; pkd render "$name.pkd"; test -f "$name.png"
      pkd render page.pkd -o "$name-2.png"; test -f "$name-2.png"
      """#
    #expect(try Program.shell(script, in: folder.url).code == 0)
  }

  // MARK: - Errors

  @Test func `unreadable files do not stop render and are listed at its end`() throws {
    try write("bad.drawing", Data("wrd\u{F0}".utf8))
    try write("empty.pkd", Data())
    let result = try pkd("render bad.drawing page.pkd none.pkd empty.pkd loose.json -o out/")
    #expect(result.code == 65)
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 4 && lines.last == "pkd: 3 of 5 files could not be drawn completely")
    for (line, name) in zip(lines, ["bad.drawing", "none.pkd", "empty.pkd"]) {
      #expect(line.hasPrefix("pkd: \(name): "), "\(line)")
    }
    #expect(try names.isSuperset(of: ["out/page.png", "out/loose.png"]))
    #expect(!result.errors.contains("\u{1B}"), "a bar belongs on a terminal")
  }

  @Test func `one thread and several draw the same pictures and print the same lines`() throws {
    let script = #"""
      mkdir in one three
      for n in 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do
        cp page.pkd in/$n.pkd; printf 'wrd' > in/$n-bad.drawing
      done
      pkd thumbnail in/*.pkd in/*.drawing --json --threads 1 -o one/ > one.json 2> one.txt || true
      pkd thumbnail in/*.pkd in/*.drawing --json --threads 3 -o three/ > three.json 2> three.txt || true
      sed -i 's/three/one/g' three.json; cmp one.json three.json; cmp one.txt three.txt; diff -r one three
      grep -c png one.json; grep -c bad.drawing one.txt; tail -1 one.txt
      """#
    let result = try Program.shell(script, in: folder.url)
    let lines = result.text.split(separator: "\n")
    #expect(lines == ["15", "15", "pkd: 15 of 30 files could not be drawn completely"])
  }

  @Test func `render draws the readable part of a damaged recording`() throws {
    #expect(try pkd("convert \(Corpus.project.path)/Samples/mood.pkd long.pkd").code == 0)
    let bytes = try Data(contentsOf: folder.file("long.pkd"))
    try write("cut.pkd", bytes.prefix(bytes.count / 2))
    var flipped = bytes
    flipped[bytes.count / 2] ^= 4
    try write("flipped.pkd", flipped)
    let result = try pkd("render flipped.pkd cut.pkd")
    #expect(result.code == 65 && result.errors.contains("only the readable part was drawn"))
    #expect(try names.isSuperset(of: ["flipped.png", "cut.png"]))
  }

  @Test(
    arguments: [
      ("--scale nan", "--scale needs a number above zero, not 'nan'"),
      ("--scale inf", "above zero"), ("--scale 0", "above zero"), ("--scale -1", "above zero"),
      ("--scale 1e300", "more than the 100000000 that are allowed"),
      ("--scale big", "not 'big'"), ("--scale", "--scale needs a value"),
      ("--size 0", "--size needs"), ("--size 10x", "--size needs"),
      ("--size 1x2x3", "--size needs"),
      ("--size -5", "--size needs"), ("--size 99999999999999999999", "--size needs"),
      ("--size 1000000x1000000", "more than the"), ("--size 3 --scale 1", "exclude each other"),
      ("--region 1,2,3", "--region needs"), ("--region 0,0,0,1", "--region needs"),
      ("--region 0,0,-1,1", "--region needs"), ("--region nan,0,1,1", "--region needs"),
      ("--region -1e300,0,5,5", "the region is empty"),
      ("--region 0,0,inf,1", "--region needs"), ("--region 0,0,1e300,1", "more than the"),
      ("--region 0,0,1,1 --frame page", "exclude each other"),
      ("--margin -1", "of zero or more"), ("--margin nan", "of zero or more"),
      ("--margin 1e300", "more than the"), ("--frame all", "--frame cannot be 'all'"),
      ("--background whit", "did you mean 'white'?"), ("--background #12", "--background cannot"),
      ("--background aut", "did you mean 'auto'?"), ("--background auot", "did you mean 'auto'?"),
      ("--background xyzzyx", "give transparent, auto, #RRGGBB"),
      ("--paper liend", "did you mean 'lined'?"), ("--style night", "--style cannot be"),
      ("--depth 99", "it is one of 8, 16"), ("--color-space cmyk", "it is one of srgb, p3"),
      ("--max-pixels 0", "--max-pixels needs"), ("--max-pixels 1199", "more than the 1199"),
      ("--threads 0", "--threads needs"), ("--effort more", "it is one of fast"),
      ("--metadata plums", "KEY=VALUE"), ("--metadata =x", "is not a PNG keyword"),
      ("-o picture.jpg", "pictures are PNG"), ("-o - --json", "cannot both go"),
      ("more.pkd -o one.png", "is not a folder for 2 files"),
      ("-", "needs a folder: -o FOLDER/"),
    ])
  func `wrong render options have their own messages and nothing is drawn`(
    _ options: String, _ message: String
  ) throws {
    let result = try pkd("render page.pkd \(options)")
    #expect(result.code == 2 && result.errors.contains(message), "\(result.code) \(result.errors)")
    #expect(try names == ["page.pkd", "loose.json"])
  }

  @Test func `an interrupted render leaves no partial picture`() throws {
    // Sixty-nine megapixels take more than a second; the file exists much earlier.
    let script = #"""
      mkdir out
      pkd render page.pkd --scale 240 -o out/large.png & run=$!
      for turn in $(seq 2000); do [ -n "$(ls -A out)" ] && break; kill -0 $run; done
      kill -INT $run; code=0; wait $run || code=$?; echo $code; ls -A out
      """#
    let result = try Program.shell(script, in: folder.url)
    #expect(result.text == "130\n", "\(result)")
  }

  @Test func `a page that is too large at scale 1 is bad data`() throws {
    let large = page(size: "[1e6, 1e6]")
    let result = try Program.run(
      "pkd", ["record", "--quiet", folder.file("large.pkd").path], input: large)
    #expect(result.code == 0, "\(result.errors)")
    #expect(try pkd("render large.pkd").code == 65)
    #expect(try pkd("thumbnail large.pkd").code == 0)
    #expect(try image("large.png").width == 256)
  }

  @Test func `a drawing whose nibs would take too much work is bad data`() throws {
    let points = (0..<6_000).map { number in
      #"{"x": \#(number % 200), "y": \#(number % 170), "w": \#(number % 2 == 0 ? 3 : 1e5)}"#
    }
    let stroke = #"{"ink": {"type": "pencil"}, "points": [\#(points.joined(separator: ","))]}"#
    try write("wide.json", Data(#"{"strokes": [\#(stroke)]}"#.utf8))
    let result = try pkd("render --size 300 wide.json")
    #expect(result.code == 65, "\(result.code) \(result.errors)")
    #expect(result.errors.contains("the limit here"), "\(result.errors)")
    // The vectors of a part that only nibs reach.
    let vectors = try pkd("convert wide.json -o wide.svg --region 0,0,200,200")
    #expect(vectors.code == 65, "\(vectors.code) \(vectors.errors)")
  }

  @Test func `a drawing without a page cannot be framed by it`() throws {
    let result = try pkd("render loose.json --frame page")
    #expect(result.code == 2 && result.errors.contains("the drawing has no page"))
  }

  @Test(
    arguments: [
      "--scale 1e-300", "--region 0,0,1e-300,1e-300", "--region 1e9,1e9,10,10",
      "--scale 1e-5 --paper dotted", "--scale 1e-5 --paper isometric",
      "--region 0,0,1e-9,1e-9 --size 100 --paper grid", "--size 1x5000 --paper cornell",
    ])
  func `extreme render options give a picture without delay`(_ options: String) throws {
    let result = try pkd("render page.pkd \(options)")
    #expect(result.code == 0, "\(result.code) \(result.errors)")
    _ = try image("page.png")
  }
}

extension PNGImage {
  /// The components in the form of plain files: those of 16 bits are big-endian.
  var plainBytes: [UInt8] {
    guard depth == .sixteen else { return components }
    return stride(from: 0, to: components.count, by: 2).flatMap { at in
      [components[at + 1], components[at]]
    }
  }
}
