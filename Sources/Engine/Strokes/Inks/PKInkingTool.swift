public import Graphics

/// A tool that draws: an ink and the width that it is set to.
public struct PKInkingTool: Hashable, Sendable {
  /// The kind of ink.
  public var inkType: InkType
  /// The colour, as stored for the light style.
  public var color: Color
  /// The width that the tool is set to, in points, inside the ink's valid range.
  public var width: Double

  /// A tool. The width is clamped to the ink's range; nil is the ink's default.
  public init(_ inkType: InkType, color: Color = .black, width: Double? = nil) {
    self.inkType = inkType
    self.color = color
    let range = inkType.validWidthRange
    self.width = min(max(range.lowerBound, width ?? inkType.defaultWidth), range.upperBound)
  }

  /// A tool with the kind and the colour of an ink. The width is clamped to the ink's range; nil is
  /// the ink's default.
  public init(ink: PKInk, width: Double? = nil) {
    self.init(ink.inkType, color: ink.color, width: width)
  }

  /// The ink that this tool draws with.
  public var ink: PKInk { PKInk(inkType, color: color) }

  /// The oldest content version whose readers know this tool's ink.
  public var requiredContentVersion: PKContentVersion { inkType.requiredContentVersion }
}

extension PKInkingTool {
  /// The kinds of ink.
  public enum InkType: Hashable, Sendable {
    /// A round, even line whose width follows the hand.
    case pen
    /// Grains of graphite that build up; the paper shows through.
    case pencil
    /// A translucent blade below which text stays readable.
    case marker
    /// A line of one width.
    case monoline
    /// A flat nib: lines are thin along it and broad across it.
    case fountainPen
    /// Wet colour with a darker rim.
    case watercolor
    /// Wax with holes that fill where it is drawn over again.
    case crayon
    /// A broad slanted pen with a dry edge.
    case reed
    /// An ink that this package does not know. Its identifier is kept, and it is drawn as a pen.
    case other(identifier: String)

    /// All inks that this package knows.
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

  /// The oldest content version whose readers know this ink; the newest for an unknown ink.
  public var requiredContentVersion: PKContentVersion { model?.contentVersion ?? .latest }

  /// The widths that the tool can be set to, in points.
  public var validWidthRange: ClosedRange<Double> {
    model?.toolWidths ?? 0...Double.greatestFiniteMagnitude
  }

  /// The width of a new tool, in points.
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

  /// The ink with an identifier or a name; an unknown identifier is kept as `other`.
  public init(rawValue: String) {
    // The fountain pen's identifier exists in two spellings, so case is ignored.
    let letters = rawValue.utf8
    let text = letters.map { 65...90 ~= $0 ? $0 + 32 : $0 }
    self =
      Self.known.first { ink in
        ink.name.utf8.elementsEqual(letters)
          || text.starts(with: Self.prefix.utf8)
            && text.dropFirst(Self.prefix.utf8.count)
              .elementsEqual((ink.model?.identifier ?? "").utf8)
      } ?? .other(identifier: rawValue)
  }
}

// The standard library compares raw values. That would build both identifiers, which took longer
// than writing a stroke's points. Identifiers are compared by their bytes, as files hold them:
// other comparisons need Unicode's tables, which web pages would have to load.
extension PKInkingTool.InkType {
  /// Whether both are the same ink.
  public static func == (a: Self, b: Self) -> Bool {
    if case .other(let x) = a, case .other(let y) = b { return x.utf8.elementsEqual(y.utf8) }
    return a.ordinal == b.ordinal
  }

  /// Hashes the kind, and the identifier of an unknown ink.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ordinal)
    if case .other(let identifier) = self { hasher.combine(Array(identifier.utf8)) }
  }
}
