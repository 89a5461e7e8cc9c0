extension Path {
  /// The part of the path inside a rectangle, as lines that may run along its sides. Points that
  /// are not on the sides have the winding numbers that they had.
  ///
  /// This takes a small part of the time of `intersection`, and leaves few edges for later
  /// combinations inside of the rectangle.
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

  /// The path with fewer elements outside of a rectangle. Inside, the elements are the same, and so
  /// are the winding numbers: consecutive elements beyond one side of the rectangle become a line.
  ///
  /// Combining another path inside of the rectangle with the result gives the same as with the
  /// whole path, to the last bit.
  package func simplified(outside rect: Rect) -> Path {
    guard isFinite else { return Path() }
    var result = Path(fillRule: fillRule)
    var contour = SimplifiedContour(rect: rect)
    for element in elements {
      if case .move = element { contour.finish(into: &result) }
      contour.add(element)
    }
    contour.finish(into: &result)
    return result
  }
}

/// A contour whose elements beyond one side of a rectangle become lines.
private struct SimplifiedContour {
  let rect: Rect
  private var elements: [Path.Element] = []
  private var pen = Point.zero
  private var penSides = Sides()
  /// The sides of the rectangle beyond which the skipped elements lie; empty if none was skipped
  /// since the last kept one.
  private var skippedSides = Sides()

  init(rect: Rect) { self.rect = rect }

  private struct Sides: OptionSet {
    let rawValue: UInt8
  }

  /// The sides of the rectangle beyond which a point is.
  private func sides(_ point: Point) -> Sides {
    var bits: UInt8 = 0
    if point.x < rect.minX { bits = 1 } else if point.x > rect.maxX { bits = 2 }
    if point.y < rect.minY { bits |= 4 } else if point.y > rect.maxY { bits |= 8 }
    return Sides(rawValue: bits)
  }

  mutating func add(_ element: Path.Element) {
    switch element {
    case .move(let to):
      elements.append(element)
      (pen, penSides) = (to, sides(to))
    case .line(let to):
      add(element, to, beyond: penSides)
    case .quadratic(let to, let control):
      add(element, to, beyond: penSides.intersection(sides(control)))
    case .cubic(let to, let control1, let control2):
      add(element, to, beyond: penSides.intersection(sides(control1)).intersection(sides(control2)))
    case .close:
      addSkipped()
      elements.append(element)
    }
  }

  private mutating func add(_ element: Path.Element, _ to: Point, beyond startSides: Sides) {
    let endSides = sides(to)
    let common = startSides.intersection(endSides)
    if !skippedSides.isEmpty, !skippedSides.isDisjoint(with: common) {
      skippedSides.formIntersection(common)
    } else {
      addSkipped()
      if common.isEmpty { elements.append(element) }
      skippedSides = common
    }
    (pen, penSides) = (to, endSides)
  }

  private mutating func addSkipped() {
    if !skippedSides.isEmpty { elements.append(.line(to: pen)) }
    skippedSides = []
  }

  /// Adds the contour to a path, and starts with an empty one.
  mutating func finish(into path: inout Path) {
    addSkipped()
    // A line there and back has nothing inside.
    if elements.count > 3 || elements.contains(where: { $0.isCurve }) { path.append(elements) }
    elements.removeAll(keepingCapacity: true)
  }
}

extension Path.Element {
  fileprivate var isCurve: Bool {
    switch self {
    case .quadratic, .cubic: true
    case .move, .line, .close: false
    }
  }
}

extension [Point] {
  /// The part of the closed polygon on the side of a line to which distances are not negative
  /// (Sutherland and Hodgman 1974).
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
