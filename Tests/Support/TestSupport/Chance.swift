import Graphics
public import Strokes

/// Random choices that are the same for the same seed.
public struct Chance: Sendable {
  private var generator: SplitMix64

  /// Choices that start from a seed.
  public init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  /// A whole number of a range.
  public mutating func whole(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  /// A number that is at least 0 and below 1.
  public mutating func number() -> Double { Double.random(in: 0..<1, using: &generator) }

  /// A number of a range.
  public mutating func number(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &generator)
  }

  /// True with a probability.
  public mutating func isLucky(_ share: Double) -> Bool { number() < share }

  /// A new identifier.
  public mutating func identifier() -> Identifier { Identifier(using: &generator) }

  /// One of some items; nil if there are none.
  public mutating func pick<Item>(_ items: [Item]) -> Item? {
    items.randomElement(using: &generator)
  }

  /// A seed for other choices.
  public mutating func seed() -> UInt64 { generator.next() }

  /// A stroke of the pen with two points, somewhere near the corner of the page.
  public mutating func smallStroke(at time: Timestamp) -> PKStroke {
    let place = Point(x: Double(whole(0...50)), y: Double(whole(0...50)))
    let points = (0..<2).map { step in
      PKStrokePoint(
        location: Point(x: place.x + Double(step), y: place.y), timeOffset: Double(step) / 100,
        size: Size(width: 2, height: 2), opacity: 1, force: 1, azimuth: 0, altitude: 1.5)
    }
    return PKStroke(
      ink: PKInk(.pen, color: .black),
      path: PKStrokePath(controlPoints: points, creationDate: time), id: identifier())
  }

  /// A stroke with unpredictable points, so that each takes many bytes.
  public mutating func noise(points count: Int, within side: Double) -> PKStroke {
    let points = (0..<count).map { step in
      PKStrokePoint(
        location: Point(x: number(0...side), y: number(0...side)), timeOffset: Double(step) / 100,
        size: Size(width: number(1...2), height: number(1...2)), opacity: number(),
        force: number(), azimuth: number(-3...3), altitude: number(0...1.5))
    }
    return PKStroke(
      ink: PKInk(.pen, color: .black),
      path: PKStrokePath(
        controlPoints: points, creationDate: Timestamp(secondsSince1970: 1_780_000_000)),
      id: identifier())
  }
}
