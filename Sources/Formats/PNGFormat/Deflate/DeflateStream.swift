import CPNGKernels

/// Compresses any bytes, for files other than PNG that hold deflate streams. The compressed bytes
/// do not depend on the processor.
package enum DeflateStream {
  /// The minimum number of tokens in a block but the last. Statistics of text and of pixels change
  /// more often than a header costs.
  private static let tokensPerBlock = 1 << 14
  /// The bytes that are searched together. Matches do not reach beyond them.
  private static let bytesPerPiece = 1 << 22

  /// The bytes as one zlib stream (RFC 1950).
  package static func zlib(_ bytes: [UInt8]) -> [UInt8] {
    let buffer = ByteBuffer()
    buffer.add([0x78, 0x01])
    let adler = compress(bytes, to: buffer)
    buffer.add(adler.value)
    return Array(UnsafeBufferPointer(start: buffer.start, count: buffer.count))
  }

  static var bestKernels: UnsafePointer<PNGKernels> {
    guard let kernels = UnsafePointer<PNGKernels>(pngKernels(.max)) else {
      preconditionFailure("there are kernels for every processor")
    }
    return kernels
  }

  /// Writes the blocks of the stream, and returns the checksum of the bytes.
  static func compress(_ bytes: [UInt8], to buffer: ByteBuffer) -> Adler {
    // Here, and no argument: where there is one level of kernels only, those that this does not
    // call are left out.
    let kernels = bestKernels
    let chains = UnsafeMutablePointer<PNGHashChains>.allocate(capacity: 1)
    chains.initialize(to: PNGHashChains())
    defer { chains.deallocate() }
    let (block, part) = (DeflateBlock(), PartTokens())
    var (adler, bits) = (Adler(), PNGBits())
    var start = 0
    repeat {
      let count = min(bytes.count - start, bytesPerPiece)
      part.begin()
      part.reserve(count)
      // The kernel may read behind the last byte.
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count + Int(PNGRowMargin)) { piece in
        guard let first = piece.baseAddress else { return }
        piece.initialize(repeating: 0)
        bytes[start..<start + count].withUnsafeBufferPointer { source in
          guard let source = source.baseAddress else { return }
          first.update(from: source, count: count)
        }
        kernels.pointee.tokenizeMatches(&part.state, chains, first, count, 1)
        part.end(first, kernels)
      }
      start += count
      adler.add(count: part.byteCount, sum: part.sum, weightedSum: part.weightedSum)
      part.tokenizePendingZeros()
      write(part, with: block, isLast: start == bytes.count, kernels, &bits, to: buffer)
    } while start < bytes.count
    if bits.count > 0 { buffer.add(UInt8(truncatingIfNeeded: bits.bits)) }
    return adler
  }

  /// Writes the tokens of a piece as blocks.
  private static func write(
    _ part: PartTokens, with block: DeflateBlock, isLast: Bool,
    _ kernels: UnsafePointer<PNGKernels>,
    _ bits: inout PNGBits, to buffer: ByteBuffer
  ) {
    var first = 0
    repeat {
      var end = min(first + tokensPerBlock, part.count)
      // A match and the tokens of its distance stay together.
      while end < part.count, part.tokens[end] >= PNGTokenDistance { end += 1 }
      block.clearCounts()
      kernels.pointee.count(part.tokens + first, end - first, block.counts)
      let bitCount = block.fit(bytesPerPixel: 1)
      bits.next = buffer.end(with: bitCount / 8 + 64)
      block.writeHead(isLast: isLast && end == part.count, to: &bits)
      let table = UnsafePointer(block.table)
      kernels.pointee.write(part.tokens + first, end - first, table, &bits)
      withUnsafePointer(to: UInt16(PNGTokenEnd)) { kernels.pointee.write($0, 1, table, &bits) }
      buffer.count = bits.next - buffer.start
      first = end
    } while first < part.count
  }
}
