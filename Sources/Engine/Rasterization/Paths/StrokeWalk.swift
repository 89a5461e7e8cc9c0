import CRasterKernels
import Graphics
import Strokes

/// How precisely the paths of a picture are walked.
struct WalkPrecision {
  /// The maximum distance between chords and the curve, in pixels.
  var tolerance: Double
  /// The side of the squares of pixels that are averaged.
  let reduction: Int
  let kernels: UnsafePointer<RasterKernels>
}

/// Samples the spline of a stroke in pixels.
struct StrokeWalk {
  let path: PKStrokePath
  let range: ClosedRange<Double>
  /// From the path's points to pixels.
  let transform: AffineTransform
  private(set) var precision: WalkPrecision

  /// The same walk for textured inks: their grain and soft edges hide three times the deviation
  /// that a sharp edge may have, with little more than half of the chords.
  var coarse: StrokeWalk {
    var walk = self
    walk.precision.tolerance *= 3
    return walk
  }

  /// Calls `body` for positions along the path: the index of the span between two control points,
  /// the parameter u in it from 0 to 1, and the position in pixels. The positions in a span depend
  /// on that span alone, so a growing stroke keeps its pixels.
  @inline(__always)
  func forEachSample(
    pieces minimum: (_ span: Int) -> Int = { _ in 1 },
    _ body: (_ span: Int, _ u: Double, _ position: SIMD2<Double>) -> Void
  ) {
    guard !path.isEmpty else { return }
    let (first, last) = (
      path.spanPosition(of: range.lowerBound), path.spanPosition(of: range.upperBound)
    )
    let (columnX, columnY) = (
      SIMD2(transform.a, transform.b), SIMD2(transform.c, transform.d)
    )
    let origin = SIMD2(transform.tx, transform.ty)
    let scale = max(
      (columnX * columnX).sum() + (columnY * columnY).sum(), .leastNormalMagnitude
    ).squareRoot()
    @inline(__always) func position(_ span: SplineSpan, _ u: Double) -> SIMD2<Double> {
      let p = ((span.c3 * u + span.c2) * u + span.c1) * u + span.c0
      return columnX * p.x + columnY * p.y + origin
    }
    let bendPerChord = 8 * precision.tolerance / scale
    let division = RasterDivision(
      a: transform.a, b: transform.b, c: transform.c, d: transform.d, tx: transform.tx,
      ty: transform.ty, squaredBends: 1 / (bendPerChord * bendPerChord),
      longest: DevicePoint.limit / 2 / scale)
    let columns = path.columns
    body(first.span, first.u, position(columns.span(first.span), first.u))
    var ends = RasterSpanEnds()
    var divided = 0..<0
    for index in first.span...last.span {
      let (from, to) = (index == first.span ? first.u : 0, index == last.span ? last.u : 1)
      guard to > from else { continue }
      if !divided.contains(index) {
        divided = ends.divide(
          columns, from: index, through: last.span, by: division, precision.kernels)
      }
      let slot = index - divided.lowerBound
      let isDivided = divided.contains(index)
      var pieces = isDivided ? ends.pieceCount(slot) : 0
      if pieces == 0 {
        let span = columns.span(index)
        // Samples outside of the limits are skipped. Short pieces ensure that nothing inside of the
        // picture is skipped with them.
        pieces = max(
          span.pieceCount(squaredBends: division.squaredBends),
          span.pieceCount(length: division.longest))
      }
      pieces = max(pieces, minimum(index))
      if pieces > 1 {
        let span = columns.span(index)
        let step = 1 / Double(pieces)
        for piece in 1..<pieces {
          let u = Double(piece) * step
          if u > from, u < to { body(index, u, position(span, u)) }
        }
      }
      body(
        index, to,
        isDivided && to == 1 ? ends.end(slot) : position(columns.span(index), to))
    }
  }
}

extension RasterSpanEnds {
  /// Divides some of the next spans of a path, and returns their range. It is empty at a path's ends,
  /// where control points are mirrored.
  mutating func divide(
    _ columns: PointColumns, from first: Int, through last: Int, by division: RasterDivision,
    _ kernels: UnsafePointer<RasterKernels>
  ) -> Range<Int> {
    let end = min(last + 1, columns.count - 2, first + Int(RasterSpanCount))
    guard first >= 1, first < end else { return first..<first }
    columns.floats.withUnsafeBufferPointer { floats in
      guard let base = floats.baseAddress else { return }
      kernels.pointee.divideSpans(
        base + first - 1, base + columns.count + first - 1, Int32(end - first), division, &self)
    }
    return first..<end
  }

  @inline(__always)
  mutating func pieceCount(_ slot: Int) -> Int {
    withUnsafeBytes(of: &pieces) { Int($0[slot]) }
  }

  @inline(__always)
  mutating func end(_ slot: Int) -> SIMD2<Double> {
    func value(_ bytes: UnsafeRawBufferPointer) -> Double {
      bytes.loadUnaligned(fromByteOffset: slot * 8, as: Double.self)
    }
    return SIMD2(withUnsafeBytes(of: &x, value), withUnsafeBytes(of: &y, value))
  }
}

extension SplineSpan {
  /// The number of straight pieces that keep the tolerance: the distance of a chord from the curve
  /// is at most an eighth of the second derivative times the step squared. `squaredBends` is one
  /// over the square of eight tolerances.
  @inline(__always)
  fileprivate func pieceCount(squaredBends: Double) -> Int {
    let (start, end) = (2 * c2, 2 * c2 + 6 * c3)
    // The fourth power of the count, so that small counts need no root.
    let power = max((start * start).sum(), (end * end).sum()) * squaredBends
    if power <= 1 { return 1 }
    if power <= 16 { return 2 }
    if power <= 81 { return 3 }
    let pieces = power.squareRoot().squareRoot().rounded(.up)
    return pieces < 1024 ? Int(clamping: pieces) : 1024
  }

  /// The number of pieces of which none is longer than a length.
  @inline(__always)
  fileprivate func pieceCount(length: Double) -> Int {
    let x = c1.x.magnitude + 2 * c2.x.magnitude + 3 * c3.x.magnitude
    let y = c1.y.magnitude + 2 * c2.y.magnitude + 3 * c3.y.magnitude
    let longest = x + y
    guard longest > length else { return 1 }
    let pieces = (longest / length).rounded(.up)
    return pieces < 1024 ? Int(clamping: pieces) : 1024
  }
}

/// The opacity along a path, in steps so small that their edges do not show: each is drawn by
/// itself.
struct PathOpacity {
  /// The step, in 255ths.
  private static let step = 3.0
  private let values: [Double]
  /// The distances between the points, in pixels.
  private let lengths: [Double]

  /// Nil if all points have the same opacity.
  init?(_ path: PKStrokePath, scale: Double) {
    guard path.hasSeveralOpacities else { return nil }
    let points = path.points
    values = points.map { min($0.opacity, 1) }
    lengths = zip(points, points.dropFirst()).map { ($1.location - $0.location).length * scale }
  }

  func level(_ span: Int, _ u: Double) -> UInt8 {
    let (a, b) = (values[span], values[min(span + 1, values.count - 1)])
    return UInt8(clamping: ((a + (b - a) * u) * (255 / Self.step)).rounded() * Self.step)
  }

  /// The number of pieces of a span, of which each has one opacity or is shorter than a pixel.
  func pieceCount(_ span: Int) -> Int {
    guard span < lengths.count else { return 1 }
    let steps = abs(Int(level(span, 0)) - Int(level(span, 1))) / Int(Self.step)
    return max(min(steps, Int(clamping: lengths[span].rounded(.up))), 1)
  }
}
