/// A moment in whole microseconds since the start of 1970 in UTC, the resolution of stored times.
public struct Moment: Hashable, Sendable, Comparable {
  /// Microseconds since 1970-01-01 00:00:00 UTC; negative before.
  public var microseconds: Int64

  /// A moment from microseconds since 1970-01-01 00:00:00 UTC.
  public init(microseconds: Int64) { self.microseconds = microseconds }

  /// A moment from seconds since 1970. Traps if the microseconds overflow, beyond ±292,000 years.
  public init(seconds: Int64) { self.init(microseconds: seconds * 1_000_000) }

  /// The earlier moment comes first.
  public static func < (a: Moment, b: Moment) -> Bool { a.microseconds < b.microseconds }

  /// The moment some seconds later, clamped to `supported` if the sum overflows.
  public static func + (moment: Moment, seconds: Int64) -> Moment {
    let (difference, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (sum, isBeyond) = moment.microseconds.addingReportingOverflow(difference)
    guard isTooFar || isBeyond else { return Moment(microseconds: sum) }
    return seconds < 0 ? supported.lowerBound : supported.upperBound
  }

  /// The moment some seconds earlier, clamped in the same way.
  public static func - (moment: Moment, seconds: Int64) -> Moment {
    moment + (seconds == .min ? .max : -seconds)
  }

  /// From the start of the year 0 to the end of the year 9999, the range of ISO 8601 text. Stored
  /// values are in this range, so adding days to them never overflows.
  public static let supported =
    Moment(seconds: -62_167_219_200)...Moment(microseconds: 253_402_300_799_999_999)
}
