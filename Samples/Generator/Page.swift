import Graphics
import Strokes

/// A page with an artist who draws on it.
struct Page {
  private(set) var drawing = PKDrawing()
  private(set) var words: [WrittenWord] = []
  var artist: Artist

  init(seed: UInt64, begun date: Timestamp, unsteadiness: Double) {
    artist = Artist(seed: seed, begun: date, unsteadiness: unsteadiness)
  }

  /// Draws along a guide and returns the stroke.
  @discardableResult
  mutating func draw(_ guide: Guide, _ brush: Brush, _ touch: Touch = Touch()) -> PKStroke {
    let stroke = artist.stroke(along: guide, brush, touch)
    add(stroke)
    return stroke
  }

  /// Draws along each of several guides.
  mutating func draw(_ guides: [Guide], _ brush: Brush, _ touch: Touch = Touch()) {
    for guide in guides { draw(guide, brush, touch) }
  }

  /// Fills the area between two guides with a line to and fro.
  mutating func shade(
    from first: Guide, to second: Guide, turns: Int, rounded: Bool = false, ragged: Double = 0,
    _ brush: Brush
  ) {
    let zigzag = Guide(
      shadingFrom: first, to: second, turns: turns, rounded: rounded, ragged: ragged,
      using: &artist.dice)
    draw(zigzag, brush, .even)
  }

  /// Draws a dot.
  mutating func tap(_ place: Point, _ brush: Brush, pressure: Double = 0.8) {
    let touch = Touch(from: pressure, to: pressure, landing: 0, leaving: 0, tip: 1, tremor: 0)
    draw(Guide(along: [place]), brush, touch)
  }

  /// Writes a line of text; `start` is the left end of its baseline. `isPassing` marks text that
  /// will be erased.
  mutating func write(
    _ text: String, at start: Point, _ style: Penmanship, _ brush: Brush, isPassing: Bool = false
  ) {
    let written = artist.words(writing: text, at: start, style, brush)
    for word in written { word.strokes.forEach { add($0) } }
    if !isPassing { words += written }
  }

  /// Adds a finished stroke.
  mutating func add(_ stroke: PKStroke) { drawing.strokes.append(stroke) }

  /// Erases along a guide.
  mutating func erase(_ guide: Guide, _ eraser: PKEraserTool) {
    drawing.erase(along: artist.path(rubbingAlong: guide), with: eraser)
  }
}
