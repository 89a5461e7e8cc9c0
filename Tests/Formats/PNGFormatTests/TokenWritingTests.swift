import CPNGKernels
import TestSupport
import Testing

@testable import PNGFormat

struct TokenWritingTests {
  /// Codes of random bits, where token `n` has `n` bits.
  private static func codes(_ random: inout SplitMix64) -> [UInt32] {
    (0...26).map { count in
      UInt32.random(in: 0..<1 << UInt32(count), using: &random) << 6 | UInt32(count)
    }
  }

  /// The bits that the kernels must write.
  private static func plainBits(_ tokens: [UInt16], _ codes: [UInt32], held: Int) -> [UInt8] {
    var bits = [Bool](repeating: false, count: held)
    for token in tokens {
      let code = codes[Int(token)]
      for index in 0..<code & 63 { bits.append(code >> (6 + index) & 1 == 1) }
    }
    while bits.count % 8 != 0 { bits.append(false) }
    return stride(from: 0, to: bits.count, by: 8).map { start in
      (0..<8).reduce(0) { $0 | (bits[start + $1] ? 1 << $1 : 0) }
    }
  }

  private static func written(
    _ tokens: [UInt16], _ codes: [UInt32], held: Int, _ level: Int32
  ) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: tokens.count * 4 + 64)
    return buffer.withUnsafeMutableBufferPointer { buffer in
      var bits = PNGBits()
      (bits.next, bits.count) = (buffer.baseAddress, UInt32(held))
      pngKernels(level).pointee.write(tokens, tokens.count, codes, &bits)
      var count = bits.next - (buffer.baseAddress ?? bits.next)
      if bits.count > 0 {
        buffer[count] = UInt8(truncatingIfNeeded: bits.bits)
        count += 1
      }
      return Array(buffer[..<count])
    }
  }

  @Test(arguments: 0...pngBestLevel(), 0...7)
  func `four codes of any lengths are written, after any number of pending bits`(
    _ level: Int32, _ held: Int
  ) {
    var random = SplitMix64(seed: UInt64(held))
    let codes = Self.codes(&random)
    // Two codes have at most 52 bits. Sums around 57, the maximum beside seven pending bits, are
    // critical.
    for sum in 0...104 {
      for _ in 0..<20 {
        var lengths: [Int] = []
        while lengths.count < 4 {
          let others = lengths.reduce(0, +)
          let least = max(0, sum - others - 26 * (3 - lengths.count))
          lengths.append(Int.random(in: least...min(26, sum - others), using: &random))
        }
        let tokens = lengths.shuffled(using: &random).map { UInt16($0) }
        #expect(
          Self.written(tokens, codes, held: held, level)
            == Self.plainBits(tokens, codes, held: held), "\(lengths)")
      }
    }
  }

  @Test(arguments: 0...pngBestLevel())
  func `many codes in a row are written`(_ level: Int32) {
    var random = SplitMix64(seed: 9)
    let codes = Self.codes(&random)
    for count in [1, 2, 3, 5, 1_000, 20_001] {
      let tokens = (0..<count).map { _ in UInt16.random(in: 0...26, using: &random) }
      #expect(Self.written(tokens, codes, held: 0, level) == Self.plainBits(tokens, codes, held: 0))
    }
  }
}
