/// Bytes in gzip's format for tests, without compression.
public enum GzipFixture {
  /// A stream of stored blocks.
  public static func stored(_ content: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    var start = 0
    repeat {
      let end = min(start + 0xFFFF, content.count)
      let length = UInt16(end - start)
      bytes.append(end == content.count ? 1 : 0)
      bytes += [length, ~length].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
      bytes += content[start..<end]
      start = end
    } while start < content.count
    return bytes + littleEndian(crc(content)) + littleEndian(UInt32(content.count))
  }

  /// The CRC-32 of bytes, bit by bit.
  public static func crc(_ bytes: [UInt8]) -> UInt32 {
    var sum = ~UInt32(0)
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }

  private static func littleEndian(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
  }
}
