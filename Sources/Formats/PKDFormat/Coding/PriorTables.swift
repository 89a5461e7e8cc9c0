/// The probability of each token by kind and context. These statistics are a part of the program
/// and never change: a file's header has their number, so it can always be read with the same ones.
package struct PriorTables: Sendable {
  /// The sum of the counts of all tokens of a context.
  package static let total = 1024
  static let totalBits = 10

  /// For each kind, context and token, its probability in 1024ths.
  package let counts: [UInt16]
  /// For each kind and context a record, so that decoding a number reads neighbouring memory. A
  /// record starts with a byte for each of 1024 entries: the token that a state stands for. A
  /// 32-bit word for each token follows: its count in the upper half, its first entry in the lower.
  private let records: [UInt32]

  /// The number of tables that are trained; those of wide kinds follow.
  static let trainedCount = SymbolKind.bits.rawValue * History.classCount
  /// The number of tables.
  static let tableCount = trainedCount + WideHistory.classCount

  /// The index of the table of a kind and context.
  package static func index(_ kind: SymbolKind, _ context: Int) -> Int {
    (kind.isWide ? trainedCount : kind.rawValue * History.classCount) + context
  }

  /// Tables from a count for each table and token. The counts of a table sum up to 1024.
  package init(counts: [UInt16]) {
    let tableCount = Self.tableCount
    precondition(counts.count == tableCount * Token.count, "a count for every token")
    self.counts = counts
    let wordCount = tableCount * Self.recordWords
    records = Array(unsafeUninitializedCapacity: wordCount) { words, initializedCount in
      counts.withUnsafeBufferPointer { counts in
        guard let counts = counts.baseAddress, let words = words.baseAddress else { return }
        var record = UnsafeMutableRawPointer(words)
        for table in 0..<tableCount {
          Self.fill(record, with: counts + table * Token.count)
          record += Self.recordBytes
        }
      }
      initializedCount = wordCount
    }
  }

  /// Fills a record with the counts of all tokens.
  private static func fill(_ record: UnsafeMutableRawPointer, with counts: UnsafePointer<UInt16>) {
    var start = 0
    for token in 0..<Token.count {
      // Eight entries at a time. Those too many are written again by the next token, or by the first
      // words.
      let entries = UInt64(token) &* 0x0101_0101_0101_0101
      let end = start &+ Int(counts[token])
      precondition(end <= total, "the counts of a context sum up to 1024")
      while start < end {
        record.storeBytes(of: entries, toByteOffset: start, as: UInt64.self)
        start &+= 8
      }
      start = end
    }
    precondition(start == total, "the counts of a context sum up to 1024")
    start = 0
    for token in 0..<Token.count {
      let count = UInt32(counts[token])
      record.storeBytes(
        of: count << 16 | UInt32(start), toByteOffset: total + 4 * token, as: UInt32.self)
      start += Int(count)
    }
  }

  private static let recordWords = total / 4 + Token.count
  static let recordBytes = 4 * recordWords

  /// A token's count in the upper half, its first entry in the lower.
  @inline(__always)
  func span(_ kind: SymbolKind, _ context: Int, _ token: Int) -> UInt32 {
    records[Self.index(kind, context) &* Self.recordWords &+ Self.total / 4 &+ token]
  }

  /// Calls the closure with pointers to the tables that decoding needs.
  func withPointers<Result, Failure: Error>(
    _ body: (TablePointers) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try records.withUnsafeBufferPointer { (records) throws(Failure) in
      try Token.ranges.withUnsafeBufferPointer { (ranges) throws(Failure) in
        try Self.recordOffsets.withUnsafeBufferPointer { (offsets) throws(Failure) in
          try body(
            TablePointers(
              records: UnsafeRawBufferPointer(records), ranges: ranges, recordOffsets: offsets))
        }
      }
    }
  }

  /// For each size that a history may expect, the offset of its context's record from the kind's
  /// first. Mostly the first entries are used, so a look-up is faster than counting leading zeros.
  static let recordOffsets: [UInt16] = (0..<History.classCount).flatMap { context in
    repeatElement(UInt16(context * recordBytes), count: History.sizes(of: context).count)
  }

  /// The tables that files are written with.
  package static let shipped = PriorTables(
    counts: unpack(PriorData.first) + unpack(PriorData.wide))

  /// The cost in 1024ths of a bit of a token of each count; 0 for none. Computed with whole
  /// numbers, alike on all machines, since writers choose by costs.
  static let costs: [Int] = (0...total).map { count in
    guard count > 0 else { return 0 }
    let exponent = Int.bitWidth - 1 - count.leadingZeroBitCount
    // The bits of the logarithm behind the point, one for each squaring.
    var (square, fraction) = (UInt64(count) << UInt64(31 - exponent), 0)
    for _ in 0..<10 {
      square = (square * square) >> 31
      fraction = fraction << 1 | Int(square >> 32)
      square >>= square >> 32
    }
    return (totalBits - exponent) << 10 - fraction
  }

  /// The cost of a number with each token in each table, with its raw bits.
  static let numberCosts: [UInt32] = shipped.counts.indices.map { index in
    var token = index % Token.count
    if shipped.counts[index] == 0 { token = Token.escape }
    let count = shipped.counts[index - index % Token.count + token]
    return UInt32(costs[Int(count)] + Token.range(of: token).bitCount << 10)
  }

  /// Unpacks counts from text. The letters from `0` on are the numbers 0 to 64. A number below 47
  /// is a count. One from 47 to 63 is 47 + the high bits of a count whose low six bits follow.
  /// Behind 64 comes a number of zeros, less two.
  private static func unpack(_ text: StaticString) -> [UInt16] {
    var counts: [UInt16] = []
    counts.reserveCapacity(tableCount * Token.count)
    text.withUTF8Buffer { letters in
      var index = 0
      while index < letters.count {
        let number = UInt16(letters[index] - firstLetter)
        index += 1
        if number < 47 {
          counts.append(number)
          continue
        }
        let next = UInt16(letters[index] - firstLetter)
        index += 1
        if number == 64 {
          counts.append(contentsOf: repeatElement(0, count: Int(next) + 2))
        } else {
          counts.append((number - 47) << 6 | next)
        }
      }
    }
    return counts
  }

  private static let firstLetter: UInt8 = 48

  /// Packs counts as the text that `unpack` reads.
  package static func pack(_ counts: [UInt16]) -> String {
    var letters: [UInt8] = []
    var index = 0
    while index < counts.count {
      let zeros = counts[index...].prefix(65).prefix { $0 == 0 }.count
      if zeros >= 2 {
        letters += [64, UInt8(zeros - 2)]
        index += zeros
        continue
      }
      let count = counts[index]
      letters += count < 47 ? [UInt8(count)] : [47 + UInt8(count >> 6), UInt8(count & 63)]
      index += 1
    }
    return String(decoding: letters.map { $0 + firstLetter }, as: UTF8.self)
  }
}

/// Pointers to the tables of decoding.
struct TablePointers {
  let records: UnsafeRawBufferPointer
  let ranges: UnsafeBufferPointer<Token.Range>
  let recordOffsets: UnsafeBufferPointer<UInt16>
}
