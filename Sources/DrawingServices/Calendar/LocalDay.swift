public import Storage
import Strokes

/// A calendar day, without a time zone.
public struct LocalDay: Hashable, Sendable, Comparable {
  /// Days since 1970-01-01.
  public let number: Int

  /// A day from its number.
  public init(number: Int) { self.number = number }

  /// A day from a valid date.
  init(year: Int, month: Int, day: Int) {
    self.init(
      number: Timestamp.dayNumber(year: year, month: month, day: day) + Self.from1970To2001)
  }

  /// The number of days from 1970-01-01 to 2001-01-01.
  private static let from1970To2001 = 11_323

  /// A day from `2026-11-22`; nil for other texts.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2],
      parts.allSatisfy({ $0.utf8.allSatisfy { 48...57 ~= $0 } }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
      1...12 ~= month, day >= 1, day <= Timestamp.dayCount(month: month, year: year)
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// Year, month (1 to 12) and day (1 to 31).
  public var date: (year: Int, month: Int, day: Int) {
    Timestamp.date(dayNumber: number - Self.from1970To2001)
  }

  /// Days since the last Monday: 0 for Monday, 6 for Sunday.
  public var weekday: Int { ((number + 3) % 7 + 7) % 7 }

  /// Whether a day is earlier.
  public static func < (a: LocalDay, b: LocalDay) -> Bool { a.number < b.number }
  /// The day some days later.
  public static func + (day: LocalDay, count: Int) -> LocalDay {
    LocalDay(number: day.number + count)
  }
  /// The day some days earlier.
  public static func - (day: LocalDay, count: Int) -> LocalDay { day + -count }
}

extension LocalDay: CustomStringConvertible {
  /// `2026-11-22`.
  public var description: String {
    let date = date
    return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
  }
}

/// A number with leading zeros.
func padded(_ number: Int, _ width: Int) -> String {
  let text = String(number)
  return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
}

extension Moment {
  /// `2026-11-22T05:30:00.25Z`, with as many decimals as needed.
  public var iso8601: String {
    let (day, time) = Self.split(microseconds, by: 86_400_000_000)
    let (second, rest) = Self.split(time, by: 1_000_000)
    let clock = [second / 3600, second / 60 % 60, second % 60].map { padded(Int($0), 2) }
    var fraction = rest == 0 ? "" : "." + padded(Int(rest), 6)
    while fraction.last == "0" { fraction.removeLast() }
    return "\(LocalDay(number: Int(day)))T\(clock.joined(separator: ":"))\(fraction)Z"
  }

  /// Reads `2026-11-22T05:30:00Z`, with any fraction and with `Z` or an offset such as `+08:00`; nil for
  /// anything else.
  public init?(iso8601 text: String) {
    guard let time = Timestamp(iso8601: text) else { return nil }
    // Whole seconds are exact as a double. The fraction is parsed separately, as a double has enough digits
    // for the sum only within some centuries.
    let bytes = Array(text.utf8)
    let point = bytes.firstIndex { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }
    let digits = point.map { bytes[($0 + 1)...].prefix { 48...57 ~= $0 } } ?? []
    let fraction = Double("0." + String(decoding: digits, as: UTF8.self) + "0") ?? 0
    let seconds = (time.secondsSinceReferenceDate - fraction).rounded() + 978_307_200
    self.init(microseconds: Int64(seconds) * 1_000_000 + Int64((fraction * 1e6).rounded()))
  }

  /// The quotient, rounded down, and the remainder, which is never negative.
  private static func split(_ value: Int64, by unit: Int64) -> (whole: Int64, rest: Int64) {
    let (whole, rest) = value.quotientAndRemainder(dividingBy: unit)
    return rest < 0 ? (whole - 1, rest + unit) : (whole, rest)
  }
}
