/// Codes segments with the shipped tables: range asymmetric numeral systems, as published by Jarek
/// Duda, with one or four states that take turns.
///
/// A column is cut into as many equal runs as there are states, and these advance together. The
/// bytes begin with the states, four each; the raw bits follow, and from the other end, backwards,
/// come the 16-bit words that the states are refilled with. Coding runs from the last number to the
/// first, so that reading can run forwards.
struct SegmentEncoder {
  private let tables: PriorTables
  private var symbols: [Symbol] = []
  private var words: [UInt16] = []

  /// One number, ready to be coded.
  private struct Symbol {
    /// Its token's count and first entry.
    let span: UInt32
    let lane: UInt8
    let bitCount: UInt8
    let bits: UInt32
  }

  init(_ tables: PriorTables = .shipped) { self.tables = tables }

  /// The bytes of a segment.
  mutating func encode(_ segment: Segment, lanes: Int, into writer: inout ByteWriter) {
    gather(segment, lanes: lanes)
    var states = [UInt32](repeating: Self.lowestState, count: lanes)
    words.removeAll(keepingCapacity: true)
    for symbol in symbols.reversed() {
      let count = symbol.span >> 16
      var state = states[Int(symbol.lane)]
      if state >> UInt32(32 - PriorTables.totalBits) >= count {
        words.append(UInt16(truncatingIfNeeded: state).littleEndian)
        state >>= 16
      }
      let (quotient, rest) = state.quotientAndRemainder(dividingBy: count)
      state = quotient &<< UInt32(PriorTables.totalBits) &+ rest &+ (symbol.span & 0xFFFF)
      states[Int(symbol.lane)] = state
    }
    for state in states { writer.littleEndian(UInt64(state), count: 4) }
    writer.append(rawBits())
    // The last word that coding made is the first that reading needs, and reading begins at the end.
    words.withUnsafeBytes { writer.append($0) }
  }

  static let lowestState: UInt32 = 1 << 16

  /// The raw bits of all numbers, the first in the lowest bit of the first byte.
  private func rawBits() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(symbols.count)
    var (bits, bitCount): (UInt64, UInt64) = (0, 0)
    for symbol in symbols where symbol.bitCount > 0 {
      bits |= UInt64(symbol.bits) &<< bitCount
      bitCount &+= UInt64(symbol.bitCount)
      while bitCount >= 8 {
        bytes.append(UInt8(truncatingIfNeeded: bits))
        bits &>>= 8
        bitCount &-= 8
      }
    }
    if bitCount > 0 { bytes.append(UInt8(truncatingIfNeeded: bits)) }
    return bytes
  }

  private mutating func gather(_ segment: Segment, lanes: Int) {
    symbols.removeAll(keepingCapacity: true)
    symbols.reserveCapacity(segment.values.count)
    segment.forEachSymbol(lanes: lanes) { kind, context, lane, value in
      let table = PriorTables.place(kind, context) * Token.count
      var token = Token.of(value)
      if tables.counts[table + token] == 0 { token = Token.escape }
      let (base, bitCount) = Token.range(of: token)
      symbols.append(
        Symbol(
          span: tables.spans[table + token], lane: UInt8(lane), bitCount: UInt8(bitCount),
          bits: value &- base))
    }
  }
}

extension Segment {
  /// Walks through all numbers in the order in which they are read, with their contexts.
  @inline(__always)
  func forEachSymbol(
    lanes: Int, _ body: (_ kind: SymbolKind, _ context: Int, _ lane: Int, _ value: UInt32) -> Void
  ) {
    for column in columns where !column.range.isEmpty {
      if column.kind.isSparse {
        let sparse = SparseColumn(values[column.range])
        body(.gap, History(.gap).context, 0, sparse.map { UInt32($0.numbers.count + 1) } ?? 0)
        if let sparse {
          walk(sparse.gaps[...], .gap, companion: nil, lanes: lanes, body)
          walk(sparse.numbers[...], column.kind, companion: nil, lanes: lanes, body)
          continue
        }
      }
      walk(values[column.range], column.kind, companion: column.companion, lanes: lanes, body)
    }
  }

  @inline(__always)
  private func walk(
    _ numbers: ArraySlice<UInt32>, _ kind: SymbolKind, companion: Int?, lanes: Int,
    _ body: (_ kind: SymbolKind, _ context: Int, _ lane: Int, _ value: UInt32) -> Void
  ) {
    let (length, longer) = numbers.count.quotientAndRemainder(dividingBy: lanes)
    var histories = InlineArray<4, History>(repeating: History(kind))
    for step in 0..<length + (longer > 0 ? 1 : 0) {
      for lane in 0..<(step < length ? lanes : longer) {
        let place = lane * length + min(lane, longer) + step
        let value = numbers[numbers.startIndex + place]
        let context =
          companion.map { histories[lane].context(beside: values[$0 + place]) }
          ?? histories[lane].context
        body(kind, context, lane, value)
        histories[lane].add(value)
      }
    }
  }
}

/// A column of which most numbers are 0, by the others.
private struct SparseColumn {
  /// How many zeros come before each of the others.
  private(set) var gaps: [UInt32] = []
  /// The others, less one.
  private(set) var numbers: [UInt32] = []

  /// Nil where telling all numbers is less.
  init?(_ values: ArraySlice<UInt32>) {
    guard values.count(where: { $0 != 0 }) * 2 < values.count else { return nil }
    var gap: UInt32 = 0
    for value in values {
      if value == 0 {
        gap += 1
      } else {
        gaps.append(gap)
        numbers.append(value - 1)
        gap = 0
      }
    }
  }
}
