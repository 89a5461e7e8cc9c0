import CZlib
import Compression

/// Compression and decompression by zlib, for comparison.
enum Zlib {
  enum Frame: Int32, CaseIterable {
    case zlib = 15
    case gzip = 31
  }

  static func compressed(
    _ bytes: [UInt8], _ frame: Frame, level: Int32 = 6, strategy: Int32 = Z_DEFAULT_STRATEGY,
    flushing flushes: Int = 0
  ) -> [UInt8] {
    var stream = z_stream()
    guard
      deflateInit2_(
        &stream, level, Z_DEFLATED, frame.rawValue, 8, strategy, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return [] }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: 2 * bytes.count + 1000)
    let count = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        // Every flush ends a block.
        for part in 0...flushes {
          let end = part == flushes ? input.count : input.count * (part + 1) / (flushes + 1)
          stream.avail_in = UInt32(end - Int(stream.total_in))
          let flush = part == flushes ? Z_FINISH : part % 2 == 0 ? Z_FULL_FLUSH : Z_BLOCK
          _ = deflate(&stream, flush)
        }
        return Int(stream.total_out)
      }
    }
    return Array(output[..<count])
  }

  /// The bytes of a stream; nil if it is damaged, or has more than `limit`.
  static func inflated(_ compressed: [UInt8], limit: Int = 1 << 20) -> [UInt8]? {
    var stream = z_stream()
    guard
      inflateInit2_(&stream, 15 + 32, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return nil }
    defer { inflateEnd(&stream) }
    var input = compressed
    var output = [UInt8](repeating: 0, count: limit + 1)
    let status = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        return inflate(&stream, Z_FINISH)
      }
    }
    let count = Int(stream.total_out)
    return status == Z_STREAM_END && count <= limit ? Array(output[..<count]) : nil
  }

  /// Whether only the checksum of a zlib stream is wrong. zlib is run without checking it.
  static func failsByChecksum(_ stream: [UInt8]) -> Bool {
    var raw = z_stream()
    guard inflateInit2_(&raw, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      return false
    }
    defer { inflateEnd(&raw) }
    var input = Array(stream.dropFirst(2))
    var output = [UInt8](repeating: 0, count: 1 << 16)
    let status = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        raw.next_in = input.baseAddress
        raw.avail_in = UInt32(input.count)
        raw.next_out = output.baseAddress
        raw.avail_out = UInt32(output.count)
        return inflate(&raw, Z_FINISH)
      }
    }
    return status == Z_STREAM_END && raw.avail_in >= 4
  }
}
