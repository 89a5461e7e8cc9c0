import CPNGKernels

/// Walks over the chunks of a PNG and doubts each of them.
struct ChunkReader {
  /// A chunk: its name, and where its bytes lie.
  struct Chunk {
    let name: String
    let start: Int
    let data: Range<Int>
    /// Its name and its bytes.
    var body: Range<Int> { data.lowerBound - 4..<data.upperBound }
  }

  private let bytes: [UInt8]
  private var offset = 8

  /// A reader behind the signature.
  init(_ bytes: [UInt8]) throws(PNGError) {
    guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
      throw PNGError(.notPNG, at: 0)
    }
    self.bytes = bytes
  }

  /// The next chunk, which is whole.
  mutating func next() throws(PNGError) -> Chunk {
    let start = offset
    guard bytes.count - start >= 12 else { throw PNGError(.brokenFrames(.cut), at: start) }
    let length = Int(Self.number(bytes, start))
    guard length <= bytes.count - start - 12 else {
      throw PNGError(.brokenFrames(.cut), at: start)
    }
    // Letters alone make a name that can be said.
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

  static func number(_ bytes: [UInt8], _ place: Int) -> UInt32 {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress, let kernels = pngKernels(.max) else { return 0 }
      return kernels.pointee.check(0, start, bytes.count)
    }
  }
}
