import Strokes

/// Writes the fields of a message, and of messages inside it, into one array of bytes.
struct WireWriter {
  private(set) var bytes: [UInt8] = []

  mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

  mutating func append(_ field: some Collection<UInt8>) { bytes.append(contentsOf: field) }

  /// Copies a field unchanged.
  mutating func append(_ field: WireField, of reader: WireReader) {
    bytes.append(contentsOf: reader.bytes[field.range])
  }

  /// Appends `count` bytes, which the body fills.
  mutating func append(count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: count))
    bytes.withUnsafeMutableBytes { body(UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
  }

  mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
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
    bytes.append(contentsOf: payload)
  }

  mutating func field(_ number: Int, identifier: Identifier) {
    key(number, .bytes)
    varint(16)
    littleEndian(identifier.high.byteSwapped, count: 8)
    littleEndian(identifier.low.byteSwapped, count: 8)
  }

  /// Writes a message; its length is put in front of it when the body has returned.
  mutating func field(_ number: Int, message write: (inout WireWriter) -> Void) {
    let mark = begin(number)
    write(&self)
    end(mark)
  }

  /// Begins a message that `end` closes. With a good estimate of its length, `end` does not have to
  /// move it.
  mutating func begin(_ number: Int, about length: Int = 0) -> Mark {
    key(number, .bytes)
    let mark = Mark(lengthStart: bytes.count, start: bytes.count + Self.varintSize(length))
    for _ in mark.lengthStart..<mark.start { bytes.append(0) }
    return mark
  }

  /// Closes the message that began at a mark.
  mutating func end(_ mark: Mark) {
    let length = bytes.count - mark.start
    let (size, reserved) = (Self.varintSize(length), mark.start - mark.lengthStart)
    if size > reserved {
      bytes.insert(contentsOf: repeatElement(0, count: size - reserved), at: mark.start)
    } else if size < reserved {
      bytes.removeSubrange(mark.start - (reserved - size)..<mark.start)
    }
    var rest = length
    for index in mark.lengthStart..<mark.lengthStart + size {
      bytes[index] = UInt8(truncatingIfNeeded: rest & 0x7F)
      rest >>= 7
      if rest > 0 { bytes[index] |= 0x80 }
    }
  }

  /// The start of an open message, and of the bytes reserved for its length.
  struct Mark {
    let lengthStart: Int
    let start: Int
  }

  private static func varintSize(_ value: Int) -> Int {
    max(1, (Int.bitWidth - value.leadingZeroBitCount + 6) / 7)
  }

  /// Removes all but the first `count` bytes.
  mutating func removeAll(after count: Int) { bytes.removeLast(bytes.count - count) }

  /// Copies all fields with a number.
  mutating func append(all number: Int, of message: WireReader) {
    var reader = message
    while let field = try? reader.nextField() {
      if field.number == number { append(field, of: reader) }
    }
  }

  /// Writes a message with the 32-bit fields 1, 2, 3 …
  mutating func field(_ number: Int, floats: SIMD8<Double>, count: Int) {
    let mark = begin(number)
    for index in 0..<count { field(index + 1, float: Float(nearestFinite: floats[index])) }
    end(mark)
  }

  /// Writes a version: a message with the varint fields 1, 2 and 3.
  mutating func field(_ number: Int, version: ArchiveVersion) {
    let mark = begin(number)
    field(1, number: version.clock)
    field(2, number: version.replica)
    field(3, number: version.subClock)
    end(mark)
  }

  private mutating func littleEndian(_ value: UInt64, count: Int) {
    for byte in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
  }
}

/// The logical time of a change and the replica that made it.
struct ArchiveVersion {
  var clock: UInt64
  /// The index in the table of replicas; 0 means no device.
  var replica: UInt64
  var subClock: UInt64
}

/// A set of field numbers below 64; it never contains larger ones.
struct FieldNumbers: ExpressibleByArrayLiteral {
  private var bits: UInt64 = 0

  init(arrayLiteral numbers: Int...) { for number in numbers { insert(number) } }

  mutating func insert(_ number: Int) { if number < 64 { bits |= 1 << UInt64(number) } }

  mutating func remove(_ number: Int) { bits &= ~(1 << UInt64(number)) }

  func contains(_ number: Int) -> Bool { number < 64 && bits >> UInt64(number) & 1 == 1 }

  func contains(_ numbers: FieldNumbers) -> Bool { bits & numbers.bits == numbers.bits }

  /// Removes and returns the lowest number, if it is below a limit.
  mutating func popFirst(below limit: Int) -> Int? {
    guard bits != 0, bits.trailingZeroBitCount < limit else { return nil }
    let number = bits.trailingZeroBitCount
    bits &= bits - 1
    return number
  }
}

extension WireWriter {
  /// Copies an old message with some of its fields replaced. The body writes these, once for each
  /// number, and gets the old field if there is one. A field that is new comes before the first old
  /// field with a higher number; a repeated one is replaced where it first occurs.
  mutating func merge(
    _ numbers: FieldNumbers, over old: WireReader?,
    _ body: (_ number: Int, _ old: WireField?, inout WireWriter) -> Void
  ) {
    var missing = numbers
    var pending = numbers
    if var reader = old {
      var scan = reader
      while let field = try? scan.nextField() {
        if missing.contains(field.number) { missing.remove(field.number) }
      }
      while let field = try? reader.nextField() {
        while let number = missing.popFirst(below: field.number) { body(number, nil, &self) }
        if pending.contains(field.number) {
          pending.remove(field.number)
          body(field.number, field, &self)
        } else if !numbers.contains(field.number) {
          append(field, of: reader)
        }
      }
    }
    while let number = missing.popFirst(below: .max) { body(number, nil, &self) }
  }
}
