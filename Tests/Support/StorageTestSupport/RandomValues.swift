public import Storage
public import TestSupport

/// Random valid values of fields, the same for the same seed; many are equal or nearly equal.
public struct RandomValues {
  /// The source of randomness.
  public var generator: SplitMix64

  /// The values of a seed.
  public init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  /// A whole number.
  public mutating func whole(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  /// True with a probability.
  public mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &generator) < probability
  }

  /// One of some elements.
  public mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[whole(0...elements.count - 1)]
  }

  /// Values that are hard to sort: neighbours, limits, equal ones.
  public static let critical: [FieldValue] = [
    nil, true, false, 0, -1, 1, 2, .number(0), .number(-0.0), .number(1), .number(0.5),
    .number(-0.5), .integer(.max), .integer(.max - 1), .integer(.min), .integer(.min + 1),
    .integer(1 << 53), .integer(1 << 53 + 1), .integer(1 << 53 - 1), .number(0x1p53),
    .number(0x1p53 + 2), .number(0x1p63), .number(-0x1p63), .number(-0x1p64), .number(1e300),
    .number(.leastNonzeroMagnitude), .number(-.leastNonzeroMagnitude),
    .number(.greatestFiniteMagnitude), .number(-.greatestFiniteMagnitude),
    .moment(Moment(microseconds: 0)), .moment(Moment(microseconds: -1)),
    .moment(Moment(microseconds: 1)), .moment(Moment.supported.lowerBound),
    .moment(Moment.supported.upperBound), "", "a", "a\0", "a\0\0", "a\0b", "a\u{1}", "b", "\0",
    "\u{e9}", "e\u{301}", "K", "\u{212A}", "\u{FFFF}", "\u{10000}", .bytes([]), .bytes([0]),
    .bytes([0, 0]), .bytes([0, 1]), .bytes([0, 255]), .bytes([1]), .bytes([255]),
    .bytes([255, 255]), .bytes([97]), [], [nil], [nil, nil], [0], [0, 1], [1], [[]], [[], 0],
    ["a"], ["a\0"], ["a", nil], .map([:]), .map(["a": 1]), .map(["a": nil]),
    .map(["a": 1, "b": 0]),
    .map(["b": 0]), .map(["a": 0, "c": 5]), .map(["a\0": 1]),
  ]

  /// A value; lists and maps are nested down to a depth.
  public mutating func value(depth: Int = 2) -> FieldValue {
    if chance(0.4) { return pick(Self.critical) }
    switch whole(0...(depth > 0 ? 8 : 6)) {
    case 0: return .bool(chance(0.5))
    case 1: return .integer(Int64(whole(-3...3)))
    case 2: return .integer(Int64(truncatingIfNeeded: generator.next()))
    case 3:
      let number = Double(bitPattern: generator.next())
      return .number(number.isFinite ? number : 0)
    case 4:
      let all = Moment.supported
      return .moment(
        Moment(
          microseconds: Int64.random(
            in: all.lowerBound.microseconds...all.upperBound.microseconds, using: &generator)))
    case 5: return .text(text())
    case 6: return .bytes((0..<whole(0...4)).map { _ in pick([0, 1, 97, 254, 255]) })
    case 7: return .list((0..<whole(0...3)).map { _ in value(depth: depth - 1) })
    default: return .map(fields(depth: depth - 1))
    }
  }

  /// A short text of letters that are hard to sort.
  public mutating func text() -> String {
    let letters: [Unicode.Scalar] = [
      "\0", "\u{1}", "a", "b", "\u{301}", "é", "~", "貓", "\u{10FFFF}",
    ]
    var text = ""
    for _ in 0..<whole(0...4) { text.unicodeScalars.append(pick(letters)) }
    return text
  }

  /// Fields with some of a few names.
  public mutating func fields(depth: Int = 2) -> Fields {
    var values: [(String, FieldValue)] = []
    for name in ["a", "b", "c", "b\0", "é", "e\u{301}"] where chance(0.5) {
      values.append((name, value(depth: depth)))
    }
    return Fields(values)
  }
}

/// The order of values in its simplest implementation: negative if the first value comes first,
/// positive if the second does.
public func plainOrder(_ a: FieldValue, _ b: FieldValue) -> Int {
  func rank(_ value: FieldValue) -> Int {
    switch value {
    case .null: 0
    case .bool: 1
    case .integer, .number: 2
    case .moment: 3
    case .text: 4
    case .bytes: 5
    case .list: 6
    case .map: 7
    }
  }
  func order<Value: Comparable>(_ a: Value, _ b: Value) -> Int { a < b ? -1 : a > b ? 1 : 0 }
  func order(_ a: [UInt8], _ b: [UInt8]) -> Int {
    a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
  }
  func order(_ a: Int64, _ b: Double) -> Int {
    if b >= 0x1p63 { return -1 }
    if b < -0x1p63 { return 1 }
    let below = Int64(b.rounded(.down))
    return a != below ? order(a, below) : b > b.rounded(.down) ? -1 : 0
  }
  func order(_ a: [FieldValue], _ b: [FieldValue]) -> Int {
    for (a, b) in zip(a, b) {
      let order = plainOrder(a, b)
      if order != 0 { return order }
    }
    return order(a.count, b.count)
  }
  switch (a, b) {
  case (.bool(let a), .bool(let b)): return order(a ? 1 : 0, b ? 1 : 0)
  case (.integer(let a), .integer(let b)): return order(a, b)
  case (.number(let a), .number(let b)): return order(a, b)
  case (.integer(let a), .number(let b)): return order(a, b)
  case (.number(let a), .integer(let b)): return -order(b, a)
  case (.moment(let a), .moment(let b)): return order(a.microseconds, b.microseconds)
  case (.text(let a), .text(let b)): return order(Array(a.utf8), Array(b.utf8))
  case (.bytes(let a), .bytes(let b)): return order(a, b)
  case (.list(let a), .list(let b)): return order(a, b)
  case (.map(let a), .map(let b)):
    return order(a.all.flatMap { [.text($0), $1] }, b.all.flatMap { [.text($0), $1] })
  default: return order(rank(a), rank(b))
  }
}
