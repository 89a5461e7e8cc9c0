import CMath
package import Graphics

/// The outline of swept nibs, for masks and to test which areas ink covers.
package struct StrokeOutline {
  /// The maximum distance of a cap's straight edges from the round cap, in points.
  private let capTolerance: Double
  /// The maximum distance of a ribbon's sides from the edge of the ink, in points.
  private let ribbonTolerance: Double
  /// Nibs nearer than this may be left out, in points. Masks have no limit, so that those in
  /// archives stay as they are.
  private let nearness: Double

  private var polygons: [[Point]] = []

  /// The outline of chains of nibs, each grown by a margin. It deviates from the edge of the ink
  /// between the nibs by at most the tolerance, in points.
  package init(_ chains: [[NibSample]], margin: Double = 0, tolerance: Double = 0.1) {
    (capTolerance, ribbonTolerance) = (min(tolerance, 0.02), tolerance)
    nearness = tolerance < 0.1 ? 10 * tolerance : .infinity
    for chain in chains { add(thinned(chain.map { $0.nib.grown(by: margin) })) }
  }

  /// The outline as a path: the area is the union of all contours, which have the same direction.
  package var path: Path { Path(polygons: polygons) }

  /// Removes nibs that hardly differ from the one before, which would only make short edges.
  private func thinned(_ nibs: [Nib]) -> [Nib] {
    var kept: [Nib] = []
    for (index, nib) in nibs.enumerated() {
      if let last = kept.last, index < nibs.count - 1,
        nib.isNear(last, within: nearness)
      {
        continue
      }
      kept.append(nib)
    }
    return kept
  }

  /// Adds the sweep of one chain: a ribbon where the nib moves on smoothly, and the hull of two
  /// neighbours where it turns, swells or shrinks on the spot, because a ribbon would cross itself
  /// there.
  private mutating func add(_ nibs: [Nib]) {
    guard nibs.count > 1 else {
      if let nib = nibs.first { polygons.append(cap(nib, from: 0, to: 2 * .pi).dropLast()) }
      return
    }
    var start = 0
    while start < nibs.count - 1 {
      guard isSmooth(nibs[start], nibs[start + 1]) else {
        polygons.append(hull(nibs[start], nibs[start + 1]))
        start += 1
        continue
      }
      start = addRibbon(nibs, from: start)
    }
  }

  /// Whether a nib moves on much further than it swells or shrinks. A ribbon joins the widest
  /// points of both nibs. If a nib swells, the sides of the ink touch it further back, and the
  /// ribbon lies inside the ink by half the radius times the square of the swelling.
  private func isSmooth(_ a: Nib, _ b: Nib) -> Bool {
    let change = max(
      abs(a.halfExtent.width - b.halfExtent.width), abs(a.halfExtent.height - b.halfExtent.height))
    let swelling = change / max(a.center.distance(to: b.center), 1e-9)
    let radius = max(
      a.halfExtent.width, a.halfExtent.height, b.halfExtent.width, b.halfExtent.height)
    return swelling <= 0.3 && radius * swelling * swelling / 2 <= ribbonTolerance
  }

  /// Adds the longest ribbon that begins with a pair of nibs, following both sides together, and
  /// returns the index of the nib at which it ends.
  private mutating func addRibbon(_ nibs: [Nib], from start: Int) -> Int {
    let firstHeading = Self.heading(nibs[start], nibs[start + 1])
    var heading = firstHeading
    var left = [nibs[start].support(Self.direction(heading - .pi / 2))]
    var right = [nibs[start].support(Self.direction(heading + .pi / 2))]
    var end = start
    while end < nibs.count - 1 {
      let next = Self.heading(nibs[end], nibs[end + 1])
      let nib = nibs[end + 1]
      let forwards = Self.direction(next)
      let sides = (
        nib.support(Self.direction(next - .pi / 2)), nib.support(Self.direction(next + .pi / 2))
      )
      if end > start {
        let runsBackwards =
          (sides.0 - (left.last ?? sides.0)).dot(forwards) < 0
          || (sides.1 - (right.last ?? sides.1)).dot(forwards) < 0
        let turns = abs(mathRemainder(next - heading, 2 * .pi)) > 0.5
        if runsBackwards || turns || !isSmooth(nibs[end], nib) { break }
      }
      left.append(sides.0)
      right.append(sides.1)
      heading = next
      end += 1
    }
    let front = cap(nibs[end], from: heading - .pi / 2, to: heading + .pi / 2)
    let back = cap(
      nibs[start], from: firstHeading + .pi / 2, to: firstHeading + 3 * .pi / 2)
    polygons.append(left.dropLast() + front + right.dropLast().reversed() + back)
    return end
  }

  /// The convex hull of two nibs: in every direction, the further support point of both.
  private func hull(_ a: Nib, _ b: Nib) -> [Point] {
    let steps = max(turnPoints(a), turnPoints(b))
    return (0..<steps).map { step in
      let direction = Self.direction(2 * .pi * Double(step) / Double(steps))
      let (p, q) = (a.support(direction), b.support(direction))
      return p.dot(direction) >= q.dot(direction) ? p : q
    }
  }

  private static func heading(_ a: Nib, _ b: Nib) -> Double {
    mathArcTangent(b.center.y - a.center.y, b.center.x - a.center.x)
  }

  private static func direction(_ angle: Double) -> Point {
    Point(x: mathCosine(angle), y: mathSine(angle))
  }

  /// The number of points on the whole edge of a nib.
  private func turnPoints(_ nib: Nib) -> Int {
    // A chord over an angle α lies r·(1 − mathCosine(α/2)) ≈ r·α²/8 inside its circle.
    let radius = max(nib.halfExtent.width, nib.halfExtent.height)
    let count = (2 * .pi * (radius / (8 * capTolerance)).squareRoot()).rounded(.up)
    return Int(clamping: max(16, min(count, 256)))
  }

  /// The part of the nib's edge between two directions, in radians.
  private func cap(_ nib: Nib, from start: Double, to end: Double) -> [Point] {
    let part = (end - start) / (2 * .pi)
    let steps = max(1, Int(clamping: (part * Double(turnPoints(nib))).rounded(.up)))
    return (0...steps).map { step in
      nib.support(Self.direction(start + (end - start) * Double(step) / Double(steps)))
    }
  }
}

extension Nib {
  /// Whether all values differ so little from another nib's that one can replace the other: by less
  /// than a tenth of the nib, and less than a limit in points.
  fileprivate func isNear(_ other: Nib, within limit: Double) -> Bool {
    let part = min(0.1 * min(halfExtent.width, halfExtent.height), limit)
    let turn = abs(mathRemainder(angle - other.angle, 2 * .pi))
    return center.distance(to: other.center) < part
      && abs(halfExtent.width - other.halfExtent.width) < part
      && abs(halfExtent.height - other.halfExtent.height) < part
      && turn * max(halfExtent.width, halfExtent.height) < part
  }
}
