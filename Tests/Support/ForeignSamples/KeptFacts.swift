/// The values of a drawing that a format keeps besides locations.
public struct KeptFacts: OptionSet, Sendable {
  /// One bit for each fact.
  public let rawValue: Int

  /// Facts by their bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The starting times and durations of strokes.
  public static let times = KeptFacts(rawValue: 1)
  /// The pressure of each point.
  public static let pressure = KeptFacts(rawValue: 2)
  /// The drawn widths of pens.
  public static let widths = KeptFacts(rawValue: 4)
  /// The exact colours of pens, not the nearest ones of a palette.
  public static let colors = KeptFacts(rawValue: 8)
  /// All of these.
  public static let all: KeptFacts = [.times, .pressure, .widths, .colors]
}
