import CSystem

/// CRC-32C, the checksum of iSCSI and ext4: by the processor's instruction if it has one, otherwise
/// sixteen bytes at a time by tables.
package enum Checksum {
  /// The checksum of bytes; `checksum` is that of the bytes before them.
  package static func of(_ bytes: some Sequence<UInt8>, after checksum: UInt32 = 0) -> UInt32 {
    if let value = bytes.withContiguousStorageIfAvailable({ of($0, after: checksum) }) {
      return value
    }
    return of(Array(bytes)[...], after: checksum)
  }

  /// The checksum of a number's eight bytes, little-endian; `checksum` is that of the bytes before
  /// them.
  package static func of(_ number: UInt64, after checksum: UInt32) -> UInt32 {
    withUnsafeBytes(of: number.littleEndian) { bytes in
      bytes.withMemoryRebound(to: UInt8.self) { of($0, after: checksum) }
    }
  }

  private static func of(_ bytes: UnsafeBufferPointer<UInt8>, after checksum: UInt32) -> UInt32 {
    hasInstruction
      ? ~crc32c_by_instruction(~checksum, bytes.baseAddress, bytes.count)
      : byTables(bytes, after: checksum)
  }

  private static let hasInstruction = crc32c_has_instruction()

  /// The portable implementation.
  package static func byTables(_ bytes: UnsafeBufferPointer<UInt8>, after checksum: UInt32)
    -> UInt32
  { tables.checksum(of: bytes, after: checksum) }

  private static let tables = ChecksumTables(polynomial: 0x82F6_3B78)
}
