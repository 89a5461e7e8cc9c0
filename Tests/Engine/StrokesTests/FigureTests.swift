import Glibc
import Graphics
import TestSupport
import Testing

@testable import Strokes

/// A pen stroke of points that a hand drew, without a spline's smoothing.
private func inked(_ points: [Point], transform: AffineTransform = .identity) -> PKStroke {
  let controls = points.enumerated().map { index, point in
    var control = touch(point.x, point.y, time: Double(index) / 120)
    control.size = Size(width: 3 + Double(index % 3), height: 3 + Double(index % 3))
    control.force = 0.9
    return control
  }
  return PKStroke(
    ink: PKInk(.pen), path: PKStrokePath(controlPoints: controls), transform: transform,
    randomSeed: 77, id: name(5))
}

extension RecognizedFigure {
  /// Many points along the outline.
  fileprivate var line: [Point] {
    (outline.contours.first ?? []).flatMap { curve in
      (0...40).map { curve.point(at: Double($0) / 40) }
    }
  }
}

extension PKStroke {
  /// Many points along the path, on the canvas.
  fileprivate var line: [Point] {
    let last = Int(path.parameterRange.upperBound) * 10
    return (0...last).map {
      path.interpolatedLocation(at: Double($0) / 10).applying(transform)
    }
  }
}

/// The distance of a point from an open line.
private func distance(_ point: Point, _ line: [Point]) -> Double {
  zip(line, line.dropFirst()).reduce(.infinity) { nearest, side in
    let (a, b) = side
    let square = (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y)
    let product = (point.x - a.x) * (b.x - a.x) + (point.y - a.y) * (b.y - a.y)
    let part = square > 0 ? min(max(product / square, 0), 1) : 0
    return min(
      nearest, hypot(a.x + part * (b.x - a.x) - point.x, a.y + part * (b.y - a.y) - point.y))
  }
}

/// The mean and the maximum distance of two lines, in both directions.
private func difference(_ a: [Point], _ b: [Point]) -> (mean: Double, maximum: Double) {
  let all = a.map { distance($0, b) } + b.map { distance($0, a) }
  return (all.reduce(0, +) / Double(all.count), all.reduce(0, max))
}

@Suite struct `Figures that hands draw` {
  private static let kinds = RecognizedFigure.Kind.allCases

  @Test func `nearly all figures of random hands are recognised where they were meant to be`() {
    var (right, placed) = (0, 0)
    var missed: [String] = []
    for number in 0..<600 {
      var hand = RandomHand(seed: 0xF160_0000 + UInt64(number))
      let kind = Self.kinds[number % Self.kinds.count]
      let intention = hand.intention(kind)
      let figure = recognizedFigure(of: hand.drawing(intention.line))
      if let figure, figure.kind == kind {
        right += 1
        let mean = difference(figure.line, intention.outline).mean
        if mean < 0.04 * intention.size { placed += 1 }
      } else {
        missed.append("\(kind) as \(figure.map { "\($0.kind)" } ?? "none")")
      }
    }
    #expect(right >= 588, "\(missed)")
    #expect(placed >= 588)
  }

  @Test func `hardly any word or doodle is taken for a figure`() {
    var wrong: [String] = []
    for number in 0..<2000 {
      var hand = RandomHand(seed: 0xD00D_0000 + UInt64(number))
      let name: String
      let line: [Point]
      switch number % 5 {
      case 0, 1:
        name = "word"
        let letters = hand.chance.whole(2...9)
        line = hand.word(letters: letters)
      case 2:
        name = "letter"
        line = hand.letter()
      default:
        name = RandomHand.doodleNames[number / 5 % RandomHand.doodleNames.count]
        line = hand.doodle(name)
      }
      if let figure = recognizedFigure(of: hand.drawing(line)) {
        wrong.append("\(name) as \(figure.kind)")
      }
    }
    #expect(wrong.count <= 10, "\(wrong)")
  }

  @Test(.enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
  func `squiggles, beards and brains that people drew are hardly ever taken for closed figures`()
    throws
  {
    var (all, closed) = (0, 0)
    for word in ["squiggle", "beard", "brain", "bush", "camouflage", "swan"] {
      let text = try String(
        decoding: Corpus.bytes("quickdraw-raw/\(word).ndjson"), as: UTF8.self)
      for line in text.split(separator: "\n") {
        for stroke in strokes(ofQuickDraw: line) {
          all += 1
          let kind = recognizedFigure(of: stroke)?.kind
          if let kind, kind != .line, kind != .polyline { closed += 1 }
        }
      }
    }
    #expect(all > 500)
    #expect(closed * 50 <= all, "\(closed) of \(all)")
  }

  /// The strokes of a line of Quick, Draw!: lists of x, y and times.
  private func strokes(ofQuickDraw line: Substring) -> [[Point]] {
    var lists: [[Double]] = []
    // The first bracket is that of the drawing.
    for part in line.split(separator: "[").dropFirst() {
      let numbers = part.prefix { $0 != "]" }.split(separator: ",").compactMap { Double($0) }
      if !numbers.isEmpty { lists.append(numbers) }
    }
    return stride(from: 0, to: lists.count - 2, by: 3).map { index in
      zip(lists[index], lists[index + 1]).map { Point(x: $0, y: $1) }
    }
  }

  @Test(arguments: kinds)
  func `size, rotation and direction do not matter`(_ kind: RecognizedFigure.Kind) throws {
    var hand = RandomHand(seed: 0x5EED)
    let points = hand.drawing(hand.intention(kind, size: 200).line)
    let figure = try #require(recognizedFigure(of: points))
    #expect(figure.kind == kind)
    let angles = kind == .heart ? [0.1, -0.1] : [0.5, 1, 2, 3, 4, 5]
    for angle in angles {
      for size in [0.2, 1, 14] {
        let map = AffineTransform(scale: size).rotated(by: angle)
        let other = try #require(recognizedFigure(of: points.map { $0.applying(map) }))
        #expect(other.kind == kind)
        let back = try #require(map.inverted())
        #expect(difference(other.line.map { $0.applying(back) }, figure.line).mean < 5)
      }
    }
    let backwards = try #require(recognizedFigure(of: points.reversed()))
    #expect(backwards.kind == kind)
    #expect(difference(backwards.line, figure.line).mean < 3)
  }

  @Test(arguments: kinds)
  func `the density of the samples does not matter`(_ kind: RecognizedFigure.Kind) throws {
    var hand = RandomHand(seed: 0xDE5E)
    let points = hand.drawing(hand.intention(kind, size: 300).line)
    let figure = try #require(recognizedFigure(of: points))
    #expect(figure.kind == kind)
    // The first half with ten times as many samples, some of which are equal.
    let dense = points.indices.dropLast().flatMap { index in
      (0..<(index < points.count / 2 ? 10 : 1)).map { step in
        points[index].interpolated(to: points[index + 1], at: Double(step / 2) / 5)
      }
    }
    let other = try #require(recognizedFigure(of: dense + points.suffix(1)))
    #expect(other.kind == kind)
    #expect(difference(other.line, figure.line).mean < 3)
  }

  @Test func `a line within three degrees of an axis is rotated to it, and others are not`() throws
  {
    for (degrees, isSnapped) in [(2.0, true), (-2.5, true), (92, true), (5, false), (45, false)] {
      let way = Point(x: cos(degrees * .pi / 180), y: sin(degrees * .pi / 180))
      let points = (0...50).map { Point(x: 300, y: 300) + way * (4 * Double($0)) }
      let line = try #require(recognizedFigure(of: points)).line
      let (from, to) = (try #require(line.first), try #require(line.last))
      let slant = min(abs(to.x - from.x), abs(to.y - from.y))
      #expect((slant < 1e-9) == isSnapped)
      #expect(abs(from.distance(to: to) - 200) < 1)
      #expect((from + to).distance(to: Point(x: 600, y: 600) + way * 200) < 1)
    }
  }

  @Test func `nearly square rectangles become squares, and round ellipses circles`() throws {
    func rectangle(_ width: Double, _ height: Double) -> [Point] {
      let corners = Rect(x: 10, y: 20, width: width, height: height).corners
      return (corners + [corners[0]]).adjacentPoints
    }
    let square = try #require(recognizedFigure(of: rectangle(100, 105)))
    #expect(square.kind == .rectangle)
    let box = Rect(around: square.line)
    #expect(abs(box.width - box.height) < 1e-9)
    let wide = Rect(around: try #require(recognizedFigure(of: rectangle(100, 130))).line)
    #expect(abs(wide.height - 130) < 3)
    func ellipse(_ b: Double) -> [Point] {
      (0...90).map { Point(x: 50 * cos(Double($0) * .pi / 45), y: b * sin(Double($0) * .pi / 45)) }
    }
    #expect(recognizedFigure(of: ellipse(47))?.kind == .circle)
    #expect(recognizedFigure(of: ellipse(35))?.kind == .ellipse)
  }

  @Test func `points that make up no line give no figure`() {
    let bad = [
      Point(x: Double.nan, y: 0), Point(x: 0, y: Double.infinity), Point(x: -Double.infinity, y: 1),
      Point(x: 1e300, y: -1e300), Point(x: 1e8, y: 0),
    ]
    #expect(recognizedFigure(of: []) == nil)
    #expect(recognizedFigure(of: bad) == nil)
    for point in bad + [Point(x: 3, y: 4)] {
      #expect(recognizedFigure(of: [point]) == nil)
      #expect(recognizedFigure(of: Array(repeating: point, count: 100_000)) == nil)
    }
    let huge = Double.greatestFiniteMagnitude
    #expect(recognizedFigure(of: [Point(x: -huge, y: 0), Point(x: huge, y: 1)]) == nil)
    var chance = Chance(seed: 9)
    let noise = (0..<100_000).map { _ in Point(x: chance.number(), y: chance.number()) * 500 }
    #expect(recognizedFigure(of: noise) == nil)
    #expect(recognizedFigure(of: Array(repeating: noise, count: 2).joined() + bad) == nil)
  }

  @Test func `points that are not finite are left out of a figure`() throws {
    let line = (0...20).map { Point(x: Double($0) * 10, y: 0.3 * Double($0 % 2)) }
    let bad = line.flatMap { [$0, Point(x: Double.nan, y: 1), Point(x: 2, y: Double.infinity)] }
    let clean = try #require(recognizedFigure(of: line))
    #expect(recognizedFigure(of: bad) == clean)
    #expect(clean.kind == .line)
  }

  @Test func `short random lines never trap`() {
    var chance = Chance(seed: 12)
    for _ in 0..<3000 {
      let points = (0..<chance.whole(1...12)).map { _ in
        Point(x: Double(chance.whole(0...3)) * 20, y: Double(chance.whole(0...3)) * 20)
      }
      let figure = recognizedFigure(of: points)
      #expect(figure?.outline.isFinite ?? true)
      #expect(inked(points).tidied()?.path.count ?? 2 > 1)
    }
  }
}

extension [Point] {
  /// Points that are close together along the line through these.
  fileprivate var adjacentPoints: [Point] {
    zip(self, dropFirst()).flatMap { a, b in
      (0...20).map { a.interpolated(to: b, at: Double($0) / 20) }
    }
  }
}

@Suite struct `Strokes with clean figures` {
  private static let kinds = RecognizedFigure.Kind.allCases

  @Test(arguments: kinds, [15.0, 150, 2500])
  func `the stroke follows the figure`(_ kind: RecognizedFigure.Kind, _ size: Double) throws {
    // Of some hands, to be sure that one of them draws well enough.
    let drawn = (0..<8).lazy.compactMap {
      (number: UInt64) -> (stroke: PKStroke, meant: Intention)? in
      var hand = RandomHand(seed: 0x71D7 + number)
      let meant = hand.intention(kind, size: size)
      let stroke = inked(hand.drawing(meant.line))
      return stroke.figure?.kind == kind ? (stroke, meant) : nil
    }
    let (stroke, meant) = try #require(drawn.first)
    let figure = try #require(stroke.figure)
    let clean = try #require(stroke.tidied())
    let deviation = difference(clean.line, figure.line)
    #expect(deviation.maximum < max(0.1, 0.001 * meant.size), "\(deviation)")
    #expect(clean.path.count < 500)
    // It is where it was meant to be.
    #expect(difference(clean.line, meant.outline).mean < 0.06 * meant.size)
  }

  @Test(arguments: kinds)
  func `the stroke keeps the ink, the identity and the means of the hand`(
    _ kind: RecognizedFigure.Kind
  ) throws {
    var hand = RandomHand(seed: 0x1D)
    let stroke = inked(hand.drawing(hand.intention(kind, size: 200).line))
    let clean = try #require(stroke.tidied())
    #expect(clean.id == stroke.id)
    #expect(clean.ink == stroke.ink)
    #expect(clean.randomSeed == 77)
    #expect(clean.path.creationDate == stroke.path.creationDate)
    #expect(try #require(stroke.tidied(id: name(9))).id == name(9))
    for point in clean.path {
      expectClose(point.size.width, 4, within: 0.4)
      expectClose(point.force, 0.9, within: 1e-3)
      #expect(point.size == clean.path[0].size)
    }
    let times = clean.path.map(\.timeOffset)
    #expect(times == times.sorted())
    #expect(times.first == stroke.path.first?.timeOffset)
    expectClose(clean.path.duration, stroke.path.duration, within: 1e-4)
  }

  @Test func `time runs in proportion to the length of the figure`() throws {
    var hand = RandomHand(seed: 0x7133)
    let stroke = inked(hand.drawing(hand.intention(.rectangle, size: 200).line))
    let path = try #require(stroke.tidied()).path
    let length = chordLength(of: path, from: 0, to: path.parameterRange.upperBound)
    for index in path.indices {
      let part = chordLength(of: path, from: 0, to: Double(index)) / length
      expectClose(path[index].timeOffset / path.duration, part, within: 0.005)
    }
  }

  @Test func `the corners of a rectangle are on the path`() throws {
    let corners = Rect(x: 0, y: 0, width: 200, height: 120).corners
    let stroke = inked((corners + [corners[0]]).adjacentPoints)
    let clean = try #require(stroke.tidied())
    for corner in corners {
      let nearest = clean.line.map { $0.distance(to: corner) }.min() ?? .infinity
      #expect(nearest < 0.5)
    }
  }

  @Test func `a figure is recognised on the canvas and written in the stroke's coordinates`() throws
  {
    // A circle on the canvas is an ellipse before this transform.
    let map = AffineTransform(a: 2, b: 0.3, c: -0.4, d: 0.7, tx: 50, ty: -20)
    let back = try #require(map.inverted())
    let circle = (0...90).map {
      Point(x: 300 + 80 * cos(Double($0) * .pi / 45), y: 200 + 80 * sin(Double($0) * .pi / 45))
    }
    let stroke = inked(circle.map { $0.applying(back) }, transform: map)
    #expect(stroke.figure?.kind == .circle)
    let clean = try #require(stroke.tidied())
    #expect(clean.transform == map)
    for point in clean.line {
      expectClose(point.distance(to: Point(x: 300, y: 200)), 80, within: 1)
    }
  }

  @Test func `a stroke of which a part is hidden, or that has no area, gives no figure`() {
    let line = (0...40).map { Point(x: 5 * Double($0), y: 0) }
    #expect(inked(line).tidied() != nil)
    #expect(inked(line).substroke(range: 0...20).tidied() == nil)
    var masked = inked(line)
    masked.mask = Path(Rect(x: 0, y: -5, width: 50, height: 10))
    #expect(masked.tidied() == nil)
    let flat = AffineTransform(a: 1, b: 0, c: 0, d: 0, tx: 0, ty: 0)
    #expect(inked(line, transform: flat).tidied() == nil)
    #expect(inked([]).tidied() == nil)
  }
}
