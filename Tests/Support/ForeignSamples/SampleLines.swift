import Graphics

/// The lines of the sample drawing.
enum SampleLines {
  /// A line through knots.
  struct Line {
    let pen: SampleDrawing.Pen
    /// The pressure at both ends, and its increase in the middle.
    let from, to, swell: Double
    private let knots: [Point]

    init(_ pen: SampleDrawing.Pen, from: Double, to: Double, swell: Double, _ knots: String) {
      (self.pen, self.from, self.to, self.swell) = (pen, from, to, swell)
      self.knots = knots.split(separator: " ").map { knot in
        let numbers = knot.split(separator: ",").compactMap { Double(String($0)) }
        return Point(x: numbers[0], y: numbers[1])
      }
    }

    /// The pressure at a fraction of the line from 0 to 1.
    func pressure(at part: Double) -> Double {
      from + (to - from) * part + swell * 4 * part * (1 - part)
    }

    /// Locations on the Catmull-Rom curve through the knots.
    func places(steps: Int) -> [Point] {
      var places: [Point] = []
      for index in 0..<knots.count - 1 {
        let (b, c) = (knots[index], knots[index + 1])
        let (a, d) = (
          index > 0 ? knots[index - 1] : b, index + 2 < knots.count ? knots[index + 2] : c
        )
        for step in 0..<steps {
          let t = Double(step) / Double(steps)
          let (linear, square) = ((c - a) * t, (a * 2 - b * 5 + c * 4 - d) * (t * t))
          let cube = (b * 3 - a - c * 3 + d) * (t * t * t)
          places.append(b + (linear + square + cube) * 0.5)
        }
      }
      return places + knots.suffix(1)
    }
  }

  /// The cup, its steam and the word.
  static let all = [marked] + cup + steam + letters
  /// Only the word.
  static let word = [marked] + letters
  /// The first and the last line.
  static let mark = [marked] + letters.suffix(1)

  private static let marked = Line(
    .highlighter, from: 0.5, to: 0.5, swell: 0, "157,127 180,124 208,127 236,123")

  private static let cup = [
    Line(
      .black, from: 0.3, to: 0.25, swell: 0.15,
      "35,82 45,76 80,72 115,76 125,82 115,88 80,92 45,88 35,82"),
    Line(
      .black, from: 0.35, to: 0.3, swell: 0.35,
      "35,82 38,102 46,121 60,134 80,138 100,134 114,121 122,102 125,82"),
    Line(.black, from: 0.3, to: 0.2, swell: 0.25, "123,94 137,88 149,93 150,106 138,116 116,118"),
    Line(.black, from: 0.15, to: 0.15, swell: 0.35, "20,143 45,152 80,155 115,152 140,143"),
  ]

  private static let steam = [
    Line(.blue, from: 0.65, to: 0.1, swell: 0, "62,62 55,52 63,42 70,31 62,18"),
    Line(.blue, from: 0.65, to: 0.1, swell: 0, "94,60 87,48 96,36 104,24 95,10"),
  ]

  private static let letters = [
    Line(
      .red, from: 0.3, to: 0.25, swell: 0.2,
      """
      158,113 166,97 171,78 168,100 169,115 176,120 185,113 195,104 193,97 187,103 188,115 195,120 203,114 \
      210,101 218,100 211,98 204,106 205,117 212,119 218,109 220,99 219,113 223,120 231,114
      """),
    Line(.red, from: 0.4, to: 0.2, swell: 0.1, "159,92 169,91 183,89"),
  ]
}
