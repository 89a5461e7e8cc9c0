import CPNGKernels
import Graphics
import Synchronization
import Threads

/// Finds smaller tokens for a stretch of parts: expands the tokens of the fast path into bytes,
/// searches for matches, and finds the cheapest path, given the token costs in the blocks of the
/// last round.
final class StretchParser {
  /// The result, valid until the next stretch.
  struct Result {
    /// The tokens of each block, as segments.
    var blocks: [[UnsafeBufferPointer<UInt16>]]
    /// The size of all blocks in bits.
    var bitCount: Int
  }

  private let kernels: UnsafePointer<PNGKernels>
  private var bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 64)
  private var capacity = 64
  private var pieces: [ParsedPiece] = []
  private var buffers: [ParseBuffer] = []
  /// The number of bytes kept before the stretch as deflate's window, and the position of the
  /// stretch in the picture.
  private var keptCount = 0
  private var position = 0
  private let block = DeflateBlock(isShortest: true)
  /// Readable padding before and after the bytes; its values do not matter.
  private static let margin = 64
  private static let prepared: Void = pngPrepare()

  init(_ kernels: UnsafePointer<PNGKernels>) {
    self.kernels = kernels
    _ = Self.prepared
  }

  deinit { bytes.deallocate() }

  /// Starts a new picture.
  func begin() { (keptCount, position) = (0, 0) }

  /// The memory in use, in bytes, approximately.
  var memory: Int {
    capacity + pieces.reduce(0) { $0 + $1.memory } + buffers.reduce(0) { $0 + $1.byteCount }
  }

  /// Searches a stretch and returns its blocks.
  func parse(
    _ parts: [PartTokens], _ form: PixelForm, width: Int, _ effort: Thoroughness, threads: Int
  ) -> Result {
    let perPixel = form.bytesPerPixel
    let start = Self.margin + keptCount
    let ranges = expand(parts, from: start, perPixel, threads)
    let end = ranges.last?.upperBound ?? start
    while pieces.count < ranges.count { pieces.append(ParsedPiece(pieces.count)) }
    let (pieces, bytes, kernels) = (Array(pieces[..<ranges.count]), bytes, kernels)
    let stride = form.bytesPerRow(width: width)
    let tokenCount = parts.reduce(0) { $0 + $1.count }

    var costs = [CostedBlock(start: start, costs: firstCosts(parts, perPixel))]
    var choice = Choice()
    for pass in effort.passes(form, tokenCount: tokenCount) {
      let search = pass.search(
        bytes, first: Self.margin, form, stride: stride,
        phase: (position - start) % stride + stride)
      each(ranges.count, threads) { number, buffer in
        pieces[number].find(ranges[number], search, buffer.finder, kernels)
      }
      if pass.triesWithoutRuns {
        costs = [CostedBlock(start: start, costs: costsWithoutRuns(parts))]
      }
      func parse(_ pieces: [ParsedPiece]) {
        let known = costs
        each(pieces.count, threads) { number, buffer in
          pieces[number].parse(
            bytes, perPixel: perPixel, known, tokensPerMark: pass.tokensPerMark, buffer, kernels)
        }
      }
      if pass.rounds == 1 {
        let sample = pieces.count < 4 ? pieces : pieces.filter { $0.number % 4 == 1 }
        parse(sample)
        costs[0].costs = self.costs(sample)
      }
      var staleRounds = 0
      for _ in 0..<pass.rounds where staleRounds < 2 {
        parse(pieces)
        let split = BlockSplit(pieces.lazy.map(\.last), kernels)
        costs = split.costs(pieces.lazy.map(\.last))
        staleRounds = choice.improve(split, split.bitCount(block), pieces) ? 0 : staleRounds + 1
      }
    }
    keep(upTo: end)
    position += end - start
    return Result(
      blocks: choice.split?.tokens(pieces.lazy.map(\.best)) ?? [], bitCount: choice.bitCount)
  }

  /// The best paths so far, and their blocks.
  private struct Choice {
    var split: BlockSplit?
    var bitCount = Int.max

    /// Keeps the last paths if they are smaller; returns whether they saved enough for another
    /// round.
    mutating func improve(_ split: BlockSplit, _ bitCount: Int, _ pieces: [ParsedPiece]) -> Bool {
      guard bitCount < self.bitCount else { return false }
      let isWorthwhile = bitCount < self.bitCount / 4096 * 4095
      (self.split, self.bitCount) = (split, bitCount)
      for piece in pieces { piece.keep() }
      return isWorthwhile
    }
  }

  /// Expands the parts into bytes, one after the other, and returns the ranges of their pieces.
  private func expand(
    _ parts: [PartTokens], from start: Int, _ perPixel: Int, _ threads: Int
  ) -> [Range<Int>] {
    var (starts, ranges): ([Int], [Range<Int>]) = ([], [])
    var index = start
    for part in parts {
      starts.append(index)
      let end = index + Int(part.byteCount)
      while index < end {
        let next = min(index + ParsedPiece.byteLimit, end)
        ranges.append(index..<next)
        index = next
      }
    }
    reserve(index + Self.margin)
    (bytes + index).update(repeating: 0, count: Self.margin)
    let (bytes, kernels) = (bytes, kernels)
    each(parts.count, threads) { number, _ in
      _ = kernels.pointee.expand(
        parts[number].tokens, parts[number].count, perPixel, bytes + starts[number])
    }
    return ranges
  }

  /// Calls `body` for each index, on up to `threads` threads.
  private func each(_ count: Int, _ threads: Int, _ body: (Int, ParseBuffer) -> Void) {
    let lanes = max(min(threads, count), 1)
    while buffers.count < lanes { buffers.append(ParseBuffer()) }
    let buffers = buffers
    let next = Atomic(0)
    Lanes.run(lanes) { lane in
      while true {
        let number = next.add(1, ordering: .relaxed).oldValue
        guard number < count else { break }
        body(number, buffers[lane])
      }
    }
  }

  private func reserve(_ needed: Int) {
    guard needed > capacity else { return }
    bytes.grow(keeping: min(Self.margin + keptCount, capacity), capacity: needed)
    capacity = needed
  }

  /// Keeps the last bytes, as many as matches of the next stretch can reach.
  private func keep(upTo end: Int) {
    keptCount = min(Int(PNGWindow), end - Self.margin)
    (bytes + Self.margin).update(from: bytes + end - keptCount, count: keptCount)
  }

  /// Initial costs, estimated from the tokens of the fast path. The fast path finds no matches, so
  /// each length is assumed to have a share of all symbols: a small one for palettes, which hardly
  /// ever repeat, a larger one for colours.
  private func firstCosts(_ parts: [PartTokens], _ perPixel: Int) -> PNGCosts {
    withSymbols { symbols in
      for part in parts { kernels.pointee.countSymbols(part.tokens, part.count, symbols) }
      addLengths(symbols, share: perPixel == 1 ? 150 : 30)
    }
  }

  /// Costs of tokens of one byte per pixel, if short runs were literals.
  private func costsWithoutRuns(_ parts: [PartTokens]) -> PNGCosts {
    withSymbols { symbols in
      for part in parts {
        var last = 0
        for token in UnsafeBufferPointer(start: part.tokens, count: part.count) {
          let length = Int(token) - Int(PNGTokenRun)
          if token < 256 {
            last = Int(token)
            symbols[last] += 1
          } else if length < 16 {
            symbols[last] += UInt32(length)
          } else {
            symbols[257 + DeflateLength.all[length].symbol] += 1
          }
        }
      }
      addLengths(symbols, share: 1_000)
    }
  }

  /// Assumes a minimum share of all symbols for each length, and of all lengths for each distance.
  private func addLengths(_ symbols: UnsafeMutablePointer<UInt32>, share: UInt32) {
    let length = max((0..<286).reduce(0) { $0 + symbols[$1] } / share, 1)
    for symbol in 257..<286 { symbols[symbol] = max(symbols[symbol], length) }
    let lengths = (257..<286).reduce(0) { $0 + symbols[$1] }
    for symbol in 286..<316 { symbols[symbol] = max(symbols[symbol], lengths / 24) }
  }

  /// Costs of tokens in the paths that some pieces chose last.
  private func costs(_ pieces: [ParsedPiece]) -> PNGCosts {
    withSymbols { sums in
      for symbols in pieces.lazy.map(\.last.symbols) {
        for (index, count) in symbols.enumerated() { sums[index % TokenPath.symbolCount] += count }
      }
    }
  }

  private func withSymbols(_ body: (UnsafeMutablePointer<UInt32>) -> Void) -> PNGCosts {
    var costs = PNGCosts()
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: TokenPath.symbolCount) { symbols in
      symbols.initialize(repeating: 0)
      guard let start = symbols.baseAddress else { return }
      body(start)
      costs.set(start)
    }
    return costs
  }
}
