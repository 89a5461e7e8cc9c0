import Graphics

/// The sine of an angle in turns, by its series.
///
/// The system's `sin` may differ in the last bit between machines, and the samples must not. The
/// series is off by less than 6e-8.
func sine(_ turns: Double) -> Double {
  // The nearest half turn is taken off; every one taken off changes the sign.
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

/// A transform that turns by an angle in turns, made without the system's sine.
func rotation(_ turns: Double) -> AffineTransform {
  let (s, c) = (sine(turns), cosine(turns))
  return AffineTransform(a: c, b: s, c: -s, d: c, tx: 0, ty: 0)
}
