import CPNGKernels

/// The bytes of a file: chunks, and in those that hold the picture one zlib stream of blocks.
final class StreamWriter {
  /// Blocks have about so many tokens or more, so that their heads are worth it.
  static let tokensPerBlock = 1 << 17
  /// Chunks of a picture are ended when they have so many bytes.
  private static let bytesPerChunk = 1 << 20

  private let kernels: UnsafePointer<PNGKernels>
  private let block = DeflateBlock()
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

  /// Forgets the last picture.
  func begin() {
    isBegun = false
    room.count = 0
    byteCount = 0
    (adler, bits, isInPicture) = (Adler(), PNGBits(), false)
  }

  /// Whether the head is written.
  private(set) var isBegun = false

  /// Writes all that stands before the pixels.
  func begin(_ properties: PNGProperties, _ form: PixelForm, palette: [UInt32]) {
    isBegun = true
    chunks.addHead(properties, form, palette: palette)
  }

  /// Adds a block of parts.
  func addBlock(_ parts: ArraySlice<PartTokens>, bytesPerPixel: Int, isLast: Bool) {
    if !isInPicture {
      let isFirst = bits.next == nil
      chunks.begin("IDAT")
      // Packed by deflate, in no hurry; the number makes it divisible by 31.
      if isFirst {
        room.add(UInt8(0x78))
        room.add(UInt8(0x01))
      }
      isInPicture = true
    }
    block.forgetCounts()
    for part in parts { part.addCounts(to: block.counts, kernels) }
    let bitCount = block.fit(bytesPerPixel: bytesPerPixel)
    let start = room.end(with: bitCount / 8 + 64)
    bits.next = start
    block.writeHead(isLast: isLast, to: &bits)
    for part in parts {
      kernels.pointee.write(part.tokens, part.count, block.table, &bits)
      adler.add(count: part.byteCount, sum: part.sum, weightedSum: part.weightedSum)
    }
    withUnsafePointer(to: UInt16(PNGTokenEnd)) { kernels.pointee.write($0, 1, block.table, &bits) }
    room.count += bits.next - start
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
