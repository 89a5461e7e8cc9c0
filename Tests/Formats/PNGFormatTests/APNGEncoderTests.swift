import Foundation
import Graphics
import TestSupport
import Testing

@testable import PNGFormat

struct APNGEncoderTests {
  private static let sizes = [(1, 1), (3, 2), (29, 17), (130, 131), (260, 40)]

  /// Compares all frames of a file without omitted frames.
  private static func expectSame(_ bytes: [UInt8], _ frames: RandomFrames) throws {
    let read = try PNGDecoder().frames(of: bytes)
    #expect(read.controls.count == frames.frames.count)
    #expect(read.controls.map(\.duration) == frames.frames.map(\.duration))
    #expect(read.controls.allSatisfy { $0.disposal == .none })
    var number = 0
    try read.forEachCanvas { image, _ in
      PNGFormatTests.expectSame(image, frames.frames[number].picture)
      number += 1
    }
    PNGFormatTests.expectSame(try read.defaultPicture(), frames.frames[0].picture)
  }

  @Test(arguments: OddPicture.allCases)
  func `every frame is decoded unchanged`(_ kind: OddPicture) throws {
    for (index, size) in Self.sizes.enumerated() {
      let frames = RandomFrames(kind, size.0, size.1, count: 8, seed: UInt64(index))
      try Self.expectSame(try frames.streamed(), frames)
    }
  }

  @Test(arguments: OddPicture.allCases)
  func `every form that holds all colours keeps every frame`(_ kind: OddPicture) throws {
    let frames = RandomFrames(kind, 61, 47, count: 9, seed: 7)
    let found = FrameColors(of: frames.allPictures)
    try Self.expectSame(try frames.streamed(.any), frames)
    if [.greyNoise, .blank, .ink, .greysAndClear].contains(kind) {
      try Self.expectSame(try frames.streamed(.greys), frames)
    }
    guard found != .any, case let pixels = frames.allPictures, !pixels.hasClearPixels else {
      return
    }
    try Self.expectSame(try frames.streamed(.opaque(unused: nil)), frames)
  }

  @Test(arguments: OddPicture.allCases)
  func `frames can be encoded without knowing their colours, count or changes`(_ kind: OddPicture)
    throws
  {
    for seed in UInt64(0)..<3 {
      let frames = RandomFrames(kind, 47, 41, count: 8, seed: seed)
      let bytes = try frames.encoded(loopCount: 2)
      #expect(try frames.encoded(loopCount: 2, knowsChanges: false) == bytes)
      let read = try PNGDecoder().frames(of: bytes)
      #expect(read.loopCount == 2)
      // Each frame has the total duration of the pictures that it represents.
      var rest = frames.frames[...]
      try read.forEachCanvas { image, control in
        guard let first = rest.popFirst() else { return #expect(Bool(false), "a frame too many") }
        var duration: FrameDuration? = first.duration
        PNGFormatTests.expectSame(image, first.picture)
        while let next = rest.first, next.picture == first.picture,
          let both = duration?.adding(next.duration)
        {
          duration = both
          rest.removeFirst()
        }
        #expect(duration == control.duration)
      }
      #expect(rest.isEmpty)
    }
  }

  @Test(arguments: OddPicture.allCases)
  func `a default picture of its own changes no frame`(_ kind: OddPicture) throws {
    for seed in UInt64(0)..<3 {
      let frames = RandomFrames(kind, 61, 47, count: 6, seed: seed)
      let last = try #require(frames.frames.last).picture
      let promised = try APNGEncoder(
        frames.properties, frameCount: 6, loopCount: 3,
        colors: FrameColors(of: frames.allPictures))
      try promised.addDefault(last)
      try frames.add(to: promised)
      try promised.finish()
      let unknown = try APNGEncoder.encode(frames.properties, loopCount: 3) {
        encoder throws(PNGError) in
        try encoder.addDefault(last)
        try frames.add(to: encoder)
      }
      let plain = [try frames.streamed(), try frames.encoded(loopCount: 3)]
      for (bytes, plain) in zip([promised.takeBytes(), unknown], plain) {
        let (read, other) = (
          try PNGDecoder().frames(of: bytes), try PNGDecoder().frames(of: plain)
        )
        #expect(!read.showsDefault && other.showsDefault)
        #expect(read.loopCount == 3 && read.controls == other.controls)
        PNGFormatTests.expectSame(try read.defaultPicture(), last)
        var expected: [PNGImage] = []
        try other.forEachCanvas { image, _ in expected.append(image) }
        var number = 0
        try read.forEachCanvas { image, _ in
          #expect(image == expected[number])
          number += 1
        }
        let names = RawPNG.chunks(of: bytes).map(\.name).filter { $0 != "tRNS" && $0 != "PLTE" }
        #expect(names.drop { $0 != "IDAT" }.prefix(3) == ["IDAT", "fcTL", "fdAT"])
        #expect(!names.prefix { $0 != "IDAT" }.contains("fcTL"))
      }
    }
  }

  @Test func `a default picture keeps colours that no frame has`() throws {
    let (ink, paper) = (
      OddPicture.noise.pixmap(40, 30, seed: 1), OddPicture.blank.pixmap(40, 30, seed: 1)
    )
    let properties = PNGProperties(width: 40, height: 30)
    let bytes = try APNGEncoder.encode(properties) { encoder throws(PNGError) in
      try encoder.addDefault(ink)
      try encoder.add(paper, lasting: FrameDuration(1, over: 9))
    }
    let read = try PNGDecoder().frames(of: bytes)
    PNGFormatTests.expectSame(try read.defaultPicture(), ink)
    try read.forEachCanvas { image, _ in PNGFormatTests.expectSame(image, paper) }
    let few = try APNGEncoder(properties, frameCount: 1, colors: FrameColors(of: paper))
    #expect(throws: PNGError(.unexpectedColor(frame: 0))) { try few.addDefault(ink) }
  }

  @Test(arguments: OddPicture.allCases)
  func `levels and tiles change no byte of a moving picture`(_ kind: OddPicture) throws {
    let frames = RandomFrames(kind, 150, 133, count: 8, seed: 11)
    let bytes = try frames.streamed()
    for level in [0, 1] as [Int32] { #expect(try frames.streamed(level: level) == bytes) }
    let tiled = try APNGEncoder(
      frames.properties, frameCount: 8, loopCount: 3, colors: FrameColors(of: frames.allPictures))
    for frame in frames.frames {
      try tiled.add(frame.picture.tiled, changed: [frame.changed], lasting: frame.duration)
    }
    try tiled.finish()
    #expect(tiled.takeBytes() == bytes)
  }

  @Test func `the moments of taking bytes change no byte of a moving picture`() throws {
    // Frames of more than a megabyte each.
    let pictures = (0..<3).map { OddPicture.noise.pixmap(700, 600, seed: $0) }
    func bytes(takenEvery count: Int) throws -> [UInt8] {
      let encoder = try APNGEncoder(
        PNGProperties(width: 700, height: 600), frameCount: 3, colors: .opaque(unused: nil))
      var bytes: [UInt8] = []
      for (number, picture) in pictures.enumerated() {
        try encoder.add(picture, lasting: FrameDuration(1, over: 30))
        if number % count == count - 1 { bytes += encoder.takeBytes() }
      }
      try encoder.finish()
      return bytes + encoder.takeBytes()
    }
    let taken = try bytes(takenEvery: 1)
    for count in 2...4 {
      let isSame = try bytes(takenEvery: count) == taken
      #expect(isSame, "taken every \(count) frames")
    }
    var number = 0
    try PNGDecoder().frames(of: taken).forEachCanvas { image, _ in
      PNGFormatTests.expectSame(image, pictures[number])
      number += 1
    }
  }

  @Test(arguments: [false, true])
  func `frames of 16 bits are encoded without loss`(_ isOpaque: Bool) throws {
    let pictures = (1..<4).map {
      randomPicture(19, 23, depth: .sixteen, isOpaque: isOpaque, seed: $0)
    }
    let properties = PNGProperties(width: 19, height: 23, depth: .sixteen, isOpaque: isOpaque)
    let bytes = try APNGEncoder.encode(properties) { encoder throws(PNGError) in
      for picture in pictures { try encoder.add(picture, lasting: FrameDuration(1, over: 2)) }
    }
    var number = 0
    try PNGDecoder().frames(of: bytes).forEachCanvas { image, _ in
      PNGFormatTests.expectSame(image, pictures[number])
      number += 1
    }
    #expect(number == 3)
    #expect(FrameColors(of: pictures[0]) == (isOpaque ? .opaque(unused: nil) : .any))
  }

  @Test func `an encoded frame is the smallest rectangle that changed`() throws {
    let white = OddPicture.blank.pixmap(300, 200, seed: 1)
    let dotted = white.copy
    dotted.set(100, 50, OddPicture.Pixel(1, 2, 3))
    dotted.set(120, 53, OddPicture.Pixel(1, 2, 3))
    let bytes = try APNGEncoder.encode(PNGProperties(width: 300, height: 200)) {
      encoder throws(PNGError) in
      try encoder.add(white, lasting: FrameDuration(1, over: 30))
      try encoder.add(
        dotted, changed: [PixelRect(columns: 90..<400, rows: 10..<60)],
        lasting: FrameDuration(1, over: 30))
    }
    let read = try PNGDecoder().frames(of: bytes)
    #expect(
      read.controls.map(\.rectangle) == [
        PixelRect(width: 300, height: 200), PixelRect(columns: 100..<121, rows: 50..<54),
      ])
    #expect(bytes.count < 1_000)
  }

  @Test func `changes of a frame may be given as several rectangles`() throws {
    var random = SplitMix64(seed: 31)
    for kind in [OddPicture.coloredInk, .ink] {
      let frames = RandomFrames(kind, 90, 70, count: 24, seed: 22)
      let whole = try APNGEncoder.encode(frames.properties) { encoder throws(PNGError) in
        for frame in frames.frames {
          try encoder.add(frame.picture, changed: [frame.changed], lasting: frame.duration)
        }
      }
      let inParts = try APNGEncoder.encode(frames.properties) { encoder throws(PNGError) in
        for frame in frames.frames {
          let (columns, rows) = (frame.changed.columns, frame.changed.rows)
          let x = Int.random(in: columns.lowerBound...columns.upperBound, using: &random)
          let y = Int.random(in: rows.lowerBound...rows.upperBound, using: &random)
          let overlap = min(x + 3, columns.upperBound)
          try encoder.add(
            frame.picture,
            changed: [
              PixelRect(columns: x..<columns.upperBound, rows: rows),
              PixelRect(columns: columns.lowerBound..<overlap, rows: rows.lowerBound..<y),
              PixelRect(columns: columns.lowerBound..<x, rows: y..<rows.upperBound),
            ], lasting: frame.duration)
        }
      }
      #expect(whole == inParts)
    }
  }

  @Test func `a frame that only adds ink omits unchanged pixels`() throws {
    var random = SplitMix64(seed: 5)
    let white = OddPicture.blank.pixmap(100, 100, seed: 1)
    let (noise, both) = (white.copy, white.copy)
    for y in 0..<100 {
      for x in 0..<100 {
        func byte() -> Int { Int.random(in: 0...255, using: &random) }
        if byte() < 128 { noise.set(x, y, OddPicture.Pixel(byte(), byte(), byte())) }
        both.set(x, y, (x + y) % 10 == 0 ? OddPicture.Pixel(9, 9, 9) : noise.pixel(x, y))
      }
    }
    let bytes = try APNGEncoder.encode(PNGProperties(width: 100, height: 100)) {
      encoder throws(PNGError) in
      for picture in [noise, both, white] {
        try encoder.add(picture, lasting: FrameDuration(1, over: 30))
      }
    }
    let read = try PNGDecoder().frames(of: bytes)
    #expect(read.controls.map(\.blend) == [.source, .over, .source])
  }

  @Test func `unchanged frames prolong the last one, or have one pixel`() throws {
    let picture = OddPicture.ink.pixmap(50, 50, seed: 3)
    let durations = [(1, 30), (1, 30), (1, 20), (65_535, 1), (1, 65_535), (1, 65_521)].map {
      FrameDuration(UInt16($0.0), over: UInt16($0.1))
    }
    let bytes = try APNGEncoder.encode(PNGProperties(width: 50, height: 50)) {
      encoder throws(PNGError) in
      for duration in durations { try encoder.add(picture, lasting: duration) }
    }
    let read = try PNGDecoder().frames(of: bytes)
    #expect(
      read.controls.map(\.duration) == [
        FrameDuration(7, over: 60), durations[3], durations[4], durations[5],
      ])
    #expect(read.controls.dropFirst().allSatisfy { $0.rectangle == PixelRect(width: 1, height: 1) })

    let encoder = try APNGEncoder(
      PNGProperties(width: 50, height: 50), frameCount: 2, colors: FrameColors(of: picture))
    for duration in durations[..<2] { try encoder.add(picture, changed: [], lasting: duration) }
    try encoder.finish()
    #expect(
      try PNGDecoder().frames(of: encoder.takeBytes()).controls.map(\.duration)
        == Array(durations[..<2]))
  }

  @Test func `frame durations are added only if the sum is exact`() {
    func sum(_ a: (UInt16, UInt16), _ b: (UInt16, UInt16)) -> FrameDuration? {
      FrameDuration(a.0, over: a.1).adding(FrameDuration(b.0, over: b.1))
    }
    #expect(sum((1, 30), (2, 30)) == FrameDuration(3, over: 30))
    #expect(sum((1, 3), (1, 6)) == FrameDuration(1, over: 2))
    #expect(sum((0, 7), (0, 9)) == FrameDuration(0, over: 1))
    #expect(sum((40_000, 30), (40_000, 30)) == FrameDuration(8_000, over: 3))
    #expect(sum((65_535, 1), (1, 1)) == nil)
    #expect(sum((1, 65_535), (1, 65_534)) == nil)
  }

  @Test func `finished bytes of an animation can be taken after every frame`() throws {
    let frames = RandomFrames(.coloredInk, 120, 90, count: 10, seed: 21)
    let encoder = try APNGEncoder(
      frames.properties, frameCount: 10, colors: FrameColors(of: frames.allPictures))
    var pieces: [[UInt8]] = []
    for frame in frames.frames {
      try encoder.add(frame.picture, changed: [frame.changed], lasting: frame.duration)
      #expect(encoder.hasBytes)
      pieces.append(encoder.takeBytes())
      #expect(!encoder.hasBytes)
    }
    try encoder.finish()
    let bytes = pieces.flatMap { $0 } + encoder.takeBytes()
    try Self.expectSame(bytes, frames)
  }

  @Test func `an impossible or wrong count of frames is an error`() throws {
    let picture = OddPicture.ink.pixmap(9, 9, seed: 3)
    let properties = PNGProperties(width: 9, height: 9)
    let time = FrameDuration(1, over: 30)
    func problem(_ body: () throws -> Void) -> PNGError.Problem? {
      do {
        try body()
        return nil
      } catch {
        return (error as? PNGError)?.problem
      }
    }
    for count in [0, -1, 1 << 30] {
      #expect(
        problem { _ = try APNGEncoder(properties, frameCount: count, colors: .any) }
          == .impossibleFrameCount(count))
    }
    #expect(
      problem { _ = try APNGEncoder(properties, frameCount: 1, loopCount: -1, colors: .any) }
        == .impossibleLoopCount(-1))
    #expect(
      problem {
        _ = try APNGEncoder(PNGProperties(width: 0, height: 1), frameCount: 1, colors: .any)
      } == .impossibleExtent(width: 0, height: 1))
    let few = try APNGEncoder(properties, frameCount: 2, colors: .any)
    try few.add(picture, lasting: time)
    #expect(problem { try few.finish() } == .wrongFrameCount(1, of: 2))
    let many = try APNGEncoder(properties, frameCount: 1, colors: .any)
    try many.add(picture, lasting: time)
    #expect(problem { try many.add(picture, lasting: time) } == .wrongFrameCount(2, of: 1))
    #expect(
      problem { _ = try APNGEncoder.encode(properties) { _ throws(PNGError) in } }
        == .wrongFrameCount(0, of: 1))
  }

  @Test func `a frame with an unannounced colour is an error`() throws {
    let paper = OddPicture.blank.pixmap(20, 20, seed: 1)
    let (dot, clear) = (paper.copy, paper.copy)
    dot.set(7, 8, OddPicture.Pixel(1, 2, 3))
    clear.set(7, 8, .clear)
    let ink = Pixmap.Pixel(red: 257, green: 514, blue: 771, alpha: 65_535)
    let white = paper[0, 0]
    let wrong: [(FrameColors, Pixmap)] = [
      (.palette([white]), dot), (.opaque(unused: ink), dot), (.opaque(unused: nil), clear),
      (.opaque(unused: ink), clear), (.greys, dot),
    ]
    let right: [(FrameColors, Pixmap)] = [
      (.palette([white, ink]), dot), (.palette([white]), clear), (.opaque(unused: nil), dot),
      (.any, dot), (.any, clear), (.greys, clear),
    ]
    func encode(_ colors: FrameColors, _ pictures: [Pixmap]) throws -> [UInt8] {
      let encoder = try APNGEncoder(
        PNGProperties(width: 20, height: 20), frameCount: pictures.count, colors: colors)
      for picture in pictures { try encoder.add(picture, lasting: FrameDuration(1, over: 1)) }
      try encoder.finish()
      return encoder.takeBytes()
    }
    for (colors, picture) in wrong {
      #expect(throws: PNGError(.unexpectedColor(frame: 1))) {
        try encode(colors, [paper, picture])
      }
      #expect(throws: PNGError(.unexpectedColor(frame: 0))) { try encode(colors, [picture]) }
    }
    for (colors, picture) in right {
      for pictures in [[paper, picture], [picture, paper]] {
        var number = 0
        try PNGDecoder().frames(of: try encode(colors, pictures)).forEachCanvas { image, _ in
          PNGFormatTests.expectSame(image, pictures[number])
          number += 1
        }
      }
    }
  }

  @Test func `omitted pixels have a colour that occurs in no frame`() throws {
    for shows in [false, true] {
      let paper = OddPicture.noise.pixmap(40, 40, seed: 1)
      let next = paper.copy
      if shows { next.set(30, 30, OddPicture.Pixel(0, 0, 0)) }
      next.set(31, 31, OddPicture.Pixel(9, 9, 9))
      let bytes = try APNGEncoder.encode(PNGProperties(width: 40, height: 40)) {
        encoder throws(PNGError) in
        for picture in [paper, next] {
          try encoder.add(picture, lasting: FrameDuration(1, over: 9))
        }
      }
      let clear = RawPNG.chunks(of: bytes).first { $0.name == "tRNS" }?.data
      #expect(clear == [0, 0, 0, 0, 0, shows ? 1 : 0])
    }
  }

  @Test func `the colours of a picture choose the smallest form that holds them`() {
    let white = Pixmap.Pixel(red: 65_535, green: 65_535, blue: 65_535, alpha: 65_535)
    let blank = OddPicture.blank.pixmap(9, 9, seed: 1)
    guard case .palette(let greys) = FrameColors(of: blank) else {
      Issue.record("greys are few")
      return
    }
    // All greys except one may follow.
    #expect(greys.count == 255 && greys[0] == white && Set(greys).count == 255)
    let dotted = blank.copy
    dotted.set(3, 3, OddPicture.Pixel(1, 2, 3))
    let ink = Pixmap.Pixel(red: 257, green: 514, blue: 771, alpha: 65_535)
    #expect(FrameColors(of: dotted) == .palette([white, ink]))
    #expect(FrameColors(of: dotted.tiled) == .palette([white, ink]))
    dotted.set(3, 3, .clear)
    #expect(FrameColors(of: dotted) == .palette([white, .clear]))
    #expect(FrameColors(of: OddPicture.greyNoise.pixmap(99, 99, seed: 1)) == .greys)
    let black = Pixmap.Pixel(red: 0, green: 0, blue: 0, alpha: 65_535)
    let many = OddPicture.noise.pixmap(30, 30, seed: 1)
    #expect(FrameColors(of: many) == .opaque(unused: black))
    many.set(3, 3, OddPicture.Pixel(0, 0, 0))
    let blue = Pixmap.Pixel(red: 0, green: 0, blue: 257, alpha: 65_535)
    #expect(FrameColors(of: many) == .opaque(unused: blue))
    many.set(3, 3, .clear)
    #expect(FrameColors(of: many) == .any)
  }

  @Test func `large changes are encoded correctly`() throws {
    for kind in [OddPicture.ink, .noise, .everyAlpha] {
      let frames = RandomFrames(kind, 600, 450, count: 3, seed: 2)
      try Self.expectSame(try frames.streamed(), frames)
    }
  }
}

extension Pixmap {
  var hasClearPixels: Bool {
    (0..<height).contains { y in (0..<width).contains { self[$0, y].alpha < 65_535 } }
  }
}
