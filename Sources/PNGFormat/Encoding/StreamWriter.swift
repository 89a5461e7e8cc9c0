import CPNGKernels

/// The bytes of a file: chunks, and in those that hold the picture one zlib stream of blocks.
final class StreamWriter {
  /// Blocks have about so many tokens or more, so that their heads are worth it.
  static let tokensPerBlock = 1 << 17
  /// Chunks of a picture are ended when they have so many bytes, whenever others are given away: how many
  /// threads there are decides how many blocks are written at once, and must not change the file.
  private static let bytesPerChunk = 1 << 20

  private let kernels: UnsafePointer<PNGKernels>
  private let block = DeflateBlock()
  private lazy var shortestBlock = DeflateBlock(isShortest: true)
  private let room = ByteRoom()
  private var chunks: ChunkWriter
  private var adler = Adler()
  private var bits = PNGBits()
  private var isInPicture = false
  /// The number of a moving picture's next chunk, and whether its first frame is written.
  private var number: UInt32 = 0
  private var isLaterFrame = false
  /// Codes that need no head, for frames.
  private var fixed: FixedCodes?
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
    (number, isLaterFrame, fixed) = (0, false, nil)
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
    beginPicture()
    block.forgetCounts()
    for part in parts { part.addCounts(to: block.counts, kernels) }
    let table = beginBlock(block, bytesPerPixel: bytesPerPixel, isLast: isLast)
    for part in parts {
      kernels.pointee.write(part.tokens, part.count, table, &bits)
      addSums(of: part)
    }
    endBlock(table, isLast: isLast)
  }

  /// Adds a block of parsed tokens; the sums of what they stand for are added apart.
  func addBlock(_ segments: [UnsafeBufferPointer<UInt16>], isLast: Bool) {
    beginPicture()
    shortestBlock.forgetCounts()
    for tokens in segments {
      kernels.pointee.count(tokens.baseAddress, tokens.count, shortestBlock.counts)
    }
    let table = beginBlock(shortestBlock, bytesPerPixel: 1, isLast: isLast)
    for tokens in segments {
      kernels.pointee.write(tokens.baseAddress, tokens.count, table, &bits)
    }
    endBlock(table, isLast: isLast)
  }

  /// Adds the sums of a part's bytes.
  func addSums(of part: PartTokens) {
    adler.add(count: part.byteCount, sum: part.sum, weightedSum: part.weightedSum)
  }

  private func beginPicture() {
    guard !isInPicture else { return }
    let isFirst = bits.next == nil
    if isLaterFrame {
      chunks.begin("fdAT")
      room.add(takeNumber())
    } else {
      chunks.begin("IDAT")
    }
    // Packed by deflate, in no hurry; the number makes it divisible by 31.
    if isFirst {
      room.add(UInt8(0x78))
      room.add(UInt8(0x01))
    }
    isInPicture = true
  }

  /// Begins a block with the codes that fit it best, and gives them.
  private func beginBlock(
    _ block: DeflateBlock, bytesPerPixel: Int, isLast: Bool
  ) -> UnsafePointer<UInt32> {
    let bitCount = block.fit(bytesPerPixel: bytesPerPixel)
    if let fixed, fixed.bits(of: block.counts) <= bitCount {
      bits.next = room.end(with: bitCount / 8 + 64)
      fixed.writeHead(isLast: isLast, to: &bits)
      return UnsafePointer(fixed.table)
    }
    bits.next = room.end(with: bitCount / 8 + 64)
    block.writeHead(isLast: isLast, to: &bits)
    return UnsafePointer(block.table)
  }

  private func endBlock(_ table: UnsafePointer<UInt32>, isLast: Bool) {
    withUnsafePointer(to: UInt16(PNGTokenEnd)) { kernels.pointee.write($0, 1, table, &bits) }
    room.count = bits.next - room.start
    // Behind the last block there are only the checksum's bytes, which are worth no chunk.
    if !isLast, chunks.byteCount >= Self.bytesPerChunk { endChunk() }
  }

  private func endChunk() {
    chunks.end()
    isInPicture = false
  }

  /// Ends the picture and the file.
  func end() {
    endPicture()
    endFile()
  }

  private func endPicture() {
    beginPicture()
    if bits.count > 0 { room.add(UInt8(truncatingIfNeeded: bits.bits)) }
    room.add(adler.value)
    endChunk()
  }

  /// Ends the file behind a picture, or behind the last frame of one that moves.
  func endFile() {
    chunks.begin("IEND")
    chunks.end()
  }

  /// Whether there are finished chunks.
  var hasBytes: Bool { !isInPicture && room.count > 0 }

  /// Gives the chunks that are finished, and forgets them.
  func takeBytes() -> [UInt8] {
    var bytes: [UInt8] = []
    giveAway { bytes = Array($0) }
    return bytes
  }

  /// How many bytes wait to be given away.
  var waitingCount: Int { room.count }

  /// Gives away the chunks that are finished.
  func giveAway<Failure: Error>(
    to sink: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    // Where a chunk is open, those before it go, if they are more than the head.
    let finished = isInPicture ? chunks.start : room.count
    guard finished >= (isInPicture ? Self.bytesPerChunk : 1) else { return }
    try sink(UnsafeRawBufferPointer(start: room.start, count: finished))
    byteCount += finished
    if isInPicture { chunks.dropFinished() } else { room.count = 0 }
  }
}

extension StreamWriter {
  /// All that stands before the frames of a moving picture.
  struct Head {
    let properties: PNGProperties
    let form: PixelForm
    let palette: [UInt32]
    let frameCount: Int
    let loopCount: Int
    /// The solid colour that is not shown.
    let clear: UInt32?
  }

  func add(_ head: Head) {
    chunks.addHead(
      head.properties, head.form, palette: head.palette,
      animation: (head.frameCount, head.loopCount), clear: head.clear)
  }

  /// Begins a picture that moves. What stands before its frames may be added elsewhere.
  func beginFrames(bytesPerPixel: Int) {
    begin()
    fixed = FixedCodes(bytesPerPixel: bytesPerPixel)
  }

  /// How many bits some parts take, if they are one block.
  func bitCount(of parts: ArraySlice<PartTokens>, bytesPerPixel: Int) -> Int {
    block.forgetCounts()
    for part in parts { part.addCounts(to: block.counts, kernels) }
    let fitted = block.fit(bytesPerPixel: bytesPerPixel)
    return min(fitted, fixed?.bits(of: block.counts) ?? fitted)
  }

  /// Adds a frame; gives where its control stands, until bytes are given away.
  @discardableResult
  func addFrame(
    _ parts: ArraySlice<PartTokens>, _ control: FrameControl, bytesPerPixel: Int
  ) -> Int {
    let place = chunks.add(control, number: takeNumber())
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
    isLaterFrame = true
    return place
  }

  /// Changes how long a frame is shown whose bytes nobody has taken.
  func set(_ duration: FrameDuration, ofFrameAt place: Int) {
    chunks.set(duration, ofControlAt: place)
  }

  private func takeNumber() -> UInt32 {
    defer { number += 1 }
    return number
  }
}
