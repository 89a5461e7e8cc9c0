/// What a coded number is, since numbers of one kind are alike: each kind has statistics of its own.
package enum SymbolKind: Int, CaseIterable, Sendable {
  // Along a path: what is left of a value after its neighbours have foretold it.
  case place, time, force, angle, width
  /// The first step of a path.
  case velocity
  /// Units in the last place by which a value misses its grid.
  case correction
  /// A path's first value, or the only one.
  case start, constant
  /// How many zeros come before the next number of a sparse column.
  case gap
  // Of a stroke as a whole.
  case pointCount, reference, pause, corner, extent
}

/// How a number is cut into a token, which is coded, and bits that are written as they are.
///
/// Numbers below 16 are their own tokens. Above, two tokens share each power of two, and all bits
/// behind the second highest follow raw. The last token stands for any number, with all its bits.
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

  /// What is made of a token's raw bits: looked up where a branch would be foretold wrong too often.
  struct Range {
    let base: UInt32
    /// Over as many bits as follow.
    let mask: UInt32
    let bitCount: UInt32
  }

  static let ranges: [Range] = (0..<count).map { token in
    let (base, bitCount) = range(of: token)
    return Range(
      base: base, mask: UInt32(truncatingIfNeeded: 1 << UInt64(bitCount) - 1),
      bitCount: UInt32(bitCount))
  }

  /// The smallest number of a token, and how many raw bits follow it.
  static func range(of token: Int) -> (base: UInt32, bitCount: Int) {
    if token < direct { return (UInt32(token), 0) }
    if token == escape { return (0, 32) }
    let exponent = 4 + (token - 16) >> 1
    return (1 << UInt32(exponent) | UInt32(token & 1) << UInt32(exponent - 1), exponent - 1)
  }
}

/// What the numbers before say of the size of the next one: a sum of theirs that fades by half with
/// each step, in half octaves.
struct History {
  static let classCount = 32
  /// Sizes beyond this count as this: so no sum needs a class beyond the last.
  private static let largest: UInt32 = 1 << 14 - 1

  private var sum: UInt32

  @inline(__always)
  init(_ kind: SymbolKind) { self.init(typical: kind.typicalSize) }

  @inline(__always)
  init(typical: UInt32) { sum = 2 * typical }

  @inline(__always)
  var context: Int { Self.classOf(size) }

  /// The context where a companion's number at the same place is known: that of x when y is coded.
  @inline(__always)
  func context(beside companion: UInt32) -> Int { Self.classOf(size(beside: companion)) }

  /// The size that is expected.
  @inline(__always)
  var size: Int { Int(2 &* sum) }

  @inline(__always)
  func size(beside companion: UInt32) -> Int {
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

  /// The sizes of a context.
  static func sizes(of context: Int) -> Range<Int> {
    func first(_ context: Int) -> Int { ((2 + context & 1) << (context >> 1) + 1) >> 1 - 1 }
    return first(context)..<max(first(context), first(context + 1))
  }
}

extension SymbolKind {
  /// The size that a history starts with, before any number is known.
  var typicalSize: UInt32 {
    switch self {
    case .place, .force: 12
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
    }
  }
}

extension SymbolKind {
  /// Whether most numbers may be 0: such columns are told by their other numbers and the gaps between
  /// them, where that is less.
  var isSparse: Bool { self == .angle || self == .width || self == .correction }
}

/// Numbers of one kind in the order in which they are coded.
struct SymbolColumn {
  let kind: SymbolKind
  /// Where the numbers lie in the segment.
  let range: Range<Int>
  /// Where the companion's numbers begin, if there is one.
  let companion: Int?
}

/// Columns of numbers that are coded together.
struct Segment {
  private(set) var values: [UInt32] = []
  private(set) var columns: [SymbolColumn] = []

  /// Adds a column that the body fills.
  mutating func add(_ kind: SymbolKind, companion: Int? = nil, _ fill: (inout [UInt32]) -> Void) {
    let start = values.count
    fill(&values)
    columns.append(SymbolColumn(kind: kind, range: start..<values.count, companion: companion))
  }

  /// Begins anew with columns whose numbers the body puts into their places.
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
