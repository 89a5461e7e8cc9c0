/// A tool that removes ink.
public struct PKEraserTool: Hashable, Sendable {
  /// What an eraser takes away.
  public enum EraserType: String, Hashable, Sendable, CaseIterable {
    /// Every stroke that it touches, whole.
    case vector
    /// The ink below it.
    case bitmap
    /// The ink below it, at a width that does not follow the zoom of the canvas.
    case fixedWidthBitmap
  }

  /// What this eraser takes away.
  public var eraserType: EraserType
  /// The diameter, in points.
  public var width: Double

  /// An eraser; without a width the default of its kind is taken.
  public init(_ eraserType: EraserType, width: Double? = nil) {
    self.eraserType = eraserType
    let range = eraserType.validWidthRange
    self.width = min(max(range.lowerBound, width ?? eraserType.defaultWidth), range.upperBound)
  }
}

extension PKEraserTool.EraserType {
  /// The diameters that the eraser can be set to, in points.
  public var validWidthRange: ClosedRange<Double> { 0.5...500 }

  /// The diameter a new eraser has, in points. A vector eraser is as fine as a fingertip's aim.
  public var defaultWidth: Double { self == .vector ? 4 : 20 }
}

/// What the hand holds.
public enum PKTool: Hashable, Sendable {
  /// A tool that draws.
  case inking(PKInkingTool)
  /// A tool that removes ink.
  case eraser(PKEraserTool)
  /// The tool that selects strokes to move them.
  case lasso
}
