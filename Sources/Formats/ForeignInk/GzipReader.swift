package import InkFiles
import CZlib

/// Unpacks gzip data piece by piece, so that memory does not grow with the unpacked size. Packed
/// files one after the other count as one file, as in gzip itself. Zeros after them are padding and
/// are ignored.
package final class GzipReader {
  private let stream: UnsafeMutablePointer<z_stream>
  /// Packed bytes, of which those before `start` are unpacked.
  private var packed: [UInt8] = []
  private var start = 0
  /// The number of packed bytes before these.
  private var before = 0
  private var isInMember = false
  /// The damage behind bytes that could still be unpacked.
  private var failure: ImportError?

  /// A reader that has no bytes yet.
  package init() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // Windows of 32 kB, in gzip's frame.
    let status = inflateInit2_(
      stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(status == Z_OK, "there is no memory to unpack in")
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Whether bytes begin as gzip's do.
  package static func recognizes(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.starts(with: [0x1F, 0x8B])
  }

  /// Adds packed bytes.
  package func add(_ bytes: some Collection<UInt8>) {
    before += start
    packed.removeFirst(start)
    start = 0
    packed += bytes
  }

  /// Unpacks as many bytes as fit into the buffer. Returns the number of bytes; 0 if more packed
  /// bytes are needed.
  package func read(into output: UnsafeMutableBufferPointer<UInt8>) throws(ImportError) -> Int {
    if let failure { throw failure }
    var count = 0
    while count < output.count {
      if !isInMember {
        while start < packed.count, packed[start] == 0 { start += 1 }
        guard start < packed.count else { break }
        isInMember = true
        inflateReset(stream)
      }
      let (status, used, made) = inflate(
        into: UnsafeMutableBufferPointer(rebasing: output[count...]))
      start += used
      count += made
      if status == Z_STREAM_END {
        isInMember = false
      } else if status != Z_OK, status != Z_BUF_ERROR {
        let reason = stream.pointee.msg.map { " (\(String(cString: $0)))" } ?? ""
        let error = ImportError(
          .compression("the gzip data are damaged\(reason)"), at: before + start)
        guard count > 0 else { throw error }
        failure = error
        break
      } else if used == 0, made == 0 {
        break
      }
    }
    return count
  }

  /// One call of zlib.
  private func inflate(
    into output: UnsafeMutableBufferPointer<UInt8>
  ) -> (status: Int32, used: Int, made: Int) {
    packed.withUnsafeBufferPointer { bytes in
      // zlib's counts have 32 bits, so the pieces are limited.
      let (given, room) = (min(bytes.count - start, 1 << 30), min(output.count, 1 << 30))
      stream.pointee.next_in = UnsafeMutablePointer(
        mutating: bytes.baseAddress.map { $0 + start })
      stream.pointee.avail_in = UInt32(given)
      stream.pointee.next_out = output.baseAddress
      stream.pointee.avail_out = UInt32(room)
      let status = CZlib.inflate(stream, Z_NO_FLUSH)
      return (status, given - Int(stream.pointee.avail_in), room - Int(stream.pointee.avail_out))
    }
  }

  /// Throws unless the packed bytes can end here. Called after all of them were read.
  package func end() throws(ImportError) {
    if let failure { throw failure }
    guard !isInMember else {
      throw ImportError(
        .compression("the gzip data end too early"), at: before + start)
    }
  }

  /// Unpacks a whole file, up to some bytes behind a limit, or up to damage.
  package static func unpack<Bytes: RandomAccessCollection<UInt8>>(
    _ bytes: Bytes, limit: Int
  ) -> (text: [UInt8], damage: ImportError?) where Bytes.Index == Int {
    let reader = GzipReader()
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 16)
    defer { buffer.deallocate() }
    var (text, next) = ([UInt8](), bytes.startIndex)
    do throws(ImportError) {
      while text.count <= limit {
        let count = try reader.read(into: buffer)
        text += buffer[..<count]
        guard count == 0 else { continue }
        guard next < bytes.endIndex else {
          try reader.end()
          break
        }
        let end = min(next + (1 << 16), bytes.endIndex)
        reader.add(bytes[next..<end])
        next = end
      }
      return (text, nil)
    } catch {
      return (text, error)
    }
  }

  /// The maximum size of unpacked text. Lines of ink pack to a tenth, repeated ones to less, but a
  /// few crafted bytes can hold gigabytes.
  package static func textLimit(of packedCount: Int) -> Int { (1 << 26) + 64 * packedCount }

  /// Unpacks a text of lines. Throws if it is too large.
  package static func text<Bytes: RandomAccessCollection<UInt8>>(
    _ bytes: Bytes, limit: Int
  ) throws(ImportError) -> (text: [UInt8], damage: ImportError?) where Bytes.Index == Int {
    let unpacked = unpack(bytes, limit: limit)
    guard unpacked.text.count <= limit else {
      throw ImportError(
        .compression("it unpacks to more than \(limit) bytes (gunzip it first)"), at: limit)
    }
    return unpacked
  }
}
