/// Decodes the segments that `SegmentEncoder` writes.
///
/// The loop checks for the end once a round, and may read a little beyond both ends of a segment
/// before it notices. These bytes do not affect the numbers of an intact segment. Where the file
/// has too few bytes around a segment, it is copied into a buffer that has them.
struct SegmentDecoder {
  /// An upper bound of the bytes that a round takes from each end.
  private static let margin = 32

  private let tables: PriorTables
  private var buffer: [UInt8] = []

  init(_ tables: PriorTables = .shipped) { self.tables = tables }

  /// Decodes columns into `values`, which must be long enough for all of them.
  mutating func decode(
    _ bytes: [UInt8], in range: Range<Int>, columns: [SymbolColumn], lanes: Int,
    into values: inout [UInt32]
  ) throws(PKDError) {
    try withColumns(bytes, in: range, lanes: lanes) { read throws(PKDError) in
      for column in columns { try read(column, &values) }
    }
  }

  /// Decodes a column into its range of the values.
  typealias ColumnReading = (SymbolColumn, inout [UInt32]) throws(PKDError) -> Void

  /// Decodes columns one after the other. The closure chooses each column, so its length may depend
  /// on the numbers before it.
  mutating func withColumns<Result>(
    _ bytes: [UInt8], in range: Range<Int>, lanes: Int,
    _ body: (_ read: ColumnReading) throws(PKDError) -> Result
  ) throws(PKDError) -> Result {
    let error = PKDError(.entropy, at: range.lowerBound)
    guard range.count >= 4 * lanes else { throw error }
    let hasMargins =
      range.lowerBound >= Self.margin && range.upperBound + Self.margin <= bytes.count
    let start = hasMargins ? range.lowerBound : Self.margin
    if !hasMargins { fillBuffer(bytes[range]) }
    return try (hasMargins ? bytes : buffer).withUnsafeBufferPointer {
      (buffer) throws(PKDError) in
      try tables.withPointers { (pointers) throws(PKDError) in
        var stream = SymbolStream(
          UnsafeRawBufferPointer(buffer), from: start, to: start + range.count, lanes: lanes,
          tables: pointers)
        guard stream.hasValidStates else { throw error }
        let result = try body { (column, values) throws(PKDError) in
          guard !column.range.isEmpty else { return }
          let isRead = values.withUnsafeMutableBufferPointer { stream.read(column, into: $0) }
          guard isRead else { throw error }
        }
        guard stream.isAtEnd else { throw error }
        return result
      }
    }
  }

  private mutating func fillBuffer(_ bytes: ArraySlice<UInt8>) {
    buffer.removeAll(keepingCapacity: true)
    buffer.append(contentsOf: repeatElement(0, count: Self.margin))
    buffer.append(contentsOf: bytes)
    buffer.append(contentsOf: repeatElement(0, count: Self.margin))
  }
}

/// The states of a segment, and the positions at both of its ends, while it is decoded.
private struct SymbolStream {
  private let records: UnsafeRawPointer
  private let recordOffsets: UnsafePointer<UInt16>
  private let ranges: UnsafePointer<Token.Range>
  private let lanes: Int
  private var states: (UInt32, UInt32, UInt32, UInt32)
  /// The start of the raw bits.
  private let raw: UnsafeRawPointer
  /// The number of raw bits that were read.
  private var bitOffset: UInt = 0
  /// The end of the next word: words are read backwards.
  private var words: UnsafeRawPointer

  init(
    _ buffer: UnsafeRawBufferPointer, from: Int, to: Int, lanes: Int,
    tables: TablePointers
  ) {
    let base = buffer.start
    records = tables.records.start
    recordOffsets = tables.recordOffsets.start
    ranges = tables.ranges.start
    self.lanes = lanes
    let start = base + from
    let lowest = SegmentEncoder.lowestState
    states = (lowest, lowest, lowest, lowest)
    states.0 = UInt32(littleEndian: start.loadUnaligned(as: UInt32.self))
    if lanes == 4 {
      states.1 = UInt32(littleEndian: start.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
      states.2 = UInt32(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
      states.3 = UInt32(littleEndian: start.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
    }
    raw = start + 4 * lanes
    words = base + to
  }

  /// Whether encoding can end with these states.
  var hasValidStates: Bool {
    let lowest = SegmentEncoder.lowestState
    return min(states.0, states.1, states.2, states.3) >= lowest
  }

  /// Whether all bytes were used, padding bits are 0, and the states are those that encoding starts
  /// with.
  var isAtEnd: Bool {
    let lowest = SegmentEncoder.lowestState
    guard states == (lowest, lowest, lowest, lowest) else { return false }
    let rawBytes = (bitOffset + 7) / 8
    guard raw + Int(rawBytes) == words else { return false }
    let padding = rawBytes * 8 - bitOffset
    return padding == 0 || (words - 1).load(as: UInt8.self) >> UInt8(8 - padding) == 0
  }

  /// Whether words and raw bits have not met yet.
  @inline(__always)
  private static func isInside(
    _ raw: UnsafeRawPointer, _ bitOffset: UInt, _ words: UnsafeRawPointer
  ) -> Bool {
    raw + Int(bitPattern: bitOffset &>> 3) <= words
  }

  /// Decodes a column; false if the bytes end.
  mutating func read(
    _ column: SymbolColumn, into values: UnsafeMutableBufferPointer<UInt32>
  ) -> Bool {
    guard !column.range.isEmpty else { return true }
    let output = values.start + column.range.lowerBound
    let count = column.range.count
    if column.kind.isSparse {
      var flag: UInt32 = 0
      guard readOne(.gap, &flag, 1, companion: nil) else { return false }
      if flag > 0 {
        return readSparse(column.kind, output, count, numbers: Int(clamping: flag - 1))
      }
    }
    return readDense(
      column.kind, output, count, companion: column.companion.map { values.start + $0 })
  }

  private mutating func readDense(
    _ kind: SymbolKind, _ output: UnsafeMutablePointer<UInt32>, _ count: Int,
    companion: UnsafePointer<UInt32>?
  ) -> Bool {
    guard lanes == 4 else { return readOne(kind, output, count, companion: companion) }
    if kind.isWide {
      return readFour(kind, output, count, WideHistory(kind)) { history, _ in
        history.context &* PriorTables.recordBytes
      }
    }
    let recordOffsets = recordOffsets
    if let companion {
      return readFour(kind, output, count, History(kind)) { history, index in
        Int(recordOffsets[history.size(companion: companion[index])])
      }
    }
    return readFour(kind, output, count, History(kind)) { history, _ in
      Int(recordOffsets[history.size])
    }
  }

  /// Decodes the gaps and the nonzero numbers of a column, and writes the numbers behind their
  /// gaps.
  private mutating func readSparse(
    _ kind: SymbolKind, _ output: UnsafeMutablePointer<UInt32>, _ count: Int, numbers: Int
  ) -> Bool {
    guard numbers < (count + 1) / 2 else { return false }
    return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: max(2 * numbers, 1)) { buffer in
      let (gaps, others) = (buffer.start, buffer.start + numbers)
      guard readDense(.gap, gaps, numbers, companion: nil),
        readDense(kind, others, numbers, companion: nil)
      else { return false }
      output.update(repeating: 0, count: count)
      var position = 0
      for index in 0..<numbers {
        guard Int(clamping: gaps[index]) < count - position, others[index] < .max else {
          return false
        }
        position += Int(gaps[index])
        output[position] = others[index] + 1
        position += 1
      }
      return true
    }
  }

  private func records(of kind: SymbolKind) -> UnsafeRawPointer {
    records + PriorTables.index(kind, 0) * PriorTables.recordBytes
  }

  /// Decodes the next number of one lane.
  @inline(__always)
  private static func next(
    _ state: inout UInt32, _ record: UnsafeRawPointer, _ ranges: UnsafePointer<Token.Range>,
    _ raw: UnsafeRawPointer, _ bitOffset: inout UInt, _ words: inout UnsafeRawPointer
  ) -> UInt32 {
    let entry = state & 1023
    let token = Int(record.load(fromByteOffset: Int(entry), as: UInt8.self))
    let span = record.load(fromByteOffset: PriorTables.total &+ token &<< 2, as: UInt32.self)
    let next = (span &>> 16) &* (state &>> 10) &+ entry &- (span & 0xFFFF)
    // Without a branch, which would be mispredicted too often. All bits are set if a word is
    // needed.
    let needsWord = (Int64(next) &- Int64(SegmentEncoder.lowestState)) &>> 63
    let word = UInt32(UInt16(littleEndian: (words - 2).loadUnaligned(as: UInt16.self)))
    let missing = UInt32(truncatingIfNeeded: needsWord)
    state = next &<< (missing & 16) | word & missing
    words += Int(truncatingIfNeeded: needsWord) &<< 1
    let range = ranges[token]
    let bits =
      UInt64(
        littleEndian: (raw + Int(bitPattern: bitOffset &>> 3)).loadUnaligned(as: UInt64.self))
      &>> UInt64(bitOffset & 7)
    bitOffset &+= UInt(range.bitCount)
    return range.base &+ UInt32(truncatingIfNeeded: bits) & range.mask
  }

  @inline(__always)
  private mutating func readFour<Past: NumberHistory>(
    _ kind: SymbolKind, _ output: UnsafeMutablePointer<UInt32>, _ count: Int, _ fresh: Past,
    recordOffset: (Past, Int) -> Int
  ) -> Bool {
    let records = records(of: kind)
    let (length, longer) = count.quotientAndRemainder(dividingBy: 4)
    let starts = (
      0, length &+ min(1, longer), 2 &* length &+ min(2, longer), 3 &* length &+ longer
    )
    var (h0, h1, h2, h3) = (fresh, fresh, fresh, fresh)
    var (s0, s1, s2, s3) = states
    var (words, bitOffset) = (words, bitOffset)
    let (raw, ranges) = (raw, ranges)
    defer {
      states = (s0, s1, s2, s3)
      self.words = words
      self.bitOffset = bitOffset
    }
    @inline(__always)
    func step(_ state: inout UInt32, _ history: inout Past, _ index: Int) {
      let value = Self.next(
        &state, records + recordOffset(history, index), ranges, raw, &bitOffset, &words)
      output[index] = value
      history.add(value)
    }
    var round = 0
    while round < length {
      step(&s0, &h0, starts.0 &+ round)
      step(&s1, &h1, starts.1 &+ round)
      step(&s2, &h2, starts.2 &+ round)
      step(&s3, &h3, starts.3 &+ round)
      guard Self.isInside(raw, bitOffset, words) else { return false }
      round &+= 1
    }
    if longer > 0 { step(&s0, &h0, starts.0 &+ length) }
    if longer > 1 { step(&s1, &h1, starts.1 &+ length) }
    if longer > 2 { step(&s2, &h2, starts.2 &+ length) }
    return Self.isInside(raw, bitOffset, words)
  }

  /// Decodes numbers with the first state.
  private mutating func readOne(
    _ kind: SymbolKind, _ output: UnsafeMutablePointer<UInt32>, _ count: Int,
    companion: UnsafePointer<UInt32>?
  ) -> Bool {
    let records = records(of: kind)
    if kind.isWide {
      var history = WideHistory(kind)
      for index in 0..<count {
        let value = Self.next(
          &states.0, records + history.context &* PriorTables.recordBytes, ranges, raw, &bitOffset,
          &words)
        output[index] = value
        history.add(value)
        guard Self.isInside(raw, bitOffset, words) else { return false }
      }
      return true
    }
    var history = History(kind)
    for index in 0..<count {
      let size = companion.map { history.size(companion: $0[index]) } ?? history.size
      let value = Self.next(
        &states.0, records + Int(recordOffsets[size]), ranges, raw, &bitOffset, &words)
      output[index] = value
      history.add(value)
      guard Self.isInside(raw, bitOffset, words) else { return false }
    }
    return true
  }
}

/// The numbers before one, which its context follows from.
private protocol NumberHistory {
  mutating func add(_ value: UInt32)
}

extension History: NumberHistory {}
extension WideHistory: NumberHistory {}

// The start of memory that is never empty.

extension UnsafeRawBufferPointer {
  fileprivate var start: UnsafeRawPointer {
    guard let start = baseAddress else { preconditionFailure("no memory") }
    return start
  }
}

extension UnsafeBufferPointer {
  fileprivate var start: UnsafePointer<Element> {
    guard let start = baseAddress else { preconditionFailure("no memory") }
    return start
  }
}

extension UnsafeMutableBufferPointer {
  fileprivate var start: UnsafeMutablePointer<Element> {
    guard let start = baseAddress else { preconditionFailure("no memory") }
    return start
  }
}
