/// A date of the proleptic Gregorian calendar: a year, a month (1 to 12) and a day (1 to 31).
package struct CivilDate: Hashable, Sendable {
  /// The year; 0 is the year before 1.
  package let year: Int
  /// The month, from 1 to 12.
  package let month: Int
  /// The day of the month, from 1.
  package let day: Int

  /// A date that the caller knows to be valid.
  package init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// A date from its days since 1970-01-01; the inverse of `dayNumber`.
  package init(dayNumber: Int) {
    let days = dayNumber + Self.daysFrom0000To1970
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
  }

  /// Days since 1970-01-01; negative before. Years are counted from March, so that the leap day is
  /// the last of its year and months follow one formula. An era is 400 years.
  package var dayNumber: Int {
    let yearFromMarch = month <= 2 ? year - 1 : year
    let era = (yearFromMarch >= 0 ? yearFromMarch : yearFromMarch - 399) / 400
    let yearOfEra = yearFromMarch - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
      - Self.daysFrom0000To1970
  }

  /// The days from 0000-03-01 to 1970-01-01.
  private static let daysFrom0000To1970 = 719_468

  /// Days since the last Monday of the day with a number: 0 for Monday, 6 for Sunday.
  package static func weekday(dayNumber: Int) -> Int { ((dayNumber + 3) % 7 + 7) % 7 }

  /// The number of days of a month.
  package static func dayCount(month: Int, year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }
}

extension CivilDate: CustomStringConvertible, LosslessStringConvertible {
  /// `2026-11-22`.
  package var description: String {
    "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }

  /// A date of the years 0 to 9999 from `2026-11-22`; nil for other texts.
  package init?(_ description: String) {
    var reader = TextReader(description)
    guard let date = CivilDate(from: &reader), reader.isAtEnd else { return nil }
    self = date
  }

  /// Reads a date at the start of a longer text; nil if there is none.
  init?(from reader: inout TextReader) {
    guard let year = reader.number(digits: 4), reader.skip("-"),
      let month = reader.number(digits: 2), reader.skip("-"),
      let day = reader.number(digits: 2), 1...12 ~= month, day >= 1,
      day <= Self.dayCount(month: month, year: year)
    else { return nil }
    self.init(year: year, month: month, day: day)
  }
}

/// A number with leading zeros.
package func padded(_ number: Int, _ width: Int) -> String {
  let text = String(number)
  return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
}

extension Int64 {
  /// The quotient, rounded down, and the remainder, which is never negative. The divisor must be
  /// positive.
  package func flooredQuotientAndRemainder(
    dividingBy divisor: Int64
  ) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
