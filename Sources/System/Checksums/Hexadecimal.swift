private let hexadecimalDigits = Array("0123456789abcdef".utf8)

extension UInt32 {
  /// Eight lower-case hexadecimal digits.
  package var hexadecimal: String {
    (0..<4).reversed().map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }.hexadecimal
  }
}

extension [UInt8] {
  /// Two lower-case hexadecimal digits for each byte.
  package var hexadecimal: String {
    var text: [UInt8] = []
    text.reserveCapacity(2 * count)
    for byte in self {
      text.append(hexadecimalDigits[Int(byte >> 4)])
      text.append(hexadecimalDigits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Bytes from the text of `hexadecimal`; nil for anything else, such as upper-case digits.
  package init?(hexadecimal text: String) {
    var bytes: [UInt8] = []
    var high: UInt8?
    for letter in text.utf8 {
      let value: UInt8
      switch letter {
      case 48...57: value = letter - 48
      case 97...102: value = letter - 87
      default: return nil
      }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    guard high == nil else { return nil }
    self = bytes
  }
}
