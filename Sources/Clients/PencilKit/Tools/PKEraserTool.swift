public import Foundation
import Strokes

/// A tool that removes ink.
public struct PKEraserTool: PKTool, Equatable, Sendable {
  /// The kinds of erasers.
  public enum EraserType: Hashable, Sendable {
    /// Whole strokes.
    case vector
    /// The ink under the eraser.
    case bitmap
    /// The ink under the eraser, with a width that does not depend on the zoom.
    case fixedWidthBitmap
  }

  /// The kind of eraser.
  public var eraserType: EraserType
  /// The diameter, in points. A new value is not clamped to the range.
  public var width: CGFloat

  /// An eraser with the default width of its kind.
  public init(_ eraserType: EraserType) {
    self.init(eraserType, width: eraserType.defaultWidth)
  }

  /// An eraser with a width, which is clamped to the range of its kind. One of the kind `bitmap`
  /// that is narrower than its range becomes a `fixedWidthBitmap`.
  public init(_ eraserType: EraserType, width: CGFloat) {
    let range = eraserType.validWidthRange
    let isNarrow = eraserType == .bitmap && width < range.lowerBound
    self.eraserType = isNarrow ? .fixedWidthBitmap : eraserType
    self.width = min(max(range.lowerBound, width), range.upperBound)
  }
}

extension PKEraserTool.EraserType {
  /// The default diameter.
  public var defaultWidth: CGFloat { CGFloat(model.defaultWidth) }

  /// The diameters that an eraser can have.
  public var validWidthRange: ClosedRange<CGFloat> {
    let range = ClosedRange<CGFloat>(model.validWidthRange)
    // The minimum width of pixel erasers on iPads, as two authors of apps report.
    return self == .vector ? range : 16.4...range.upperBound
  }

  private var model: Strokes.PKEraserTool.EraserType {
    switch self {
    case .vector: .vector
    case .bitmap: .bitmap
    case .fixedWidthBitmap: .fixedWidthBitmap
    }
  }
}
