import Graphics

/// The work that a merge may spend on areas, so that masks far beyond those of erasers cannot make
/// it hang.
struct CombiningAllowance {
  /// The work that is left, in units of some ten nanoseconds.
  private var rest: Double

  /// By default some seconds in the worst case: more than a thousand strokes of a hundred points
  /// that erasers of both sides crossed.
  init(work: Double = 3e8) { rest = work }

  /// Takes a number of simple comparisons, if there are enough left.
  mutating func takes(_ count: Int) -> Bool {
    rest -= Double(count)
    return rest >= 0
  }

  /// Takes the work of combining two areas, if there is enough left.
  mutating func takes(_ a: Path, _ b: Path) -> Bool {
    guard rest >= 0 else { return false }
    rest -= Self.work(combining: [a, b], upTo: rest)
    return rest >= 0
  }

  private struct Edge {
    let upper, lower: Point

    init(_ a: Point, _ b: Point) { (upper, lower) = a.y < b.y ? (a, b) : (b, a) }

    /// Positive for points on one side of the edge's line, negative on the other.
    func side(of point: Point) -> Double { (lower - upper).cross(point - upper) }

    func crosses(_ other: Edge) -> Bool {
      side(of: other.upper) * side(of: other.lower) < 0
        && other.side(of: upper) * other.side(of: lower) < 0
    }
  }

  /// An upper bound of the work of combining areas: each pair of adjacent edges is compared, and
  /// each crossing with the edges beside it. If it exceeds the limit, any value above the limit is
  /// returned.
  static func work(combining paths: [Path], upTo limit: Double) -> Double {
    var edges: [Edge] = []
    for polygon in paths.flatMap({ $0.flattened() }) {
      guard var from = polygon.last else { continue }
      for to in polygon {
        if from.y != to.y { edges.append(Edge(from, to)) }
        from = to
      }
    }
    guard Double(edges.count) < limit else { return .infinity }
    edges.sort { $0.upper.y < $1.upper.y }
    var (pairs, crossings) = (0.0, 0.0)
    for (index, edge) in edges.enumerated() {
      let (left, right) = (min(edge.upper.x, edge.lower.x), max(edge.upper.x, edge.lower.x))
      for other in edges[(index + 1)...] {
        guard other.upper.y < edge.lower.y else { break }
        pairs += 1
        guard min(other.upper.x, other.lower.x) < right, left < max(other.upper.x, other.lower.x)
        else { continue }
        if edge.crosses(other) { crossings += 1 }
      }
      // Sorting and rounding a crossing is some hundred times the work of a comparison.
      if pairs + 100 * crossings > limit { return .infinity }
    }
    return Double(edges.count) + pairs + crossings * (100 + 2 * pairs / Double(max(edges.count, 1)))
  }
}
