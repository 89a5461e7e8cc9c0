public import Graphics

/// A tool that draws: an ink and the width it is set to.
public struct PKInkingTool: Hashable, Sendable {
  /// The kind of ink.
  public var inkType: InkType
  /// The colour, as stored for the light style.
  public var color: Color
  /// The width the tool is set to, in points, inside the ink's valid range.
  public var width: Double

  /// A tool; the width is moved into the ink's range, and without one the default is taken.
  public init(_ inkType: InkType, color: Color = .black, width: Double? = nil) {
    self.inkType = inkType
    self.color = color
    let range = inkType.validWidthRange
    self.width = min(max(range.lowerBound, width ?? inkType.defaultWidth), range.upperBound)
  }

  /// A tool that draws with an ink.
  public init(ink: PKInk, width: Double? = nil) {
    self.init(ink.inkType, color: ink.color, width: width)
  }

  /// The ink this tool draws with.
  public var ink: PKInk { PKInk(inkType, color: color) }

  /// The oldest content version whose readers know this tool's ink.
  public var requiredContentVersion: PKContentVersion { inkType.requiredContentVersion }
}

extension PKInkingTool {
  /// The kinds of ink.
  public enum InkType: Hashable, Sendable {
    /// A round, even line whose width follows the hand.
    case pen
    /// Grains of graphite that build up and show the paper.
    case pencil
    /// A translucent blade that keeps what lies below readable.
    case marker
    /// A line of one width.
    case monoline
    /// A flat nib: thin along, broad across.
    case fountainPen
    /// Wet colour with a darker rim.
    case watercolor
    /// Wax with holes that fill when drawn over again.
    case crayon
    /// A broad slanted pen with a dry edge.
    case reed
    /// An ink this package does not know, by its identifier, which is kept.
    case other(identifier: String)

    /// The inks with a name here.
    public static let known: [InkType] = [
      .pen, .pencil, .marker, .monoline, .fountainPen, .watercolor, .crayon, .reed,
    ]
  }
}

/// What is known of one kind of ink.
private struct InkFacts {
  /// The name in this package's texts.
  let name: String
  /// The identifier in archives, after `com.apple.ink.`.
  let identifier: String
  let contentVersion: PKContentVersion
  /// The widths the tool can be set to, measured on iOS 26.5; the reed's are assumed.
  let widths: ClosedRange<Double>
  let defaultWidth: Double

  init(
    _ name: String, _ identifier: String, _ contentVersion: PKContentVersion,
    _ widths: ClosedRange<Double>, _ defaultWidth: Double
  ) {
    self.name = name
    self.identifier = identifier
    self.contentVersion = contentVersion
    self.widths = widths
    self.defaultWidth = defaultWidth
  }

  /// The known inks, in the order of `InkType.known`.
  static let table = [
    InkFacts("pen", "pen", .version1, 0.88...25.66, 2.68),
    InkFacts("pencil", "pencil", .version1, 2.4...16, 4),
    InkFacts("marker", "marker", .version1, 7.5...60, 15),
    InkFacts("monoline", "monoline", .version2, 0.5...4, 1),
    InkFacts("fountainPen", "fountainpen", .version2, 1.5...14, 4),
    InkFacts("watercolor", "watercolor", .version2, 10...80, 30),
    InkFacts("crayon", "crayon", .version2, 10...50, 20),
    InkFacts("reed", "reedcalligraphy", .version4, 1.5...30, 8),
  ]
}

extension PKInkingTool.InkType {
  /// The place in the table of inks; one behind its end for an unknown ink.
  private var ordinal: Int {
    switch self {
    case .pen: 0
    case .pencil: 1
    case .marker: 2
    case .monoline: 3
    case .fountainPen: 4
    case .watercolor: 5
    case .crayon: 6
    case .reed: 7
    case .other: 8
    }
  }

  private var facts: InkFacts? {
    ordinal < InkFacts.table.count ? InkFacts.table[ordinal] : nil
  }

  /// The name in this package's texts: `pen`, `fountainPen` …, or an unknown ink's identifier.
  public var name: String {
    if case .other(let identifier) = self { identifier } else { facts?.name ?? "" }
  }

  /// The oldest content version whose readers know this ink; an unknown one asks for the newest.
  public var requiredContentVersion: PKContentVersion { facts?.contentVersion ?? .latest }

  /// The widths the tool can be set to, in points.
  public var validWidthRange: ClosedRange<Double> {
    facts?.widths ?? 0...Double.greatestFiniteMagnitude
  }

  /// The width a new tool is set to, in points.
  public var defaultWidth: Double { facts?.defaultWidth ?? 4 }
}

extension PKInkingTool.InkType: RawRepresentable {
  private static let prefix = "com.apple.ink."

  /// The identifier that archives hold, `com.apple.ink.pen` for example.
  public var rawValue: String {
    if case .other(let identifier) = self {
      identifier
    } else {
      Self.prefix + (facts?.identifier ?? "")
    }
  }

  /// The ink of an identifier or a name; an unknown one is kept alive as `other`.
  public init(rawValue: String) {
    // The fountain pen is met in two spellings; nothing else hangs on the case.
    let text = rawValue.lowercased()
    self =
      Self.known.first { ink in
        ink.name == rawValue || Self.prefix + (ink.facts?.identifier ?? "") == text
      } ?? .other(identifier: rawValue)
  }
}

// The standard library's way to compare raw values would spell out both identifiers, which took
// longer than writing a stroke's points.
extension PKInkingTool.InkType {
  /// Whether both are the same ink.
  public static func == (a: Self, b: Self) -> Bool {
    if case .other(let x) = a, case .other(let y) = b { return x == y }
    return a.ordinal == b.ordinal
  }

  /// Feeds the kind.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ordinal)
    if case .other(let identifier) = self { hasher.combine(identifier) }
  }
}
