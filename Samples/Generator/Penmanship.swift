import Graphics

/// A handwriting: the size and slant of its letters, and their variation.
struct Penmanship {
  /// The height of small letters, in points.
  var height = 14.0
  /// The slant of letters: points to the right for each point of height.
  var slant = 0.24
  /// The space between words, in units of the letterforms.
  var wordSpace = 8.5
  /// The random variation of letters, in units of the letterforms.
  var variety = 0.35
  /// The maximum deviation of the baseline, in points.
  var baselineWobble = 1.1

  /// One path of the pen, without lifting it.
  struct Way {
    var guide: Guide
    /// Whether a new word begins here, which a short pause precedes.
    var beginsWord = false
  }

  /// The paths of the pen for a line of text; `start` is the left end of its baseline.
  func write(_ text: String, at start: Point, using dice: inout Dice) -> [Way] {
    let baseline = Drift(period: 90, using: &dice)
    var ways: [Way] = []
    var x = 0.0
    for word in text.split(separator: " ") {
      var line = WordLine(origin: x)
      for character in word {
        guard let form = Letterform.form(of: character) else {
          preconditionFailure("there is no letterform for \(character)")
        }
        line.append(form, variety: variety, using: &dice)
      }
      x = line.end + wordSpace + dice.wobble(1)
      ways += line.ways.enumerated().map { index, knots in
        Way(guide: place(knots, at: start, baseline: baseline), beginsWord: index == 0)
      }
    }
    return ways
  }

  /// The width of a line in points, without the random variation of spaces.
  func width(of text: String) -> Double {
    text.reduce(0) { width, character in
      width + (Letterform.form(of: character)?.width ?? wordSpace) * height / 10
    }
  }

  /// Converts knots of letterforms to the page: slanted, y downwards, on a wavy baseline.
  private func place(_ knots: [Guide.Knot], at start: Point, baseline: Drift) -> Guide {
    let unit = height / 10
    return Guide(
      through: knots.map { knot in
        let x = (knot.point.x + knot.point.y * slant) * unit
        let lift = baselineWobble * baseline[x]
        return Guide.Knot(
          start + Point(x: x, y: -knot.point.y * unit - lift), isCorner: knot.isCorner)
      })
  }
}

/// A word while its letters are joined: the paths of the pen, in units of the letterforms.
private struct WordLine {
  /// The x coordinate at which the next letter begins.
  private(set) var end: Double
  private var written: [[Guide.Knot]] = []
  private var additions: [[Guide.Knot]] = []
  private var isJoining = false

  init(origin: Double) { end = origin }

  var ways: [[Guide.Knot]] { written + additions }

  mutating func append(_ form: Letterform, variety: Double, using dice: inout Dice) {
    // Each letter gets its own size and position, and each of its points a smaller deviation.
    let shape = Shape(
      origin: end + dice.wobble(variety * 0.6), width: 1 + dice.wobble(variety * 0.12),
      height: 1 + dice.wobble(variety * 0.14))
    func placed(_ knots: [Guide.Knot]) -> [Guide.Knot] {
      knots.map { knot in
        let slip = Point(x: dice.wobble(variety * 0.5), y: dice.wobble(variety * 0.5))
        return Guide.Knot(shape.place(knot.point) + slip, isCorner: knot.isCorner)
      }
    }
    if isJoining, form.isJoinedBefore, let last = written.indices.last {
      written[last] += placed(form.body)
    } else {
      written.append(placed(form.leadIn + form.body))
    }
    additions += form.additions.map(placed)
    isJoining = form.isJoinedAfter
    end += form.width * shape.width
  }

  private struct Shape {
    var origin: Double
    var width: Double
    var height: Double

    func place(_ point: Point) -> Point {
      Point(x: origin + point.x * width, y: point.y * height)
    }
  }
}
