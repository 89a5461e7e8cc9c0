import CPNGKernels

/// Splits ways into blocks where they have marks: begins with all of them apart, and joins the two
/// neighbours that lose most by being apart, until none do.
struct BlockSplit {
  /// The number of each block's first mark.
  private(set) var starts: [Int] = []
  /// How often each symbol occurs: of a block from where its first mark would be.
  private var symbols: [UInt32] = []
  private static let width = Way.symbolCount

  private struct Part {
    var start: Int
    var cost: Int64
    /// What it gains to be joined with the next one.
    var gain: Int64
  }

  init(_ ways: some Sequence<Way>, _ kernels: UnsafePointer<PNGKernels>) {
    for way in ways { symbols += way.symbols }
    let total = symbols.count / Self.width
    starts = symbols.withUnsafeMutableBufferPointer { symbols in
      guard let first = symbols.baseAddress else { return [] }
      var parts: [Part] = []
      func place(_ part: Int) -> UnsafeMutablePointer<UInt32> {
        first + parts[part].start * Self.width
      }
      func gain(_ part: Int) -> Int64 {
        guard part + 1 < parts.count else { return .min }
        let together = kernels.pointee.worth(place(part), place(part + 1))
        return parts[part].cost + parts[part + 1].cost - Int64(together)
      }
      parts = (0..<total).map { start in
        Part(
          start: start, cost: Int64(kernels.pointee.worth(first + start * Self.width, nil)),
          gain: 0)
      }
      for part in parts.indices { parts[part].gain = gain(part) }
      while parts.count > 1 {
        var best = 0
        for part in parts.indices where parts[part].gain > parts[best].gain { best = part }
        guard parts[best].gain > 0 else { break }
        let (one, other) = (place(best), place(best + 1))
        for symbol in 0..<Self.width { one[symbol] += other[symbol] }
        parts[best].cost += parts[best + 1].cost - parts[best].gain
        parts.remove(at: best + 1)
        parts[best].gain = gain(best)
        if best > 0 { parts[best - 1].gain = gain(best - 1) }
      }
      return parts.map(\.start)
    }
  }

  /// How often each symbol occurs in a block.
  func withSymbols<Result>(
    ofBlock block: Int, _ body: (UnsafePointer<UInt32>) -> Result
  ) -> Result? {
    symbols.withUnsafeBufferPointer { symbols in
      symbols.baseAddress.map { body($0 + starts[block] * Self.width) }
    }
  }

  /// How many bits all blocks take.
  func bitCount(_ block: DeflateBlock) -> Int {
    starts.indices.reduce(0) { sum, number in
      sum + (withSymbols(ofBlock: number) { block.bits(ofSymbols: $0) } ?? 0)
    }
  }

  /// Where blocks begin, and what tokens cost in each.
  func costs(_ ways: some Sequence<Way>) -> [CostedBlock] {
    var costed: [CostedBlock] = []
    var number = 0
    for way in ways {
      for mark in way.marks {
        if costed.count < starts.count, starts[costed.count] == number {
          var costs = PNGCosts()
          _ = withSymbols(ofBlock: costed.count) { costs.set($0) }
          costed.append(CostedBlock(start: mark.place, costs: costs))
        }
        number += 1
      }
    }
    return costed
  }

  /// The tokens of each block.
  func tokens(_ ways: some Sequence<Way>) -> [[UnsafeBufferPointer<UInt16>]] {
    var blocks: [[UnsafeBufferPointer<UInt16>]] = []
    var number = 0
    for way in ways {
      var first = 0
      func add(upTo end: Int) {
        guard end > first else { return }
        blocks[blocks.count - 1].append(
          UnsafeBufferPointer(start: way.tokens + first, count: end - first))
        first = end
      }
      for mark in way.marks {
        if blocks.count < starts.count, starts[blocks.count] == number {
          add(upTo: mark.token)
          blocks.append([])
        }
        number += 1
      }
      add(upTo: way.count)
    }
    return blocks
  }
}
