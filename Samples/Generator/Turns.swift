import Graphics

/// The sine of an angle in turns, by its series.
///
/// The system's `sin` may differ in the last bit between machines, but the samples must not. The
/// error of the series is less than 6e-8.
func sine(_ turns: Double) -> Double {
  // Subtracting half a turn changes the sign.
  let halves = (turns * 2).rounded()
  let x = (turns - halves / 2) * 2 * .pi
  let square = x * x
  var term = x
  var sum = x
  for n in stride(from: 3.0, through: 11, by: 2) {
    term *= -square / (n * (n - 1))
    sum += term
  }
  return (halves / 2).rounded() == halves / 2 ? sum : -sum
}

/// The cosine of an angle in turns.
func cosine(_ turns: Double) -> Double { sine(turns + 0.25) }

/// A rotation by an angle in turns, without the system's sine.
func rotation(_ turns: Double) -> AffineTransform {
  let (s, c) = (sine(turns), cosine(turns))
  return AffineTransform(a: c, b: s, c: -s, d: c, tx: 0, ty: 0)
}
