import CPNGKernels

/// Writes a file: chunks, and in the data chunks one zlib stream of deflate blocks.
final class StreamWriter {
  /// The minimum number of tokens in a block but the last; fewer would not pay for a header.
  static let tokensPerBlock = 1 << 17
  /// Data chunks end with the block that brings them to this size, even if bytes are drained
  /// earlier: the number of threads decides how many blocks are written at once, and must not
  /// change the file.
  private static let bytesPerChunk = 1 << 20

  private let kernels: UnsafePointer<PNGKernels>
  private let block = DeflateBlock()
  private lazy var shortestBlock = DeflateBlock(isShortest: true)
  private let buffer = ByteBuffer()
  private var chunks: ChunkWriter
  private var adler = Adler()
  private var bits = PNGBits()
  private var isInPicture = false
  /// The next sequence number of an animation, and whether its default picture is written.
  private var number: UInt32 = 0
  private var isAfterDefault = false
  /// Codes without a header, for the small frames of animations.
  private var fixed: FixedCodes?
  /// The number of bytes drained so far.
  private(set) var byteCount = 0

  init(_ kernels: UnsafePointer<PNGKernels>) {
    self.kernels = kernels
    chunks = ChunkWriter(into: buffer, kernels)
  }

  /// Resets the writer for a new file.
  func begin() {
    isBegun = false
    buffer.count = 0
    byteCount = 0
    (adler, bits, isInPicture) = (Adler(), PNGBits(), false)
    (number, isAfterDefault, fixed) = (0, false, nil)
  }

  /// Whether the chunks before the pixels are written.
  private(set) var isBegun = false

  /// Writes the chunks before the pixels.
  func begin(_ properties: PNGProperties, _ form: PixelForm, palette: [UInt32]) {
    isBegun = true
    chunks.addHead(properties, form, palette: palette)
  }

  /// Writes parts as one block.
  func addBlock(_ parts: ArraySlice<PartTokens>, bytesPerPixel: Int, isLast: Bool) {
    beginPicture()
    block.clearCounts()
    for part in parts { part.addCounts(to: block.counts, kernels) }
    let table = beginBlock(block, bytesPerPixel: bytesPerPixel, isLast: isLast)
    for part in parts {
      kernels.pointee.write(part.tokens, part.count, table, &bits)
      addSums(of: part)
    }
    endBlock(table, isLast: isLast)
  }

  /// Writes a block of tokens found by search. The caller adds the sums of the bytes they encode.
  func addBlock(_ segments: [UnsafeBufferPointer<UInt16>], isLast: Bool) {
    beginPicture()
    shortestBlock.clearCounts()
    for tokens in segments {
      kernels.pointee.count(tokens.baseAddress, tokens.count, shortestBlock.counts)
    }
    let table = beginBlock(shortestBlock, bytesPerPixel: 1, isLast: isLast)
    for tokens in segments {
      kernels.pointee.write(tokens.baseAddress, tokens.count, table, &bits)
    }
    endBlock(table, isLast: isLast)
  }

  /// Adds a part's bytes to the checksum.
  func addSums(of part: PartTokens) {
    adler.add(count: part.byteCount, sum: part.sum, weightedSum: part.weightedSum)
  }

  private func beginPicture() {
    guard !isInPicture else { return }
    let isFirst = bits.next == nil
    if isAfterDefault {
      chunks.begin("fdAT")
      buffer.add(takeNumber())
    } else {
      chunks.begin("IDAT")
    }
    // The zlib header: deflate with a 32 kB window; the second byte makes both divisible by 31.
    if isFirst {
      buffer.add(UInt8(0x78))
      buffer.add(UInt8(0x01))
    }
    isInPicture = true
  }

  /// Writes the header of a block with whichever codes are smaller, and returns their table.
  private func beginBlock(
    _ block: DeflateBlock, bytesPerPixel: Int, isLast: Bool
  ) -> UnsafePointer<UInt32> {
    let bitCount = block.fit(bytesPerPixel: bytesPerPixel)
    if let fixed, fixed.bits(of: block.counts) <= bitCount {
      bits.next = buffer.end(with: bitCount / 8 + 64)
      fixed.writeHead(isLast: isLast, to: &bits)
      return UnsafePointer(fixed.table)
    }
    bits.next = buffer.end(with: bitCount / 8 + 64)
    block.writeHead(isLast: isLast, to: &bits)
    return UnsafePointer(block.table)
  }

  private func endBlock(_ table: UnsafePointer<UInt32>, isLast: Bool) {
    withUnsafePointer(to: UInt16(PNGTokenEnd)) { kernels.pointee.write($0, 1, table, &bits) }
    buffer.count = bits.next - buffer.start
    // After the last block only the checksum follows, which does not pay for a chunk.
    if !isLast, chunks.byteCount >= Self.bytesPerChunk { endChunk() }
  }

  private func endChunk() {
    chunks.end()
    isInPicture = false
  }

  /// Ends the pixels and the file.
  func end() {
    endPicture()
    endFile()
  }

  private func endPicture() {
    beginPicture()
    if bits.count > 0 { buffer.add(UInt8(truncatingIfNeeded: bits.bits)) }
    buffer.add(adler.value)
    endChunk()
  }

  /// Ends the file after the pixels, or after the last frame.
  func endFile() {
    chunks.begin("IEND")
    chunks.end()
  }

  /// Whether there are finished chunks.
  var hasBytes: Bool { !isInPicture && buffer.count > 0 }

  /// Returns the finished chunks and removes them.
  func takeBytes() -> [UInt8] {
    var bytes: [UInt8] = []
    drain { bytes = Array($0) }
    return bytes
  }

  /// The number of bytes not drained yet.
  var undrainedCount: Int { buffer.count }

  /// Passes the finished chunks to `sink` and removes them.
  func drain<Failure: Error>(
    to sink: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    // While a data chunk is open, only the chunks before it are drained, and not the head alone.
    let finished = isInPicture ? chunks.start : buffer.count
    guard finished >= (isInPicture ? Self.bytesPerChunk : 1) else { return }
    try sink(UnsafeRawBufferPointer(start: buffer.start, count: finished))
    byteCount += finished
    if isInPicture { chunks.removeFinished() } else { buffer.count = 0 }
  }
}

extension StreamWriter {
  /// The content of the chunks before an animation's frames.
  struct Head {
    let properties: PNGProperties
    let form: PixelForm
    let palette: [UInt32]
    let frameCount: Int
    let loopCount: Int
    /// The opaque colour that is shown as transparent.
    let clear: UInt32?
  }

  func add(_ head: Head) {
    chunks.addHead(
      head.properties, head.form, palette: head.palette,
      animation: (head.frameCount, head.loopCount), clear: head.clear)
  }

  /// Starts an animation. The caller adds the head, now or later.
  func beginFrames(bytesPerPixel: Int) {
    begin()
    fixed = FixedCodes(bytesPerPixel: bytesPerPixel)
  }

  /// The size of some parts in bits, if they become one block.
  func bitCount(of parts: ArraySlice<PartTokens>, bytesPerPixel: Int) -> Int {
    block.clearCounts()
    for part in parts { part.addCounts(to: block.counts, kernels) }
    let fitted = block.fit(bytesPerPixel: bytesPerPixel)
    return min(fitted, fixed?.bits(of: block.counts) ?? fitted)
  }

  /// Adds a frame; returns the offset of its control chunk, valid until bytes are drained.
  @discardableResult
  func addFrame(
    _ parts: ArraySlice<PartTokens>, _ control: FrameControl, bytesPerPixel: Int
  ) -> Int {
    let offset = chunks.add(control, number: takeNumber())
    addPicture(parts, bytesPerPixel: bytesPerPixel)
    return offset
  }

  /// Adds the pixels of a frame, or of a default picture that is no frame.
  func addPicture(_ parts: ArraySlice<PartTokens>, bytesPerPixel: Int) {
    (adler, bits) = (Adler(), PNGBits())
    var first = parts.startIndex
    var tokens = 0
    for next in parts.indices {
      tokens += parts[next].count
      let isLast = next == parts.endIndex - 1
      guard isLast || tokens >= Self.tokensPerBlock else { continue }
      addBlock(parts[first...next], bytesPerPixel: bytesPerPixel, isLast: isLast)
      (first, tokens) = (next + 1, 0)
    }
    endPicture()
    isAfterDefault = true
  }

  /// Changes the duration of a frame whose bytes are not drained yet.
  func set(_ duration: FrameDuration, ofFrameAt offset: Int) {
    chunks.set(duration, ofControlAt: offset)
  }

  private func takeNumber() -> UInt32 {
    defer { number += 1 }
    return number
  }
}
