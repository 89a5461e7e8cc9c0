import Calendar
import Foundation
import TestSupport
import Testing

@testable import DrawingServices
@testable import Storage

/// Time zones and calendars, compared with Foundation.
struct ZoneTests {
  private static let folder = URL(fileURLWithPath: "/usr/share/zoneinfo")

  /// The names of all zones in both implementations. Their data may be of different years.
  private static let names = TimeZone.knownTimeZoneIdentifiers.filter {
    (try? ZoneRules(named: $0)) != nil
  }

  private static func moment(_ text: String) throws -> Moment {
    try #require(Moment(iso8601: text))
  }

  private static func date(_ moment: Moment) -> Date {
    Date(timeIntervalSince1970: Double(moment.microseconds) / 1_000_000)
  }

  @Test func `offsets and days of all time zones agree with Foundation`() throws {
    #expect(Self.names.count > 300)
    var random = SplitMix64(seed: 12)
    var (zones, changed) = (0, 0)
    for name in Self.names {
      let (zone, other) = (try ZoneRules(named: name), try #require(TimeZone(identifier: name)))
      var calendar = Foundation.Calendar(identifier: .gregorian)
      calendar.timeZone = other
      var differences = 0
      let count = RunLength.count(150, long: 10_000)
      for _ in 0..<count {
        let seconds = Int64.random(in: 0..<2_840_140_800, using: &random)
        let moment = Moment(seconds: seconds)
        let date = Self.date(moment)
        let offset = zone.offset(at: moment)
        if offset != other.secondsFromGMT(for: date) {
          differences += 1
        } else if seconds % 8 == 0 {
          let parts = calendar.dateComponents([.year, .month, .day], from: date)
          let day = zone.day(of: moment).date
          #expect([parts.year, parts.month, parts.day] == [day.year, day.month, day.day])
        }
      }
      zones += 1
      if differences * 50 >= count { changed += 1 }
    }
    #expect(zones == Self.names.count)
    // The system's data and Foundation's may be of different years, and a few countries change
    // their rules each year.
    #expect(changed * 12 < zones, "\(changed) of \(zones) zones differ")
  }

  @Test func `a day starts at its first moment, and not one earlier`() throws {
    var random = SplitMix64(seed: 13)
    let atMidnight = [
      "America/Havana", "Asia/Beirut", "Asia/Amman", "America/Asuncion", "America/Santiago",
      "Africa/Cairo", "Asia/Tehran", "America/Sao_Paulo", "Asia/Gaza", "America/St_Johns",
      "Atlantic/Azores", "Pacific/Apia", "Pacific/Kwajalein", "Antarctica/Troll",
      "Australia/Lord_Howe",
    ]
    for name in atMidnight + Self.names where RunLength.isLong || atMidnight.contains(name) {
      let zone = try ZoneRules(named: name)
      for _ in 0..<RunLength.count(60, long: 2000) {
        let day = LocalDay(number: Int.random(in: 0..<32_000, using: &random))
        try Self.checkStart(zone, day)
      }
    }
    for name in Self.names {
      let zone = try ZoneRules(named: name)
      // All days around the changes of one year.
      for number in stride(from: 20_454, to: 20_819, by: RunLength.step(181)) {
        try Self.checkStart(zone, LocalDay(number: number))
      }
    }
  }

  private static func checkStart(_ zone: ZoneRules, _ day: LocalDay) throws {
    let start = zone.start(of: day)
    let before = Moment(microseconds: start.microseconds - 1)
    let what = "\(zone.name), \(day)"
    if zone.day(of: start) == day {
      #expect(zone.day(of: before) < day, "\(what)")
      // Nor at any quarter of an hour in the two days before.
      let earlier = (1...192).map { zone.day(of: start + Int64(-900 * $0)) }
      #expect(earlier.allSatisfy { $0 < day }, "\(what)")
    } else {
      // A day that was skipped when a zone crossed the date line.
      #expect(zone.day(of: before) < day && zone.day(of: start) > day, "\(what)")
      #expect(zone.start(of: day + 1) == start, "\(what)")
    }
  }

  @Test func `days that begin late, twice or never have a start`() throws {
    for (name, day, start) in [
      ("UTC", "1970-01-01", "1970-01-01T00:00:00Z"),
      ("Asia/Taipei", "2026-11-18", "2026-11-17T16:00:00Z"),
      ("Asia/Kathmandu", "2026-11-18", "2026-11-17T18:15:00Z"),
      // In Havana, clocks go from midnight to one.
      ("America/Havana", "2026-03-08", "2026-03-08T05:00:00Z"),
      ("America/Havana", "2026-11-01", "2026-11-01T04:00:00Z"),
      // São Paulo had the same rule.
      ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z"),
      // Clocks went back at 00:01, so the day begins, ends after a minute, and begins again.
      ("America/St_Johns", "2006-10-29", "2006-10-29T02:30:00Z"),
      // This day was skipped.
      ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"),
      ("Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z"),
      ("Pacific/Kwajalein", "1993-08-21", "1993-08-21T12:00:00Z"),
      ("Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z"),
      ("Europe/Berlin", "2026-10-26", "2026-10-25T23:00:00Z"),
      ("-03:30", "2026-01-01", "2026-01-01T03:30:00Z"),
    ] {
      let zone = try ZoneRules(named: name)
      let found = zone.start(of: try #require(LocalDay(day)))
      #expect(found == (try Self.moment(start)), "\(name), \(day): \(found.iso8601)")
    }
  }

  // MARK: - Names

  @Test func `time zone names that lead elsewhere, or to no zone, are refused`() throws {
    for name in [
      "", "/", "..", "../../../etc/passwd", "/etc/localtime", "Europe/../Europe/Berlin", "Europe/",
      "/Europe/Berlin", "Europe//Berlin", "Europe", "./UTC", "Europe/Berlin\0", "Europe/Ber lin",
      "europe\\berlin", "zone.tab", "tzdata.zi", "leapseconds", "Nowhere/Town", "é", "CET\n",
      "a/b/c/d/e", "+8:00", "+08:0", "+0:800", "+080:0", "+08:60", "+18:01", "+1801", "08:00",
      "+08.00", "++800", "+", "-", "+٠٨00", "+08:00 ", "UTC+8", ".hidden",
    ] {
      #expect(throws: ServiceError.self, "\(name)") { try ZoneRules(named: name) }
    }
  }

  @Test func `offsets such as +08 are read as time zones`() throws {
    for (name, minutes) in [
      ("+08:00", 480), ("-0330", -210), ("+0000", 0), ("-00:00", 0), ("+14:00", 840),
      ("-18:00", -1080), ("Z", 0), ("UTC", 0),
    ] {
      let zone = try ZoneRules(named: name)
      #expect(zone.offset(at: ServiceFixture.start) == minutes * 60, "\(name)")
      if name.count > 3 {
        #expect(zone == ZoneRules(offsetMinutes: minutes))
        #expect(try ZoneRules(named: zone.name) == zone)
      }
    }
    #expect(ZoneRules(offsetMinutes: -210).name == "-03:30")
  }

  // MARK: - Files

  private static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
  }

  @Test func `truncated or changed zone files give rules or nil, and never trap`() throws {
    var random = SplitMix64(seed: 14)
    var read = 0
    for name in ["Europe/Berlin", "Asia/Kathmandu", "Africa/Casablanca", "UTC"] {
      let bytes = try Self.bytes(name)
      #expect(ZoneFile(bytes) != nil)
      func tryOut(_ bytes: [UInt8]) throws {
        guard let file = ZoneFile(bytes) else { return }
        let rules = ZoneRules(name: "x", file: file)
        read += 1
        for moment in [
          Moment(seconds: 0), ServiceFixture.start, Moment.supported.lowerBound,
          Moment.supported.upperBound,
        ] {
          _ = rules.offset(at: moment)
          _ = rules.start(of: rules.day(of: moment))
          _ = rules.sameTime(90, daysBefore: moment)
        }
      }
      let step = RunLength.step(7)
      for length in stride(from: 0, to: bytes.count, by: step) {
        try tryOut(Array(bytes[..<length]))
      }
      for index in stride(from: 0, to: bytes.count, by: step) {
        for value in [0, 0xFF, 0x80, 0x7F, UInt8.random(in: 0...255, using: &random)] {
          var changed = bytes
          changed[index] = value
          try tryOut(changed)
        }
      }
      var mutation = Mutation(seed: 15)
      for _ in 0..<RunLength.count(300, long: 20_000) { try tryOut(mutation.mutated(bytes)) }
    }
    #expect(read > 100)
  }

  // MARK: - Days and moments

  @Test func `days are numbers, dates and texts, and weeks begin on Monday`() throws {
    var calendar = Foundation.Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    for number in stride(from: -719_000, to: 2_900_000, by: 997) {
      let day = LocalDay(number: number)
      #expect(LocalDay(day.description) == day)
      guard number > -130_000 else { continue }
      let date = Date(timeIntervalSince1970: Double(number) * 86_400)
      let parts = calendar.dateComponents([.year, .month, .day, .weekday], from: date)
      #expect(
        [parts.year, parts.month, parts.day] == [day.date.year, day.date.month, day.date.day])
      #expect(try (#require(parts.weekday) + 5) % 7 == day.weekday)
    }
    let day = try #require(LocalDay("2026-11-18"))
    #expect(
      day.weekday == 2 && (day - 2).weekday == 0 && (day + 1 > day)
        && (day + 13).description == "2026-12-01")
    #expect(LocalDay("2024-02-29") != nil && LocalDay("2000-02-29") != nil)
    for text in [
      "", "2026", "2026-11", "2026-11-31", "2026-13-01", "2026-00-01", "2026-01-00", "2025-02-29",
      "1900-02-29", "2026-1-1", "26-11-18", "2026/11/18", "2026-11-18 ", "-026-11-18", "2026-11--8",
      "٢٠٢٦-11-18", "2026-11-18T00:00:00Z",
    ] {
      #expect(LocalDay(text) == nil, "\(text)")
    }
  }

  @Test func `moments convert to texts and back, in all years and to the microsecond`() throws {
    var random = SplitMix64(seed: 16)
    let all = Moment.supported.lowerBound.microseconds...Moment.supported.upperBound.microseconds
    let numbers =
      [all.lowerBound, all.upperBound, 0, 1, -1, 999_999, -999_999, 978_307_200_000_000]
      + (0..<20_000).map { _ in Int64.random(in: all, using: &random) }
      + (0..<20_000).map { _ in Int64.random(in: 0...4_102_444_800_000_000, using: &random) }
    for number in numbers {
      let moment = Moment(microseconds: number)
      try #require(Moment(iso8601: moment.iso8601) == moment, "\(number): \(moment.iso8601)")
    }
    for (text, same) in [
      ("2026-11-18T12:00:00Z", "2026-11-18T12:00:00Z"),
      ("2026-11-18t12:00:00z", "2026-11-18T12:00:00Z"),
      ("2026-11-18T20:00:00+08:00", "2026-11-18T12:00:00Z"),
      ("2026-11-18T08:30:00.5-0330", "2026-11-18T12:00:00.5Z"),
      ("2026-11-18T12:00:00,25Z", "2026-11-18T12:00:00.25Z"),
      ("2026-11-18T12:00:00.1234564Z", "2026-11-18T12:00:00.123456Z"),
      ("2026-11-18T12:00:00.9999999Z", "2026-11-18T12:00:01Z"),
    ] {
      #expect(Moment(iso8601: text)?.iso8601 == same, "\(text)")
    }
    // The fraction is rounded to the nearest microsecond, halves away from zero.
    for (text, microseconds) in [
      ("2026-11-18T12:00:00.0000015Z", 1_795_003_200_000_002),
      ("2026-11-18T12:00:00.0000025Z", 1_795_003_200_000_003),
      ("2026-11-18T12:00:00.1234565Z", 1_795_003_200_123_457),
      ("2026-11-18T12:00:00.99999999999999999Z", 1_795_003_201_000_000),
      ("9999-12-31T23:59:59.9999995Z", 253_402_300_800_000_000),
      ("9999-12-31T23:59:59,75-23:59", 253_402_387_139_750_000),
      ("0000-01-01T00:00:00.5+23:59", -62_167_305_539_500_000),
    ] as [(String, Int64)] {
      #expect(Moment(iso8601: text)?.microseconds == microseconds, "\(text)")
    }
    // Every moment has a text, even one that is not read back.
    #expect(Moment(microseconds: .min).iso8601 == "-290308-12-21T19:59:05.224192Z")
    #expect(Moment(microseconds: .max).iso8601 == "294247-01-10T04:00:54.775807Z")
    for text in [
      "", "2026-11-18", "2026-11-18T12:00Z", "2026-11-18T12:00:00", "2026-11-18T24:00:00Z",
      "2026-11-18T12:60:00Z", "2026-02-30T12:00:00Z", "2026-11-18T12:00:00.Z", "now",
    ] {
      #expect(Moment(iso8601: text) == nil, "\(text)")
    }
  }
}
