import Graphics
import Strokes

/// A piece of a stroke as other programs hold ink: points on the drawn curve, on the canvas, with the drawn widths.
struct DrawnCurve {
  /// A point on the curve.
  struct CurvePoint {
    let location: Point
    /// The drawn width.
    let width: Double
    /// The values of the pen; its location and size are those before the stroke's transform.
    let pen: PKStrokePoint
  }

  let points: [CurvePoint]
  let ink: PKInk
  /// When the stroke began, from which the times of its points count.
  let start: Timestamp

  /// The width, if it is the same everywhere as far as an eye can see.
  var constantWidth: Double? {
    let widths = points.map(\.width)
    guard let low = widths.min(), let high = widths.max(), high - low <= 0.02 * high else {
      return nil
    }
    return high
  }

  var maximumWidth: Double { points.map(\.width).max() ?? 0 }
}

extension PKStroke {
  /// The visible pieces of a stroke. Straight lines between the points deviate from the drawn curve by at most the
  /// tolerance, in points.
  func drawnCurves(tolerance: Double = 0.05) -> [DrawnCurve] {
    let ranges: [ClosedRange<Double>?] = mask == nil ? [nil] : maskedPathRanges.map { $0 }
    let determinant = abs(transform.a * transform.d - transform.b * transform.c)
    let scale = determinant.squareRoot()
    return ranges.flatMap { range in
      nibChains(in: range, tolerance: tolerance / max(scale, 1e-3)).map { chain in
        DrawnCurve(
          points: chain.map { sample in
            let extent = sample.nib.halfExtent
            return .init(
              location: sample.nib.center.applying(transform),
              width: 2 * max(extent.width, extent.height) * scale,
              pen: path.interpolatedPoint(at: sample.parameter))
          }, ink: ink, start: path.creationDate)
      }
    }
  }
}
