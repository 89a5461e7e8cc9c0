import CPNGKernels

/// Deflate's fixed codes (RFC 1951, section 3.2.6). They pay for a few tokens, since storing codes
/// of their own would take 60 to 90 bytes.
final class FixedCodes {
  /// Each token's bits and their number, as `PNGKernels.write` expects them.
  let table: UnsafeMutablePointer<UInt32>

  /// The codes for pixels of `bytesPerPixel` bytes, which is the distance of runs.
  init(bytesPerPixel: Int) {
    let tokens = Int(PNGTokenCount)
    table = .allocate(capacity: tokens)
    table.initialize(repeating: 0, count: tokens)
    for byte in 0...256 { set(byte, Self.symbol(byte)) }
    let run = Self.distance(bytesPerPixel)
    for length in 3...258 {
      let word = Self.length(length)
      set(Int(PNGTokenLength) + length, word)
      set(Int(PNGTokenRun) + length, word.followed(by: run))
    }
    for symbol in 0..<30 { set(Int(PNGTokenDistance) + symbol, Word(reversed: symbol, 5)) }
    for count in 1...8 {
      for bits in 0..<1 << count {
        set(Int(PNGTokenBits) + (1 << count) - 2 + bits, Word(UInt32(bits), count))
      }
    }
  }

  deinit { table.deallocate() }

  /// The size of a block in bits, given its token counts.
  func bits(of counts: UnsafePointer<UInt32>) -> Int {
    var bits = 3 + Self.symbol(256).count
    for token in 0..<Int(PNGTokenCount) { bits += Int(counts[token]) * Int(table[token] & 63) }
    return bits
  }

  /// Writes the block header. The caller writes the tokens and the end symbol.
  func writeHead(isLast: Bool, to bits: inout PNGBits) { bits.add(isLast ? 3 : 2, 3) }

  private func set(_ token: Int, _ word: Word) {
    table[token] = word.bits << 6 | UInt32(word.count)
  }

  /// A sequence of bits, the first one lowest.
  private struct Word {
    var bits: UInt32
    var count: Int

    init(_ bits: UInt32, _ count: Int) { (self.bits, self.count) = (bits, count) }

    /// A prefix code, whose first bit is its highest.
    init(reversed code: Int, _ count: Int) {
      bits = (0..<count).reduce(0) { $0 | UInt32(code >> $1 & 1) << UInt32(count - 1 - $1) }
      self.count = count
    }

    func followed(by other: Word) -> Word {
      Word(bits | other.bits << UInt32(count), count + other.count)
    }
  }

  private static func symbol(_ symbol: Int) -> Word {
    switch symbol {
    case ..<144: Word(reversed: 0x30 + symbol, 8)
    case ..<256: Word(reversed: 0x190 + symbol - 144, 9)
    case ..<280: Word(reversed: symbol - 256, 7)
    default: Word(reversed: 0xC0 + symbol - 280, 8)
    }
  }

  private static func length(_ length: Int) -> Word {
    if length == 258 { return symbol(285) }
    let less = length - 3
    let bits = less < 8 ? 0 : less.bitWidth - less.leadingZeroBitCount - 3
    return symbol(257 + 4 * bits + less >> bits)
      .followed(by: Word(UInt32(less & ((1 << bits) - 1)), bits))
  }

  private static func distance(_ distance: Int) -> Word {
    let less = distance - 1
    let bits = less < 4 ? 0 : less.bitWidth - less.leadingZeroBitCount - 2
    return Word(reversed: 2 * bits + less >> bits, 5)
      .followed(by: Word(UInt32(less & ((1 << bits) - 1)), bits))
  }
}
