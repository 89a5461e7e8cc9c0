import CPNGKernels
import Graphics

/// Encodes opaque grey pictures of one size, one after the other in the same memory. All have the
/// same prefix codes, which are fitted once to a sample: for small pictures, fitting takes longer
/// than all else.
package final class GreyEncoder {
  /// The distance from one row of pixels to the next in bytes.
  package let pitch: Int
  /// The pixels of the next picture, row by row.
  package let pixels: UnsafeMutablePointer<UInt8>
  private let kernels: UnsafePointer<PNGKernels>
  private let buffer: UnsafeMutablePointer<UInt8>
  private let tokens: UnsafeMutablePointer<UInt16>
  private let byteCount: Int
  private let block = DeflateBlock()
  private let levels: [UInt8]
  private let output = ByteBuffer()
  /// The chunks before the pixels.
  private let head: [UInt8]

  /// An encoder of pictures of a size whose pixels have only some greys.
  package init(width: Int, height: Int, levels: [UInt8], level: Int32 = .max) {
    kernels = pngKernels(level)
    self.levels = levels
    // Each row begins with the number of its filter, which is 0.
    pitch = width + 1
    byteCount = pitch * height
    let margin = Int(PNGRowMargin)
    buffer = .allocate(capacity: byteCount + 2 * margin)
    buffer.initialize(repeating: 0, count: byteCount + 2 * margin)
    pixels = buffer + margin + 1
    // At most four tokens for three bytes.
    tokens = .allocate(capacity: byteCount / 3 * 4 + 16 + Int(PNGTokenMargin))
    let start = ByteBuffer()
    var chunks = ChunkWriter(into: start, kernels)
    chunks.addHead(PNGProperties(width: width, height: height, isOpaque: true), .grey, palette: [])
    head = Array(UnsafeBufferPointer(start: start.start, count: start.count))
  }

  deinit {
    buffer.deallocate()
    tokens.deallocate()
  }

  /// Makes all pixels white.
  package func clear() {
    (pixels - 1).update(repeating: 255, count: byteCount)
    for row in stride(from: -1, to: byteCount - 1, by: pitch) { pixels[row] = 0 }
  }

  /// Fits the codes to the current picture. All other possible symbols get a code, too.
  package func fit() {
    let state = tokenized()
    block.clearCounts()
    kernels.pointee.count(tokens, state.next - tokens, block.counts)
    for token in 0..<Int(PNGTokenCount) { block.counts[token] *= 8 }
    for level in levels { block.counts[Int(level)] += 4 }
    block.counts[0] += 1
    for length in 3...258 { block.counts[Int(PNGTokenRun) + length] += 1 }
    _ = block.fit(bytesPerPixel: 1)
  }

  /// The picture that is drawn, as a file that is valid until the next call.
  package func encoded() -> UnsafeRawBufferPointer {
    let state = tokenized()
    let count = state.next - tokens
    output.count = 0
    output.add(head)
    var chunks = ChunkWriter(into: output, kernels)
    chunks.begin("IDAT")
    output.add([0x78, 0x01] as [UInt8])
    // A token has at most 26 bits.
    var bits = PNGBits()
    bits.next = output.end(with: 4 * count + 1024)
    block.writeHead(isLast: true, to: &bits)
    kernels.pointee.write(tokens, count, block.table, &bits)
    withUnsafePointer(to: UInt16(PNGTokenEnd)) { kernels.pointee.write($0, 1, block.table, &bits) }
    output.count = bits.next - output.start
    if bits.count > 0 { output.add(UInt8(truncatingIfNeeded: bits.bits)) }
    var adler = Adler()
    adler.add(count: state.position, sum: state.sum, weightedSum: state.weightedSum)
    output.add(adler.value)
    chunks.end()
    chunks.begin("IEND")
    chunks.end()
    return UnsafeRawBufferPointer(start: output.start, count: output.count)
  }

  private func tokenized() -> PNGTokens {
    var state = PNGTokens()
    state.next = tokens
    let row = pixels - 1
    kernels.pointee.tokenizeBytes(&state, row, byteCount, 1)
    pngTokenizeRun(&state, row)
    return state
  }
}
