/// CRC-32C, the checksum of iSCSI and ext4: eight bytes at a time by tables.
enum Checksum {
  /// The checksum of bytes that follow others, whose checksum is given.
  static func of(_ bytes: some Sequence<UInt8>, after checksum: UInt32 = 0) -> UInt32 {
    if let value = bytes.withContiguousStorageIfAvailable({ of($0, after: checksum) }) {
      return value
    }
    return of(Array(bytes)[...], after: checksum)
  }

  private static func of(_ bytes: UnsafeBufferPointer<UInt8>, after checksum: UInt32) -> UInt32 {
    var crc = ~checksum
    let memory = UnsafeRawBufferPointer(bytes)
    var place = 0
    tables.withUnsafeBufferPointer { t in
      while place + 8 <= memory.count {
        let low = UInt32(littleEndian: memory.loadUnaligned(fromByteOffset: place, as: UInt32.self))
        let high = UInt32(
          littleEndian: memory.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self))
        let x = crc ^ low
        crc =
          t[7 << 8 | Int(x & 0xFF)] ^ t[6 << 8 | Int(x >> 8 & 0xFF)]
          ^ t[5 << 8 | Int(x >> 16 & 0xFF)] ^ t[4 << 8 | Int(x >> 24)]
        crc ^=
          t[3 << 8 | Int(high & 0xFF)] ^ t[2 << 8 | Int(high >> 8 & 0xFF)]
          ^ t[1 << 8 | Int(high >> 16 & 0xFF)] ^ t[Int(high >> 24)]
        place += 8
      }
      while place < memory.count {
        crc = crc >> 8 ^ t[Int((crc ^ UInt32(memory[place])) & 0xFF)]
        place += 1
      }
    }
    return ~crc
  }

  /// Table `n` says what a byte with `n` zero bytes behind it does.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var value = UInt32(byte)
      for _ in 0..<8 { value = value >> 1 ^ (value & 1 == 1 ? 0x82F6_3B78 : 0) }
      tables[byte] = value
    }
    for table in 1..<8 {
      for byte in 0..<256 {
        let value = tables[(table - 1) << 8 | byte]
        tables[table << 8 | byte] = value >> 8 ^ tables[Int(value & 0xFF)]
      }
    }
    return tables
  }()
}
