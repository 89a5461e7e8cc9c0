import StorageTestSupport
import TestSupport
import Testing

@testable import Storage

struct ValueKeyTests {
  @Test func `index keys have the order of their values`() {
    var random = RandomValues(seed: 7)
    let values = RandomValues.critical + (0..<250).map { _ in random.value() }
    let keys = values.map { ValueKey($0) }
    for (a, keyA) in zip(values, keys) {
      for (b, keyB) in zip(values, keys) {
        let order = keyA < keyB ? -1 : keyB < keyA ? 1 : 0
        if order != plainOrder(a, b) { Issue.record("\(a) and \(b): \(order)") }
      }
    }
  }

  @Test func `index keys distinguish close integers and doubles exactly`() {
    var numbers: [FieldValue] = []
    for power in [52, 53, 54, 60, 62] {
      for offset: Int64 in -3...3 {
        for sign: Int64 in [-1, 1] { numbers.append(.integer(sign * (1 << power + offset))) }
      }
      for sign in [-1.0, 1] {
        var number = Double(Int64(1) << power) * sign
        for _ in 0..<3 { number = number.nextDown }
        for _ in 0..<6 {
          numbers.append(.number(number))
          number = number.nextUp
        }
      }
    }
    for offset: Int64 in 0..<1030 where offset < 4 || offset > 510 && offset < 515 || offset > 1022
    {
      numbers += [.integer(.max - offset), .integer(.min + offset)]
    }
    for number in [0x1p63, -0x1p63] {
      numbers += [number.nextDown, number, number.nextUp].map { .number($0) }
    }
    for a in numbers {
      for b in numbers {
        let (keyA, keyB) = (ValueKey(a), ValueKey(b))
        let order = keyA < keyB ? -1 : keyB < keyA ? 1 : 0
        if order != plainOrder(a, b) { Issue.record("\(a) and \(b): \(order)") }
      }
    }
  }

  @Test func `no index key is a prefix of another`() {
    var random = RandomValues(seed: 8)
    let values = RandomValues.critical + (0..<300).map { _ in random.value() }
    let keys = Array(Set(values.map { ValueKey($0) })).sorted()
    #expect(keys.count > 150)
    // A key's end is between the key and the next one.
    for (a, b) in zip(keys, keys.dropFirst()) {
      #expect(!b.bytes.starts(with: a.bytes))
      #expect(a.end < b)
      #expect(a < a.end)
    }
    for key in keys { #expect(key.bytes.first != 0 && key.bytes.first != 255) }
  }

  @Test func `index keys of several values are ordered by the first difference`() {
    var random = RandomValues(seed: 9)
    let rows = (0..<400).map { _ in (0..<3).map { _ in random.value(depth: 1) } }
    func key(_ row: [FieldValue]) -> ValueKey {
      row.reduce(ValueKey()) { $0 + ValueKey($1) }
    }
    for (a, b) in zip(rows, rows.dropFirst()) {
      // Often the first values are equal.
      for b in [b, [a[0], b[1], b[2]], [a[0], a[1], b[2]]] {
        let order = zip(a, b).map { plainOrder($0, $1) }.first { $0 != 0 } ?? 0
        let (keyA, keyB) = (key(a), key(b))
        #expect((keyA < keyB ? -1 : keyB < keyA ? 1 : 0) == order, "\(a) and \(b)")
      }
    }
  }

  @Test func `index keys have fixed bytes`() {
    // Stored indexes are sorted by these bytes, so they must never change.
    let cases: [(FieldValue, [UInt8])] = [
      (.null, [1]), (false, [2, 0]), (true, [2, 1]),
      (0, [3, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0]),
      (.number(-0.0), [3, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0]),
      (1.5, [3, 0xBF, 0xF8, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0]),
      (-1.5, [3, 0x40, 0x07, 255, 255, 255, 255, 255, 255, 0x80, 0, 0, 0, 0, 0, 0, 0]),
      (
        .integer(1 << 53 + 1),
        [3, 0xC3, 0x40, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 1]
      ),
      (.moment(Moment(microseconds: -1)), [4, 0x7F, 255, 255, 255, 255, 255, 255, 255]),
      ("", [5, 0, 1]), ("a\0b", [5, 97, 0, 255, 98, 0, 1]),
      (.bytes([0, 1]), [6, 0, 255, 1, 0, 1]),
      ([], [7, 0]), ([true, []], [7, 2, 1, 7, 0, 0]), (.map([:]), [8, 0]),
      (.map(["a": false]), [8, 5, 97, 0, 1, 2, 0, 0]),
    ]
    for (value, bytes) in cases { #expect(ValueKey(value).bytes == bytes, "\(value)") }
  }
}
