public import Foundation
import Strokes

/// A tool that removes ink.
public struct PKEraserTool: PKTool, Equatable, Sendable {
  /// What an eraser takes away.
  public enum EraserType: Hashable, Sendable {
    /// Whole strokes.
    case vector
    /// The ink below it.
    case bitmap
    /// The ink below it, with a width that does not follow the zoom.
    case fixedWidthBitmap
  }

  /// What it takes away.
  public var eraserType: EraserType
  /// The diameter, in points. A new value is not moved into the range.
  public var width: CGFloat

  /// An eraser of its kind's usual width.
  public init(_ eraserType: EraserType) {
    self.init(eraserType, width: eraserType.defaultWidth)
  }

  /// An eraser with a width, which is moved into the range of its kind. One of the kind `bitmap` that is narrower
  /// than its range becomes a `fixedWidthBitmap`.
  public init(_ eraserType: EraserType, width: CGFloat) {
    let range = eraserType.validWidthRange
    let isNarrow = eraserType == .bitmap && width < range.lowerBound
    self.eraserType = isNarrow ? .fixedWidthBitmap : eraserType
    self.width = min(max(range.lowerBound, width), range.upperBound)
  }
}

extension PKEraserTool.EraserType {
  /// The usual diameter.
  public var defaultWidth: CGFloat { CGFloat(model.defaultWidth) }

  /// The diameters that an eraser can have.
  public var validWidthRange: ClosedRange<CGFloat> {
    let range = ClosedRange<CGFloat>(model.validWidthRange)
    // Below this, erasers of pixels do not go on iPads, by the reports of two authors of apps.
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
