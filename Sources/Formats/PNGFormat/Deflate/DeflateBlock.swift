import CPNGKernels

/// The prefix codes of one block, fitted to how often each token occurs, and the block header that
/// stores them (RFC 1951, section 3.2.7).
final class DeflateBlock {
  /// How often each token occurs.
  let counts: UnsafeMutablePointer<UInt32>
  /// The bits of each counted token and their number, as `PNGKernels.write` expects them.
  let table: UnsafeMutablePointer<UInt32>
  /// Codes of the symbols 0 to 285: literals, the end of the block, and lengths.
  private var symbols: PrefixCode
  private let isShortest: Bool
  private var distances: PrefixCode
  private var lengthsOfCodes: PrefixCode
  private let symbolCounts: UnsafeMutablePointer<UInt32>
  /// The symbol and extra bits of each length.
  private let lengths = DeflateLength.all
  /// The header's words: run-length coded code lengths, each with its extra bits.
  private let words: UnsafeMutablePointer<UInt16>
  private var wordCount = 0
  /// The code lengths of all symbols, then those of all distances.
  private let joined: UnsafeMutablePointer<UInt8>
  private var headBits = 0

  /// A fast block, or one of optimal codes, whose tokens contain no runs (`PNGTokenRun`).
  ///
  /// Two tokens must fit into a 64-bit word besides seven pending bits. A fast run takes at most 12
  /// bits for its length, 5 extra bits, and 9 for its distance; an optimal block writes length and
  /// distance as two tokens of at most 15 + 5 bits and 15 bits.
  init(isShortest: Bool = false) {
    self.isShortest = isShortest
    symbols = PrefixCode(count: 286, limit: isShortest ? 15 : 12, isShortest: isShortest)
    distances = PrefixCode(count: 30, limit: isShortest ? 15 : 8, isShortest: isShortest)
    lengthsOfCodes = PrefixCode(count: 19, limit: 7, isShortest: isShortest)
    let tokens = Int(PNGTokenCount)
    counts = .allocate(capacity: tokens)
    counts.initialize(repeating: 0, count: tokens)
    table = .allocate(capacity: tokens)
    table.initialize(repeating: 0, count: tokens)
    symbolCounts = .allocate(capacity: 286 + 30 + 19)
    symbolCounts.initialize(repeating: 0, count: 286 + 30 + 19)
    words = .allocate(capacity: 320)
    words.initialize(repeating: 0, count: 320)
    joined = .allocate(capacity: 320)
    joined.initialize(repeating: 0, count: 320)
    // Tokens of raw bits are their own code.
    for count in 1...8 {
      for bits in 0..<1 << count {
        table[Int(PNGTokenBits) + (1 << count) - 2 + bits] = UInt32(bits << 6 | count)
      }
    }
  }

  deinit {
    counts.deallocate()
    table.deallocate()
    symbolCounts.deallocate()
    words.deallocate()
    joined.deallocate()
  }

  func clearCounts() { counts.update(repeating: 0, count: Int(PNGTokenCount)) }

  /// Fits the codes to the counted tokens, and returns the block's size in bits. `bytesPerPixel` is
  /// the distance of runs.
  func fit(bytesPerPixel: Int) -> Int {
    let runDistance = Self.distance(bytesPerPixel)
    countSymbols(runDistance.symbol)
    let bits = fitSymbols()
    fillTable(runDistance)
    return bits
  }

  /// The size of a block in bits, given its symbol counts; the end symbol is added.
  func bits(ofSymbols counts: UnsafePointer<UInt32>) -> Int {
    symbolCounts.update(from: counts, count: Int(PNGSymbolCount))
    symbolCounts[256] = 1
    ensureOneDistance()
    return fitSymbols()
  }

  private func fitSymbols() -> Int {
    symbols.fit(symbolCounts)
    distances.fit(symbolCounts + 286)
    fitHead()
    var bits = headBits
    for symbol in 0..<286 { bits += Int(symbolCounts[symbol]) * Int(symbols.lengths[symbol]) }
    for symbol in 0..<29 {
      bits += Int(symbolCounts[257 + symbol]) * DeflateLength.bitCount(symbol)
    }
    for symbol in 0..<30 {
      bits +=
        Int(symbolCounts[286 + symbol])
        * (Int(distances.lengths[symbol]) + DeflateLength.extraBits(ofDistance: symbol))
    }
    return bits
  }

  /// The symbol and extra bits of a distance up to 8.
  private static func distance(_ distance: Int) -> (symbol: Int, bits: Int, count: Int) {
    distance <= 4 ? (distance - 1, 0, 0) : (distance <= 6 ? 4 : 5, (distance - 5) & 1, 1)
  }

  private func countSymbols(_ runSymbol: Int) {
    let distanceCounts = symbolCounts + 286
    symbolCounts.update(from: counts, count: 256)
    (symbolCounts + 256).update(repeating: 0, count: 30)
    symbolCounts[256] = 1
    for symbol in 0..<30 { distanceCounts[symbol] = counts[Int(PNGTokenDistance) + symbol] }
    var runs: UInt32 = 0
    for length in 3...258 {
      let run = counts[Int(PNGTokenRun) + length]
      let count = run &+ counts[Int(PNGTokenLength) + length]
      guard count > 0 else { continue }
      runs &+= run
      symbolCounts[257 + lengths[length].symbol] &+= count
    }
    distanceCounts[runSymbol] &+= runs
    ensureOneDistance()
  }

  /// Some decoders require at least one distance code.
  private func ensureOneDistance() {
    let counts = symbolCounts + 286
    if (0..<30).allSatisfy({ counts[$0] == 0 }) { counts[0] = 1 }
  }

  private func fillTable(_ run: (symbol: Int, bits: Int, count: Int)) {
    func entry(_ code: PrefixCode.Word) -> UInt32 { code.bits << 6 | UInt32(code.count) }
    for byte in 0...256 { table[byte] = entry(symbols[byte]) }
    var distance = distances[run.symbol]
    distance.add(UInt32(run.bits), run.count)
    for length in 3...258
    where counts[Int(PNGTokenRun) + length] | counts[Int(PNGTokenLength) + length] > 0 {
      let known = lengths[length]
      var word = symbols[257 + known.symbol]
      word.add(known.bits, known.bitCount)
      table[Int(PNGTokenLength) + length] = entry(word)
      word.add(distance.bits, distance.count)
      table[Int(PNGTokenRun) + length] = entry(word)
    }
    for symbol in 0..<30 { table[Int(PNGTokenDistance) + symbol] = entry(distances[symbol]) }
  }

  /// Run-length codes all code lengths, and fits the code of the resulting words.
  private func fitHead() {
    fitHead(HeadStyle())
    guard isShortest else { return }
    // Rare repeat words may cost more than they save.
    var (best, bestBits) = (HeadStyle(), headBits)
    for style in HeadStyle.others {
      fitHead(style)
      if headBits < bestBits { (best, bestBits) = (style, headBits) }
    }
    fitHead(best)
  }

  /// Which repeat words the header may use.
  private struct HeadStyle {
    var repeatsLengths = true
    var repeatsZeros = true
    var repeatsManyZeros = true

    static let others: [HeadStyle] = (0..<7).map { bits in
      HeadStyle(
        repeatsLengths: bits & 1 != 0, repeatsZeros: bits & 2 != 0,
        repeatsManyZeros: bits & 4 != 0)
    }
  }

  private func fitHead(_ style: HeadStyle) {
    let counts = symbolCounts + 286 + 30
    counts.update(repeating: 0, count: 19)
    wordCount = 0
    func add(_ word: Int, _ extra: Int = 0) {
      words[wordCount] = UInt16(word | extra << 5)
      wordCount += 1
      counts[word] += 1
    }
    let total = joinLengths()
    var index = 0
    while index < total {
      let value = joined[index]
      var end = index + 1
      while joined[end] == value { end += 1 }
      var repeats = end - index
      if value == 0 {
        while repeats >= 11, style.repeatsManyZeros {
          let some = min(repeats, 138)
          add(18, some - 11)
          repeats -= some
        }
        while repeats >= 3, style.repeatsZeros {
          let some = min(repeats, 10)
          add(17, some - 3)
          repeats -= some
        }
      } else {
        add(Int(value))
        repeats -= 1
        while repeats >= 3, style.repeatsLengths {
          let some = min(repeats, 6)
          add(16, some - 3)
          repeats -= some
        }
      }
      for _ in 0..<repeats { add(Int(value)) }
      index = end
    }
    lengthsOfCodes.fit(counts)
    headBits = 17 + 3 * usedLengthsOfCodes
    for word in 0..<19 {
      headBits +=
        Int(counts[word]) * (Int(lengthsOfCodes.lengths[word]) + Self.extraBits(ofWord: word))
    }
  }

  /// Joins the lengths of both codes, which the header stores one after the other, and returns how
  /// many they are. An impossible length ends them.
  private func joinLengths() -> Int {
    let (used, usedDistances) = (symbols.usedCount, distances.usedCount)
    joined.update(from: symbols.lengths, count: used)
    (joined + used).update(from: distances.lengths, count: usedDistances)
    joined[used + usedDistances] = .max
    return used + usedDistances
  }

  private static func extraBits(ofWord word: Int) -> Int {
    switch word {
    case 16: 2
    case 17: 3
    case 18: 7
    default: 0
    }
  }

  /// The order in which the header stores the lengths of its own codes.
  private static let order: InlineArray<19, UInt8> = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
  ]

  private var usedLengthsOfCodes: Int {
    var used = 19
    while used > 4, lengthsOfCodes.lengths[Int(Self.order[used - 1])] == 0 { used -= 1 }
    return used
  }

  /// Writes the block header. The caller writes the tokens and the end symbol.
  func writeHead(isLast: Bool, to bits: inout PNGBits) {
    bits.add(isLast ? 5 : 4, 3)
    bits.add(UInt32(symbols.usedCount - 257), 5)
    bits.add(UInt32(distances.usedCount - 1), 5)
    let used = usedLengthsOfCodes
    bits.add(UInt32(used - 4), 4)
    for index in 0..<used { bits.add(UInt32(lengthsOfCodes.lengths[Int(Self.order[index])]), 3) }
    for index in 0..<wordCount {
      let word = Int(words[index] & 31)
      var code = lengthsOfCodes[word]
      code.add(UInt32(words[index] >> 5), Self.extraBits(ofWord: word))
      bits.add(code.bits, code.count)
    }
  }
}

extension PrefixCode {
  /// A sequence of bits, the first one lowest.
  struct Word {
    var bits: UInt32
    var count: Int

    @inline(__always)
    mutating func add(_ more: UInt32, _ number: Int) {
      bits |= more &<< UInt32(count)
      count += number
    }
  }

  /// A symbol's code.
  subscript(symbol: Int) -> Word {
    @inline(__always) get { Word(bits: UInt32(codes[symbol]), count: Int(lengths[symbol])) }
  }
}

extension PNGBits {
  /// Appends bits, the first one lowest.
  @inline(__always)
  mutating func add(_ more: UInt32, _ number: Int) {
    bits |= UInt64(more) &<< UInt64(count)
    count += UInt32(number)
    UnsafeMutableRawPointer(next).storeBytes(of: bits.littleEndian, as: UInt64.self)
    next += Int(count >> 3)
    bits &>>= UInt64(count & 56)
    count &= 7
  }
}
