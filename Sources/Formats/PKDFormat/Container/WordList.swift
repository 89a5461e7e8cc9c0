import Graphics
import Strokes

/// The recognized words of a drawing as the payload of a chunk.
enum WordList {
  /// `number` finds the record of a stroke by its name.
  static func payload(
    of text: RecognizedText, number: (Identifier) -> Int?
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.text(text.recognizer)
    writer.text(text.version)
    writer.text(text.language)
    writer.count(text.words.count)
    for word in text.words {
      writer.text(word.text)
      writer.numbers([word.box.minX, word.box.minY, word.box.maxX, word.box.maxY])
      let records = Set(word.strokes.compactMap { number($0) }).sorted()
      writer.count(records.count)
      var next = 0
      for record in records {
        writer.count(record - next)
        next = record + 1
      }
    }
    return writer.bytes
  }

  /// Reads words; `names` contains the name of each record.
  static func read(
    _ bytes: [UInt8], in payload: Range<Int>, names: [Identifier], limits: PKDLimits
  ) throws(PKDError) -> RecognizedText {
    var reader = ByteReader(bytes, in: payload)
    var text = RecognizedText(
      recognizer: try reader.text(limit: limits.textBytes),
      version: try reader.text(limit: limits.textBytes),
      language: try reader.text(limit: limits.textBytes))
    // Each word takes at least a byte, so a damaged count cannot exceed the remaining bytes.
    for _ in 0..<(try reader.count(limit: min(limits.words, reader.remaining), .words)) {
      let word = try reader.text(limit: limits.textBytes)
      let sides = try reader.numbers(4)
      guard sides[0] <= sides[2], sides[1] <= sides[3] else {
        throw PKDError(.notCanonical, at: reader.offset)
      }
      var strokes: [Identifier] = []
      var next = 0
      for _ in 0..<(try reader.count(limit: min(names.count, reader.remaining), .strokes)) {
        next += try reader.count(limit: names.count, .strokes)
        guard next < names.count else {
          throw PKDError(.reference(.strokes, index: next, count: names.count), at: reader.offset)
        }
        strokes.append(names[next])
        next += 1
      }
      let box = Rect(
        from: Point(x: sides[0], y: sides[1]), to: Point(x: sides[2], y: sides[3]))
      text.words.append(RecognizedText.Word(word, box: box, strokes: strokes))
    }
    guard reader.remaining == 0 else {
      throw PKDError(.trailingBytes(reader.remaining), at: reader.offset)
    }
    return text
  }
}
