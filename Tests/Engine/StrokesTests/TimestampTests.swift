import Strokes
import TestSupport
import Testing

private func seconds(_ text: String) -> Double? {
  Timestamp(iso8601: text)?.secondsSinceReferenceDate
}

@Suite struct `A moment` {
  @Test func `a moment counts seconds from 2001 and from 1970`() {
    #expect(Timestamp.referenceDate.secondsSince1970 == 978_307_200)
    #expect(Timestamp(secondsSince1970: 978_307_201.5).secondsSinceReferenceDate == 1.5)
    #expect(Timestamp.referenceDate + 5 - .referenceDate == 5)
    #expect(Timestamp.referenceDate < .referenceDate + 0.001)
  }

  @Test(arguments: [
    ("2001-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00Z", -978_307_200),
    ("2000-02-29T12:00:00Z", -26_481_600), ("2000-03-01T00:00:00Z", -26_438_400),
    ("2004-02-29T23:59:59Z", 99_791_999), ("2024-12-31T23:59:59Z", 757_382_399),
    ("2026-11-21T12:40:51Z", 816_957_651), ("1900-03-01T00:00:00Z", -3_182_198_400),
    ("2100-03-01T00:00:00Z", 3_129_235_200), ("0000-01-01T00:00:00Z", -63_145_526_400),
    ("9999-12-31T23:59:59Z", 252_423_993_599),
  ])
  func `known ISO 8601 dates have known seconds, both ways`(text: String, expected: Double) {
    #expect(seconds(text) == expected)
    #expect(Timestamp(secondsSinceReferenceDate: expected).iso8601 == text)
  }

  @Test func `fractions, offsets and other separators of dates are read`() {
    #expect(seconds("2001-01-01T00:00:00.25Z") == 0.25)
    #expect(seconds("2001-01-01T00:00:00,5Z") == 0.5)
    #expect(seconds("2001-01-01T00:00:00.000000000000000000000000000001Z") == 1e-30)
    #expect(seconds("2001-01-01T08:00:00+08:00") == 0)
    #expect(seconds("2000-12-31T19:00:00-05:00") == 0)
    #expect(seconds("2001-01-01T05:45:00+0545") == 0)
    #expect(seconds("2001-01-01 00:00:00Z") == 0)
    #expect(seconds("2001-01-01t00:00:00z") == 0)
    #expect(seconds("2001-01-01T00:00:00-00:00") == 0)
  }

  @Test(arguments: [
    ("2026-11-18T12:00:00.1234565Z", 4_740_134_150_966_594_924),
    ("2026-11-18T12:00:00.0000015Z", 4_740_134_150_965_559_309),
    ("2026-11-18T12:00:00.99999999999999999Z", 4_740_134_150_973_947_904),
    ("9999-12-31T23:59:59,75-23:59", 4_777_583_437_636_820_992),
    ("0000-01-01T00:00:00.5+23:59", 13_991_953_464_738_381_824),
  ])
  func `the seconds of a date's text are the same double, bit for bit`(text: String, bits: UInt64) {
    #expect(seconds(text)?.bitPattern == bits)
  }

  @Test(arguments: [
    "", "2001", "2001-01-01", "2001-01-01T00:00:00", "2001-01-01T00:00Z",
    "2001-13-01T00:00:00Z", "2001-00-01T00:00:00Z", "2001-01-00T00:00:00Z",
    "2001-04-31T00:00:00Z", "2001-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
    "2100-02-29T00:00:00Z", "2001-01-01T24:00:00Z", "2001-01-01T00:60:00Z",
    "2001-01-01T00:00:60Z", "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00ZZ",
    "2001-01-01T00:00:00+24:00", "2001-01-01T00:00:00+08", "2001-01-01T00:00:00+08:60",
    "2001-1-01T00:00:00Z", "02001-01-01T00:00:00Z", "-001-01-01T00:00:00Z",
    "2001-01-01T00:00:00Z ", "2001-01-01T00:00:00.5.5Z", "2001-01-01T+1:00:00Z",
    "２001-01-01T00:00:00Z",
  ])
  func `text that is no date in ISO 8601 is not a moment`(text: String) {
    #expect(Timestamp(iso8601: text) == nil)
  }

  @Test func `a moment's text has as many digits as are needed`() {
    #expect(Timestamp(secondsSinceReferenceDate: 0.25).iso8601 == "2001-01-01T00:00:00.25Z")
    #expect(Timestamp(secondsSinceReferenceDate: -0.5).iso8601 == "2000-12-31T23:59:59.5Z")
    #expect(
      Timestamp(secondsSinceReferenceDate: 59.999_999_999_99).iso8601
        == "2001-01-01T00:01:00.0000000000Z")
  }

  @Test func `the text of any moment of this century is read back to the same number`() {
    var random = RandomInk(seed: 14)
    for _ in 0..<300 {
      let moment = Timestamp(secondsSinceReferenceDate: random.number(1...3.1e9))
      #expect(moment.iso8601.flatMap(Timestamp.init(iso8601:)) == moment)
    }
  }

  @Test func `every day of eight hundred years follows the one before`() {
    for day in stride(from: -180_000, through: 120_000, by: 7) {
      let moment = Timestamp(secondsSinceReferenceDate: Double(day) * 86_400)
      #expect(moment.iso8601.flatMap(Timestamp.init(iso8601:)) == moment)
    }
  }

  @Test(arguments: [.nan, .infinity, -.infinity, 1e300, 252_455_616_000, -63_145_526_400.5])
  func `moments outside the years 0 to 9999 have no text`(seconds: Double) {
    #expect(Timestamp(secondsSinceReferenceDate: seconds).iso8601 == nil)
  }

  @Test func `the last moment before the year 10000 has a text`() throws {
    let moment = Timestamp(secondsSinceReferenceDate: 252_423_993_600.0.nextDown)
    #expect(moment.iso8601?.hasPrefix("9999-12-31T23:59:59.9") == true)
  }
}
