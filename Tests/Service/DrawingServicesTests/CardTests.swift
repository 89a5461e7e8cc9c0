import Foundation
import TestSupport
import Testing

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// Check-ins and drawings on cards: the five rules and their edge cases.
struct CardTests {
  private static let zoneNames = [
    "UTC", "Asia/Taipei", "America/New_York", "Europe/Berlin", "Asia/Kathmandu",
  ]

  private static func moment(_ text: String) throws -> Moment {
    try #require(Moment(iso8601: text))
  }

  private static func checkIn(_ id: String, _ at: Moment) throws -> CheckIn {
    CheckIn(
      Document(
        path: try DocumentPath("users/ann/mood_checkins/\(id)"),
        fields: ["createdAt": .moment(at)], created: at, updated: at, sequence: 1))
  }

  private static func drawing(
    _ id: String, _ at: Moment?, _ checkIn: String? = nil, stored: Moment = ServiceFixture.start
  ) throws -> DrawingRecord {
    DrawingRecord(
      Document(
        path: try DocumentPath("users/ann/drawings/\(id)"),
        fields: [
          "createdAt": at.map { .moment($0) }, "checkinId": checkIn.map { .text($0) },
        ], created: stored, updated: stored, sequence: 1))
  }

  /// Cards as `c1: d1 d2`, orphans as `-: d3`.
  private static func text(_ cards: [CardAssembler.Card]) -> [String] {
    cards.map { card in
      ([(card.checkIn?.id ?? "-") + ":"] + card.drawings.map(\.id)).joined(separator: " ")
    }
  }

  /// The cards of check-ins and drawings, written as `c1 2026-11-18T10:00:00Z` and `d1
  /// 2026-11-18T10:05:00Z c1`, by both ways of assignment.
  private static func cards(
    _ zone: String, _ things: String, _ reading: CardAssembler.Reading = .untilNextCheckIn
  ) throws -> [String] {
    var (checkIns, drawings): ([CheckIn], [DrawingRecord]) = ([], [])
    for line in things.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      let at = words[1] == "?" ? nil : try moment(words[1])
      if words[0].hasPrefix("c") {
        checkIns.append(try checkIn(words[0], try #require(at)))
      } else {
        drawings.append(try drawing(words[0], at, words.count > 2 ? words[2] : nil))
      }
    }
    let assembler = CardAssembler(zone: try ZoneRules(named: zone), reading: reading)
    return text(assembler.cards(checkIns, drawings))
  }

  @Test func `every check-in has a card of its own, also several per day, newest first`() throws {
    let things = """
      c2 2026-11-18T10:00:00Z
      c1 2026-11-18T09:00:00Z
      c3 2026-11-17T23:00:00Z
      """
    for reading in [CardAssembler.Reading.untilNextCheckIn, .withinDay] {
      #expect(try Self.cards("UTC", things, reading) == ["c2:", "c1:", "c3:"])
    }
  }

  @Test func `a drawing is on the card of its check-in, whenever it was drawn`() throws {
    let things = """
      c1 2026-11-17T09:00:00Z
      c2 2026-11-18T09:00:00Z
      d1 2026-11-18T10:00:00Z c1
      d2 2026-11-16T10:00:00Z c2
      d3 2026-11-18T08:59:00Z c2
      """
    for reading in [CardAssembler.Reading.untilNextCheckIn, .withinDay] {
      #expect(try Self.cards("UTC", things, reading) == ["c2: d2 d3", "c1: d1"])
    }
  }

  @Test func `a drawing without a check-in belongs to the preceding one, to the microsecond`()
    throws
  {
    let things = """
      c1 2026-11-18T09:00:00Z
      c2 2026-11-18T10:00:00Z
      d1 2026-11-18T08:59:59.999999Z
      d2 2026-11-18T09:00:00Z
      d3 2026-11-18T09:59:59.999999Z
      d4 2026-11-18T10:00:00Z
      d5 2026-11-18T23:59:59.999999Z
      """
    for reading in [CardAssembler.Reading.untilNextCheckIn, .withinDay] {
      #expect(try Self.cards("UTC", things, reading) == ["c2: d4 d5", "c1: d2 d3", "-: d1"])
    }
  }

  @Test func `the two ways of assigning drawings to cards differ only on later days`() throws {
    let things = """
      c1 2026-11-16T09:00:00Z
      d1 2026-11-16T23:59:59.999999Z
      d2 2026-11-17T00:00:00Z
      d3 2026-11-17T12:00:00Z
      d4 2026-11-18T12:00:00Z
      c2 2026-11-18T13:00:00Z
      d5 2026-11-18T14:00:00Z
      """
    #expect(try Self.cards("UTC", things) == ["c2: d5", "c1: d1 d2 d3 d4"])
    #expect(
      try Self.cards("UTC", things, .withinDay)
        == ["c2: d5", "-: d4", "-: d2 d3", "c1: d1"])
  }

  @Test func `cards have the days of the viewer's time zone`() throws {
    // In Taipei the day begins at 16:00 UTC, in New York at 05:00, in Kathmandu at 18:15.
    let things = """
      c1 2026-11-17T04:30:00Z
      d1 2026-11-17T04:59:59.999999Z
      d2 2026-11-17T05:00:00Z
      d3 2026-11-17T15:59:59.999999Z
      d4 2026-11-17T16:00:00Z
      d5 2026-11-17T18:14:59.999999Z
      d6 2026-11-17T18:15:00Z
      """
    for (zone, wanted) in [
      ("UTC", ["c1: d1 d2 d3 d4 d5 d6"]), ("Asia/Taipei", ["-: d4 d5 d6", "c1: d1 d2 d3"]),
      ("America/New_York", ["-: d2 d3 d4 d5 d6", "c1: d1"]),
      ("Asia/Kathmandu", ["-: d6", "c1: d1 d2 d3 d4 d5"]),
    ] {
      #expect(try Self.cards(zone, things, .withinDay) == wanted, "\(zone)")
      #expect(try Self.cards(zone, things) == ["c1: d1 d2 d3 d4 d5 d6"])
    }
  }

  @Test func `days of 23 and of 25 hours are one card day each`() throws {
    // In Berlin, clocks went forward on 2026-03-29 and back on 2026-10-25.
    #expect(
      try Self.cards(
        "Europe/Berlin",
        """
        d1 2026-03-28T22:59:59.999999Z
        d2 2026-03-28T23:00:00Z
        d3 2026-03-29T21:59:59.999999Z
        d4 2026-03-29T22:00:00Z
        """) == ["-: d4", "-: d2 d3", "-: d1"])
    #expect(
      try Self.cards(
        "Europe/Berlin",
        """
        d1 2026-10-24T21:59:59.999999Z
        d2 2026-10-24T22:00:00Z
        d3 2026-10-25T22:59:59.999999Z
        d4 2026-10-25T23:00:00Z
        """) == ["-: d4", "-: d2 d3", "-: d1"])
  }

  @Test func `cards of equal moments do not depend on the input order`() throws {
    let at = ServiceFixture.start
    let checkIns = try ["c1", "c2", "c3"].map { try Self.checkIn($0, at) }
    let drawings = try [nil, "c1", nil, "c2", "gone"].enumerated().map {
      try Self.drawing("d\($0)", at, $1)
    }
    var random = SplitMix64(seed: 4)
    let assembler = CardAssembler(zone: .utc)
    let first = assembler.cards(checkIns, drawings)
    // The last of them by name counts as the preceding one.
    #expect(Self.text(first) == ["c3: d0 d2 d4", "c2: d3", "c1: d1"])
    for _ in 0..<50 {
      let again = assembler.cards(
        checkIns.shuffled(using: &random), drawings.shuffled(using: &random))
      #expect(again == first)
    }
  }

  @Test func `a card shows three drawings and contains all of them`() throws {
    for count in 0...5 {
      let at = ServiceFixture.start
      let drawings = try (0..<count).map { try Self.drawing("d\($0)", at + Int64($0)) }
      let cards = CardAssembler(zone: .utc).cards([try Self.checkIn("c", at)], drawings)
      #expect(cards.map(\.drawings.count) == [count])
      #expect(cards[0].shown.map(\.id) == drawings.prefix(3).map(\.id))
      #expect(cards[0].date == at)
    }
  }

  @Test func `a card's date is its check-in's or its earliest drawing's`() throws {
    let at = ServiceFixture.start
    let cards = CardAssembler(zone: .utc).cards(
      [try Self.checkIn("c", at)],
      [
        try Self.drawing("d1", at + -60, "c"), try Self.drawing("d2", at + -7200),
        try Self.drawing("d3", at + -3600),
      ])
    #expect(Self.text(cards) == ["c: d1", "-: d2 d3"])
    #expect(cards.map(\.date) == [at, at + -7200])
  }

  @Test func `a drawing without a date counts from when it was stored`() throws {
    let at = ServiceFixture.start
    let cards = CardAssembler(zone: .utc).cards(
      [try Self.checkIn("c", at)],
      [
        try Self.drawing("d1", nil, stored: at), try Self.drawing("d2", nil, stored: at + -1),
        try Self.drawing("d3", nil, "c", stored: at + -90_000),
      ])
    #expect(Self.text(cards) == ["c: d3 d1", "-: d2"])
  }

  @Test func `a user without check-ins and drawings has no cards`() {
    #expect(CardAssembler(zone: .utc).cards([], []).isEmpty)
  }

  // MARK: - Against a plain model

  /// A plain implementation of the rules, with another calendar.
  private static func plain(
    _ checkIns: [CheckIn], _ drawings: [DrawingRecord], _ zone: TimeZone, isWithinDay: Bool
  ) -> [String] {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    func day(_ moment: Moment) -> Date {
      calendar.startOfDay(
        for: Date(timeIntervalSince1970: Double(moment.microseconds) / 1_000_000))
    }
    func order(_ a: (Moment, String), _ b: (Moment, String)) -> Bool { a < b }
    var cards: [(date: Moment, name: String, drawings: [(Moment, String)])] = []
    for checkIn in checkIns { cards.append((checkIn.createdAt, "c" + checkIn.id, [])) }
    var orphans: [Date: [(Moment, String)]] = [:]
    for drawing in drawings {
      let at = drawing.createdAt ?? drawing.document.created
      let own = checkIns.first { $0.id == drawing.checkInID }
      let before = checkIns.filter { $0.createdAt <= at }.max {
        ($0.createdAt, $0.id) < ($1.createdAt, $1.id)
      }
      let isNear = before.map { !isWithinDay || day($0.createdAt) == day(at) } ?? false
      if let home = own ?? (isNear ? before : nil) {
        for index in cards.indices where cards[index].name == "c" + home.id {
          cards[index].drawings.append((at, drawing.id))
        }
      } else {
        orphans[day(at), default: []].append((at, drawing.id))
      }
    }
    for members in orphans.values {
      let first = members.min(by: order)
      cards.append((first?.0 ?? ServiceFixture.start, "d" + (first?.1 ?? ""), members))
    }
    cards.sort { ($0.date, $0.name) > ($1.date, $1.name) }
    return cards.map { card in
      let name = card.name.hasPrefix("c") ? String(card.name.dropFirst()) : "-"
      return ([name + ":"] + card.drawings.sorted(by: order).map(\.1)).joined(separator: " ")
    }
  }

  @Test(arguments: zoneNames)
  func `random days have the cards of the rules, with every drawing once`(_ name: String) throws {
    var random = SplitMix64(seed: UInt64(name.utf8.count) * 31)
    func whole(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    let zone = try ZoneRules(named: name)
    let other = try #require(TimeZone(identifier: name))
    // Around both clock changes and away from them; at full hours, quarters and other times.
    let middles = try ["2026-03-08", "2026-03-29", "2026-10-25", "2026-11-01", "2026-07-01"].map {
      try Self.moment("\($0)T00:00:00Z")
    }
    for round in 0..<RunLength.count(800, long: 20_000) {
      let middle = middles[whole(0...4)]
      func moment() -> Moment {
        let quarter = middle + Int64(whole(-400...400)) * 900
        return Moment(microseconds: quarter.microseconds + Int64([0, 0, -1, 1][whole(0...3)]))
      }
      let checkIns = try (0..<whole(0...6)).map { try Self.checkIn("c\($0)", moment()) }
      let drawings = try (0..<whole(0...12)).map { index in
        let own = [nil, nil, "c\(whole(0...6))", "gone"][whole(0...3)]
        let at = whole(0...9) == 0 ? nil : moment()
        return try Self.drawing("d\(index)", at, own, stored: moment())
      }
      for reading in [CardAssembler.Reading.untilNextCheckIn, .withinDay] {
        let cards = CardAssembler(zone: zone, reading: reading).cards(checkIns, drawings)
        let wanted = Self.plain(checkIns, drawings, other, isWithinDay: reading == .withinDay)
        try #require(Self.text(cards) == wanted, "\(name), round \(round)")
        #expect(cards.flatMap(\.drawings).map(\.id).sorted() == drawings.map(\.id).sorted())
        #expect(cards.compactMap(\.checkIn?.id).sorted() == checkIns.map(\.id).sorted())
        #expect(zip(cards, cards.dropFirst()).allSatisfy { $0.date >= $1.date })
      }
    }
  }

  // MARK: - From a service

  @Test func `a service's cards reach back to the start of the oldest check-in's day`() throws {
    let fixture = ServiceFixture()
    let taipei = try ZoneRules(named: "Asia/Taipei")
    for (id, text) in [
      ("c0", "2026-11-10T08:00:00Z"), ("c1", "2026-11-16T18:00:00Z"),
      ("c2", "2026-11-17T18:00:00Z"), ("c3", "2026-11-18T01:00:00Z"),
    ] {
      try fixture.setCheckIn(id, at: try Self.moment(text))
    }
    // The day of c2 in Taipei begins at 2026-11-17T16:00Z.
    for (id, text, checkIn) in [
      ("d0", "2026-11-17T15:59:59.999999Z", nil), ("d1", "2026-11-17T16:00:00Z", nil),
      ("d2", "2026-11-17T17:59:00Z", nil), ("d3", "2026-11-17T18:00:00Z", nil),
      ("d4", "2026-11-18T01:00:00Z", "c2"), ("d5", "2026-11-18T02:00:00Z", "c0"),
      ("d6", "2026-11-18T02:30:00Z", "deleted"), ("d7", "2026-11-17T15:00:00Z", "c2"),
      ("d8", "2026-11-17T15:00:00Z", "c1"),
    ] as [(String, String, String?)] {
      try fixture.setDrawing(id, at: try Self.moment(text), checkIn: checkIn)
    }
    let cards = try fixture.views().cards(of: "ann", checkIns: 2, zone: taipei)
    #expect(Self.text(cards) == ["c3: d5 d6", "c2: d7 d3 d4", "-: d1 d2"])
  }

  @Test func `a service's cards include drawings without a date`() throws {
    let fixture = ServiceFixture()
    try fixture.setDrawing("old", at: nil)
    try fixture.setDrawing("own", at: nil, checkIn: "c1")
    fixture.clock.now = ServiceFixture.start + 30 * 86_400
    try fixture.setCheckIn("c1", at: fixture.clock.now)
    fixture.clock.now = fixture.clock.now + 60
    try fixture.setDrawing("new", at: nil)
    let cards = try fixture.views().cards(of: "ann", checkIns: 7, zone: .utc)
    #expect(Self.text(cards) == ["c1: own new"])
    // Without check-ins, recently stored drawings are on a card of their day.
    try fixture.checkIns().delete("c1", of: "ann")
    #expect(
      Self.text(try fixture.views().cards(of: "ann", checkIns: 7, zone: .utc)) == ["-: new"])
  }

  @Test func `cards of a user without check-ins cover the last seven calendar days`() throws {
    let fixture = ServiceFixture(now: try Self.moment("2026-11-04T15:00:00Z"))
    // In New York, clocks went back on 2026-11-01: ten o'clock a week ago was an hour earlier in
    // UTC.
    let zone = try ZoneRules(named: "America/New_York")
    for (id, text) in [
      ("d0", "2026-10-28T13:59:59.999999Z"), ("d1", "2026-10-28T14:00:00Z"),
      ("d2", "2026-10-29T03:59:59Z"), ("d3", "2026-10-29T04:00:00Z"),
      ("d4", "2026-11-04T15:00:00Z"),
    ] {
      try fixture.setDrawing(id, at: try Self.moment(text))
    }
    let cards = try fixture.views().cards(of: "ann", checkIns: 7, zone: zone)
    #expect(Self.text(cards) == ["-: d4", "-: d3", "-: d1 d2"])
    let inUTC = try fixture.views().cards(of: "ann", checkIns: 7, zone: .utc)
    #expect(Self.text(inUTC) == ["-: d4", "-: d2 d3"])
    #expect(
      try fixture.views(as: .user("bob")).cards(of: "bob", checkIns: 7, zone: zone).isEmpty)
  }

  @Test func `a deleted check-in's drawings move to the card before it`() throws {
    let fixture = ServiceFixture()
    let start = ServiceFixture.start
    try fixture.setCheckIn("c1", at: start + -3600)
    try fixture.setCheckIn("c2", at: start)
    try fixture.setDrawing("d1", at: start + 60, checkIn: "c2")
    let cards = fixture.views()
    #expect(
      Self.text(try cards.cards(of: "ann", checkIns: 7, zone: .utc)) == ["c2: d1", "c1:"])
    try fixture.checkIns().delete("c2", of: "ann")
    #expect(Self.text(try cards.cards(of: "ann", checkIns: 7, zone: .utc)) == ["c1: d1"])
    try fixture.checkIns().delete("c1", of: "ann")
    #expect(Self.text(try cards.cards(of: "ann", checkIns: 7, zone: .utc)) == ["-: d1"])
  }
}
