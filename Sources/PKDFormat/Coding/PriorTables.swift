/// How likely each token is, by kind and context. The statistics come with the program and never
/// change: a file names them by a number, and what was written with them can be read for ever.
package struct PriorTables: Sendable {
  /// The counts of all tokens of a context sum up to this.
  package static let total = 1024
  static let totalBits = 10

  /// For each kind, context and token how many of 1024 it is.
  package let counts: [UInt16]
  /// For each kind and context a record, so that all that a number needs lies near one place: first
  /// a byte for each of 1024 entries, the token that a state stands for; then a word for each token,
  /// its count and in the lower half its first entry.
  private let records: [UInt32]

  package static func place(_ kind: SymbolKind, _ context: Int) -> Int {
    kind.rawValue * History.classCount + context
  }

  package init(counts: [UInt16]) {
    let tableCount = SymbolKind.allCases.count * History.classCount
    precondition(counts.count == tableCount * Token.count, "a count for every token")
    self.counts = counts
    var records = [UInt32](repeating: 0, count: tableCount * Self.recordWords)
    records.withUnsafeMutableBytes { records in
      for table in 0..<tableCount {
        let record = UnsafeMutableRawBufferPointer(
          rebasing: records[table * Self.recordBytes..<(table + 1) * Self.recordBytes])
        var start = 0
        for token in 0..<Token.count {
          let count = Int(counts[table * Token.count + token])
          record.storeBytes(
            of: UInt32(count) << 16 | UInt32(start), toByteOffset: Self.total + 4 * token,
            as: UInt32.self)
          for entry in start..<start + count { record[entry] = UInt8(token) }
          start += count
        }
        precondition(start == Self.total, "the counts of a context sum up to 1024")
      }
    }
    self.records = records
  }

  private static let recordWords = total / 4 + Token.count
  static let recordBytes = 4 * recordWords

  /// The count of a token, and in the lower half its first entry.
  @inline(__always)
  func span(_ kind: SymbolKind, _ context: Int, _ token: Int) -> UInt32 {
    records[Self.place(kind, context) &* Self.recordWords &+ Self.total / 4 &+ token]
  }

  /// Gives the tables that decoding needs.
  func withPointers<Result, Failure: Error>(
    _ body: (TablePointers) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try records.withUnsafeBufferPointer { (records) throws(Failure) in
      try Token.ranges.withUnsafeBufferPointer { (ranges) throws(Failure) in
        try Self.recordPlaces.withUnsafeBufferPointer { (places) throws(Failure) in
          try body(
            TablePointers(
              records: UnsafeRawBufferPointer(records), ranges: ranges, recordPlaces: places))
        }
      }
    }
  }

  /// For each size that a history may expect the place of its context's record behind the kind's
  /// first. Only the beginning is used much, so looking there is faster than counting zeros.
  static let recordPlaces: [UInt16] = (0..<History.classCount).flatMap { context in
    repeatElement(UInt16(context * recordBytes), count: History.sizes(of: context).count)
  }

  /// The tables that files are written with.
  static let shipped = PriorTables(counts: unpack(PriorData.first))

  /// Unpacks counts from text. The letters are numbers from 0 to 64, beginning with `0`: below 47
  /// they are counts themselves; up to 63 they are the higher part of a count whose lower one, below
  /// 64, follows; and behind 64 comes how many zeros more than two there are.
  private static func unpack(_ text: StaticString) -> [UInt16] {
    var counts: [UInt16] = []
    counts.reserveCapacity(SymbolKind.allCases.count * History.classCount * Token.count)
    text.withUTF8Buffer { letters in
      var place = 0
      while place < letters.count {
        let number = UInt16(letters[place] - firstLetter)
        place += 1
        if number < 47 {
          counts.append(number)
          continue
        }
        let next = UInt16(letters[place] - firstLetter)
        place += 1
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

  /// The text that `unpack` reads.
  package static func pack(_ counts: [UInt16]) -> String {
    var letters: [UInt8] = []
    var place = 0
    while place < counts.count {
      let zeros = counts[place...].prefix(65).prefix { $0 == 0 }.count
      if zeros >= 2 {
        letters += [64, UInt8(zeros - 2)]
        place += zeros
        continue
      }
      let count = counts[place]
      letters += count < 47 ? [UInt8(count)] : [47 + UInt8(count >> 6), UInt8(count & 63)]
      place += 1
    }
    return String(decoding: letters.map { $0 + firstLetter }, as: UTF8.self)
  }
}

/// The tables of decoding, in memory.
struct TablePointers {
  let records: UnsafeRawBufferPointer
  let ranges: UnsafeBufferPointer<Token.Range>
  let recordPlaces: UnsafeBufferPointer<UInt16>
}
