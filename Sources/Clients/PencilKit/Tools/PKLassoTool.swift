/// The tool that selects strokes.
public struct PKLassoTool: PKTool, Equatable, Sendable {
  /// The tool, of which there is one kind only.
  public init() {}
}
