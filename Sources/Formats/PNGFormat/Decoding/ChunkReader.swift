import CPNGKernels

/// Iterates over the chunks of a PNG and validates each: its length, and its checksum.
struct ChunkReader {
  /// A chunk: its name, its offset, and the range of its data.
  struct Chunk {
    let name: String
    let start: Int
    let data: Range<Int>
    /// The name and the data, which the checksum covers.
    var body: Range<Int> { data.lowerBound - 4..<data.upperBound }
  }

  private let bytes: [UInt8]
  private var offset = 8

  /// A reader that starts behind the signature.
  init(_ bytes: [UInt8]) throws(PNGError) {
    guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
      throw PNGError(.notPNG, at: 0)
    }
    self.bytes = bytes
  }

  /// Reads and validates the next chunk.
  mutating func next() throws(PNGError) -> Chunk {
    let start = offset
    guard bytes.count - start >= 12 else { throw PNGError(.brokenFrames(.cut), at: start) }
    let length = Int(Self.number(bytes, start))
    guard length <= bytes.count - start - 12 else {
      throw PNGError(.brokenFrames(.cut), at: start)
    }
    // A name is only quoted in errors if it consists of letters.
    let letters = bytes[start + 4..<start + 8]
    let name =
      letters.allSatisfy { 65...90 ~= $0 & ~32 } ? String(decoding: letters, as: UTF8.self) : "?"
    let chunk = Chunk(name: name, start: start, data: start + 8..<start + 8 + length)
    guard
      Self.checksum(bytes[chunk.body]) == Self.number(bytes, chunk.data.upperBound)
    else { throw PNGError(.brokenFrames(.badChecksum(chunk: name)), at: start) }
    offset = chunk.data.upperBound + 4
    return chunk
  }

  static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress, let kernels = pngKernels(.max) else { return 0 }
      return kernels.pointee.checksum(0, start, bytes.count)
    }
  }
}
