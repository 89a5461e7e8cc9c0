import Graphics
import Strokes

/// The curve that Catmull and Rom described: it passes through its control points, the first and the last excepted,
/// which only give directions.
struct CatmullRomCurve {
  let points: [PKStrokePoint]
  /// The parameter at which the first span begins, and that at which the last one ends.
  let start, end: Double

  /// A curve; parameters outside 0…1 are limited.
  init(_ points: [PKStrokePoint], from start: Double, to end: Double) {
    self.points = points
    self.start = start > 0 ? min(start, 1) : 0
    self.end = end < 1 ? max(end, 0) : 1
  }

  /// A span is divided into at most this number of pieces.
  private static let pieceLimit = 24
  /// The number of points up to which curves have that many; a file of a few bytes cannot ask for millions.
  private static let sampleLimit = 200_000

  /// Points of the curve. The lines between them are nowhere farther from it than the tolerance, nor the widths; spans
  /// that would need too many are coarser.
  func samples(tolerance: Double) -> [PKStrokePoint] {
    // A curve without spans is what a tap leaves.
    guard points.count >= 4 else { return points }
    let spanCount = points.count - 3
    let limit = max(min(Self.pieceLimit, Self.sampleLimit / spanCount), 1)
    var samples: [PKStrokePoint] = []
    samples.reserveCapacity(2 * points.count)
    for index in 0..<spanCount {
      let span = Span(points[index...index + 3])
      let first = index == 0 ? start : 0
      let last = index == spanCount - 1 ? end : 1
      if index == 0 { samples.append(span.point(at: first)) }
      guard first < last else { continue }
      let pieces = span.pieceCount(from: first, to: last, tolerance: tolerance, limit: limit)
      for piece in 1...pieces {
        samples.append(span.point(at: first + (last - first) * Double(piece) / Double(pieces)))
      }
    }
    return samples
  }

  /// The curve between two points.
  private struct Span {
    /// The points at both ends.
    let from, to: PKStrokePoint
    /// The coefficients of the polynomial: x, y, width, height.
    let c0, c1, c2, c3: SIMD4<Double>

    init(_ points: ArraySlice<PKStrokePoint>) {
      let p = points.map { SIMD4($0.location.x, $0.location.y, $0.size.width, $0.size.height) }
      from = points[points.startIndex + 1]
      to = points[points.startIndex + 2]
      c0 = p[1]
      c1 = (p[2] - p[0]) / 2
      c2 = p[0] - 2.5 * p[1] + 2 * p[2] - p[3] / 2
      c3 = (p[3] - p[0]) / 2 + 1.5 * (p[1] - p[2])
    }

    /// The number of lines that keep a tolerance: a chord is as far from its curve as an eighth of the second
    /// derivative times the square of its length.
    func pieceCount(from first: Double, to last: Double, tolerance: Double, limit: Int) -> Int {
      func bend(_ u: Double) -> Double {
        let second = 2 * c2 + 6 * u * c3
        return (second * second).sum().squareRoot()
      }
      let length = last - first
      let count = (max(bend(first), bend(last)) / (8 * tolerance)).squareRoot() * length
      return count < Double(limit) ? max(Int(count.rounded(.up)), 1) : limit
    }

    func point(at u: Double) -> PKStrokePoint {
      let value = ((c3 * u + c2) * u + c1) * u + c0
      var point = from.mixed(with: to, u)
      point.location = Point(x: value.x, y: value.y)
      point.size = Size(width: max(value.z, 0), height: max(value.w, 0))
      return point
    }
  }
}
