import Graphics
import Strokes

/// A simulated artist: a hand, a clock that advances with every movement, and dice for random
/// variation.
struct Artist {
  var dice: Dice
  var hand: Hand
  /// The earliest time of the next movement.
  private(set) var now: Timestamp
  private var lastPoint: Point?

  init(seed: UInt64, begun date: Timestamp, unsteadiness: Double) {
    dice = Dice(seed: seed)
    hand = Hand(unsteadiness: unsteadiness)
    now = date
  }

  /// Advances the clock by a pause.
  mutating func wait(_ seconds: Double) { now = now + seconds }

  /// Draws a stroke along a guide; a guide of a single point is a tap.
  mutating func stroke(along guide: Guide, _ brush: Brush, _ touch: Touch) -> PKStroke {
    travel(to: guide.start)
    let stroke = hand.stroke(along: guide, with: brush, touch: touch, on: now, using: &dice)
    finish(stroke.path, at: guide.end)
    return stroke
  }

  /// Writes a line of text; `start` is the left end of its baseline. Returns the strokes of each
  /// word.
  mutating func words(
    writing text: String, at start: Point, _ style: Penmanship, _ brush: Brush
  ) -> [WrittenWord] {
    var words: [WrittenWord] = []
    var texts = text.split(separator: " ")[...]
    for way in style.write(text, at: start, using: &dice) {
      if way.beginsWord {
        wait(dice.number(in: 0.12...0.45))
        words.append(WrittenWord(text: texts.popFirst().map(String.init) ?? ""))
      }
      // A dot is set down without a movement.
      let isDot = way.guide.length < 0.5 * style.height
      let stroke = stroke(along: way.guide, brush, isDot ? .dot : .writing)
      words[words.count - 1].strokes.append(stroke)
    }
    return words
  }

  /// The path of an eraser along a guide.
  mutating func path(rubbingAlong guide: Guide) -> PKStrokePath {
    travel(to: guide.start)
    let path = hand.path(rubbingAlong: guide, on: now, using: &dice)
    finish(path, at: guide.end)
    return path
  }

  /// Moves the pen above the page; the time depends on the distance.
  private mutating func travel(to point: Point) {
    guard let from = lastPoint else { return }
    wait(0.09 + from.distance(to: point) / 900 + dice.number(in: 0...0.06))
  }

  private mutating func finish(_ path: PKStrokePath, at point: Point) {
    wait(path.duration)
    lastPoint = point
  }
}

/// A word with the strokes that it is made of.
struct WrittenWord {
  let text: String
  var strokes: [PKStroke] = []
}

extension RecognizedText {
  /// The words in the finished drawing, without punctuation, for searching. They do not reference
  /// their strokes, because files are smaller if strokes need no identifiers.
  init(_ words: [WrittenWord], in drawing: PKDrawing) {
    self.init(recognizer: "SampleDrawings", language: "en")
    for word in words {
      let ids = Set(word.strokes.map(\.id))
      let strokes = drawing.strokes.filter { ids.contains($0.id) }
      guard let first = strokes.first else { continue }
      let box = strokes.dropFirst().reduce(first.renderBounds) { $0.union($1.renderBounds) }
      let text = word.text.filter { $0 != "," && $0 != "." }
      self.words.append(Word(text, box: box))
    }
  }
}
