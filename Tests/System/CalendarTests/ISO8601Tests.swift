import TestSupport
import Testing

@testable import Calendar

struct ISO8601Tests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2001-01-01T00:00:00Z", 978_307_200),
    ("2000-02-29T12:00:00Z", 951_825_600), ("2026-11-21T12:40:51Z", 1_795_264_851),
    ("1969-12-31T23:59:59Z", -1), ("0000-01-01T00:00:00Z", -62_167_219_200),
    ("9999-12-31T23:59:59Z", 253_402_300_799),
  ])
  func `known ISO 8601 texts have known seconds, both ways`(text: String, seconds: Int64) throws {
    let time = try #require(ISO8601(text))
    #expect(time.seconds == seconds && time.fraction == 0 && time.offset == 0)
    #expect(ISO8601.text(seconds: seconds) == text)
  }

  @Test(arguments: [
    ("Z", 0, 0), ("z", 0, 0), ("+00:00", 0, 0), ("-00:00", 0, 0), ("+08:00", 28_800, -28_800),
    ("-0330", -12_600, 12_600), ("+0545", 20_700, -20_700), ("+23:59", 86_340, -86_340),
    ("-23:59", -86_340, 86_340),
  ])
  func `an ISO 8601 offset is subtracted`(text: String, offset: Int, seconds: Int64) throws {
    let time = try #require(ISO8601("1970-01-01T00:00:00" + text))
    #expect(time.offset == offset && time.seconds == seconds)
  }

  @Test(arguments: [
    (".5", 0.5), (",25", 0.25), (".0", 0), (".1", 0.1), (".123456", 0.123456),
    (".000000000000000000000000000001", 1e-30), (".99999999999999999999", 1),
    (".1000000000000000055511151231257827021181583404541015625", 0.1),
  ])
  func `decimal places are read to the nearest double`(text: String, fraction: Double) throws {
    for time in ["2026-11-18T12:00:00", "2026-11-18t12:00:00", "2026-11-18 12:00:00"] {
      let time = try #require(ISO8601(time + text + "Z"))
      #expect(time.fraction.bitPattern == fraction.bitPattern)
      #expect(time.seconds == 1_795_003_200)
    }
  }

  @Test func `any count of decimal places is read`() {
    for count in [1, 17, 400, 10_000] {
      let zeros = String(repeating: "0", count: count)
      #expect(ISO8601("2001-01-01T00:00:00.\(zeros)Z")?.fraction == 0)
      #expect(ISO8601("2001-01-01T00:00:00.5\(zeros)Z")?.fraction == 0.5)
    }
  }

  @Test(arguments: [
    "", "2001", "2001-01-01", "2001-01-01T00:00:00", "2001-01-01T00:00Z", "2001-13-01T00:00:00Z",
    "2001-00-01T00:00:00Z", "2001-01-00T00:00:00Z", "2001-04-31T00:00:00Z",
    "2001-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2100-02-29T00:00:00Z",
    "2001-01-01T24:00:00Z", "2001-01-01T00:60:00Z", "2001-01-01T00:00:60Z",
    "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00.", "2001-01-01T00:00:00ZZ",
    "2001-01-01T00:00:00+24:00", "2001-01-01T00:00:00+08", "2001-01-01T00:00:00+08:",
    "2001-01-01T00:00:00+08:60", "2001-01-01T00:00:00+8:00", "2001-01-01T00:00:00+-8:00",
    "2001-1-01T00:00:00Z", "02001-01-01T00:00:00Z", "-001-01-01T00:00:00Z",
    "2001-01-01T00:00:00Z ", " 2001-01-01T00:00:00Z", "2001-01-01T00:00:00.5.5Z",
    "2001-01-01T00:00:00.5e1Z", "2001-01-01T+1:00:00Z", "2001-01-01T00:00:00\0Z",
    "２001-01-01T00:00:00Z", "20010101T000000Z",
  ])
  func `text that is no moment gives nil`(text: String) {
    #expect(ISO8601(text) == nil)
  }

  @Test func `an ISO 8601 text has the requested decimal places`() {
    #expect(ISO8601.text(seconds: 0, fraction: 25, digits: 2) == "1970-01-01T00:00:00.25Z")
    #expect(ISO8601.text(seconds: -1, fraction: 5, digits: 3) == "1969-12-31T23:59:59.005Z")
    #expect(ISO8601.text(seconds: 0, fraction: 0, digits: 10) == "1970-01-01T00:00:00.0000000000Z")
    #expect(ISO8601.text(seconds: 253_402_300_800) == "10000-01-01T00:00:00Z")
  }

  @Test func `damaged ISO 8601 texts are read as another moment or refused`() {
    var random = SplitMix64(seed: 17)
    var mutation = Mutation(seed: 18)
    var count = 0
    for _ in 0..<20_000 {
      let seconds = Int64.random(in: -62_167_219_200...253_402_300_799, using: &random)
      let fraction = Int.random(in: 0...999_999, using: &random)
      let text = ISO8601.text(seconds: seconds, fraction: fraction, digits: 6)
      let time = ISO8601(text)
      #expect(time?.seconds == seconds && time?.fraction == Double(fraction) / 1e6)
      let damaged = String(decoding: mutation.mutated(Array(text.utf8)), as: UTF8.self)
      guard let other = ISO8601(damaged) else { continue }
      count += 1
      #expect(0...1 ~= other.fraction && abs(other.offset) < 86_400)
    }
    #expect(count > 100)
  }
}
