/// Equations for the control points of a spline, solved by least squares in linear time.
///
/// Each equation requires the curve to pass a position. Deviations along the curve have less weight
/// than those across it. So x and y depend on each other, and a coefficient is a matrix of two rows
/// and columns.
struct SplineEquations: Sendable {
  /// The upper half of the symmetric matrix: of each row the diagonal and the three coefficients
  /// after it.
  private var rows: [Row] = []
  private var sums: [SIMD2<Double>] = []

  private struct Row: Sendable {
    var a = Matrix.zero, b = Matrix.zero, c = Matrix.zero, d = Matrix.zero
  }

  /// The weight of deviations along the curve. With less, the parameters run away from noisy
  /// points; with more, the curve needs more control points.
  private static let along = 0.1
  /// The weight of samples that were added on long steps.
  private static let addedWeight = 0.02
  /// The weight of an even curve. It decides where there are no points.
  private static let evenness = 0.0006

  /// Finds the control points in a range, whose neighbours are known. `startsReflected` and
  /// `endsReflected` say that the outermost control points are reflections.
  mutating func solve(
    _ controls: inout [SIMD2<Double>], in range: Range<Int>,
    through samples: UnsafeMutableBufferPointer<FitSample>, startsReflected: Bool,
    endsReflected: Bool
  ) {
    let count = controls.count
    rows.removeAll(keepingCapacity: true)
    rows.append(contentsOf: repeatElement(Row(), count: count))
    sums.removeAll(keepingCapacity: true)
    sums.append(contentsOf: repeatElement(.zero, count: count))
    rows.withUnsafeMutableBufferPointer { rows in
      sums.withUnsafeMutableBufferPointer { sums in
        controls.withUnsafeMutableBufferPointer { controls in
          Self.addEvenness(to: rows, startsReflected ? 1 : 0, count - (endsReflected ? 3 : 2))
          Self.add(samples, to: rows, sums, startsReflected, endsReflected)
          Self.substitute(controls, outside: range, rows, sums)
          Self.eliminate(range, rows, sums)
          Self.substituteBack(controls, range, rows, sums)
        }
      }
    }
  }

  /// Adds equations by which control points are halfway between their neighbours.
  private static func addEvenness(
    to rows: UnsafeMutableBufferPointer<Row>, _ start: Int, _ end: Int
  ) {
    let one = Matrix.identity * evenness
    for index in start..<max(start, end) {
      rows[index].a += one
      rows[index].b -= 2 * one
      rows[index].c += one
      rows[index + 1].a += 4 * one
      rows[index + 1].b -= 2 * one
      rows[index + 2].a += one
    }
  }

  private static func add(
    _ samples: UnsafeMutableBufferPointer<FitSample>, to rows: UnsafeMutableBufferPointer<Row>,
    _ sums: UnsafeMutableBufferPointer<SIMD2<Double>>, _ startsReflected: Bool,
    _ endsReflected: Bool
  ) {
    let lastSpan = rows.count - 4
    for index in 1..<samples.count - 1 {
      let sample = samples[index]
      guard sample.parameter >= 0 else { continue }
      let number = min(Int(sample.parameter), lastSpan)
      let u = sample.parameter - Double(number)
      let v = 1 - u
      let sixth = 1.0 / 6
      var (w0, w1) = (v * v * v * sixth, ((3 * u - 6) * u * u + 4) * sixth)
      var (w2, w3) = ((((3 - 3 * u) * u + 3) * u + 1) * sixth, u * u * u * sixth)
      if number == 0, startsReflected { (w0, w1, w2) = (0, w1 + 2 * w0, w2 - w0) }
      if number == lastSpan, endsReflected { (w1, w2, w3) = (w1 - w3, w2 + 2 * w3, 0) }
      var weight = Matrix(aside: sample.velocity, sample.inverseSquare, along: along)
      if sample.isAdded { weight *= addedWeight }
      let place = weight * sample.place
      let (m0, m1, m2, m3) = (weight * w0, weight * w1, weight * w2, weight * w3)
      rows[number].a += m0 * w0
      rows[number].b += m0 * w1
      rows[number].c += m0 * w2
      rows[number].d += m0 * w3
      rows[number + 1].a += m1 * w1
      rows[number + 1].b += m1 * w2
      rows[number + 1].c += m1 * w3
      rows[number + 2].a += m2 * w2
      rows[number + 2].b += m2 * w3
      rows[number + 3].a += m3 * w3
      sums[number] += place * w0
      sums[number + 1] += place * w1
      sums[number + 2] += place * w2
      sums[number + 3] += place * w3
    }
  }

  /// Moves the known control points to the right-hand side.
  private static func substitute(
    _ controls: UnsafeMutableBufferPointer<SIMD2<Double>>, outside range: Range<Int>,
    _ rows: UnsafeMutableBufferPointer<Row>, _ sums: UnsafeMutableBufferPointer<SIMD2<Double>>
  ) {
    for index in max(range.lowerBound - 3, 0)..<range.lowerBound {
      let row = rows[index]
      func move(_ matrix: Matrix, _ other: Int) {
        if range.contains(other) { sums[other] -= matrix.transposed * controls[index] }
      }
      move(row.b, index + 1)
      move(row.c, index + 2)
      move(row.d, index + 3)
    }
    for index in range.suffix(3) {
      let row = rows[index]
      func move(_ matrix: Matrix, _ other: Int) {
        if other >= range.upperBound, other < rows.count { sums[index] -= matrix * controls[other] }
      }
      move(row.b, index + 1)
      move(row.c, index + 2)
      move(row.d, index + 3)
    }
  }

  private static func eliminate(
    _ range: Range<Int>, _ rows: UnsafeMutableBufferPointer<Row>,
    _ sums: UnsafeMutableBufferPointer<SIMD2<Double>>
  ) {
    // Rows after the range are known, and may be changed.
    for index in range {
      let row = rows[index]
      // Where samples are rare, each row would multiply a difference between the halves by up to
      // four.
      let inverse = row.a.symmetric.inverse
      let (b, c, d) = (inverse * row.b, inverse * row.c, inverse * row.d)
      let sum = sums[index]
      rows[index + 1].a -= row.b.transposed * b
      rows[index + 1].b -= row.b.transposed * c
      rows[index + 1].c -= row.b.transposed * d
      sums[index + 1] -= b.transposed * sum
      rows[index + 2].a -= row.c.transposed * c
      rows[index + 2].b -= row.c.transposed * d
      sums[index + 2] -= c.transposed * sum
      if index + 3 < rows.count {
        rows[index + 3].a -= row.d.transposed * d
        sums[index + 3] -= d.transposed * sum
      }
      rows[index] = Row(a: row.a, b: b, c: c, d: d)
      sums[index] = inverse * sum
    }
  }

  private static func substituteBack(
    _ controls: UnsafeMutableBufferPointer<SIMD2<Double>>, _ range: Range<Int>,
    _ rows: UnsafeMutableBufferPointer<Row>, _ sums: UnsafeMutableBufferPointer<SIMD2<Double>>
  ) {
    var (next, second, third) = (SIMD2<Double>.zero, SIMD2<Double>.zero, SIMD2<Double>.zero)
    for index in range.reversed() {
      let row = rows[index]
      let control = sums[index] - row.b * next - row.c * second - row.d * third
      controls[index] = control
      (next, second, third) = (control, next, second)
    }
  }
}

/// A matrix of two rows and columns.
private struct Matrix: Sendable {
  /// The columns.
  var x, y: SIMD2<Double>

  static let zero = Matrix(x: .zero, y: .zero)
  static let identity = Matrix(x: SIMD2(1, 0), y: SIMD2(0, 1))

  @inline(__always)
  init(x: SIMD2<Double>, y: SIMD2<Double>) { (self.x, self.y) = (x, y) }

  /// The square of a distance: whole across a direction, and a part of it along; whole if there is
  /// no direction.
  @inline(__always)
  init(aside direction: SIMD2<Double>, _ inverseSquare: Double, along: Double) {
    let less = (along - 1) * inverseSquare * direction
    x = less * direction.x + SIMD2(1, 0)
    y = less * direction.y + SIMD2(0, 1)
  }

  @inline(__always)
  var transposed: Matrix { Matrix(x: SIMD2(x.x, y.x), y: SIMD2(x.y, y.y)) }

  /// The nearest matrix that is symmetric.
  @inline(__always)
  var symmetric: Matrix {
    let aside = (x.y + y.x) / 2
    return Matrix(x: SIMD2(x.x, aside), y: SIMD2(aside, y.y))
  }

  @inline(__always)
  var inverse: Matrix {
    let factor = 1 / max(x.x * y.y - x.y * y.x, 1e-18)
    return Matrix(x: SIMD2(y.y, -x.y) * factor, y: SIMD2(-y.x, x.x) * factor)
  }

  @inline(__always)
  static func += (a: inout Matrix, b: Matrix) {
    a.x += b.x
    a.y += b.y
  }

  @inline(__always)
  static func -= (a: inout Matrix, b: Matrix) {
    a.x -= b.x
    a.y -= b.y
  }

  @inline(__always)
  static func * (a: Matrix, b: Double) -> Matrix { Matrix(x: a.x * b, y: a.y * b) }
  @inline(__always)
  static func * (a: Double, b: Matrix) -> Matrix { b * a }
  @inline(__always)
  static func *= (a: inout Matrix, b: Double) { a = a * b }
  @inline(__always)
  static func * (a: Matrix, b: SIMD2<Double>) -> SIMD2<Double> { a.x * b.x + a.y * b.y }
  @inline(__always)
  static func * (a: Matrix, b: Matrix) -> Matrix { Matrix(x: a * b.x, y: a * b.y) }
}
