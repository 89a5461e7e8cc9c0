import Strokes

/// One field of a message in protobuf's wire form.
struct WireField {
  enum Kind: Int {
    case varint = 0
    case fixed64 = 1
    case bytes = 2
    case fixed32 = 5
  }

  let number: Int
  let kind: Kind
  /// The whole field with its key.
  let range: Range<Int>
  /// What follows the key, and the length if there is one.
  let payload: Range<Int>
  /// The number of a varint.
  let value: UInt64
}

/// Reads the fields of a message in order.
struct WireReader {
  let bytes: [UInt8]
  private(set) var offset: Int
  let end: Int

  init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    offset = range.lowerBound
    end = range.upperBound
  }

  mutating func nextField() throws(PencilKitError) -> WireField? {
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
      let place = offset
      let declared = try readVarint()
      guard declared <= UInt64(end - offset) else {
        throw PencilKitError(
          .lengthBeyondEnd(declared: declared, available: end - offset), at: place)
      }
      length = Int(declared)
    }
    guard length <= end - offset else { throw PencilKitError(.truncated, at: start) }
    let payload = offset..<offset + length
    offset += length
    return WireField(
      number: Int(key >> 3), kind: kind, range: start..<offset, payload: payload, value: value)
  }

  private mutating func readVarint() throws(PencilKitError) -> UInt64 {
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
  /// The number of a field, which must be a varint.
  func number(_ field: WireField, _ name: String) throws(PencilKitError) -> UInt64 {
    guard field.kind == .varint else { throw wrongKind(field, name) }
    return field.value
  }

  /// The bytes of a field.
  func range(_ field: WireField, _ name: String) throws(PencilKitError) -> Range<Int> {
    guard field.kind == .bytes else { throw wrongKind(field, name) }
    return field.payload
  }

  /// The message in a field.
  func message(_ field: WireField, _ name: String) throws(PencilKitError) -> WireReader {
    WireReader(bytes, in: try range(field, name))
  }

  /// The finite number of a 32-bit field.
  func float(_ field: WireField, _ name: String) throws(PencilKitError) -> Float {
    guard field.kind == .fixed32 else { throw wrongKind(field, name) }
    let value = Float(bitPattern: UInt32(littleEndian(field.payload)))
    guard value.isFinite else {
      throw PencilKitError(.notFinite(field: name), at: field.payload.lowerBound)
    }
    return value
  }

  /// The finite number of a 64-bit field.
  func double(_ field: WireField, _ name: String) throws(PencilKitError) -> Double {
    guard field.kind == .fixed64 else { throw wrongKind(field, name) }
    let value = Double(bitPattern: littleEndian(field.payload))
    guard value.isFinite else {
      throw PencilKitError(.notFinite(field: name), at: field.payload.lowerBound)
    }
    return value
  }

  /// The text of a field.
  func text(_ field: WireField, _ name: String) throws(PencilKitError) -> String {
    let range = try range(field, name)
    guard let text = String(validating: bytes[range], as: UTF8.self) else {
      throw PencilKitError(.text(field: name), at: range.lowerBound)
    }
    return text
  }

  /// The identifier of a field.
  func identifier(_ field: WireField, _ name: String) throws(PencilKitError) -> Identifier {
    let range = try range(field, name)
    guard let identifier = Identifier(bytes: bytes[range]) else {
      throw PencilKitError(
        .size(field: name, expected: 16, actual: range.count), at: range.lowerBound)
    }
    return identifier
  }

  /// A message of nothing but the 32-bit fields 1 to `count`; those that are not there are 0.
  func floats(
    _ field: WireField, count: Int, _ name: String
  ) throws(PencilKitError) -> [Float] {
    var message = try message(field, name)
    var values = [Float](repeating: 0, count: count)
    while let part = try message.nextField() {
      guard part.number <= count else { continue }
      values[part.number - 1] = try message.float(part, name)
    }
    return values
  }

  private func littleEndian(_ range: Range<Int>) -> UInt64 {
    bytes[range].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func wrongKind(_ field: WireField, _ name: String) -> PencilKitError {
    PencilKitError(.unexpectedWireType(field: name), at: field.range.lowerBound)
  }
}

extension WireReader {
  /// The first field of a number, where the message is known to be sound.
  func first(_ number: Int) -> WireField? {
    var reader = self
    while let field = try? reader.nextField() {
      if field.number == number { return field }
    }
    return nil
  }

  /// The identifier in the first field of a number.
  func firstIdentifier(_ number: Int) -> Identifier? {
    first(number).flatMap { Identifier(bytes: bytes[$0.payload]) }
  }
}

extension WireField {
  /// The message in this field of a reader's bytes.
  func message(in reader: WireReader) -> WireReader { WireReader(reader.bytes, in: payload) }
}

/// Writes fields of a message.
struct WireWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ field: some Collection<UInt8>) { bytes += field }

  mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private mutating func key(_ number: Int, _ kind: WireField.Kind) {
    varint(UInt64(number) << 3 | UInt64(kind.rawValue))
  }

  mutating func field(_ number: Int, number value: UInt64) {
    key(number, .varint)
    varint(value)
  }

  mutating func field(_ number: Int, float value: Float) {
    key(number, .fixed32)
    littleEndian(UInt64(value.bitPattern), count: 4)
  }

  mutating func field(_ number: Int, double value: Double) {
    key(number, .fixed64)
    littleEndian(value.bitPattern, count: 8)
  }

  mutating func field(_ number: Int, bytes payload: some Collection<UInt8>) {
    key(number, .bytes)
    varint(UInt64(payload.count))
    bytes += payload
  }

  mutating func field(_ number: Int, identifier: Identifier) {
    field(number, bytes: identifier.bytes)
  }

  mutating func field(_ number: Int, message write: (inout WireWriter) -> Void) {
    var message = WireWriter()
    write(&message)
    field(number, bytes: message.bytes)
  }

  /// A message of the 32-bit fields 1, 2, 3 …
  mutating func field(_ number: Int, floats: some Sequence<Double>) {
    field(number) { message in
      for (index, value) in floats.enumerated() {
        message.field(index + 1, float: Float(value))
      }
    }
  }

  /// A message of the varint fields 1, 2, 3 …: a clock, a replica and a second clock.
  mutating func field(_ number: Int, numbers: [UInt64]) {
    field(number) { message in
      for (index, value) in numbers.enumerated() { message.field(index + 1, number: value) }
    }
  }

  private mutating func littleEndian(_ value: UInt64, count: Int) {
    for byte in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
  }
}

/// A field that is written anew over an old message.
struct ModelField {
  let number: Int
  let bytes: [UInt8]
  /// Whether the field is written where the old message does not have it.
  let isNeeded: Bool
  /// Whether it takes the place of the old message's.
  let isReplacing: Bool

  init(
    _ number: Int, isNeeded: Bool = true, isReplacing: Bool = true,
    _ write: (inout WireWriter) -> Void
  ) {
    var writer = WireWriter()
    write(&writer)
    self.number = number
    bytes = writer.bytes
    self.isNeeded = isNeeded
    self.isReplacing = isReplacing
  }

  /// Takes a field out, unless it is to be left alone.
  init(dropping number: Int, unless isKept: Bool = false) {
    self.number = number
    bytes = []
    isNeeded = false
    isReplacing = !isKept
  }
}

extension WireWriter {
  /// Writes an old message with fields replaced, added and taken out. Additions stand before the
  /// first old field of a higher number.
  mutating func merge(_ fields: [ModelField], over old: WireReader?) {
    var pending = fields.sorted { $0.number < $1.number }[...]
    var replaced: [ModelField] = []
    if var reader = old {
      let present = reader
      pending.removeAll { field in
        guard present.first(field.number) != nil else { return !field.isNeeded }
        if field.isReplacing { replaced.append(field) }
        return true
      }
      while let field = try? reader.nextField() {
        while let next = pending.first, next.number < field.number {
          append(next.bytes)
          pending.removeFirst()
        }
        if let index = replaced.firstIndex(where: { $0.number == field.number }) {
          append(replaced[index].bytes)
          // A repeated field is written as a whole at its first place.
          replaced[index] = ModelField(dropping: field.number)
        } else {
          append(bytes: present.bytes, in: field.range)
        }
      }
    }
    for field in pending where field.isNeeded { append(field.bytes) }
  }

  private mutating func append(bytes: [UInt8], in range: Range<Int>) {
    self.bytes.append(contentsOf: bytes[range])
  }
}
