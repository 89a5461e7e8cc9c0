/// A time zone file of the system (TZif, RFC 9636): a list of transitions, and a rule for the years after
/// them.
struct ZoneFile {
  private let changes: [ZoneRules.Change]
  private let first: Int
  private let footer: String

  /// Parses a file; nil for bytes in another format.
  init?(_ bytes: [UInt8]) {
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
    var changes: [ZoneRules.Change] = []
    func offset(_ type: Int) -> Int { Int(number(types + type * 6, 4)) }
    for index in 0..<header.timeCount {
      let type = Int(bytes[kinds + index])
      guard type < header.typeCount else { return nil }
      changes.append(
        ZoneRules.Change(time: number(times + index * 8, 8), offset: offset(type)))
    }
    guard zip(changes, changes.dropFirst()).allSatisfy({ $0.time < $1.time }) else { return nil }
    self.changes = changes
    first = offset(0)
    let lines = bytes[end...].split(separator: 10, omittingEmptySubsequences: false)
    footer = lines.count > 1 ? String(decoding: lines[1], as: UTF8.self) : ""
  }

  func rules(named name: String) -> ZoneRules {
    ZoneRules(name: name, first: first, changes: changes, yearly: YearlyRule(footer))
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

/// A yearly daylight saving rule in the POSIX form: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct YearlyRule: Hashable, Sendable {
  private let standard: Int
  private let summer: Summer?

  private struct Summer: Hashable, Sendable {
    let offset: Int
    let start: Day
    let end: Day
  }

  /// A day of every year, and the seconds after its midnight.
  private struct Day: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      /// A weekday (0 for Sunday) in a week (5 for the last) of a month.
      case weekday(month: Int, week: Int, weekday: Int)
      /// A day from 1 to 365; the leap day has no number.
      case numbered(Int)
      /// A day from 0 to 365.
      case counted(Int)
    }
    let kind: Kind
    let seconds: Int
  }

  /// Parses a rule; nil for other texts.
  init?(_ text: String) {
    var rest = text.utf8[...]
    guard Self.skipName(&rest), let west = Self.time(&rest) else { return nil }
    standard = -west
    if rest.isEmpty {
      summer = nil
      return
    }
    guard Self.skipName(&rest) else { return nil }
    var offset = standard + 3600
    if rest.first != UInt8(ascii: ",") {
      guard let west = Self.time(&rest) else { return nil }
      offset = -west
    }
    guard let start = Self.day(&rest), let end = Self.day(&rest), rest.isEmpty else { return nil }
    summer = Summer(offset: offset, start: start, end: end)
  }

  /// Seconds east of Greenwich at a time in seconds since 1970.
  func offset(at time: Int64) -> Int {
    guard let summer else { return standard }
    let year = LocalDay(number: Int(divided(time + Int64(standard), by: 86_400))).date.year
    // A transition is given in the local time before it.
    let start = Self.moment(summer.start, year) - Int64(standard)
    let end = Self.moment(summer.end, year) - Int64(summer.offset)
    let isSummer = start < end ? start <= time && time < end : !(end <= time && time < start)
    return isSummer ? summer.offset : standard
  }

  /// The local time of a transition, in seconds since 1970 without an offset.
  private static func moment(_ day: Day, _ year: Int) -> Int64 {
    let number: Int
    let newYear = dayNumber(year, 1)
    switch day.kind {
    case .counted(let days): number = newYear + days
    case .numbered(let days):
      let isLeap = dayNumber(year + 1, 1) - newYear == 366
      number = newYear + days - 1 + (isLeap && days >= 60 ? 1 : 0)
    case .weekday(let month, let week, let weekday):
      let first = dayNumber(year, month)
      let next = month == 12 ? dayNumber(year + 1, 1) : dayNumber(year, month + 1)
      // The first such weekday of the month, plus whole weeks, minus weeks beyond the end of the month.
      let firstWeekday = (LocalDay(number: first).weekday + 1) % 7
      var day = first + (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
      while day >= next { day -= 7 }
      number = day
    }
    return Int64(number) * 86_400 + Int64(day.seconds)
  }

  private static func dayNumber(_ year: Int, _ month: Int) -> Int {
    LocalDay(year: year, month: month, day: 1).number
  }

  // MARK: - Parsing

  private static func skipName(_ rest: inout Substring.UTF8View) -> Bool {
    if rest.first == UInt8(ascii: "<") {
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
      rest = rest[end...].dropFirst()
      return true
    }
    let name = rest.prefix { ($0 | 32) >= 97 && ($0 | 32) <= 122 }
    rest = rest.dropFirst(name.count)
    return name.count >= 3
  }

  private static func number(_ rest: inout Substring.UTF8View) -> Int? {
    let digits = rest.prefix { 48...57 ~= $0 }
    guard 1...3 ~= digits.count else { return nil }
    rest = rest.dropFirst(digits.count)
    return digits.reduce(0) { $0 * 10 + Int($1) - 48 }
  }

  private static func skip(_ sign: Character, _ rest: inout Substring.UTF8View) -> Bool {
    guard rest.first == sign.asciiValue else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// Parses `[+-]hours[:minutes[:seconds]]`; returns seconds.
  private static func time(_ rest: inout Substring.UTF8View) -> Int? {
    let sign = skip("-", &rest) ? -1 : 1
    if sign == 1 { _ = skip("+", &rest) }
    guard let hours = number(&rest), hours <= 167 else { return nil }
    var seconds = hours * 3600
    if skip(":", &rest) {
      guard let minutes = number(&rest), minutes < 60 else { return nil }
      seconds += minutes * 60
      if skip(":", &rest) {
        guard let more = number(&rest), more < 60 else { return nil }
        seconds += more
      }
    }
    return sign * seconds
  }

  private static func day(_ rest: inout Substring.UTF8View) -> Day? {
    guard skip(",", &rest) else { return nil }
    let kind: Day.Kind
    if skip("M", &rest) {
      guard let month = number(&rest), 1...12 ~= month, skip(".", &rest),
        let week = number(&rest), 1...5 ~= week, skip(".", &rest), let weekday = number(&rest),
        0...6 ~= weekday
      else { return nil }
      kind = .weekday(month: month, week: week, weekday: weekday)
    } else if skip("J", &rest) {
      guard let day = number(&rest), 1...365 ~= day else { return nil }
      kind = .numbered(day)
    } else {
      guard let day = number(&rest), 0...365 ~= day else { return nil }
      kind = .counted(day)
    }
    guard skip("/", &rest) else { return Day(kind: kind, seconds: 7200) }
    guard let seconds = time(&rest) else { return nil }
    return Day(kind: kind, seconds: seconds)
  }
}
