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
  private lazy var parser = StretchParser()
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

  /// Why a walk over a picture ended early.
  private enum Stop<SinkFailure: Error>: Error {
    /// A pixel does not have the form.
    case misfit
    case sink(SinkFailure)
  }

  /// Writes a picture of which it is known that a PNG can be like it.
  func write<Failure: Error>(
    _ source: some BandSource, _ properties: PNGProperties, _ effort: PNGEncoder.Effort,
    threads: Int, to sink: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) -> PNGEncoder.Summary {
    var choice = FormChoice(properties, source, palette)
    var areStraight = false
    while true {
      partCount = 0
      stream.begin()
      parser.begin()
      if choice.isFinal { stream.addHead(properties, choice.form, palette: []) }
      do throws(Stop<Failure>) {
        try source.forEachBands { bands throws(Stop<Failure>) in
          areStraight = bands.contains(where: \.isStraight)
          choice.findInk(in: bands)
          guard tell(bands, choice, threads: threads) else { throw .misfit }
          guard choice.isFinal else { return }
          write(choice, effort, threads: threads, isEnd: false)
          do throws(Failure) { try stream.giveAway(to: sink) } catch { throw .sink(error) }
        }
      } catch {
        switch error {
        case .misfit:
          choice.grow()
          continue
        case .sink(let failure): throw failure
        }
      }
      if !choice.isFinal {
        let used = usedBytes
        if choice.form.bytesPerPixel == 1, choice.shrink(toUsed: used, areStraight: areStraight) {
          continue
        }
        stream.addHead(
          properties, choice.form,
          palette: choice.paletteColors(upTo: used.last, areStraight: areStraight))
      }
      write(choice, effort, threads: threads, isEnd: true)
      stream.end()
      try stream.giveAway(to: sink)
      return PNGEncoder.Summary(form: choice.form.description, byteCount: stream.byteCount)
    }
  }

  /// Tells some bands, each on its own, and says whether all have the form.
  private func tell(_ bands: [Band], _ choice: FormChoice, threads: Int) -> Bool {
    while parts.count < partCount + bands.count { parts.append(PartTokens()) }
    // A palette that grows takes colours in order.
    let lanes = choice.form == .places ? 1 : max(min(threads, bands.count), 1)
    while tellers.count < lanes { tellers.append(BandTeller(kernels)) }
    let (tellers, parts, first) = (tellers, parts, partCount)
    partCount += bands.count
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

  /// The bytes that are told as they are, which are all that occur.
  private var usedBytes: ByteSet {
    var used = ByteSet()
    for place in 0..<partCount { parts[place].markBytes(&used) }
    return used
  }

  private func write(_ choice: FormChoice, _ effort: PNGEncoder.Effort, threads: Int, isEnd: Bool) {
    guard let thoroughness = effort.thoroughness else {
      return writeBlocks(choice.form, isEnd: isEnd)
    }
    writeStretches(choice, thoroughness, threads: threads, isEnd: isEnd)
  }

  private static let tokensPerStretch = 4 * StreamWriter.tokensPerBlock
  private static let bytesPerStretch = 1 << 25

  private func writeStretches(
    _ choice: FormChoice, _ effort: StretchParser.Thoroughness, threads: Int, isEnd: Bool
  ) {
    var first = 0
    var (tokens, bytes) = (0, 0)
    for place in 0..<partCount {
      tokens += parts[place].count
      bytes += Int(parts[place].byteCount)
      let isLast = place == partCount - 1
      guard
        isLast ? isEnd : tokens >= Self.tokensPerStretch || bytes >= Self.bytesPerStretch
      else { continue }
      let stretch = parts[first...place]
      let blocks = parser.parse(
        stretch, kernels, perPixel: choice.form.bytesPerPixel,
        stride: choice.form.bytesPerRow(width: choice.picture.width), effort, threads: threads)
      for (number, block) in blocks.enumerated() {
        stream.addBlock(block.segments, isLast: isLast && number == blocks.count - 1)
      }
      for part in stretch { stream.addSums(of: part) }
      first = place + 1
      (tokens, bytes) = (0, 0)
    }
    forget(first)
  }

  /// Forgets the first parts, whose memory is used for others.
  private func forget(_ first: Int) {
    partCount -= first
    if first > 0, partCount > 0 { parts = Array(parts[first...] + parts[..<first]) }
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
    forget(first)
  }
}

extension PNGEncoder.Effort {
  /// How hard smaller tokens are looked for; nil where it is not.
  var thoroughness: StretchParser.Thoroughness? {
    switch self {
    case .fast: nil
    case .small: .init(depth: 8, enough: 32, isByByte: false, rounds: 2)
    case .best: .init(depth: 256, enough: 258, isByByte: true, rounds: 8)
    }
  }
}
