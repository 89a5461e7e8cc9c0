/// A moment from its ISO 8601 text: date, time of day and offset from UTC, such as
/// `2026-11-21T12:40:51.25+08:00`.
package struct ISO8601: Hashable, Sendable {
  /// Whole seconds since 1970-01-01 00:00:00 UTC. The offset has been subtracted.
  package let seconds: Int64
  /// The fraction of a second, from 0 to 1: the double nearest to the decimal places. It is 1 if
  /// they are seventeen or more nines.
  package let fraction: Double
  /// Seconds east of Greenwich; 0 for `Z`.
  package let offset: Int

  /// Reads a text of the years 0 to 9999, with any number of decimal places and with `Z` or an
  /// offset such as `+08:00` or `+0800`; nil for anything else. Date and time are separated by
  /// `T`, `t` or a space, decimal places by a point or a comma.
  package init?(_ text: String) {
    var reader = TextReader(text)
    guard let date = CivilDate(from: &reader), reader.skip("Tt "),
      let hour = reader.number(digits: 2), reader.skip(":"),
      let minute = reader.number(digits: 2), reader.skip(":"),
      let second = reader.number(digits: 2), hour < 24, minute < 60, second < 60,
      let fraction = Self.fraction(&reader), let offset = Self.offset(&reader), reader.isAtEnd
    else { return nil }
    seconds = Int64(date.dayNumber * 86_400 + hour * 3600 + minute * 60 + second - offset)
    self.fraction = fraction
    self.offset = offset
  }

  /// Reads a point or comma and decimal places; 0 if there is neither point nor comma.
  private static func fraction(_ reader: inout TextReader) -> Double? {
    guard reader.skip(".,") else { return 0 }
    let digits = reader.text { 48...57 ~= $0 }
    guard !digits.isEmpty, let text = String(digits) else { return nil }
    return Double("0." + text)
  }

  private static func offset(_ reader: inout TextReader) -> Int? {
    if reader.skip("Zz") { return 0 }
    let sign = reader.next == UInt8(ascii: "-") ? -1 : 1
    guard reader.skip("+-"), let hours = reader.number(digits: 2) else { return nil }
    _ = reader.skip(":")
    guard let minutes = reader.number(digits: 2), hours < 24, minutes < 60 else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }

  /// A moment in UTC as text: `2026-11-21T12:40:51.25Z` for a fraction of 25 with two digits.
  ///
  /// - Parameters:
  ///   - seconds: Whole seconds since 1970-01-01 00:00:00 UTC.
  ///   - fraction: The decimal places as a whole number.
  ///   - digits: The number of decimal places; 0 for none, and no point.
  package static func text(seconds: Int64, fraction: Int = 0, digits: Int = 0) -> String {
    let (day, time) = seconds.flooredQuotientAndRemainder(dividingBy: 86_400)
    let date = CivilDate(dayNumber: Int(day))
    var text: [UInt8] = []
    text.reserveCapacity(32)
    text.append(date.year, width: 4, after: nil)
    text.append(date.month, width: 2, after: UInt8(ascii: "-"))
    text.append(date.day, width: 2, after: UInt8(ascii: "-"))
    text.append(Int(time / 3600), width: 2, after: UInt8(ascii: "T"))
    text.append(Int(time / 60 % 60), width: 2, after: UInt8(ascii: ":"))
    text.append(Int(time % 60), width: 2, after: UInt8(ascii: ":"))
    if digits > 0 { text.append(fraction, width: digits, after: UInt8(ascii: ".")) }
    text.append(UInt8(ascii: "Z"))
    return String(decoding: text, as: UTF8.self)
  }
}

extension [UInt8] {
  /// Appends a mark, and a number with leading zeros.
  fileprivate mutating func append(_ number: Int, width: Int, after mark: UInt8?) {
    if let mark { append(mark) }
    // Services write many moments, so without a string for each number.
    guard 0..<1_000_000 ~= number, 1...6 ~= width else {
      self += padded(number, width).utf8
      return
    }
    var power = 1
    for _ in 1..<width { power *= 10 }
    while number / power > 9 { power *= 10 }
    while power > 0 {
      append(UInt8(ascii: "0") + UInt8(number / power % 10))
      power /= 10
    }
  }
}
