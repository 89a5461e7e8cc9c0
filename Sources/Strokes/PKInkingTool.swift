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

extension PKInkingTool.InkType {
  /// The name in this package's texts: `pen`, `fountainPen` …, or an unknown ink's identifier.
  public var name: String {
    if case .other(let identifier) = self { identifier } else { model?.name ?? "" }
  }

  /// The oldest content version whose readers know this ink; an unknown one asks for the newest.
  public var requiredContentVersion: PKContentVersion { model?.contentVersion ?? .latest }

  /// The widths the tool can be set to, in points.
  public var validWidthRange: ClosedRange<Double> {
    model?.toolWidths ?? 0...Double.greatestFiniteMagnitude
  }

  /// The width a new tool is set to, in points.
  public var defaultWidth: Double { model?.defaultWidth ?? 4 }
}

extension PKInkingTool.InkType: RawRepresentable {
  private static let prefix = "com.apple.ink."

  /// The identifier that archives hold, `com.apple.ink.pen` for example.
  public var rawValue: String {
    if case .other(let identifier) = self {
      identifier
    } else {
      Self.prefix + (model?.identifier ?? "")
    }
  }

  /// The ink of an identifier or a name; an unknown one is kept alive as `other`.
  public init(rawValue: String) {
    // The fountain pen is met in two spellings; nothing else hangs on the case.
    let text = rawValue.lowercased()
    self =
      Self.known.first { ink in
        ink.name == rawValue || Self.prefix + (ink.model?.identifier ?? "") == text
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
