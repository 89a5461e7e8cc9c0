import Graphics
import Strokes

/// Someone who draws: a hand, a clock that goes on with every movement, and dice for all that is
/// never twice the same.
struct Artist {
  var dice: Dice
  var hand: Hand
  /// When the next movement begins at the earliest.
  private(set) var now: Timestamp
  private var lastPlace: Point?

  init(seed: UInt64, begun date: Timestamp, unsteadiness: Double) {
    dice = Dice(seed: seed)
    hand = Hand(unsteadiness: unsteadiness)
    now = date
  }

  /// Thinks, looks, takes up another tool.
  mutating func wait(_ seconds: Double) { now = now + seconds }

  /// The stroke along a guide; a single point is a tap.
  mutating func stroke(along guide: Guide, _ brush: Brush, _ touch: Touch) -> PKStroke {
    travel(to: guide.start)
    let stroke = hand.stroke(along: guide, with: brush, touch: touch, on: now, using: &dice)
    finish(stroke.path, at: guide.end)
    return stroke
  }

  /// The strokes that write a line, from the left end of its baseline.
  mutating func strokes(
    writing text: String, at start: Point, _ style: Penmanship, _ brush: Brush
  ) -> [PKStroke] {
    style.write(text, at: start, using: &dice).map { way in
      if way.beginsWord { wait(dice.number(in: 0.12...0.45)) }
      // A dot is set down, not drawn.
      let isDot = way.guide.length < 0.5 * style.height
      return stroke(along: way.guide, brush, isDot ? .dot : .writing)
    }
  }

  /// The way of an eraser along a guide.
  mutating func path(rubbingAlong guide: Guide) -> PKStrokePath {
    travel(to: guide.start)
    let path = hand.path(rubbingAlong: guide, on: now, using: &dice)
    finish(path, at: guide.end)
    return path
  }

  /// Moves above the page, which takes longer the further it goes.
  private mutating func travel(to place: Point) {
    guard let from = lastPlace else { return }
    wait(0.09 + from.distance(to: place) / 900 + dice.number(in: 0...0.06))
  }

  private mutating func finish(_ path: PKStrokePath, at place: Point) {
    wait(path.duration)
    lastPlace = place
  }
}
