/// A moment, in whole microseconds since the start of 1970 in UTC: as exact as stored times are.
public struct Moment: Hashable, Sendable, Comparable {
  /// Microseconds since 1970-01-01 00:00:00 UTC; negative before.
  public var microseconds: Int64

  /// A moment from its microseconds since 1970.
  public init(microseconds: Int64) { self.microseconds = microseconds }

  /// A moment from its seconds since 1970.
  public init(seconds: Int64) { self.init(microseconds: seconds * 1_000_000) }

  /// The earlier moment comes first.
  public static func < (a: Moment, b: Moment) -> Bool { a.microseconds < b.microseconds }

  /// The moment some seconds later, or the first or last of all where that lies beyond.
  public static func + (moment: Moment, seconds: Int64) -> Moment {
    let (difference, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (sum, isBeyond) = moment.microseconds.addingReportingOverflow(difference)
    guard isTooFar || isBeyond else { return Moment(microseconds: sum) }
    return seconds < 0 ? supported.lowerBound : supported.upperBound
  }

  /// The moment some seconds earlier.
  public static func - (moment: Moment, seconds: Int64) -> Moment {
    moment + (seconds == .min ? .max : -seconds)
  }

  /// From the start of the year 0 to the end of the year 9999, which is what can be written as text.
  /// Values that are stored lie in here, so that adding days to them never overflows.
  public static let supported =
    Moment(seconds: -62_167_219_200)...Moment(microseconds: 253_402_300_799_999_999)
}
