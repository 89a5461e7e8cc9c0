import CPNGKernels
import Graphics
import TestSupport
import Testing

@testable import PNGFormat

/// Kernels process 16 pixels or 64 bytes at once. These rows are from one pixel to a little more
/// than a tile wide.
struct NarrowPictureTests {
  private static let widths = 1...130

  @Test(arguments: PixelForm.all)
  func `rows of every width have tokens that expand to their bytes, at all levels`(
    _ form: PixelForm
  ) {
    let palette = UnsafeMutablePointer<PNGPalette>.allocate(capacity: 1)
    palette.initialize(to: PNGPalette())
    defer { palette.deallocate() }
    let tokenizers = (0...pngBestLevel()).map { BandTokenizer(pngKernels($0)) }
    let (part, read) = (PartTokens(), ByteBuffer())
    // Repeated colours are sampled in a thousand pixels, which takes all rows of a band.
    let rowCount = [.rgb, .rgba].contains(form) ? Band.height : 36
    for width in Self.widths {
      let rows = TexturedRows(form, width: width, rowCount: rowCount, seed: UInt64(width))
      let (sum, weightedSum) = rows.bytes.sums
      var first: [UInt16]?
      for flags in TexturedRows.Flags.allCases {
        let band = rows.band(flags)
        for (level, tokenizer) in tokenizers.enumerated() {
          let fits = tokenizer.tokenize(band, of: rows.picture(palette), palette, into: part)
          let name: Comment = "\(form), \(width) pixels, flags \(flags), level \(level)"
          guard fits, part.byteCount == rows.bytes.count else {
            Issue.record(name)
            continue
          }
          part.tokenizePendingZeros()
          part.read(bytesPerPixel: form.bytesPerPixel, into: read)
          let bytes = UnsafeBufferPointer(start: read.start, count: rows.bytes.count)
          #expect(bytes.elementsEqual(rows.bytes), name)
          #expect(
            part.sum == sum && part.weightedSum % Adler.prime == weightedSum % Adler.prime, name)
          let tokens = Array(UnsafeBufferPointer(start: part.tokens, count: part.count))
          #expect(tokens == first ?? tokens, name)
          first = tokens
        }
      }
    }
  }

  @Test func `rows are compared up to their last pixel, whatever is flagged beyond it`() {
    let pixels = (0..<300).map { UInt32($0) }
    let all = [UInt8](repeating: 0xFF, count: 3)
    let none = [UInt8](repeating: 0, count: 3)
    for width in Self.widths {
      var beyond = none
      for group in (width + Int(PNGGroupWidth) - 1) / Int(PNGGroupWidth)..<24 {
        beyond[group / 8] |= 1 << (group % 8)
      }
      var other = pixels
      for x in width..<other.count { other[x] += 1 }
      for (above, flags) in [(all, all), (none, beyond), (beyond, none), (all, beyond)] {
        #expect(pngRowsAreEqual(pixels, other, above, flags, width, 4) == 1, "\(width) pixels")
      }
      other[width - 1] += 1
      #expect(pngRowsAreEqual(pixels, other, all, none, width, 4) == 0, "\(width) pixels")
    }
  }

  @Test(arguments: [PixelForm.rgb, .rgba, .grey])
  func `a row of two million pixels has the same sums at all levels`(_ form: PixelForm) {
    let width = 2_000_000
    let pixels = UnsafeMutablePointer<UInt32>.allocate(capacity: width)
    pixels.initialize(repeating: 0xFFFF_FFFF, count: width)
    let palette = UnsafeMutablePointer<PNGPalette>.allocate(capacity: 1)
    palette.initialize(to: PNGPalette())
    defer {
      pixels.deallocate()
      palette.deallocate()
    }
    let band = Band(
      firstRow: 0, rowCount: 1, width: width, depth: .eight, pixels: pixels,
      bytesPerRow: 4 * width, owner: nil)
    let bytes = UInt64(width * form.bytesPerPixel)
    for level in 0...pngBestLevel() {
      let part = PartTokens()
      let picture = BandTokenizer.Picture(form: form, width: width, background: 0xFF00_0000)
      #expect(BandTokenizer(pngKernels(level)).tokenize(band, of: picture, palette, into: part))
      #expect(part.sum == 255 * bytes)
      #expect(part.weightedSum % Adler.prime == 255 * (bytes * (bytes + 1) / 2) % Adler.prime)
    }
  }

  @Test(arguments: OddPicture.allCases)
  func `pictures of every width are decoded unchanged, for every effort`(_ kind: OddPicture) throws
  {
    for width in Self.widths {
      let height = 1 + width * 7 % 24
      let picture = kind.pixmap(width, height, seed: UInt64(width), isDark: width % 2 == 1)
      let effort = [PNGEncoder.Effort.fast, .small, .fast, .best, .fast][width % 5]
      let bytes = try PNGEncoder(effort: effort).encode(picture.tiled)
      expectSame(try PNGDecoder().decode(bytes), picture)
      for level in 0..<pngBestLevel() {
        var encoder = PNGEncoder(effort: effort)
        encoder.level = level
        #expect(try encoder.encode(picture) == bytes, "\(kind), \(width)×\(height), level \(level)")
      }
    }
  }

  @Test(arguments: OddPicture.allCases)
  func `animations of every width are decoded unchanged`(_ kind: OddPicture) throws {
    // All kinds together cover all widths.
    let first = 1 + (OddPicture.allCases.firstIndex(of: kind) ?? 0) % 8
    for width in stride(from: first, through: 130, by: 8) {
      let frames = RandomFrames(kind, width, 1 + width * 5 % 23, count: 4, seed: UInt64(width))
      let bytes = try frames.streamed()
      var number = 0
      try PNGDecoder().frames(of: bytes).forEachCanvas { image, _ in
        expectSame(image, frames.frames[number].picture)
        number += 1
      }
      #expect(number == 4)
      for level in 0..<pngBestLevel() { #expect(try frames.streamed(level: level) == bytes) }
    }
  }

  @Test(arguments: 0...pngBestLevel())
  func `comparing rows of every width reads no byte beyond them`(
    _ level: Int32
  ) {
    let kernels = pngKernels(level).pointee
    var random = SplitMix64(seed: 5)
    for width in Self.widths {
      let before = (0..<width).map { _ in UInt32.random(in: 0...3, using: &random) << 24 }
      for changeCount in 0...3 {
        var pixels = before
        for _ in 0..<changeCount {
          pixels[Int.random(in: 0..<width, using: &random)] ^=
            1
            << UInt32.random(
              in: 0..<32, using: &random)
        }
        let (new, old) = (pixels.map(\.littleEndian).bytes, before.map(\.littleEndian).bytes)
        var (first, end) = (7, 7)
        kernels.findChange(new, old, new.count, &first, &end)
        let differing = new.indices.filter { new[$0] != old[$0] }
        #expect(first == differing.first ?? 0 && end == (differing.last ?? -1) + 1)

        var keyed = [UInt32](repeating: 0, count: width)
        var changes = PNGChanges(areOpaque: 1, isKeyUsed: 0)
        keyed.withUnsafeMutableBytes {
          kernels.keyUnchanged(
            new, old, width, 9, $0.bindMemory(to: UInt8.self).baseAddress, &changes)
        }
        #expect(keyed.map(\.littleEndian) == zip(pixels, before).map { $0 == $1 ? 9 : $0 })
        #expect(
          kernels.countColorChanges(new, width)
            == zip(pixels, pixels.dropFirst()).count { $0 != $1 })
      }
    }
  }
}

extension [UInt8] {
  /// The sum of all bytes, and their sum weighted by index.
  fileprivate var sums: (UInt64, UInt64) {
    var (sum, weighted) = (UInt64(0), UInt64(0))
    for (index, byte) in enumerated() {
      sum += UInt64(byte)
      weighted += UInt64(index) * UInt64(byte)
    }
    return (sum, weighted)
  }
}

extension [UInt32] {
  fileprivate var bytes: [UInt8] { withUnsafeBytes(Array<UInt8>.init) }
}
