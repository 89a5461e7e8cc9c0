/// Why bytes are not the expected JSON, and where.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, without a full stop.
  public let reason: String
  /// The offset in bytes at which it was found.
  public let offset: Int

  package init(reason: String, offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  /// The reason and the offset, for people.
  public var description: String { "\(reason) at byte \(offset)" }
}

/// Reads JSON from front to back. The caller handles each value when it is read; none is stored.
package struct JSONReader {
  /// The maximum nesting depth of containers; drawings need five.
  private static let maximumDepth = 64

  private let bytes: [UInt8]
  /// The offset of the next byte to read.
  package private(set) var offset = 0
  private var depth = 0

  /// A reader at the start of bytes; a byte order mark is skipped.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // Some programs write a byte order mark.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  /// An error at the current offset.
  package func error(_ reason: String) -> JSONError { JSONError(reason: reason, offset: offset) }

  // MARK: - Containers

  /// Reads an object: the body is called with every key and must read the value or skip it. It
  /// starts at the value's first byte, so that errors which are made before reading point there.
  package mutating func object(
    _ body: (_ key: String, inout JSONReader) throws(JSONError) -> Void
  ) throws(JSONError) {
    try container("{", "}") { (reader) throws(JSONError) in
      let key = try reader.string()
      try reader.expect(":")
      reader.skipSpace()
      try body(key, &reader)
    }
  }

  /// Reads a list: the body is called before every element and must read it or skip it.
  package mutating func list(
    _ body: (inout JSONReader) throws(JSONError) -> Void
  ) throws(JSONError) {
    try container("[", "]", body)
  }

  private mutating func container(
    _ open: Character, _ close: Character,
    _ body: (inout JSONReader) throws(JSONError) -> Void
  ) throws(JSONError) {
    try expect(open)
    depth += 1
    guard depth <= Self.maximumDepth else { throw error("containers are nested too deeply") }
    if !accept(close) {
      repeat { try body(&self) } while accept(",")
      try expect(close)
    }
    depth -= 1
  }

  /// Throws if anything but white space follows.
  package mutating func end() throws(JSONError) {
    skipSpace()
    guard offset == bytes.count else { throw error("unexpected text after the end") }
  }

  // MARK: - Values

  /// A list of finite numbers.
  package mutating func numbers() throws(JSONError) -> [Double] {
    var numbers: [Double] = []
    try list { (reader) throws(JSONError) in numbers.append(try reader.number()) }
    return numbers
  }

  /// A list of exactly `count` finite numbers.
  package mutating func numbers(count: Int) throws(JSONError) -> [Double] {
    let start = error("a list of \(count) numbers is expected")
    let numbers = try numbers()
    guard numbers.count == count else { throw start }
    return numbers
  }

  /// A finite number.
  package mutating func number() throws(JSONError) -> Double {
    skipSpace()
    let start = offset
    func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }
    var end = offset
    func at(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }
    if at(end) == UInt8(ascii: "-") { end += 1 }
    let whole = end
    while isDigit(at(end)) { end += 1 }
    guard end > whole, at(whole) != 48 || end == whole + 1 else {
      throw error("a number is expected")
    }
    if at(end) == UInt8(ascii: ".") {
      end += 1
      guard isDigit(at(end)) else { throw error("a number is expected") }
      while isDigit(at(end)) { end += 1 }
    }
    if at(end) | 0x20 == UInt8(ascii: "e") {
      end += 1
      if at(end) == UInt8(ascii: "+") || at(end) == UInt8(ascii: "-") { end += 1 }
      guard isDigit(at(end)) else { throw error("a number is expected") }
      while isDigit(at(end)) { end += 1 }
    }
    guard let value = Double(String(decoding: bytes[start..<end], as: UTF8.self)), value.isFinite
    else { throw error("a number is too large") }
    offset = end
    return value
  }

  /// A whole number in a range.
  package mutating func integer(in range: ClosedRange<Int>) throws(JSONError) -> Int {
    let start = error("a whole number from \(range.lowerBound) to \(range.upperBound) is expected")
    guard let value = Int(exactly: try number()), range.contains(value) else { throw start }
    return value
  }

  /// A text, with its escapes decoded.
  package mutating func string() throws(JSONError) -> String {
    skipSpace()
    let start = error("a text is expected")
    guard accept("\"") else { throw start }
    var text: [UInt8] = []
    while offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let string = String(validating: text, as: UTF8.self) else {
          throw JSONError(reason: "a text is not valid UTF-8", offset: start.offset)
        }
        return string
      case UInt8(ascii: "\\"): text += try escape()
      case 0..<0x20: throw error("a text holds a control character")
      default: text.append(byte)
      }
    }
    throw error("a text has no end")
  }

  private mutating func escape() throws(JSONError) -> [UInt8] {
    guard offset < bytes.count else { throw error("a text has no end") }
    let byte = bytes[offset]
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "n"): return [10]
    case UInt8(ascii: "t"): return [9]
    case UInt8(ascii: "r"): return [13]
    case UInt8(ascii: "b"): return [8]
    case UInt8(ascii: "f"): return [12]
    case UInt8(ascii: "u"):
      var code = try hexadecimal()
      if (0xD800..<0xDC00).contains(code) {
        guard bytes[offset...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else {
          throw error("half of a character is missing")
        }
        offset += 2
        let low = try hexadecimal()
        guard (0xDC00..<0xE000).contains(low) else { throw error("half of a character is missing") }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = UnicodeScalar(code) else { throw error("half of a character is missing") }
      return Array(String(scalar).utf8)
    default: throw error("an unknown escape")
    }
  }

  private mutating func hexadecimal() throws(JSONError) -> UInt32 {
    let digits = bytes[offset...].prefix(4)
    let text = String(decoding: digits, as: UTF8.self)
    guard digits.count == 4, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
      let code = UInt32(text, radix: 16)
    else { throw error("four hexadecimal digits are expected") }
    offset += 4
    return code
  }

  /// Skips a value of any kind.
  package mutating func skip() throws(JSONError) {
    switch peek() {
    case UInt8(ascii: "{"):
      try object { (_, reader) throws(JSONError) in try reader.skip() }
    case UInt8(ascii: "["): try list { (reader) throws(JSONError) in try reader.skip() }
    case UInt8(ascii: "\""): _ = try string()
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"): try word("null")
    default: _ = try number()
    }
  }

  /// The first byte of the next value, after white space; 0 at the end.
  package mutating func peek() -> UInt8 {
    skipSpace()
    return offset < bytes.count ? bytes[offset] : 0
  }

  // MARK: - Characters

  private mutating func word(_ word: String) throws(JSONError) {
    guard bytes[offset...].starts(with: word.utf8) else { throw error("a value is expected") }
    offset += word.utf8.count
  }

  private mutating func skipSpace() {
    while offset < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[offset]) { offset += 1 }
  }

  private mutating func accept(_ character: Character) -> Bool {
    guard peek() == character.asciiValue else { return false }
    offset += 1
    return true
  }

  private mutating func expect(_ character: Character) throws(JSONError) {
    guard accept(character) else {
      throw error(offset < bytes.count ? "'\(character)' is expected" : "the text ends too early")
    }
  }
}
