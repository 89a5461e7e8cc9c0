import Graphics

/// A closed line that a hand draws around strokes to select them. All enclosed areas count, even if
/// the line crosses itself.
struct Lasso {
  /// A box around the line.
  let box: Rect
  private let polygon: [Point]

  /// A lasso through points, without those that are infinite or undefined.
  init(_ points: [Point]) {
    polygon = points.filter { $0.x.isFinite && $0.y.isFinite }
    box = polygon.count < 3 ? .null : Rect(around: polygon)
  }

  /// The maximum number of pieces of a stroke that are compared with the lasso. So a page of
  /// thousands of strokes takes some milliseconds.
  private static let maximumPieceCount = 64.0
  /// The minimum: a long straight line may have two control points only.
  private static let minimumPieceCount = 16.0

  /// Whether more than half of a stroke's visible ink lies inside. Ink is measured along the middle
  /// of the stroke, in pieces that are inside or outside as their middles are.
  func holds(_ stroke: PKStroke) -> Bool {
    guard !stroke.path.isEmpty else { return false }
    let mask = stroke.mask?.flattened() ?? []
    func isVisible(_ location: Point) -> Bool {
      stroke.mask.map { $0.fillRule.isInside(winding(of: mask, around: location)) } ?? true
    }
    var (inside, all) = (0.0, 0.0)
    func count(_ location: Point, _ amount: Double) {
      let location = location.applying(stroke.transform)
      all += amount
      if box.contains(location), polygon.winding(around: location) != 0 { inside += amount }
    }
    let range = stroke.visiblePathRange
    let length = range.upperBound - range.lowerBound
    let pieces =
      length > 0
      ? max(min(4 * length, Self.maximumPieceCount), Self.minimumPieceCount).rounded(.up) : 1
    var start = stroke.path.interpolatedLocation(at: range.lowerBound)
    for piece in 1...Int(pieces) {
      let end = stroke.path.interpolatedLocation(
        at: range.lowerBound + length * Double(piece) / pieces)
      let middle = start + (end - start) * 0.5
      // A dot has no length.
      if isVisible(middle) { count(middle, max(start.distance(to: end), 1e-6)) }
      start = end
    }
    // All remains of an eraser are between these positions, or beside the middle of the stroke.
    if all == 0 {
      for corner in mask.joined() { count(corner, 1) }
    }
    return inside > all / 2
  }

  private func winding(of polygons: [[Point]], around point: Point) -> Int {
    polygons.reduce(0) { $0 + $1.winding(around: point) }
  }
}
