/// A sort key: the order-preserving bytes of one or more values. Indexes are sorted by these bytes,
/// and cursors hold them.
///
/// Each value starts with a byte for its kind, and no encoding is a prefix of another one:
/// * a number is a double, with bits inverted so that they sort as unsigned integers, and the
///   difference between an integer and that double;
/// * texts and bytes have 255 after every zero, and end with 0, 1.
package struct ValueKey: Hashable, Sendable, Comparable {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package init(bytes: [UInt8]) { self.bytes = bytes }

  package static func < (a: Self, b: Self) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }

  package mutating func append(_ value: FieldValue) {
    bytes.append(value.kind.rawValue)
    switch value {
    case .null: break
    case .bool(let truth): bytes.append(truth ? 1 : 0)
    case .integer(let number):
      let nearest = Double(number)
      append(nearest)
      // Near the limits of Int64 the nearest double may be outside of them.
      append(Int64(exactly: nearest).map { number - $0 } ?? (number > 0 ? number - .max - 1 : 0))
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
    // -0 and 0 are equal.
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

  /// The concatenation of two keys.
  package static func + (a: Self, b: Self) -> Self { ValueKey(bytes: a.bytes + b.bytes) }

  /// The upper bound of all keys with this prefix: no kind is 255.
  package var end: ValueKey { ValueKey(bytes: bytes + [255]) }
}
