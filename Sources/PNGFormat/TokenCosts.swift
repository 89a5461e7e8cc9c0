import CPNGKernels

/// Numbers of bits in parts of a 64th, which is fine enough to tell ways apart.
enum Bits {
  static let perBit: UInt32 = 64

  /// The logarithm of a number of one at least, to the base of two.
  static func logarithm(_ number: UInt32) -> UInt32 {
    let whole = UInt32(31 - number.leadingZeroBitCount)
    let fraction = whole >= 10 ? number >> (whole - 10) : number << (10 - whole)
    return whole * perBit + UInt32(fractions[Int(fraction) - 1024])
  }

  /// The logarithms of 1 to 2, in steps of 1/1,024, found by squaring: each square tells one more bit.
  private static let fractions: [UInt8] = (0..<1024).map { step in
    var value = 1 + Double(step) / 1024
    var bits = 0
    for _ in 0..<7 {
      value *= value
      bits <<= 1
      if value >= 2 {
        value /= 2
        bits += 1
      }
    }
    return UInt8((bits + 1) / 2)
  }

  /// What numbers of each symbol take where each has the code that its share is worth.
  static func ofShares(_ counts: UnsafePointer<UInt32>, _ range: Range<Int>) -> UInt64 {
    var total: UInt32 = 0
    var sum: UInt64 = 0
    for symbol in range where counts[symbol] > 0 {
      total += counts[symbol]
      sum += UInt64(counts[symbol]) * UInt64(logarithm(counts[symbol]))
    }
    return total == 0 ? 0 : UInt64(total) * UInt64(logarithm(total)) - sum
  }
}

extension PNGCosts {
  /// What tokens cost where symbols occur so often. Symbols that do not occur cost a little more than
  /// those that do once, so that they may come into use.
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
        costs[length] = all.cost(counts[257 + known.symbol]) + UInt32(known.bitCount) * Bits.perBit
      }
    }
    let some = logarithms(counts, 286..<316)
    withUnsafeMutableBytes(of: &distances) {
      let costs = $0.assumingMemoryBound(to: UInt32.self)
      for symbol in 0..<30 {
        costs[symbol] =
          some.cost(counts[286 + symbol])
          + UInt32(DeflateLength.extraBits(ofDistance: symbol)) * Bits.perBit
      }
    }
  }

  private struct Logarithms {
    let total: UInt32
    /// What a symbol costs that does not occur.
    let none: UInt32

    func cost(_ count: UInt32) -> UInt32 {
      count == 0 ? none : max(total - Bits.logarithm(count), Bits.perBit / 2)
    }
  }

  private func logarithms(_ counts: UnsafePointer<UInt32>, _ range: Range<Int>) -> Logarithms {
    let sum = range.reduce(UInt32(0)) { $0 + counts[$1] }
    let total = Bits.logarithm(max(sum, 1))
    return Logarithms(total: total, none: min(max(total, 4 * Bits.perBit) + Bits.perBit, 14 * Bits.perBit))
  }
}
