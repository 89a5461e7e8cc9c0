/// Codes segments by range asymmetric numeral systems (rANS), as published by Jarek Duda, with the
/// shipped tables and one or four interleaved states.
///
/// A column is divided into as many equal runs as there are states, and the runs advance together.
/// A segment starts with the states of four bytes each. The raw bits follow; at its end, stored
/// backwards, are the 16-bit words that refill the states. Encoding runs from the last number to
/// the first, so that decoding runs forwards.
struct SegmentEncoder {
  private let tables: PriorTables
  private var symbols: [Symbol] = []
  private var words: [UInt16] = []
  private var rawBits: [UInt32] = []

  /// A number, ready to be coded.
  private struct Symbol {
    /// Its token's count in the upper half, first entry in the lower.
    var span: UInt32 = 0
    var bits: UInt32 = 0
    var bitCount: UInt8 = 0
    var lane: UInt8 = 0
  }

  init(_ tables: PriorTables = .shipped) { self.tables = tables }

  /// Encodes a segment.
  mutating func encode(_ segment: Segment, lanes: Int, into writer: inout ByteWriter) {
    gather(segment, lanes: lanes)
    for state in codeTokens().prefix(lanes) { writer.littleEndian(UInt64(state), count: 4) }
    writeRawBits(into: &writer)
    // The last word that encoding made is the first that decoding needs, which starts at the end.
    words.withUnsafeBytes { writer.append($0) }
  }

  /// The state that encoding starts with, below which a decoder refills a state.
  static let lowestState: UInt32 = 1 << 16

  /// For each count above 1, 2⁶⁴ divided by it, rounded up: the upper half of its product with a
  /// state is the quotient, since a state has 32 bits and the error is below the count.
  private static let reciprocals: [UInt64] = (0...UInt64(PriorTables.total)).map { count in
    count < 2 ? 0 : UInt64.max / count + 1
  }

  /// Codes the tokens of all numbers, the last one first, and returns the final states.
  private mutating func codeTokens() -> [UInt32] {
    words.removeAll(keepingCapacity: true)
    let reciprocals = Self.reciprocals
    var states = InlineArray<4, UInt32>(repeating: Self.lowestState)
    for symbol in symbols.reversed() {
      let lane = Int(symbol.lane & 3)
      let count = symbol.span >> 16
      var state = states[lane]
      if state >> UInt32(32 - PriorTables.totalBits) >= count {
        words.append(UInt16(truncatingIfNeeded: state).littleEndian)
        state >>= 16
      }
      // A multiplication takes a fraction of a division's time.
      let quotient =
        count == 1
        ? state
        : UInt32(
          truncatingIfNeeded: reciprocals[Int(count)].multipliedFullWidth(by: UInt64(state)).high)
      let rest = state &- quotient &* count
      states[lane] = quotient &<< UInt32(PriorTables.totalBits) &+ rest &+ (symbol.span & 0xFFFF)
    }
    return states.indices.map { states[$0] }
  }

  /// Writes the raw bits of all numbers, the first in the lowest bit of the first byte.
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
    let maximum = segment.values.count + segment.columns.count
    if symbols.count < maximum {
      symbols.append(contentsOf: repeatElement(Symbol(), count: maximum - symbols.count))
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
  /// The size of the coded segment by the shipped statistics, in 1024ths of a bit.
  func cost(lanes: Int) -> Int64 {
    let costs = PriorTables.numberCosts
    var cost: Int64 = 0
    _ = forEachSymbol(lanes: lanes) { kind, context, _, _, value in
      cost &+= Int64(costs[PriorTables.index(kind, context) &* Token.count &+ Token.of(value)])
    }
    return cost
  }

  /// Calls the closure with all numbers, lane by lane, each with its context and its position in
  /// decoding order. Returns their count.
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
        var position = order + lane
        if run.kind.isWide {
          var history = WideHistory(run.kind)
          for index in start..<end {
            let value = run.numbers[index]
            body(run.kind, history.context, position, lane, value)
            history.add(value)
            position += lanes
          }
          continue
        }
        var history = History(run.kind)
        for index in start..<end {
          let value = run.numbers[index]
          let context =
            companion.map { history.context(companion: values[$0 + index]) } ?? history.context
          body(run.kind, context, position, lane, value)
          history.add(value)
          position += lanes
        }
      }
      order += run.numbers.count
    }
    return order
  }

  /// Numbers of one kind that are coded one after the other.
  private struct Run {
    let kind: SymbolKind
    let numbers: ArraySlice<UInt32>
    var companion: Int?
  }

  /// The columns as runs. Columns of sparse kinds start with a run of one number, which says how
  /// they are coded.
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

/// A column of which most numbers are 0, as its other numbers and the gaps between them.
private struct SparseColumn {
  /// The count of zeros before each nonzero number.
  private(set) var gaps: [UInt32] = []
  /// The nonzero numbers, less one.
  private(set) var numbers: [UInt32] = []

  /// Nil if at least half of the numbers are nonzero.
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
