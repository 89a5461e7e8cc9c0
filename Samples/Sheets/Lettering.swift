import Graphics
import Strokes

/// Plain letters for titles, as lines between grid points.
enum Lettering {
  /// The lines of a letter, separated by commas. A grid point is x and y from the upper left:
  /// ascenders begin at 0, small letters at 2, the baseline is 6, and descenders reach 8.
  private static let letters: [Character: String] = [
    "a": "42 46,43 32 12 03 05 16 36 45", "b": "00 06,03 12 32 43 45 36 16 05",
    "c": "43 32 12 03 05 16 36 45", "d": "40 46,43 32 12 03 05 16 36 45",
    "e": "04 44 43 32 12 03 05 16 36 45", "f": "30 20 11 16,02 32",
    "g": "42 47 38 18 07,43 32 12 03 05 16 36 45", "h": "00 06,03 12 32 43 46", "i": "02 06,00",
    "j": "22 27 18 08,20", "k": "00 06,32 04,14 36", "l": "00 06",
    "m": "02 06,03 12 22 33 36,33 42 52 63 66", "n": "02 06,03 12 32 43 46",
    "o": "12 32 43 45 36 16 05 03 12", "p": "02 08,03 12 32 43 45 36 16 05",
    "q": "42 48,43 32 12 03 05 16 36 45", "r": "02 06,03 12 22 33",
    "s": "43 32 12 03 14 34 45 36 16 05", "t": "10 15 26 36,02 32", "u": "02 05 16 36 45,42 46",
    "v": "02 26 42", "w": "02 16 33 56 62", "x": "02 46,42 06", "y": "02 26,42 18 08",
    "z": "02 42 06 46", "0": "10 30 41 45 36 16 05 01 10", "1": "02 20 26",
    "3": "01 10 30 41 42 33 13,33 44 45 36 16 05", "5": "40 00 02 32 43 45 36 16 05",
    "6": "30 10 01 05 16 36 45 43 32 12 03", ".": "06", " ": "",
  ]
  /// The step of the grid in points of 1/72 inch.
  private static let unit = 1.2

  /// The strokes of a text whose upper left corner is given. Letters without a form are left out.
  static func strokes(_ text: String, at corner: Point) -> [PKStroke] {
    var strokes: [PKStroke] = []
    var left = corner.x
    for letter in text {
      let lines = (letters[letter] ?? "").split(separator: ",").map { line in
        line.split(separator: " ").map { place in
          let digits = place.compactMap(\.wholeNumberValue).map(Double.init)
          return Point(x: digits[0], y: digits[1])
        }
      }
      for line in lines {
        strokes.append(stroke(line.map { Point(x: left, y: corner.y) + $0 * unit }))
      }
      left += ((lines.joined().map(\.x).max() ?? 1) + 2) * unit
    }
    return strokes
  }

  private static func stroke(_ places: [Point]) -> PKStroke {
    let points = places.map { place in
      PKStrokePoint(
        location: place, timeOffset: 0, size: Size(width: 1.1, height: 1.1), opacity: 1, force: 1,
        azimuth: 0, altitude: .pi / 2)
    }
    // Three control points at the same position make the lines to it straight.
    let controls = points.count < 3 ? points : points.flatMap { [$0, $0, $0] }
    return PKStroke(
      ink: PKInk(.monoline, color: Color(red: 0.35, green: 0.38, blue: 0.43), widthLaw: .plain),
      path: PKStrokePath(controlPoints: controls))
  }
}
