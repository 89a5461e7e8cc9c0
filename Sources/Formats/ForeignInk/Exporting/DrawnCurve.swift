import Graphics
import Strokes

/// A piece of a stroke in the form of other programs: the path of a round tip on the canvas. At
/// each point, the tip is as wide as the stroke is across its direction.
struct DrawnCurve {
  /// A point on the curve.
  struct CurvePoint {
    /// The point of the curve. At the ends of blades, it is moved so that a round end covers the
    /// same area.
    var location: Point
    /// The drawn width.
    let width: Double
    /// The parameter of the point on the stroke's path.
    let parameter: Double
  }

  private(set) var points: [CurvePoint]
  private let path: PKStrokePath

  /// The values of the pen at a point; location and size are those before the stroke's transform.
  func pen(at point: CurvePoint) -> PKStrokePoint { path.interpolatedPoint(at: point.parameter) }

  /// The width, if it is visibly constant.
  var constantWidth: Double? {
    var (low, high) = (Double.infinity, 0.0)
    for point in points { (low, high) = (min(low, point.width), max(high, point.width)) }
    return high - low <= 0.02 * high ? high : nil
  }

  var maximumWidth: Double { points.reduce(0) { max($0, $1.width) } }

  /// The width of a line of constant width that covers the same area.
  var meanWidth: Double {
    var (area, length) = (0.0, 0.0)
    for (first, second) in zip(points, points.dropFirst()) {
      let step = first.location.distance(to: second.location)
      area += step * (first.width + second.width) / 2
      length += step
    }
    return length > 0 ? area / length : maximumWidth
  }

  /// The curve along a chain of nibs, which are not transformed yet.
  fileprivate init(_ chain: [NibSample], of stroke: PKStroke, endsAtPen: Bool) {
    path = stroke.path
    let tips = chain.map { Tip($0.nib, through: stroke.transform) }
    points = []
    points.reserveCapacity(tips.count)
    var before: Point?
    for (index, tip) in tips.enumerated() {
      let after = index + 1 < tips.count ? (tips[index + 1].center - tip.center).normalized : nil
      let widths = [before, after].compactMap { $0.map(tip.width(along:)) }
      points.append(
        CurvePoint(
          location: tip.center,
          width: widths.isEmpty
            ? tip.restingWidth : widths.reduce(0, +) / Double(widths.count),
          parameter: chain[index].parameter))
      before = after ?? before
    }
    guard !endsAtPen, let first = tips.first, let last = tips.last, points.count > 1 else {
      return
    }
    moveEnd(0, next: 1, first)
    moveEnd(points.count - 1, next: points.count - 2, last)
  }

  /// Moves an end outwards or inwards, so that a round end covers the same area as the nib does
  /// beyond the end of the path.
  private mutating func moveEnd(_ end: Int, next: Int, _ tip: Tip) {
    let way = points[end].location - points[next].location
    guard let direction = way.normalized, points[end].width > 0 else { return }
    let move = tip.area / 2 / points[end].width - .pi / 8 * points[end].width
    // The ends of a short stroke must not swap.
    points[end].location =
      points[end].location
      + direction * min(max(move, -0.45 * way.length), 2 * tip.restingWidth)
  }
}

/// A nib on the canvas.
private struct Tip {
  let center: Point
  private let nib: Nib
  private let transform: AffineTransform

  init(_ nib: Nib, through transform: AffineTransform) {
    center = nib.center.applying(transform)
    var tip = nib
    // A blade as high as wide is written, and read back, with one width for all directions.
    if abs(nib.halfExtent.width - nib.halfExtent.height) <= 1e-3 * nib.halfExtent.width {
      tip.exponent = 2
    }
    self.nib = tip
    self.transform = transform
  }

  /// The width of the line that the nib draws in a direction of the canvas, whose length is 1.
  func width(along direction: Point) -> Double {
    let normal = Point(x: -direction.y, y: direction.x)
    let local = Point(
      x: transform.a * normal.x + transform.b * normal.y,
      y: transform.c * normal.x + transform.d * normal.y)
    return 2 * (nib.support(local) - nib.center).dot(local)
  }

  /// The area of the nib on the canvas.
  var area: Double {
    // A superellipse covers this share of its bounding box. The shares of the inks' blades differ
    // by a hundredth at most.
    let part = nib.exponent == 2 ? .pi / 4 : 0.96
    let determinant = abs(transform.a * transform.d - transform.b * transform.c)
    return part * 4 * nib.halfExtent.width * nib.halfExtent.height * determinant
  }

  /// The diameter of a disc of the same area.
  var restingWidth: Double { 2 * (area / .pi).squareRoot() }
}

extension PKStroke {
  /// The pieces of a stroke in ranges of its path. Straight lines between the points deviate from
  /// the drawn curve by at most the tolerance, in points. With `endsAtPen`, ends are at the pen's
  /// positions, also for blades.
  func drawnCurves(
    in ranges: [ClosedRange<Double>], tolerance: Double = 0.05, endsAtPen: Bool = false
  ) -> [DrawnCurve] {
    let scale = transform.meanScale
    return ranges.flatMap { range in
      sparseNibChains(in: range, tolerance: tolerance / max(scale, 1e-3)).map {
        DrawnCurve($0, of: self, endsAtPen: endsAtPen)
      }
    }
  }

  /// Whether the nib is not a disc on the canvas. Other programs have no such tips.
  var hasBlade: Bool {
    let shape = nibShape
    guard shape.exponent == 2, path.hasSquareSizes else { return true }
    return shape.squareRatio != 1 && ink.widthLaw == .pencilKit
  }
}
