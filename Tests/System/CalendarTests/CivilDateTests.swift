import Foundation
import TestSupport
import Testing

@testable import Calendar

struct CivilDateTests {
  @Test(arguments: [
    ("1970-01-01", 0), ("2001-01-01", 11_323), ("2000-02-29", 11_016), ("2000-03-01", 11_017),
    ("1969-12-31", -1), ("1900-02-28", -25_509), ("1900-03-01", -25_508), ("2100-03-01", 47_541),
    ("0000-01-01", -719_528), ("0000-02-29", -719_469), ("0000-03-01", -719_468),
    ("9999-12-31", 2_932_896),
  ])
  func `known dates have known numbers, both ways`(text: String, number: Int) throws {
    let date = try #require(CivilDate(text))
    #expect(date.dayNumber == number)
    #expect(CivilDate(dayNumber: number) == date)
    #expect(date.description == text)
  }

  @Test func `every day of three thousand years follows the day before`() {
    var previous = CivilDate(year: -1000, month: 2, day: 28)
    let first = previous.dayNumber
    for number in first + 1...first + 3000 * 366 {
      let date = CivilDate(dayNumber: number)
      let isNextDay =
        date.year == previous.year && date.month == previous.month && date.day == previous.day + 1
      let startsMonth =
        date.day == 1
        && previous.day == CivilDate.dayCount(month: previous.month, year: previous.year)
        && (date.month == previous.month + 1 && date.year == previous.year
          || date.month == 1 && previous.month == 12 && date.year == previous.year + 1)
      guard isNextDay || startsMonth, date.dayNumber == number else {
        Issue.record("\(number): \(date) after \(previous)")
        return
      }
      previous = date
    }
  }

  @Test func `dates and weekdays are those of Foundation`() throws {
    var calendar = Foundation.Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    for number in stride(from: -130_000, to: 2_900_000, by: 997) {
      let moment = Date(timeIntervalSince1970: Double(number) * 86_400)
      let parts = calendar.dateComponents([.year, .month, .day, .weekday], from: moment)
      let date = CivilDate(dayNumber: number)
      #expect([parts.year, parts.month, parts.day] == [date.year, date.month, date.day])
      #expect(try (#require(parts.weekday) + 5) % 7 == CivilDate.weekday(dayNumber: number))
    }
  }

  @Test func `months have their days, and February one more in leap years`() {
    let counts = (1...12).map { CivilDate.dayCount(month: $0, year: 2026) }
    #expect(counts == [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
    for (year, count) in [(2024, 29), (2000, 29), (1900, 28), (2100, 28), (0, 29), (-4, 29)] {
      #expect(CivilDate.dayCount(month: 2, year: year) == count, "\(year)")
    }
  }

  @Test(arguments: [
    "", "2026", "2026-11", "2026-11-31", "2026-13-01", "2026-00-01", "2026-01-00", "2025-02-29",
    "1900-02-29", "2026-1-1", "26-11-18", "2026/11/18", "2026-11-18 ", "-026-11-18", "2026-11--8",
    "٢٠٢٦-11-18", "2026-11-18T00:00:00Z", "12026-11-18", "2026-11-018", "+026-11-18",
  ])
  func `text that is no date gives nil`(text: String) {
    #expect(CivilDate(text) == nil)
  }

  @Test func `floored quotients are rounded down`() {
    for (value, quotient, remainder) in [
      (7, 2, 1), (-7, -3, 2), (6, 2, 0), (-6, -2, 0), (0, 0, 0), (-1, -1, 2), (2, 0, 2),
    ] {
      let result = Int64(value).flooredQuotientAndRemainder(dividingBy: 3)
      #expect(result == (Int64(quotient), Int64(remainder)), "\(value)")
    }
    #expect(
      Int64.min.flooredQuotientAndRemainder(dividingBy: 1_000_000)
        == (-9_223_372_036_855, 224_192))
  }
}
