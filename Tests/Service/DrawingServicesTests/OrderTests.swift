import Calendar
import TestSupport
import Testing

@testable import DrawingServices
@testable import Storage

/// All drawings in several orders, and their titles and tags.
struct OrderTests {
  /// A drawing of each combination: some have no date, no title or no tags.
  private func fixture(_ count: Int) throws -> ServiceFixture {
    let fixture = ServiceFixture()
    for number in 0..<count {
      fixture.clock.now = ServiceFixture.start + Int64(number * 7 % 11)
      let id = "d\(padded(number, 2))"
      let moment = ServiceFixture.start + -Int64(number) * 40_000_000
      let record = try fixture.setDrawing(id, at: number % 4 == 3 ? nil : moment)
      var fields = record.document.fields
      // Some titles were written and emptied again.
      if number % 6 == 3 { fields["title"] = "" }
      if number % 3 != 0 { fields["title"] = .text(["birch", "Ash", "Öak"][number / 3 % 3]) }
      if number % 2 == 0 { fields["tags"] = .list([.text("tree"), .text("t\(number % 3)")]) }
      try fixture.set("users/ann/drawings/\(id)", fields)
    }
    fixture.clock.now = ServiceFixture.start + 100
    return fixture
  }

  private func pages(
    _ fixture: ServiceFixture, _ order: DrawingService.Order, tag: String?, of limit: Int
  ) throws -> [DrawingRecord] {
    var (seen, cursor, count) = ([DrawingRecord](), Query.Cursor?.none, 0)
    repeat {
      let page = try fixture.drawings().gallery(
        of: "ann", in: order, tag: tag, zone: .utc, limit: limit, after: cursor)
      let drawings = page.sections.flatMap(\.drawings)
      #expect(!drawings.isEmpty && drawings.count <= limit)
      seen += drawings
      cursor = try page.cursor.map { try #require(Query.Cursor($0.description)) }
      count += 1
    } while cursor != nil && count < 100
    return seen
  }

  @Test(arguments: DrawingService.Order.allCases)
  func `pages of every size give each drawing once and in order`(_ order: DrawingService.Order)
    throws
  {
    let fixture = try fixture(22)
    for tag in [nil, "tree", "t1"] {
      let all = try pages(fixture, order, tag: tag, of: 100)
      #expect(all.count == (tag == nil ? 22 : tag == "tree" ? 11 : 3))
      for limit in 1...(all.count + 1) {
        let seen = try pages(fixture, order, tag: tag, of: limit)
        #expect(seen.map(\.id) == all.map(\.id), "\(order), \(tag ?? "all"), pages of \(limit)")
      }
    }
    let all = try pages(fixture, order, tag: nil, of: 100)
    switch order {
    case .newest, .oldest:
      let dates = all.compactMap(\.createdAt)
      #expect(dates == dates.sorted { order == .newest ? $0 > $1 : $0 < $1 })
      #expect(all.suffix(5).allSatisfy { $0.createdAt == nil })
    case .title:
      let titles = all.compactMap(\.title).filter { !$0.isEmpty }
      let folded = titles.map { String(decoding: FoldedText($0).bytes, as: UTF8.self) }
      #expect(folded == folded.sorted() && Set(folded) == ["ash", "birch", "oak"])
      #expect(all.suffix(8).allSatisfy { $0.title?.isEmpty != false })
    case .changed:
      let moments = all.map { $0.document["updatedAt"]?.momentValue ?? ServiceFixture.start }
      #expect(moments == moments.sorted(by: >) && Set(moments).count == 11)
    }
  }

  @Test func `orders by date have a section for each day, the others have one`() throws {
    let fixture = try fixture(9)
    for order in DrawingService.Order.allCases {
      let page = try fixture.drawings().gallery(of: "ann", in: order, zone: .utc)
      let days = page.sections.map(\.day)
      switch order {
      case .newest: #expect(days.count == 8 && days.last == .some(nil))
      case .oldest: #expect(days.compactMap(\.self) == days.compactMap(\.self).sorted())
      case .title, .changed: #expect(days == [nil])
      }
    }
  }

  @Test func `tags are listed once each, sorted without case and accents`() throws {
    let fixture = ServiceFixture()
    #expect(try fixture.drawings().tags(of: "ann") == [])
    for (number, tags) in [["b", "Ä"], ["c"], [], ["b"], ["b", "Ä"]].enumerated() {
      let record = try fixture.setDrawing("d\(number)", at: nil)
      var fields = record.document.fields
      fields["tags"] = .list(tags.map { .text($0) })
      try fixture.set("users/ann/drawings/d\(number)", fields)
    }
    #expect(try fixture.drawings().tags(of: "ann") == ["Ä", "b", "c"])
    #expect(throws: (any Error).self) { try fixture.drawings(as: .user("bob")).tags(of: "ann") }
  }

  @Test func `a search finds titles and tags, and a change checks their form`() throws {
    let fixture = ServiceFixture()
    try fixture.setDrawing("d1", at: ServiceFixture.start)
    try fixture.setDrawing("d2", at: ServiceFixture.start)
    let service = fixture.drawings()
    try service.update("d1", of: "ann", ["title": "Höhe", "tags": ["山 水", "trip"]])
    for text in ["hohe", "山", "TRIP höhe"] {
      #expect(try service.search(text, of: "ann").results.map(\.drawing.id) == ["d1"], "\(text)")
    }
    let wrong: [Fields] = [
      ["title": 1], ["title": .text(String(repeating: "a", count: 201))], ["tags": "x"],
      ["tags": [1]], ["tags": .list((0...32).map { .text("t\($0)") })],
    ]
    for fields in wrong {
      #expect(throws: (any Error).self, "\(fields)") {
        try service.update("d1", of: "ann", fields)
      }
    }
    try service.update("d1", of: "ann", ["title": .null, "tags": []])
    let record = try service.drawing("d1", of: "ann")
    #expect(record.title == nil && record.tags == [])
    #expect(try service.search("trip", of: "ann").results.isEmpty)
  }
}
