/// Writes the parts of Wacom's files: protobuf messages, and chunks.
enum WacomBytes {
  static func varint(_ value: UInt64) -> [UInt8] {
    var (rest, bytes) = (value, [UInt8]())
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  /// An integer with its sign in the lowest bit.
  static func signed(_ value: Int) -> [UInt8] {
    varint(UInt64(bitPattern: Int64(value << 1 ^ value >> 63)))
  }

  static func littleEndian(_ value: Int, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  // MARK: - Fields

  static func field(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
    varint(UInt64(number << 3 | 2)) + varint(UInt64(bytes.count)) + bytes
  }

  static func field(_ number: Int, text: String) -> [UInt8] { field(number, Array(text.utf8)) }

  static func field(_ number: Int, integer: Int) -> [UInt8] {
    varint(UInt64(number << 3)) + varint(UInt64(integer))
  }

  static func field(_ number: Int, signed value: Int) -> [UInt8] {
    varint(UInt64(number << 3)) + signed(value)
  }

  static func field(_ number: Int, float: Double) -> [UInt8] {
    varint(UInt64(number << 3 | 5)) + littleEndian(Int(Float(float).bitPattern), count: 4)
  }

  static func field(_ number: Int, double: Double) -> [UInt8] {
    varint(UInt64(number << 3 | 1))
      + littleEndian(Int(bitPattern: UInt(double.bitPattern)), count: 8)
  }

  static func field(_ number: Int, floats: [Double]) -> [UInt8] {
    field(number, floats.flatMap { littleEndian(Int(Float($0).bitPattern), count: 4) })
  }

  static func field(_ number: Int, integers: [Int]) -> [UInt8] {
    field(number, integers.flatMap { varint(UInt64($0)) })
  }

  /// Integers, as their differences.
  static func field(_ number: Int, sums: [Int]) -> [UInt8] {
    field(number, sums.indices.flatMap { signed(sums[$0] - ($0 > 0 ? sums[$0 - 1] : 0)) })
  }

  // MARK: - Files

  static func riff(_ form: String, _ chunks: [(name: String, bytes: [UInt8])]) -> [UInt8] {
    let body = chunks.flatMap { name, bytes in
      Array(name.utf8) + littleEndian(bytes.count, count: 4) + bytes
        + [UInt8](repeating: 0, count: bytes.count % 2)
    }
    return Array("RIFF".utf8) + littleEndian(body.count + 4, count: 4) + Array(form.utf8) + body
  }
}
