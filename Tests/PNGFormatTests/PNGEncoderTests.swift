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
  func `a picture comes back from libpng as it was`(_ kind: OddPicture) throws {
    for (place, size) in Self.sizes.enumerated() {
      for isDark in [false, true] {
        let picture = kind.pixmap(size.0, size.1, seed: UInt64(place), isDark: isDark)
        let bytes = try PNGEncoder().encode(picture)
        expectSame(try PNGDecoder().decode(bytes), picture)
      }
    }
  }

  @Test(arguments: OddPicture.allCases)
  func `levels, threads and what is known of a picture change no byte`(_ kind: OddPicture) throws {
    for (place, size) in Self.sizes.enumerated() {
      let picture = kind.pixmap(size.0, size.1, seed: UInt64(100 + place))
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
