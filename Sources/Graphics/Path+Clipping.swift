extension Path {
  /// The part of the path inside a rectangle, as lines that may run along its sides. Points that are not on
  /// the sides have the winding numbers that they had.
  ///
  /// This takes a small part of the time of `intersection`, and leaves little to combine with what is in the
  /// rectangle.
  package func clipped(to rect: Rect, tolerance: Double = 0.05) -> Path {
    guard isFinite else { return Path() }
    let sides: [(Point) -> Double] = [
      { $0.x - rect.minX }, { rect.maxX - $0.x }, { $0.y - rect.minY }, { rect.maxY - $0.y },
    ]
    let polygons = flattened(tolerance: tolerance).map { polygon in
      sides.reduce(polygon) { $0.clipped(by: $1) }
    }
    return Path(polygons: polygons, fillRule: fillRule)
  }
}

extension [Point] {
  /// The part of the closed polygon on the side of a line to which distances are not negative (Sutherland and
  /// Hodgman 1974).
  fileprivate func clipped(by distance: (Point) -> Double) -> [Point] {
    guard var from = last else { return [] }
    var result: [Point] = []
    var fromDistance = distance(from)
    for to in self {
      let toDistance = distance(to)
      if (fromDistance < 0) != (toDistance < 0) {
        result.append(from.interpolated(to: to, at: fromDistance / (fromDistance - toDistance)))
      }
      if toDistance >= 0 { result.append(to) }
      (from, fromDistance) = (to, toDistance)
    }
    return result
  }
}
