import Foundation
import PNGFormat
import TestSupport
import Testing

/// Plain pixels, and pictures of a moment.
struct PictureFormTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let result = try shell("pkd record --demo --fast --quiet page.pkd")
    try #require(result.code == 0, "\(result)")
  }

  @discardableResult
  private func shell(_ script: String) throws -> Program.Result {
    try Program.shell(script, in: folder.url)
  }

  private func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.file(name)))
  }

  private func image(_ name: String) throws -> PNGImage { try PNGDecoder().decode(try bytes(name)) }

  /// The components of a PNG picture as numbers of 8 or 16 bits, in bytes.
  private func components(_ image: PNGImage, depth: Int, parts: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for y in 0..<image.height {
      for x in 0..<image.width {
        for part in 0..<parts {
          let value = image[x, y][part]
          bytes += depth == 8 ? [UInt8(value / 257)] : [UInt8(value >> 8), UInt8(value & 255)]
        }
      }
    }
    return bytes
  }

  @Test(arguments: ["", "--background transparent", "--background '#FF000040'"], [8, 16])
  func `plain pixels are those of the PNG picture, with straight opacity`(
    _ options: String, _ depth: Int
  ) throws {
    let line = "page.pkd --depth \(depth) \(options) --scale 0.7 --threads 3"
    let result = try shell("pkd render \(line) -o a.png && pkd render \(line) -o a.rgba")
    #expect(result.code == 0, "\(result)")
    #expect(try bytes("a.rgba") == components(image("a.png"), depth: depth, parts: 4))
  }

  @Test(arguments: [8, 16])
  func `netpbm pictures have a header, and greys are the luma of colours`(_ depth: Int) throws {
    let line = "page.pkd --depth \(depth) --size 90x50"
    let result = try shell(
      "pkd thumbnail \(line) -o a.png && pkd thumbnail \(line) -o a.ppm && pkd thumbnail \(line) --to pgm -o a.x"
    )
    #expect(result.code == 0, "\(result)")
    let header = "\n90 50\n\(depth == 8 ? 255 : 65_535)\n"
    let colours = components(try image("a.png"), depth: depth, parts: 3)
    #expect(try bytes("a.ppm") == Array("P6\(header)".utf8) + colours)
    let greys = try bytes("a.x")
    #expect(greys.starts(with: "P5\(header)".utf8))
    let size = depth / 8
    #expect(greys.count == "P5\(header)".utf8.count + 90 * 50 * size)
    func value(_ bytes: [UInt8], _ number: Int) -> Double {
      size == 1
        ? Double(bytes[number]) : Double(Int(bytes[2 * number]) << 8 | Int(bytes[2 * number + 1]))
    }
    let pixels = Array(greys.dropFirst("P5\(header)".utf8.count))
    for pixel in 0..<90 * 50 {
      let luma =
        0.2126 * value(colours, 3 * pixel) + 0.7152 * value(colours, 3 * pixel + 1)
        + 0.0722 * value(colours, 3 * pixel + 2)
      guard abs(value(pixels, pixel) - luma) > 0.51 else { continue }
      Issue.record("pixel \(pixel): \(value(pixels, pixel)), not \(luma)")
      return
    }
  }

  @Test(
    arguments: [
      ("-o a.ppm --background transparent", ".ppm has no opacity; give --background COLOR"),
      ("--to pgm --background '#FFFFFF80'", ".pgm has no opacity"),
      ("-o a.rgba --effort best", "--effort is for PNG, not for .rgba"),
      ("--to ppm --metadata a=b", "--metadata is for PNG"),
      ("--to tiff", "it is one of png, rgba, ppm, pgm"),
      ("-o a.bmp", "end the name with .png, .rgba, .ppm, .pgm"),
    ])
  func `plain pixels refuse some options`(_ options: String, _ message: String) throws {
    let result = try shell("pkd render page.pkd \(options)")
    #expect(result.code == 2 && result.errors.contains(message), "\(result)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["page.pkd"])
  }

  @Test func `several pictures get the extension of their format`() throws {
    let result = try shell(
      "cp page.pkd b.pkd; pkd render *.pkd --to ppm; ls; pkd render - --to rgba < b.pkd | wc -c")
    #expect(result.text == "b.pkd\nb.ppm\npage.pkd\npage.ppm\n\(320 * 240 * 4)\n", "\(result)")
  }

  @Test func `render --at 100% shows the whole page`() throws {
    let result = try shell(
      """
      pkd render page.pkd -o whole.png; pkd render page.pkd --at 100% -o end.png
      pkd render page.pkd --at 99:00:00 -o late.png; pkd render page.pkd --at 0 -o start.png
      pkd render page.pkd --at 50% -o half.png
      """)
    #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
    let whole = try image("whole.png").components
    #expect(try image("end.png").components == whole)
    #expect(try image("late.png").components == whole)
    func ink(_ name: String) throws -> Int {
      let image = try image(name)
      return (0..<image.width * image.height).count {
        image[$0 % image.width, $0 / image.width] != SIMD4(repeating: 65_535)
      }
    }
    // At the start the pen has just touched the page.
    let counts = try ["start.png", "half.png", "whole.png"].map(ink)
    #expect(counts[0] < 200 && counts[0] < counts[1] && counts[1] < counts[2], "\(counts)")
  }

  @Test func `render --at shows the same picture as the replay`() throws {
    // One frame per second of a replay with unshortened pauses.
    let result = try shell(
      """
      pkd replay page.pkd --max-pause none --fps 10 --hold 0 -o 'frames/%d.png'
      for tenth in 5 13 27; do pkd render page.pkd --at $((tenth / 10)).$((tenth % 10)) -o $tenth.png; done
      """)
    #expect(result.code == 0, "\(result)")
    for tenth in [5, 13, 27] {
      #expect(
        try image("\(tenth).png").components == image("frames/\(tenth + 1).png").components,
        "\(tenth)")
    }
  }

  @Test func `render --at shows ink before it was erased`() throws {
    let erased = Corpus.project.appendingPathComponent("Samples/erased.pkd").path
    let result = try shell(
      """
      for at in 30% 60% 90%; do
        pkd render '\(erased)' --at $at -o a.png
        pkd render '\(erased)' --at $at --threads 1 --to rgba -o - | wc -c
      done
      """)
    #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
  }

  @Test(arguments: ["-1", "101%", "nan", "1:99", "", "%"])
  func `render --at refuses an invalid moment`(_ text: String) throws {
    let result = try Program.run("pkd", ["render", "page.pkd", "--at", text], in: folder.url)
    #expect(result.code == 2 && result.errors.contains("--at needs a time such as"), "\(result)")
  }
}
