import CPNGKernels

/// Compresses any bytes as one zlib stream (RFC 1950), for files other than PNG that hold such streams.
package enum ZlibStream {
  /// The minimum number of tokens in a block but the last. Statistics of text and of pixels change more often than a
  /// header costs.
  private static let tokensPerBlock = 1 << 14
  /// The bytes that are searched together. Matches do not reach beyond them.
  private static let bytesPerPiece = 1 << 22

  /// The compressed bytes. They do not depend on the processor.
  package static func compressed(_ bytes: [UInt8]) -> [UInt8] {
    let kernels = UnsafePointer<PNGKernels>(pngKernels(.max))
    guard let kernels else { preconditionFailure("there are kernels for every processor") }
    let chains = UnsafeMutablePointer<PNGHashChains>.allocate(capacity: 1)
    chains.initialize(to: PNGHashChains())
    defer { chains.deallocate() }
    let (buffer, block, part) = (ByteBuffer(), DeflateBlock(), PartTokens())
    buffer.add([0x78, 0x01])
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
    buffer.add(adler.value)
    return Array(UnsafeBufferPointer(start: buffer.start, count: buffer.count))
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
