/// Damage to bytes, the same for the same seed.
public struct Mutation {
  private var generator: SplitMix64

  /// Damage that follows from a seed.
  public init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  private mutating func below(_ limit: Int) -> Int {
    limit > 0 ? Int.random(in: 0..<limit, using: &generator) : 0
  }

  /// The bytes with one to four random changes: a flipped bit, a byte set to a critical value, a
  /// part deleted, inserted or copied to another offset, the end cut off.
  public mutating func mutated(_ bytes: [UInt8], splicing other: [UInt8] = []) -> [UInt8] {
    var result = bytes
    for _ in 0...below(4) {
      guard !result.isEmpty else { break }
      let offset = below(result.count)
      switch below(7) {
      case 0: result[offset] ^= 1 << UInt8(below(8))
      case 1: result[offset] = [0, 1, 0x7F, 0x80, 0xFF][below(5)]
      case 2: result.removeSubrange(offset..<min(offset + 1 + below(16), result.count))
      case 3:
        let filler = (0...below(16)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        result.insert(contentsOf: filler, at: offset)
      case 4:
        let source = other.isEmpty ? bytes : other
        let start = below(source.count)
        let part = source[start..<min(start + 1 + below(64), source.count)]
        result.replaceSubrange(offset..<min(offset + below(64), result.count), with: part)
      case 5: result.removeLast(result.count - offset)
      default: result[offset] = UInt8(truncatingIfNeeded: generator.next())
      }
    }
    return result
  }

  /// Every cut and every flip of a single bit; the usual run flips one of three bits.
  public static func everyCutAndFlip(of bytes: [UInt8], _ body: ([UInt8]) throws -> Void) rethrows {
    for length in 0..<bytes.count { try body(Array(bytes[..<length])) }
    var copy = bytes
    for bit in stride(from: 0, to: 8 * bytes.count, by: RunLength.step(3)) {
      copy[bit / 8] ^= 1 << UInt8(bit % 8)
      try body(copy)
      copy[bit / 8] ^= 1 << UInt8(bit % 8)
    }
  }
}
