/// Reads decimal numbers from bytes of text.
enum NumberText {
  /// The number that begins at an index: digits with an optional sign, point and exponent. Moves
  /// the index behind it. Nil if there is no number; the index then stays unchanged. The result is
  /// the double nearest to the text, and infinite if none is large enough.
  static func number(in text: Span<UInt8>, at index: inout Int) -> Double? {
    let end = text.count
    var next = index
    var isNegative = false
    if next < end, text[next] == UInt8(ascii: "-") || text[next] == UInt8(ascii: "+") {
      isNegative = text[next] == UInt8(ascii: "-")
      next += 1
    }
    var digits = Digits()
    let whole = next
    next = digits.read(text, from: next)
    var length = next - whole
    var decimals = 0
    if next < end, text[next] == UInt8(ascii: ".") {
      let first = next + 1
      next = digits.read(text, from: first)
      decimals = next - first
      length += decimals
    }
    guard length > 0 else { return nil }
    let power = Self.exponent(text, &next) - decimals
    defer { index = next }
    // Both factors are exact, so the result is rounded once.
    if !digits.areTooMany, digits.value <= 1 << 53, abs(power) < powersOfTen.count {
      let value = Double(digits.value)
      let result = power < 0 ? value / powersOfTen[-power] : value * powersOfTen[power]
      return isNegative ? -result : result
    }
    let characters = text.extracting(index..<next).withUnsafeBufferPointer {
      String(decoding: $0, as: UTF8.self)
    }
    return Double(characters) ?? .nan
  }

  /// Moves an index behind blanks, tabs and ends of lines.
  static func skipSpace(in text: Span<UInt8>, at index: inout Int) {
    while index < text.count, text[index] <= 0x20 { index += 1 }
  }

  /// Digits as a whole number.
  private struct Digits {
    var value: UInt64 = 0
    /// Whether the value leaves out some of the digits.
    var areTooMany = false

    /// Reads digits; returns the index behind them.
    mutating func read(_ text: Span<UInt8>, from start: Int) -> Int {
      var index = start
      while index < text.count {
        let digit = text[index] &- 48
        guard digit < 10 else { break }
        if value < 1_000_000_000_000_000_000 {
          value = value * 10 + UInt64(digit)
        } else {
          areTooMany = true
        }
        index += 1
      }
      return index
    }
  }

  /// Reads an exponent if there is one; 0 if not.
  private static func exponent(_ text: Span<UInt8>, _ index: inout Int) -> Int {
    guard index < text.count, text[index] | 0x20 == UInt8(ascii: "e") else { return 0 }
    var next = index + 1
    var isNegative = false
    if next < text.count, text[next] == UInt8(ascii: "-") || text[next] == UInt8(ascii: "+") {
      isNegative = text[next] == UInt8(ascii: "-")
      next += 1
    }
    var digits = Digits()
    let end = digits.read(text, from: next)
    guard end > next else { return 0 }
    index = end
    let value = Int(min(digits.value, 1_000_000))
    return isNegative ? -value : value
  }

  /// The powers that doubles hold exactly.
  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}
