import Calendar
import Glibc
import Graphics
public import Storage

/// A time zone: the offset of local time from UTC at any moment.
public struct ZoneRules: Hashable, Sendable {
  /// The name: `Asia/Taipei`, `UTC`, `+08:00`.
  public let name: String
  /// The transitions, sorted by time.
  private let transitions: [ZoneFile.Transition]
  /// The offset before the first transition, in seconds east of Greenwich.
  private let first: Int
  /// The rule after the last transition; nil if the offset stays the same.
  private let yearly: YearlyRule?

  /// A time zone with a constant offset, in seconds east of Greenwich.
  private init(name: String, offset: Int) {
    self.name = name
    first = offset
    transitions = []
    yearly = nil
  }

  /// The time zone of a file.
  init(name: String, file: ZoneFile) {
    self.name = name
    first = file.firstOffset
    transitions = file.transitions
    yearly = file.yearly
  }

  /// The time zone UTC.
  public static let utc = ZoneRules(name: "UTC", offset: 0)

  /// A time zone with a constant offset, in minutes east of Greenwich.
  public init(offsetMinutes: Int) {
    let minutes = abs(offsetMinutes)
    self.init(
      name: (offsetMinutes < 0 ? "-" : "+") + padded(minutes / 60, 2) + ":"
        + padded(minutes % 60, 2),
      offset: offsetMinutes * 60)
  }

  /// A time zone from its name in the database of the system, or from an offset such as `+08:00`.
  public init(named name: String) throws {
    if name == "UTC" || name == "Z" {
      self = .utc
    } else if let minutes = Self.offsetMinutes(name) {
      self.init(offsetMinutes: minutes)
    } else {
      // A name like `Asia/Taipei` must not lead out of the folder of zone files.
      let parts = name.split(separator: "/", omittingEmptySubsequences: false)
      let isValid = parts.allSatisfy { part in
        part.utf8.first != UInt8(ascii: ".") && !part.isEmpty
          && part.utf8.allSatisfy {
            switch $0 {
            case 48...57, 65...90, 97...122, 43, 45, 95: true
            default: false
            }
          }
      }
      guard isValid, parts.count <= 4,
        let file = ZoneFile(Self.bytes(of: "/usr/share/zoneinfo/\(name)"))
      else { throw ServiceError.unknownTimeZone(name) }
      self.init(name: name, file: file)
    }
  }

  private static func offsetMinutes(_ text: String) -> Int? {
    let (sign, rest) = (text.utf8.first, Array(text.utf8.dropFirst()))
    let hasColon = rest.count == 5 && rest[2] == UInt8(ascii: ":")
    let digits = hasColon ? rest[..<2] + rest[3...] : rest[...]
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), digits.count == 4,
      digits.allSatisfy({ 48...57 ~= $0 })
    else { return nil }
    let number = digits.reduce(0) { $0 * 10 + Int($1) - 48 }
    guard number % 100 < 60, number <= 1800 else { return nil }
    return (sign == UInt8(ascii: "-") ? -1 : 1) * (number / 100 * 60 + number % 100)
  }

  private static func bytes(of path: String) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(file, &bytes, bytes.count)
    return Array(bytes.prefix(max(count, 0)))
  }

  // MARK: - Local time

  /// Seconds east of Greenwich at a moment.
  public func offset(at moment: Moment) -> Int {
    let time = moment.flooredSeconds
    if let last = transitions.last, time >= last.time, let yearly { return yearly.offset(at: time) }
    let next = transitions.partitioningIndex { $0.time > time }
    if next > 0 { return transitions[next - 1].offset }
    return transitions.isEmpty ? yearly?.offset(at: time) ?? first : first
  }

  /// The local day at a moment.
  public func day(of moment: Moment) -> LocalDay {
    let local = moment.flooredSeconds + Int64(offset(at: moment))
    return LocalDay(number: Int(local.flooredQuotientAndRemainder(dividingBy: 86_400).quotient))
  }

  /// The first moment of a local day. Not midnight if clocks are put forward at midnight.
  public func start(of day: LocalDay) -> Moment {
    let midnight = Int64(day.number) * 86_400
    // A day starts at local midnight under one of the offsets around it, or at a transition.
    var candidates: [Int64] = []
    for hour in stride(from: Int64(-30), through: 30, by: 1) {
      let time = midnight + hour * 3600
      let offset = offset(at: Moment(seconds: time))
      candidates.append(midnight - Int64(offset))
      if let change = change(between: time, and: time + 3600) { candidates.append(change) }
    }
    let start = candidates.sorted().first { self.day(of: Moment(seconds: $0)) == day }
    // If a zone has skipped the whole day, it starts where the next day starts.
    return Moment(seconds: start ?? midnight - Int64(offset(at: Moment(seconds: midnight))))
  }

  /// The time of a transition between two times, in seconds since 1970; nil if both have the same
  /// offset.
  func change(between start: Int64, and end: Int64) -> Int64? {
    func offset(_ time: Int64) -> Int { self.offset(at: Moment(seconds: time)) }
    guard offset(start) != offset(end) else { return nil }
    var (low, high) = (start, end)
    while high - low > 1 {
      let middle = (low + high) / 2
      if offset(middle) == offset(start) { low = middle } else { high = middle }
    }
    return high
  }
}
