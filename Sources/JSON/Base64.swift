/// Bytes as text of 64 signs, and back.
package enum Base64 {
  private static let signs = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for sign in 0..<4 {
        text.append(
          sign <= group.count ? signs[Int(bits >> UInt32(18 - 6 * sign) & 63)] : padding)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text; nil where it is not of this form.
  package static func decode(_ text: String) -> [UInt8]? {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, sign) in signs.enumerated() { values[Int(sign)] = UInt8(value) }
    let text = Array(text.utf8)
    guard text.count.isMultiple(of: 4) else { return nil }
    let padded = text.suffix(2).filter { $0 == padding }.count
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var bits: UInt32 = 0
    for (index, sign) in text.dropLast(padded).enumerated() {
      let value = values[Int(sign)]
      guard value < 64 else { return nil }
      bits = bits << 6 | UInt32(value)
      if index % 4 == 3 {
        bytes += [16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) }
        bits = 0
      }
    }
    if padded == 1 { bytes += [10, 2].map { UInt8(truncatingIfNeeded: bits >> $0) } }
    if padded == 2 { bytes.append(UInt8(truncatingIfNeeded: bits >> 4)) }
    return bytes
  }
}
