import Graphics

/// Arithmetic on angles in radians that gives the same bits on every machine. The system's library
/// does not promise that.
enum Angle {
  /// The shorter way from one angle to another, from -π to π.
  static func difference(from a: Double, to b: Double) -> Double {
    let turns = (b - a) / (2 * .pi)
    return (turns - turns.rounded()) * 2 * .pi
  }

  /// The sine and cosine of an angle, exact to about 1e-14 for angles of a few turns. An angle that
  /// is not finite counts as 0.
  static func sineAndCosine(_ angle: Double) -> (sine: Double, cosine: Double) {
    guard angle.isFinite else { return (0, 1) }
    let quarters = (angle * (2 / .pi)).rounded()
    let rest = angle - quarters * (.pi / 2)
    let square = rest * rest
    // Both Taylor series, long enough for an eighth of a turn.
    var sine = 0.0
    var cosine = 0.0
    for (odd, even) in coefficients {
      sine = sine * square + odd
      cosine = cosine * square + even
    }
    sine *= rest
    return switch Int(clamping: quarters.truncatingRemainder(dividingBy: 4)) & 3 {
    case 0: (sine, cosine)
    case 1: (cosine, -sine)
    case 2: (-sine, -cosine)
    default: (-cosine, sine)
    }
  }

  /// The coefficients of the series, the highest first.
  private static let coefficients: [(odd: Double, even: Double)] = {
    var factorial = 1.0
    var all: [(odd: Double, even: Double)] = []
    for term in 0..<9 {
      if term > 0 { factorial *= Double(2 * term - 1) * Double(2 * term) }
      let sign = term % 2 == 0 ? 1.0 : -1.0
      all.append((odd: sign / (factorial * Double(2 * term + 1)), even: sign / factorial))
    }
    return all.reversed()
  }()
}
