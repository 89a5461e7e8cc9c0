import Graphics

/// A moment, in seconds since the start of 2001 in UTC, as Apple's systems count.
public struct Timestamp: Hashable, Sendable, Comparable {
  /// Seconds since 2001-01-01 00:00:00 UTC; negative before.
  public var secondsSinceReferenceDate: Double

  /// A moment from its seconds since 2001-01-01 00:00:00 UTC.
  public init(secondsSinceReferenceDate: Double) {
    self.secondsSinceReferenceDate = secondsSinceReferenceDate
  }

  /// A moment from its seconds since 1970-01-01 00:00:00 UTC.
  public init(secondsSince1970: Double) {
    self.init(secondsSinceReferenceDate: secondsSince1970 - Self.secondsFrom1970To2001)
  }

  /// Seconds since 1970-01-01 00:00:00 UTC.
  public var secondsSince1970: Double { secondsSinceReferenceDate + Self.secondsFrom1970To2001 }

  /// 2001-01-01 00:00:00 UTC, from which seconds are counted.
  public static let referenceDate = Timestamp(secondsSinceReferenceDate: 0)

  package static let secondsFrom1970To2001 = 978_307_200.0

  /// The earlier moment comes first.
  public static func < (a: Timestamp, b: Timestamp) -> Bool {
    a.secondsSinceReferenceDate < b.secondsSinceReferenceDate
  }

  /// The moment some seconds later.
  public static func + (moment: Timestamp, seconds: Double) -> Timestamp {
    Timestamp(secondsSinceReferenceDate: moment.secondsSinceReferenceDate + seconds)
  }

  /// The seconds from `b` to `a`.
  public static func - (a: Timestamp, b: Timestamp) -> Double {
    a.secondsSinceReferenceDate - b.secondsSinceReferenceDate
  }
}

extension Timestamp {
  /// The range that begins at this moment and lasts for some milliseconds.
  package func range(milliseconds: UInt32) -> ClosedRange<Timestamp> {
    self...self + Double(milliseconds) / 1000
  }
}

// MARK: - ISO 8601

extension Timestamp {
  /// The moment as `2026-11-21T12:40:51.25Z`, with the fewest digits (up to ten) that read back to
  /// the same number; nil outside the years 0 to 9999.
  public var iso8601: String? {
    let range =
      Self.dayNumber(
        year: 0, month: 1, day: 1)...Self.dayNumber(
        year: 9999, month: 12, day: 31)
    let day = (secondsSinceReferenceDate / 86_400).rounded(.down)
    guard day >= Double(range.lowerBound), day <= Double(range.upperBound) else { return nil }
    // Digits are added until the text reads back to the same number. This takes seven for any
    // moment of our century; only moments within a millisecond of 2001 can need more than ten.
    for digits in 0...9 {
      let text = iso8601(fractionDigits: digits)
      if Timestamp(iso8601: text) == self { return text }
    }
    return iso8601(fractionDigits: 10)
  }

  /// The moment rounded to a number of decimal digits of a second.
  private func iso8601(fractionDigits digits: Int) -> String {
    var whole = secondsSinceReferenceDate.rounded(.down)
    let unit = (0..<digits).reduce(1.0) { unit, _ in unit * 10 }
    var fraction = ((secondsSinceReferenceDate - whole) * unit).rounded()
    if fraction >= unit {
      whole += 1
      fraction = 0
    }
    let dayNumber = Int(clamping: (whole / 86_400).rounded(.down))
    let second = Int(clamping: whole) - dayNumber * 86_400
    let date = Self.date(dayNumber: dayNumber)
    func padded(_ value: Int, _ width: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
    let clock = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }
    return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T"
      + clock.joined(separator: ":")
      + (digits > 0 ? "." + padded(Int(clamping: fraction), digits) : "") + "Z"
  }

  /// Reads `2026-11-21T12:40:51Z`, with any fraction and with `Z` or an offset such as `+08:00`;
  /// nil for anything else.
  public init?(iso8601 text: String) {
    var rest = text.utf8[...]
    func number(_ count: Int) -> Int? {
      let digits = rest.prefix(count)
      guard digits.count == count, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
      rest = rest.dropFirst(count)
      return digits.reduce(0) { $0 * 10 + Int($1) - 48 }
    }
    func skip(_ characters: String) -> Bool {
      guard let next = rest.first, characters.utf8.contains(next) else { return false }
      rest = rest.dropFirst()
      return true
    }
    guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2),
      (1...12).contains(month), day >= 1, day <= Self.dayCount(month: month, year: year),
      skip("Tt "), let hour = number(2), skip(":"), let minute = number(2), skip(":"),
      let second = number(2), hour < 24, minute < 60, second < 60
    else { return nil }
    var fraction = 0.0
    if skip(".,") {
      let digits = rest.prefix { (48...57).contains($0) }
      guard !digits.isEmpty, let value = Double("0." + (String(digits) ?? "")) else { return nil }
      fraction = value
      rest = rest.dropFirst(digits.count)
    }
    var offset = 0
    if !skip("Zz") {
      let sign = rest.first == UInt8(ascii: "-") ? -1 : 1
      guard skip("+-"), let hours = number(2) else { return nil }
      _ = skip(":")
      guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
      offset = sign * (hours * 3600 + minutes * 60)
    }
    guard rest.isEmpty else { return nil }
    let whole =
      Self.dayNumber(year: year, month: month, day: day) * 86_400
      + hour * 3600 + minute * 60 + second - offset
    self.init(secondsSinceReferenceDate: Double(whole) + fraction)
  }

  /// Days since 2001-01-01 in the Gregorian calendar. Years are counted from March, so that the
  /// leap day is the last of its year and months follow one formula.
  package static func dayNumber(year: Int, month: Int, day: Int) -> Int {
    let y = month <= 2 ? year - 1 : year
    let era = (y >= 0 ? y : y - 399) / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 730_791
  }

  /// The inverse of `dayNumber`.
  package static func date(dayNumber: Int) -> (year: Int, month: Int, day: Int) {
    let days = dayNumber + 730_791
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1
    )
  }

  /// The number of days of a month in the Gregorian calendar.
  package static func dayCount(month: Int, year: Int) -> Int {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }
}
