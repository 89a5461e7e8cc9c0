/// A decimal number at the start of a text.
///
/// Most numbers of files have few digits, and for those the nearest double follows from one
/// multiplication or division; the system's parser, which needs a `String`, reads the rest.
package struct DecimalNumber {
  /// The form of numbers.
  package enum Grammar {
    case json
    /// Also with `+`, with zeros in front, and without digits on one side of the point. An `e`
    /// without an exponent is not a part of the number.
    case loose
  }

  /// The nearest double; infinite if the number is too large for one.
  package let value: Double
  /// The offset behind the last character.
  package let end: Int

  /// Reads a number. Nil if there is none, or if JSON's is cut behind its point or its `e`.
  package init?(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int, _ grammar: Grammar = .json) {
    var scan = DecimalScan(bytes, at: start)
    guard scan.readNumber(grammar) else { return nil }
    end = scan.offset
    if let exact = scan.exactValue {
      value = scan.isNegative ? -exact : exact
    } else {
      let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
      guard let parsed = Double(text) else { return nil }
      value = parsed
    }
  }
}

/// Reads the characters of a number.
private struct DecimalScan {
  let bytes: UnsafeBufferPointer<UInt8>
  var offset: Int
  var isNegative = false
  /// The digits as a whole number; wrong if there are more than 19.
  private var digits: UInt64 = 0
  /// The number of digits, without a single 0 in front of the point.
  private var digitCount = 0
  /// The power of ten that the digits are multiplied with.
  private var exponent = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) {
    self.bytes = bytes
    offset = start
  }

  /// The next character; 0 at the end.
  private var next: UInt8 { offset < bytes.count ? bytes[offset] : 0 }

  /// Reads digits, and returns how many there are.
  @inline(__always)
  private mutating func readDigits() -> Int {
    let start = offset
    while offset < bytes.count {
      let digit = bytes[offset] &- 48
      guard digit < 10 else { break }
      digits = digits &* 10 &+ UInt64(digit)
      offset += 1
    }
    return offset - start
  }

  mutating func readNumber(_ grammar: DecimalNumber.Grammar) -> Bool {
    isNegative = next == UInt8(ascii: "-")
    if isNegative || grammar == .loose && next == UInt8(ascii: "+") { offset += 1 }
    let startsWithZero = next == UInt8(ascii: "0")
    let whole = readDigits()
    var fraction = 0
    let hasPoint = next == UInt8(ascii: ".")
    if hasPoint {
      offset += 1
      fraction = readDigits()
      exponent = -fraction
    }
    digitCount = (startsWithZero && whole == 1 ? 0 : whole) + fraction
    switch grammar {
    case .json:
      guard whole == 1 || whole > 1 && !startsWithZero, !hasPoint || fraction > 0 else {
        return false
      }
    case .loose: guard whole + fraction > 0 else { return false }
    }
    guard next | 0x20 == UInt8(ascii: "e") else { return true }
    let end = offset
    if readExponent() { return true }
    offset = end
    return grammar == .loose
  }

  private mutating func readExponent() -> Bool {
    offset += 1
    let isDown = next == UInt8(ascii: "-")
    if isDown || next == UInt8(ascii: "+") { offset += 1 }
    let start = offset
    var power = 0
    while offset < bytes.count {
      let digit = bytes[offset] &- 48
      guard digit < 10 else { break }
      // Larger exponents give 0 or infinity for all digits.
      if power < 1_000_000 { power = power * 10 + Int(digit) }
      offset += 1
    }
    exponent += isDown ? -power : power
    return offset > start
  }

  /// The nearest double without the sign, if the digits fit in 64 bits and the power of ten is
  /// small.
  var exactValue: Double? {
    guard digitCount <= 19 else { return nil }
    if exponent == 0 { return Double(digits) }
    // Both are doubles without rounding, so one operation rounds once.
    if digits < 1 << 53, abs(exponent) <= 22 {
      let power = Self.powers[abs(exponent)]
      return exponent < 0 ? Double(digits) / power : Double(digits) * power
    }
    guard exponent <= 0, exponent >= -19 else { return nil }
    return Self.quotient(digits, Self.wholePowers[-exponent])
  }

  /// The double nearest to a quotient of whole numbers, of which neither is 0.
  private static func quotient(_ dividend: UInt64, _ divisor: UInt64) -> Double {
    // Both get a leading 1, so that the quotient has 64 bits, or 63 and is made even.
    let (up, down) = (dividend.leadingZeroBitCount, divisor.leadingZeroBitCount)
    let (n, d) = (dividend << UInt64(up), divisor << UInt64(down))
    // The dividend's upper half must be less than the divisor.
    let isLarger = n >= d
    let (high, low) = isLarger ? (n >> 1, n << 63) : (n, 0)
    let (quotient, remainder) = d.dividingFullWidth((high, low))
    // A sticky bit below all kept bits records a remainder, so that ties round correctly.
    let bits = quotient | (remainder == 0 ? 0 : 1)
    let exponent = (isLarger ? 1 : 0) - 64 - up + down
    return Double(bits) * Double(sign: .plus, exponent: exponent, significand: 1)
  }

  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
    1e18, 1e19, 1e20, 1e21, 1e22,
  ]
  private static let wholePowers: [UInt64] = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
    1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
    1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
  ]
}
