/// Reads bytes of a range in order, and never beyond its end.
struct ByteReader {
  let bytes: [UInt8]
  private(set) var offset: Int
  let end: Int

  init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    offset = range.lowerBound
    end = range.upperBound
  }

  var remaining: Int { end - offset }

  mutating func skip(_ count: Int) throws(PKDError) { _ = try range(count) }

  /// Skips the next bytes and returns their range in `bytes`.
  mutating func range(_ count: Int) throws(PKDError) -> Range<Int> {
    guard count >= 0, count <= remaining else { throw PKDError(.truncated, at: offset) }
    defer { offset += count }
    return offset..<offset + count
  }

  mutating func byte() throws(PKDError) -> UInt8 { bytes[try range(1).lowerBound] }

  mutating func littleEndian(_ count: Int) throws(PKDError) -> UInt64 {
    try range(count).reversed().reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
  }

  /// A finite double.
  mutating func double() throws(PKDError) -> Double {
    let start = offset
    let value = Double(bitPattern: try littleEndian(8))
    guard value.isFinite else { throw PKDError(.notFinite, at: start) }
    return value
  }

  /// A number with seven bits in each byte, the lowest first. Longer forms than the shortest are an
  /// error, so that equal recordings are equal bytes.
  mutating func varint() throws(PKDError) -> UInt64 {
    let start = offset
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try byte()
      guard shift < 63 || byte <= 1, shift == 0 || byte != 0 else {
        throw PKDError(.notCanonical, at: start)
      }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
  }

  /// A varint that is a count and must not exceed the limit.
  mutating func count(limit: Int, _ what: PKDError.Quantity) throws(PKDError) -> Int {
    let start = offset
    let value = try varint()
    // Callers may pass a negative limit: `tableRows`, less the known rows that every table has.
    guard value <= UInt64(max(limit, 0)) else {
      throw PKDError(.tooMany(what, declared: value, limit: limit), at: start)
    }
    return Int(value)
  }

  /// A zigzag varint.
  mutating func signed() throws(PKDError) -> Int64 { try varint().unzigzagged }

  mutating func text(limit: Int) throws(PKDError) -> String {
    let length = try count(limit: limit, .textBytes)
    let range = try range(length)
    guard let text = String(validating: bytes[range], as: UTF8.self) else {
      throw PKDError(.text, at: range.lowerBound)
    }
    return text
  }
}

/// Writes bytes in order.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  /// Deletes all bytes and keeps the capacity.
  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func append(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

  mutating func littleEndian(_ value: UInt64, count: Int) {
    for byte in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(byte)))) }
  }

  /// Overwrites `count` bytes.
  mutating func replace(_ value: UInt64, count: Int, at offset: Int) {
    for byte in 0..<count {
      bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(byte)))
    }
  }

  mutating func double(_ value: Double) { littleEndian(value.bitPattern, count: 8) }

  mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  mutating func count(_ value: Int) { varint(UInt64(value)) }

  mutating func signed(_ value: Int64) { varint(value.zigzagged) }

  mutating func text(_ text: String) {
    count(text.utf8.count)
    append(text.utf8)
  }
}

extension Int64 {
  /// Numbers of small magnitude as small unsigned numbers: 0, −1, 1, −2 … become 0, 1, 2, 3 …
  var zigzagged: UInt64 { UInt64(bitPattern: self << 1 ^ self >> 63) }
}

extension UInt64 {
  var unzigzagged: Int64 { Int64(bitPattern: self >> 1) ^ -Int64(bitPattern: self & 1) }
}

extension Int32 {
  @inline(__always)
  var zigzagged: UInt32 { UInt32(bitPattern: self << 1 ^ self >> 31) }
}

extension UInt32 {
  @inline(__always)
  var unzigzagged: Int32 { Int32(bitPattern: self >> 1) ^ -Int32(bitPattern: self & 1) }
}
