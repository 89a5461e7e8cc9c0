import Foundation
import Graphics
import TestSupport
import Testing

@testable import PNGFormat

struct PNGEncoderTests {
  private static let sizes = [
    (1, 1), (3, 2), (17, 5), (28, 28), (129, 131), (300, 270), (640, 400),
  ]

  @Test(arguments: OddPicture.allCases)
  func `libpng decodes a picture unchanged`(_ kind: OddPicture) throws {
    for (index, size) in Self.sizes.enumerated() {
      for isDark in [false, true] {
        let picture = kind.pixmap(size.0, size.1, seed: UInt64(index), isDark: isDark)
        let bytes = try PNGEncoder().encode(picture)
        expectSame(try PNGDecoder().decode(bytes), picture)
      }
    }
  }

  @Test(arguments: OddPicture.allCases)
  func `levels, threads and known groups change no byte`(_ kind: OddPicture) throws {
    for (index, size) in Self.sizes.enumerated() {
      let picture = kind.pixmap(size.0, size.1, seed: UInt64(100 + index))
      let bytes = try PNGEncoder().encode(picture)
      for level in [0, 1] as [Int32] {
        var encoder = PNGEncoder()
        encoder.level = level
        #expect(try encoder.encode(picture) == bytes)
      }
      #expect(try PNGEncoder(threads: 2).encode(picture) == bytes)
      #expect(try PNGEncoder().encode(picture.tiled) == bytes)
      #expect(try PNGEncoder(threads: 3).encode(picture.tiled) == bytes)
    }
  }
}

extension PNGEncoderTests {
  /// Pictures that need larger pixel forms further down.
  @Test(arguments: [
    [OddPicture.ink, .coloredInk, .noise], [.fewColors, .twoHundredFiftySix, .noise],
    [.blank, .ink, .twoHundredFiftySeven], [.blank, .blank, .everyAlpha],
    [.grain, .grain, .everyAlpha], [.oneInk, .greysAndClear, .clearInk],
    [.greyNoise, .everyAlpha, .noise], [.clearInk, .clearInk, .noise],
  ])
  func `tokens of one pixel form are converted to another`(_ kinds: [OddPicture]) throws {
    let width = 150
    let picture = Pixmap(width: width, height: 150 * kinds.count)
    for (index, kind) in kinds.enumerated() {
      let part = kind.pixmap(width, 150, seed: UInt64(index + 7))
      for y in 0..<150 {
        for x in 0..<width { picture.set(x, 150 * index + y, part.pixel(x, y)) }
      }
    }
    let bytes = try PNGEncoder().encode(picture)
    expectSame(try PNGDecoder().decode(bytes), picture)
    // One band at a time, so that the larger form is needed long after the first bands.
    let inBands = try PNGEncoder().encode(picture.tiled)
    #expect(inBands == bytes)
    expectSame(try PNGDecoder().decode(inBands), picture)
    #expect(try PNGEncoder(threads: 2).encode(picture) == bytes)
  }

  @Test func `16-bit components are kept in each form`() throws {
    for (index, parts) in [1, 3, 4].enumerated() {
      let picture = randomPicture(90, 140, depth: .sixteen, isOpaque: parts < 4, seed: 5)
      if parts == 1 {
        for y in 0..<picture.height {
          for x in 0..<picture.width {
            let at = picture.memory.base + y * picture.memory.bytesPerRow + 8 * x
            let grey = at.load(as: UInt16.self)
            at.storeBytes(of: SIMD4(grey, grey, grey, 65_535), as: SIMD4<UInt16>.self)
          }
        }
      }
      let properties = PNGProperties(
        width: picture.width, height: picture.height, depth: .sixteen)
      var bytes: [UInt8] = []
      let summary = try PNGEncoder().encode(picture, properties) { bytes += $0 }
      #expect(summary.form == ["16-bit grey", "16-bit RGB", "16-bit RGBA"][index])
      #expect(summary.byteCount == bytes.count)
      expectSame(try PNGDecoder().decode(bytes), picture)
    }
  }

  @Test func `the encoder chooses the smallest pixel form for all pixels`() throws {
    func form(_ colors: [OddPicture.Pixel], side: Int = 40) throws -> String {
      let picture = Pixmap(width: side, height: side)
      for y in 0..<side {
        for x in 0..<side { picture.set(x, y, colors[(x * 7 + y * side) % colors.count]) }
      }
      let properties = PNGProperties(width: side, height: side)
      return try PNGEncoder().encode(picture, properties) { _ in }.form
    }
    func grey(_ value: Int) -> OddPicture.Pixel { OddPicture.Pixel(value, value, value) }
    #expect(try form([grey(0), grey(255)]) == "1-bit grey")
    #expect(try form([grey(255), OddPicture.Pixel(200, 0, 0)]) == "1-bit palette")
    #expect(try form([grey(0), grey(85), grey(170)]) == "2-bit grey")
    #expect(try form([grey(0), grey(17), grey(68), grey(102), grey(51)]) == "4-bit grey")
    #expect(try form((0..<16).map { OddPicture.Pixel($0, 9, 9) }) == "4-bit palette")
    #expect(try form((0..<100).map { grey($0) }) == "8-bit grey")
    #expect(try form((0..<256).map { OddPicture.Pixel($0, 9, 9) }) == "8-bit palette")
    #expect(try form((0..<257).map { OddPicture.Pixel($0 & 255, $0 / 256, 9) }) == "8-bit RGB")
    #expect(try form([.clear, grey(9).under(9)]) == "1-bit palette")
    let manyGreys = (0..<600).map { grey($0 & 255).under(255 - $0 / 4) }
    #expect(try form(manyGreys) == "8-bit grey and alpha")
    let all = (0..<600).map { OddPicture.Pixel($0 & 255, 3, 99).under(255 - $0 / 4) }
    #expect(try form(all) == "8-bit RGBA")
    let opacities = (0..<256).map { OddPicture.Pixel(10, 60, 99).under($0) }
    #expect(try form(opacities, side: 300) == "8-bit palette of one ink's opacities")
    #expect(try form((0..<256).map { grey(255 - $0) }, side: 400) == "8-bit palette of greys")
  }

  @Test func `pictures that no PNG can hold are refused`() {
    for size in [(0, 5), (5, 0), (0, 0)] {
      let picture = Pixmap(width: size.0, height: size.1)
      #expect(throws: PNGError(.impossibleExtent(width: size.0, height: size.1))) {
        try PNGEncoder().encode(picture)
      }
    }
    #expect(throws: PNGError(.impossibleExtent(width: 1 << 31, height: 1))) {
      try PNGProperties(width: 1 << 31, height: 1).check()
    }
  }

  @Test func `texts, resolution and colour space are in their chunks`() throws {
    let picture = OddPicture.ink.pixmap(80, 80, seed: 3)
    let bytes = try PNGEncoder().encode(
      picture, isOpaque: true, scale: 2,
      texts: [PNGText("Title", "A page"), PNGText("Author", "Žofie")])
    #expect(
      RawPNG.chunks(of: bytes).map(\.name)
        == ["IHDR", "sRGB", "gAMA", "cHRM", "pHYs", "tEXt", "iTXt", "IDAT", "IEND"])
    let image = try PNGDecoder().decode(bytes)
    #expect(image.texts == [PNGText("Title", "A page"), PNGText("Author", "Žofie")])
    #expect(image.pixelsPerMeter == 5669)
    let wide = Pixmap(width: 9, height: 9, colorSpace: .displayP3)
    #expect(
      try RawPNG.chunks(of: PNGEncoder().encode(wide)).map(\.name)
        == ["IHDR", "cICP", "iCCP", "PLTE", "tRNS", "IDAT", "IEND"])
  }

  @Test func `a sink that throws ends the encoding with its error`() {
    struct Enough: Error {}
    let picture = OddPicture.noise.pixmap(900, 900, seed: 1)
    let properties = PNGProperties(width: 900, height: 900, isOpaque: true)
    #expect(throws: PNGEncodingError<Enough>.self) {
      try PNGEncoder().encode(picture, properties) { _ throws(Enough) in throw Enough() }
    }
  }
}

// MARK: - Several bands at once

extension PNGEncoderTests {
  /// A picture that returns several bands at once, like renderings with several threads.
  private struct BandsTogether: BandSource {
    let picture: Pixmap
    let count: Int

    var width: Int { picture.width }
    var height: Int { picture.height }
    var depth: Pixmap.Depth { picture.depth }
    var colorSpace: ColorSpace { picture.colorSpace }

    func forEachBands<Failure: Error>(
      _ body: ([Band]) throws(Failure) -> Void
    ) throws(Failure) {
      var all: [Band] = []
      picture.forEachBands { all += $0 }
      for first in stride(from: 0, to: all.count, by: count) {
        try body(Array(all[first..<min(first + count, all.count)]))
      }
    }
  }

  /// The file of a picture with `count` bands at once, and the pieces that the sink receives.
  private func file(
    of picture: Pixmap, isOpaque: Bool, bandsAtOnce count: Int, _ encoder: PNGEncoder
  ) throws -> (bytes: [UInt8], pieces: [Int]) {
    var (bytes, pieces): ([UInt8], [Int]) = ([], [])
    let properties = PNGProperties(
      width: picture.width, height: picture.height, depth: picture.depth, isOpaque: isOpaque)
    try encoder.encode(BandsTogether(picture: picture, count: count), properties) {
      bytes += $0
      pieces.append($0.count)
    }
    return (bytes, pieces)
  }

  @Test(arguments: PNGEncoder.Effort.allCases, [Pixmap.Depth.eight, .sixteen])
  func `a file of several chunks is the same for any number of threads and bands at once`(
    _ effort: PNGEncoder.Effort, _ depth: Pixmap.Depth
  ) throws {
    // Some megabytes of incompressible pixels.
    let picture =
      depth == .eight
      ? OddPicture.noise.pixmap(900, 900, seed: 4)
      : randomPicture(450, 900, depth: .sixteen, isOpaque: true, seed: 4)
    for isOpaque in [true, false] {
      let first = try file(
        of: picture, isOpaque: isOpaque, bandsAtOnce: 1, PNGEncoder(effort: effort)
      ).bytes
      expectSame(try PNGDecoder().decode(first), picture)
      #expect(RawPNG.chunks(of: first).count { $0.name == "IDAT" } > 1)
      // Higher efforts take longer, but write the file in the same steps.
      for (threads, count) in effort == .best
        ? [(3, 4)] : [(1, 2), (2, 4), (3, 6), (5, 10), (8, 1)]
      {
        let bytes = try file(
          of: picture, isOpaque: isOpaque, bandsAtOnce: count,
          PNGEncoder(effort: effort, threads: threads)
        ).bytes
        let isSame = bytes == first
        #expect(isSame, "\(threads) threads, \(count) bands at once")
      }
    }
  }

  @Test func `16-bit rows are packed alike with and without known groups`() throws {
    func file(_ source: some BandSource, _ isOpaque: Bool, _ effort: PNGEncoder.Effort) throws
      -> [UInt8]
    {
      var bytes: [UInt8] = []
      let properties = PNGProperties(
        width: source.width, height: source.height, depth: .sixteen, isOpaque: isOpaque)
      try PNGEncoder(effort: effort).encode(source, properties) { bytes += $0 }
      return bytes
    }
    for isOpaque in [true, false] {
      let picture = Pixmap(width: 301, height: 400, depth: .sixteen)
      func set(_ x: Int, _ y: Int, _ pixel: SIMD4<UInt16>) {
        (picture.memory.base + y * picture.memory.bytesPerRow + 8 * x)
          .storeBytes(of: pixel, as: SIMD4<UInt16>.self)
      }
      let ground = isOpaque ? SIMD4<UInt16>(60_000, 60_000, 60_000, 65_535) : .zero
      for y in 0..<400 { for x in 0..<301 { set(x, y, ground) } }
      // Grey ink, then blank bands, then coloured ink: the form grows after blank bands.
      for y in 3..<90 { set(y * 3 % 301, y, SIMD4(900, 900, 900, 65_535)) }
      for y in 300..<400 { set(2 * y % 301, y, SIMD4(9_000, 70, 40_000, 65_535)) }
      for effort in [PNGEncoder.Effort.fast, .small] {
        let known = try file(picture.tiled, isOpaque, effort)
        let isSame = try known == file(picture, isOpaque, effort)
        #expect(isSame, "\(effort), opaque: \(isOpaque)")
        expectSame(try PNGDecoder().decode(known), picture)
      }
    }
  }

  @Test func `a PNG's finished chunks can be taken while the next one is open`() throws {
    let picture = OddPicture.noise.pixmap(700, 2600, seed: 8)
    let (bytes, pieces) = try file(
      of: picture, isOpaque: true, bandsAtOnce: 2, PNGEncoder(threads: 2))
    expectSame(try PNGDecoder().decode(bytes), picture)
    #expect(pieces.count > 3 && pieces.allSatisfy { $0 < 3 << 20 }, "\(pieces)")
  }

  @Test func `an ink that is nearly transparent at first is found for any number of bands at once`()
    throws
  {
    let picture = Pixmap(width: 300, height: 700)
    for y in 0..<picture.height {
      for x in 20..<90 {
        picture.set(x, y, OddPicture.Pixel(200, 30, 90).under(y < 128 ? x % 3 : min(x * 3, 255)))
      }
    }
    let first = try file(of: picture, isOpaque: false, bandsAtOnce: 1, PNGEncoder()).bytes
    expectSame(try PNGDecoder().decode(first), picture)
    for count in 2...6 {
      let bytes = try file(
        of: picture, isOpaque: false, bandsAtOnce: count, PNGEncoder(threads: count)
      ).bytes
      let isSame = bytes == first
      #expect(isSame, "\(count) bands at once")
    }
  }
}
