/// A time zone file of the system (TZif, RFC 9636): a list of transitions, and a rule for the years
/// after them.
package struct ZoneFile {
  /// The transitions, sorted by time.
  package let transitions: [Transition]
  /// The offset before the first transition, in seconds east of Greenwich.
  package let firstOffset: Int
  /// The rule after the last transition; nil if the file has none.
  package let yearly: YearlyRule?

  /// A transition: its time in seconds since 1970, and the offset from then on.
  package struct Transition: Hashable, Sendable {
    /// Seconds since 1970-01-01 00:00:00 UTC.
    package let time: Int64
    /// Seconds east of Greenwich from that time on.
    package let offset: Int
  }

  /// Parses a file; nil for bytes in another format.
  package init?(_ bytes: [UInt8]) {
    // The first block has 32-bit times, for old programs; the second one has the same with 64 bits.
    guard let old = Header(bytes, at: 0), old.version >= 2,
      let header = Header(bytes, at: old.end(timeSize: 4))
    else { return nil }
    let times = header.start
    let kinds = times + header.timeCount * 8
    let types = kinds + header.timeCount
    let end = header.end(timeSize: 8)
    guard header.typeCount > 0, end <= bytes.count else { return nil }
    func number(_ offset: Int, _ count: Int) -> Int64 {
      let sign: Int64 = bytes[offset] >= 128 ? -1 : 0
      return bytes[offset..<offset + count].reduce(sign) { $0 << 8 | Int64($1) }
    }
    var transitions: [Transition] = []
    func offset(_ type: Int) -> Int { Int(number(types + type * 6, 4)) }
    for index in 0..<header.timeCount {
      let type = Int(bytes[kinds + index])
      guard type < header.typeCount else { return nil }
      transitions.append(Transition(time: number(times + index * 8, 8), offset: offset(type)))
    }
    guard zip(transitions, transitions.dropFirst()).allSatisfy({ $0.time < $1.time })
    else { return nil }
    self.transitions = transitions
    firstOffset = offset(0)
    let lines = bytes[end...].split(separator: 10, omittingEmptySubsequences: false)
    yearly = YearlyRule(lines.count > 1 ? String(decoding: lines[1], as: UTF8.self) : "")
  }

  /// The header of a block: the number of entries in each of its lists.
  private struct Header {
    let version: Int
    let start: Int
    let utCount, standardCount, leapCount, timeCount, typeCount, letterCount: Int

    init?(_ bytes: [UInt8], at offset: Int) {
      guard offset >= 0, offset + 44 <= bytes.count,
        bytes[offset...].starts(with: Array("TZif".utf8))
      else { return nil }
      func count(_ index: Int) -> Int {
        bytes[offset + 20 + index * 4..<offset + 24 + index * 4].reduce(0) { $0 << 8 | Int($1) }
      }
      version = Int(bytes[offset + 4]) - 48
      start = offset + 44
      utCount = count(0)
      standardCount = count(1)
      leapCount = count(2)
      timeCount = count(3)
      typeCount = count(4)
      letterCount = count(5)
    }

    func end(timeSize: Int) -> Int {
      start + timeCount * (timeSize + 1) + typeCount * 6 + letterCount
        + leapCount * (timeSize + 4) + standardCount + utCount
    }
  }
}
