import Foundation
import PencilKit

/// Random numbers that are the same in every run (SplitMix64).
struct Randomness: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
  mutating func number(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &self)
  }
  mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
}

/// Extreme values.
let strangeNumbers: [Double] = [
  .nan, .infinity, -.infinity, 0, -0.0, 1e300, -1e300, 1e38, 3.5e38, -1e20, 1e-300,
  .leastNonzeroMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e9, -1,
]

/// Drawings that use the whole interface, some of them with extreme values.
struct RandomDrawings {
  var random: Randomness
  /// One value in this many is extreme; nil for none.
  var strangeness: Int?

  init(seed: UInt64, strangeness: Int? = nil) {
    random = Randomness(seed: seed)
    self.strangeness = strangeness
  }

  mutating func number(_ range: ClosedRange<Double>) -> Double {
    if let strangeness, random.oneIn(strangeness) {
      return strangeNumbers[random.below(strangeNumbers.count)]
    }
    return random.number(range)
  }

  mutating func location() -> CGPoint { CGPoint(x: number(-200...900), y: number(-200...900)) }

  mutating func color() -> UIColor {
    switch random.below(5) {
    case 0: .red
    case 1: UIColor(displayP3Red: number(0...1), green: number(0...1), blue: 1, alpha: 1)
    case 2: .systemOrange
    default:
      UIColor(
        red: number(0...1), green: number(0...1), blue: number(0...1), alpha: number(0...1))
    }
  }

  mutating func ink() -> PKInk {
    let inks: [PKInk.InkType] = [
      .pen, .pencil, .marker, .monoline, .fountainPen, .watercolor, .crayon, .reed,
    ]
    return PKInk(inks[random.below(8)], color: color())
  }

  mutating func transform() -> CGAffineTransform {
    if random.oneIn(2) { return .identity }
    return CGAffineTransform(
      a: number(-2...2), b: number(-1...1), c: number(-1...1), d: number(-2...2),
      tx: number(-100...100), ty: number(-100...100))
  }

  mutating func outline() -> UIBezierPath {
    let path = UIBezierPath()
    for _ in 0..<random.below(3) {
      path.move(to: location())
      for _ in 0..<random.below(5) {
        switch random.below(3) {
        case 0: path.addLine(to: location())
        case 1: path.addQuadCurve(to: location(), controlPoint: location())
        default:
          path.addCurve(to: location(), controlPoint1: location(), controlPoint2: location())
        }
      }
      if random.oneIn(2) { path.close() }
    }
    if random.oneIn(2) {
      path.append(
        UIBezierPath(
          rect: CGRect(
            x: number(0...300), y: number(0...300), width: number(0...600),
            height: number(0...600))))
    }
    path.usesEvenOddFillRule = random.oneIn(3)
    return path
  }

  mutating func path(atMost count: Int = 30) -> PKStrokePath {
    let hasJitter = random.oneIn(3)
    var (x, y) = (number(0...600), number(0...600))
    let points = (0..<random.below(count + 1)).map { index in
      x += number(-20...20)
      y += number(-20...20)
      return PKStrokePoint(
        location: CGPoint(x: x, y: y), timeOffset: number(0...0.1) + Double(index) * 0.1,
        size: CGSize(width: number(2...12), height: number(2...12)), opacity: number(0...2),
        force: number(0...4), azimuth: number(-7...7), altitude: number(0...1.6),
        secondaryScale: number(0...2), threshold: number(0...1),
        lateralJitter: hasJitter ? number(0...2) : 1)
    }
    return PKStrokePath(
      controlPoints: points, creationDate: Date(timeIntervalSinceReferenceDate: number(0...1e9)))
  }

  mutating func stroke() -> PKStroke {
    var stroke = PKStroke(
      ink: ink(), path: path(), transform: transform(),
      mask: random.oneIn(4) ? outline() : nil,
      randomSeed: UInt32.random(in: .min ... .max, using: &random),
      renderGroupID: random.oneIn(5) ? UUID() : nil,
      renderState: random.oneIn(5) ? PKStroke.RenderState(grainOffset: location()) : nil)
    if random.oneIn(4) { stroke = part(of: stroke) }
    return stroke
  }

  mutating func part(of stroke: PKStroke) -> PKStroke {
    let end = Double(max(stroke.path.count - 1, 0))
    let bounds = [number(-1...end + 1), number(-1...end + 1)]
    guard bounds[0] <= bounds[1] || bounds[1] <= bounds[0] else { return stroke }
    return stroke.substroke(
      range: CGFloat(min(bounds[0], bounds[1]))...CGFloat(max(bounds[0], bounds[1])))
  }

  mutating func drawing(atMost count: Int = 8) -> PKDrawing {
    var drawing = PKDrawing(strokes: (0..<random.below(count + 1)).map { _ in stroke() })
    for _ in 0..<random.below(4) { change(&drawing) }
    return drawing
  }

  /// Changes a drawing as apps and users do.
  mutating func change(_ drawing: inout PKDrawing) {
    let index = drawing.strokes.isEmpty ? nil : random.below(drawing.strokes.count)
    switch random.below(12) {
    case 0: drawing.erasePath(path(atMost: 4), transform: transform())
    case 1: drawing.transform(using: transform())
    case 2: if let index { drawing.strokes[index].ink = ink() }
    case 3: if let index { drawing.strokes[index].mask = random.oneIn(3) ? nil : outline() }
    case 4: if let index { drawing.strokes[index] = part(of: drawing.strokes[index]) }
    case 5: if let index { drawing.strokes[index].path = path() }
    case 6: if let index { drawing.strokes.append(drawing.strokes[index]) }
    case 7: drawing.append(drawing)
    case 8: if let index { drawing.strokes[index].id = UUID() }
    case 9: drawing.strokes.shuffle(using: &random)
    case 10:
      if let index {
        drawing.strokes[index].renderState =
          random.oneIn(2) ? nil : PKStroke.RenderState(grainOffset: location())
      }
    default: drawing.strokes.append(stroke())
    }
  }
}
