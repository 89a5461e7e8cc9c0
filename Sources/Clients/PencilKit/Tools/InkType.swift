public import Foundation
import Strokes

extension PKInkingTool {
  /// The kinds of ink.
  public enum InkType: Hashable, Sendable {
    /// A round line whose width follows the hand.
    case pen
    /// Graphite through which the paper shows.
    case pencil
    /// A translucent blade.
    case marker
    /// A line of one width.
    case monoline
    /// A flat nib.
    case fountainPen
    /// Wet colour with a darker rim.
    case watercolor
    /// Wax with holes.
    case crayon
    /// A broad slanted pen.
    case reed
  }
}

extension PKInkingTool.InkType: RawRepresentable {
  /// The kind of an identifier, `com.apple.ink.pen` for example; nil for an unknown one.
  public init?(rawValue: String) {
    let type = Strokes.PKInk.InkType(rawValue: rawValue)
    // The model also accepts short names.
    guard rawValue.contains("."), let known = Self(type) else { return nil }
    self = known
  }

  /// The identifier, as archives store it.
  public var rawValue: String { model.rawValue }
}

extension PKInkingTool.InkType {
  /// The width of a new tool, in points.
  public var defaultWidth: CGFloat { CGFloat(model.defaultWidth) }

  /// The widths that a tool can have, in points.
  public var validWidthRange: ClosedRange<CGFloat> { ClosedRange<CGFloat>(model.validWidthRange) }

  /// The oldest version of drawings that can store this ink.
  public var requiredContentVersion: PKContentVersion {
    PKContentVersion(model.requiredContentVersion)
  }

  /// The model's kind of this ink.
  var model: Strokes.PKInk.InkType {
    switch self {
    case .pen: .pen
    case .pencil: .pencil
    case .marker: .marker
    case .monoline: .monoline
    case .fountainPen: .fountainPen
    case .watercolor: .watercolor
    case .crayon: .crayon
    case .reed: .reed
    }
  }

  /// The kind for one of the model; nil for an unknown ink.
  init?(_ model: Strokes.PKInk.InkType) {
    switch model {
    case .pen: self = .pen
    case .pencil: self = .pencil
    case .marker: self = .marker
    case .monoline: self = .monoline
    case .fountainPen: self = .fountainPen
    case .watercolor: self = .watercolor
    case .crayon: self = .crayon
    case .reed: self = .reed
    case .other: return nil
    }
  }
}
