/// A match length as deflate stores it: a symbol, counted from 257, and extra bits.
struct DeflateLength {
  let symbol: Int
  let bits: UInt32
  let bitCount: Int

  init(_ length: Int) {
    let symbol = (0...28).last { Self.base($0) <= length } ?? 0
    self.symbol = symbol
    bits = UInt32(length - Self.base(symbol))
    bitCount = Self.bitCount(symbol)
  }

  /// The smallest length of a symbol.
  private static func base(_ symbol: Int) -> Int {
    if symbol == 28 { return 258 }
    return symbol < 8 ? 3 + symbol : ((4 + (symbol & 3)) << bitCount(symbol)) + 3
  }

  static func bitCount(_ symbol: Int) -> Int { symbol < 8 || symbol == 28 ? 0 : symbol / 4 - 1 }

  /// The number of extra bits of a distance symbol.
  static func extraBits(ofDistance symbol: Int) -> Int { symbol < 4 ? 0 : symbol / 2 - 1 }

  /// The entries by length; those below 3 are the entry of 3.
  static let all = (0...258).map { DeflateLength(max($0, 3)) }
}
