import Graphics

/// The part of a uniform cubic B-spline between two neighbouring control points, as the polynomial
/// `c0 + c1·u + c2·u² + c3·u³` for u from 0 to 1.
@usableFromInline
package struct SplineSpan: Sendable {
  @usableFromInline package let c0, c1, c2, c3: SIMD2<Double>

  /// The span between `b` and `c`, whose neighbours are `a` and `d`.
  @inlinable @inline(__always)
  package init(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>, _ d: SIMD2<Double>) {
    c0 = (a + 4 * b + c) / 6
    c1 = (c - a) / 2
    c2 = (a - 2 * b + c) / 2
    c3 = (3 * (b - c) + d - a) / 6
  }

  @inline(__always)
  func location(at u: Double) -> Point {
    let p = ((c3 * u + c2) * u + c1) * u + c0
    return Point(x: p.x, y: p.y)
  }

  @inline(__always)
  func velocity(at u: Double) -> Point {
    let v = (3 * c3 * u + 2 * c2) * u + c1
    return Point(x: v.x, y: v.y)
  }

  /// The length of the curve between two parameters, by Gaussian quadrature with five points on
  /// each quarter. It is exact to eight digits for spans that a hand draws.
  func length(from start: Double, to end: Double) -> Double {
    let pieces = 4
    let half = (end - start) / Double(2 * pieces)
    var sum = 0.0
    for piece in 0..<pieces {
      let middle = start + half * Double(2 * piece + 1)
      sum += velocity(at: middle).length * Self.centerWeight
      for (node, weight) in Self.nodes {
        sum +=
          (velocity(at: middle - half * node).length + velocity(at: middle + half * node).length)
          * weight
      }
    }
    return sum * half
  }

  private static let centerWeight = 128.0 / 225
  private static let nodes = [
    (0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.906_179_845_938_664_0, 0.236_926_885_056_189_1),
  ]

  /// The parameter at a distance along the curve from another; the distance must fit into the span.
  func parameter(from start: Double, distance: Double) -> Double {
    let forwards = distance >= 0
    var (near, far) = forwards ? (start, 1.0) : (start, 0.0)
    var guess = start + distance / max(velocity(at: start).length, 1e-12)
    // Newton's method, kept between shrinking bounds, because the speed can be zero at a cusp.
    for _ in 0..<40 {
      if forwards ? guess <= near || guess >= far : guess >= near || guess <= far {
        guess = (near + far) / 2
      }
      let rest = distance - length(from: start, to: guess)
      if abs(rest) < 1e-12 || abs(far - near) < 1e-15 { break }
      if forwards ? rest > 0 : rest < 0 { near = guess } else { far = guess }
      guess += rest / max(velocity(at: guess).length, 1e-12)
    }
    return min(max(guess, 0), 1)
  }
}

extension PKStrokePath {
  /// A control point's location as a vector, also just beyond the ends.
  @inline(__always)
  func controlLocation(_ index: Int) -> SIMD2<Double> { columns.controlLocation(index) }

  /// The span between the control points `index` and `index + 1`; a dot has the span 0.
  @inline(__always)
  package func span(_ index: Int) -> SplineSpan { columns.span(index) }

  /// The longer side of the box around all control points.
  var controlExtent: Double {
    let box = controlBox ?? .zero
    return Swift.max(box.width, box.height)
  }

  /// The number of spans between control points; a dot has one, of length 0.
  package var spanCount: Int { Swift.max(count - 1, 1) }

  /// The index of the span that contains a parameter value, and the parameter u in it from 0 to 1.
  /// Values beyond the path are clamped to its ends.
  @inline(__always)
  package func spanPosition(of parameter: Double) -> (span: Int, u: Double) {
    let value = Swift.min(Swift.max(parameter, 0), parameterRange.upperBound)
    let span = Swift.min(Int(clamping: value), spanCount - 1)
    return (span, value.isNaN ? 0 : value - Double(span))
  }
}
