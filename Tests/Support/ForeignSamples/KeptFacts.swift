/// What a format keeps of a drawing besides places.
public struct KeptFacts: OptionSet, Sendable {
  /// One bit for each fact.
  public let rawValue: Int

  /// Facts by their bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// When strokes began, and how long they took.
  public static let times = KeptFacts(rawValue: 1)
  /// The pressure of each point.
  public static let pressure = KeptFacts(rawValue: 2)
  /// The drawn widths of pens.
  public static let widths = KeptFacts(rawValue: 4)
  /// The colours of pens as they are, not the nearest of a palette.
  public static let colors = KeptFacts(rawValue: 8)
  /// All of these.
  public static let all: KeptFacts = [.times, .pressure, .widths, .colors]
}
