import Glibc
import Graphics
import TestSupport

@testable import Strokes

/// The figure or the doodle that a hand means to draw, as a dense line on the page.
struct Intention {
  var kind: RecognizedFigure.Kind?
  var line: [Point]
  /// The outline without gap and overshoot, to compare results with.
  var outline: [Point]

  var size: Double {
    let box = Rect(around: outline)
    return Point(x: box.width, y: box.height).length
  }
}

/// A hand that draws figures, words and doodles with the faults of hands: it drifts, trembles,
/// rounds corners, misses them, changes its speed, leaves gaps or overshoots, and holds still at
/// the end. It shares no code with the recognition.
struct RandomHand {
  var chance: Chance

  init(seed: UInt64) { chance = Chance(seed: seed) }

  /// A number around 0 with a standard deviation of 1.
  mutating func bell() -> Double { (0..<12).reduce(-6) { sum, _ in sum + chance.number() } }

  /// A size in points, so that small and large ones are equally likely.
  mutating func size(_ range: ClosedRange<Double>) -> Double {
    exp(chance.number(log(range.lowerBound)...log(range.upperBound)))
  }

  /// The points that a pen reports while the hand draws a line.
  mutating func drawing(_ line: [Point], holds: Bool = true) -> [Point] {
    let box = Rect(around: line)
    let size = max(box.width, box.height)
    let lengths = Self.lengths(of: line)
    let total = max(lengths.last ?? 0, 1e-9)
    // A hand needs longer for large figures, but not in proportion, and longer at corners.
    let speed = chance.number(0.8...2.2) * pow(size / 100, 0.35)
    let corners = Self.corners(of: line).map { lengths[$0] }
    let duration = (0.25 * total / max(size, 1) + 0.12 * Double(corners.count)) * speed + 0.15
    let steps = max(Int(duration * 1000), 60)
    let wave = (chance.number(0...0.5), chance.number(1...5), chance.number(0...6))
    // Hands slow down at corners.
    let slow = chance.number(0.15...0.6)
    let near = 0.12 * size
    var places = Self.places(on: line, lengths, total: total, steps: steps) { way in
      let distance = corners.reduce(near) { min($0, abs($1 - way)) }
      return (1 + wave.0 * sin(wave.1 * 6.28 * way / total + wave.2))
        * (slow + (1 - slow) * distance / near)
    }
    places = Self.smoothed(places, reach: chance.number(6...22))
    let drift = (0..<4).map { _ in
      (
        chance.number(0.002...0.008) * size, chance.number(0.4...2.4), chance.number(0...6.28),
        chance.number(0...6.28)
      )
    }
    let tremor = chance.number(0.05...0.25) + chance.number(0.0003...0.0015) * size
    let hertz = chance.number(7...12)
    let noise = chance.number(0.02...0.12)
    let rate: Double = chance.pick([60, 100, 120, 240]) ?? 120
    let hold = holds ? Int(chance.number(200...600)) : 0
    var result: [Point] = []
    var time = chance.number(0...1000 / rate)
    while time < Double(steps + hold) {
      let index = min(Int(time), steps - 1)
      var place = places[index]
      let part = Double(index) / Double(steps)
      for (amount, waves, phase, angle) in drift {
        let shift = amount * sin(waves * 6.28 * part + phase)
        place += Point(x: cos(angle) * shift, y: sin(angle) * shift)
      }
      let shake = tremor * (Int(time) < steps ? 1 : 0.5)
      place += Point(
        x: shake * sin(hertz * 6.28e-3 * time) + noise * bell(),
        y: shake * cos(hertz * 5.3e-3 * time + 1) + noise * bell())
      result.append(place)
      time += 1000 / rate * chance.number(0.9...1.1)
    }
    return result
  }

  private static func lengths(of line: [Point]) -> [Double] {
    var sum = 0.0
    return [0]
      + zip(line, line.dropFirst()).map {
        sum += hypot($1.x - $0.x, $1.y - $0.y); return sum
      }
  }

  /// The indices of the corners of an open line.
  private static func corners(of line: [Point]) -> [Int] {
    line.indices.dropFirst().dropLast().filter { index in
      let (a, b, c) = (line[index - 1], line[index], line[index + 1])
      let turn = atan2(c.y - b.y, c.x - b.x) - atan2(b.y - a.y, b.x - a.x)
      return abs(remainder(turn, 2 * .pi)) > 0.35
    }
  }

  /// A place for each millisecond, with a speed that depends on the way so far.
  private static func places(
    on line: [Point], _ lengths: [Double], total: Double, steps: Int,
    speed: (Double) -> Double
  ) -> [Point] {
    // The time at each of many ways.
    let parts = 1000
    var times = [0.0]
    for part in 0..<parts {
      times.append(times[part] + 1 / speed(total * (Double(part) + 0.5) / Double(parts)))
    }
    var (index, part) = (0, 0)
    return (0..<steps).map { step in
      let time = times[parts] * Double(step) / Double(steps - 1)
      while part + 1 < parts, times[part + 1] < time { part += 1 }
      let rest = (time - times[part]) / (times[part + 1] - times[part])
      let way = total * (Double(part) + rest) / Double(parts)
      while index + 2 < lengths.count, lengths[index + 1] < way { index += 1 }
      let length = lengths[index + 1] - lengths[index]
      let share = length > 0 ? min(max((way - lengths[index]) / length, 0), 1) : 0
      let (a, b) = (line[index], line[index + 1])
      return Point(x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share)
    }
  }

  /// Means over some milliseconds, twice: a hand has mass.
  private static func smoothed(_ places: [Point], reach: Double) -> [Point] {
    var result = places
    for _ in 0..<2 {
      let old = result
      let window = min(Int(reach), old.count / 8)
      for index in old.indices {
        let reach = min(window, index, old.count - 1 - index)
        var sum = Point.zero
        for other in index - reach...index + reach { sum += old[other] }
        result[index] = sum / Double(2 * reach + 1)
      }
    }
    return result
  }
}

// MARK: Figures

extension RandomHand {
  /// A figure of a kind that a hand means to draw, somewhere on the page.
  mutating func intention(
    _ kind: RecognizedFigure.Kind, size: Double? = nil
  ) -> Intention {
    var (upright, corners) = (false, 2)
    var ring: [Point] = []
    var open: [Point] = []
    switch kind {
    case .line: open = [Point(x: -0.5, y: 0), Point(x: 0.5, y: 0)]
    case .polyline:
      corners = chance.whole(2...8)
      open = polyline(corners: corners)
    case .arrow: open = arrow()
    case .circle: ring = Self.ring(1, 1)
    case .ellipse: ring = Self.ring(1, 1 / chance.number(1.3...3.5))
    case .rectangle:
      let aspect = chance.isLucky(0.4) ? 1 : chance.number(1.25...4)
      ring = Self.polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)]).map {
        Point(x: $0.x, y: $0.y / aspect)
      }
    case .triangle: ring = triangle()
    case .star: ring = chance.isLucky(0.5) ? pentagram() : starOutline()
    case .heart:
      upright = true
      ring = heart()
    }
    let angle =
      upright
      ? chance.number(-0.5...0.5)
      : chance.isLucky(0.3)
        ? Double(chance.whole(0...3)) * .pi / 2 + chance.number(-0.03...0.03)
        : chance.number(0...6.28)
    let center = Point(x: chance.number(100...900), y: chance.number(100...900))
    let box = Rect(around: ring + open)
    // Nobody draws nine sides within 15 points.
    let smallest = 15 + 4 * Double(corners - 2)
    let scale = (size ?? self.size(smallest...3000)) / max(box.width, box.height)
    // Hands do not draw quite what they mean.
    let (stretch, shear) = (chance.number(0.96...1.04), chance.number(-0.03...0.03))
    func place(_ point: Point) -> Point {
      let (x, y) = (scale * (point.x + shear * point.y), scale * point.y * stretch)
      return Point(
        x: center.x + x * cos(angle) - y * sin(angle),
        y: center.y + x * sin(angle) + y * cos(angle))
    }
    if !open.isEmpty {
      if chance.isLucky(0.5) { open.reverse() }
      let line = open.map(place)
      return Intention(kind: kind, line: line, outline: line)
    }
    var line = ring
    let count = ring.count
    if chance.isLucky(0.5) { line.reverse() }
    let starts = Self.ringCorners(of: line)
    // Most start at a corner, if there is one.
    var first = chance.whole(0...count - 1)
    if let corner = chance.pick(starts), chance.isLucky(0.6) {
      first = corner
    }
    line = Array(line[first...] + line[..<first])
    let outline = (line + [line[0]]).map(place)
    // A gap, or an overshoot.
    let rest = Int(chance.number(-0.04...0.04) * Double(count))
    line = rest < 0 ? Array(line.dropLast(-rest)) : line + line.prefix(rest + 1)
    return Intention(kind: kind, line: line.map(place), outline: outline)
  }

  /// The corners of a closed line that is dense.
  private static func ringCorners(of ring: [Point]) -> [Int] {
    ring.indices.filter { index in
      let (a, b, c) = (
        ring[(index + ring.count - 1) % ring.count], ring[index], ring[(index + 1) % ring.count]
      )
      let turn = atan2(c.y - b.y, c.x - b.x) - atan2(b.y - a.y, b.x - a.x)
      return abs(remainder(turn, 2 * .pi)) > 0.4
    }
  }

  private static func ring(_ a: Double, _ b: Double) -> [Point] {
    (0..<200).map { step in
      Point(x: a * cos(Double(step) * .pi / 100), y: b * sin(Double(step) * .pi / 100))
    }
  }

  /// A dense closed line through corners.
  private static func polygon(_ corners: [(Double, Double)]) -> [Point] {
    corners.indices.flatMap { index in
      let (a, b) = (corners[index], corners[(index + 1) % corners.count])
      return (0..<40).map { step in
        let part = Double(step) / 40
        return Point(x: a.0 + (b.0 - a.0) * part, y: a.1 + (b.1 - a.1) * part)
      }
    }
  }

  private mutating func missed(_ corners: [(Double, Double)], by share: Double) -> [Point] {
    Self.polygon(corners.map { ($0.0 + share * bell(), $0.1 + share * bell()) })
  }

  private mutating func triangle() -> [Point] {
    while true {
      let corners = (0..<3).map { _ in (chance.number(-1...1), chance.number(-1...1)) }
      let angles = (0..<3).map { index in
        let (a, b, c) = (corners[index], corners[(index + 1) % 3], corners[(index + 2) % 3])
        let turn = atan2(c.1 - a.1, c.0 - a.0) - atan2(b.1 - a.1, b.0 - a.0)
        return abs(remainder(turn, 2 * .pi))
      }
      if angles.allSatisfy({ $0 > 0.45 && $0 < 2.0 }) { return Self.polygon(corners) }
    }
  }

  private mutating func pentagram() -> [Point] {
    missed(
      (0..<5).map { (sin(Double($0) * 0.8 * .pi), -cos(Double($0) * 0.8 * .pi)) }, by: 0.03)
  }

  private mutating func starOutline() -> [Point] {
    let depth = chance.number(0.34...0.52)
    return missed(
      (0..<10).map {
        let radius = $0 % 2 == 0 ? 1 : depth
        return (radius * sin(Double($0) * 0.2 * .pi), -radius * cos(Double($0) * 0.2 * .pi))
      }, by: 0.025)
  }

  /// A heart of a well-known curve, or of two arcs and two lines.
  private mutating func heart() -> [Point] {
    let aspect = chance.number(0.85...1.15)
    if chance.isLucky(0.5) {
      return (0..<200).map { step in
        let t = Double(step) * .pi / 100
        let y = 13 * cos(t) - 5 * cos(2 * t) - 2 * cos(3 * t) - cos(4 * t)
        return Point(x: 16 * pow(sin(t), 3) * aspect, y: -y)
      }
    }
    // Arcs around (±m, 0) up to the lines from the tip that touch them.
    let (m, tip) = (chance.number(0.8...0.9), chance.number(1.7...2.2))
    let reach = hypot(m, tip)
    let touch = atan2(tip, -m) - acos(1 / reach)
    let notch = acos(-m)
    var right: [Point] = []
    for step in 0...60 {
      let angle = -notch + (notch + touch) * Double(step) / 60
      right.append(Point(x: m + cos(angle), y: sin(angle)))
    }
    let last = right[60]
    for step in 1...40 {
      let part = Double(step) / 40
      right.append(Point(x: last.x * (1 - part), y: last.y + (tip - last.y) * part))
    }
    let left = right.dropFirst().dropLast().reversed().map { Point(x: -$0.x, y: $0.y) }
    return (right + left).map { Point(x: $0.x * aspect, y: $0.y) }
  }

  private mutating func polyline(corners: Int) -> [Point] {
    search: while true {
      var line = [Point.zero]
      var heading = chance.number(0...6.28)
      for side in 0...corners {
        if side > 0 {
          heading += chance.number(0.75...2.3) * (chance.isLucky(0.5) ? 1 : -1)
        }
        let length = chance.number(0.5...1.5)
        guard let last = line.last else { break }
        line.append(Point(x: last.x + length * cos(heading), y: last.y + length * sin(heading)))
      }
      let box = Rect(around: line)
      let diagonal = hypot(box.width, box.height)
      guard let first = line.first, let last = line.last,
        hypot(last.x - first.x, last.y - first.y) > 0.25 * diagonal
      else { continue }
      // Sides that come close to each other are no clear figure.
      for a in 0..<line.count - 1 {
        for b in stride(from: a + 2, to: line.count - 1, by: 1) {
          for step in 0...10 {
            for other in 0...10 {
              let p = line[a].interpolated(to: line[a + 1], at: Double(step) / 10)
              let q = line[b].interpolated(to: line[b + 1], at: Double(other) / 10)
              if hypot(p.x - q.x, p.y - q.y) < 0.08 * diagonal { continue search }
            }
          }
        }
      }
      return line
    }
  }

  private mutating func arrow() -> [Point] {
    let reach = chance.number(0.14...0.4)
    let spread = chance.number(0.38...0.9)
    func barb(_ sign: Double, _ factor: Double, _ turn: Double) -> Point {
      Point(
        x: 1 - factor * reach * cos(spread + turn), y: sign * factor * reach * sin(spread + turn))
    }
    let a = barb(1, chance.number(0.88...1.12), chance.number(-0.08...0.08))
    let b = barb(-1, chance.number(0.88...1.12), chance.number(-0.08...0.08))
    let tip = Point(x: 1, y: 0)
    let back = Point(x: 1 + 0.03 * bell() * reach * 4, y: 0.03 * bell() * reach * 4)
    if chance.isLucky(0.25) {
      return [.zero, tip, Point(x: 1 - reach * 0.9, y: 0), a, back, b]
    }
    return [.zero, tip, a, back, b]
  }
}

// MARK: Words and doodles

extension RandomHand {
  /// Letters as corners of a smooth line, from where they join the letter before to where they join
  /// the next; x from 0 on, y down, the base line at 0 and the height of small letters 1.
  private static let letters: [Character: [(Double, Double)]] = [
    "a": [
      (0, 0), (0.8, -0.95), (0.3, -0.95), (0.05, -0.45), (0.3, 0), (0.75, -0.4), (0.85, -0.95),
      (0.85, -0.2), (1.1, 0),
    ],
    "b": [
      (0, 0), (0.4, -1.2), (0.35, -2), (0.15, -1.6), (0.2, 0), (0.6, 0), (0.7, -0.6), (0.5, -0.9),
      (0.9, -0.8),
    ],
    "c": [(0, 0), (0.7, -0.8), (0.4, -1), (0.1, -0.5), (0.35, 0), (0.8, -0.1)],
    "d": [
      (0, 0), (0.75, -0.8), (0.35, -1), (0.05, -0.45), (0.3, 0), (0.75, -0.5), (0.85, -2),
      (0.85, -0.3), (1.1, 0),
    ],
    "e": [(0, 0), (0.5, -0.5), (0.6, -0.85), (0.35, -1), (0.15, -0.5), (0.35, 0), (0.8, -0.1)],
    "f": [
      (0, 0), (0.5, -1.2), (0.5, -2), (0.3, -1.8), (0.25, 0.6), (0.4, 0.7), (0.45, 0), (0.8, -0.1),
    ],
    "g": [
      (0, 0), (0.75, -0.9), (0.3, -0.95), (0.05, -0.45), (0.35, 0), (0.8, -0.8), (0.8, 0.6),
      (0.5, 0.9), (0.4, 0.5), (1.1, -0.1),
    ],
    "h": [
      (0, 0), (0.4, -1.3), (0.3, -2), (0.15, -1.5), (0.15, 0), (0.4, -0.8), (0.7, -0.8),
      (0.75, -0.1), (1.05, 0),
    ],
    "i": [(0, 0), (0.3, -0.9), (0.3, -0.2), (0.55, 0)],
    "k": [
      (0, 0), (0.4, -1.3), (0.3, -2), (0.15, 0), (0.3, -0.6), (0.6, -0.9), (0.35, -0.5), (0.7, 0),
      (0.95, 0),
    ],
    "l": [(0, 0), (0.45, -1.3), (0.4, -2), (0.2, -1.5), (0.25, -0.2), (0.6, 0)],
    "m": [
      (0, 0), (0.15, -0.9), (0.2, 0), (0.4, -0.9), (0.6, -0.8), (0.6, 0), (0.8, -0.9), (1, -0.8),
      (1, -0.1), (1.25, 0),
    ],
    "n": [(0, 0), (0.15, -0.9), (0.2, 0), (0.45, -0.9), (0.7, -0.8), (0.7, -0.1), (1, 0)],
    "o": [
      (0, 0), (0.5, -0.95), (0.2, -0.8), (0.1, -0.3), (0.4, 0), (0.7, -0.4), (0.5, -0.95),
      (0.9, -0.8),
    ],
    "p": [
      (0, 0), (0.25, -0.9), (0.2, 0.9), (0.25, -0.6), (0.6, -0.95), (0.7, -0.4), (0.35, 0),
      (1, -0.1),
    ],
    "r": [(0, 0), (0.2, -1), (0.35, -0.8), (0.6, -0.85), (0.5, -0.2), (0.85, 0)],
    "s": [(0, 0), (0.4, -1), (0.6, -0.5), (0.5, 0), (0.15, -0.1), (0.8, 0)],
    "t": [(0, 0), (0.35, -1.5), (0.3, -0.3), (0.5, 0), (0.75, -0.1)],
    "u": [(0, 0), (0.15, -0.9), (0.2, -0.1), (0.5, 0), (0.75, -0.9), (0.75, -0.2), (1.05, 0)],
    "w": [
      (0, 0), (0.15, -0.9), (0.2, -0.1), (0.5, -0.1), (0.6, -0.8), (0.65, -0.1), (0.95, -0.1),
      (1.05, -0.9), (1.3, -0.8),
    ],
    "y": [
      (0, 0), (0.15, -0.9), (0.25, -0.1), (0.6, -0.1), (0.8, -0.9), (0.75, 0.6), (0.4, 0.9),
      (0.4, 0.4), (1.05, -0.1),
    ],
    "z": [
      (0, 0), (0.2, -0.9), (0.7, -0.85), (0.2, 0), (0.6, 0.2), (0.5, 0.8), (0.3, 0.6), (0.9, -0.1),
    ],
  ]

  /// A word in joined letters, with strokes of its own for some of them.
  mutating func word(letters count: Int) -> [Point] {
    let names = Self.letters.keys.sorted()
    let height = size(6...60)
    let slant = chance.number(-0.15...0.6)
    let width = chance.number(0.7...1.3)
    let angle = chance.number(-0.25...0.25)
    var line: [(Double, Double)] = []
    var x = 0.0
    for _ in 0..<count {
      guard let name = chance.pick(names), let letter = Self.letters[name] else { continue }
      let grow = chance.number(0.85...1.15)
      for point in letter {
        line.append(
          (
            x + width * point.0 * grow + 0.05 * bell(), point.1 * grow + 0.05 * bell()
          ))
      }
      x += width * ((letter.last?.0 ?? 1) * grow + chance.number(0...0.25))
    }
    return smooth(
      line.map {
        let (x, y) = (height * ($0.0 - slant * $0.1), height * $0.1)
        return Point(x: x * cos(angle) - y * sin(angle), y: x * sin(angle) + y * cos(angle))
      })
  }

  /// A letter that is drawn alone. Letters that are figures, such as l and v, are not among them.
  mutating func letter() -> [Point] {
    let names = Array("abdefghkmnpqrstuwy").filter { Self.letters[$0] != nil }
    guard let name = chance.pick(names), let letter = Self.letters[name] else { return [] }
    let height = size(8...60)
    let slant = chance.number(-0.1...0.5)
    // Without the line that joins it to the letter before.
    return smooth(
      letter.dropFirst().map {
        let (x, y) = ($0.0 + 0.05 * bell(), $0.1 + 0.05 * bell())
        return Point(x: height * (x - slant * y), y: height * y)
      })
  }

  /// A smooth dense line through points.
  private func smooth(_ points: [Point]) -> [Point] {
    guard points.count > 1 else { return points }
    var result: [Point] = []
    for index in 0..<points.count - 1 {
      let (b, c) = (points[index], points[index + 1])
      let a = index > 0 ? points[index - 1] : b
      let d = index + 2 < points.count ? points[index + 2] : c
      for step in 0..<12 {
        let t = Double(step) / 12
        let (t2, t3) = (t * t, t * t * t)
        func along(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> Double {
          let even = 2 * b + (2 * a - 5 * b + 4 * c - d) * t2
          return 0.5 * (even + (c - a) * t + (3 * b - a - 3 * c + d) * t3)
        }
        result.append(
          Point(x: along(a.x, b.x, c.x, d.x), y: along(a.y, b.y, c.y, d.y)))
      }
    }
    return result + [points[points.count - 1]]
  }

  static let doodleNames = [
    "scribble", "loops", "spiral", "shading", "face", "wave", "cloud", "flower", "eight", "arc",
    "tick", "dot", "question", "house", "hexagon", "crescent", "fish", "drop", "half disc",
    "parallelogram", "kite", "pentagon", "bracket", "hook", "mountain range", "tangle", "key",
    "star of six", "cross", "snail",
  ]

  /// A doodle that is none of the figures.
  mutating func doodle(_ name: String) -> [Point] {
    var line = doodleLine(name)
    let box = Rect(around: line)
    let scale =
      (name == "dot" ? size(0.5...6) : size(15...600)) / max(box.width, box.height, 1e-9)
    let angle = chance.number(0...6.28)
    if chance.isLucky(0.5) { line.reverse() }
    let turn = Point(x: cos(angle) * scale, y: sin(angle) * scale)
    return line.map { Point(x: $0.x * turn.x - $0.y * turn.y, y: $0.x * turn.y + $0.y * turn.x) }
  }

  private mutating func doodleLine(_ name: String) -> [Point] {
    func curve(_ range: ClosedRange<Double>, _ place: (Double) -> (Double, Double)) -> [Point] {
      (0...240).map { step in
        let t = range.lowerBound + (range.upperBound - range.lowerBound) * Double(step) / 240
        let (x, y) = place(t)
        return Point(x: x, y: y)
      }
    }
    func line(_ corners: [(Double, Double)]) -> [Point] {
      corners.map { Point(x: $0.0, y: $0.1) }
    }
    func regular(_ count: Int, from start: Double = 0) -> [(Double, Double)] {
      (0...count).map {
        let angle = start + Double($0) * 2 * .pi / Double(count)
        return (cos(angle), sin(angle))
      }
    }
    let (a, b) = (chance.number(), chance.number())
    switch name {
    case "scribble":
      return smooth(
        (0..<chance.whole(8...30)).map { _ in Point(x: chance.number(), y: chance.number()) })
    case "loops":
      let turns = Double(chance.whole(3...9))
      return curve(0...turns * 6.28) { (0.35 * $0 / 6.28 * (1 + a) + cos($0), sin($0)) }
    case "spiral":
      return curve(0...6.28 * (2 + 3 * a)) { ($0 * cos($0), $0 * sin($0) * (0.7 + 0.3 * b)) }
    case "shading":
      let count = chance.whole(9...30)
      return line((0..<count).map { (0.08 * (1 + a) * Double($0), Double($0 % 2) + 0.05 * bell()) })
    case "face":
      // The head, then across it to an eye, the other one, and a smile.
      let head = curve(0...6.4) { (cos($0), sin($0)) }
      let eye = curve(0...6.28) { (-0.35 + 0.12 * cos($0), -0.3 + 0.12 * sin($0)) }
      let other = curve(0...6.28) { (0.35 + 0.12 * cos($0), -0.3 + 0.12 * sin($0)) }
      return head + eye + other + curve(0.3...2.84) { (0.5 * cos($0), 0.1 + 0.45 * sin($0)) }
    case "wave":
      return curve(0...6.28 * (1 + 3 * a)) { ($0 * (0.4 + b), sin($0)) }
    case "cloud":
      let count = Double(chance.whole(5...9))
      return curve(0...6.28) {
        let radius = 1 + 0.3 * abs(sin($0 * count / 2))
        return (1.4 * radius * cos($0), radius * sin($0))
      }
    case "flower":
      let count = Double(chance.whole(3...8))
      return curve(0...6.28) {
        let radius = 0.6 + 0.4 * cos($0 * count)
        return (radius * cos($0), radius * sin($0))
      }
    case "eight": return curve(0...6.28) { (sin($0), (0.4 + 0.6 * a) * sin(2 * $0)) }
    case "arc":
      return curve(0...1.3 + 3 * a) { (cos($0), sin($0)) }
    case "tick": return line([(0, 0), (0.3 + 0.2 * a, 0.5), (1.2, -0.8 - 0.4 * b)])
    case "dot": return smooth((0..<6).map { _ in Point(x: bell(), y: bell()) })
    case "question":
      return curve(3.4...8.2) { (0.6 * cos($0), 0.6 * sin($0)) }
        + line([(0, 0.9), (0.05 * a, 1.4)])
    case "house":
      return line([
        (0, 0), (0, -1), (1, -1), (0, 0), (1, 0), (0, -1), (0.5, -1.6), (1, -1), (1, 0),
      ])
    case "hexagon": return line(regular(chance.whole(6...8), from: a))
    case "crescent":
      return curve(0.6...5.68) { (cos($0), sin($0)) }
        + curve(-1.0...1.0) { (0.3 + 0.65 * cos(-$0), 0.65 * sin(-$0)) }
    case "fish":
      return curve(-0.7 - 0.2 * a...3.84 + 0.2 * a) { (sin($0) * (1 + $0 * 0), 0.45 * sin(2 * $0)) }
        + line([(-1.0, 0.4)])
    case "drop":
      return curve(0...6.28) {
        (sin($0) * pow(sin($0 / 2), 1.5 + a), -1.3 * cos($0))
      }
    case "half disc": return curve(0...3.14) { (cos($0), sin($0)) } + line([(1, 0)])
    case "parallelogram":
      let lean = 0.75 + 0.8 * a
      return line([(0, 0), (1 + b, 0), (1 + b + lean, -1), (lean, -1), (0, 0)])
    case "kite":
      return line([(0, -0.6), (0.7, 0), (0, 1.5 + a), (-0.7, 0), (0, -0.6)])
    case "pentagon": return line(regular(5, from: a))
    case "bracket":
      return smooth(
        line([
          (0.3, 0), (0, 0.15), (0.05, 0.8), (-0.25, 1), (0.05, 1.2), (0, 1.85), (0.3, 2),
        ]))
    case "hook":
      return line([(0, 0), (0, 1.4)])
        + curve(0...3.14 + a) { (-0.5 + 0.5 * cos($0), 1.4 + 0.5 * sin($0)) }
    case "mountain range":
      return line(
        (0..<chance.whole(11...17)).map { (Double($0), Double($0 % 2) * chance.number(0.8...2)) })
    case "tangle":
      return curve(0...6.28) { (sin(2 * $0 + a), cos(3 * $0 + 3 * b)) }
    case "key":
      return curve(0.3...6.2) { (-cos($0), sin($0)) }
        + line([(-3, 0), (-3, 0.6), (-3, 0), (-2.5, 0), (-2.5, 0.5)])
    case "star of six":
      return line(
        (0...12).map {
          let radius = $0 % 2 == 0 ? 1 : 0.55
          return (radius * sin(Double($0) * .pi / 6), radius * cos(Double($0) * .pi / 6))
        })
    case "cross":
      return line([
        (0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 1), (3, 1), (3, 0), (2, 0), (2, -1), (1, -1),
        (1, 0), (0, 0),
      ])
    default:
      // A snail: a spiral and a long foot.
      return curve(0...6.28 * (1.6 + a)) { ($0 * cos($0), $0 * sin($0)) } + line([(30, 8)])
    }
  }
}
