import Graphics
import Testing

@testable import Commands

/// A picture whose pixels a function gives as `0xRRGGBB`.
private func picture(_ width: Int, _ height: Int, _ color: (Int, Int) -> UInt32) -> Pixmap {
  let picture = Pixmap(width: width, height: height)
  for y in 0..<height {
    for x in 0..<width {
      let value = color(x, y)
      let bytes = [UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255), 255]
      for (channel, byte) in bytes.enumerated() {
        picture.memory.base.storeBytes(
          of: byte, toByteOffset: y * picture.memory.bytesPerRow + 4 * x + channel, as: UInt8.self)
      }
    }
  }
  return picture
}

private let cell = TerminalSize.PixelSize(width: 4, height: 10)

struct TerminalTests {
  // MARK: - Half blocks

  @Test func `a terminal cell is two pixels, the upper one in the foreground colour`() {
    var painter = HalfBlockPainter(columns: 2, rows: 1, colors: .all)
    #expect(painter.width == 2 && painter.height == 2)
    let bytes = painter.show(
      picture(2, 2) { x, y in x == 1 ? 0x0A0B0C : y == 0 ? 0xFF0000 : 0x0000FF },
      changed: [PixelRect(width: 2, height: 2)])
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "\u{1B}[1;1H\u{1B}[48;2;0;0;255m\u{1B}[38;2;255;0;0m▀\u{1B}[48;2;10;11;12m \u{1B}[0m")
  }

  @Test func `only terminal cells that look different are sent`() {
    var painter = HalfBlockPainter(columns: 8, rows: 4, colors: .indexed)
    let all = PixelRect(width: 8, height: 8)
    let first = painter.show(picture(8, 8) { _, _ in 0xFFFFFF }, changed: [all])
    let same = painter.show(picture(8, 8) { _, _ in 0xFFFFFF }, changed: [all])
    let other = painter.show(
      picture(8, 8) { x, y in x == 5 && y == 4 ? 0 : 0xFFFFFF }, changed: [all])
    #expect(first.count > 40 && same.isEmpty)
    #expect(
      String(decoding: other, as: UTF8.self)
        == "\u{1B}[3;6H\u{1B}[48;5;231m\u{1B}[38;5;16m▀\u{1B}[0m")
  }

  @Test func `a terminal of 256 colours gets the nearest colour`() {
    #expect(TerminalColor.indexed(0x000000) == 16)
    #expect(TerminalColor.indexed(0xFFFFFF) == 231)
    #expect(TerminalColor.indexed(0xFF0000) == 196)
    #expect(TerminalColor.indexed(0x808080) == 244)
    #expect(TerminalColor.indexed(0x5F87AF) == 67)
  }

  // MARK: - kitty

  @Test func `base64 matches the examples of RFC 4648`() {
    func text(_ text: String) -> String {
      String(decoding: KittyPainter.base64(Array(text.utf8)), as: UTF8.self)
    }
    #expect(["", "f", "fo", "foo", "foob"].map(text) == ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="])
    #expect(KittyPainter.base64([0xFB, 0xFF, 0xBF]) == Array("+/+/".utf8))
  }

  @Test func `long graphics messages are sent in pieces`() {
    let text = String(
      decoding: KittyPainter.message("a=T", [UInt8](repeating: 0, count: 4000)), as: UTF8.self)
    let pieces = text.split(separator: "\u{1B}\\")
    #expect(pieces.count == 2)
    #expect(pieces[0].hasPrefix("\u{1B}_Ga=T,m=1;") && pieces[1].hasPrefix("\u{1B}_Gm=0,q=2;"))
    #expect(pieces[0].drop { $0 != ";" }.count - 1 == 4096)
  }

  @Test func `only changed terminal images are sent again, with the same numbers`() {
    // Two images next to each other, the right one only two cells wide.
    var painter = KittyPainter(size: TerminalSize(columns: 10, rows: 3, cell: cell))
    #expect(painter.width == 40 && painter.height == 30)
    let all = PixelRect(width: 40, height: 30)
    let first = painter.show(picture(40, 30) { _, _ in 0xFFFFFF }, changed: [all])
    let text = String(decoding: first, as: UTF8.self)
    #expect(text.contains("s=32,v=30,i=7001") && text.contains("s=8,v=30,i=7002"))
    let second = painter.show(
      picture(40, 30) { x, y in x == 35 && y == 3 ? 0 : 0xFFFFFF }, changed: [all])
    let again = String(decoding: second, as: UTF8.self)
    #expect(again.contains("i=7002") && !again.contains("i=7001"))
    #expect(again.hasPrefix("\u{1B}[1;9H"))
  }

  // MARK: - Input from a terminal

  @Test func `terminal keys are parsed one by one, in pieces and together`() {
    var parser = TerminalParser()
    #expect(
      parser.read(Array("q \u{1B}[A\u{1B}OB\u{1B}[1;5C+".utf8)) == [
        .key(.character("q")), .key(.character(" ")), .key(.up), .key(.down), .key(.right),
        .key(.character("+")),
      ])
    #expect(parser.read([0x1B]).isEmpty && parser.isWaiting)
    #expect(parser.read(Array("[".utf8)).isEmpty)
    #expect(parser.read(Array("D".utf8)) == [.key(.left)])
    #expect(!parser.isWaiting)
  }

  @Test func `an escape byte is a key once no other byte follows`() {
    var parser = TerminalParser()
    #expect(parser.read([0x1B]).isEmpty)
    #expect(parser.finish() == [.key(.escape)])
    #expect(parser.finish().isEmpty)
  }

  @Test func `answers of a terminal are distinguished from keys`() {
    var parser = TerminalParser()
    let answer = "\u{1B}_Gi=31;OK\u{1B}\\x\u{1B}[6;20;10t\u{1B}[?62;4;22c"
    #expect(
      parser.read(Array(answer.utf8)) == [
        .graphics(true), .key(.character("x")), .cell(.init(width: 10, height: 20)),
        .attributes([62, 4, 22]),
      ])
    #expect(
      parser.read(Array("\u{1B}_Gi=31;ENOSYS:no\u{1B}\\".utf8)) == [.graphics(false)])
  }

  @Test func `the key parser recovers from any bytes`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var parser = TerminalParser()
      for _ in 0..<20 {
        let bytes = (0..<Int.random(in: 1...40, using: &random)).map { _ in
          Bool.random(using: &random) ? 0x1B : UInt8.random(in: 0...255, using: &random)
        }
        _ = parser.read(bytes)
      }
      _ = parser.read([UInt8](repeating: 0x41, count: 600))
      _ = parser.finish()
      #expect(parser.read(Array("\u{1B}[A".utf8)) == [.key(.up)])
    }
  }

  // MARK: - The player

  @Test func `play time passes at the chosen speed until the end`() {
    var player = Player(duration: 10, starts: [0, 4, 8], speed: 2)
    player.advance(by: 1)
    #expect(player.position == 2)
    player.press(.character("+"))
    player.advance(by: 1)
    #expect(player.position == 6 && player.speed == 4)
    player.advance(by: 5)
    #expect(player.position == 10 && !player.isPlaying)
    player.press(.character(" "))
    #expect(player.position == 0 && player.isPlaying)
  }

  @Test func `play time stands still in a pause, and q quits`() {
    var player = Player(duration: 10, starts: [0])
    player.press(.character(" "))
    player.advance(by: 3)
    #expect(player.position == 0 && !player.isPlaying && !player.hasQuit)
    player.press(.character("q"))
    #expect(player.hasQuit)
  }

  @Test func `arrow keys seek by seconds and by strokes, within the replay`() {
    var player = Player(duration: 12, starts: [0, 4, 8])
    player.press(.left)
    #expect(player.position == 0)
    player.press(.right)
    #expect(player.position == 5)
    player.press(.up)
    #expect(player.position == 8)
    player.press(.up)
    #expect(player.position == 12)
    player.press(.down)
    player.press(.down)
    #expect(player.position == 4)
    player.press(.end)
    #expect(player.position == 12)
    player.press(.character("r"))
    #expect(player.position == 0 && player.isPlaying)
  }

  @Test func `a replay is played as often as the loop count says`() {
    var player = Player(duration: 1, starts: [0], loopCount: 2)
    player.advance(by: 1)
    #expect(player.position == 0 && player.isPlaying)
    player.advance(by: 1)
    #expect(player.position == 1 && !player.isPlaying)
    var endless = Player(duration: 1, starts: [0], loopCount: 0)
    for _ in 0..<100 { endless.advance(by: 1.5) }
    #expect(endless.isPlaying)
  }

  @Test(arguments: [0, 1, 5, 20, 40, 79, 120, 300])
  func `the status of play fits its line`(_ columns: Int) {
    var player = Player(duration: 75, starts: [0, 30, 60])
    player.advance(by: 31)
    let line = player.status(columns: columns)
    #expect(line.count == columns)
    if columns >= 40 { #expect(line.hasPrefix(" ▶ 0:31 / 1:15  1×  2/3")) }
    if columns >= 120 { #expect(line.contains("━") && line.contains("q quit")) }
  }
}
