import Calendar

/// A calendar day, without a time zone.
public struct LocalDay: Hashable, Sendable, Comparable {
  /// Days since 1970-01-01.
  public let number: Int

  /// A day from its number.
  public init(number: Int) { self.number = number }

  /// A day from `2026-11-22`; nil for other texts.
  public init?(_ text: String) {
    guard let date = CivilDate(text) else { return nil }
    self.init(number: date.dayNumber)
  }

  /// Year, month (1 to 12) and day (1 to 31).
  public var date: (year: Int, month: Int, day: Int) {
    let date = CivilDate(dayNumber: number)
    return (date.year, date.month, date.day)
  }

  /// Days since the last Monday: 0 for Monday, 6 for Sunday.
  public var weekday: Int { CivilDate.weekday(dayNumber: number) }

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
  public var description: String { CivilDate(dayNumber: number).description }
}
