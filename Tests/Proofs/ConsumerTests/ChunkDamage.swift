import Checksums
import TestSupport

/// Damage inside the chunks of a `.pkd` file, with valid checksums.
struct ChunkDamage {
  private var mutation: Mutation
  private var random: SplitMix64

  init(seed: UInt64) {
    mutation = Mutation(seed: seed)
    random = SplitMix64(seed: ~seed)
  }

  /// The file with one chunk changed: chunks are left out, doubled, damaged, or get an extreme
  /// number.
  mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
    var chunks = Self.chunks(of: bytes)
    guard !chunks.isEmpty else { return mutation.mutated(bytes) }
    let place = Int.random(in: 0..<chunks.count, using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: chunks.remove(at: place)
    case 1: chunks.insert(chunks[place], at: Int.random(in: 0...chunks.count, using: &random))
    case 2...4:
      var payload = chunks[place].payload
      let number = number()
      guard payload.count >= number.count else { break }
      let start = Int.random(in: 0...payload.count - number.count, using: &random)
      payload.replaceSubrange(start..<start + number.count, with: number)
      chunks[place].payload = payload
    case 5: chunks[place].payload.removeLast(min(chunks[place].payload.count, 1 + place))
    default: chunks[place].payload = mutation.mutated(chunks[place].payload)
    }
    return bytes.prefix(8) + chunks.flatMap(\.bytes)
  }

  /// The bytes of an extreme number.
  private mutating func number() -> [UInt8] {
    let doubles: [Double] = [1e307, -1e307, 1e155, -0.0, 0x1p63, .leastNonzeroMagnitude]
    let floats: [Float] = [.greatestFiniteMagnitude, -.greatestFiniteMagnitude, -0.0, 0x1p31, 1e30]
    return Bool.random(using: &random)
      ? withUnsafeBytes(of: doubles.randomElement(using: &random)?.bitPattern.littleEndian ?? 0) {
        Array($0)
      }
      : withUnsafeBytes(of: floats.randomElement(using: &random)?.bitPattern.littleEndian ?? 0) {
        Array($0)
      }
  }

  private struct Chunk {
    var type: ArraySlice<UInt8>
    var payload: [UInt8]

    var bytes: [UInt8] {
      let body = type + payload
      return Self.word(UInt32(payload.count)) + body + Self.word(Checksum.of(body))
    }

    private static func word(_ value: UInt32) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
  }

  private static func chunks(of bytes: [UInt8]) -> [Chunk] {
    var chunks: [Chunk] = []
    var place = 8
    while place + 12 <= bytes.count {
      let length = bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
      guard place + 12 + length <= bytes.count else { break }
      let payload = Array(bytes[(place + 8)...].prefix(length))
      chunks.append(Chunk(type: bytes[place + 4..<place + 8], payload: payload))
      place += 12 + length
    }
    return chunks
  }
}
