import JSON

/// Reads numbers and texts from bytes that are mostly millions of short numbers. Rare cases take
/// slower paths, so that the usual number takes a few steps for each digit and no memory.
struct TextScanner {
  private let bytes: UnsafeBufferPointer<UInt8>
  /// The index of the next byte.
  var offset: Int

  /// A scanner that must not outlive the bytes.
  init(_ bytes: UnsafeBufferPointer<UInt8>, from offset: Int = 0) {
    self.bytes = bytes
    self.offset = offset
  }

  var isAtEnd: Bool { offset >= bytes.count }

  /// The next byte; 0 at the end.
  var next: UInt8 { offset < bytes.count ? bytes[offset] : 0 }

  mutating func skipSpace() {
    while offset < bytes.count, Self.isSpace(bytes[offset]) { offset += 1 }
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
  }

  /// Whether the line has no more text.
  var isAtLineBreak: Bool { next == UInt8(ascii: "\n") || next == UInt8(ascii: "\r") }

  /// Skips white space and this byte; false if the next byte is another.
  mutating func accept(_ byte: UInt8) -> Bool {
    skipSpace()
    guard next == byte, offset < bytes.count else { return false }
    offset += 1
    return true
  }

  /// Reads up to the byte behind the next line break, or the end.
  mutating func skipLine() {
    while offset < bytes.count, bytes[offset] != UInt8(ascii: "\n") { offset += 1 }
    offset = min(offset + 1, bytes.count)
  }

  /// Whether the next bytes are those of a word.
  func starts(with word: StaticString) -> Bool {
    word.withUTF8Buffer { word in
      bytes.count - offset >= word.count
        && UnsafeBufferPointer(rebasing: bytes[offset..<offset + word.count]).elementsEqual(word)
    }
  }

  /// The text from an index up to the next byte.
  func text(from start: Int) -> String { String(decoding: bytes[start..<offset], as: UTF8.self) }

  // MARK: - Numbers

  /// Reads the next number, rounded to the nearest double. Nil if there is none; nothing is read
  /// then.
  mutating func number() -> Double? {
    var index = offset
    let isNegative = next == UInt8(ascii: "-")
    if isNegative { index += 1 }
    var digits: UInt64 = 0
    let first = index
    readDigits(&digits, &index)
    var (count, places) = (index - first, 0)
    guard count > 0 else { return nil }
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
      let point = index
      index += 1
      readDigits(&digits, &index)
      places = index - point - 1
      guard places > 0 else { return nil }
      count += places
    }
    // More digits do not fit into 64 bits.
    let isPlain = count <= 19 && (index == bytes.count || bytes[index] | 0x20 != UInt8(ascii: "e"))
    guard isPlain else { return longNumber() }
    offset = index
    let value = Self.decimal(digits, places: places)
    return isNegative ? -value : value
  }

  @inline(__always)
  private func readDigits(_ digits: inout UInt64, _ index: inout Int) {
    while index < bytes.count {
      let digit = bytes[index] &- 48
      guard digit < 10 else { return }
      digits = digits &* 10 &+ UInt64(digit)
      index += 1
    }
  }

  /// A number with an exponent or many digits.
  private mutating func longNumber() -> Double? {
    var end = offset
    func isPart(_ byte: UInt8) -> Bool {
      48...57 ~= byte || byte == 0x2B || byte == 0x2D || byte == 0x2E || byte | 0x20 == 0x65
    }
    while end < bytes.count, isPart(bytes[end]) { end += 1 }
    var json = JSONReader(Array(bytes[offset..<end]))
    guard let value = try? json.number(), (try? json.end()) != nil else { return nil }
    offset = end
    return value
  }

  private static let powersOfTen = (0..<20).map { (0..<$0).reduce(UInt64(1)) { p, _ in p * 10 } }

  /// `digits` / 10^`places`, rounded to nearest; at most 19 places.
  static func decimal(_ digits: UInt64, places: Int) -> Double {
    if places == 0 { return Double(digits) }
    let power = powersOfTen[places]
    // Both are exact, so that the division alone rounds.
    if digits < 1 << 53, places <= 15 { return Double(digits) / Double(power) }
    if digits == 0 { return 0 }
    // A quotient of at least 62 bits. Its last bit represents the remainder, so that the conversion
    // rounds correctly.
    let (up, down) = (digits.leadingZeroBitCount, power.leadingZeroBitCount)
    let numerator = digits << UInt64(up)
    let (quotient, rest) = (power << UInt64(down)).dividingFullWidth(
      (numerator >> 1, numerator << 63))
    let value = Double(quotient | (rest == 0 ? 0 : 1))
    return value * Double(sign: .plus, exponent: down - up - 63, significand: 1)
  }

  // MARK: - JSON

  /// Reads a list of numbers to the end of an array; false if the value is not such a list.
  mutating func numbers(into values: inout [Double]) -> Bool {
    guard accept(UInt8(ascii: "[")) else { return false }
    if accept(UInt8(ascii: "]")) { return true }
    while true {
      if Self.isSpace(next) { skipSpace() }
      guard let value = number() else { return false }
      values.append(value)
      if next == UInt8(ascii: ",") {
        offset += 1
      } else if accept(UInt8(ascii: "]")) {
        return true
      } else if !accept(UInt8(ascii: ",")) {
        return false
      }
    }
  }

  /// The text that comes next; nil if there is none.
  mutating func string() -> String? {
    skipSpace()
    let start = offset
    guard let hasEscapes = skipString() else { return nil }
    if !hasEscapes { return String(decoding: bytes[start + 1..<offset - 1], as: UTF8.self) }
    var json = JSONReader(Array(bytes[start..<offset]))
    return try? json.string()
  }

  /// Skips a text and returns whether it has escapes; nil if there is no text, or it has no end.
  private mutating func skipString() -> Bool? {
    guard next == UInt8(ascii: "\""), !isAtEnd else { return nil }
    var hasEscapes = false
    var index = offset + 1
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        offset = index + 1
        return hasEscapes
      case UInt8(ascii: "\\"):
        hasEscapes = true
        index += 2
      default: index += 1
      }
    }
    return nil
  }

  /// Skips a value of any kind; false if it has no end.
  mutating func skipValue() -> Bool {
    var depth = 0
    repeat {
      skipSpace()
      guard !isAtEnd else { return false }
      switch next {
      case UInt8(ascii: "\""): guard skipString() != nil else { return false }
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        offset += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        guard depth > 0 else { return false }
        depth -= 1
        offset += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        guard depth > 0 else { return false }
        offset += 1
      default:
        while !isAtEnd, !Self.isSpace(next), !Self.endsWord(next) { offset += 1 }
      }
    } while depth > 0
    return true
  }

  private static func endsWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "["),
      UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"):
      true
    default: false
    }
  }
}
