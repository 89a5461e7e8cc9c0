import Graphics
package import JSON
public import Storage
public import Strokes

// The words of a drawing as the field `recognizedText` of its document.

extension DrawingRecord {
  /// The words that a program has recognized in the drawing; nil if none has run, or if the field
  /// is not valid.
  public var recognizedText: RecognizedText? {
    document[Self.recognizedTextField]?.mapValue.flatMap { RecognizedText($0) }
  }

  /// Whether a recognizer has run, even if it found no words.
  public var hasRecognizedText: Bool { (document[Self.recognizedTextField] ?? .null) != .null }

  /// The name of the field with the recognized words.
  static let recognizedTextField = "recognizedText"
}

extension RecognizedText {
  /// The maximum number of words in a document. Recordings may hold more.
  static let wordLimit = 2_000
  /// The maximum number of bytes of a text in a document.
  static let textByteLimit = 200
  /// The maximum number of strokes of a word that the schema allows.
  static let strokeLimit = 1_000
  /// The maximum number of strokes that the service stores for all words of a document, so that it
  /// stays well below the limit for documents. Recordings hold the other strokes.
  static let storedStrokeLimit = 5_000
  /// The range of a box's sides, in points.
  static let boxRange = -1e9...1e9

  /// The words in a field; nil if the field is not valid.
  public init?(_ fields: Fields) {
    guard let values = fields["words"]?.listValue else { return nil }
    self.init(
      recognizer: fields["recognizer"]?.textValue ?? "",
      version: fields["version"]?.textValue ?? "", language: fields["language"]?.textValue ?? "")
    words.reserveCapacity(values.count)
    for value in values {
      guard let word = Self.word(value) else { return nil }
      words.append(word)
    }
  }

  /// A word of a field; nil if it is not valid.
  static func word(_ value: FieldValue) -> Word? {
    guard let fields = value.mapValue, let text = fields["text"]?.textValue,
      let sides = fields["box"]?.listValue?.compactMap(\.numberValue), sides.count == 4
    else { return nil }
    return Word(
      text, box: Rect(x: sides[0], y: sides[1], width: sides[2], height: sides[3]),
      strokes: (fields["strokes"]?.listValue ?? []).compactMap {
        $0.textValue.flatMap { Identifier($0) }
      })
  }

  /// The words as a field, cut to its limits: long texts, words after the first 2,000, and the
  /// stroke lists of long or late words. Words whose boxes are not finite or out of range are
  /// omitted. Boxes are rounded to hundredths of a point.
  public var fields: Fields {
    var values: [FieldValue] = []
    var strokesLeft = Self.storedStrokeLimit
    for word in words where values.count < Self.wordLimit {
      let sides = [word.box.minX, word.box.minY, word.box.width, word.box.height]
      guard sides.allSatisfy(Self.boxRange.contains), sides[2] >= 0, sides[3] >= 0 else { continue }
      var strokes: FieldValue?
      if !word.strokes.isEmpty, word.strokes.count <= min(strokesLeft, Self.strokeLimit) {
        strokes = .list(word.strokes.map { .text($0.description) })
        strokesLeft -= word.strokes.count
      }
      values.append(
        .map([
          "text": .text(Self.cut(word.text)),
          "box": .list(sides.map { .number(($0 * 100).rounded() / 100) }), "strokes": strokes,
        ]))
    }
    return [
      "recognizer": .text(Self.cut(recognizer)), "version": .text(Self.cut(version)),
      "language": .text(Self.cut(language)), "words": .list(values),
    ]
  }

  /// The start of a text, up to the byte limit of a field.
  private static func cut(_ text: String) -> String {
    guard text.utf8.count > textByteLimit else { return text }
    var (result, count) = (String.UnicodeScalarView(), 0)
    for scalar in text.unicodeScalars {
      count += UTF8.width(scalar)
      if count > textByteLimit { break }
      result.append(scalar)
    }
    return String(result)
  }
}

extension JSONWriter {
  /// A word that a search has found, with its box.
  package mutating func found(_ word: RecognizedText.Word) {
    object { json in
      json.field("text", word.text)
      json.key("box")
      json.list([word.box.minX, word.box.minY, word.box.width, word.box.height])
    }
  }
}
