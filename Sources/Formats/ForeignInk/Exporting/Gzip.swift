import CZlib

/// Compresses bytes in gzip's format.
enum Gzip {
  /// The compressed bytes, the same for the same input.
  static func compress(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    // Windows of 32 kB, in gzip's frame.
    let status = deflateInit2_(
      &stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    precondition(status == Z_OK, "there is no memory to compress in")
    defer { deflateEnd(&stream) }
    var output: [UInt8] = []
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 16)
    defer { buffer.deallocate() }
    bytes.withUnsafeBufferPointer { input in
      var start = 0
      repeat {
        // Pieces that zlib's counts can hold.
        let end = min(start + 1 << 30, input.count)
        stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress.map { $0 + start })
        stream.avail_in = UInt32(end - start)
        start = end
        repeat {
          stream.next_out = buffer.baseAddress
          stream.avail_out = UInt32(buffer.count)
          _ = deflate(&stream, start == input.count ? Z_FINISH : Z_NO_FLUSH)
          output += buffer[..<(buffer.count - Int(stream.avail_out))]
        } while stream.avail_out == 0
      } while start < input.count
    }
    return output
  }
}
