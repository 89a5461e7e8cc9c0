import CPNGKernels

extension DeflateStream {
  /// The bytes as one gzip member (RFC 1952), without a name and a time.
  package static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    let buffer = ByteBuffer()
    buffer.add([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
    _ = compress(bytes, to: buffer)
    let crc = bytes.withUnsafeBufferPointer {
      bestKernels.pointee.checksum(0, $0.baseAddress, $0.count)
    }
    buffer.add(crc.byteSwapped)
    buffer.add(UInt32(truncatingIfNeeded: bytes.count).byteSwapped)
    return Array(UnsafeBufferPointer(start: buffer.start, count: buffer.count))
  }
}
