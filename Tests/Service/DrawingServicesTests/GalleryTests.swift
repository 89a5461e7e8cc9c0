import Calendar
import Foundation
import TestSupport
import Testing

@testable import DrawingServices
@testable import Storage

/// The gallery: drawings by day, in pages.
struct GalleryTests {
  private static let zoneNames = [
    "UTC", "Asia/Taipei", "America/New_York", "Europe/Berlin", "Asia/Kathmandu", "+05:45",
  ]

  private static func moment(_ text: String) throws -> Moment {
    try #require(Moment(iso8601: text))
  }

  /// Sections as `November 18, 2026: d2 d1`.
  private static func text(_ sections: [GalleryAssembler.Section]) -> [String] {
    sections.map { "\($0.title): \($0.drawings.map(\.id).joined(separator: " "))" }
  }

  @Test func `the gallery groups drawings by the viewer's days and language`()
    throws
  {
    let fixture = ServiceFixture()
    for (id, text) in [
      ("d1", "2026-11-17T15:59:59.999999Z"), ("d2", "2026-11-17T16:00:00Z"),
      ("d3", "2026-11-18T04:59:59.999999Z"), ("d4", "2026-11-18T05:00:00Z"),
    ] {
      try fixture.setDrawing(id, at: try Self.moment(text))
    }
    try fixture.setDrawing("x1", at: nil)
    try fixture.setDrawing("x2", at: nil)
    func sections(_ zone: String, _ language: Language) throws -> [String] {
      Self.text(
        try fixture.drawings().gallery(
          of: "ann", zone: try ZoneRules(named: zone), language: language
        ).sections)
    }
    #expect(
      try sections("UTC", .english) == [
        "November 18, 2026: d4 d3", "November 17, 2026: d2 d1", "Unknown Date: x2 x1",
      ])
    #expect(
      try sections("Asia/Taipei", .traditionalChinese) == [
        "2026年11月18日: d4 d3 d2", "2026年11月17日: d1", "未知日期: x2 x1",
      ])
    #expect(
      try sections("America/New_York", .english) == [
        "November 18, 2026: d4", "November 17, 2026: d3 d2 d1", "Unknown Date: x2 x1",
      ])
  }

  @Test func `a day with a repeated hour has one gallery section`() throws {
    // In St. John's, clocks went back at 00:01 on 2006-10-29, to 23:01 of the day before.
    let zone = try ZoneRules(named: "America/St_Johns")
    let change = try Self.moment("2006-10-29T02:31:00Z")
    let fixture = ServiceFixture(now: change + 86_400)
    for (id, seconds) in [("d1", -120), ("d2", -30), ("d3", 60), ("d4", 3600)] as [(String, Int64)]
    {
      try fixture.setDrawing(id, at: change + seconds)
    }
    let sections = try fixture.drawings().gallery(of: "ann", zone: zone).sections
    #expect(Self.text(sections) == ["October 29, 2006: d4 d2", "October 28, 2006: d3 d1"])
    #expect(sections.map(\.day) == [LocalDay("2006-10-29"), LocalDay("2006-10-28")])
  }

  @Test func `an empty gallery has no sections and no further page`() throws {
    let fixture = ServiceFixture()
    let page = try fixture.drawings().gallery(of: "ann", zone: .utc)
    #expect(page.sections.isEmpty && page.cursor == nil)
    try fixture.setDrawing("old", at: ServiceFixture.start + -91 * 86_400)
    #expect(try fixture.drawings().gallery(of: "ann", zone: .utc).sections.isEmpty)
    #expect(Language.english.noDrawings == "No drawings yet. Start creating!")
    #expect(Language.traditionalChinese.noDrawings == "還沒有畫作，開始創作吧！")
    #expect(Language.allCases.map(\.gallery) == ["Gallery", "畫廊"])
    #expect(Language.allCases.map(\.unknownDate) == ["Unknown Date", "未知日期"])
  }

  @Test(arguments: zoneNames)
  func `gallery pages of every size give each drawing once and in order`(_ name: String) throws {
    var random = SplitMix64(seed: 90)
    let zone = try ZoneRules(named: name)
    for (dated, undated) in [(0, 3), (3, 0), (1, 1), (6, 6), (13, 5)] {
      let fixture = ServiceFixture()
      for index in 0..<dated {
        // Several drawings at the same moment.
        let seconds = Int64.random(in: 0...20, using: &random) * 40_000
        try fixture.setDrawing("d\(padded(index, 2))", at: ServiceFixture.start + -seconds)
      }
      for index in 0..<undated { try fixture.setDrawing("x\(padded(index, 2))", at: nil) }
      let service = fixture.drawings()
      let whole = try service.gallery(of: "ann", zone: zone, limit: 100)
      #expect(whole.cursor == nil)
      let all = whole.sections.flatMap(\.drawings).map(\.id)
      #expect(all.count == dated + undated)
      for limit in 1...(dated + undated + 1) {
        var (seen, cursor, pages) = ([String](), Query.Cursor?.none, 0)
        repeat {
          let page = try service.gallery(of: "ann", zone: zone, limit: limit, after: cursor)
          let ids = page.sections.flatMap(\.drawings).map(\.id)
          #expect(!ids.isEmpty && ids.count <= limit)
          // Only the last page may be shorter than the limit.
          #expect(page.cursor == nil || ids.count == limit)
          seen += ids
          cursor = try page.cursor.map { try #require(Query.Cursor($0.description)) }
          pages += 1
        } while cursor != nil && pages < 100
        #expect(seen == all, "\(name), \(dated) + \(undated), pages of \(limit)")
        #expect(pages == (dated + undated + limit - 1) / limit)
      }
    }
  }

  @Test func `the gallery's ninety days are calendar days, through clock changes`() throws {
    // Ninety days before noon in Berlin it was also noon there, but an hour earlier or later in
    // UTC.
    for (now, edge) in [
      ("2026-05-01T10:00:00Z", "2026-01-31T11:00:00Z"),
      ("2026-11-18T11:00:00Z", "2026-08-20T10:00:00Z"),
      ("2026-09-18T10:00:00Z", "2026-06-20T10:00:00Z"),
      // On the days of 23 and of 25 hours themselves.
      ("2026-03-29T13:00:00Z", "2025-12-29T14:00:00Z"),
      ("2026-10-25T14:00:00Z", "2026-07-27T13:00:00Z"),
    ] {
      let fixture = ServiceFixture(now: try Self.moment(now))
      let edge = try Self.moment(edge)
      try fixture.setDrawing("in", at: edge)
      try fixture.setDrawing("out", at: Moment(microseconds: edge.microseconds - 1))
      let page = try fixture.drawings().gallery(
        of: "ann", zone: try ZoneRules(named: "Europe/Berlin"))
      #expect(page.sections.flatMap(\.drawings).map(\.id) == ["in"], "\(now)")
    }
  }

  @Test(arguments: zoneNames + ["America/Havana", "Australia/Lord_Howe"])
  func `the same local time some days ago agrees with Foundation`(_ name: String) throws {
    let zone = try ZoneRules(named: name)
    guard let other = TimeZone(identifier: name) else { return }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = other
    var random = SplitMix64(seed: 91)
    for _ in 0..<2000 {
      let seconds = Int64.random(in: 1_262_304_000...1_893_456_000, using: &random)
      let moment = Moment(seconds: seconds)
      let days = Int.random(in: 0...120, using: &random)
      let date = Date(timeIntervalSince1970: Double(seconds))
      let wanted = try #require(calendar.date(byAdding: .day, value: -days, to: date))
      // Foundation may have the rules of another year.
      let wantedMoment = Moment(seconds: Int64(wanted.timeIntervalSince1970))
      guard other.secondsFromGMT(for: date) == zone.offset(at: moment),
        other.secondsFromGMT(for: wanted) == zone.offset(at: wantedMoment)
      else { continue }
      let found = zone.sameTime(days, daysBefore: moment)
      let clock = zone.offset(at: moment) + Int(seconds) - days * 86_400
      let shown = zone.offset(at: found) + Int(found.flooredSeconds)
      if shown == clock {
        // For a repeated time, both moments are correct.
        let gap = Int(found.flooredSeconds) - Int(wanted.timeIntervalSince1970)
        #expect(
          gap == 0
            || clock == zone.offset(at: Moment(seconds: found.flooredSeconds - Int64(gap)))
              + Int(found.flooredSeconds) - gap,
          "\(name), \(days) days before \(moment.iso8601)")
      } else {
        // A skipped time is mapped to the moment of the jump.
        #expect(zone.offset(at: found) != zone.offset(at: found + -1))
        #expect(shown > clock && zone.offset(at: found + -1) + Int(found.flooredSeconds) <= clock)
      }
    }
  }
}
