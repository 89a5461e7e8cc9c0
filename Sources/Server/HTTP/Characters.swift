// The character classes of RFC 9110.

extension UInt8 {
  var isDigit: Bool { 48...57 ~= self }
  var isLetter: Bool { 65...90 ~= self || 97...122 ~= self }

  var lowercased: UInt8 { 65...90 ~= self ? self + 32 : self }

  /// Characters of field names, methods and unquoted values.
  var isTokenCharacter: Bool {
    switch self {
    // !#$%&'*+-.^_`|~
    case 33, 35...39, 42, 43, 45, 46, 94...96, 124, 126: true
    default: isDigit || isLetter
    }
  }

  /// The characters of a host's name or address with a port.
  var isHostCharacter: Bool {
    switch self {
    // %-.:[]_~
    case 37, 45, 46, 58, 91, 93, 95, 126: true
    default: isDigit || isLetter
    }
  }

  /// The value of a hexadecimal digit.
  var hexadecimalValue: UInt8? {
    switch self {
    case 48...57: self - 48
    case 65...70: self - 55
    case 97...102: self - 87
    default: nil
    }
  }
}

extension [UInt8] {
  /// The bytes without leading and trailing blanks and tabs.
  var trimmingBlanks: [UInt8] {
    func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }
    // Most parsers have removed them already.
    if let first, let last, !isBlank(first), !isBlank(last) { return self }
    guard let first = firstIndex(where: { !isBlank($0) }),
      let last = lastIndex(where: { !isBlank($0) })
    else { return [] }
    return Array(self[first...last])
  }
}
