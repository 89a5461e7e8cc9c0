import CPNGKernels

/// The bytes of a file: chunks, and in those that hold the picture one zlib stream of blocks.
final class StreamWriter {
  /// Blocks have about so many tokens or more, so that their heads are worth it.
  static let tokensPerBlock = 1 << 17
  /// Chunks of a picture are ended when they have so many bytes.
  private static let bytesPerChunk = 1 << 20

  private let kernels: UnsafePointer<PNGKernels>
  private let block = DeflateBlock()
  private lazy var shortestBlock = DeflateBlock(isShortest: true)
  private let room = ByteRoom()
  private var chunks: ChunkWriter
  private var adler = Adler()
  private var bits = PNGBits()
  private var isInPicture = false
  /// How many bytes were given away.
  private(set) var byteCount = 0

  init(_ kernels: UnsafePointer<PNGKernels>) {
    self.kernels = kernels
    chunks = ChunkWriter(into: room, kernels)
  }

  func begin() {
    room.count = 0
    byteCount = 0
    (adler, bits, isInPicture) = (Adler(), PNGBits(), false)
  }

  func addHead(_ properties: PNGProperties, _ form: PixelForm, palette: [UInt32]) {
    chunks.addHead(properties, form, palette: palette)
  }

  /// How many bits a block of parts takes.
  func bitCount(_ parts: ArraySlice<PartTokens>, bytesPerPixel: Int) -> Int {
    block.forgetCounts()
    for part in parts { part.addCounts(to: block.counts, kernels) }
    return block.fit(bytesPerPixel: bytesPerPixel)
  }

  /// Adds a block of parts.
  func addBlock(_ parts: ArraySlice<PartTokens>, bytesPerPixel: Int, isLast: Bool) {
    beginPicture()
    block.forgetCounts()
    for part in parts { part.addCounts(to: block.counts, kernels) }
    beginBlock(block, bytesPerPixel: bytesPerPixel, isLast: isLast)
    for part in parts {
      kernels.pointee.write(part.tokens, part.count, block.table, &bits)
      addSums(of: part)
    }
    endBlock(block)
  }

  /// Adds a block of parsed tokens; the sums of what they stand for are added apart.
  func addBlock(_ segments: [UnsafeBufferPointer<UInt16>], isLast: Bool) {
    beginPicture()
    shortestBlock.forgetCounts()
    for tokens in segments {
      kernels.pointee.count(tokens.baseAddress, tokens.count, shortestBlock.counts)
    }
    beginBlock(shortestBlock, bytesPerPixel: 1, isLast: isLast)
    for tokens in segments {
      kernels.pointee.write(tokens.baseAddress, tokens.count, shortestBlock.table, &bits)
    }
    endBlock(shortestBlock)
  }

  /// Adds the sums of a part's bytes.
  func addSums(of part: PartTokens) {
    adler.add(count: part.byteCount, sum: part.sum, weightedSum: part.weightedSum)
  }

  private func beginPicture() {
    guard !isInPicture else { return }
    let isFirst = bits.next == nil
    chunks.begin("IDAT")
    // Packed by deflate, in no hurry; the number makes it divisible by 31.
    if isFirst {
      room.add(UInt8(0x78))
      room.add(UInt8(0x01))
    }
    isInPicture = true
  }

  private func beginBlock(_ block: DeflateBlock, bytesPerPixel: Int, isLast: Bool) {
    let bitCount = block.fit(bytesPerPixel: bytesPerPixel)
    bits.next = room.end(with: bitCount / 8 + 64)
    block.writeHead(isLast: isLast, to: &bits)
  }

  private func endBlock(_ block: DeflateBlock) {
    withUnsafePointer(to: UInt16(PNGTokenEnd)) { kernels.pointee.write($0, 1, block.table, &bits) }
    room.count = bits.next - room.start
    if room.count >= Self.bytesPerChunk { endChunk() }
  }

  private func endChunk() {
    chunks.end()
    isInPicture = false
  }

  /// Ends the picture and the file.
  func end() {
    if !isInPicture { chunks.begin("IDAT") }
    if bits.count > 0 { room.add(UInt8(truncatingIfNeeded: bits.bits)) }
    room.add(adler.value)
    endChunk()
    chunks.begin("IEND")
    chunks.end()
  }

  /// How many bytes wait to be given away.
  var waitingCount: Int { room.count }

  /// Gives away the chunks that are finished.
  func giveAway<Failure: Error>(
    to sink: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    guard !isInPicture, room.count > 0 else { return }
    try sink(UnsafeRawBufferPointer(start: room.start, count: room.count))
    byteCount += room.count
    room.count = 0
  }
}
