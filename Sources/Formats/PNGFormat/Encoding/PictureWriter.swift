import CPNGKernels
import Graphics
import Synchronization
import Threads

/// Encodes one picture: bands become tokens, tokens become deflate blocks, and blocks become bytes.
final class PictureWriter {
  private let kernels: UnsafePointer<PNGKernels>
  private let level: Int32
  private let palette: UnsafeMutablePointer<PNGPalette>
  private var tokenizers: [BandTokenizer] = []
  private var stream: StreamWriter
  /// The file in an alternative form, to compare sizes.
  private lazy var other = StreamWriter(kernels)
  private lazy var parser = StretchParser(kernels)
  private static let keptMemoryLimit = 1 << 24
  /// The tokens of the bands that are not written yet (the first `partCount`), then spare objects.
  private var parts: [PartTokens] = []
  private var partCount = 0

  private init(level: Int32) {
    self.level = level
    kernels = pngKernels(level)
    palette = .allocate(capacity: 1)
    palette.initialize(to: PNGPalette())
    stream = StreamWriter(kernels)
  }

  deinit { palette.deallocate() }

  /// Idle writers, kept for their memory.
  private static let idle = ConditionMutex<[PictureWriter]>([])
  private static let idleLimit = 16

  /// Calls `body` with an idle writer, or with a new one.
  static func withWriter<Result, Failure: Error>(
    _ level: Int32, _ body: (PictureWriter) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let writer =
      idle.withLock { idle in
        idle.lastIndex { $0.level == level }.map { idle.remove(at: $0) }
      } ?? PictureWriter(level: level)
    defer {
      idle.withLock { if $0.count < idleLimit { $0.append(writer) } }
    }
    return try body(writer)
  }

  /// Writes a picture. The caller has checked its properties.
  func write<Failure: Error>(
    _ source: some BandSource, _ properties: PNGProperties, _ effort: PNGEncoder.Effort,
    threads: Int, to sink: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) -> PNGEncoder.Summary {
    var choice = FormChoice(properties, source, palette)
    partCount = 0
    stream.begin()
    if effort != .fast { parser.begin() }
    try source.forEachBands { bands throws(Failure) in
      choice.findInk(in: bands)
      while !tokenize(bands, choice, threads: threads) {
        let decoder = FormDecoder(choice)
        choice.grow()
        retokenize(decoder, as: &choice)
      }
      partCount += bands.count
      guard choice.isFinal else { return }
      if !stream.isBegun { stream.begin(properties, choice.form, palette: []) }
      write(choice, effort, threads: threads, isEnd: false)
      try stream.drain(to: sink)
    }
    var used = choice.form.bytesPerPixel == 1 ? usedBytes : ByteSet()
    if choice.form.bytesPerPixel == 1, used.count <= 16 {
      let decoder = FormDecoder(choice)
      if choice.shrink(toUsed: used) {
        retokenize(decoder, as: &choice)
        used = usedBytes
      }
    }
    let fastParts = parts[..<partCount]
    end(properties, choice, effort, threads: threads, used)
    var form = choice.form
    if effort == .best, let alternative = tokenizeAlternative(fastParts, choice) {
      swap(&stream, &other)
      stream.begin()
      parser.begin()
      end(properties, alternative, effort, threads: threads, usedBytes)
      if stream.undrainedCount < other.undrainedCount {
        form = alternative.form
      } else {
        swap(&stream, &other)
      }
    }
    if parser.memory > Self.keptMemoryLimit { parser = StretchParser(kernels) }
    try stream.drain(to: sink)
    return PNGEncoder.Summary(form: form.description, byteCount: stream.byteCount)
  }

  /// Writes all remaining tokens and ends the file.
  private func end(
    _ properties: PNGProperties, _ choice: FormChoice, _ effort: PNGEncoder.Effort, threads: Int,
    _ used: ByteSet
  ) {
    if !stream.isBegun {
      stream.begin(properties, choice.form, palette: choice.paletteColors(upTo: used.last))
    }
    write(choice, effort, threads: threads, isEnd: true)
    stream.end()
  }

  /// Tokenizes the whole picture in an alternative form of similar size, if there is one.
  private func tokenizeAlternative(_ fastParts: ArraySlice<PartTokens>, _ choice: FormChoice)
    -> FormChoice?
  {
    guard choice.form.bytesPerPixel == 1 else { return nil }
    let last = FormDecoder(choice)
    var alternative = choice
    guard alternative.switchToAlternative() else { return nil }
    parts.replaceSubrange(..<fastParts.count, with: fastParts)
    partCount = fastParts.count
    retokenize(last, as: &alternative)
    return alternative
  }

  /// Tokenizes some bands independently and appends their tokens; returns whether the form holds
  /// all pixels.
  private func tokenize(_ bands: [Band], _ choice: FormChoice, threads: Int) -> Bool {
    while parts.count < partCount + bands.count { parts.append(PartTokens()) }
    // A growing palette gets its colours in order, so only one thread may add them.
    let lanes = choice.form == .palette ? 1 : max(min(threads, bands.count), 1)
    while tokenizers.count < lanes { tokenizers.append(BandTokenizer(kernels)) }
    let (tokenizers, parts, first) = (tokenizers, parts, partCount)
    let misfits = Atomic(0)
    Lanes.run(lanes) { lane in
      for index in stride(from: lane, to: bands.count, by: lanes) {
        guard misfits.load(ordering: .relaxed) == 0 else { break }
        let fits = tokenizers[lane].tokenize(
          bands[index], of: choice.picture, palette, into: parts[first + index])
        if !fits { misfits.add(1, ordering: .relaxed) }
      }
    }
    return misfits.load(ordering: .relaxed) == 0
  }

  /// Converts all tokens to another form, and to a larger one if that cannot hold the pixels.
  /// Nothing is drawn again: tokens determine all pixels.
  private func retokenize(_ decoder: FormDecoder, as choice: inout FormChoice) {
    guard partCount > 0 else { return }
    let bytes = ByteBuffer()
    var again: [PartTokens] = []
    while again.count < partCount {
      let old = parts[again.count]
      let rowCount = old.rowCount
      let byteCount = rowCount * choice.form.bytesPerRow(width: decoder.width)
      if old.hasPendingZeros, choice.form.isZero(choice.picture.background), byteCount > 3 {
        old.setPendingZeros(UInt64(byteCount))
        again.append(old)
        continue
      }
      let band: Band
      if old.hasPendingZeros {
        band = decoder.blankBand(rowCount: rowCount)
      } else if old.isBlank, decoder.form.bitDepth == 16 {
        // Such forms store the background as any pixel. One row of it is enough.
        old.read(
          bytesPerPixel: decoder.form.bytesPerPixel, into: bytes,
          limit: decoder.form.bytesPerRow(width: decoder.width))
        band = decoder.blankBand(ofRow: bytes.start, rowCount: rowCount)
      } else {
        old.read(bytesPerPixel: decoder.form.bytesPerPixel, into: bytes)
        band = decoder.band(of: bytes.start, rowCount: rowCount)
      }
      let part = PartTokens()
      if tokenizers[0].tokenize(band, of: choice.picture, palette, into: part) {
        again.append(part)
      } else {
        choice.grow()
        again.removeAll()
      }
    }
    parts.replaceSubrange(..<partCount, with: again)
  }

  /// The literals among the tokens, which are all byte values that occur.
  private var usedBytes: ByteSet {
    var used = ByteSet()
    for index in 0..<partCount { parts[index].markBytes(&used) }
    return used
  }

  /// Writes complete blocks; at the end all tokens.
  private func write(_ choice: FormChoice, _ effort: PNGEncoder.Effort, threads: Int, isEnd: Bool) {
    let blocks = blocks(isEnd: isEnd)
    var written = 0
    if let thoroughness = effort.thoroughness {
      for stretch in stretches(of: blocks, isEnd: isEnd) {
        written = stretch.last?.upperBound ?? written
        write(
          stretch, choice, thoroughness, threads: threads, isLast: isEnd && written == partCount)
      }
    } else {
      written = blocks.last?.upperBound ?? 0
      addBlocks(blocks[...], choice.form, isLast: isEnd)
    }
    partCount -= written
    if written > 0, partCount > 0 { parts = Array(parts[written...] + parts[..<written]) }
  }

  /// The ranges of parts that form blocks. The last part always waits for the end, so that the
  /// blocks do not depend on how many bands come at once.
  private func blocks(isEnd: Bool) -> [Range<Int>] {
    var blocks: [Range<Int>] = []
    var first = 0
    var tokens = 0
    for index in 0..<partCount {
      tokens += parts[index].count
      let isLast = index == partCount - 1
      guard isLast ? isEnd : tokens >= StreamWriter.tokensPerBlock else { continue }
      blocks.append(first..<index + 1)
      first = index + 1
      tokens = 0
    }
    return blocks
  }

  private func addBlocks(_ blocks: ArraySlice<Range<Int>>, _ form: PixelForm, isLast: Bool) {
    for block in blocks {
      stream.addBlock(
        parts[block], bytesPerPixel: form.bytesPerPixel, isLast: isLast && block == blocks.last)
    }
  }

  /// A stretch ends after this many blocks or bytes, whichever comes first.
  private static let blocksPerStretch = 4
  private static let bytesPerStretch = 1 << 25

  private func stretches(of blocks: [Range<Int>], isEnd: Bool) -> [ArraySlice<Range<Int>>] {
    var stretches: [ArraySlice<Range<Int>>] = []
    var first = 0
    var byteCount = 0
    for (index, block) in blocks.enumerated() {
      byteCount += parts[block].reduce(0) { $0 + Int($1.byteCount) }
      guard
        index - first == Self.blocksPerStretch - 1 || byteCount >= Self.bytesPerStretch
          || isEnd && index == blocks.count - 1
      else { continue }
      stretches.append(blocks[first...index])
      first = index + 1
      byteCount = 0
    }
    return stretches
  }

  /// Writes a stretch with the tokens of the search, or with the fast ones if those are not larger.
  private func write(
    _ stretch: ArraySlice<Range<Int>>, _ choice: FormChoice, _ effort: Thoroughness,
    threads: Int, isLast: Bool
  ) {
    let form = choice.form
    let parts = stretch.flatMap { self.parts[$0] }
    for part in parts { part.tokenizePendingZeros() }
    let result = parser.parse(parts, form, width: choice.picture.width, effort, threads: threads)
    let known = stretch.reduce(0) {
      $0 + stream.bitCount(of: self.parts[$1], bytesPerPixel: form.bytesPerPixel)
    }
    guard result.bitCount < known else { return addBlocks(stretch, form, isLast: isLast) }
    for (index, block) in result.blocks.enumerated() {
      stream.addBlock(block, isLast: isLast && index == result.blocks.count - 1)
    }
    for part in parts { stream.addSums(of: part) }
  }
}

extension PNGEncoder.Effort {
  /// The parameters of the search; nil if there is none.
  var thoroughness: Thoroughness? {
    switch self {
    case .fast: nil
    case .small: .small
    case .best: .best
    }
  }
}
