import Graphics
import Strokes

extension PKStrokePath {
  /// The path without the tremor of the hand. Each control point moves to the weighted mean of the
  /// path around it, up to a distance to both sides; nearer parts have more weight. Both ends stay
  /// fixed.
  ///
  /// The leading edge of a blade turns with its direction. Close points turn it by many degrees for
  /// a tenth of a point, and each turn would show as a rib.
  func steadied(over distance: Double) -> PKStrokePath {
    var points = self.points
    guard points.count > 2, distance > 0 else { return self }
    // Two means over boxes equal one with triangular weights.
    for _ in 0..<2 {
      guard let means = Polyline(points)?.means(over: distance / 2) else { return self }
      for index in points.indices { points[index].location = means[index] }
    }
    return PKStrokePath(
      storedPoints: points.map { $0.stored(in: .current) }, creationDate: creationDate)
  }
}

/// The straight lines between control points.
private struct Polyline {
  /// The corners, from the first one.
  private var corners: [SIMD2<Double>] = []
  private let origin: SIMD2<Double>
  /// The length of the way to each corner, and the integral of the location along it.
  private var arcs: [Double] = []
  private var integrals: [SIMD2<Double>] = []

  /// Nil beyond a million points, where differences of integrals are not precise.
  init?(_ points: [PKStrokePoint]) {
    origin = points.first.map { SIMD2($0.location.x, $0.location.y) } ?? .zero
    var (last, arc, integral) = (SIMD2<Double>.zero, 0.0, SIMD2<Double>.zero)
    for point in points {
      let corner = SIMD2(point.location.x, point.location.y) - origin
      let way = corner - last
      let length = (way * way).sum().squareRoot()
      arc += length
      integral += (last + corner) * (length / 2)
      guard arc < 1e6 else { return nil }
      corners.append(corner)
      arcs.append(arc)
      integrals.append(integral)
      last = corner
    }
  }

  /// The mean locations of the path around all corners, up to `reach` to both sides, and no further
  /// than the nearer end. Linear in the number of corners.
  func means(over reach: Double) -> [Point] {
    let whole = arcs.last ?? 0
    var (first, last) = (0, 0)
    return corners.indices.map { index in
      let part = min(reach, arcs[index], whole - arcs[index])
      var mean = corners[index]
      if part > 1e-6 {
        let sum =
          integral(to: arcs[index] + part, from: &last)
          - integral(to: arcs[index] - part, from: &first)
        mean = sum / (2 * part)
      }
      return Point(x: origin.x + mean.x, y: origin.y + mean.y)
    }
  }

  /// The integral of the location to a point of the way. `corner` is one before it, and becomes the
  /// last one.
  private func integral(to arc: Double, from corner: inout Int) -> SIMD2<Double> {
    while corner + 2 < corners.count, arcs[corner + 1] < arc { corner += 1 }
    let (length, part) = (arcs[corner + 1] - arcs[corner], arc - arcs[corner])
    guard length > 0 else { return integrals[corner] }
    let bend = (corners[corner + 1] - corners[corner]) * (part * part / (2 * length))
    return integrals[corner] + corners[corner] * part + bend
  }
}
