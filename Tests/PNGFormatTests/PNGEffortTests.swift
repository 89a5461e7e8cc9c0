import Graphics
import TestSupport
import Testing

@testable import PNGFormat

struct PNGEffortTests {
  private static let sizes = [(1, 1), (3, 2), (28, 28), (129, 131), (300, 270), (640, 400)]
  private static let efforts = PNGEncoder.Effort.allCases.filter { $0 != .fast }

  @Test(arguments: OddPicture.allCases, efforts)
  func `a picture comes back as it was from every effort`(
    _ kind: OddPicture, _ effort: PNGEncoder.Effort
  ) throws {
    for (place, size) in Self.sizes.enumerated() {
      let picture = kind.pixmap(size.0, size.1, seed: UInt64(place), isDark: place % 2 == 1)
      let bytes = try PNGEncoder(effort: effort).encode(picture)
      expectSame(try PNGDecoder().decode(bytes), picture)
      let most = try PNGEncoder().encode(picture).count
      #expect(bytes.count <= most, "\(kind) \(size)")
    }
  }

  @Test(arguments: OddPicture.allCases, efforts)
  func `levels, threads and what is known change no byte of any effort`(
    _ kind: OddPicture, _ effort: PNGEncoder.Effort
  ) throws {
    for (place, size) in Self.sizes.enumerated() {
      let picture = kind.pixmap(size.0, size.1, seed: UInt64(50 + place))
      let bytes = try PNGEncoder(effort: effort).encode(picture)
      var plain = PNGEncoder(effort: effort)
      plain.level = 0
      #expect(try plain.encode(picture) == bytes)
      #expect(try PNGEncoder(effort: effort, threads: 2).encode(picture) == bytes)
      #expect(try PNGEncoder(effort: effort, threads: 3).encode(picture.tiled) == bytes)
    }
  }

  @Test(arguments: [OddPicture.ink, .coloredInk, .oneInk, .clearInk])
  func `more effort makes ink smaller`(_ kind: OddPicture) throws {
    for seed in 0..<4 as Range<UInt64> {
      let picture = kind.pixmap(500, 400, seed: seed)
      let sizes = try PNGEncoder.Effort.allCases.map {
        try PNGEncoder(effort: $0).encode(picture).count
      }
      #expect(sizes == sizes.sorted(by: >), "\(sizes)")
    }
  }

  @Test func `deep pictures come back from every effort`() throws {
    for isOpaque in [false, true] {
      let picture = randomPicture(130, 140, depth: .sixteen, isOpaque: isOpaque)
      for effort in Self.efforts {
        let bytes = try PNGEncoder(effort: effort).encode(picture, isOpaque: isOpaque)
        expectSame(try PNGDecoder().decode(bytes), picture)
      }
    }
  }

  @Test func `a picture of many stretches comes back, however it is had`() throws {
    let width = 1024
    let height = 900
    let picture = OddPicture.noise.pixmap(width, height, seed: 3)
    for effort in Self.efforts {
      let bytes = try PNGEncoder(effort: effort).encode(picture)
      expectSame(try PNGDecoder().decode(bytes), picture)
      #expect(try PNGEncoder(effort: effort, threads: 2).encode(picture.tiled) == bytes)
      // What cannot be packed takes a code of eight bits a byte and little more.
      #expect(bytes.count < (1 + 3 * width) * height + 4096)
    }
  }

  @Test func `a blank page takes no more than in a hurry`() throws {
    let picture = OddPicture.blank.pixmap(2048, 2732, seed: 0)
    let most = try PNGEncoder().encode(picture).count
    for effort in Self.efforts {
      #expect(try PNGEncoder(effort: effort).encode(picture).count <= most)
    }
  }
}
