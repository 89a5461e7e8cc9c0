package import Graphics
import JSON
package import Strokes

/// The output of a recognizer: words in JSON, or Tesseract's `tsv` table.
///
/// Boxes are in the units of the recognizer's input: pixels of a picture, or points of ink.
package struct RecognizerOutput {
  private(set) var text = RecognizedText()

  package struct Problem: Error, CustomStringConvertible {
    package let description: String
  }

  /// `scale` and `origin` map boxes to the page: the points per unit, and the position of 0, 0.
  package init(_ bytes: [UInt8], points scale: Double, origin: Point) throws(Problem) {
    if bytes.starts(with: Self.tableStart) {
      try readTable(bytes)
    } else {
      do throws(JSONError) {
        try readJSON(bytes)
      } catch {
        throw Problem(description: "\(error)")
      }
    }
    for index in text.words.indices where !text.words[index].box.isNull {
      let box = text.words[index].box
      text.words[index].box = Rect(
        x: origin.x + box.minX * scale, y: origin.y + box.minY * scale,
        width: box.width * scale, height: box.height * scale)
    }
  }

  // MARK: - JSON

  private mutating func readJSON(_ bytes: [UInt8]) throws(JSONError) {
    var json = JSONReader(bytes)
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "recognizer": text.recognizer = try json.string()
      case "version": text.version = try json.string()
      case "language": text.language = try json.string()
      case "words":
        try json.list { (json) throws(JSONError) in text.words.append(try Self.word(&json)) }
      default: try json.skip()
      }
    }
    try json.end()
  }

  private static func word(_ json: inout JSONReader) throws(JSONError) -> RecognizedText.Word {
    var word = RecognizedText.Word("", box: .null)
    let start = json
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "text": word.text = try json.string()
      case "box":
        let sides = try json.numbers(count: 4)
        guard sides.allSatisfy({ $0.isFinite && $0.magnitude < 1e9 }), sides[2] >= 0, sides[3] >= 0
        else { throw json.error("a box is x, y, width and height, the last two not below 0,") }
        word.box = Rect(x: sides[0], y: sides[1], width: sides[2], height: sides[3])
      case "strokes":
        try json.list { (json) throws(JSONError) in
          let name = try json.string()
          guard let id = Identifier(name) else { throw json.error("'\(name)' names no stroke,") }
          word.strokes.append(id)
        }
      default: try json.skip()
      }
    }
    guard !word.text.isEmpty, !word.box.isNull || !word.strokes.isEmpty else {
      throw start.error("a word needs \"text\" and a \"box\" or \"strokes\",")
    }
    return word
  }

  // MARK: - Tesseract's table

  private static let tableStart = Array("level\tpage_num\tblock_num\t".utf8)

  private mutating func readTable(_ bytes: [UInt8]) throws(Problem) {
    let tab = UInt8(ascii: "\t")
    for (number, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated().dropFirst() {
      let fields = line.split(
        separator: tab, maxSplits: 11, omittingEmptySubsequences: false
      ).map { String(decoding: $0, as: UTF8.self) }
      // Level 5 are words; the others are their lines, paragraphs and blocks.
      guard fields.first == "5" else { continue }
      let sides = fields.dropFirst(6).prefix(4).map { Double($0) ?? .nan }
      guard fields.count == 12, sides.allSatisfy({ (0...1e9).contains($0) }) else {
        throw Problem(description: "line \(number + 1) of the table is no word")
      }
      let word = String(
        fields[11].drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
      guard !word.isEmpty else { continue }
      let box = Rect(x: sides[0], y: sides[1], width: sides[2], height: sides[3])
      text.words.append(RecognizedText.Word(word, box: box))
    }
  }
}

extension RecognizedText {
  /// The words with boxes and strokes; a recognizer may omit one of them. A stroke belongs to the
  /// word whose box contains the stroke's middle, and a box encloses the strokes. Unknown strokes
  /// are removed.
  package func completed(from drawing: PKDrawing) -> RecognizedText {
    let places = drawing.strokes.map { (id: $0.id, bounds: $0.renderBounds) }
    let bounds = Dictionary(places.map { ($0.id, $0.bounds) }, uniquingKeysWith: { $1 })
    var result = self
    result.words = words.compactMap { word in
      var word = word
      word.strokes.removeAll { bounds[$0] == nil }
      if word.box.isNull {
        word.box = word.strokes.reduce(Rect.null) { $0.union(bounds[$1] ?? .null) }
        return word.box.isNull ? nil : word
      }
      if word.strokes.isEmpty {
        word.strokes = places.filter { !$0.bounds.isNull && word.box.contains($0.bounds.center) }
          .map(\.id)
      }
      return word
    }
    return result
  }
}
