public import Graphics

/// The ink of a stroke: its kind and its colour.
public struct PKInk: Hashable, Sendable {
  /// The kinds of ink.
  public typealias InkType = PKInkingTool.InkType

  /// The kind of ink.
  public var inkType: InkType
  /// The colour, as stored for the light style.
  public var color: Color
  /// The law that converts a point's `size` to the width on the page.
  public var widthLaw: WidthLaw

  /// The laws that convert a point's `size` to the width on the page.
  public enum WidthLaw: String, Hashable, Sendable, CaseIterable {
    /// As PencilKit draws: a pen of size 3 draws a line 2 points wide (see `Nib`).
    case pencilKit
    /// The size is the drawn width; for ink from other sources.
    case plain

    /// Whether both are the same law.
    public static func == (a: Self, b: Self) -> Bool { a.isPlain == b.isPlain }

    /// Hashes the law.
    public func hash(into hasher: inout Hasher) { hasher.combine(isPlain) }

    // The standard library compares and hashes raw values, which are texts.
    private var isPlain: Bool {
      switch self {
      case .pencilKit: false
      case .plain: true
      }
    }
  }

  /// An ink of a kind and colour.
  public init(_ inkType: InkType, color: Color = .black, widthLaw: WidthLaw = .pencilKit) {
    self.inkType = inkType
    self.color = color
    self.widthLaw = widthLaw
  }

  /// The oldest content version whose readers know this ink.
  public var requiredContentVersion: PKContentVersion { inkType.requiredContentVersion }
}

/// A version of PencilKit's drawing model: the features that a reader needs to show a drawing.
public enum PKContentVersion: Int, Hashable, Sendable, Comparable, CaseIterable {
  /// Pen, pencil and marker (iOS 14).
  case version1 = 1
  /// Adds monoline, fountain pen, watercolor and crayon (iOS 17).
  case version2 = 2
  /// Adds inks that follow the barrel roll (iOS 17.5).
  case version3 = 3
  /// Adds the reed (iOS 26).
  case version4 = 4

  /// The newest version that this package knows.
  public static let latest = version4

  /// The older version comes first.
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
