// Boolean operations on filled paths, in exact integer arithmetic.
//
// Both paths become edges between points of a fine grid. Snap rounding (Hobby 1999; Guibas and
// Marimont 1998) cuts the edges wherever they meet and moves the cuts to grid points. One pass is
// enough: a grid cell is *hot* if it contains an end or a crossing, and bending every edge through
// the centre of each hot cell it passes provably leaves no crossing. A sweep then computes the
// winding numbers of both paths on both sides of every edge. Edges with the inside on one side only
// are the boundary of the result.

extension Path {
  /// The area inside at least one of both paths.
  ///
  /// Each path is filled by its own rule; curves are flattened with the tolerance, in points.
  ///
  /// The result consists of simple polygons that never cross, for the nonzero rule: outer contours
  /// run clockwise on the canvas (positive `signedArea`), holes counterclockwise. Corners lie on a
  /// grid of 1/1024 point, coarser for paths that reach beyond ±262,144 points, and parts thinner
  /// than the grid may vanish. A path with infinite or NaN coordinates counts as empty.
  ///
  /// The cost grows with the number of edges whose vertical extents overlap in pairs, and with the
  /// number of crossings.
  public func union(_ other: Path, tolerance: Double = 0.05) -> Path {
    combined(with: other, tolerance: tolerance) { $0 || $1 }
  }

  /// The area as simple polygons, as `union` gives it; nil if edges cross more than
  /// `maximumCrossings` times.
  package func united(tolerance: Double, maximumCrossings: Int) -> Path? {
    var left = maximumCrossings
    return pieces(combinedWith: Path(), tolerance: tolerance, crossingsLeft: &left) { inside, _ in
      inside
    }.map { Path(polygons: $0.flatMap { $0 }) }
  }

  /// The area inside this path but not inside the other; otherwise like `union`.
  public func subtracting(_ other: Path, tolerance: Double = 0.05) -> Path {
    combined(with: other, tolerance: tolerance) { $0 && !$1 }
  }

  /// The area inside both paths; otherwise like `union`.
  public func intersection(_ other: Path, tolerance: Double = 0.05) -> Path {
    combined(with: other, tolerance: tolerance) { $0 && $1 }
  }

  /// The area inside both paths; nil if edges cross more than `crossingsLeft` times. Subtracts the
  /// crossings from `crossingsLeft`.
  package func intersection(
    _ other: Path, tolerance: Double, crossingsLeft: inout Int
  ) -> Path? {
    pieces(combinedWith: other, tolerance: tolerance, crossingsLeft: &crossingsLeft) { $0 && $1 }
      .map { Path(polygons: $0.flatMap { $0 }) }
  }

  /// The area inside exactly one of both paths; otherwise like `union`.
  package func symmetricDifference(_ other: Path, tolerance: Double = 0.05) -> Path {
    combined(with: other, tolerance: tolerance) { $0 != $1 }
  }

  /// The connected pieces of the inside, each one outer contour followed by its holes.
  ///
  /// Works on any path; the pieces have the form that `union` describes. Pieces that meet in single
  /// points only are separate.
  package func components(tolerance: Double = 0.05) -> [Path] {
    pieces(combinedWith: Path(), tolerance: tolerance) { inside, _ in inside }
      .map { Path(polygons: $0) }
  }

  /// The connected pieces of the area inside this path but not inside the other.
  package func pieces(subtracting other: Path, tolerance: Double = 0.05) -> [Path] {
    pieces(combinedWith: other, tolerance: tolerance) { $0 && !$1 }
      .map { Path(polygons: $0) }
  }

  private func combined(
    with other: Path, tolerance: Double, by isKept: (Bool, Bool) -> Bool
  ) -> Path {
    Path(polygons: pieces(combinedWith: other, tolerance: tolerance, by: isKept).flatMap { $0 })
  }

  /// The polygons of the result, grouped by piece, the outer one first.
  private func pieces(
    combinedWith other: Path, tolerance: Double, by isKept: (Bool, Bool) -> Bool
  ) -> [[[Point]]] {
    var left = Int.max
    return pieces(combinedWith: other, tolerance: tolerance, crossingsLeft: &left, by: isKept) ?? []
  }

  /// The same; nil if edges cross more than `crossingsLeft` times.
  private func pieces(
    combinedWith other: Path, tolerance: Double, crossingsLeft: inout Int,
    by isKept: (Bool, Bool) -> Bool
  ) -> [[[Point]]]? {
    let polygons = finitePolygons(tolerance: tolerance)
    let otherPolygons = other.finitePolygons(tolerance: tolerance)
    let grid = Grid(holding: [polygons, otherPolygons].joined().joined())
    var edges = grid.edges(of: polygons, winding: [1, 0])
    edges += grid.edges(of: otherPolygons, winding: [0, 1])
    edges = merged(edges)
    guard let hotPoints = hotPoints(of: edges, crossingsLeft: &crossingsLeft) else { return nil }
    edges = merged(bent(edges, through: hotPoints))
    let boundary = boundaryEdges(of: edges) { winding in
      isKept(fillRule.isInside(winding.x), other.fillRule.isInside(winding.y))
    }
    return grouped(loops(of: boundary), in: boundary).map { piece in
      piece.map { $0.map(grid.point) }
    }
  }

  /// The flattened contours; none if a coordinate is infinite or NaN, or becomes so by flattening.
  private func finitePolygons(tolerance: Double) -> [[Point]] {
    guard isFinite else { return [] }
    let polygons = flattened(tolerance: tolerance)
    return polygons.joined().allSatisfy { $0.isFinite } ? polygons : []
  }
}

// MARK: - The grid

/// A point, or a displacement, in whole grid units.
///
/// Coordinates stay within ±2^28, displacements within ±2^29, and so cross products within ±2^59:
/// all predicates are exact in 64 bits, which an `Int` in a web page does not have.
private struct GridPoint: Hashable, Comparable {
  var x: Int64
  var y: Int64

  /// The order of the sweep: from top to bottom, within a row from left to right.
  static func < (a: GridPoint, b: GridPoint) -> Bool { a.y == b.y ? a.x < b.x : a.y < b.y }

  static func - (a: GridPoint, b: GridPoint) -> GridPoint {
    GridPoint(x: a.x - b.x, y: a.y - b.y)
  }

  func cross(_ other: GridPoint) -> Int64 { x * other.y - y * other.x }
}

extension GridPoint {
  /// Makes all coordinates positive.
  private static let offset: Int64 = 1 << 29

  /// The rank of the point in the order of the sweep, as one number.
  fileprivate var rank: Int64 { (y << 30) + (x + Self.offset) }

  fileprivate init(rank: Int64) {
    self.init(x: (rank & ((1 << 30) - 1)) - Self.offset, y: rank >> 30)
  }
}

/// Converts between points and grid units.
private struct Grid {
  static let limit = 0x1p28 - 1
  /// A power of two, so that points on the grid are converted there and back without change.
  let unitsPerPoint: Double

  /// The grid of 1/1024 point, or the finest coarser one that keeps all points within its limit.
  init(holding points: some Sequence<Point>) {
    let reach = points.reduce(0) { max($0, abs($1.x), abs($1.y)) }
    let exponent = reach > 0 ? min(10, 27 - Int(reach.exponent)) : 10
    unitsPerPoint = Double(sign: .plus, exponent: exponent, significand: 1)
  }

  func snapped(_ point: Point) -> GridPoint {
    func snap(_ value: Double) -> Int64 {
      // Rounding alone could reach 2^28, which may exceed the largest Double when it is converted
      // back.
      Int64(clamping: min(max((value * unitsPerPoint).rounded(), -Self.limit), Self.limit))
    }
    return GridPoint(x: snap(point.x), y: snap(point.y))
  }

  func point(_ point: GridPoint) -> Point {
    Point(x: Double(point.x) / unitsPerPoint, y: Double(point.y) / unitsPerPoint)
  }

  func edges(of polygons: [[Point]], winding: Winding) -> [Edge] {
    var edges: [Edge] = []
    for polygon in polygons {
      guard var from = polygon.last.map(snapped) else { continue }
      for to in polygon.lazy.map(snapped) where to != from {
        edges.append(Edge(from: from, to: to, winding: winding))
        from = to
      }
    }
    return edges
  }
}

// MARK: - Edges

/// The winding numbers of both paths around a point, or their change across an edge.
private typealias Winding = SIMD2<Int>

/// A line between two different grid points, pointing down.
private struct Edge: Comparable {
  /// The end that the sweep reaches first.
  let upper: GridPoint
  let lower: GridPoint
  /// The number of times that each path runs down along this edge, minus the times it runs up.
  var winding: Winding

  /// The edge of a path that runs between two different points, up or down.
  init(from start: GridPoint, to end: GridPoint, winding: Winding) {
    (upper, lower) = start < end ? (start, end) : (end, start)
    self.winding = start < end ? winding : .zero &- winding
  }

  var horizontalExtent: (left: Int64, right: Int64) {
    (min(upper.x, lower.x), max(upper.x, lower.x))
  }
  var direction: GridPoint { lower - upper }

  /// Positive for points to the left of the edge, negative to the right, zero on its line.
  ///
  /// Points below a horizontal edge count as left, as if the plane were tilted a little.
  func side(of point: GridPoint) -> Int64 { direction.cross(point - upper) }

  func coincides(with other: Edge) -> Bool { upper == other.upper && lower == other.lower }

  /// The order of the sweep: by upper end, at the same one from left to right.
  static func < (a: Edge, b: Edge) -> Bool {
    guard a.upper == b.upper else { return a.upper < b.upper }
    let turn = a.direction.cross(b.direction)
    return turn == 0 ? a.lower < b.lower : turn < 0
  }
}

/// The edges in the order of the sweep, with coincident ones merged and those that cancel out
/// removed.
private func merged(_ edges: [Edge]) -> [Edge] {
  var result: [Edge] = []
  result.reserveCapacity(edges.count)
  for edge in edges.sorted() {
    if let last = result.last, last.coincides(with: edge) {
      result[result.count - 1].winding &+= edge.winding
    } else {
      result.append(edge)
    }
  }
  result.removeAll { $0.winding == .zero }
  return result
}

extension [GridPoint] {
  /// The points in the order of the sweep, without duplicates.
  fileprivate func sortedWithoutRepeats() -> [GridPoint] {
    var result: [GridPoint] = []
    result.reserveCapacity(count)
    // Numbers are sorted several times as fast as points.
    for rank in map({ $0.rank }).sorted() {
      let point = GridPoint(rank: rank)
      if point != result.last { result.append(point) }
    }
    return result
  }
}

// MARK: - Snap rounding

extension Edge {
  /// The grid point nearest to the crossing of both edges; nil if they do not cross between their
  /// ends.
  fileprivate func crossing(_ other: Edge) -> GridPoint? {
    func areOpposite(_ a: Int64, _ b: Int64) -> Bool { (a < 0 && b > 0) || (a > 0 && b < 0) }
    guard areOpposite(side(of: other.upper), side(of: other.lower)),
      areOpposite(other.side(of: upper), other.side(of: lower))
    else { return nil }
    let denominator = direction.cross(other.direction)
    let numerator = (other.upper - upper).cross(other.direction)
    // The crossing divides this edge at the fraction `numerator / denominator`.
    func coordinate(from start: Int64, by extent: Int64) -> Int64 {
      start + roundedQuotient(Int128(extent) * Int128(numerator), Int128(denominator))
    }
    return GridPoint(
      x: coordinate(from: upper.x, by: direction.x), y: coordinate(from: upper.y, by: direction.y))
  }

  /// Whether the edge passes the cell around a grid point that lies in the edge's box.
  ///
  /// Cells contain their left and upper sides but not the others, like rounding to nearest with
  /// halves up. So every point of the plane is in exactly one cell; the proof that no crossing is
  /// left depends on this.
  fileprivate func passes(cellOf point: GridPoint) -> Bool {
    // In doubled units, the corners of the cell deviate from its centre by at most `reach`. A line
    // that touches only one corner meets the cell if this is the upper left one.
    let direction = direction
    let center = 2 * side(of: point)
    let reach = abs(direction.x) + direction.y
    return abs(center) < reach || (center == -reach && direction.x < 0)
  }
}

/// The quotient rounded to the nearest integer, halves up.
private func roundedQuotient(_ dividend: Int128, _ divisor: Int128) -> Int64 {
  let (twice, unit) = divisor < 0 ? (-2 * dividend, -divisor) : (2 * dividend, divisor)
  let (quotient, remainder) = (twice + unit).quotientAndRemainder(dividingBy: 2 * unit)
  return Int64(remainder < 0 ? quotient - 1 : quotient)
}

/// The ends of all edges and the grid points nearest to their crossings, in the order of the sweep;
/// nil if there are more than `crossingsLeft` crossings.
private func hotPoints(of edges: [Edge], crossingsLeft: inout Int) -> [GridPoint]? {
  var points: [GridPoint] = []
  points.reserveCapacity(2 * edges.count)
  for (index, edge) in edges.enumerated() {
    points.append(edge.upper)
    points.append(edge.lower)
    let (left, right) = edge.horizontalExtent
    // Edges are sorted by upper end, so the first that starts below this one ends the search.
    for other in edges[(index + 1)...] {
      guard other.upper.y < edge.lower.y else { break }
      let (otherLeft, otherRight) = other.horizontalExtent
      guard otherLeft < right, left < otherRight else { continue }
      if let point = edge.crossing(other) {
        points.append(point)
        crossingsLeft -= 1
        guard crossingsLeft >= 0 else { return nil }
      }
    }
  }
  return points.sortedWithoutRepeats()
}

/// The edges, cut where they pass the cell of a hot point, with each cut moved to that point.
private func bent(_ edges: [Edge], through hotPoints: [GridPoint]) -> [Edge] {
  var result: [Edge] = []
  result.reserveCapacity(hotPoints.count * 2)
  var cuts: [GridPoint] = []
  for edge in edges {
    let (left, right) = edge.horizontalExtent
    cuts.removeAll(keepingCapacity: true)
    for point in hotPoints[hotPoints.partitioningIndex { $0.y >= edge.upper.y }...] {
      guard point.y <= edge.lower.y else { break }
      guard left <= point.x, point.x <= right, edge.passes(cellOf: point) else { continue }
      if point != edge.upper, point != edge.lower { cuts.append(point) }
    }
    // An edge that leans to the left passes the cells of a row from right to left.
    if edge.direction.x < 0 { cuts.sort { $0.y == $1.y ? $0.x > $1.x : $0.y < $1.y } }
    var from = edge.upper
    for to in cuts {
      result.append(Edge(from: from, to: to, winding: edge.winding))
      from = to
    }
    result.append(Edge(from: from, to: edge.lower, winding: edge.winding))
  }
  return result
}

// MARK: - The boundary

/// An edge of the result. The inside is to the left of an edge that runs down, and to the right of
/// one that runs up: loops around the inside are clockwise on the canvas.
private struct BoundaryEdge {
  let start: GridPoint
  let end: GridPoint
  /// For an edge with the inside to its left: the boundary index of the edge on the other side of
  /// that inside, just below the upper end.
  let neighbor: Int?

  var upper: GridPoint { min(start, end) }
  var direction: GridPoint { end - start }
}

/// An edge that the sweep line cuts.
private struct Cut {
  let edge: Edge
  /// The winding numbers to the right of the edge, constant along it since nothing crosses it.
  let winding: Winding
  /// The edge's index in the boundary; nil if it is not part of it.
  let boundaryIndex: Int?
}

extension ArraySlice<Cut> {
  fileprivate var lastBoundaryIndex: Int? {
    last { $0.boundaryIndex != nil }?.boundaryIndex
  }
}

/// The edges with the inside on one side only, in the order of the sweep.
///
/// The edges must be merged and free of crossings, so that those the sweep line cuts keep their
/// order from left to right until they end.
private func boundaryEdges(of edges: [Edge], isInside: (Winding) -> Bool) -> [BoundaryEdge] {
  var boundary: [BoundaryEdge] = []
  var cuts: [Cut] = []
  var starting = edges[...]
  for point in edges.flatMap({ [$0.upper, $0.lower] }).sortedWithoutRepeats() {
    // All edges that end here are neighbours, and those that start here replace them.
    let first = cuts.partitioningIndex { $0.edge.side(of: point) >= 0 }
    // Only their end: a slice would share the memory that is changed below.
    let end = cuts[first...].prefix { $0.edge.lower == point }.endIndex
    let started = starting.prefix { $0.upper == point }
    starting = starting.dropFirst(started.count)

    var winding = first > 0 ? cuts[first - 1].winding : .zero
    var lastIndex: Int?
    let new = started.map { edge in
      let isInsideLeft = isInside(winding)
      winding &-= edge.winding
      guard isInside(winding) != isInsideLeft else {
        return Cut(edge: edge, winding: winding, boundaryIndex: nil)
      }
      let (start, end) = isInsideLeft ? (edge.upper, edge.lower) : (edge.lower, edge.upper)
      let neighbor = isInsideLeft ? lastIndex ?? cuts[..<first].lastBoundaryIndex : nil
      lastIndex = boundary.count
      boundary.append(BoundaryEdge(start: start, end: end, neighbor: neighbor))
      return Cut(edge: edge, winding: winding, boundaryIndex: lastIndex)
    }
    cuts.replaceSubrange(first..<end, with: new)
  }
  return boundary
}

// MARK: - Loops and pieces

/// The boundary as closed loops of its indices. No loop visits a point twice.
private func loops(of boundary: [BoundaryEdge]) -> [[Int]] {
  let leaving = boundary.indices.sorted { boundary[$0].start < boundary[$1].start }
  /// The index in `leaving` of the first edge that starts at a point. It also serves as the point's
  /// number.
  func number(of point: GridPoint) -> Int {
    leaving.partitioningIndex { boundary[$0].start >= point }
  }
  /// The edge that bounds the same corner of the inside as the end of the given one.
  func successor(of index: Int) -> Int? {
    let edge = boundary[index]
    let candidates = leaving[number(of: edge.end)...].prefix { boundary[$0].start == edge.end }
    guard candidates.count > 1 else { return candidates.first }
    let back = edge.start - edge.end
    return candidates.min {
      boundary[$0].direction.isEarlier(than: boundary[$1].direction, turningFrom: back)
    }
  }

  var result: [[Int]] = []
  var isTaken = Array(repeating: false, count: boundary.count)
  /// The position of each point, by number, on the current path.
  var positions: [Int?] = Array(repeating: nil, count: leaving.count)
  for start in boundary.indices where !isTaken[start] {
    var path: [Int] = []
    /// Removes the end of the path from a position on, and adds it to the result as a loop.
    func cutLoop(from position: Int) {
      for index in path[position...] { positions[number(of: boundary[index].start)] = nil }
      result.append(Array(path[position...]))
      path.removeSubrange(position...)
    }
    var next: Int? = start
    while let index = next, !isTaken[index] {
      isTaken[index] = true
      let point = number(of: boundary[index].start)
      if let position = positions[point] { cutLoop(from: position) }
      positions[point] = path.count
      path.append(index)
      next = successor(of: index)
    }
    cutLoop(from: 0)
  }
  return result
}

extension GridPoint {
  /// Whether a rotation from `back` through the inside of a boundary reaches this direction first.
  fileprivate func isEarlier(than other: GridPoint, turningFrom back: GridPoint) -> Bool {
    let isFar = back.cross(self) > 0
    let isOtherFar = back.cross(other) > 0
    return isFar == isOtherFar ? cross(other) < 0 : isOtherFar
  }
}

/// The polygons of all loops, grouped by the connected piece that they bound; the outer one is
/// first.
private func grouped(_ loops: [[Int]], in boundary: [BoundaryEdge]) -> [[[GridPoint]]] {
  var pieces: [[[GridPoint]]] = []
  var pieceOfEdge = Array(repeating: 0, count: boundary.count)
  // In the order of the sweep, the edge that bounds a piece to the left of a hole comes before the
  // hole.
  let firsts = loops.map { $0.min() ?? 0 }
  for loop in loops.indices.sorted(by: { firsts[$0] < firsts[$1] }) {
    let first = boundary[firsts[loop]]
    // The first edge is the left one at the loop's uppermost corner.
    let isHole = first.start == first.upper
    let piece: Int
    if isHole, let neighbor = first.neighbor {
      piece = pieceOfEdge[neighbor]
    } else {
      piece = pieces.count
      pieces.append([])
    }
    pieces[piece].append(corners(of: loops[loop], in: boundary))
    for edge in loops[loop] { pieceOfEdge[edge] = piece }
  }
  return pieces
}

/// The points at which a loop changes its direction.
private func corners(of loop: [Int], in boundary: [BoundaryEdge]) -> [GridPoint] {
  guard var last = loop.last.map({ boundary[$0] }) else { return [] }
  return loop.compactMap { index in
    let edge = boundary[index]
    defer { last = edge }
    return last.direction.cross(edge.direction) == 0 ? nil : edge.start
  }
}
