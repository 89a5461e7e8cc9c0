import Strokes

/// One field of a message in protobuf's wire format.
package struct WireField {
  package enum Kind: Int {
    case varint = 0
    case fixed64 = 1
    case bytes = 2
    case fixed32 = 5
  }

  package let number: Int
  package let kind: Kind
  /// The bytes of the whole field, with its key.
  package let range: Range<Int>
  /// The bytes behind the key, and behind the length if there is one; empty for varints.
  package let payload: Range<Int>
  /// The value of a varint; 0 for other kinds.
  package let value: UInt64
}

/// Reads the fields of a message in order. Offsets count from the start of `bytes`.
package struct WireReader {
  package let bytes: [UInt8]
  package private(set) var offset: Int
  let end: Int
  /// Whether a field that is longer than the message ends with it, as in a file that is cut.
  private let allowsCut: Bool

  package init(_ bytes: [UInt8], in range: Range<Int>, allowsCut: Bool = false) {
    self.bytes = bytes
    self.allowsCut = allowsCut
    offset = range.lowerBound
    end = range.upperBound
  }

  /// Reads the next field; nil at the end of the message.
  package mutating func nextField() throws(PencilKitError) -> WireField? {
    guard offset < end else { return nil }
    let start = offset
    let key = try readVarint()
    guard key >> 3 != 0, key >> 3 < 1 << 29 else {
      throw PencilKitError(.fieldNumber(key >> 3), at: start)
    }
    guard let kind = WireField.Kind(rawValue: Int(key & 7)) else {
      throw PencilKitError(.wireType(Int(key & 7)), at: start)
    }
    var value: UInt64 = 0
    var length = 0
    switch kind {
    case .varint: value = try readVarint()
    case .fixed32: length = 4
    case .fixed64: length = 8
    case .bytes:
      let lengthStart = offset
      var declared = try readVarint()
      if allowsCut { declared = min(declared, UInt64(end - offset)) }
      guard declared <= UInt64(end - offset) else {
        throw PencilKitError(
          .lengthBeyondEnd(declared: declared, available: end - offset), at: lengthStart)
      }
      length = Int(declared)
    }
    guard length <= end - offset else { throw PencilKitError(.truncated, at: start) }
    let payload = offset..<offset + length
    offset += length
    return WireField(
      number: Int(key >> 3), kind: kind, range: start..<offset, payload: payload, value: value)
  }

  @inline(__always)
  private mutating func readVarint() throws(PencilKitError) -> UInt64 {
    // Most numbers have one byte.
    if offset < end, bytes[offset] < 0x80 {
      offset += 1
      return UInt64(bytes[offset - 1])
    }
    return try readLongVarint()
  }

  private mutating func readLongVarint() throws(PencilKitError) -> UInt64 {
    let start = offset
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < end {
      let byte = bytes[offset]
      offset += 1
      guard shift < 63 || byte <= 1 else { throw PencilKitError(.numberTooLong, at: start) }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw PencilKitError(.truncated, at: start)
  }
}

extension WireReader {
  /// The value of a field, which must be a varint.
  func number(_ field: WireField, _ name: String) throws(PencilKitError) -> UInt64 {
    guard field.kind == .varint else { throw wrongKind(field, name) }
    return field.value
  }

  /// The payload of a field, which must be of the kind `bytes`.
  func range(_ field: WireField, _ name: String) throws(PencilKitError) -> Range<Int> {
    guard field.kind == .bytes else { throw wrongKind(field, name) }
    return field.payload
  }

  /// The message in a field.
  func message(_ field: WireField, _ name: String) throws(PencilKitError) -> WireReader {
    WireReader(bytes, in: try range(field, name))
  }

  /// The number in a 32-bit field, which must be finite.
  func float(_ field: WireField, _ name: String) throws(PencilKitError) -> Float {
    guard field.kind == .fixed32 else { throw wrongKind(field, name) }
    return try float(at: field.payload.lowerBound, before: field.payload.upperBound, name)
  }

  /// The 32-bit number at an offset, which must be finite.
  func float(at offset: Int, before end: Int, _ name: String) throws(PencilKitError) -> Float {
    guard end - offset >= 4 else { throw PencilKitError(.truncated, at: offset) }
    let value = Float(bitPattern: UInt32(littleEndian(offset..<offset + 4)))
    guard value.isFinite else { throw PencilKitError(.notFinite(field: name), at: offset) }
    return value
  }

  /// The number in a 64-bit field, which must be finite.
  func double(_ field: WireField, _ name: String) throws(PencilKitError) -> Double {
    guard field.kind == .fixed64 else { throw wrongKind(field, name) }
    let value = Double(bitPattern: littleEndian(field.payload))
    guard value.isFinite else {
      throw PencilKitError(.notFinite(field: name), at: field.payload.lowerBound)
    }
    return value
  }

  /// The text in a field, which must be UTF-8.
  func text(_ field: WireField, _ name: String) throws(PencilKitError) -> String {
    let range = try range(field, name)
    guard let text = String(validating: bytes[range], as: UTF8.self) else {
      throw PencilKitError(.text(field: name), at: range.lowerBound)
    }
    return text
  }

  /// The identifier in a field, which must have 16 bytes.
  func identifier(_ field: WireField, _ name: String) throws(PencilKitError) -> Identifier {
    let range = try range(field, name)
    guard range.count == 16 else {
      throw PencilKitError(
        .size(field: name, expected: 16, actual: range.count), at: range.lowerBound)
    }
    let middle = range.lowerBound + 8
    return Identifier(
      high: littleEndian(range.lowerBound..<middle).byteSwapped,
      low: littleEndian(middle..<range.upperBound).byteSwapped)
  }

  /// The numbers of a message with the 32-bit fields 1, 2, 3 …, at most eight. A missing one is 0.
  func floats(_ field: WireField, _ name: String) throws(PencilKitError) -> SIMD8<Double> {
    var message = try message(field, name)
    var values = SIMD8<Double>.zero
    while let part = try message.nextField() {
      guard part.number <= values.scalarCount else { continue }
      values[part.number - 1] = Double(try message.float(part, name))
    }
    return values
  }

  /// Whether a field has exactly the bytes that `WireWriter` makes of these values as fields 1, 2,
  /// 3 …
  func holds(_ field: WireField, _ values: SIMD8<Double>, count: Int) -> Bool {
    guard field.kind == .bytes, field.payload.count == 5 * count else { return false }
    var offset = field.payload.lowerBound
    for index in 0..<count {
      let key = UInt8(index + 1) << 3 | UInt8(WireField.Kind.fixed32.rawValue)
      let bits = littleEndian(offset + 1..<offset + 5)
      guard bytes[offset] == key, bits == UInt64(Float(values[index]).bitPattern) else {
        return false
      }
      offset += 5
    }
    return true
  }

  private func littleEndian(_ range: Range<Int>) -> UInt64 {
    var value: UInt64 = 0
    for index in range.reversed() { value = value << 8 | UInt64(bytes[index]) }
    return value
  }

  private func wrongKind(_ field: WireField, _ name: String) -> PencilKitError {
    PencilKitError(.unexpectedWireType(field: name), at: field.range.lowerBound)
  }
}

extension WireReader {
  /// The first field with a number, in a message that is known to be readable.
  func first(_ number: Int) -> WireField? {
    var reader = self
    while let field = try? reader.nextField() {
      if field.number == number { return field }
    }
    return nil
  }

  /// The last field with a number, which is the one that counts in protobuf.
  func last(_ number: Int) -> WireField? {
    var last: WireField?
    var reader = self
    while let field = try? reader.nextField() {
      if field.number == number { last = field }
    }
    return last
  }

  /// The identifier in the last field with a number: in protobuf the last one counts.
  func lastIdentifier(_ number: Int) -> Identifier? {
    var last: Identifier?
    var reader = self
    while let field = try? reader.nextField() {
      if field.number == number { last = try? identifier(field, "") }
    }
    return last
  }
}

extension WireField {
  /// The message in this field of a reader's bytes.
  func message(in reader: WireReader) -> WireReader { WireReader(reader.bytes, in: payload) }
}
