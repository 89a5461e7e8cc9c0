import Foundation
import TestSupport
import Testing

/// A stroke as events, on a page of an odd number of pixels.
private let events = """
  {"format": "pentimento-events", "version": 1, "canvas": {"size": [61, 41]}}
  {"event": "begin", "time": 0, "ink": {"type": "pen", "color": [0, 0, 0, 1]}}
  {"event": "points", "points": [[10, 10, 0, 6, 6], [20, 10, 0.5, 6, 6], [60, 40, 1, 6, 6]]}
  {"event": "end"}

  """

/// The guarantees for all written files: they appear complete or not at all, and files that other
/// processes write are not replaced.
struct OutputTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try Data(events.utf8).write(to: folder.file("events"))
    let result = try Program.run(
      "pkd", ["record", "--quiet", "page.pkd"], input: Data(events.utf8), in: folder.url)
    try #require(result.code == 0, "\(result.errors)")
  }

  @discardableResult
  private func pkd(_ line: String, path: String? = nil) throws -> Program.Result {
    try Program.run(
      "pkd", line.split(separator: " ").map(String.init),
      environment: path.map { ["PATH": $0] } ?? [:], in: folder.url)
  }

  private func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.file(name)))
  }

  private var names: [String] {
    get throws { try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).sorted() }
  }

  // MARK: - Files that other processes write

  @Test func `no command replaces a recording that another process writes`() throws {
    let script = """
      mkfifo pen
      pkd record live.pkd < pen & recorder=$!
      exec 3> pen
      head -n 3 events >&3
      for n in $(seq 200); do [ -s live.pkd ] && break; sleep 0.05; done
      ln -s live.pkd link.pkd
      for line in "record --demo --fast --force live.pkd" "record --demo --fast -f link.pkd" \\
          "repair --force page.pkd live.pkd" "repair -f live.pkd live.pkd" \\
          "convert page.pkd live.pkd" "convert page.pkd link.pkd" \\
          "replay page.pkd --to apng -o live.pkd" "replay page.pkd --to y4m -o link.pkd"; do
        code=0; pkd $line 2> said || code=$?
        echo "$code $line: $(cat said)"
      done
      tail -n 1 events >&3
      exec 3>&-
      wait $recorder
      pkd cat live.pkd | cmp - expected
      """
    try Data(try pkd("cat page.pkd").output).write(to: folder.file("expected"))
    let result = try Program.shell(script, in: folder.url)
    #expect(result.code == 0, "\(result)")
    let lines = result.text.split(separator: "\n")
    #expect(lines.count == 8)
    for line in lines {
      #expect(line.hasPrefix("1 ") && line.contains("another process is writing to it"), "\(line)")
    }
    #expect(try !names.contains { $0.contains("tmp") }, "a temporary file stays")
  }

  @Test func `a recorder keeps its lock until the whole recording has replaced the journal`() throws
  {
    // The lock must not be free between the journal's end and the recording that replaces it.
    let script = """
      pkd record --demo --fast a.pkd
      pkd record --demo --fast --force a.pkd & pkd record --demo --fast --force a.pkd & wait
      pkd verify a.pkd; ls -A
      """
    let result = try Program.shell(script, in: folder.url)
    #expect(result.text.contains("a.pkd: ok (5 strokes"), "\(result)")
    #expect(!result.text.contains("tmp") && !result.text.contains(".new"), "\(result.text)")
  }

  // MARK: - Existing files

  @Test func `irreplaceable files replace existing ones only with --force`() throws {
    try Data().write(to: folder.file("empty.pkd"))
    try Data("mine".utf8).write(to: folder.file("mine.pkd"))
    try pkd("store submit page.pkd --uid ann --quiet")
    for name in ["empty.pkd", "mine.pkd"] {
      for line in ["record --demo --fast", "repair page.pkd", "store backup -o"] {
        let before = try bytes(name)
        let result = try pkd("\(line) \(name)")
        #expect(result.code == 1, "\(line) \(name)")
        #expect(result.errors == "pkd: \(name): it exists already; --force replaces it\n")
        #expect(try bytes(name) == before)
      }
    }
    for line in ["record --demo --fast", "repair page.pkd", "store backup -o"] {
      #expect(try pkd("\(line) mine.pkd --force").code == 0)
      #expect(try bytes("mine.pkd") != Array("mine".utf8))
    }
  }

  @Test func `numbered frames replace existing files only with --force`() throws {
    let line = "replay page.pkd --fps 4 -o %02d.png"
    try Data("mine".utf8).write(to: folder.file("03.png"))
    let result = try pkd(line)
    #expect(result.code == 1 && result.errors.contains("03.png: it exists already; --force"))
    #expect(try !names.contains("01.png"), "nothing is begun")
    #expect(try pkd(line + " --force").code == 0)
    #expect(try bytes("03.png").starts(with: [0x89]))
  }

  // MARK: - Full disk

  @Test(arguments: [
    "render page.pkd --scale 40 --metadata Comment=TEXT -o out.png",
    "replay page.pkd --scale 8 -o out.apng", "replay page.pkd --scale 8 -o out.gif",
    "replay page.pkd --scale 8 -o out.y4m", "replay page.pkd -o out.html",
    "replay page.pkd --scale 4 --paper graph --force -o out/%03d.png",
    "convert page.pkd out.json", "convert big.json out.drawing", "repair big.pkd out.pkd",
    "record --demo --fast out.pkd", "store backup -o out.tar",
  ])
  func `a file size limit is reported and leaves no file`(_ line: String) throws {
    try pkd("record --demo --fast --quiet big.pkd")
    try pkd("convert big.pkd big.json")
    try pkd("store submit page.pkd --uid ann --quiet")
    // The limit is in blocks of 512 bytes; the smallest output needs three.
    let words = line.replacingOccurrences(of: "TEXT", with: String(repeating: "x", count: 2_000))
    // Ignores the files that SQLite creates and deletes.
    let before = try names.filter { !$0.contains("/pentimento.db") }
    let result = try Program.shell("ulimit -f 1; pkd \(words)", in: folder.url)
    #expect(result.code == 1, "\(result.code) \(result.errors)")
    // The library that writes GIF may be missing.
    if result.errors.contains("install") { return }
    #expect(result.errors.contains("File too large"), "\(result.errors)")
    // The journal of a recording stays, with all acknowledged events.
    if !line.hasPrefix("record") {
      #expect(
        try names.filter { $0 != "out" && !$0.hasPrefix("out/") && !$0.contains("/pentimento.db") }
          == before)
    }
    #expect(try !names.contains { $0.contains("tmp") }, "a temporary file stays")
  }

  @Test func `a file size limit is reported for the standard output, too`() throws {
    let script = "ulimit -f 1; pkd replay page.pkd --to y4m -o - > out"
    let result = try Program.shell(script, in: folder.url)
    #expect(result.code == 1 && result.errors == "pkd: standard output: File too large\n")
  }

  @Test func `an existing file is kept if there is no space for the new one`() throws {
    try Data("mine".utf8).write(to: folder.file("page.json"))
    let result = try Program.shell("ulimit -f 1; pkd convert page.pkd page.json", in: folder.url)
    #expect(result.code == 1)
    #expect(try bytes("page.json") == Array("mine".utf8))
  }

  // MARK: - Videos

  /// A replacement for `ffmpeg` whose videos are the uncompressed frames. `encode` and `decode` are
  /// shell commands that handle them.
  private func film(encode: String = "cat > \"$out\"", decode: String = "") throws -> Program.Result
  {
    let script = """
      #!/bin/sh
      echo "$*" >> arguments
      for out; do :; done
      out=${out#file:}
      case "$*" in
        *framecrc*)
          for word; do [ "$last" = -i ] && film=$word; last=$word; done
          echo '#format: frame checksums'
          grep -ao FRAME "${film#file:}" || true
          \(decode) ;;
        *) \(encode) ;;
      esac
      """
    try FileManager.default.createDirectory(
      at: folder.file("bin"), withIntermediateDirectories: true)
    try Data(script.utf8).write(to: folder.file("bin/ffmpeg"))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder.file("bin/ffmpeg").path)
    return try pkd(
      "replay page.pkd --fps 5 -o a.mp4", path: folder.file("bin").path + ":/usr/bin:/bin")
  }

  @Test func `a video that was read back completely is renamed to its output`() throws {
    let link = folder.file("a.mp4")
    try FileManager.default.createSymbolicLink(
      at: link, withDestinationURL: folder.file("film"))
    let result = try film()
    #expect(result.code == 0, "\(result.errors)")
    #expect(try bytes("film").starts(with: Array("YUV4MPEG2 W62 H42 ".utf8)))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path).hasSuffix("film"))
    let arguments = String(decoding: try bytes("arguments"), as: UTF8.self).split(separator: "\n")
    #expect(arguments.count == 2 && arguments.allSatisfy { $0.contains("-xerror") })
  }

  @Test(
    arguments: [
      // A full disk, and a program that ignores it.
      ("head -c 9000 > \"$out\"; cat > /dev/null", "", "ffmpeg found 3 of "),
      (": > \"$out\"; cat > /dev/null", "", "ffmpeg found 0 of "),
      ("cat > \"$out\"", "exit 3", "reading the video back, ffmpeg ended with 3"),
      ("cat > \"$out\"", "echo 'the tape tore' >&2", "ffmpeg reported: the tape tore"),
      ("cat > /dev/null; echo 'no space' >&2; exit 1", "", "ffmpeg ended with 1: no space"),
      ("kill -XFSZ $$", "", "ffmpeg was ended: File size limit exceeded"),
    ])
  func `an incomplete video replaces no file`(
    _ encode: String, _ decode: String, _ message: String
  ) throws {
    try Data("mine".utf8).write(to: folder.file("a.mp4"))
    let result = try film(encode: encode, decode: decode)
    #expect(result.code == 1 && result.errors.contains(message), "\(result)")
    #expect(try bytes("a.mp4") == Array("mine".utf8))
    #expect(try !names.contains { $0.contains("tmp") }, "a temporary file stays")
  }

  @Test func `writing a video replaces no pipe and no open file`() throws {
    // Not with `/dev/null`: a program with this fault would replace it for the whole machine.
    let script = """
      mkfifo pipe; mkdir open; ln -s /proc/self/fd/1 open/stdout
      for name in pipe open/stdout; do pkd replay page.pkd --to mp4 -o $name || echo "code $?"; done
      [ -p pipe ]; readlink open/stdout
      """
    let result = try Program.shell(script, in: folder.url)
    #expect(result.text == "code 1\ncode 1\n/proc/self/fd/1\n", "\(result)")
    #expect(result.errors.components(separatedBy: "a video in .mp4 needs a file").count == 3)
  }

  @Test(arguments: ["mp4", "webm"])
  func `a real video is complete, and a full disk leaves no file`(_ ending: String) throws {
    guard try Program.shell("command -v ffmpeg || true", in: folder.url).output.count > 0 else {
      print("skipped: ffmpeg is not installed (apt install ffmpeg)")
      return
    }
    #expect(try pkd("replay page.pkd -o a.\(ending)").code == 0)
    let good = try bytes("a.\(ending)")
    let script = """
      for blocks in 1 2 4 8; do
        (ulimit -f $blocks; pkd replay page.pkd --scale 4 -o a.\(ending)) || echo "code $?"
      done
      """
    let result = try Program.shell(script, in: folder.url)
    #expect(result.text == "code 1\ncode 1\ncode 1\ncode 1\n", "\(result)")
    #expect(try bytes("a.\(ending)") == good)
    #expect(try !names.contains { $0.contains("tmp") }, "a temporary file stays")
    // As in the guide: pictures of any size can be piped to other programs.
    let piped = try Program.shell(
      "pkd replay page.pkd --to y4m -o - | ffmpeg -v error -i - -c:v libx264 -f null -",
      in: folder.url)
    #expect(piped.code == 0 && piped.errors.isEmpty, "\(piped.errors)")
  }

  @Test func `frames for other programs get even sides by repeating the last line`()
    throws
  {
    let result = try pkd("replay page.pkd --to y4m -o - --fps 2")
    let bytes = [UInt8](result.output)
    let head = Array("YUV4MPEG2 W62 H42 F2:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n".utf8)
    #expect(bytes.starts(with: head))
    let (width, height) = (62, 42)
    let size = 6 + width * height * 3 / 2
    #expect((bytes.count - head.count) % size == 0)
    let luma = bytes.suffix(size).dropFirst(6).prefix(width * height)
    let rows = (0..<height).map { Array(luma.dropFirst($0 * width).prefix(width)) }
    #expect(rows.allSatisfy { $0[60] == $0[61] } && rows[40] == rows[41])
    #expect(rows[40].contains { $0 < 100 }, "the stroke ends there")
  }
}
