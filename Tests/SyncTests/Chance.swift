import Strokes
import TestSupport

/// Random choices that a seed repeats.
struct Chance {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func whole(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

  mutating func number() -> Double { Double.random(in: 0..<1, using: &generator) }

  mutating func isLucky(_ share: Double) -> Bool { number() < share }

  mutating func identifier() -> Identifier { Identifier(using: &generator) }

  mutating func pick<Item>(_ items: [Item]) -> Item? { items.randomElement(using: &generator) }
}
