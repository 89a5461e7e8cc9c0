import Foundation
import Graphics
import PNGFormat
import TestSupport
import Testing

/// A page with two strokes of one second each, with ten seconds between them.
private let session = Data(
  #"""
  {"format": "pentimento-events", "version": 1, "canvas": {"size": [60, 40]}}
  {"event": "begin", "time": 0, "ink": {"type": "pen", "color": [0, 0, 0, 1]}, "points": []}
  {"event": "points", "points": [[10, 10, 0, 6, 6], [20, 10, 0.5, 6, 6], [50, 10, 1, 6, 6]]}
  {"event": "end", "time": 1}
  {"event": "begin", "time": 11, "ink": {"type": "marker", "color": [1, 0.6, 0, 1]}, "points": []}
  {"event": "points", "points": [[10, 30, 0, 9, 9], [20, 30, 0.5, 9, 9], [50, 12, 1, 9, 9]]}
  {"event": "end", "time": 12}

  """#.utf8)

struct ReplayCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let result = try Program.run(
      "pkd", ["record", "--quiet", folder.file("page.pkd").path], input: session)
    try #require(result.code == 0, "\(result.errors)")
  }

  /// Runs a command line in the folder.
  private func pkd(_ line: String) throws -> Program.Result {
    try Program.run("pkd", line.split(separator: " ").map(String.init), in: folder.url)
  }

  private func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.file(name)))
  }

  @Test func `replay writes a moving picture beside the recording`() throws {
    let result = try pkd("replay page.pkd --fps 10")
    #expect(result.code == 0 && result.errors.isEmpty)
    let frames = try PNGDecoder().frames(of: bytes("page.apng"))
    #expect(frames.width == 60 && frames.height == 40)
    // Two seconds of drawing and half a second between them.
    #expect(frames.controls.count > 15 && frames.controls.count <= 26)
    let again = try pkd("replay page.pkd")
    #expect(again.code == 1 && again.errors.contains("--force"))
  }

  @Test func `a replay is shown on the page's own paper unless another one is given`() throws {
    let lined = String(decoding: session, as: UTF8.self).replacingOccurrences(
      of: #""size": [60, 40]"#, with: #""size": [60, 40], "metadata": {"paper": "lined"}"#)
    let result = try Program.run(
      "pkd", ["record", "--quiet", folder.file("lined.pkd").path], input: Data(lined.utf8))
    try #require(result.code == 0, "\(result.errors)")
    for options in ["", "--paper blank", "--paper grid", "--no-pattern"] {
      try #require(try pkd("render lined.pkd \(options) -o still.png --force").code == 0)
      try #require(
        try pkd("replay lined.pkd --every-stroke --poster \(options) -o page.apng --force").code
          == 0)
      let still = try PNGDecoder().decode(bytes("still.png"))
      let end = try PNGDecoder().frames(of: bytes("page.apng")).defaultPicture()
      #expect(end.components == still.components, "\(options)")
      // A replay page has the whole recording, and an attribute only for a different paper.
      try #require(try pkd("replay lined.pkd \(options) -o page.html --force").code == 0)
      let page = String(decoding: try bytes("page.html"), as: UTF8.self)
      let attribute = #""paper":"\#(options.hasSuffix("grid") ? "grid" : "blank")""#
      #expect(page.contains(attribute) == !options.isEmpty, "\(options)")
    }
  }

  @Test func `the poster of a replay is the picture that render draws`() throws {
    try #require(try pkd("render page.pkd -o still.png").code == 0)
    for (options, isFirst) in [("", true), ("--poster ", false)] {
      let result = try pkd("replay page.pkd --fps 10 \(options)-o page.apng")
      #expect(result.code == 0, "\(result.errors)")
      let frames = try PNGDecoder().frames(of: bytes("page.apng"))
      #expect(frames.showsDefault == isFirst)
      let still = try PNGDecoder().decode(bytes("still.png"))
      let poster = try frames.defaultPicture()
      #expect((poster.components == still.components) == !isFirst)
      var last: PNGImage?
      try frames.forEachCanvas { image, _ in last = image }
      #expect(last?.components == still.components)
    }
  }

  @Test func `the last frame of a replay is the picture that render draws`() throws {
    try #require(try pkd("render page.pkd -o still.png --scale 2").code == 0)
    let result = try pkd("replay page.pkd --scale 2 --every-stroke -o frames/%03d.png")
    #expect(result.code == 0, "\(result.errors)")
    let names = try FileManager.default.contentsOfDirectory(
      atPath: folder.file("frames").path
    ).sorted()
    #expect(names.first == "001.png")
    #expect(try bytes("frames/\(names.last ?? "")") == bytes("still.png"))
  }

  @Test func `the last frame of a replay has render's automatic background`() throws {
    let chalk = String(decoding: session, as: UTF8.self)
      .replacingOccurrences(of: "[0, 0, 0, 1]", with: "[1, 1, 1, 1]")
      .replacingOccurrences(of: "[1, 0.6, 0, 1]", with: "[1, 1, 1, 1]")
    let recorded = try Program.run(
      "pkd", ["record", "--quiet", folder.file("chalk.pkd").path], input: Data(chalk.utf8))
    try #require(recorded.code == 0, "\(recorded.errors)")
    try #require(try pkd("render chalk.pkd -o still.png --background auto").code == 0)
    let result = try pkd("replay chalk.pkd --background auto --every-stroke -o frames/%d.png")
    #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
    #expect(try bytes("frames/2.png") == bytes("still.png"))
    let still = try PNGDecoder().decode(bytes("still.png"))
    #expect(still[0, 0] == SIMD4(7_196, 7_196, 7_710, 65_535))
    let page = try pkd("replay chalk.pkd --background auto -o page.html")
    #expect(page.code == 0)
    #expect(
      String(decoding: try bytes("page.html"), as: UTF8.self).contains(##""background":"#1c1c1e""##)
    )
  }

  @Test func `uncompressed frames for other programs repeat the last one for its duration`() throws
  {
    let result = try pkd(
      "replay page.pkd --to y4m -o - --fps 20 --duration 1 --hold 0.5 --end 1 --size 64x48")
    #expect(result.code == 0)
    let head = Data("YUV4MPEG2 W64 H48 F20:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n".utf8)
    #expect(result.output.prefix(head.count) == head)
    let frame = 6 + 64 * 48 * 3 / 2
    // From 0 to 1 second there are 21 frames, and the last one lasts ten frames.
    #expect(result.output.count == head.count + (21 + 9) * frame)
    // White paper has the maximum luma, and no chroma.
    let first = [UInt8](result.output.dropFirst(head.count + 6).prefix(64 * 48 * 3 / 2))
    #expect(first[0] == 235 && first[64 * 48] == 128 && first.last == 128)
    let plain = try pkd("replay page.pkd --to rgba -o - --fps 2 --duration 1 --hold 0")
    #expect(plain.output.count == 3 * 60 * 40 * 4)
    #expect([UInt8](plain.output.suffix(4)) == [255, 255, 255, 255])
  }

  @Test func `web writes the files of a page, and replaces only with --force`() throws {
    #expect(try pkd("web --player site/player").code == 0)
    #expect(try pkd("web site/drawings").code == 0)
    let ofPlayer = ["pentimento.js", "pentimento-worker.js", "player.wasm", "sample.pkd"]
    for name in ofPlayer + [
      "pentimento-canvas.js", "pentimento-canvas-worker.js", "canvas.wasm", "engine.wasm",
    ] {
      #expect(try bytes("site/drawings/\(name)").count > 1000, "\(name)")
      #expect(((try? bytes("site/player/\(name)")) != nil) == ofPlayer.contains(name), "\(name)")
    }
    #expect(try bytes("site/drawings/canvas.wasm").starts(with: [0] + Array("asm".utf8)))
    #expect(
      String(decoding: try bytes("site/drawings/draw.html"), as: UTF8.self)
        .contains("<pentimento-canvas id=\"canvas\" src=\"sample.pkd\""))
    #expect(
      String(decoding: try bytes("site/drawings/index.html"), as: UTF8.self)
        .contains("<pentimento-drawing src=\"sample.pkd\""))
    let nowhere = try Program.run("pkd", ["web", ""])
    #expect(nowhere.code == 2 && nowhere.errors.contains("DIR"))
    let again = try pkd("web site/drawings")
    #expect(again.code != 0 && again.errors.contains("--force"))
    #expect(try pkd("web --force site/drawings").code == 0)
  }

  @Test(arguments: [
    ("html", "<!DOCTYPE html>"), ("svg", "<svg"), ("gif", "GIF89a"), ("webp", "RIFF"),
    ("mp4", "ftyp"), ("webm", "webm"), ("png", "PNG"),
  ])
  func `the file extension selects the format`(_ ending: String, _ beginning: String) throws {
    let result = try pkd("replay page.pkd --fps 5 -o page.\(ending)")
    // Formats that need a missing program or library give an error.
    if result.code != 0 {
      #expect(result.code == 1 && result.errors.contains("install"), "\(result.errors)")
      return
    }
    let head = String(decoding: try bytes("page.\(ending)").prefix(80), as: UTF8.self)
    #expect(head.contains(beginning))
  }

  @Test func `a video whose encoder dies is reported, and no file is left`() throws {
    let maker = folder.file("ffmpeg")
    try Data("#!/bin/sh\nhead -c 9000 >/dev/null\necho 'the tape broke' >&2\nexit 3\n".utf8)
      .write(to: maker)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: maker.path)
    let result = try Program.run(
      "pkd", ["replay", "page.pkd", "--scale", "8", "-o", "film.mp4"],
      environment: ["PATH": folder.url.path + ":/usr/bin:/bin"], in: folder.url)
    #expect(result.code == 1)
    #expect(result.errors.contains("ffmpeg ended with 3: the tape broke"), "\(result.errors)")
    let missing = try Program.run(
      "pkd", ["replay", "page.pkd", "-o", "film.webm"], environment: ["PATH": "/nowhere"],
      in: folder.url)
    #expect(missing.code == 1 && missing.errors.contains("ffmpeg is needed"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        == ["ffmpeg", "page.pkd"])
  }

  @Test func `replays have the requested pauses, parts and speeds`() throws {
    func frameCount(_ options: String) throws -> Int {
      let result = try pkd("replay page.pkd --to rgba -o - --fps 10 --hold 0 \(options)")
      try #require(result.code == 0, "\(result.errors)")
      return result.output.count / (60 * 40 * 4)
    }
    #expect(try frameCount("--max-pause none") == 121)
    #expect(try frameCount("--max-pause 0") == 21)
    #expect(try frameCount("") == 26)
    #expect(try frameCount("--speed 2") == 14)
    #expect(try frameCount("--start 1 --end 0:02") == 11)
    #expect(try frameCount("--duration 3") == 31)
  }

  @Test(arguments: [
    "--fps 0", "--fps nine", "--speed 0", "--speed 1 --duration 2", "--start 2 --end 1",
    "--end x", "--hold -1", "--loop -1", "--max-pause long", "-o page.doc", "-o page.pkd",
    "-o -", "--to frames -o here.png", "--to y4m --depth 16 -o a.y4m",
    "--start 1 -o a.html", "--scale 2 -o a.html", "--depth 16 -o a.html",
    "--loop 5 -o a.html", "--speed 100 -o a.html", "--duration 0 -o a.html", "--to mp4 -o -",
    "--poster -o a.gif", "--poster -o f/%02d.png",
  ])
  func `replay refuses invalid options`(_ options: String) throws {
    let result = try pkd("replay page.pkd \(options)")
    #expect(result.code == 2, "\(result.errors)")
    #expect(!result.errors.isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["page.pkd"])
  }

  @Test func `replay pages accept recordings that are too long or large for frames`()
    throws
  {
    let slow = String(decoding: session, as: UTF8.self)
      .replacingOccurrences(of: "\"time\": 11", with: "\"time\": 9000")
      .replacingOccurrences(of: "\"time\": 12", with: "\"time\": 9001")
    let recorded = try Program.run(
      "pkd", ["record", "--quiet", folder.file("long.pkd").path], input: Data(slow.utf8))
    try #require(recorded.code == 0, "\(recorded.errors)")
    #expect(try pkd("replay long.pkd --max-pause none -o long.apng").code == 2)
    let long = try pkd("replay long.pkd --max-pause none -o long.html")
    #expect(long.code == 0, "\(long.errors)")
    let large = try pkd("replay page.pkd --region 0,0,50000,40000 -o large.html")
    #expect(large.code == 0, "\(large.errors)")
    #expect(String(decoding: try bytes("large.html"), as: UTF8.self).contains("50000.0,40000.0"))
  }

  @Test func `a heavy replay page contains a small poster, a light one does not`() throws {
    var state: UInt64 = 1
    let points = (0..<60_000).map { number in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return "[\(state >> 33 % 600), \(state >> 43 % 400), \(Double(number) / 60_000), 6, 6]"
    }
    let heavy = String(decoding: session, as: UTF8.self).replacingOccurrences(
      of: "[[10, 10, 0, 6, 6],", with: "[\(points.joined(separator: ", ")),")
    let recorded = try Program.run(
      "pkd", ["record", "--quiet", folder.file("heavy.pkd").path], input: Data(heavy.utf8))
    try #require(recorded.code == 0, "\(recorded.errors)")
    try #require(try bytes("heavy.pkd").count > 1 << 18)
    for (name, hasPoster) in [("heavy", true), ("page", false)] {
      let result = try pkd("replay \(name).pkd -o \(name).html")
      #expect(result.code == 0, "\(result.errors)")
      let page = String(decoding: try bytes("\(name).html"), as: UTF8.self)
      let poster = page.firstMatch(of: /"poster":"data:image\/png;base64,([^"]*)"/)?.output.1
      #expect((poster != nil) == hasPoster)
      guard let poster else { continue }
      let png = try #require(Data(base64Encoded: String(poster)))
      let picture = try PNGDecoder().decode([UInt8](png))
      #expect(max(picture.width, picture.height) == 320)
    }
  }

  @Test func `a replay with too many frames is refused`() throws {
    let result = try pkd("replay page.pkd --duration 100000 --fps 60 -o a.apng")
    #expect(result.code == 2 && result.errors.contains("frames"))
  }

  @Test func `a failed write of a replay is reported, and no file is left`() throws {
    let result = try pkd("replay page.pkd -o missing/page.apng")
    #expect(result.code == 1 && result.errors.contains("missing/page.apng"))
    let full = try pkd("replay page.pkd --to y4m -o /dev/full")
    #expect(full.code == 1 && full.errors.contains("No space left"))
  }

  @Test func `the readable part of a truncated file is replayed`() throws {
    let whole = try Data(
      contentsOf: Corpus.project.appendingPathComponent("Samples/minute.pkd"))
    try whole.prefix(whole.count * 2 / 3).write(to: folder.file("cut.pkd"))
    let result = try pkd("replay cut.pkd -o cut.apng --duration 2 --fps 5")
    #expect(result.code == 65)
    #expect(try !PNGDecoder().frames(of: bytes("cut.apng")).controls.isEmpty)
    // A small page has one checksum.
    let small = try bytes("page.pkd")
    try Data(small[..<(small.count * 2 / 3)]).write(to: folder.file("small.pkd"))
    #expect(try pkd("replay small.pkd -o small.apng").code == 65)
    try Data("nothing".utf8).write(to: folder.file("bad.pkd"))
    #expect(try pkd("replay bad.pkd -o bad.apng").code == 65)
  }
}
