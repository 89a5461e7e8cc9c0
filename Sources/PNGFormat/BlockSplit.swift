import CPNGKernels

/// Splits what lies between marks into blocks: begins with all of it apart, and joins the two
/// neighbours that lose most by being apart, until none do.
struct BlockSplit {
  /// The number of the first mark of each block.
  private(set) var starts: [Int] = []
  /// How often each symbol occurs in each block.
  private(set) var counts: [UInt32] = []
  private static let width = ParsedPiece.countsPerMark

  private struct Part {
    var start: Int
    var cost: UInt64
    /// What joining it with the next one gains.
    var gain: Int64
  }

  init(_ pieces: ArraySlice<ParsedPiece>) {
    var parts: [Part] = []
    let total = pieces.reduce(0) { $0 + $1.marks.count }
    counts.reserveCapacity(total * Self.width)
    for piece in pieces {
      for mark in piece.marks.indices {
        _ = piece.withCounts(ofMark: mark) { some in
          counts += UnsafeBufferPointer(start: some, count: Self.width)
        }
      }
    }
    counts.withUnsafeMutableBufferPointer { buffer in
      guard let counts = buffer.baseAddress else { return }
      func place(_ part: Int) -> UnsafeMutablePointer<UInt32> { counts + parts[part].start * Self.width }
      func gain(_ part: Int) -> Int64 {
        guard part + 1 < parts.count else { return .min }
        let together = pngWorth(place(part), place(part + 1))
        return Int64(parts[part].cost + parts[part + 1].cost) - Int64(together)
      }
      parts = (0..<total).map { Part(start: $0, cost: pngWorth(counts + $0 * Self.width, nil), gain: 0) }
      for part in parts.indices { parts[part].gain = gain(part) }
      while parts.count > 1 {
        var best = 0
        for part in parts.indices where parts[part].gain > parts[best].gain { best = part }
        guard parts[best].gain > 0 else { break }
        let (one, other) = (place(best), place(best + 1))
        for symbol in 0..<Self.width { one[symbol] += other[symbol] }
        parts.remove(at: best + 1)
        parts[best].cost = pngWorth(one, nil)
        parts[best].gain = gain(best)
        if best > 0 { parts[best - 1].gain = gain(best - 1) }
      }
    }
    starts = parts.map(\.start)
  }

  /// How often each symbol occurs in a block.
  func withCounts<Result>(ofBlock block: Int, _ body: (UnsafePointer<UInt32>) -> Result) -> Result? {
    counts.withUnsafeBufferPointer { counts in
      counts.baseAddress.map { body($0 + starts[block] * Self.width) }
    }
  }
}
