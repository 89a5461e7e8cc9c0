/// Computes a checksum of 32 bits sixteen bytes at a time.
struct ChecksumTables: Sendable {
  /// Table `n` holds the contribution of a byte that is followed by `n` bytes.
  private let tables: [UInt32]

  /// The checksum of bytes; `checksum` is that of the bytes before them.
  func checksum(of bytes: UnsafeBufferPointer<UInt8>, after checksum: UInt32) -> UInt32 {
    var crc = ~checksum
    let memory = UnsafeRawBufferPointer(bytes)
    var offset = 0
    tables.withUnsafeBufferPointer { t in
      /// The contribution of eight bytes that are followed by `n` more in their group of sixteen.
      @inline(__always) func eight(_ word: UInt64, _ n: Int) -> UInt32 {
        @inline(__always) func byte(_ index: Int) -> UInt32 {
          t[(n + 7 - index) << 8 | Int(truncatingIfNeeded: word >> UInt64(8 * index) & 0xFF)]
        }
        return (byte(0) ^ byte(1) ^ byte(2) ^ byte(3)) ^ (byte(4) ^ byte(5) ^ byte(6) ^ byte(7))
      }
      @inline(__always) func word(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: memory.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      }
      while offset + 16 <= memory.count {
        crc = eight(word(offset) ^ UInt64(crc), 8) ^ eight(word(offset + 8), 0)
        offset += 16
      }
      while offset < memory.count {
        crc = crc >> 8 ^ t[Int((crc ^ UInt32(memory[offset])) & 0xFF)]
        offset += 1
      }
    }
    return ~crc
  }

  /// Tables for a polynomial whose highest coefficient is the lowest bit.
  init(polynomial: UInt32) {
    var tables = [UInt32](repeating: 0, count: 16 * 256)
    for byte in 0..<256 {
      var value = UInt32(byte)
      for _ in 0..<8 { value = value >> 1 ^ (value & 1 == 1 ? polynomial : 0) }
      tables[byte] = value
    }
    for table in 1..<16 {
      for byte in 0..<256 {
        let value = tables[(table - 1) << 8 | byte]
        tables[table << 8 | byte] = value >> 8 ^ tables[Int(value & 0xFF)]
      }
    }
    self.tables = tables
  }
}
