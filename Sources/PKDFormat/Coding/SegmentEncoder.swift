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
  private var rawBits: [UInt32] = []

  /// One number, ready to be coded.
  private struct Symbol {
    /// Its token's count and first entry.
    var span: UInt32 = 0
    var bits: UInt32 = 0
    var bitCount: UInt8 = 0
    var lane: UInt8 = 0
  }

  init(_ tables: PriorTables = .shipped) { self.tables = tables }

  /// The bytes of a segment.
  mutating func encode(_ segment: Segment, lanes: Int, into writer: inout ByteWriter) {
    gather(segment, lanes: lanes)
    for state in codeTokens().prefix(lanes) { writer.littleEndian(UInt64(state), count: 4) }
    writeRawBits(into: &writer)
    // The last word that coding made is the first that reading needs, and reading begins at the end.
    words.withUnsafeBytes { writer.append($0) }
  }

  static let lowestState: UInt32 = 1 << 16

  /// Codes the tokens of all numbers, the last one first, and gives the states that this ends with.
  private mutating func codeTokens() -> [UInt32] {
    words.removeAll(keepingCapacity: true)
    var states = InlineArray<4, UInt32>(repeating: Self.lowestState)
    for symbol in symbols.reversed() {
      let lane = Int(symbol.lane & 3)
      let count = symbol.span >> 16
      var state = states[lane]
      if state >> UInt32(32 - PriorTables.totalBits) >= count {
        words.append(UInt16(truncatingIfNeeded: state).littleEndian)
        state >>= 16
      }
      let (quotient, rest) = state.quotientAndRemainder(dividingBy: count)
      states[lane] = quotient &<< UInt32(PriorTables.totalBits) &+ rest &+ (symbol.span & 0xFFFF)
    }
    return states.indices.map { states[$0] }
  }

  /// The raw bits of all numbers, the first in the lowest bit of the first byte.
  private mutating func writeRawBits(into writer: inout ByteWriter) {
    rawBits.removeAll(keepingCapacity: true)
    var (bits, bitCount): (UInt64, UInt64) = (0, 0)
    for symbol in symbols {
      bits |= UInt64(symbol.bits) &<< bitCount
      bitCount &+= UInt64(symbol.bitCount)
      if bitCount >= 32 {
        rawBits.append(UInt32(truncatingIfNeeded: bits).littleEndian)
        bits &>>= 32
        bitCount &-= 32
      }
    }
    rawBits.withUnsafeBytes { writer.append($0) }
    writer.littleEndian(bits, count: Int(bitCount + 7) / 8)
  }

  private mutating func gather(_ segment: Segment, lanes: Int) {
    // A sparse column may have one number more than it has values.
    let most = segment.values.count + segment.columns.count
    if symbols.count < most {
      symbols.append(contentsOf: repeatElement(Symbol(), count: most - symbols.count))
    }
    let tables = tables
    let count = symbols.withUnsafeMutableBufferPointer { symbols in
      Token.ranges.withUnsafeBufferPointer { ranges in
        segment.forEachSymbol(lanes: lanes) { kind, context, order, lane, value in
          var token = Token.of(value)
          var span = tables.span(kind, context, token)
          if span >> 16 == 0 {
            token = Token.escape
            span = tables.span(kind, context, token)
          }
          symbols[order] = Symbol(
            span: span, bits: value &- ranges[token].base,
            bitCount: UInt8(truncatingIfNeeded: ranges[token].bitCount),
            lane: UInt8(truncatingIfNeeded: lane))
        }
      }
    }
    symbols.removeLast(symbols.count - count)
  }
}

extension Segment {
  /// Walks through all numbers, lane by lane, with their contexts and their places in the order in
  /// which they are read. Gives how many there are.
  @inline(__always)
  func forEachSymbol(
    lanes: Int,
    _ body: (_ kind: SymbolKind, _ context: Int, _ order: Int, _ lane: Int, _ value: UInt32) -> Void
  ) -> Int {
    var order = 0
    for run in runs {
      let (length, longer) = run.numbers.count.quotientAndRemainder(dividingBy: lanes)
      let companion = run.companion.map { $0 - run.numbers.startIndex }
      var end = run.numbers.startIndex
      for lane in 0..<lanes {
        let start = end
        end += length + (lane < longer ? 1 : 0)
        var history = History(run.kind)
        var place = order + lane
        for index in start..<end {
          let value = run.numbers[index]
          let context =
            companion.map { history.context(beside: values[$0 + index]) } ?? history.context
          body(run.kind, context, place, lane, value)
          history.add(value)
          place += lanes
        }
      }
      order += run.numbers.count
    }
    return order
  }

  /// Numbers that are read one after the other.
  private struct Run {
    let kind: SymbolKind
    let numbers: ArraySlice<UInt32>
    var companion: Int?
  }

  /// The columns, with what sparse ones are told by.
  private var runs: [Run] {
    var runs: [Run] = []
    runs.reserveCapacity(columns.count)
    for column in columns where !column.range.isEmpty {
      if column.kind.isSparse {
        let sparse = SparseColumn(values[column.range])
        runs.append(Run(kind: .gap, numbers: [sparse.map { UInt32($0.numbers.count + 1) } ?? 0]))
        if let sparse {
          runs.append(Run(kind: .gap, numbers: sparse.gaps[...]))
          runs.append(Run(kind: column.kind, numbers: sparse.numbers[...]))
          continue
        }
      }
      runs.append(
        Run(kind: column.kind, numbers: values[column.range], companion: column.companion))
    }
    return runs
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
