import CPNGKernels
import Graphics
import Synchronization

/// One picture on its way into a file: bands become tokens, some of these a block, and blocks bytes.
final class PictureWriter {
  private let kernels: UnsafePointer<PNGKernels>
  private let level: Int32
  private let palette: UnsafeMutablePointer<PNGPalette>
  private var tellers: [BandTeller] = []
  private let stream: StreamWriter
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
    _ source: some BandSource, _ properties: PNGProperties, threads: Int,
    to sink: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) -> PNGEncoder.Summary {
    var choice = FormChoice(properties, source, palette)
    partCount = 0
    stream.begin()
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
      writeBlocks(choice.form, isEnd: false)
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
    if !stream.isBegun {
      stream.begin(properties, choice.form, palette: choice.paletteColors(upTo: used.last))
    }
    writeBlocks(choice.form, isEnd: true)
    stream.end()
    try stream.giveAway(to: sink)
    return PNGEncoder.Summary(form: choice.form.description, byteCount: stream.byteCount)
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

  /// Writes what makes blocks, and at the end all. The last part always waits for the end, so that how
  /// bands come does not matter.
  private func writeBlocks(_ form: PixelForm, isEnd: Bool) {
    var first = 0
    var tokens = 0
    for place in 0..<partCount {
      tokens += parts[place].count
      let isLast = place == partCount - 1
      guard isLast ? isEnd : tokens >= StreamWriter.tokensPerBlock else { continue }
      stream.addBlock(
        parts[first...place], bytesPerPixel: form.bytesPerPixel, isLast: isLast)
      first = place + 1
      tokens = 0
    }
    partCount -= first
    if first > 0, partCount > 0 { parts = Array(parts[first...] + parts[..<first]) }
  }
}
