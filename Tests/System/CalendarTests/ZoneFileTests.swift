import Testing

@testable import Calendar

struct ZoneFileTests {
  /// A file of version 2: an empty block of 32-bit times, a block of 64-bit times, and a rule.
  private static func file(
    _ transitions: [(time: Int64, type: UInt8)], offsets: [Int32], rule: String
  ) -> [UInt8] {
    func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
      (0..<value.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    func header(_ times: Int, _ types: Int) -> [UInt8] {
      Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
        + [0, 0, 0, times, types, 0].flatMap { bytes(UInt32($0)) }
    }
    return header(0, 0) + header(transitions.count, offsets.count)
      + transitions.flatMap { bytes($0.time) } + transitions.map(\.type)
      + offsets.flatMap { bytes($0) + [0, 0] } + Array("\n\(rule)\n".utf8)
  }

  @Test func `a zone file gives transitions, a first offset and a later rule`()
    throws
  {
    let bytes = Self.file(
      [(-5_000_000_000, 1), (7, 0), (1 << 40, 2)], offsets: [3600, -7200, 60], rule: "AAA-1")
    let file = try #require(ZoneFile(bytes))
    #expect(file.firstOffset == 3600)
    #expect(file.transitions.map(\.time) == [-5_000_000_000, 7, 1 << 40])
    #expect(file.transitions.map(\.offset) == [-7200, 3600, 60])
    #expect(file.yearly == YearlyRule("AAA-1") && file.yearly != nil)
    #expect(ZoneFile(Self.file([], offsets: [0], rule: ""))?.yearly == nil)
  }

  @Test func `bytes in another format give no zone file`() {
    #expect(ZoneFile([]) == nil)
    #expect(ZoneFile(Array("TZif".utf8) + [UInt8](repeating: 0, count: 40)) == nil)
    // No offset, a transition to a missing offset, unsorted transitions.
    #expect(ZoneFile(Self.file([], offsets: [], rule: "AAA-1")) == nil)
    #expect(ZoneFile(Self.file([(0, 1)], offsets: [0], rule: "AAA-1")) == nil)
    #expect(ZoneFile(Self.file([(5, 0), (5, 0)], offsets: [0], rule: "AAA-1")) == nil)
    let bytes = Self.file([(0, 0)], offsets: [0], rule: "AAA-1")
    let end = bytes.count - "\nAAA-1\n".utf8.count
    for count in 0..<bytes.count {
      #expect((ZoneFile(Array(bytes[..<count])) != nil) == (count >= end))
    }
  }

  @Test func `zone rules for every year are read in POSIX notation`() throws {
    func offsets(_ rule: String, _ moments: [String]) throws -> [Int]? {
      guard let rule = YearlyRule(rule) else { return nil }
      return try moments.map { rule.offset(at: try #require(ISO8601($0)).seconds) }
    }
    #expect(
      try offsets(
        "CET-1CEST,M3.5.0,M10.5.0/3",
        [
          "2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z", "2026-10-25T00:59:59Z",
          "2026-10-25T01:00:00Z", "2050-07-01T00:00:00Z",
        ]) == [3600, 7200, 7200, 3600, 7200])
    // In the southern hemisphere, summer includes the end of the year.
    #expect(
      try offsets(
        "<-04>4<-03>,M9.1.6/24,M4.1.6/24",
        [
          "2026-09-06T03:59:59Z", "2026-09-06T04:00:00Z", "2027-01-01T00:00:00Z",
          "2026-04-05T02:59:59Z", "2026-04-05T03:00:00Z",
        ]) == [-14_400, -10_800, -10_800, -10_800, -14_400])
    // Winter time as daylight saving time, a name in brackets, negative times.
    #expect(
      try offsets("IST-1GMT0,M10.5.0,M3.5.0/1", ["2026-07-01T00:00:00Z", "2026-12-01T00:00:00Z"])
        == [3600, 0])
    #expect(
      try offsets(
        "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", ["2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z"])
        == [-7200, -3600])
    // Days of the year, with and without the leap day: the 60th is always the first of March.
    #expect(
      try offsets(
        "A0B,J60/0,J61/0",
        ["2028-02-29T12:00:00Z", "2028-03-01T12:00:00Z", "2027-03-01T12:00:00Z"])
        == nil)
    #expect(
      try offsets(
        "AAA0BBB,J60/0,J61/0",
        ["2028-02-29T12:00:00Z", "2028-03-01T12:00:00Z", "2027-03-01T12:00:00Z"])
        == [0, 3600, 3600])
    #expect(
      try offsets(
        "AAA0BBB,59/0,60/0",
        ["2028-02-29T12:00:00Z", "2028-03-01T12:00:00Z", "2027-03-01T12:00:00Z"])
        == [3600, 0, 3600])
    #expect(try offsets("<+0545>-5:45", ["2026-01-01T00:00:00Z"]) == [20_700])
    #expect(try offsets("AAA-1:30:15", ["2026-01-01T00:00:00Z"]) == [5415])
    for text in [
      "", "CET", "CE-1", "CET-1CEST", "CET-1CEST,", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
      "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,M0.5.0,M10.5.0",
      "CET-1CEST,J0,J5", "CET-1CEST,J366,J5", "CET-1CEST,366,5", "CET-1CEST,M3.5.0,M10.5.0,",
      "<CET-1",
      "CET-168", "CET-1:60", "CET-1 ", "CET-1CEST,M3.5.0/168,M10.5.0", "CET-99999999999999999999",
    ] {
      #expect(YearlyRule(text) == nil, "\(text)")
    }
  }
}
