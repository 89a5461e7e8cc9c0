import CPNGKernels
import Graphics
import Synchronization

/// Finds smaller tokens for a stretch of parts: expands what was told in a hurry, looks for all that
/// could be repeated, and chooses the cheapest way through, by what tokens cost in the blocks of the
/// last choice.
final class StretchParser {
  /// What was found; it lasts until the next stretch.
  struct Result {
    /// The tokens of each block.
    var blocks: [[UnsafeBufferPointer<UInt16>]]
    /// How many bits all blocks take.
    var bitCount: Int
  }

  private let kernels: UnsafePointer<PNGKernels>
  private var bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 64)
  private var capacity = 64
  private var pieces: [ParsedPiece] = []
  private var rooms: [ParseRoom] = []
  /// How many bytes before the stretch are kept, and how many there were in all.
  private var keptCount = 0
  private var position = 0
  private let block = DeflateBlock(isShortest: true)
  /// Bytes on both sides of all others, which may be read and mean nothing.
  private static let margin = 64
  private static let prepared: Void = pngPrepare()

  init(_ kernels: UnsafePointer<PNGKernels>) {
    self.kernels = kernels
    _ = Self.prepared
  }

  deinit { bytes.deallocate() }

  /// Begins a picture.
  func begin() { (keptCount, position) = (0, 0) }

  /// About how many bytes of memory this takes.
  var memory: Int {
    capacity + pieces.reduce(0) { $0 + $1.memory } + rooms.reduce(0) { $0 + $1.byteCount }
  }

  /// Finds the blocks of a stretch.
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
      each(ranges.count, threads) { number, room in
        pieces[number].find(ranges[number], search, room.finder, kernels)
      }
      if pass.doubtsRuns { costs = [CostedBlock(start: start, costs: costsWithoutRuns(parts))] }
      func parse(_ pieces: [ParsedPiece]) {
        let known = costs
        each(pieces.count, threads) { number, room in
          pieces[number].parse(
            bytes, perPixel: perPixel, known, tokensPerMark: pass.tokensPerMark, room, kernels)
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

  /// The best ways so far, and their blocks.
  private struct Choice {
    var split: BlockSplit?
    var bitCount = Int.max

    /// Keeps the last ways where they are smaller; says whether that was worth a round.
    mutating func improve(_ split: BlockSplit, _ bitCount: Int, _ pieces: [ParsedPiece]) -> Bool {
      guard bitCount < self.bitCount else { return false }
      let isWorth = bitCount < self.bitCount / 4096 * 4095
      (self.split, self.bitCount) = (split, bitCount)
      for piece in pieces { piece.keep() }
      return isWorth
    }
  }

  /// Expands parts side by side into the bytes they stand for, and says where their pieces lie.
  private func expand(
    _ parts: [PartTokens], from start: Int, _ perPixel: Int, _ threads: Int
  ) -> [Range<Int>] {
    var (starts, ranges): ([Int], [Range<Int>]) = ([], [])
    var place = start
    for part in parts {
      starts.append(place)
      let end = place + Int(part.byteCount)
      while place < end {
        let next = min(place + ParsedPiece.byteLimit, end)
        ranges.append(place..<next)
        place = next
      }
    }
    makeRoom(place + Self.margin)
    (bytes + place).update(repeating: 0, count: Self.margin)
    let (bytes, kernels) = (bytes, kernels)
    each(parts.count, threads) { number, _ in
      _ = kernels.pointee.expand(
        parts[number].tokens, parts[number].count, perPixel, bytes + starts[number])
    }
    return ranges
  }

  /// Does something for each number, on as many threads.
  private func each(_ count: Int, _ threads: Int, _ body: (Int, ParseRoom) -> Void) {
    let lanes = max(min(threads, count), 1)
    while rooms.count < lanes { rooms.append(ParseRoom()) }
    let rooms = rooms
    let next = Atomic(0)
    Lanes.run(lanes) { lane in
      while true {
        let number = next.add(1, ordering: .relaxed).oldValue
        guard number < count else { break }
        body(number, rooms[lane])
      }
    }
  }

  private func makeRoom(_ needed: Int) {
    guard needed > capacity else { return }
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: needed)
    memory.update(from: bytes, count: min(Self.margin + keptCount, capacity))
    bytes.deallocate()
    (bytes, capacity) = (memory, needed)
  }

  /// Keeps as many of the last bytes as the next ones may repeat.
  private func keep(upTo end: Int) {
    keptCount = min(Int(PNGWindow), end - Self.margin)
    (bytes + Self.margin).update(from: bytes + end - keptCount, count: keptCount)
  }

  /// What tokens cost at first: as what was told in a hurry lets expect; what was not looked for then is
  /// expected to be some share of all. Bytes of a palette are hardly ever repeated, colours are.
  private func firstCosts(_ parts: [PartTokens], _ perPixel: Int) -> PNGCosts {
    withSymbols { symbols in
      for part in parts { kernels.pointee.countSymbols(part.tokens, part.count, symbols) }
      addLengths(symbols, share: perPixel == 1 ? 150 : 30)
    }
  }

  /// What tokens of a byte a pixel cost where short runs are bytes.
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

  /// Lengths that hardly occur are expected to be some share of all symbols, distances of all lengths.
  private func addLengths(_ symbols: UnsafeMutablePointer<UInt32>, share: UInt32) {
    let length = max((0..<286).reduce(0) { $0 + symbols[$1] } / share, 1)
    for symbol in 257..<286 { symbols[symbol] = max(symbols[symbol], length) }
    let lengths = (257..<286).reduce(0) { $0 + symbols[$1] }
    for symbol in 286..<316 { symbols[symbol] = max(symbols[symbol], lengths / 24) }
  }

  /// What tokens cost in the ways that some pieces chose last.
  private func costs(_ pieces: [ParsedPiece]) -> PNGCosts {
    withSymbols { sums in
      for symbols in pieces.lazy.map(\.last.symbols) {
        for (place, count) in symbols.enumerated() { sums[place % Way.symbolCount] += count }
      }
    }
  }

  private func withSymbols(_ body: (UnsafeMutablePointer<UInt32>) -> Void) -> PNGCosts {
    var costs = PNGCosts()
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: Way.symbolCount) { symbols in
      symbols.initialize(repeating: 0)
      guard let start = symbols.baseAddress else { return }
      body(start)
      costs.set(start)
    }
    return costs
  }
}
