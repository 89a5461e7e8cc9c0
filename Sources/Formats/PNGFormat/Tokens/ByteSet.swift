/// A set of byte values.
struct ByteSet {
  private var words = SIMD4<UInt64>()

  mutating func insert(_ byte: Int) { words[byte >> 6] |= 1 << UInt64(byte & 63) }

  /// Inserts all values that fulfil a condition.
  @inline(__always)
  mutating func formUnion(_ contains: (Int) -> Bool) {
    for index in 0..<4 {
      var word: UInt64 = 0
      for bit in 0..<64 { word |= (contains(64 * index + bit) ? 1 : 0) << UInt64(bit) }
      words[index] |= word
    }
  }

  func contains(_ byte: Int) -> Bool { words[byte >> 6] >> UInt64(byte & 63) & 1 == 1 }

  var count: Int { (0..<4).reduce(0) { $0 + words[$1].nonzeroBitCount } }

  var bytes: [Int] { (0..<256).filter(contains) }

  /// The largest member; 0 if the set is empty.
  var last: Int {
    for word in (0..<4).reversed() where words[word] != 0 {
      return 64 * word + 63 - words[word].leadingZeroBitCount
    }
    return 0
  }
}
