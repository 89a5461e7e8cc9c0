/// The tool that selects strokes.
public struct PKLassoTool: PKTool, Equatable, Sendable {
  /// The tool, which has no options.
  public init() {}
}
