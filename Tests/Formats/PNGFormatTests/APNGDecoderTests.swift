import Graphics
import TestSupport
import Testing

@testable import PNGFormat

struct APNGDecoderTests {
  /// A chunk of a file that the test assembles.
  private typealias Chunk = (name: String, data: [UInt8])

  private static let header: Chunk = (
    "IHDR", RawPNG.big(4) + RawPNG.big(3) + [8, 6, 0, 0, 0]
  )

  private static func animation(_ frames: UInt32, loops: UInt32 = 0) -> Chunk {
    ("acTL", RawPNG.big(frames) + RawPNG.big(loops))
  }

  private static func control(
    _ number: UInt32, width: UInt32 = 4, height: UInt32 = 3, x: UInt32 = 0, y: UInt32 = 0,
    delay: [UInt8] = [0, 1, 0, 30], ways: [UInt8] = [0, 0]
  ) -> Chunk {
    let sides = [number, width, height, x, y]
    return ("fcTL", sides.flatMap(RawPNG.big) + delay + ways)
  }

  /// Pixels of one colour.
  private static func pixels(
    _ number: UInt32?, width: Int = 4, height: Int = 3, _ color: [UInt8] = [9, 8, 7, 255]
  ) -> Chunk {
    let row: [UInt8] = [0] + (0..<width).flatMap { _ in color }
    let data = RawPNG.stored((0..<height).flatMap { _ in row })
    return number.map { ("fdAT", RawPNG.big($0) + data) } ?? ("IDAT", data)
  }

  private static let end: Chunk = ("IEND", [])

  private static func file(_ chunks: [Chunk]) -> [UInt8] {
    var png = RawPNG()
    for chunk in chunks { png.add(chunk.name, chunk.data) }
    return png.bytes
  }

  /// Two frames, the second of which covers a part of the canvas.
  private static let intact: [Chunk] = [
    header, animation(2), control(0), pixels(nil),
    control(1, width: 2, height: 2, x: 1, y: 1), pixels(2, width: 2, height: 2), end,
  ]

  @Test func `every kind of PNG damage has its own description`() {
    let damage: [FrameDamage] = [
      .cut, .badChecksum(chunk: "fcTL"), .badLength(chunk: "fcTL", 3), .misplaced(chunk: "acTL"),
      .wrongNumber(3, expected: 2), .outside(x: 1, y: 2, width: 3, height: 4), .unknownMethod(9),
      .missingPixels, .wrongCount(2, of: 3), .tooMany(4),
    ]
    let problems: [PNGError.Problem] =
      damage.map { .brokenFrames($0) } + [
        .impossibleExtent(width: 0, height: 1), .badKeyword("k"), .badText("k"),
        .wrongRowCount(2, of: 3), .notPNG, .tooLarge(width: 5, height: 6),
        .missingPixels(width: 5, height: 6), .damaged("cut"), .failed("full"),
        .impossibleFrameCount(7), .impossibleLoopCount(8), .wrongFrameCount(2, of: 3),
        .unexpectedColor(frame: 1),
      ]
    #expect(Set(problems.map { "\(PNGError($0))" }).count == problems.count)
    #expect("\(PNGError(.notPNG, at: 7))" == "not a PNG (at byte 7)")
  }

  private static func damage(_ chunks: [Chunk]) -> FrameDamage? {
    do throws(PNGError) {
      _ = try PNGDecoder().frames(of: file(chunks))
    } catch {
      if case .brokenFrames(let damage) = error.problem { return damage }
      Issue.record("\(error)")
    }
    return nil
  }

  /// The valid file with other bytes instead of a chunk.
  private static func changed(_ index: Int, _ chunks: Chunk...) -> [Chunk] {
    Array(intact[..<index]) + chunks + Array(intact[(index + 1)...])
  }

  @Test func `decoded frames have their rectangle, duration and methods`() throws {
    let bytes = Self.file([
      Self.header, Self.animation(3, loops: 7), Self.pixels(nil),
      Self.control(0, delay: [1, 2, 3, 4], ways: [1, 1]), Self.pixels(1),
      Self.control(2, width: 1, height: 2, x: 3, y: 1, delay: [0, 5, 0, 0], ways: [2, 0]),
      Self.pixels(3, width: 1, height: 2, [1, 2, 3, 4]),
      Self.control(4, width: 4, height: 1), Self.pixels(5, height: 1), Self.end,
    ])
    let frames = try PNGDecoder().frames(of: bytes)
    #expect(frames.width == 4 && frames.height == 3 && frames.loopCount == 7)
    #expect(!frames.showsDefault)
    #expect(
      frames.controls == [
        FrameControl(
          PixelRect(width: 4, height: 3), duration: FrameDuration(258, over: 772),
          disposal: .clear, blend: .over),
        FrameControl(
          PixelRect(columns: 3..<4, rows: 1..<3), duration: FrameDuration(5, over: 100),
          disposal: .previous),
        FrameControl(PixelRect(width: 4, height: 1), duration: FrameDuration(1, over: 30)),
      ])
    let part = try frames.picture(1)
    #expect(part.width == 1 && part.height == 2 && part[0, 1] == SIMD4(257, 514, 771, 1_028))
    #expect(try frames.defaultPicture()[3, 2] == SIMD4(9 * 257, 8 * 257, 7 * 257, 65_535))
  }

  @Test func `canvases are composed by disposal and blending`() throws {
    let (red, half): ([UInt8], [UInt8]) = ([200, 0, 0, 255], [0, 0, 100, 128])
    func parts(_ disposal: UInt8, _ blend: UInt8) throws -> [SIMD4<UInt16>] {
      let bytes = Self.file([
        Self.header, Self.animation(3), Self.control(0), Self.pixels(nil, red),
        Self.control(1, width: 2, height: 2, x: 1, y: 1, ways: [disposal, blend]),
        Self.pixels(2, width: 2, height: 2, half),
        Self.control(3, width: 1, height: 1), Self.pixels(4, width: 1, height: 1), Self.end,
      ])
      var parts: [SIMD4<UInt16>] = []
      try PNGDecoder().frames(of: bytes).forEachCanvas { image, _ in
        parts.append(image[2, 2] / 257)
      }
      return parts
    }
    let (old, new): (SIMD4<UInt16>, SIMD4<UInt16>) = (SIMD4(200, 0, 0, 255), SIMD4(0, 0, 100, 128))
    // 200 · 127 / 255 and 100 · 128 / 255.
    let mixed = SIMD4<UInt16>(100, 0, 50, 255)
    #expect(try parts(0, 0) == [old, new, new])
    #expect(try parts(0, 1) == [old, mixed, mixed])
    #expect(try parts(1, 0) == [old, new, SIMD4()])
    #expect(try parts(2, 0) == [old, new, old])
  }

  @Test func `frames of 16 bits are blended without loss`() throws {
    func deep(_ components: UInt16...) -> [UInt8] {
      components.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    }
    let bytes = Self.file([
      ("IHDR", RawPNG.big(4) + RawPNG.big(3) + [16, 6, 0, 0, 0]), Self.animation(2),
      Self.control(0), Self.pixels(nil, deep(1_001, 40_000, 7, 65_535)),
      Self.control(1, width: 2, height: 2, x: 1, y: 1, ways: [0, 1]),
      Self.pixels(2, width: 2, height: 2, deep(3_002, 10, 65_535, 30_000)), Self.end,
    ])
    var canvases: [PNGImage] = []
    try PNGDecoder().frames(of: bytes).forEachCanvas { image, _ in canvases.append(image) }
    #expect(
      canvases.map { $0[0, 0] } == Array(repeating: SIMD4(1_001, 40_000, 7, 65_535), count: 2))
    // The upper colour counts 30,000 of 65,535 parts and the lower one 35,535.
    #expect(canvases[1][2, 2] == SIMD4(1_917, 21_694, 30_004, 65_535))
  }

  @Test func `a still PNG has no frames`() throws {
    let bytes = try PNGEncoder().encode(OddPicture.ink.pixmap(9, 9, seed: 1))
    let frames = try PNGDecoder().frames(of: bytes)
    #expect(frames.controls.isEmpty && frames.width == 9)
    expectSame(try frames.defaultPicture(), OddPicture.ink.pixmap(9, 9, seed: 1))
    try frames.forEachCanvas { _, _ in Issue.record("a frame of none") }
  }

  @Test func `chunks in a wrong order have their own errors`() {
    let (intact, control, pixels) = (Self.intact, Self.control, Self.pixels)
    #expect(Self.damage(intact) == nil)
    let small = control(1, 2, 2, 1, 1, [0, 1, 0, 30], [0, 0])
    let cases: [(FrameDamage, [Chunk])] = [
      (.misplaced(chunk: "acTL"), Self.changed(1, Self.animation(2), Self.animation(2))),
      (.misplaced(chunk: "acTL"), [Self.header, intact[3], Self.animation(1), Self.end]),
      (.misplaced(chunk: "acTL"), [Self.animation(1)] + intact),
      (.misplaced(chunk: "IHDR"), [Self.header] + intact),
      (.misplaced(chunk: "fcTL"), [Self.header] + Array(intact[2...])),
      (
        .misplaced(chunk: "fdAT"),
        [Self.header, Self.animation(1), intact[2], intact[3], pixels(1, 4, 3, []), Self.end]
      ),
      (.misplaced(chunk: "fdAT"), [Self.header, Self.animation(1), pixels(0, 4, 3, []), Self.end]),
      (.misplaced(chunk: "IDAT"), Self.changed(5, intact[3], intact[5])),
      (.misplaced(chunk: "IEND"), [Self.header, Self.end]),
      (.misplaced(chunk: "PLTE"), Self.changed(3, intact[3], ("PLTE", [1, 2, 3]))),
      (.misplaced(chunk: "fcTL"), Self.changed(3, small, intact[3])),
      (
        .wrongNumber(1, expected: 0),
        Self.changed(2, control(1, 4, 3, 0, 0, [0, 1, 0, 1], [0, 0]))
      ),
      (
        .wrongNumber(2, expected: 1),
        Self.changed(4, control(2, 2, 2, 1, 1, [0, 1, 0, 1], [0, 0]))
      ),
      (.wrongNumber(1, expected: 2), Self.changed(5, pixels(1, 2, 2, [1, 2, 3, 4]))),
      (.wrongCount(2, of: 1), Self.changed(1, Self.animation(1))),
      (.wrongCount(2, of: 3), Self.changed(1, Self.animation(3))),
      (.wrongCount(0, of: 0), Self.changed(1, Self.animation(0))),
      (.tooMany(4_000_000_000), Self.changed(1, Self.animation(4_000_000_000))),
      (.missingPixels, Self.changed(5)),
      (.missingPixels, Self.changed(5, control(2, 2, 2, 1, 1, [0, 1, 0, 1], [0, 0]))),
      (
        .badLength(chunk: "IHDR", 12), Self.changed(0, ("IHDR", Array(Self.header.data.dropLast())))
      ),
      (.badLength(chunk: "acTL", 9), Self.changed(1, ("acTL", Self.animation(2).data + [0]))),
      (.badLength(chunk: "fcTL", 25), Self.changed(4, ("fcTL", Array(small.data.dropLast())))),
      (.badLength(chunk: "fdAT", 3), Self.changed(5, ("fdAT", [0, 0, 0]))),
      (.unknownMethod(3), Self.changed(4, control(1, 2, 2, 1, 1, [0, 1, 0, 30], [3, 0]))),
      (.unknownMethod(2), Self.changed(4, control(1, 2, 2, 1, 1, [0, 1, 0, 30], [0, 2]))),
      (.cut, Array(intact.dropLast())),
    ]
    for (expected, chunks) in cases { #expect(Self.damage(chunks) == expected) }
  }

  @Test func `frames outside of the canvas are refused`() {
    func damage(_ x: UInt32, _ y: UInt32, _ width: UInt32, _ height: UInt32) -> FrameDamage? {
      Self.damage(
        Self.changed(
          4, Self.control(1, width: width, height: height, x: x, y: y)))
    }
    for (x, y, width, height) in [
      (0, 0, 0, 1), (0, 0, 1, 0), (3, 0, 2, 1), (0, 2, 1, 2), (4, 0, 1, 1), (0, 3, 1, 1),
      (0xFFFF_FFFF, 0, 1, 1), (1, 1, 0xFFFF_FFFF, 1), (1, 0xFFFF_FFFF, 1, 0xFFFF_FFFF),
    ] as [(UInt32, UInt32, UInt32, UInt32)] {
      #expect(damage(x, y, width, height) == .outside(x: x, y: y, width: width, height: height))
    }
    // The first frame is the default picture, which has the size of the canvas.
    #expect(
      Self.damage(Self.changed(2, Self.control(0, width: 3)))
        == .outside(x: 0, y: 0, width: 3, height: 3))
  }

  @Test func `pixels that do not fit their frame are refused when they are decoded`() throws {
    let short = Self.changed(5, Self.pixels(2, width: 1, height: 1))
    let frames = try PNGDecoder().frames(of: Self.file(short))
    #expect(throws: PNGError.self) { try frames.picture(1) }
    var seen = 0
    #expect(throws: PNGReadingError<Never>.self) {
      try frames.forEachCanvas { _, _ in seen += 1 }
    }
    #expect(seen == 1)
  }

  @Test func `a file with any byte missing or any bit flipped is refused`() throws {
    let frames = RandomFrames(.coloredInk, 24, 18, count: 3, seed: 5)
    let bytes = try frames.streamed()
    var accepted = 0
    Mutation.everyCutAndFlip(of: bytes) { bytes in
      do throws(PNGError) {
        _ = try PNGDecoder().frames(of: bytes)
        accepted += 1
      } catch {
        if let offset = error.offset, !(0...bytes.count ~= offset) { accepted += 1 }
      }
    }
    #expect(accepted == 0)
  }

  @Test func `damage with valid checksums is refused or gives frames`() throws {
    let frames = RandomFrames(.fewColors, 24, 18, count: 4, seed: 5)
    let chunks = RawPNG.chunks(of: try frames.streamed())
    var mutation = Mutation(seed: 6)
    var refused = 0
    for round in 0..<3_000 {
      var chunks = chunks
      let index = round % chunks.count
      chunks[index].data = mutation.mutated(chunks[index].data)
      if round % 7 == 0 { chunks.swapAt(index, round % 5) }
      do throws(PNGReadingError<Never>) {
        let limits = PNGDecoder.Limits(side: 100, memory: 1 << 20, chunk: 1 << 16, frames: 8)
        guard let read = try? PNGDecoder(limits: limits).frames(of: Self.file(chunks)) else {
          refused += 1
          continue
        }
        try read.forEachCanvas { image, _ in
          #expect(image.components.count == image.width * image.height * image.depth.bytesPerPixel)
        }
      } catch {
        refused += 1
      }
    }
    #expect(refused > 1_000)
  }

  @Test func `a canvas beyond the limits is refused before it is allocated`() throws {
    let header: Chunk = ("IHDR", RawPNG.big(30_000) + RawPNG.big(30_000) + [8, 6, 0, 0, 0])
    let bytes = Self.file([
      header, Self.animation(1), Self.pixels(nil, width: 1, height: 1),
      Self.control(0, width: 1, height: 1), Self.pixels(1, width: 1, height: 1), Self.end,
    ])
    let frames = try PNGDecoder().frames(of: bytes)
    #expect(try frames.picture(0).width == 1)
    #expect(throws: PNGReadingError<Never>.self) { try frames.forEachCanvas { _, _ in } }
    #expect(throws: PNGError(.tooLarge(width: 30_000, height: 30_000), at: 8)) {
      try PNGDecoder(limits: .init(side: 29_999)).frames(of: bytes)
    }
    #expect(throws: PNGError(.brokenFrames(.tooMany(2)), at: 33)) {
      try PNGDecoder(limits: .init(frames: 1)).frames(of: Self.file(Self.intact))
    }
  }

  @Test func `frames without a default picture are refused`() {
    #expect(throws: PNGError(.notPNG, at: 0)) { try PNGDecoder().frames(of: []) }
    #expect(throws: PNGError(.brokenFrames(.cut), at: 8)) {
      try PNGDecoder().frames(of: RawPNG.signature)
    }
  }
}
