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
    guard let number = DecimalNumber(bytes, at: offset), number.value.isFinite else { return nil }
    offset = number.end
    return number.value
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
