/// Builds a stream of Ink Serialized Format from its tags.
struct ISFBytes {
  private var tags: [UInt8] = []

  /// The stream with its header. A wrong size cuts it, or leaves bytes behind it.
  func stream(size: Int? = nil) -> [UInt8] {
    [0] + Self.number(size ?? tags.count) + tags
  }

  static func number(_ value: Int) -> [UInt8] {
    var (rest, bytes): (UInt64, [UInt8]) = (UInt64(value), [])
    while rest > 127 {
      bytes.append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  static func signed(_ value: Int) -> [UInt8] { number(value < 0 ? -2 * value + 1 : 2 * value) }

  static func float(_ value: Float) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
  }

  static func double(_ value: Double) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> UInt64(8 * $0)) }
  }

  /// Adds a tag with the bytes behind it.
  mutating func add(_ tag: Int, _ bytes: [UInt8]) { tags += Self.number(tag) + bytes }

  /// Adds a tag with the size of its block.
  mutating func add(_ tag: Int, sized block: [UInt8]) {
    add(tag, Self.number(block.count) + block)
  }

  /// Adds a table of blocks.
  mutating func add(_ tag: Int, table blocks: [[UInt8]]) {
    add(tag, sized: blocks.flatMap { Self.number($0.count) + $0 })
  }

  /// Adds a stroke with packed columns of values, and the bytes behind them.
  mutating func addStroke(_ count: Int, _ columns: [[UInt8]], rest: [UInt8] = []) {
    add(10, sized: Self.number(count) + columns.flatMap { $0 } + rest)
  }

  /// Values of 16 bits.
  static func packed(_ values: [Int]) -> [UInt8] { packed(values, width: 16) }

  /// Values of a bit width, unchanged or as their second differences.
  static func packed(_ values: [Int], width: Int, asDifferences: Bool = false) -> [UInt8] {
    var bits: [Bool] = []
    for value in asDifferences ? differences(values) : values {
      for bit in (0..<width).reversed() { bits.append(value >> bit & 1 == 1) }
    }
    return [UInt8(width & 31) | (asDifferences ? 32 : 0)] + bytes(bits)
  }

  /// Second differences in one of the codes, whose widths are given.
  static func huffman(_ values: [Int], code: Int, widths: [Int]) -> [UInt8] {
    var bits: [Bool] = []
    for value in differences(values) {
      var (ones, least) = (0, 0)
      var next = 1
      while value != 0, abs(value) >= next {
        ones += 1
        least = next
        next += 1 << (widths[ones] - 1)
      }
      bits += repeatElement(true, count: ones) + [false]
      let rest = (abs(value) - least) << 1 | (value < 0 ? 1 : 0)
      for bit in (0..<widths[ones]).reversed() { bits.append(rest >> bit & 1 == 1) }
    }
    return [UInt8(0x80 + code)] + bytes(bits)
  }

  private static func differences(_ values: [Int]) -> [Int] {
    values.indices.map { index in
      values[index] - 2 * (index > 0 ? values[index - 1] : 0) + (index > 1 ? values[index - 2] : 0)
    }
  }

  private static func bytes(_ bits: [Bool]) -> [UInt8] {
    stride(from: 0, to: bits.count, by: 8).map { start in
      (0..<8).reduce(UInt8(0)) { byte, bit in
        byte << 1 | (start + bit < bits.count && bits[start + bit] ? 1 : 0)
      }
    }
  }

  /// A GIF of one point with a block: a comment, or an application block.
  static func gif(_ data: [UInt8], label: UInt8 = 0xFE) -> [UInt8] {
    var gif = Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0] + [0, 0, 0, 255, 255, 255]
    gif += [0x21, 0xF9, 4, 0, 0, 0, 0, 0]
    gif += [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]
    gif += [0x21, label]
    if label == 0xFF { gif += [11] + Array("PENS OF MAY".utf8) }
    for start in stride(from: 0, to: data.count, by: 255) {
      let part = data[start..<min(start + 255, data.count)]
      gif += [UInt8(part.count)] + part
    }
    return gif + [0, 0x3B]
  }
}
