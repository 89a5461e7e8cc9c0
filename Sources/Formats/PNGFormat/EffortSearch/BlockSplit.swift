import CPNGKernels

/// Splits token paths into blocks at their marks: starts with one block per mark, and merges the
/// two neighbours that save most, until no merge saves anything.
struct BlockSplit {
  /// The index of each block's first mark.
  private(set) var starts: [Int] = []
  /// Symbol counts per mark; a block's counts are stored at its first mark.
  private var symbols: [UInt32] = []
  private static let width = TokenPath.symbolCount

  private struct Part {
    var start: Int
    var cost: Int64
    /// The bits saved by merging with the next block, in 1/`PNGCostOfBit` bits.
    var gain: Int64
  }

  init(_ paths: some Sequence<TokenPath>, _ kernels: UnsafePointer<PNGKernels>) {
    for path in paths { symbols += path.symbols }
    let total = symbols.count / Self.width
    starts = symbols.withUnsafeMutableBufferPointer { symbols in
      guard let first = symbols.baseAddress else { return [] }
      var parts: [Part] = []
      func counts(_ part: Int) -> UnsafeMutablePointer<UInt32> {
        first + parts[part].start * Self.width
      }
      func gain(_ part: Int) -> Int64 {
        guard part + 1 < parts.count else { return .min }
        let together = kernels.pointee.estimateCost(counts(part), counts(part + 1))
        return parts[part].cost + parts[part + 1].cost - Int64(together)
      }
      parts = (0..<total).map { start in
        Part(
          start: start, cost: Int64(kernels.pointee.estimateCost(first + start * Self.width, nil)),
          gain: 0)
      }
      for part in parts.indices { parts[part].gain = gain(part) }
      while parts.count > 1 {
        var best = 0
        for part in parts.indices where parts[part].gain > parts[best].gain { best = part }
        guard parts[best].gain > 0 else { break }
        let (one, other) = (counts(best), counts(best + 1))
        for symbol in 0..<Self.width { one[symbol] += other[symbol] }
        parts[best].cost += parts[best + 1].cost - parts[best].gain
        parts.remove(at: best + 1)
        parts[best].gain = gain(best)
        if best > 0 { parts[best - 1].gain = gain(best - 1) }
      }
      return parts.map(\.start)
    }
  }

  /// Calls `body` with the symbol counts of a block.
  func withSymbols<Result>(
    ofBlock block: Int, _ body: (UnsafePointer<UInt32>) -> Result
  ) -> Result? {
    symbols.withUnsafeBufferPointer { symbols in
      symbols.baseAddress.map { body($0 + starts[block] * Self.width) }
    }
  }

  /// The size of all blocks in bits.
  func bitCount(_ block: DeflateBlock) -> Int {
    starts.indices.reduce(0) { sum, number in
      sum + (withSymbols(ofBlock: number) { block.bits(ofSymbols: $0) } ?? 0)
    }
  }

  /// The start of each block, and the costs of tokens in it.
  func costs(_ paths: some Sequence<TokenPath>) -> [CostedBlock] {
    var costed: [CostedBlock] = []
    var number = 0
    for path in paths {
      for mark in path.marks {
        if costed.count < starts.count, starts[costed.count] == number {
          var costs = PNGCosts()
          _ = withSymbols(ofBlock: costed.count) { costs.set($0) }
          costed.append(CostedBlock(start: mark.position, costs: costs))
        }
        number += 1
      }
    }
    return costed
  }

  /// The tokens of each block, as segments.
  func tokens(_ paths: some Sequence<TokenPath>) -> [[UnsafeBufferPointer<UInt16>]] {
    var blocks: [[UnsafeBufferPointer<UInt16>]] = []
    var number = 0
    for path in paths {
      var first = 0
      func add(upTo end: Int) {
        guard end > first else { return }
        blocks[blocks.count - 1].append(
          UnsafeBufferPointer(start: path.tokens + first, count: end - first))
        first = end
      }
      for mark in path.marks {
        if blocks.count < starts.count, starts[blocks.count] == number {
          add(upTo: mark.token)
          blocks.append([])
        }
        number += 1
      }
      add(upTo: path.count)
    }
    return blocks
  }
}
