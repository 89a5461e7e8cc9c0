/// A table that decodes a prefix code of deflate: the next bits are its index. Codes with more bits
/// than the index has lead to a second table.
struct PrefixTable {
  /// A code's length is at most this.
  static let maximumLength = 15

  /// The meaning of a code's bits. The lowest eight bits are the number of consumed bits, including
  /// the extra bits behind the code; the next four are the code's length.
  struct Entry {
    let bits: UInt32

    @inline(__always)
    init(bits: UInt32) { self.bits = bits }

    static let literal: UInt32 = 1 << 31
    /// No literal, length or distance.
    static let other: UInt32 = 1 << 29
    static let link: UInt32 = 1 << 28
    static let endOfBlock: UInt32 = 1 << 27

    /// Bits that are not a code. The length is the number of bits that prove it.
    static func invalid(length: Int) -> Entry { Entry(bits: other | UInt32(length)) }

    @inline(__always) var isLiteral: Bool { bits & Self.literal != 0 }
    @inline(__always) var isOther: Bool { bits & Self.other != 0 }
    @inline(__always) var isLink: Bool { bits & Self.link != 0 }
    @inline(__always) var isEndOfBlock: Bool { bits & Self.endOfBlock != 0 }
    /// The bits that are used up.
    @inline(__always) var length: Int { Int(bits & 0xFF) }
    @inline(__always) var codeLength: UInt64 { UInt64(bits &>> 8 & 0xF) }
    /// The literal, the smallest length or distance, or the start of the linked table.
    @inline(__always) var value: Int { Int(bits &>> 12 & 0x7FFF) }
    @inline(__always) var literal: UInt8 { UInt8(truncatingIfNeeded: bits &>> 12) }
    /// The value with the extra bits, from the bits that the entry was found by.
    @inline(__always)
    func value(with bits: UInt64) -> Int {
      let extra = bits & ((1 &<< UInt64(length)) &- 1)
      return value &+ Int(truncatingIfNeeded: extra &>> codeLength)
    }
  }

  /// The number of bits of the first table's index.
  let indexBits: Int
  private(set) var entries: [Entry]

  /// The meaning of a code's symbols.
  enum Alphabet {
    case codeLengths, literals, distances
  }

  /// The table of a code, by the length of each symbol's code, 0 if it has none. Nil if the code is
  /// over-subscribed or incomplete. A single code of one bit is accepted except for code lengths,
  /// as is no code at all for distances: an encoder without matches writes these.
  init?(_ lengths: some RandomAccessCollection<UInt8>, _ alphabet: Alphabet) {
    var counts = InlineArray<16, Int>(repeating: 0)
    for length in lengths { counts[Int(length)] += 1 }
    counts[0] = 0
    guard let longest = (1...Self.maximumLength).last(where: { counts[$0] > 0 }) else {
      // In this case only decoding a symbol is an error, which zlib reports after one bit.
      guard alphabet != .codeLengths else { return nil }
      indexBits = 1
      entries = [.invalid(length: 1), .invalid(length: 1)]
      return
    }
    var left = 1
    for length in 1...Self.maximumLength {
      left = left << 1 - counts[length]
      guard left >= 0 else { return nil }
    }
    guard left == 0 || (alphabet != .codeLengths && longest == 1) else { return nil }

    indexBits = min(longest, alphabet == .literals ? 10 : alphabet == .distances ? 8 : 7)
    entries = [Entry](repeating: .invalid(length: 1), count: 1 << indexBits)
    // The symbols by their codes: first by length.
    var starts = InlineArray<16, Int>(repeating: 0)
    for length in 1..<Self.maximumLength { starts[length + 1] = starts[length] + counts[length] }
    var sorted = [UInt16](repeating: 0, count: starts[longest] + counts[longest])
    for (symbol, length) in lengths.enumerated() where length > 0 {
      sorted[starts[Int(length)]] = UInt16(symbol)
      starts[Int(length)] += 1
    }

    /// The next code, the first bit lowest.
    var code = 0
    var index = 0
    /// The first bits of the codes in the last linked table, its start, and its index's bits.
    var (prefix, linked, linkedBits) = (-1, 0, 0)
    for length in 1...longest {
      for _ in 0..<counts[length] {
        let entry = Self.entry(of: Int(sorted[index]), length: length, alphabet)
        index += 1
        if length <= indexBits {
          var slot = code
          while slot < 1 << indexBits {
            entries[slot] = entry
            slot += 1 << length
          }
        } else {
          if code & (1 << indexBits - 1) != prefix {
            prefix = code & (1 << indexBits - 1)
            linked = entries.count
            linkedBits = Self.linkedBits(from: length, indexBits: indexBits, longest, counts)
            entries += repeatElement(.invalid(length: length), count: 1 << linkedBits)
            entries[prefix] = Entry(
              bits: Entry.other | Entry.link | UInt32(linked) << 12 | UInt32(linkedBits))
          }
          var slot = code >> indexBits
          while slot < 1 << linkedBits {
            entries[linked + slot] = entry
            slot += 1 << (length - indexBits)
          }
        }
        counts[length] -= 1
        Self.advance(&code, length: length)
      }
    }
  }

  /// The bits of a linked table's index: enough for the codes that begin with the same bits.
  private static func linkedBits(
    from length: Int, indexBits: Int, _ longest: Int, _ remaining: InlineArray<16, Int>
  ) -> Int {
    var bits = length - indexBits
    var left = 1 << bits
    while indexBits + bits < longest {
      left -= remaining[indexBits + bits]
      if left <= 0 { break }
      bits += 1
      left <<= 1
    }
    return bits
  }

  /// Adds 1 to a code whose first bit is the lowest.
  private static func advance(_ code: inout Int, length: Int) {
    var bit = 1 << (length - 1)
    while code & bit != 0 { bit >>= 1 }
    code = bit == 0 ? 0 : code & (bit - 1) | bit
  }

  private static func entry(of symbol: Int, length: Int, _ alphabet: Alphabet) -> Entry {
    let code = UInt32(length) << 8 | UInt32(length)
    func extended(_ base: Int, _ extra: Int) -> Entry {
      Entry(bits: UInt32(base) << 12 | (code + UInt32(extra)))
    }
    switch alphabet {
    case .codeLengths: return extended(symbol, 0)
    case .literals:
      if symbol < 256 { return Entry(bits: Entry.literal | UInt32(symbol) << 12 | code) }
      if symbol == 256 { return Entry(bits: Entry.other | Entry.endOfBlock | code) }
      if symbol == 285 { return extended(258, 0) }
      let number = symbol - 257
      guard number < 28 else { return .invalid(length: length) }
      let extra = max(number / 4 - 1, 0)
      return extended(3 + (number < 8 ? number : (4 + number % 4) << extra), extra)
    case .distances:
      guard symbol < 30 else { return .invalid(length: length) }
      let extra = max(symbol / 2 - 1, 0)
      return extended(1 + (symbol < 4 ? symbol : (2 + symbol % 2) << extra), extra)
    }
  }
}
