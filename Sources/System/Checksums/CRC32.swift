import CSystem

/// CRC-32, the checksum of gzip: by multiplication without carry if the processor has it, otherwise
/// sixteen bytes at a time by tables.
package enum CRC32 {
  package static func of(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
    guard hasMultiplication, bytes.count >= 64 else { return byTables(bytes) }
    let grouped = bytes.count & ~15
    var folded = SIMD16<UInt8>.zero
    withUnsafeMutableBytes(of: &folded) { folded in
      crc32_fold(
        .max, bytes.baseAddress, grouped,
        folded.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }
    // The state 0, inverted as between two calls.
    let start = withUnsafeBytes(of: folded) { folded in
      folded.withMemoryRebound(to: UInt8.self) { byTables($0, after: .max) }
    }
    return byTables(UnsafeBufferPointer(rebasing: bytes[grouped...]), after: start)
  }

  private static let hasMultiplication = crc32_has_multiplication()

  /// The portable implementation; `checksum` is that of the bytes before.
  package static func byTables(
    _ bytes: UnsafeBufferPointer<UInt8>, after checksum: UInt32 = 0
  ) -> UInt32 { tables.checksum(of: bytes, after: checksum) }

  private static let tables = ChecksumTables(polynomial: 0xEDB8_8320)
}

/// Adler-32, the checksum of zlib.
package enum Adler32 {
  package static func of(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
    var (sum, sums): (UInt64, UInt64) = (1, 0)
    var index = 0
    while index < bytes.count {
      // The sums of this many bytes stay far below 64 bits.
      let end = min(index + 65_536, bytes.count)
      for byte in bytes[index..<end] {
        sum &+= UInt64(byte)
        sums &+= sum
      }
      (sum, sums) = (sum % prime, sums % prime)
      index = end
    }
    return UInt32(sums << 16 | sum)
  }

  private static let prime: UInt64 = 65_521
}
