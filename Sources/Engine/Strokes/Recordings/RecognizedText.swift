public import Graphics

/// The words that a program has recognized in a drawing.
///
/// Texts are compared by their bytes, as files hold them: other comparisons need Unicode's tables,
/// which web pages would have to load.
public struct RecognizedText: Hashable, Sendable {
  /// The name of the program that recognized the words.
  public var recognizer: String
  /// Its version.
  public var version: String
  /// The language that it expected, such as `en` or `zh-TW`; empty if that is unknown.
  public var language: String
  /// The words, in the order of reading.
  public var words: [Word]

  /// A word, or another piece of text.
  public struct Word: Hashable, Sendable {
    /// Its letters.
    public var text: String
    /// The part of the canvas that it takes, in points.
    public var box: Rect
    /// The strokes that it is made of; none if that is unknown.
    public var strokes: [Identifier]

    /// A word with its place.
    public init(_ text: String, box: Rect, strokes: [Identifier] = []) {
      (self.text, self.box, self.strokes) = (text, box, strokes)
    }
  }

  /// Words that a program recognized.
  public init(
    recognizer: String = "", version: String = "", language: String = "", words: [Word] = []
  ) {
    (self.recognizer, self.version, self.language) = (recognizer, version, language)
    self.words = words
  }

  /// All words, with spaces between them.
  public var text: String { words.map { $0.text }.joined(separator: " ") }

  /// Whether both have the same bytes.
  public static func == (a: Self, b: Self) -> Bool {
    a.recognizer.utf8.elementsEqual(b.recognizer.utf8)
      && a.version.utf8.elementsEqual(b.version.utf8)
      && a.language.utf8.elementsEqual(b.language.utf8) && a.words == b.words
  }

  /// Hashes a part that equal values share.
  public func hash(into hasher: inout Hasher) { hasher.combine(words) }
}

extension RecognizedText.Word {
  /// Whether both have the same bytes.
  public static func == (a: Self, b: Self) -> Bool {
    a.text.utf8.elementsEqual(b.text.utf8) && a.box == b.box && a.strokes == b.strokes
  }

  /// Hashes a part that equal values share.
  public func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(strokes)
  }
}

extension RecognizedText {
  /// The same words, without references to strokes that are not in `strokes`. Words whose known
  /// strokes are all missing are left out, as they are no longer in the drawing.
  package func limited(to strokes: Set<Identifier>) -> Self {
    var result = self
    result.words = words.compactMap { word in
      var left = word
      left.strokes.removeAll { !strokes.contains($0) }
      return left.strokes.isEmpty && !word.strokes.isEmpty ? nil : left
    }
    return result
  }
}
