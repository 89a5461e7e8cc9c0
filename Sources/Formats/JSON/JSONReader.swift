/// Why bytes are not the expected JSON, and where.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason, without a full stop.
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
    try container(Mark.openingBrace, Mark.closingBrace) { (reader) throws(JSONError) in
      let key = try reader.string()
      try reader.expect(Mark.colon)
      reader.skipSpace()
      try body(key, &reader)
    }
  }

  /// Reads a list: the body is called before every element and must read it or skip it.
  package mutating func list(
    _ body: (inout JSONReader) throws(JSONError) -> Void
  ) throws(JSONError) {
    try container(Mark.openingBracket, Mark.closingBracket, body)
  }

  private mutating func container(
    _ open: UInt8, _ close: UInt8, _ body: (inout JSONReader) throws(JSONError) -> Void
  ) throws(JSONError) {
    try expect(open)
    depth += 1
    guard depth <= Self.maximumDepth else { throw error("containers are nested too deeply") }
    if !accept(close) {
      repeat { try body(&self) } while accept(Mark.comma)
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
    let start = offset
    let numbers = try numbers()
    guard numbers.count == count else {
      throw JSONError(reason: "a list of \(count) numbers is expected", offset: start)
    }
    return numbers
  }

  /// Reads an object of finite numbers, or a list of them in which null stands for no number, and
  /// returns true. Reads nothing of anything else, such as an error or an unknown key: the caller
  /// then reads value by value.
  package mutating func read(_ row: inout NumberRow) -> Bool {
    guard depth < Self.maximumDepth else { return false }
    let end = bytes.withUnsafeBufferPointer { row.read($0, at: offset) }
    guard let end else { return false }
    offset = end
    return true
  }

  /// A finite number.
  package mutating func number() throws(JSONError) -> Double {
    let number = try nextNumber()
    guard number.value.isFinite else { throw error("a number is too large") }
    offset = number.end
    return number.value
  }

  /// The number that begins here, and is not read yet.
  private mutating func nextNumber() throws(JSONError) -> DecimalNumber {
    skipSpace()
    let number = bytes.withUnsafeBufferPointer { DecimalNumber($0, at: offset) }
    guard let number else { throw error("a number is expected") }
    return number
  }

  /// A whole number in a range.
  package mutating func integer(in range: ClosedRange<Int>) throws(JSONError) -> Int {
    let start = offset
    guard let value = Int(exactly: try number()), range.contains(value) else {
      throw JSONError(
        reason: "a whole number from \(range.lowerBound) to \(range.upperBound) is expected",
        offset: start)
    }
    return value
  }

  /// A text, with its escapes decoded.
  package mutating func string() throws(JSONError) -> String {
    let start = try openText()
    let (end, isASCII) = plainText()
    guard isASCII, bytes[end] == Mark.quote else { return try string(from: start) }
    offset = end + 1
    return bytes.withUnsafeBufferPointer {
      String(decoding: UnsafeBufferPointer(rebasing: $0[start + 1..<end]), as: UTF8.self)
    }
  }

  /// Starts a text, and returns the offset of its quotation mark.
  private mutating func openText() throws(JSONError) -> Int {
    guard accept(Mark.quote) else { throw error("a text is expected") }
    return offset - 1
  }

  /// The end of the part of a text from here on that can be taken as it is: the offset of a
  /// quotation mark, a backslash or a control character. If there is none, the part is not plain.
  private func plainText() -> (end: Int, isASCII: Bool) {
    bytes.withUnsafeBufferPointer { bytes in
      var (index, all) = (offset, UInt8(0))
      while index < bytes.count {
        let byte = bytes[index]
        if byte == Mark.quote || byte == Mark.backslash || byte < 0x20 {
          return (index, all < 0x80)
        }
        all |= byte
        index += 1
      }
      return (index, false)
    }
  }

  /// Reads a text of any kind behind its quotation mark.
  private mutating func string(from start: Int) throws(JSONError) -> String {
    var text: [UInt8] = []
    while offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      switch byte {
      case Mark.quote:
        guard let string = String(validating: text, as: UTF8.self) else {
          throw JSONError(reason: "a text is not valid UTF-8", offset: start)
        }
        return string
      case Mark.backslash: text += try escape()
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

  /// True or false.
  package mutating func truth() throws(JSONError) -> Bool {
    switch peek() {
    case UInt8(ascii: "t"):
      try word("true")
      return true
    case UInt8(ascii: "f"):
      try word("false")
      return false
    default: throw error("true or false is expected")
    }
  }

  /// Skips `null`, and returns whether it was there.
  package mutating func skipNull() throws(JSONError) -> Bool {
    guard peek() == UInt8(ascii: "n") else { return false }
    try word("null")
    return true
  }

  /// Reads a value of a possibly unexpected kind. An unexpected value is skipped, and its error is
  /// returned. Throws only if the text is not JSON.
  package mutating func attempt(
    _ body: (inout JSONReader) throws(JSONError) -> Void
  ) throws(JSONError) -> JSONError? {
    var copy = self
    do throws(JSONError) {
      try body(&copy)
      self = copy
      return nil
    } catch {
      try skip()
      return error
    }
  }

  /// A reader of the value at an offset, which was read before.
  package func value(at offset: Int) -> JSONReader {
    var copy = self
    copy.offset = offset
    copy.depth = 0
    return copy
  }

  /// Skips a value of any kind.
  package mutating func skip() throws(JSONError) {
    switch peek() {
    case Mark.openingBrace:
      try container(Mark.openingBrace, Mark.closingBrace) { (reader) throws(JSONError) in
        try reader.skipText()
        try reader.expect(Mark.colon)
        try reader.skip()
      }
    case Mark.openingBracket: try list { (reader) throws(JSONError) in try reader.skip() }
    case Mark.quote: try skipText()
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"): try word("null")
    // Skipping accepts numbers that are too large for a double.
    default: offset = try nextNumber().end
    }
  }

  private mutating func skipText() throws(JSONError) {
    let start = try openText()
    let (end, isASCII) = plainText()
    if isASCII, bytes[end] == Mark.quote {
      offset = end + 1
    } else {
      _ = try string(from: start)
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
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x0A, 0x0D, 0x09: offset += 1
      default: return
      }
    }
  }

  private mutating func accept(_ character: UInt8) -> Bool {
    guard peek() == character else { return false }
    offset += 1
    return true
  }

  private mutating func expect(_ character: UInt8) throws(JSONError) {
    guard accept(character) else {
      throw error(
        offset < bytes.count
          ? "'\(UnicodeScalar(character))' is expected" : "the text ends too early")
    }
  }

  /// The characters that JSON is made of.
  private enum Mark {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let colon = UInt8(ascii: ":")
    static let comma = UInt8(ascii: ",")
    static let openingBrace = UInt8(ascii: "{")
    static let closingBrace = UInt8(ascii: "}")
    static let openingBracket = UInt8(ascii: "[")
    static let closingBracket = UInt8(ascii: "]")
  }
}
