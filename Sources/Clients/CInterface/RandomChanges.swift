import CMath
import Graphics

/// Random changes of drawings, each from a generator that is seeded with the seed and the drawing's
/// number.
struct RandomChanges {
  let seed: UInt64
  /// Angles in radians.
  let rotation: Double
  let scale: ClosedRange<Double>
  let shear: Double
  /// The greatest translation, as a fraction of the picture's side.
  let translation: Double
  /// The standard deviation of each coordinate, in units of the data.
  let jitter: Double
  let width: ClosedRange<Double>

  /// Whether nothing is changed.
  var isNone: Bool {
    rotation == 0 && shear == 0 && translation == 0 && jitter == 0 && scale == 1...1
      && width == 1...1
  }

  /// The changes of one drawing.
  struct Drawn {
    /// The matrix around the picture's centre, with the translation in fractions of its side.
    var a = 1.0, b = 0.0, c = 0.0, d = 1.0, x = 0.0, y = 0.0
    var width = 1.0
    fileprivate var random: SplitMix
    let jitter: Double

    /// The offset of the next coordinate. The sum of four uniform distributions is nearly normal,
    /// and never deviates by more than 3.5 standard deviations.
    @inline(__always)
    mutating func nextJitter() -> Double {
      let bits = random.next()
      let sum =
        (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48)
      // Each summand has the variance 1/12, in units of 65,536.
      return (Double(sum) - 131_070) * (1.732_050_807_568_877_2 / 65_536) * jitter
    }
  }

  /// The changes of the drawing with a number.
  func changes(ofDrawing number: Int64) -> Drawn {
    var random = SplitMix(seed: seed, number: UInt64(bitPattern: number))
    var drawn = Drawn(random: random, jitter: jitter)
    // All random numbers are generated in any case, so that one kind of change does not depend on
    // the others.
    let angle = random.number(-rotation...rotation)
    let lean = random.number(-shear...shear)
    let size = random.number(scale)
    drawn.x = random.number(-translation...translation)
    drawn.y = random.number(-translation...translation)
    drawn.width = random.number(width)
    drawn.random = random
    let (cosine, sine) = (mathCosine(angle), mathSine(angle))
    let slope = mathSine(lean) / mathCosine(lean)
    // A shear of x by y, then the rotation, then the scaling.
    drawn.a = size * cosine
    drawn.b = size * sine
    drawn.c = size * (cosine * slope - sine)
    drawn.d = size * (sine * slope + cosine)
    return drawn
  }
}

/// The generator of Steele, Lea and Flood: 64 bits of state, so that starting one for each drawing
/// costs nothing.
private struct SplitMix {
  private var state: UInt64

  init(seed: UInt64, number: UInt64) {
    state = seed
    let mixed = next()
    state = mixed ^ number &* 0xD6E8_FEB8_6659_FD93
    _ = next()
  }

  @inline(__always)
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }

  /// A number in a range, from 53 random bits.
  mutating func number(_ range: ClosedRange<Double>) -> Double {
    let part = Double(next() >> 11) * 0x1p-53
    return range.lowerBound + (range.upperBound - range.lowerBound) * part
  }
}
