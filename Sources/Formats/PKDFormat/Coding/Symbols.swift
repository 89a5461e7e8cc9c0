/// The kind of a coded number. Each kind has statistics of its own.
package enum SymbolKind: Int, CaseIterable, Sendable {
  // Along a path: residuals, the differences between values and their predictions.
  case location, time, force, angle, width
  /// The first difference of a channel.
  case velocity
  /// Units in the last place by which a value misses its grid.
  case correction
  /// A channel's first or only value in a path: of x and y, and of others.
  case start, constant
  /// The count of zeros before the next number of a sparse column.
  case gap
  // In heads.
  case pointCount, reference, pause, corner, extent
  // Of predicted values, since version 2: differences of bits, of whole numbers, of a clock's
  // ticks; differences from a function of the width; and flags.
  case bits, index, tick, function, flag

  /// Whether numbers of any size are expected. Statistics of such kinds come from a formula and are
  /// the same for all of them.
  var isWide: Bool { rawValue >= SymbolKind.bits.rawValue }
}

/// The division of a number into a token, which is entropy-coded, and raw bits.
///
/// Numbers below 16 are their own tokens. Above, there are two tokens for each power of two, and
/// all bits below the second highest follow raw. The last token, `escape`, stands for any number,
/// all of whose bits follow.
enum Token {
  static let count = 72
  static let escape = 71
  static let direct: UInt32 = 16

  @inline(__always)
  static func of(_ value: UInt32) -> Int {
    guard value >= direct else { return Int(value) }
    let exponent = 31 &- value.leadingZeroBitCount
    return 8 &+ exponent &<< 1 &+ Int(truncatingIfNeeded: value &>> UInt32(exponent &- 1) & 1)
  }

  /// The values for decoding a token's raw bits. They come from a table, since a branch would be
  /// mispredicted too often.
  struct Range {
    let base: UInt32
    /// The lowest `bitCount` bits.
    let mask: UInt32
    let bitCount: UInt32
  }

  static let ranges: [Range] = (0..<count).map { token in
    let (base, bitCount) = range(of: token)
    return Range(
      base: base, mask: UInt32(truncatingIfNeeded: 1 << UInt64(bitCount) - 1),
      bitCount: UInt32(bitCount))
  }

  /// The smallest number of a token, and the count of its raw bits.
  static func range(of token: Int) -> (base: UInt32, bitCount: Int) {
    if token < direct { return (UInt32(token), 0) }
    if token == escape { return (0, 32) }
    let exponent = 4 + (token - 16) >> 1
    return (1 << UInt32(exponent) | UInt32(token & 1) << UInt32(exponent - 1), exponent - 1)
  }
}

/// The expected size of the next number, from those before it: a sum in which the weight of each
/// number halves with every step. Its classes, the contexts, are half octaves.
struct History {
  static let classCount = 32
  /// Larger numbers count as this, so that no sum needs a class beyond the last.
  private static let largest: UInt32 = 1 << 14 - 1

  private var sum: UInt32

  @inline(__always)
  init(_ kind: SymbolKind) { self.init(typical: kind.typicalSize) }

  @inline(__always)
  init(typical: UInt32) { sum = 2 * typical }

  @inline(__always)
  var context: Int { Self.classOf(size) }

  /// The context if the companion's number at the same index is known: that of x when y is coded.
  @inline(__always)
  func context(companion: UInt32) -> Int { Self.classOf(size(companion: companion)) }

  /// The expected size.
  @inline(__always)
  var size: Int { Int(2 &* sum) }

  @inline(__always)
  func size(companion: UInt32) -> Int {
    Int((3 &* sum) &>> 1 &+ min(companion, Self.largest))
  }

  @inline(__always)
  mutating func add(_ value: UInt32) { sum = sum &>> 1 &+ min(value, Self.largest) }

  @inline(__always)
  static func classOf(_ size: Int) -> Int {
    let size = UInt32(truncatingIfNeeded: size &+ 1)
    let exponent = 31 &- size.leadingZeroBitCount
    let half = Int(truncatingIfNeeded: (size &<< 1) &>> UInt32(truncatingIfNeeded: exponent)) & 1
    return 2 &* exponent &+ half
  }

  /// The sizes that belong to a context.
  static func sizes(of context: Int) -> Range<Int> {
    func first(_ context: Int) -> Int { ((2 + context & 1) << (context >> 1) + 1) >> 1 - 1 }
    return first(context)..<max(first(context), first(context + 1))
  }
}

/// The expected size of the next number of a wide kind: four times the mean of the numbers before
/// it, in which the weight of each falls by a quarter with every step.
struct WideHistory {
  static let classCount = 54
  /// Larger numbers count as this, so that no sum needs a class beyond the last.
  private static let largest: UInt32 = 1 << 24 - 1

  private var sum: UInt32

  @inline(__always)
  init(_ kind: SymbolKind) { sum = 4 * kind.typicalSize }

  @inline(__always)
  var context: Int { History.classOf(Int(sum)) }

  @inline(__always)
  mutating func add(_ value: UInt32) {
    sum = sum &- sum &>> 2 &+ min(value, Self.largest)
  }
}

extension SymbolKind {
  /// The size that a history expects of the first number.
  var typicalSize: UInt32 {
    switch self {
    case .location, .force: 12
    case .time: 16
    case .angle: 2
    case .width: 4
    case .velocity: 200
    case .correction, .constant, .reference, .gap: 0
    case .start: 1000
    case .pointCount: 20
    case .pause: 200
    case .corner: 20
    case .extent: 10
    case .bits: 4000
    case .index: 12
    case .tick: 8000
    case .function: 8
    case .flag: 0
    }
  }
}

extension SymbolKind {
  /// Whether most numbers may be 0. A column of such a kind is coded as its nonzero numbers and the
  /// gaps between them if fewer than half of its numbers are nonzero.
  var isSparse: Bool {
    self == .angle || self == .width || self == .correction || self == .flag
  }
}

/// Numbers of one kind in the order in which they are coded.
struct SymbolColumn {
  let kind: SymbolKind
  /// The indices of the numbers in the segment's values.
  let range: Range<Int>
  /// The index of the companion's first number; nil without a companion.
  let companion: Int?
}

/// Columns of numbers that are coded together.
struct Segment {
  private(set) var values: [UInt32] = []
  private(set) var columns: [SymbolColumn] = []

  /// Adds a column, whose numbers the closure appends.
  mutating func add(_ kind: SymbolKind, companion: Int? = nil, _ fill: (inout [UInt32]) -> Void) {
    let start = values.count
    fill(&values)
    columns.append(SymbolColumn(kind: kind, range: start..<values.count, companion: companion))
  }

  /// Replaces all columns; the closure writes the numbers into their ranges.
  mutating func fill(_ columns: [SymbolColumn], _ body: (inout [UInt32]) -> Void) {
    self.columns = columns
    values.removeAll(keepingCapacity: true)
    values.append(contentsOf: repeatElement(0, count: columns.last?.range.upperBound ?? 0))
    body(&values)
  }

  mutating func removeAll() {
    values.removeAll(keepingCapacity: true)
    columns.removeAll(keepingCapacity: true)
  }
}
