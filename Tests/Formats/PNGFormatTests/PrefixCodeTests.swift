import TestSupport
import Testing

@testable import PNGFormat

struct PrefixCodeTests {
  /// The lengths of the optimal code under a limit, by a plain package-merge: every coin has the
  /// list of its symbols.
  private func shortestLengths(_ counts: [UInt32], limit: Int) -> [Int] {
    struct Coin {
      var worth: UInt64
      var symbols: [Int]
    }
    let symbols = counts.indices.filter { counts[$0] > 0 }
    let singles = symbols.map { Coin(worth: UInt64(counts[$0]), symbols: [$0]) }
    var lengths = counts.map { _ in 0 }
    guard symbols.count > 1 else {
      for symbol in symbols { lengths[symbol] = 1 }
      return lengths
    }
    var coins: [Coin] = []
    for _ in 0..<limit {
      let sorted = coins.sorted { $0.worth < $1.worth }
      let packages = stride(from: 0, to: sorted.count / 2 * 2, by: 2).map {
        Coin(
          worth: sorted[$0].worth + sorted[$0 + 1].worth,
          symbols: sorted[$0].symbols + sorted[$0 + 1].symbols)
      }
      coins = singles + packages
    }
    for coin in coins.sorted(by: { $0.worth < $1.worth }).prefix(2 * symbols.count - 2) {
      for symbol in coin.symbols { lengths[symbol] += 1 }
    }
    return lengths
  }

  private func bitCount(_ counts: [UInt32], _ lengths: [Int]) -> Int {
    zip(counts, lengths).reduce(0) { $0 + Int($1.0) * $1.1 }
  }

  /// The Kraft sum of a code, in units of a code of maximum length.
  private func taken(_ lengths: [Int], limit: Int) -> Int {
    lengths.reduce(0) { $0 + ($1 > 0 ? 1 << (limit - $1) : 0) }
  }

  @Test(arguments: [(286, 15), (286, 10), (30, 15), (30, 6), (19, 7), (19, 5)])
  func `an optimal code is as short as any code under its limit`(_ kind: (Int, Int)) {
    var random = SplitMix64(seed: UInt64(kind.0 * kind.1))
    let (count, limit) = kind
    var code = PrefixCode(count: count, limit: limit, isShortest: true)
    for round in 0..<60 {
      let counts = (0..<count).map { symbol -> UInt32 in
        switch round % 4 {
        case 0: UInt32.random(in: 0...50, using: &random)
        case 1: Bool.random(using: &random) ? 0 : 1 << UInt32.random(in: 0...20, using: &random)
        // As skewed as possible, so that the limit matters.
        case 2: symbol < 30 ? UInt32(1) << min(UInt32(symbol), 22) : 1
        default: symbol < round ? UInt32.random(in: 1...9_000, using: &random) : 0
        }
      }
      counts.withUnsafeBufferPointer { counts in
        guard let start = counts.baseAddress else { return }
        code.fit(start)
      }
      let lengths = (0..<count).map { Int(code.lengths[$0]) }
      let used = counts.count { $0 > 0 }
      #expect(lengths.allSatisfy { $0 <= limit })
      #expect(zip(counts, lengths).allSatisfy { ($0 > 0) == ($1 > 0) })
      if used > 1 { #expect(taken(lengths, limit: limit) == 1 << limit) }
      let best = shortestLengths(counts, limit: limit)
      #expect(bitCount(counts, lengths) == bitCount(counts, best))
    }
  }

  @Test func `a fast code obeys its limit and is little longer`() {
    var random = SplitMix64(seed: 5)
    var code = PrefixCode(count: 286, limit: 12)
    for _ in 0..<40 {
      let counts = (0..<286).map { _ in
        UInt32(1) << UInt32.random(in: 0...18, using: &random)
      }
      counts.withUnsafeBufferPointer { counts in
        guard let start = counts.baseAddress else { return }
        code.fit(start)
      }
      let lengths = (0..<286).map { Int(code.lengths[$0]) }
      #expect(taken(lengths, limit: 12) <= 1 << 12)
      let best = shortestLengths(counts, limit: 12)
      #expect(bitCount(counts, lengths) <= bitCount(counts, best) * 21 / 20)
    }
  }
}
