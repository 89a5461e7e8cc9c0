import Graphics

/// Replaces the many corners of a polygon that approximates a curve by few cubic Bézier curves.
///
/// The curves pass the corners at most a tolerance away. Where the polygon has a sharp corner, and
/// at both ends of a long straight edge, one curve ends and the next one begins.
struct CurveFitter {
  /// The maximum distance of the corners from the curves, in the polygon's units.
  let tolerance: Double

  /// The turn from which on a corner is sharp, in radians: more than that of any polygon around a
  /// nib.
  private static let sharpTurn = 0.65
  /// The maximum number of corners for one curve. It bounds the time for a long straight line.
  private static let maximumCorners = 512

  /// A polygon as a closed path.
  func path(around polygon: [Point]) -> Path {
    var path = Path()
    var corners = polygon.withoutRepeats
    if corners.count > 1, corners.first == corners.last { corners.removeLast() }
    guard corners.count > 2 else { return path }
    // The loop begins where a curve has to begin anyway, and ends at the same point.
    let first = corners.indices.first { isBreak(in: corners, at: $0) } ?? 0
    let loop = Array(corners[first...] + corners[...first])
    path.move(to: loop[0])
    let isSmoothStart = !isBreak(in: corners, at: first)
    add(loop, closing: isSmoothStart, to: &path)
    path.close()
    return path
  }

  /// Some points as an open path through the first and the last of them.
  func path(through points: [Point]) -> Path {
    var path = Path()
    let points = points.withoutRepeats
    guard let first = points.first else { return path }
    path.move(to: first)
    guard points.count > 1 else { return path }
    add(points, closing: false, to: &path)
    return path
  }

  /// Adds curves from the first point to the last. With `closing`, the last is the first again, and
  /// smooth.
  private func add(_ points: [Point], closing: Bool, to path: inout Path) {
    let last = points.count - 1
    let seam: Point? =
      closing ? Self.tangent(points[last - 1], points[0], points[1]).normalized : nil
    var scratch = FitScratch()
    var from = 0
    for to in 1..<max(last, 1) + 1 {
      guard to >= last || isBreak(points[to - 1], points[to], points[to + 1]) else { continue }
      addSmooth(
        points, from, to, startTangent: from == 0 ? seam : nil, endTangent: to == last ? seam : nil,
        &scratch, to: &path)
      from = to
    }
  }

  private func isBreak(in polygon: [Point], at index: Int) -> Bool {
    isBreak(
      polygon[index > 0 ? index - 1 : polygon.count - 1], polygon[index],
      polygon[index + 1 < polygon.count ? index + 1 : 0])
  }

  /// Whether a curve has to end at the middle one of three neighbours.
  private func isBreak(_ a: Point, _ b: Point, _ c: Point) -> Bool {
    let (one, other) = (b - a, c - b)
    let (l, m) = (one.length, other.length)
    // The sine of the turn, or more than one where it is above a right angle.
    let turn = one.dot(other) <= 0 ? 2 : abs(one.cross(other)) / (l * m)
    if turn > Self.sharpTurn { return true }
    // An edge that is much longer than its neighbour is a straight side between curves.
    return max(l, m) > 6 * min(l, m) && max(l, m) > 40 * tolerance
  }

  /// Adds curves along points without breaks between them, each as far as it goes.
  private func addSmooth(
    _ points: [Point], _ from: Int, _ to: Int, startTangent: Point?, endTangent: Point?,
    _ scratch: inout FitScratch, to path: inout Path
  ) {
    func tangent(_ index: Int) -> Point {
      if index == from {
        return startTangent
          ?? (to - from > 1
            ? Self.endTangent(points[from], points[from + 1], points[from + 2])
            : points[to] - points[from])
      }
      if index == to {
        return endTangent
          ?? (to - from > 1
            ? -Self.endTangent(points[to], points[to - 1], points[to - 2])
            : points[to] - points[from])
      }
      return Self.tangent(points[index - 1], points[index], points[index + 1])
    }
    var start = from
    while start < to {
      let end = min(to, start + Self.maximumCorners)
      // The longest piece that one curve can follow, by doubling and then halving the range.
      var (reached, failed) = (start + 1, end + 1)
      var best: CubicCurve?
      var step = 4
      scratch.begin(at: points[start])
      let startTangent = tangent(start).normalized
      while let startTangent, reached < end, reached + 1 < failed {
        let next = failed <= end ? (reached + failed) / 2 : min(start + step, end)
        scratch.extend(over: points, from: start, to: next)
        if let endTangent = tangent(next).normalized,
          let curve = scratch.curve(
            along: next - start, tangents: (startTangent, -endTangent), tolerance: tolerance)
        {
          (reached, best) = (next, curve)
          step *= 2
        } else {
          failed = next
        }
      }
      let target = points[reached]
      if let best {
        path.addCubic(to: target, control1: best.control1, control2: best.control2)
      } else {
        path.addLine(to: target)
      }
      start = reached
    }
  }

  /// The tangent at the middle one of three points, as of the circle through them.
  private static func tangent(_ a: Point, _ b: Point, _ c: Point) -> Point {
    let (one, other) = (b - a, c - b)
    let (l, m) = (one.length, other.length)
    guard l > 0, m > 0 else { return c - a }
    return one * (m / l) + other * (l / m)
  }

  /// The tangent at the first of three points, as of the circle through them.
  private static func endTangent(_ a: Point, _ b: Point, _ c: Point) -> Point {
    let chord = b - a
    let middle = tangent(a, b, c)
    guard let axis = chord.normalized else { return middle }
    // The tangent at the other end of a chord is that of the first one, mirrored.
    return axis * (2 * middle.dot(axis)) - middle
  }
}

extension [Point] {
  /// The points without those that equal the one before.
  fileprivate var withoutRepeats: [Point] {
    var kept: [Point] = []
    for point in self where point != kept.last { kept.append(point) }
    return kept
  }
}
