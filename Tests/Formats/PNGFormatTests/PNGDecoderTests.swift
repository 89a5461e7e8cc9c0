import Graphics
import TestSupport
import Testing

@testable import PNGFormat

struct PNGDecoderTests {
  @Test func `a PNG cut at any byte is refused`() throws {
    let bytes = try LibPNGEncoder.encode(
      randomPicture(9, 7, space: .displayP3), scale: 1, texts: [PNGText("Title", "plums")])
    for length in 0..<bytes.count {
      #expect(throws: PNGError.self) { try PNGDecoder().decode(Array(bytes[..<length])) }
    }
  }

  @Test func `a PNG with any bit flipped is refused`() throws {
    let bytes = try LibPNGEncoder.encode(
      randomPicture(9, 7), scale: 1, texts: [PNGText("Title", "plums")])
    var copy = bytes
    var accepted: [Int] = []
    for index in bytes.indices {
      for bit in UInt8(0)..<8 {
        copy[index] ^= 1 << bit
        if (try? PNGDecoder().decode(copy)) != nil { accepted.append(index) }
        copy[index] = bytes[index]
      }
    }
    #expect(accepted.isEmpty)
  }

  @Test func `a randomly damaged PNG is refused or gives a picture within limits`() throws {
    let limits = PNGDecoder.Limits(side: 64, memory: 1 << 20, chunk: 1 << 12)
    let bytes = try LibPNGEncoder.encode(
      randomPicture(9, 7, space: .displayP3), scale: 1, texts: [PNGText("Title", "plums")])
    var mutation = Mutation(seed: 4)
    for _ in 0..<20_000 {
      guard let image = try? PNGDecoder(limits: limits).decode(mutation.mutated(bytes)) else {
        continue
      }
      #expect(image.width <= 64 && image.height <= 64)
    }
  }

  @Test func `a damaged PNG with valid checksums is refused or gives a picture`() throws {
    // Pixels are stored without compression, so that damage also hits pixels.
    var mutation = Mutation(seed: 5)
    for round in 0..<5_000 {
      var png = RawPNG()
      let header = RawPNG.big(3) + RawPNG.big(2) + [8, UInt8(round % 2 == 0 ? 3 : 6), 0, 0, 0]
      let chunks: [(String, [UInt8])] = [
        ("IHDR", header), ("PLTE", [1, 2, 3, 4, 5, 6]), ("tRNS", [9]),
        ("iCCP", Array("x".utf8) + [0, 0] + RawPNG.stored(ICCProfile.displayP3)),
        ("IDAT", RawPNG.stored([UInt8](repeating: 1, count: 26))), ("IEND", []),
      ]
      let damaged = round % chunks.count
      for (index, chunk) in chunks.enumerated() {
        png.add(chunk.0, index == damaged ? mutation.mutated(chunk.1) : chunk.1)
      }
      _ = try? PNGDecoder(limits: .init(side: 1_000)).decode(png.bytes)
    }
  }

  @Test func `bytes that are not a PNG have their own error`() {
    for bytes in [[], [0x89], Array("wrd\u{F0}".utf8), [UInt8](repeating: 0, count: 100)] {
      #expect(throws: PNGError(.notPNG, at: 0)) { try PNGDecoder().decode(bytes) }
    }
  }

  @Test func `a picture beyond the limits is refused before it is allocated`() throws {
    let tall = RawPNG(width: 1, height: 100_001, rows: [])
    #expect(throws: PNGError.self) { try PNGDecoder().decode(tall.bytes) }
    let large = RawPNG(width: 60_000, height: 60_000, rows: [])
    #expect(throws: PNGError(.tooLarge(width: 60_000, height: 60_000), at: 41)) {
      try PNGDecoder().decode(large.bytes)
    }
    let hollow = RawPNG(width: 10_000, height: 10_000, rows: [])
    #expect(throws: PNGError(.missingPixels(width: 10_000, height: 10_000), at: 41)) {
      try PNGDecoder().decode(hollow.bytes)
    }
    let picture = try LibPNGEncoder.encode(randomPicture(300, 300))
    #expect(throws: PNGError.self) {
      try PNGDecoder(limits: .init(memory: 300_000)).decode(picture)
    }
    #expect(throws: PNGError.self) { try PNGDecoder(limits: .init(side: 299)).decode(picture) }
  }

  @Test func `a chunk that decompresses beyond the limit is skipped or refused`() throws {
    let text = Array("x".utf8) + [0, 0] + RawPNG.stored([UInt8](repeating: 65, count: 100_000))
    let png = RawPNG(
      width: 1, height: 1, before: [("zTXt", text)], rows: [[0, 1, 2, 3, 4]])
    #expect(try PNGDecoder().decode(png.bytes).texts.first?.text.count == 100_000)
    let image = try? PNGDecoder(limits: .init(chunk: 50_000)).decode(png.bytes)
    #expect(image?.texts.isEmpty ?? true)
    let small = PNGDecoder(limits: .init(memory: 100_000))
    #expect((try? small.decode(png.bytes))?.texts.isEmpty ?? true)
  }

  @Test func `many texts do not take more memory than allowed`() throws {
    let texts = (0..<150).map { _ in
      (
        name: "zTXt",
        data: Array("x".utf8) + [0, 0] + RawPNG.stored([UInt8](repeating: 65, count: 9_000))
      )
    }
    let png = RawPNG(width: 1, height: 1, before: texts, rows: [[0, 1, 2, 3, 4]])
    // libpng skips chunks for which it has no memory.
    let image = try? PNGDecoder(limits: .init(memory: 1 << 20)).decode(png.bytes)
    #expect((image?.texts.count ?? 0) * 9_000 < 1 << 19)
    #expect(try PNGDecoder().decode(png.bytes).texts.count == 150)
  }

  @Test(arguments: [1, 2, 4, 8, 16] as [UInt8])
  func `greys of every depth become four components`(_ depth: UInt8) throws {
    let most = depth == 16 ? 65_535 : (1 << Int(depth)) - 1
    let row: [UInt8] =
      depth == 16
      ? [0, 0, 0, 0xFF, 0xFF] : depth == 8 ? [0, 0, 255] : [0, UInt8(most) << (8 - 2 * depth)]
    let png = RawPNG(width: 2, height: 1, depth: depth, type: 0, rows: [row])
    let image = try PNGDecoder().decode(png.bytes)
    #expect(image[0, 0] == SIMD4(0, 0, 0, 65_535))
    #expect(image[1, 0] == SIMD4(65_535, 65_535, 65_535, 65_535))
    #expect(!image.hasAlpha && image.depth == (depth == 16 ? .sixteen : .eight))
  }

  @Test func `palettes with opacities become four components`() throws {
    let png = RawPNG(
      width: 3, height: 1, depth: 2, type: 3,
      before: [("PLTE", [255, 0, 0, 0, 255, 0, 0, 0, 255]), ("tRNS", [255, 51])],
      rows: [[0, 0b00_01_10_00]])
    let image = try PNGDecoder().decode(png.bytes)
    #expect(image[0, 0] == SIMD4(65_535, 0, 0, 65_535))
    #expect(image[1, 0] == SIMD4(0, 65_535, 0, 13_107))
    #expect(image[2, 0] == SIMD4(0, 0, 65_535, 65_535))
    #expect(image.hasAlpha)
  }

  @Test func `interlaced PNGs are decoded`() throws {
    // Adam7 stores 2×2 pixels as one in pass 1, one in pass 6 and a row of two in pass 7.
    let png = RawPNG(
      width: 2, height: 2, type: 0, interlace: 1, rows: [[0, 10], [0, 20], [0, 30, 40]])
    let image = try PNGDecoder().decode(png.bytes)
    let greys = [image[0, 0].x, image[1, 0].x, image[0, 1].x, image[1, 1].x]
    #expect(greys == [10, 20, 30, 40].map { $0 * 257 })
  }
}
