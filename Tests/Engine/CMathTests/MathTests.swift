import CMath
import Glibc
import Testing

/// A function of ours with the system's function.
private struct Pair: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let own: @Sendable (Double, Double) -> Double
  let known: @Sendable (Double, Double) -> Double

  static let all = [
    Pair(
      testDescription: "arc tangent", own: { mathArcTangent($1, $0) }, known: { atan2($1, $0) }),
    // The system's cube root of doubles is 3 units off; its cube root of longer numbers is not.
    Pair(
      testDescription: "cube root", own: { x, _ in mathCubeRoot(x) }, known: { x, _ in longRoot(x) }
    ),
    Pair(testDescription: "cosine", own: { x, _ in mathCosine(x) }, known: { x, _ in cos(x) }),
    Pair(testDescription: "power", own: { mathPower($0, $1) }, known: { pow($0, $1) }),
    Pair(
      testDescription: "remainder", own: { mathRemainder($0, $1) }, known: { remainder($0, $1) }),
    Pair(testDescription: "sine", own: { x, _ in mathSine(x) }, known: { x, _ in sin(x) }),
  ]

  private static func longRoot(_ x: Double) -> Double {
    #if arch(x86_64)
      return Double(cbrtl(Float80(x)))
    #else
      return cbrt(x)
    #endif
  }

  /// The distance in units of the last place; nil if one of them is not a number.
  func distance(_ x: Double, _ y: Double) -> UInt64? {
    let (a, b) = (own(x, y), known(x, y))
    if a.isNaN || b.isNaN { return a.isNaN && b.isNaN ? 0 : nil }
    func ordered(_ number: Double) -> Int64 {
      let bits = Int64(bitPattern: number.bitPattern)
      return bits < 0 ? .min - bits : bits
    }
    let (p, q) = (ordered(a), ordered(b))
    return UInt64(bitPattern: max(p, q) &- min(p, q))
  }
}

private struct Numbers {
  var state: UInt64

  mutating func bits() -> UInt64 {
    state ^= state &<< 13
    state ^= state &>> 7
    state ^= state &<< 17
    return state
  }

  mutating func between(_ low: Double, _ high: Double) -> Double {
    low + (high - low) * Double(bits() >> 11) * 0x1p-53
  }

  mutating func any() -> Double { Double(bitPattern: bits()) }
}

struct MathTests {
  @Test(arguments: Pair.all)
  fileprivate func `results are within one unit in the last place of the system's`(_ pair: Pair) {
    var numbers = Numbers(state: 0x1234_5678_9ABC_DEF1)
    var worst: UInt64 = 0
    for index in 0..<600_000 {
      let (x, y) =
        switch index % 6 {
        case 0: (numbers.between(-10, 10), numbers.between(-10, 10))
        case 1: (numbers.between(0, 2), index % 4 == 1 ? 2.4 : 1 / 2.4)
        case 2: (numbers.between(-1e6, 1e6), 2 * Double.pi)
        case 3: (numbers.between(0, 100), numbers.between(-20, 20))
        case 4: (numbers.any(), numbers.any())
        // Quarter turns, where sine and cosine are nearly 0.
        default: (Double(numbers.bits() % 100_000) * (.pi / 2), numbers.between(-1, 1))
        }
      let distance = pair.distance(x, y)
      if distance ?? .max > 1 { Issue.record("\(pair.testDescription) of \(x), \(y)") }
      worst = max(worst, distance ?? .max)
    }
    #expect(worst <= 1)
  }

  @Test(arguments: Pair.all)
  fileprivate func `special values are those of the system`(_ pair: Pair) {
    let positive: [Double] = [
      0, 1, 2, 3, 0.5, 1 / 3.0, 1023.5, 0x1p52 + 1, 0x1p53, 1e22, 1e300, 1e-300, .infinity, .pi,
      .pi / 2, 1 - 0x1p-53, 1 + 0x1p-52, .leastNonzeroMagnitude, .leastNormalMagnitude,
      .greatestFiniteMagnitude,
    ]
    let values = positive + positive.map { -$0 } + [.nan]
    for x in values {
      for y in values {
        #expect(pair.distance(x, y) ?? .max <= 1, "\(pair.testDescription) of \(x), \(y)")
        let (own, known) = (pair.own(x, y), pair.known(x, y))
        if own == 0, known == 0 {
          #expect(own.sign == known.sign, "\(pair.testDescription) of \(x), \(y)")
        }
      }
    }
  }

  @Test func `the double nearest to a multiple of a quarter turn keeps all its digits`() {
    // The hardest known case of the cosine; the value is exact to the last bit.
    #expect(mathCosine(0x1.6ac5b262ca1ffp+849) == -0x1.14ae72e6ba22fp-61)
  }

  @Test func `a remainder of zero has the sign of the dividend`() {
    #expect(mathRemainder(0x1.6dba2469fde46p-895, -0x4p-1074).sign == .plus)
    #expect(mathRemainder(-12, 4).sign == .minus)
  }

  @Test func `powers and roots do not fall where their argument rises`() {
    // The search for shades of colours compares them, so these functions must not fall.
    var (power, root) = (0.0, 0.0)
    for step in 0...400_000 {
      let x = Double(step) / 200_000
      #expect(mathPower(x, 2.4) >= power && mathCubeRoot(x) >= root)
      (power, root) = (mathPower(x, 2.4), mathCubeRoot(x))
    }
  }
}
