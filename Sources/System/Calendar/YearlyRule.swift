/// A yearly daylight saving rule in the POSIX form: `CET-1CEST,M3.5.0,M10.5.0/3`.
package struct YearlyRule: Hashable, Sendable {
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
  package init?(_ text: String) {
    var reader = TextReader(text)
    guard Self.skipName(&reader), let west = Self.time(&reader) else { return nil }
    standard = -west
    if reader.isAtEnd {
      summer = nil
      return
    }
    guard Self.skipName(&reader) else { return nil }
    var offset = standard + 3600
    if reader.next != UInt8(ascii: ",") {
      guard let west = Self.time(&reader) else { return nil }
      offset = -west
    }
    guard let start = Self.day(&reader), let end = Self.day(&reader), reader.isAtEnd
    else { return nil }
    summer = Summer(offset: offset, start: start, end: end)
  }

  /// Seconds east of Greenwich at a time in seconds since 1970.
  package func offset(at time: Int64) -> Int {
    guard let summer else { return standard }
    let day = (time + Int64(standard)).flooredQuotientAndRemainder(dividingBy: 86_400).quotient
    let year = CivilDate(dayNumber: Int(day)).year
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
      // The first such weekday of the month, plus whole weeks, minus weeks beyond the end of the
      // month.
      let firstWeekday = (CivilDate.weekday(dayNumber: first) + 1) % 7
      var day = first + (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
      while day >= next { day -= 7 }
      number = day
    }
    return Int64(number) * 86_400 + Int64(day.seconds)
  }

  private static func dayNumber(_ year: Int, _ month: Int) -> Int {
    CivilDate(year: year, month: month, day: 1).dayNumber
  }

  // MARK: - Parsing

  /// Skips the abbreviation of a zone: at least three letters, or any text in angle brackets.
  private static func skipName(_ reader: inout TextReader) -> Bool {
    if reader.skip("<") {
      _ = reader.text { $0 != UInt8(ascii: ">") }
      return reader.skip(">")
    }
    return reader.text { 97...122 ~= $0 | 32 }.count >= 3
  }

  /// Parses `[+-]hours[:minutes[:seconds]]`; returns seconds.
  private static func time(_ reader: inout TextReader) -> Int? {
    let sign = reader.skip("-") ? -1 : 1
    if sign == 1 { _ = reader.skip("+") }
    guard let hours = reader.number(digits: 1...3), hours <= 167 else { return nil }
    var seconds = hours * 3600
    if reader.skip(":") {
      guard let minutes = reader.number(digits: 1...3), minutes < 60 else { return nil }
      seconds += minutes * 60
      if reader.skip(":") {
        guard let more = reader.number(digits: 1...3), more < 60 else { return nil }
        seconds += more
      }
    }
    return sign * seconds
  }

  private static func day(_ reader: inout TextReader) -> Day? {
    guard reader.skip(",") else { return nil }
    let kind: Day.Kind
    if reader.skip("M") {
      guard let month = reader.number(digits: 1...3), 1...12 ~= month, reader.skip("."),
        let week = reader.number(digits: 1...3), 1...5 ~= week, reader.skip("."),
        let weekday = reader.number(digits: 1...3), 0...6 ~= weekday
      else { return nil }
      kind = .weekday(month: month, week: week, weekday: weekday)
    } else if reader.skip("J") {
      guard let day = reader.number(digits: 1...3), 1...365 ~= day else { return nil }
      kind = .numbered(day)
    } else {
      guard let day = reader.number(digits: 1...3), 0...365 ~= day else { return nil }
      kind = .counted(day)
    }
    guard reader.skip("/") else { return Day(kind: kind, seconds: 7200) }
    guard let seconds = time(&reader) else { return nil }
    return Day(kind: kind, seconds: seconds)
  }
}
