import Graphics
import TestSupport
import Testing

@testable import PNGFormat

struct PNGEffortTests {
  private static let sizes = [(1, 1), (3, 2), (28, 28), (129, 131), (300, 270)]
  private static let efforts = PNGEncoder.Effort.allCases.filter { $0 != .fast }

  @Test(arguments: OddPicture.allCases, efforts)
  func `a PNG of every effort is decoded unchanged`(
    _ kind: OddPicture, _ effort: PNGEncoder.Effort
  ) throws {
    for (index, size) in Self.sizes.enumerated() {
      let picture = kind.pixmap(size.0, size.1, seed: UInt64(index), isDark: index % 2 == 1)
      let bytes = try PNGEncoder(effort: effort).encode(picture)
      expectSame(try PNGDecoder().decode(bytes), picture)
      let most = try PNGEncoder().encode(picture).count
      #expect(bytes.count <= most, "\(kind) \(size)")
    }
  }

  @Test(arguments: OddPicture.allCases, efforts)
  func `levels, threads and known groups change no byte, for any effort`(
    _ kind: OddPicture, _ effort: PNGEncoder.Effort
  ) throws {
    for (index, size) in Self.sizes.enumerated() {
      let picture = kind.pixmap(size.0, size.1, seed: UInt64(50 + index))
      let bytes = try PNGEncoder(effort: effort).encode(picture)
      var plain = PNGEncoder(effort: effort)
      plain.level = 0
      #expect(try plain.encode(picture) == bytes)
      #expect(try PNGEncoder(effort: effort, threads: 2).encode(picture) == bytes)
      #expect(try PNGEncoder(effort: effort, threads: 3).encode(picture.tiled) == bytes)
    }
  }

  @Test(arguments: [OddPicture.ink, .coloredInk, .oneInk, .clearInk])
  func `more effort makes PNGs of ink smaller`(_ kind: OddPicture) throws {
    for seed in 0..<4 as Range<UInt64> {
      let picture = kind.pixmap(500, 400, seed: seed)
      let sizes = try PNGEncoder.Effort.allCases.map {
        try PNGEncoder(effort: $0).encode(picture).count
      }
      #expect(sizes == sizes.sorted(by: >), "\(sizes)")
    }
  }

  @Test func `16-bit pictures are decoded unchanged, for every effort`() throws {
    for isOpaque in [false, true] {
      let picture = randomPicture(130, 140, depth: .sixteen, isOpaque: isOpaque)
      for effort in Self.efforts {
        let bytes = try PNGEncoder(effort: effort).encode(picture, isOpaque: isOpaque)
        expectSame(try PNGDecoder().decode(bytes), picture)
      }
    }
  }

  @Test func `a tall PNG of many segments is decoded unchanged, for all options`() throws {
    let (width, height) = (512, 700)
    let picture = OddPicture.noise.pixmap(width, height, seed: 3)
    for effort in Self.efforts {
      let bytes = try PNGEncoder(effort: effort).encode(picture)
      expectSame(try PNGDecoder().decode(bytes), picture)
      #expect(try PNGEncoder(effort: effort, threads: 2).encode(picture.tiled) == bytes)
      // Incompressible bytes take a code of eight bits each, plus a small overhead.
      #expect(bytes.count < (1 + 3 * width) * height + 4096)
    }
  }

  @Test func `a blank page takes no more bytes than with the fast effort`() throws {
    let picture = OddPicture.blank.pixmap(900, 1300, seed: 0)
    let most = try PNGEncoder().encode(picture).count
    for effort in Self.efforts {
      #expect(try PNGEncoder(effort: effort).encode(picture).count <= most)
    }
  }
}
