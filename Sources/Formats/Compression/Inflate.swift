/// Decompresses deflate streams (RFC 1951) in the frames of zlib (RFC 1950) and gzip (RFC 1952).
package enum Inflate {
  /// The decompressed bytes of a stream. Bytes behind it are ignored, also further members of gzip.
  /// Throws if it is damaged, or has more than `limit` bytes when decompressed.
  package static func inflate(_ compressed: [UInt8], limit: Int) throws(InflateError) -> [UInt8] {
    try compressed.withUnsafeBufferPointer { (bytes) throws(InflateError) in
      let frame = try Frame(bytes)
      var inflater = Inflater(bytes, from: frame.offset, limit: limit)
      defer { inflater.deallocate() }
      try inflater.inflateBlocks()
      inflater.input.alignToByte()
      try frame.check(inflater.output, followedBy: &inflater.input)
      return Array(inflater.output)
    }
  }

  /// The decompressed bytes of a deflate stream without a frame.
  package static func inflate(
    withoutFrame compressed: ArraySlice<UInt8>, limit: Int
  ) throws(InflateError) -> [UInt8] {
    try compressed.withUnsafeBufferPointer { (bytes) throws(InflateError) in
      var inflater = Inflater(bytes, from: 0, limit: limit)
      defer { inflater.deallocate() }
      try inflater.inflateBlocks()
      return Array(inflater.output)
    }
  }

  /// The first decompressed bytes of a stream that may be damaged or truncated, at most `count`,
  /// for recognizing the content.
  package static func prefix(of compressed: [UInt8], count: Int) -> [UInt8] {
    let frame = compressed.withUnsafeBufferPointer { try? Frame($0) }
    return frame.map { prefix(withoutFrame: compressed[$0.offset...], count: count) } ?? []
  }

  /// The first decompressed bytes of such a stream without a frame.
  static func prefix(withoutFrame compressed: ArraySlice<UInt8>, count: Int) -> [UInt8] {
    compressed.prefix(4 * count + 4096).withUnsafeBufferPointer { bytes in
      var inflater = Inflater(bytes, from: 0, limit: count)
      defer { inflater.deallocate() }
      do throws(InflateError) { try inflater.inflateBlocks() } catch {}
      return Array(inflater.output.prefix(count))
    }
  }
}

/// Decodes the blocks of one stream.
private struct Inflater {
  var input: BitInput
  private let limit: Int
  private var buffer: UnsafeMutableBufferPointer<UInt8>
  /// The number of bytes in the buffer.
  private var position = 0

  /// The maximum number of bytes that a decoding step writes: the longest match, and the excess of
  /// copies beyond it.
  private static let margin = 320

  /// The limits are lowered to this, so that sums of sizes do not overflow.
  private static let maximumLimit = Int.max >> 2

  /// A fresh inflater.
  init(_ bytes: UnsafeBufferPointer<UInt8>, from offset: Int, limit: Int) {
    input = BitInput(bytes, from: offset)
    self.limit = min(max(limit, 0), Self.maximumLimit)
    // Ink and other small numbers compress to about half their size.
    let first = min(self.limit, 4 * min(bytes.count, Self.maximumLimit / 8) + 4096)
    buffer = .allocate(capacity: first + 2 * Self.margin)
  }

  func deallocate() { buffer.deallocate() }

  var output: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: buffer[..<position])
  }

  private var start: UnsafeMutablePointer<UInt8> {
    guard let start = buffer.baseAddress else { preconditionFailure("no memory") }
    return start
  }

  /// Makes room for a margin behind `more` bytes; throws if there are more bytes than the limit.
  private mutating func reserve(_ more: Int = 0) throws(InflateError) {
    guard position + more <= limit else { throw input.error(.tooLarge(limit: limit)) }
    let needed = position + more + Self.margin
    guard needed > buffer.count else { return }
    let larger = UnsafeMutableBufferPointer<UInt8>.allocate(
      capacity: max(needed, min(2 * buffer.count, limit + 2 * Self.margin)))
    UnsafeMutableRawBufferPointer(larger).copyMemory(from: UnsafeRawBufferPointer(output))
    buffer.deallocate()
    buffer = larger
  }

  mutating func inflateBlocks() throws(InflateError) {
    var isLast = false
    while !isLast {
      guard let header = input.take(3) else { throw input.error(.truncated) }
      isLast = header & 1 == 1
      switch header >> 1 {
      case 0: try copyStored()
      case 1: try decode(Self.fixed.literals, Self.fixed.distances)
      case 2:
        let (literals, distances) = try readTables()
        try decode(literals, distances)
      default: throw input.error(.blockType)
      }
    }
    try reserve()
  }

  private mutating func copyStored() throws(InflateError) {
    input.alignToByte()
    guard let lengths = input.takeWord() else { throw input.error(.truncated) }
    let length = Int(lengths & 0xFFFF)
    guard length == Int(~lengths >> 16) else { throw input.error(.storedLength) }
    // The available bytes of a truncated block are kept, since they show the content of the stream.
    let allowed = min(length, max(limit - position, 0))
    try reserve(allowed)
    let copied = input.copyBytes(allowed, to: start + position)
    position += copied
    guard allowed == length else { throw input.error(.tooLarge(limit: limit)) }
    guard copied == length else { throw input.error(.truncated) }
  }

  /// The codes of blocks without codes of their own.
  private static let fixed: (literals: PrefixTable, distances: PrefixTable) = {
    let lengths = [(144, 8), (112, 9), (24, 7), (8, 8)].flatMap { count, length in
      [UInt8](repeating: UInt8(length), count: count)
    }
    guard let literals = PrefixTable(lengths, .literals),
      let distances = PrefixTable([UInt8](repeating: 5, count: 32), .distances)
    else { preconditionFailure("the fixed codes are complete") }
    return (literals, distances)
  }()

  /// The order in which the lengths of the codes of code lengths are stored.
  private static let lengthOrder = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
  ]

  /// Reads the codes of a block.
  private mutating func readTables() throws(InflateError) -> (
    literals: PrefixTable, distances: PrefixTable
  ) {
    guard let counts = input.take(14) else { throw input.error(.truncated) }
    let (literalCount, distanceCount) = (counts & 31 + 257, counts >> 5 & 31 + 1)
    guard literalCount <= 286, distanceCount <= 30 else { throw input.error(.symbolCount) }
    var codeLengths = [UInt8](repeating: 0, count: 19)
    for symbol in Self.lengthOrder.prefix(counts >> 10 + 4) {
      guard let length = input.take(3) else { throw input.error(.truncated) }
      codeLengths[symbol] = UInt8(length)
    }
    guard let code = PrefixTable(codeLengths, .codeLengths) else {
      throw input.error(.lengthCode)
    }
    var lengths: [UInt8] = []
    lengths.reserveCapacity(literalCount + distanceCount)
    while lengths.count < literalCount + distanceCount {
      let symbol = try decode(code).value
      var (length, count) = (UInt8(truncatingIfNeeded: symbol), 1)
      if symbol >= 16 {
        guard let more = input.take(symbol == 16 ? 2 : symbol == 17 ? 3 : 7) else {
          throw input.error(.truncated)
        }
        count = more + (symbol == 18 ? 11 : 3)
        length = 0
        if symbol == 16 {
          guard let last = lengths.last else { throw input.error(.lengthRepeat) }
          length = last
        }
        guard lengths.count + count <= literalCount + distanceCount else {
          throw input.error(.lengthRepeat)
        }
      }
      lengths.append(contentsOf: repeatElement(length, count: count))
    }
    guard lengths[256] != 0 else { throw input.error(.noEndOfBlock) }
    guard let literals = PrefixTable(lengths[..<literalCount], .literals) else {
      throw input.error(.literalCode)
    }
    guard let distances = PrefixTable(lengths[literalCount...], .distances) else {
      throw input.error(.distanceCode)
    }
    return (literals, distances)
  }

  /// Decodes a symbol of a code, near the end of the input too.
  private mutating func decode(_ table: PrefixTable) throws(InflateError) -> PrefixTable.Entry {
    let entry = try find(table)
    input.skip(entry.length)
    return entry
  }

  /// The entry of the next symbol, all of whose bits there are. Links are followed.
  private mutating func find(_ table: PrefixTable) throws(InflateError) -> PrefixTable.Entry {
    input.refill()
    var entry = table.entries[Int(input.bits & (1 << UInt64(table.indexBits) - 1))]
    if entry.isOther, entry.isLink {
      let rest = input.bits >> UInt64(table.indexBits)
      entry = table.entries[entry.value + Int(rest & (1 << UInt64(entry.length) - 1))]
    }
    guard entry.length <= input.bitCount else { throw input.error(.truncated) }
    return entry
  }

  /// Decodes the symbols of a block.
  private mutating func decode(
    _ literals: PrefixTable, _ distances: PrefixTable
  ) throws(InflateError) {
    while true {
      try reserve()
      if try decodeFast(literals, distances) { return }
      try reserve()
      // One symbol near the end of the input, or where the buffer has to grow.
      let entry = try find(literals)
      if entry.isLiteral {
        input.skip(entry.length)
        store(entry)
      } else if entry.isOther {
        guard entry.isEndOfBlock else { throw input.error(.literal) }
        input.skip(entry.length)
        return
      } else {
        let length = entry.value(with: input.bits)
        input.skip(entry.length)
        let distance = try find(distances)
        guard !distance.isOther else { throw input.error(.distance) }
        let offset = distance.value(with: input.bits)
        input.skip(distance.length)
        guard offset <= position else { throw input.error(.distanceTooFar) }
        Self.copy(length, from: offset, to: start + position)
        position += length
      }
    }
  }

  private mutating func store(_ entry: PrefixTable.Entry) {
    start[position] = entry.literal
    position += 1
  }

  /// Decodes symbols while there are margins of input and output; true at the end of the block.
  private mutating func decodeFast(
    _ literals: PrefixTable, _ distances: PrefixTable
  ) throws(InflateError) -> Bool {
    let output = start
    let end = buffer.count - Self.margin
    var (input, position) = (input, position)
    defer { (self.input, self.position) = (input, position) }
    return try literals.entries.withUnsafeBufferPointer { (first) throws(InflateError) -> Bool in
      try distances.entries.withUnsafeBufferPointer { (second) throws(InflateError) -> Bool in
        let (literalEntries, distanceEntries) = (first.base, second.base)
        let literalMask = UInt64(1) << UInt64(literals.indexBits) - 1
        let distanceMask = UInt64(1) << UInt64(distances.indexBits) - 1
        let (literalBits, distanceBits) = (
          UInt64(literals.indexBits), UInt64(distances.indexBits)
        )
        @inline(__always) func next() -> PrefixTable.Entry {
          literalEntries[Int(truncatingIfNeeded: input.bits & literalMask)]
        }
        @inline(__always) func store(_ entry: PrefixTable.Entry) {
          input.skip(entry.length)
          output[position] = entry.literal
          position &+= 1
        }
        while input.hasMargin, position <= end {
          input.refillWithMargin()
          var entry = next()
          // Of 56 bits, three literals of the first table leave at least 26.
          if entry.isLiteral {
            store(entry)
            entry = next()
            if entry.isLiteral {
              store(entry)
              entry = next()
              if entry.isLiteral {
                store(entry)
                continue
              }
            }
            input.refillWithMargin()
          }
          if entry.isOther {
            if entry.isLink {
              let rest = input.bits &>> literalBits
              let index = rest & ((1 &<< UInt64(entry.length)) &- 1)
              entry = literalEntries[entry.value &+ Int(truncatingIfNeeded: index)]
              if entry.isLiteral {
                store(entry)
                continue
              }
            }
            if entry.isOther {
              guard entry.isEndOfBlock else { throw input.error(.literal) }
              input.skip(entry.length)
              return true
            }
          }
          // A length takes at most 20 bits, and a distance 28.
          let length = entry.value(with: input.bits)
          input.skip(entry.length)
          var distance = distanceEntries[Int(truncatingIfNeeded: input.bits & distanceMask)]
          if distance.isOther {
            if distance.isLink {
              let rest = input.bits &>> distanceBits
              let index = rest & ((1 &<< UInt64(distance.length)) &- 1)
              distance = distanceEntries[distance.value &+ Int(truncatingIfNeeded: index)]
            }
            guard !distance.isOther else { throw input.error(.distance) }
          }
          let offset = distance.value(with: input.bits)
          input.skip(distance.length)
          guard offset <= position else { throw input.error(.distanceTooFar) }
          Self.copy(length, from: offset, to: output + position)
          position &+= length
        }
        return false
      }
    }
  }

  /// Repeats bytes from an offset before the output. Up to 31 bytes behind them are written too.
  @inline(__always)
  private static func copy(_ length: Int, from offset: Int, to output: UnsafeMutablePointer<UInt8>)
  {
    let target = UnsafeMutableRawPointer(output)
    let source = UnsafeRawPointer(output) - offset
    var index = 0
    if offset >= 16 {
      repeat {
        target.storeBytes(
          of: source.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self),
          toByteOffset: index, as: SIMD16<UInt8>.self)
        index &+= 16
      } while index < length
    } else if offset >= 8 {
      repeat {
        target.storeBytes(
          of: source.loadUnaligned(fromByteOffset: index, as: UInt64.self), toByteOffset: index,
          as: UInt64.self)
        index &+= 8
      } while index < length
    } else if offset == 1 {
      let bytes = SIMD16<UInt8>(repeating: source.load(as: UInt8.self))
      repeat {
        target.storeBytes(of: bytes, toByteOffset: index, as: SIMD16<UInt8>.self)
        index &+= 16
      } while index < length
    } else {
      while index < length {
        output[index] = output[index &- offset]
        index &+= 1
      }
    }
  }
}
