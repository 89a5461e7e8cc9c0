import Calendar
import Graphics
public import Storage

extension Moment {
  /// `2026-11-22T05:30:00.25Z`, with as many decimals as needed.
  public var iso8601: String {
    let (seconds, rest) = microseconds.flooredQuotientAndRemainder(dividingBy: 1_000_000)
    var fraction = rest
    var digits = rest == 0 ? 0 : 6
    while digits > 0, fraction % 10 == 0 {
      fraction /= 10
      digits -= 1
    }
    return ISO8601.text(seconds: seconds, fraction: Int(fraction), digits: digits)
  }

  /// `2026-11-22T05:30:00.250Z`, always with three decimals, rounded down.
  package var iso8601Milliseconds: String {
    let (seconds, rest) = microseconds.flooredQuotientAndRemainder(dividingBy: 1_000_000)
    return ISO8601.text(seconds: seconds, fraction: Int(rest / 1000), digits: 3)
  }

  /// Reads `2026-11-22T05:30:00Z`, with any fraction and with `Z` or an offset such as `+08:00`;
  /// nil for anything else.
  public init?(iso8601 text: String) {
    guard let time = ISO8601(text) else { return nil }
    self.init(
      microseconds: time.seconds * 1_000_000 + Int64(clamping: (time.fraction * 1e6).rounded()))
  }

  /// Whole seconds since 1970, rounded down.
  var flooredSeconds: Int64 {
    microseconds.flooredQuotientAndRemainder(dividingBy: 1_000_000).quotient
  }
}
