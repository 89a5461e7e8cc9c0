/// Bytes in whose order values are sorted, one value behind the other: indexes are sorted by them, and
/// cursors tell with them how far a reader has come.
///
/// A value is its kind and then, so that no value's bytes begin another's: numbers as doubles with the
/// order of their bits mended and what a whole number has beyond that; texts and bytes with every zero
/// followed by 255, and 0, 1 at the end.
struct ValueKey: Hashable, Sendable, Comparable {
  private(set) var bytes: [UInt8] = []

  init() {}

  init(bytes: [UInt8]) { self.bytes = bytes }

  static func < (a: Self, b: Self) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }

  mutating func append(_ value: FieldValue) {
    bytes.append(value.kind.rawValue)
    switch value {
    case .null: break
    case .bool(let truth): bytes.append(truth ? 1 : 0)
    case .integer(let number):
      let near = Double(number)
      append(near)
      // Near the ends a double may lie just beyond all whole numbers.
      append(Int64(exactly: near).map { number - $0 } ?? (number > 0 ? number - .max - 1 : 0))
    case .number(let number):
      append(number)
      append(Int64(0))
    case .moment(let moment): append(moment.microseconds)
    case .text(let text): append(text.utf8)
    case .bytes(let value): append(value)
    case .list(let values):
      for value in values { append(value) }
      bytes.append(0)
    case .map(let fields):
      for (name, value) in fields.all {
        append(.text(name))
        append(value)
      }
      bytes.append(0)
    }
  }

  private mutating func append(_ number: Double) {
    // Both zeros are the same number.
    let bits = number == 0 ? 0 : number.bitPattern
    append(bits >> 63 == 0 ? bits | 1 << 63 : ~bits)
  }

  private mutating func append(_ number: Int64) { append(UInt64(bitPattern: number) ^ 1 << 63) }

  private mutating func append(_ word: UInt64) {
    for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * shift))) }
  }

  private mutating func append(_ run: some Collection<UInt8>) {
    for byte in run {
      bytes.append(byte)
      if byte == 0 { bytes.append(255) }
    }
    bytes += [0, 1]
  }

  /// A key and another one behind it.
  static func + (a: Self, b: Self) -> Self { ValueKey(bytes: a.bytes + b.bytes) }

  /// A key behind all that begin with these bytes and go on: no kind is 255.
  var end: ValueKey { ValueKey(bytes: bytes + [255]) }
}
