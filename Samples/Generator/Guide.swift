import Graphics

/// A line for the hand to follow: points along a curve, close together.
struct Guide {
  /// The points, about `spacing` apart.
  private(set) var points: [Point]

  /// The distance between points, small enough for letters of a few points' height.
  static let spacing = 0.5

  /// A guide along a polyline that is already smooth.
  init(along polyline: [Point]) { points = Self.resampled(polyline) }

  /// A smooth curve through knots, some of which are corners.
  init(through knots: [Knot]) {
    var polyline: [Point] = []
    var run: [Point] = []
    for knot in knots {
      run.append(knot.point)
      if knot.isCorner {
        polyline += Self.smoothed(run)
        run = [knot.point]
      }
    }
    polyline += Self.smoothed(run)
    self.init(along: polyline)
  }

  /// A part of an ellipse; angles are in turns, clockwise from the right as seen on the page.
  init(arcAround center: Point, _ rx: Double, _ ry: Double, from start: Double, to end: Double) {
    let count = max(Int(abs(end - start) * (rx + ry) * 4), 8)
    self.init(
      along: (0...count).map { index in
        let turns = start + (end - start) * Double(index) / Double(count)
        return Point(x: center.x + rx * cosine(turns), y: center.y + ry * sine(turns))
      })
  }

  /// Shading: a line to and fro between two others. Its turns are sharp or curved, and up to
  /// `ragged` points before or beyond the two lines.
  init(
    shadingFrom first: Guide, to second: Guide, turns: Int, rounded: Bool = false,
    ragged: Double = 0, using dice: inout Dice
  ) {
    let knots = (0...turns * 2).map { index in
      let slack = index == 0 || index == turns * 2 ? 0 : dice.wobble(0.3)
      let part = (Double(index) + slack) / Double(turns * 2)
      let (side, other) = index % 2 == 0 ? (first, second) : (second, first)
      let outwards = (side.point(at: part) - other.point(at: part)).normalized ?? .zero
      return Knot(side.point(at: part) + outwards * dice.wobble(ragged), isCorner: !rounded)
    }
    self.init(through: knots)
  }

  /// One point through which the guide passes.
  struct Knot {
    var point: Point
    var isCorner = false

    init(_ point: Point, isCorner: Bool = false) {
      self.point = point
      self.isCorner = isCorner
    }

    /// Reads `10,20` or, for a corner, `10,20!`.
    init(_ text: String) {
      let numbers = text.split { $0 == "," || $0 == "!" }.compactMap { Double($0) }
      precondition(numbers.count == 2, "\(text) is no point of a guide")
      self.init(Point(x: numbers[0], y: numbers[1]), isCorner: text.hasSuffix("!"))
    }
  }
}

extension Guide: ExpressibleByStringLiteral {
  /// A guide through the points of a text such as `"10,20 30,25! 40,20"`: a smooth curve, with a
  /// corner at every point that is followed by an exclamation mark.
  init(stringLiteral text: String) {
    self.init(through: Self.words(of: text).map { Knot($0) })
  }

  /// The words of a text, one for each point.
  static func words(of text: some StringProtocol) -> [String] {
    text.split { $0 == " " || $0 == "\n" }.map { String($0) }
  }
}

extension Guide {
  var start: Point { points.first ?? .zero }
  var end: Point { points.last ?? .zero }
  var length: Double { Double(max(points.count - 1, 0)) * Self.spacing }

  /// The point at a fraction of the guide's length.
  func point(at part: Double) -> Point {
    let place = min(max(part, 0), 1) * Double(points.count - 1)
    let index = min(Int(place), max(points.count - 2, 0))
    guard index + 1 < points.count else { return start }
    return points[index].interpolated(to: points[index + 1], at: place - Double(index))
  }

  /// A part of the guide.
  func part(from start: Double, to end: Double) -> Guide {
    let last = Double(points.count - 1)
    return Guide(along: Array(points[Int(start * last)...Int(end * last)]))
  }

  func applying(_ transform: AffineTransform) -> Guide {
    Guide(along: points.map { $0.applying(transform) })
  }

  func moved(x: Double, y: Double) -> Guide {
    applying(AffineTransform(translationX: x, y: y))
  }

  /// The guide scaled and rotated around its origin, which is then moved to a point.
  func placed(at place: Point, scale: Double = 1, turned turns: Double = 0) -> Guide {
    applying(
      AffineTransform(scale: scale).concatenating(rotation(turns))
        .concatenating(AffineTransform(translationX: place.x, y: place.y)))
  }
}

// MARK: - Curves

extension Guide {
  /// A centripetal Catmull-Rom spline through the points, which neither loops nor overshoots
  /// between unevenly spaced points.
  private static func smoothed(_ points: [Point]) -> [Point] {
    guard points.count > 2, let first = points.first, let last = points.last else { return points }
    let outer = [first * 2 - points[1]] + points + [last * 2 - points[points.count - 2]]
    var result = [first]
    for index in 1..<points.count {
      let window = Array(outer[(index - 1)...(index + 2)])
      let count = max(Int(window[1].distance(to: window[2]) / spacing), 2)
      result += (1...count).map { catmullRom(window, at: Double($0) / Double(count)) }
    }
    return result
  }

  /// The point between the middle two of four points, by Barry and Goldman's pyramid.
  private static func catmullRom(_ p: [Point], at part: Double) -> Point {
    var knots = [0.0]
    for index in 1...3 {
      knots.append(knots[index - 1] + max(p[index].distance(to: p[index - 1]), 1e-6).squareRoot())
    }
    let t = knots[1] + (knots[2] - knots[1]) * part
    var row = p
    for level in 1...3 {
      row = (0..<(4 - level)).map { index in
        // The last level interpolates over the middle interval only.
        let (low, high) =
          level == 3 ? (knots[1], knots[2]) : (knots[index], knots[index + level])
        return row[index].interpolated(to: row[index + 1], at: (t - low) / (high - low))
      }
    }
    return row[0]
  }

  /// The polyline resampled at even distances.
  private static func resampled(_ polyline: [Point]) -> [Point] {
    guard let first = polyline.first else { return [] }
    var result = [first]
    var behind = 0.0
    for (a, b) in zip(polyline, polyline.dropFirst()) {
      let length = a.distance(to: b)
      var next = spacing - behind
      while next <= length {
        result.append(a.interpolated(to: b, at: next / length))
        next += spacing
      }
      behind = length - (next - spacing)
    }
    return result
  }
}
