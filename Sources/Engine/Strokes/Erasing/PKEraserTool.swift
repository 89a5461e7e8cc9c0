/// A tool that removes ink.
public struct PKEraserTool: Hashable, Sendable {
  /// The kinds of erasers.
  public enum EraserType: String, Hashable, Sendable, CaseIterable {
    /// Deletes every stroke that it touches, as a whole.
    case vector
    /// Erases the ink below it.
    case bitmap
    /// Erases the ink below it, with a width that does not follow the zoom of the canvas.
    case fixedWidthBitmap
  }

  /// The kind of eraser.
  public var eraserType: EraserType
  /// The diameter, in points.
  public var width: Double

  /// An eraser. The width is clamped to the valid range; nil is the kind's default.
  public init(_ eraserType: EraserType, width: Double? = nil) {
    self.eraserType = eraserType
    let range = eraserType.validWidthRange
    self.width = min(max(range.lowerBound, width ?? eraserType.defaultWidth), range.upperBound)
  }
}

extension PKEraserTool.EraserType {
  /// The diameters that the eraser can be set to, in points.
  public var validWidthRange: ClosedRange<Double> { 0.5...500 }

  /// The diameter of a new eraser, in points. A vector eraser's is as fine as a fingertip can aim.
  public var defaultWidth: Double { self == .vector ? 4 : 20 }
}

/// A tool to draw, erase or select with.
public enum PKTool: Hashable, Sendable {
  /// A tool that draws.
  case inking(PKInkingTool)
  /// A tool that removes ink.
  case eraser(PKEraserTool)
  /// The tool that selects strokes to move them.
  case lasso
}
