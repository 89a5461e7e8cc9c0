import Foundation
import TestSupport
import Testing

/// The conventions that all commands follow.
struct ConventionTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for line in ["record --demo --fast --quiet page.pkd", "convert page.pkd page.drawing"] {
      let result = try pkd(line)
      try #require(result.code == 0, "\(result.errors)")
    }
    try FileManager.default.copyItem(at: folder.file("page.pkd"), to: folder.file("b.pkd"))
    var damaged = try Data(contentsOf: folder.file("page.pkd"))
    damaged[damaged.count / 2] ^= 4
    try damaged.write(to: folder.file("damaged.pkd"))
  }

  private func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

  @discardableResult
  private func pkd(_ line: String, input: Data = Data()) throws -> Program.Result {
    try Program.run("pkd", words(line), input: input, in: folder.url)
  }

  private func onTerminal(
    _ line: String, _ environment: [String: String] = ["TERM": "xterm"]
  ) throws -> (code: Int32, screen: String) {
    try Program.onTerminal("pkd", words(line), environment: environment, in: folder.url)
  }

  /// The names below a heading of the help.
  private func names(below heading: String, in help: String) throws -> [String] {
    let lines = help.components(separatedBy: "\n")
    let start = try #require(lines.firstIndex(of: heading))
    return lines[(start + 1)...].prefix { $0.hasPrefix("  ") }.compactMap {
      $0.hasPrefix("   ") ? nil : $0.split(separator: " ").first.map(String.init)
    }
  }

  // MARK: - Help

  @Test func `no line of any help is longer than 80 columns`() throws {
    let (help, storeHelp) = (try pkd("--help").text, try pkd("store --help").text)
    let headings = [
      "Commands:", "More commands:", "The drawing service, by the program pkd-service:",
    ]
    let commands = try headings.flatMap { try names(below: $0, in: help) }
    let verbs = try names(below: "Verbs:", in: storeHelp).map { "store \($0)" }
    #expect(commands.count > 20 && verbs.count > 15)
    var texts = [("", help), ("store", storeHelp), ("colors", try pkd("help colors").text)]
    for name in commands + verbs where name != "store" {
      let result = try pkd("\(name) --help")
      let other = try pkd("help \(name)")
      #expect(result.code == 0 && result.text == other.text)
      texts.append((name, result.text))
    }
    for (name, text) in texts {
      for line in text.split(separator: "\n") where line.count > 80 {
        Issue.record("pkd \(name) --help: \(line.count) columns: \(line)")
      }
    }
  }

  @Test func `help explains all options, also those that are too long for the column`() throws {
    let text = try pkd("render --help").text
    #expect(text.contains("--paper blank|dotted|lined|grid|graph|isometric|staves|cornell\n"))
    #expect(text.contains("  -f, --force"))
    #expect(text.contains("  -q, --quiet"))
  }

  @Test func `pkd help colors lists the names of colours`() throws {
    let list = try pkd("help colors").text
    for name in ["ivory", "transparent", "#RRGGBBAA", "#FFFFF0"] { #expect(list.contains(name)) }
    let result = try pkd("render page.pkd --background xyzzyxyzzy")
    #expect(result.code == 2 && result.errors.contains("aqua, beige, black"), "\(result.errors)")
    #expect(try pkd("render --help").text.contains("pkd help colors"))
  }

  // MARK: - Options

  @Test func `options of one letter may be written together and with their values`() throws {
    for line in [
      "render page.pkd -oout.png", "render page.pkd -o out.png", "render page.pkd -o=out.png",
      "render -qoout.png page.pkd", "render -qo out.png page.pkd", "render -qfoout.png page.pkd",
    ] {
      try? FileManager.default.removeItem(at: folder.file("out.png"))
      let result = try pkd(line)
      #expect(result.code == 0 && result.errors.isEmpty, "\(line): \(result.errors)")
      #expect(FileManager.default.fileExists(atPath: folder.file("out.png").path), "\(line)")
    }
    #expect(try pkd("render page.pkd").code == 0)
    #expect(try pkd("render page.pkd").code == 1)
    #expect(try pkd("render -qf page.pkd").code == 0)
  }

  @Test(
    arguments: [
      ("-json", "unknown option '-json'; did you mean '--json'?"),
      ("-output out.png", "unknown option '-output'; did you mean '--output'?"),
      ("-qx", "unknown option '-qx'"), ("-q=1", "--quiet takes no value"),
      ("-o", "--output needs a value"), ("-", "'-' beside other inputs"),
    ])
  func `errors about letters name the wrong option`(_ words: String, _ message: String) throws {
    let result = try pkd("render page.pkd \(words)")
    #expect(result.code == 2 && result.errors.contains(message), "\(result.errors)")
  }

  // MARK: - Quiet

  @Test func `a quiet run that succeeds prints nothing`() throws {
    // The lines are run unchanged, one after the other.
    let lines = """
      info page.pkd
      verify page.pkd
      convert page.pkd out.json
      convert --salvage damaged.pkd salvaged.json
      render page.pkd b.pkd
      render page.pkd --verbose -f
      thumbnail page.pkd -o small.png
      replay page.pkd --fps 4
      repair damaged.pkd repaired.pkd
      repair page.pkd copy.pkd
      record --demo --fast demo.pkd
      store init
      store seed
      store submit page.pkd --uid ann --id a
      store submit b.pkd --uid ann
      store list --uid ann
      store list --uid ann --limit 1
      store get a --uid ann
      store gallery --uid ann
      store cards --uid ann
      store checkin add --uid ann --emotion joy --id c
      store checkin list --uid ann
      store checkin chart --uid ann
      store checkin planets --uid ann
      store checkin delete c --uid ann
      store rerender --all
      store sweep
      store verify
      store stats
      store export --uid ann -o ann.json
      store deliver --command true
      store backup -o all.tar
      store restore all.tar --root other
      store delete a --uid ann
      """
    for line in lines.split(separator: "\n") {
      let result = try pkd("\(line) --quiet")
      #expect(result.code == 0, "\(line): \(result.errors)")
      #expect(result.output.isEmpty && result.errors.isEmpty, "\(line): \(result)")
    }
  }

  @Test func `a quiet run that fails prints the reason`() throws {
    try pkd("store submit page.pkd --uid ann --id a --quiet")
    for line in [
      "info none.pkd", "info damaged.pkd", "verify damaged.pkd", "convert damaged.pkd out.json",
      "render damaged.pkd", "repair page.drawing out.pkd", "store get none --uid ann",
      "record page.pkd --demo", "render page.pkd --scale x",
    ] {
      let result = try pkd("\(line) --quiet")
      #expect(result.code != 0 && !(result.text + result.errors).isEmpty, "\(line)")
    }
    let image = folder.file("pentimento-data/users/ann/drawings/a/image.png")
    try Data("gone".utf8).write(to: image)
    let result = try pkd("store verify --quiet")
    #expect(result.code == 65 && result.text.contains("image.png"), "\(result)")
    #expect(!result.text.contains("drawings/a/recording"))
    for _ in 0..<10 { try pkd("store checkin add --uid ann --quiet") }
    let failed = try pkd("store deliver --command false --quiet")
    #expect(failed.code == 1 && failed.errors.contains("could not be delivered"), "\(failed)")
    #expect(failed.text.isEmpty)
  }

  @Test func `requested data is printed in a quiet run, too`() throws {
    for line in [
      "info page.pkd --json", "verify page.pkd --json", "cat page.pkd", "render page.pkd -o -",
      "convert page.pkd - --to json", "render page.pkd --json --force", "info --help",
    ] {
      let (quiet, loud) = (try pkd("\(line) --quiet"), try pkd(line))
      #expect(quiet.code == 0 && quiet.output == loud.output && !loud.output.isEmpty, "\(line)")
    }
  }

  // MARK: - Terminals

  @Test(arguments: [
    "convert page.drawing - --to pkd", "convert - - --to pencilkit", "repair damaged.pkd -",
    "record --demo --fast -", "render page.pkd -o -", "render page.pkd -o /dev/stdout",
    "replay page.pkd --to apng -o -", "convert page.pkd /dev/stdout --to pkd",
    "store backup -o -", "store get a --uid ann --file image",
  ])
  func `binary output is refused on a terminal`(_ line: String) throws {
    try pkd("store submit page.pkd --uid ann --id a --quiet")
    let (code, screen) = try onTerminal(line)
    #expect(code == 2 && screen.contains("a terminal cannot show "), "\(screen)")
    #expect(screen.count < 300 && !screen.contains("\u{FFFD}"))
  }

  @Test func `text output may be written to a terminal`() throws {
    #expect(try onTerminal("convert page.pkd - --to json").screen.contains("strokes"))
  }

  @Test func `a line of JSON stays intact beside other messages`() throws {
    let (code, screen) = try onTerminal("render page.pkd b.pkd none.pkd --json --force")
    #expect(code == 1 && screen.contains("░"), "the bar is shown")
    let objects = screen.split(whereSeparator: \.isNewline).filter { $0.contains("{") }
    #expect(objects.count == 2)
    for line in objects {
      // Text before the last carriage return is overwritten by at least as many spaces.
      let parts = line.split(separator: "\r", omittingEmptySubsequences: false)
      let last = try #require(parts.last)
      #expect(last.hasPrefix("{") && last.hasSuffix("}"), "\(line.debugDescription)")
      #expect(parts.count < 2 || parts[parts.count - 2].allSatisfy { $0 == " " })
    }
  }

  @Test(
    arguments: [["TERM": "dumb"], ["TERM": ""], ["TERM": "xterm", "NO_COLOR": "1"]])
  func `pkd prints no escape codes if they are unwanted`(_ environment: [String: String]) throws {
    let lines = [
      "info page.pkd", "render page.pkd b.pkd --force", "replay page.pkd --force",
      "store submit page.pkd --uid ann", "store gallery --uid ann", "play page.pkd",
    ]
    for line in lines where !(line.hasPrefix("play") && environment["NO_COLOR"] != nil) {
      let (code, screen) = try onTerminal(line, environment)
      #expect(code == (line.hasPrefix("play") ? 2 : 0), "\(line): \(screen)")
      #expect(!screen.contains("\u{1B}"), "\(line): \(screen.debugDescription)")
    }
    #expect(try onTerminal("info page.pkd").screen.contains("\u{1B}[1m"))
  }

  // MARK: - Errors

  @Test func `errors about size name the option that allows it`() throws {
    for line in [
      "render page.pkd --size 50000x50000", "thumbnail page.pkd --size 50000x50000",
      "replay page.pkd --size 50000x50000", "render page.pkd --max-pixels 10",
    ] {
      let result = try pkd("\(line) --force")
      #expect(result.code == 2 && result.errors.contains("--max-pixels"), "\(result.errors)")
    }
    // A side that is too long is an error at any number of pixels.
    let long = try pkd("render page.pkd --region 0,0,1000000,1 --force")
    #expect(long.code == 2 && !long.errors.contains("--max-pixels"), "\(long.errors)")
  }

  private static let pictures: [(name: String, bytes: [UInt8])] = [
    ("PNG", [0x89] + Array("PNG\r\n\u{1A}\n".utf8)), ("JPEG", [0xFF, 0xD8, 0xFF, 0xE0]),
    ("GIF", Array("GIF89a".utf8)), ("WebP", Array("RIFF\u{1}\0\0\0WEBPVP8 ".utf8)),
    ("PDF", Array("%PDF-1.7".utf8)), ("SVG", Array("<?xml version='1.0'?>\n<svg/>".utf8)),
    ("TIFF", Array("II*\0".utf8)), ("HEIF", Array("\0\0\0\u{18}ftypheic".utf8)),
  ]

  @Test(arguments: pictures.indices)
  func `a picture instead of ink gives the same error in all commands`(_ index: Int) throws {
    let (name, bytes) = Self.pictures[index]
    try Data(bytes + [UInt8](repeating: 7, count: 40)).write(to: folder.file("photo.png"))
    let message =
      "a picture (\(name)), not ink; ink has the endings .drawing, .pkd, .json, .xopp, .inkml and others\n"
    for line in [
      "info photo.png", "verify photo.png", "cat photo.png", "convert photo.png out.pkd",
      "convert --from json photo.png out.pkd", "repair photo.png out.pkd", "render photo.png",
      "render photo.png -o photo.png", "thumbnail photo.png -o out.png", "replay photo.png",
      "replay photo.png -o photo.png", "render --from pkd photo.png",
    ] {
      let result = try pkd(line)
      #expect(result.code == 65 && result.text.isEmpty, "\(line): \(result)")
      #expect(result.errors == "pkd: photo.png: \(message)", "\(line)")
    }
    let played = try onTerminal("play photo.png")
    #expect(played.code == 65 && played.screen == "pkd: photo.png: \(message)")
    let recorded = try pkd("record out.pkd", input: Data(contentsOf: folder.file("photo.png")))
    #expect(recorded.code == 65 && recorded.errors == "pkd: standard input: \(message)")
    let kept = try pkd("store submit photo.png page.pkd --uid ann --quiet")
    #expect(kept.code == 65 && kept.errors == "pkd: photo.png: \(message)")
  }
}
