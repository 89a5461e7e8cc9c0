import CPNGKernels

extension PNGCosts {
  /// Sets the costs of tokens from symbol counts. Symbols that do not occur cost a little more than
  /// those that occur once, so that they may come into use.
  mutating func set(_ counts: UnsafePointer<UInt32>) {
    let all = logarithms(counts, 0..<286)
    withUnsafeMutableBytes(of: &bytes) {
      let costs = $0.assumingMemoryBound(to: UInt32.self)
      for byte in 0..<256 { costs[byte] = all.cost(counts[byte]) }
    }
    withUnsafeMutableBytes(of: &lengths) {
      let costs = $0.assumingMemoryBound(to: UInt32.self)
      for length in 3...258 {
        let known = DeflateLength.all[length]
        costs[length] =
          all.cost(counts[257 + known.symbol]) + UInt32(known.bitCount) * UInt32(PNGCostOfBit)
      }
    }
    let some = logarithms(counts, 286..<316)
    withUnsafeMutableBytes(of: &distances) {
      let costs = $0.assumingMemoryBound(to: UInt32.self)
      for symbol in 0..<30 {
        costs[symbol] =
          some.cost(counts[286 + symbol])
          + UInt32(DeflateLength.extraBits(ofDistance: symbol)) * UInt32(PNGCostOfBit)
      }
    }
  }

  private struct Logarithms {
    let total: UInt32
    /// The cost of a symbol that does not occur.
    let none: UInt32

    func cost(_ count: UInt32) -> UInt32 {
      count == 0 ? none : max(total - pngLogarithm(count), UInt32(PNGCostOfBit) / 2)
    }
  }

  private func logarithms(_ counts: UnsafePointer<UInt32>, _ range: Range<Int>) -> Logarithms {
    let sum = range.reduce(UInt32(0)) { $0 + counts[$1] }
    let total = pngLogarithm(max(sum, 1))
    let bit = UInt32(PNGCostOfBit)
    return Logarithms(total: total, none: min(max(total, 4 * bit) + bit, 14 * bit))
  }
}
