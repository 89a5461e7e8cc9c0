import Graphics
import Interchange
import PKDFormat
import Storage
import Strokes
import TestSupport

/// Random choices that a seed repeats.
struct Chance {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func whole(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

  mutating func number(_ range: ClosedRange<Double> = 0...1) -> Double {
    Double.random(in: range, using: &generator)
  }

  mutating func isLucky(_ share: Double) -> Bool { number() < share }

  mutating func identifier() -> Identifier { Identifier(using: &generator) }

  mutating func pick<Item>(_ items: [Item]) -> Item? { items.randomElement(using: &generator) }

  mutating func seed() -> UInt64 { generator.next() }
}

/// Recordings of a few small strokes.
enum SmallInk {
  static func stroke(_ chance: inout Chance, at moment: Moment, points: Int = 2) -> PKStroke {
    let place = Point(x: Double(chance.whole(0...50)), y: Double(chance.whole(0...50)))
    let points = (0..<points).map { step in
      PKStrokePoint(
        location: Point(x: place.x + Double(step), y: place.y), timeOffset: Double(step) / 100,
        size: Size(width: 2, height: 2), opacity: 1, force: 1, azimuth: 0, altitude: 1.5)
    }
    return PKStroke(
      ink: PKInk(.pen, color: .black),
      path: PKStrokePath(
        controlPoints: points,
        creationDate: Timestamp(secondsSince1970: Double(moment.microseconds / 1_000_000))),
      id: chance.identifier())
  }

  /// A stroke whose points nothing predicts, so that each takes many bytes.
  static func noise(_ chance: inout Chance, points count: Int) -> PKStroke {
    let points = (0..<count).map { step in
      PKStrokePoint(
        location: Point(x: chance.number(0...100), y: chance.number(0...100)),
        timeOffset: Double(step) / 100,
        size: Size(width: chance.number(1...2), height: chance.number(1...2)),
        opacity: chance.number(), force: chance.number(), azimuth: chance.number(-3...3),
        altitude: chance.number(0...1.5))
    }
    return PKStroke(
      ink: PKInk(.pen, color: .black),
      path: PKStrokePath(
        controlPoints: points, creationDate: Timestamp(secondsSince1970: 1_780_000_000)),
      id: chance.identifier())
  }

  static func bytes(_ strokes: [PKStroke]) throws -> [UInt8] {
    try PKDWriter.encode(PKDrawing(strokes: strokes))
  }

  static func strokes(_ bytes: [UInt8]) throws -> [PKStroke] {
    try DrawingFile(bytes).everything().drawing.strokes
  }

  /// The names of the strokes in a recording.
  static func names(_ bytes: [UInt8]) throws -> [String] { try strokes(bytes).map { "\($0.id)" } }
}
