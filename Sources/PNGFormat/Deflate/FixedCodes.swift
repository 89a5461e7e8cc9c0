import CPNGKernels

/// The codes that deflate knows without being told (RFC 1951, section 3.2.6). A few tokens are better
/// off with them: their own codes would take 60 to 90 bytes to say.
final class FixedCodes {
  /// The bits of each token.
  let table: UnsafeMutablePointer<UInt32>

  /// The codes where a run repeats so many bytes.
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
    for symbol in 0..<30 { set(Int(PNGTokenDistance) + symbol, Word(turned: symbol, 5)) }
    for count in 1...8 {
      for bits in 0..<1 << count {
        set(Int(PNGTokenBits) + (1 << count) - 2 + bits, Word(UInt32(bits), count))
      }
    }
  }

  deinit { table.deallocate() }

  /// How many bits a block takes in which tokens occur so often.
  func bits(of counts: UnsafePointer<UInt32>) -> Int {
    var bits = 3 + Self.symbol(256).count
    for token in 0..<Int(PNGTokenCount) { bits += Int(counts[token]) * Int(table[token] & 63) }
    return bits
  }

  /// Writes a block's head; the tokens follow, and the end.
  func writeHead(isLast: Bool, to bits: inout PNGBits) { bits.add(isLast ? 3 : 2, 3) }

  private func set(_ token: Int, _ word: Word) {
    table[token] = word.bits << 6 | UInt32(word.count)
  }

  /// Some bits, the first one lowest.
  private struct Word {
    var bits: UInt32
    var count: Int

    init(_ bits: UInt32, _ count: Int) { (self.bits, self.count) = (bits, count) }

    /// A code, whose first bit is its highest.
    init(turned code: Int, _ count: Int) {
      bits = (0..<count).reduce(0) { $0 | UInt32(code >> $1 & 1) << UInt32(count - 1 - $1) }
      self.count = count
    }

    func followed(by other: Word) -> Word {
      Word(bits | other.bits << UInt32(count), count + other.count)
    }
  }

  private static func symbol(_ symbol: Int) -> Word {
    switch symbol {
    case ..<144: Word(turned: 0x30 + symbol, 8)
    case ..<256: Word(turned: 0x190 + symbol - 144, 9)
    case ..<280: Word(turned: symbol - 256, 7)
    default: Word(turned: 0xC0 + symbol - 280, 8)
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
    return Word(turned: 2 * bits + less >> bits, 5)
      .followed(by: Word(UInt32(less & ((1 << bits) - 1)), bits))
  }
}
