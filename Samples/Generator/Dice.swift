/// A small generator of random numbers, the same ones for the same seed on every machine.
///
/// The samples are compared byte by byte, so nothing may depend on the clock or the system's random
/// numbers.
struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// Steele's SplitMix64, which is good enough for wobbly lines.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// A uniform random number from a range. The library's `Double.random` may return other numbers
  /// in another version.
  mutating func number(in range: ClosedRange<Double>) -> Double {
    let unit = Double(next() >> 11) / Double(1 << 53)
    return range.lowerBound + (range.upperBound - range.lowerBound) * unit
  }

  /// A random number between minus and plus an amount.
  mutating func wobble(_ amount: Double) -> Double { number(in: -amount...amount) }
}

/// A smooth random curve around zero, between −1 and 1, as for the tremor of a hand.
struct Drift {
  private let seed: UInt64
  /// The distance between independent values, in the unit of the argument.
  private let period: Double

  init(period: Double, using dice: inout Dice) {
    seed = dice.next()
    self.period = period
  }

  subscript(position: Double) -> Double {
    let cell = (position / period).rounded(.down)
    let part = position / period - cell
    let weight = part * part * (3 - 2 * part)
    let (before, after) = (value(at: cell), value(at: cell + 1))
    return before + (after - before) * weight
  }

  private func value(at cell: Double) -> Double {
    var dice = Dice(seed: seed &+ UInt64(bitPattern: Int64(cell)) &* 0xD134_2543_DE82_EF95)
    return dice.wobble(1)
  }
}
