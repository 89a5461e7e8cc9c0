import Graphics
import Strokes
import TestSupport
import Testing

@testable import PKDFormat

struct ReplacedWordTests {
  @Test(arguments: [true, false])
  func `words that are added and deleted again leave the file as it was`(allowsPage: Bool) throws {
    var random = RandomInk(seed: 3)
    let drawing = random.drawing(strokeCount: 12...12, pointCount: 5...30)
    var options = PKDWriter.Options()
    options.allowsPage = allowsPage
    let bytes = try PKDWriter.encode(drawing, options: options)
    let words = RecognizedText(words: [
      RecognizedText.Word(
        "word", box: Rect(x: 1, y: 2, width: 3, height: 4), strokes: [drawing.strokes[3].id])
    ])
    let with = try #require(try PKDReader(bytes).replacingWords(words))
    let reader = try PKDReader(with)
    #expect(reader.isFinished && reader.wholeDamage == nil)
    #expect(try reader.readWords()?.words.map(\.text) == ["word"])
    #expect(reader.readDrawing().value == drawing)
    #expect(try PKDVerification(with).problems.isEmpty)
    #expect(try reader.replacingWords(nil) == bytes)
    #expect(try PKDReader(bytes).replacingWords(nil) == bytes)
    #expect(try reader.replacingWords(words) == with)
  }

  @Test func `a file that is not finished gets no words`() throws {
    let bytes = try PKDWriter.encode(
      RandomDrawing.one, options: .inChunks)
    let index = try #require(try PKDReader(bytes).chunks.first { $0.type == .index })
    #expect(try PKDReader(Array(bytes[..<index.offset])).replacingWords(nil) == nil)
  }

  private enum RandomDrawing {
    static var one: PKDrawing {
      var random = RandomInk(seed: 9)
      return random.drawing(strokeCount: 3...3, pointCount: 3...5)
    }
  }
}
