import CMath

/// A hash of the bits of a function's results for 100,000 arguments. The arguments are the same
/// everywhere, so that a page can check that it computes the same results as other machines.
/// Functions are counted from 0, in the order of `CMath.h`.
@_cdecl("engineMathHash")
public func engineMathHash(_ function: Int32) -> UInt64 {
  var arguments = MathArguments()
  var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  for _ in 0..<100_000 {
    let (x, y) = arguments.next()
    let value: Double
    switch function {
    case 0: value = mathArcTangent(y, x)
    case 1: value = mathCubeRoot(x)
    case 2: value = mathCosine(x)
    case 3: value = mathPower(x.magnitude, y)
    case 4: value = mathRemainder(x, y)
    case 5: value = mathSine(x)
    default: return 0
    }
    // The bits of NaN results are unspecified.
    hash = (hash ^ (value.isNaN ? 1 : value.bitPattern)) &* 0x100_0000_01B3
    hash ^= hash &>> 29
  }
  return hash
}

/// Arguments of functions: half of them have everyday sizes, the others have random bits.
private struct MathArguments {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  mutating func next() -> (Double, Double) {
    let isSmall = bits() & 1 == 0
    return (number(isSmall), number(isSmall))
  }

  private mutating func number(_ isSmall: Bool) -> Double {
    isSmall
      ? Double(Int64(bitPattern: bits()) &>> 11) * 0x1p-48 : Double(bitPattern: bits())
  }

  private mutating func bits() -> UInt64 {
    state ^= state &<< 13
    state ^= state &>> 7
    state ^= state &<< 17
    return state
  }
}
