import Glibc
package import Graphics

/// The outline of swept nibs, for masks and for questions about where ink lies.
package struct StrokeOutline {
  /// How many points a full turn of a cap has.
  private static let turnPoints = 24

  private var polygons: [[Point]] = []

  /// The outline of chains of nibs, each grown by a margin.
  package init(_ chains: [[NibSample]], margin: Double = 0) {
    for chain in chains { add(Self.thinned(chain.map { $0.nib.grown(by: margin) })) }
  }

  /// The outline as a path: the area is the union of all contours, which run the same way round.
  package var path: Path { Path(polygons: polygons) }

  /// Leaves out nibs that hardly differ from the one before, which only make short edges.
  private static func thinned(_ nibs: [Nib]) -> [Nib] {
    var kept: [Nib] = []
    for (index, nib) in nibs.enumerated() {
      if let last = kept.last, index < nibs.count - 1,
        last.center.distance(to: nib.center)
          < 0.1 * min(nib.halfExtent.width, nib.halfExtent.height)
      {
        continue
      }
      kept.append(nib)
    }
    return kept
  }

  /// Adds the sweep of one chain. Both sides are followed together; where one would run backwards,
  /// because the nib turns on the spot, the polygon is closed and a new one begins there.
  private mutating func add(_ nibs: [Nib]) {
    guard nibs.count > 1 else {
      if let nib = nibs.first { polygons.append(Self.cap(nib, from: 0, to: 2 * .pi)) }
      return
    }
    var start = 0
    while start < nibs.count - 1 {
      var heading = Self.heading(nibs[start], nibs[start + 1])
      let firstHeading = heading
      var left = [nibs[start].support(Self.direction(heading - .pi / 2))]
      var right = [nibs[start].support(Self.direction(heading + .pi / 2))]
      var end = start
      while end < nibs.count - 1 {
        let next = Self.heading(nibs[end], nibs[end + 1])
        if end > start, abs(remainder(next - heading, 2 * .pi)) > 0.5 { break }
        let nib = nibs[end + 1]
        let forwards = Self.direction(next)
        let sides = (
          nib.support(Self.direction(next - .pi / 2)), nib.support(Self.direction(next + .pi / 2))
        )
        let runsBackwards =
          (sides.0 - (left.last ?? sides.0)).dot(forwards) < 0
          || (sides.1 - (right.last ?? sides.1)).dot(forwards) < 0
        if runsBackwards, end > start { break }
        left.append(sides.0)
        right.append(sides.1)
        heading = next
        end += 1
      }
      let front = Self.cap(nibs[end], from: heading - .pi / 2, to: heading + .pi / 2)
      let back = Self.cap(
        nibs[start], from: firstHeading + .pi / 2, to: firstHeading + 3 * .pi / 2)
      polygons.append(left.dropLast() + front + right.dropLast().reversed() + back)
      start = end
    }
  }

  private static func heading(_ a: Nib, _ b: Nib) -> Double {
    atan2(b.center.y - a.center.y, b.center.x - a.center.x)
  }

  private static func direction(_ angle: Double) -> Point { Point(x: cos(angle), y: sin(angle)) }

  /// The nib's edge over some directions.
  private static func cap(_ nib: Nib, from start: Double, to end: Double) -> [Point] {
    let steps = max(1, Int(((end - start) / (2 * .pi) * Double(turnPoints)).rounded(.up)))
    return (0...steps).map { step in
      nib.support(direction(start + (end - start) * Double(step) / Double(steps)))
    }
  }
}
