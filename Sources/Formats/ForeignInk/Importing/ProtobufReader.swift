import InkFiles
import Graphics
import PencilKitArchive

/// Reads the fields of a protobuf message in order, for importers: the fields are those of
/// `WireReader`, the errors those of imports.
struct ProtobufReader {
  private var fields: WireReader

  /// A reader of the message in a range of bytes. The last field of a truncated message may be
  /// shorter than its stated length.
  init(_ bytes: [UInt8], in range: Range<Int>, isCut: Bool = false) {
    fields = WireReader(bytes, in: range, allowsCut: isCut)
  }

  /// The bytes that offsets count in.
  var bytes: [UInt8] { fields.bytes }

  /// The offset of the next field.
  var offset: Int { fields.offset }

  /// Reads the next field; nil at the end of the message.
  mutating func next() throws(ImportError) -> WireField? {
    do throws(PencilKitError) {
      return try fields.nextField()
    } catch {
      switch error.reason {
      case .truncated, .lengthBeyondEnd: throw ImportError(.truncated, at: error.offset)
      default: throw ImportError(.syntax("\(error.reason)"), at: error.offset)
      }
    }
  }

  // MARK: - Single values

  /// The value of a field that must be a whole number; a value out of range is clamped.
  func integer(_ field: WireField) throws(ImportError) -> Int {
    guard field.kind == .varint else { throw wrongKind(field, "a whole number") }
    return Int(clamping: field.value)
  }

  /// The value of a field that must be a whole number with the sign in its lowest bit.
  func signed(_ field: WireField) throws(ImportError) -> Int {
    guard field.kind == .varint else { throw wrongKind(field, "a whole number") }
    return Self.signed(field.value)
  }

  /// The value of a field of 32 or 64 bits, which must be finite.
  func number(_ field: WireField) throws(ImportError) -> Double {
    let value: Double
    switch field.kind {
    case .fixed32: value = Double(Float(bitPattern: word(at: field.payload.lowerBound)))
    case .fixed64:
      let low = UInt64(word(at: field.payload.lowerBound))
      let high = UInt64(word(at: field.payload.lowerBound + 4))
      value = Double(bitPattern: high << 32 | low)
    case .varint, .bytes: throw wrongKind(field, "a number")
    }
    guard value.isFinite else {
      throw ImportError(.expected("a finite number"), at: field.payload.lowerBound)
    }
    return value
  }

  /// The range of the message in a field.
  func range(_ field: WireField) throws(ImportError) -> Range<Int> {
    guard field.kind == .bytes else { throw wrongKind(field, "a message") }
    return field.payload
  }

  /// The message in a field.
  func message(_ field: WireField) throws(ImportError) -> ProtobufReader {
    ProtobufReader(bytes, in: try range(field))
  }

  /// The bytes in a field.
  func data(_ field: WireField) throws(ImportError) -> ArraySlice<UInt8> {
    bytes[try range(field)]
  }

  /// The text in a field; invalid UTF-8 is replaced.
  func text(_ field: WireField) throws(ImportError) -> String {
    String(decoding: try data(field), as: UTF8.self)
  }

  // MARK: - Repeated values

  /// Appends the 32-bit numbers of a field that is repeated, packed or not. They need not be
  /// finite.
  func append(numbersOf field: WireField, to values: inout [Double]) throws(ImportError) {
    guard field.kind == .bytes || field.kind == .fixed32, field.payload.count % 4 == 0 else {
      throw wrongKind(field, "a list of numbers")
    }
    values.reserveCapacity(values.count + field.payload.count / 4)
    for offset in stride(from: field.payload.lowerBound, to: field.payload.upperBound, by: 4) {
      values.append(Double(Float(bitPattern: word(at: offset))))
    }
  }

  /// Appends the whole numbers of a field that is repeated, packed or not.
  func append(integersOf field: WireField, to values: inout [Double]) throws(ImportError) {
    try varints(field) { values.append(Double($0)) }
  }

  /// Appends the sums of the differences in a field that is repeated, packed or not, each divided
  /// by a divisor. Sums are exact: floating-point sums would drift.
  func append(
    sumsOf field: WireField, over divisor: Double, to values: inout [Double]
  ) throws(ImportError) {
    var sum = values.last.map { Int(clamping: ($0 * divisor).rounded()) } ?? 0
    try varints(field) {
      sum &+= Self.signed($0)
      values.append(Double(sum) / divisor)
    }
  }

  /// Appends the whole numbers with signs of a field that is repeated, packed or not.
  func append(signedOf field: WireField, to values: inout [Int]) throws(ImportError) {
    try varints(field) { values.append(Self.signed($0)) }
  }

  /// Calls the body with each number of a field that is repeated, packed or not.
  @inline(__always)
  private func varints(
    _ field: WireField, _ body: (UInt64) -> Void
  ) throws(ImportError) {
    guard field.kind == .bytes else {
      guard field.kind == .varint else { throw wrongKind(field, "a list of whole numbers") }
      body(field.value)
      return
    }
    var offset = field.payload.lowerBound
    let end = field.payload.upperBound
    while offset < end {
      var value = UInt64(bytes[offset])
      offset += 1
      if value >= 0x80 {
        value &= 0x7F
        var shift: UInt64 = 7
        while true {
          guard offset < end else { throw ImportError(.truncated, at: offset) }
          let byte = UInt64(bytes[offset])
          guard shift < 63 || byte <= 1 else {
            throw ImportError(.expected("a number of at most 64 bits"), at: offset)
          }
          offset += 1
          value |= (byte & 0x7F) << shift
          shift += 7
          if byte < 0x80 { break }
        }
      }
      body(value)
    }
  }

  private static func signed(_ value: UInt64) -> Int {
    Int(truncatingIfNeeded: value >> 1) ^ -Int(truncatingIfNeeded: value & 1)
  }

  private func word(at offset: Int) -> UInt32 {
    UInt32(bytes[offset]) | UInt32(bytes[offset + 1]) << 8 | UInt32(bytes[offset + 2]) << 16
      | UInt32(bytes[offset + 3]) << 24
  }

  private func wrongKind(_ field: WireField, _ expected: String) -> ImportError {
    ImportError(.expected("\(expected) in field \(field.number)"), at: field.range.lowerBound)
  }
}

extension Double {
  /// A power of ten, by which formats divide whole numbers; exponents outside 0…15 are limited.
  static func powerOfTen(_ exponent: Int) -> Double {
    (0..<min(max(exponent, 0), 15)).reduce(1) { power, _ in power * 10 }
  }
}
