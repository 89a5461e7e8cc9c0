import Calendar
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
    let day = (secondsSinceReferenceDate / 86_400).rounded(.down)
    guard Self.daysWithText ~= day else { return nil }
    // Digits are added until the text reads back to this very number, which takes seven for any
    // moment of our century; only moments within a millisecond of 2001 can need more than ten.
    for digits in 0...9 {
      let text = iso8601(fractionDigits: digits)
      if Timestamp(iso8601: text) == self { return text }
    }
    return iso8601(fractionDigits: 10)
  }

  /// The second that contains the moment, as text of the same form; nil unless its year has four
  /// digits.
  package var iso8601Second: String? {
    let day = (secondsSinceReferenceDate / 86_400).rounded(.down)
    guard Self.daysWithText ~= day else { return nil }
    let seconds = secondsSinceReferenceDate.rounded(.down) + Self.secondsFrom1970To2001
    return ISO8601.text(seconds: Int64(clamping: seconds), fraction: 0, digits: 0)
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
    return ISO8601.text(
      seconds: Int64(clamping: whole + Self.secondsFrom1970To2001),
      fraction: Int(clamping: fraction), digits: digits)
  }

  /// The days of the years 0 to 9999, counted from 2001-01-01.
  private static let daysWithText = -730_851.0...2_921_573.0

  /// Reads `2026-11-21T12:40:51Z`, with any fraction and with `Z` or an offset such as `+08:00`;
  /// nil for anything else.
  public init?(iso8601 text: String) {
    guard let time = ISO8601(text) else { return nil }
    let seconds = Double(time.seconds) - Self.secondsFrom1970To2001
    self.init(secondsSinceReferenceDate: seconds + time.fraction)
  }
}
