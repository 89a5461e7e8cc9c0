import InkFiles

/// Reads numbers from bytes, and never beyond their end.
struct ByteCursor {
  let bytes: ArraySlice<UInt8>
  /// The offset of the next byte, from the start of the file.
  private(set) var offset: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    offset = bytes.startIndex
  }

  init(_ bytes: [UInt8]) { self.init(bytes[...]) }

  /// The number of bytes that are left.
  var remaining: Int { bytes.endIndex - offset }

  func error(_ reason: ImportError.Reason) -> ImportError { ImportError(reason, at: offset) }

  /// Reads the next bytes.
  mutating func take(_ count: Int) throws(ImportError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= remaining else { throw error(.truncated) }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }

  mutating func skip(_ count: Int) throws(ImportError) { _ = try take(count) }

  /// Continues at an offset of the file.
  mutating func move(to place: Int) throws(ImportError) {
    guard (bytes.startIndex...bytes.endIndex).contains(place) else { throw error(.truncated) }
    offset = place
  }

  /// Reads the next bytes as a cursor of their own.
  mutating func part(_ count: Int) throws(ImportError) -> ByteCursor {
    ByteCursor(try take(count))
  }

  /// A whole number, its lowest byte first.
  mutating func littleEndian<Number: FixedWidthInteger>(
    _: Number.Type = Number.self
  ) throws(ImportError) -> Number {
    let size = Number.bitWidth / 8
    guard size <= remaining else { throw error(.truncated) }
    var value: Number = 0
    for index in 0..<size {
      value |= Number(truncatingIfNeeded: bytes[offset + index]) << (8 * index)
    }
    offset += size
    return value
  }

  mutating func byte() throws(ImportError) -> UInt8 { try littleEndian() }
  mutating func uint16() throws(ImportError) -> Int { Int(try littleEndian(UInt16.self)) }
  mutating func uint32() throws(ImportError) -> Int { Int(try littleEndian(UInt32.self)) }
  mutating func int32() throws(ImportError) -> Int { Int(try littleEndian(Int32.self)) }

  /// Four bytes as a floating-point number, which need not be finite.
  mutating func float32() throws(ImportError) -> Double {
    Double(Float(bitPattern: try littleEndian()))
  }

  /// Eight bytes as a floating-point number, which need not be finite.
  mutating func float64() throws(ImportError) -> Double {
    Double(bitPattern: try littleEndian())
  }

  /// A number of seven bits a byte, the lowest first.
  mutating func variableLength() throws(ImportError) -> UInt64 {
    let start = offset
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      let next = try byte()
      if shift == 63, next > 1 { break }
      value |= UInt64(next & 0x7F) << UInt64(shift)
      if next < 0x80 { return value }
    }
    throw ImportError(.expected("a number of at most 64 bits"), at: start)
  }

  /// A count of items that take at least some bytes each.
  mutating func count(
    _ value: UInt64, of what: String, bytesEach: Int = 1
  ) throws(ImportError) -> Int {
    let limit = remaining / max(bytesEach, 1)
    guard value <= UInt64(limit) else { throw error(.tooMany(what, limit: limit)) }
    return Int(value)
  }
}
