public import Strokes

extension Recording.Canvas {
  /// The paper that the recording was made on: the text `paper` of its metadata, which is the raw
  /// value. It is blank if the text is missing or unknown. Blank paper has no text.
  public var paper: RenderOptions.Paper {
    get {
      guard let text = text(named: RenderOptions.Paper.textName) else { return .blank }
      // Compared by bytes; see `Recording.CanvasText`.
      return .allCases.first { $0.rawValue.utf8.elementsEqual(text.utf8) } ?? .blank
    }
    set { setText(newValue.text, named: RenderOptions.Paper.textName) }
  }
}

extension RenderOptions.Paper {
  /// The key of the metadata's text with a recording's paper.
  package static let textName = "paper"
  /// The metadata's text of a recording on this paper; nil for blank paper.
  package var text: String? { self == .blank ? nil : rawValue }
}
