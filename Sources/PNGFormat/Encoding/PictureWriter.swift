import CPNGKernels
import Graphics
import Synchronization

/// One picture on its way into a file: bands become tokens, some of these a block, and blocks bytes.
final class PictureWriter {
  private let kernels: UnsafePointer<PNGKernels>
  private let level: Int32
  private let palette: UnsafeMutablePointer<PNGPalette>
  private var tellers: [BandTeller] = []
  private var stream: StreamWriter
  /// What was written in another form.
  private lazy var other = StreamWriter(kernels)
  private lazy var parser = StretchParser(kernels)
  private static let memoryWorthKeeping = 1 << 24
  /// Tokens of the parts that are not written yet, and memory for more.
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

  /// Writers that nobody uses; their memory is worth keeping.
  private static let idle = Guarded<[PictureWriter]>([])
  private static let idleLimit = 16

  /// Lends a writer.
  static func lent<Result, Failure: Error>(
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

  /// Writes a picture of which it is known that a PNG can be like it.
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
      while !tell(bands, choice, threads: threads) {
        let told = ToldForm(choice)
        choice.grow()
        tellAgain(told, as: &choice)
      }
      partCount += bands.count
      guard choice.isFinal else { return }
      if !stream.isBegun { stream.begin(properties, choice.form, palette: []) }
      write(choice, effort, threads: threads, isEnd: false)
      try stream.giveAway(to: sink)
    }
    var used = choice.form.bytesPerPixel == 1 ? usedBytes : ByteSet()
    if choice.form.bytesPerPixel == 1, used.count <= 16 {
      let told = ToldForm(choice)
      if choice.shrink(toUsed: used) {
        tellAgain(told, as: &choice)
        used = usedBytes
      }
    }
    let toldParts = parts[..<partCount]
    end(properties, choice, effort, threads: threads, used)
    var form = choice.form
    if effort == .best, let turned = tellTurned(toldParts, choice) {
      swap(&stream, &other)
      stream.begin()
      parser.begin()
      end(properties, turned, effort, threads: threads, usedBytes)
      if stream.waitingCount < other.waitingCount {
        form = turned.form
      } else {
        swap(&stream, &other)
      }
    }
    if parser.memory > Self.memoryWorthKeeping { parser = StretchParser(kernels) }
    try stream.giveAway(to: sink)
    return PNGEncoder.Summary(form: form.description, byteCount: stream.byteCount)
  }

  /// Ends a file with all that was told and is not written.
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

  /// Tells a whole picture in another form that may be as small, if there is one.
  private func tellTurned(_ told: ArraySlice<PartTokens>, _ choice: FormChoice) -> FormChoice? {
    guard choice.form.bytesPerPixel == 1 else { return nil }
    let last = ToldForm(choice)
    var turned = choice
    guard turned.turn() else { return nil }
    parts.replaceSubrange(..<told.count, with: told)
    partCount = told.count
    tellAgain(last, as: &turned)
    return turned
  }

  /// Tells some bands behind those that were told, each on its own, and says whether all have the form.
  private func tell(_ bands: [Band], _ choice: FormChoice, threads: Int) -> Bool {
    while parts.count < partCount + bands.count { parts.append(PartTokens()) }
    // A palette that grows takes colours in order.
    let lanes = choice.form == .places ? 1 : max(min(threads, bands.count), 1)
    while tellers.count < lanes { tellers.append(BandTeller(kernels)) }
    let (tellers, parts, first) = (tellers, parts, partCount)
    let misfits = Atomic(0)
    Lanes.run(lanes) { lane in
      for place in stride(from: lane, to: bands.count, by: lanes) {
        guard misfits.load(ordering: .relaxed) == 0 else { break }
        let fits = tellers[lane].tell(
          bands[place], of: choice.picture, palette, into: parts[first + place])
        if !fits { misfits.add(1, ordering: .relaxed) }
      }
    }
    return misfits.load(ordering: .relaxed) == 0
  }

  /// Takes what was told to another form, and to larger ones if that is not enough. The pixels need not
  /// be had again for that: tokens say all of them.
  private func tellAgain(_ told: ToldForm, as choice: inout FormChoice) {
    guard partCount > 0 else { return }
    let bytes = ByteRoom()
    var again: [PartTokens] = []
    while again.count < partCount {
      let old = parts[again.count]
      let rowCount = Int(old.byteCount) / told.form.bytesPerRow(width: told.width)
      let band: Band
      if old.isWaiting {
        band = told.blankBand(rowCount: rowCount)
      } else {
        old.read(bytesPerPixel: told.form.bytesPerPixel, into: bytes)
        band = told.band(of: bytes.start, rowCount: rowCount)
      }
      let part = PartTokens()
      if tellers[0].tell(band, of: choice.picture, palette, into: part) {
        again.append(part)
      } else {
        choice.grow()
        again.removeAll()
      }
    }
    parts.replaceSubrange(..<partCount, with: again)
  }

  /// The bytes that are told as they are, which are all that occur.
  private var usedBytes: ByteSet {
    var used = ByteSet()
    for place in 0..<partCount { parts[place].markBytes(&used) }
    return used
  }

  /// Writes what makes blocks, and at the end all.
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

  /// The parts of each block. The last part always waits for the end, so that how bands come does not
  /// matter.
  private func blocks(isEnd: Bool) -> [Range<Int>] {
    var blocks: [Range<Int>] = []
    var first = 0
    var tokens = 0
    for place in 0..<partCount {
      tokens += parts[place].count
      let isLast = place == partCount - 1
      guard isLast ? isEnd : tokens >= StreamWriter.tokensPerBlock else { continue }
      blocks.append(first..<place + 1)
      first = place + 1
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

  /// A stretch has so many blocks, or fewer of many bytes.
  private static let blocksPerStretch = 4
  private static let bytesPerStretch = 1 << 25

  private func stretches(of blocks: [Range<Int>], isEnd: Bool) -> [ArraySlice<Range<Int>>] {
    var stretches: [ArraySlice<Range<Int>>] = []
    var first = 0
    var byteCount = 0
    for (place, block) in blocks.enumerated() {
      byteCount += parts[block].reduce(0) { $0 + Int($1.byteCount) }
      guard
        place - first == Self.blocksPerStretch - 1 || byteCount >= Self.bytesPerStretch
          || isEnd && place == blocks.count - 1
      else { continue }
      stretches.append(blocks[first...place])
      first = place + 1
      byteCount = 0
    }
    return stretches
  }

  /// Writes the blocks that are found for a stretch, or those that it has where they are as small.
  private func write(
    _ stretch: ArraySlice<Range<Int>>, _ choice: FormChoice, _ effort: Thoroughness,
    threads: Int, isLast: Bool
  ) {
    let form = choice.form
    let parts = stretch.flatMap { self.parts[$0] }
    for part in parts { part.tellWaiting() }
    let result = parser.parse(parts, form, width: choice.picture.width, effort, threads: threads)
    let known = stretch.reduce(0) {
      $0 + stream.bitCount(of: self.parts[$1], bytesPerPixel: form.bytesPerPixel)
    }
    guard result.bitCount < known else { return addBlocks(stretch, form, isLast: isLast) }
    for (place, block) in result.blocks.enumerated() {
      stream.addBlock(block, isLast: isLast && place == result.blocks.count - 1)
    }
    for part in parts { stream.addSums(of: part) }
  }
}

extension PNGEncoder.Effort {
  /// How hard smaller tokens are looked for; nil where they are not.
  var thoroughness: Thoroughness? {
    switch self {
    case .fast: nil
    case .small: .small
    case .best: .best
    }
  }
}
