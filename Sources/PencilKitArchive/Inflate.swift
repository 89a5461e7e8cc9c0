import CZlib

/// Decompresses gzip and zlib streams up to a limit.
enum Inflate {
  private static let chunkSize = 64 * 1024

  /// The decompressed bytes; throws if the stream is damaged or has more than `limit` of them.
  static func inflate(
    _ compressed: [UInt8], limit: Int
  ) throws(PencilKitError) -> [UInt8] {
    var stream = z_stream()
    // 32 added to the window's 15 bits: zlib detects gzip and zlib by their headers.
    guard
      inflateInit2_(&stream, 15 + 32, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { throw PencilKitError(.compression("zlib cannot start"), at: 0) }
    defer { inflateEnd(&stream) }

    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: chunkSize)
    var status = Z_OK
    var consumed = 0
    while status == Z_OK {
      // zlib's input pointer is not const, though it never writes there.
      (status, consumed) = compressed.withUnsafeBufferPointer { input in
        chunk.withUnsafeMutableBufferPointer { buffer in
          stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress.map { $0 + consumed })
          stream.avail_in = UInt32(clamping: input.count - consumed)
          let offered = Int(stream.avail_in)
          stream.next_out = buffer.baseAddress
          stream.avail_out = UInt32(buffer.count)
          let status = CZlib.inflate(&stream, Z_NO_FLUSH)
          return (status, consumed + offered - Int(stream.avail_in))
        }
      }
      let produced = chunkSize - Int(stream.avail_out)
      guard output.count + produced <= limit else {
        throw PencilKitError(.tooLarge(limit: limit), at: limit)
      }
      output += chunk[..<produced]
      if status == Z_BUF_ERROR || (status == Z_OK && produced == 0 && consumed == compressed.count)
      {
        throw PencilKitError(.compression("it ends too early"), at: consumed)
      }
    }
    guard status == Z_STREAM_END else {
      let text = stream.msg.map { String(cString: $0) } ?? "code \(status)"
      throw PencilKitError(.compression(text), at: consumed)
    }
    return output
  }
}
