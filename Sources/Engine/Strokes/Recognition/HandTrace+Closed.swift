import CMath
import Graphics

// Figures that end where they start.

extension HandTrace {
  /// The closed figure that is nearest to the hand.
  func closedFigure(_ fits: StraightFits) -> FigureCandidate? {
    // Hands leave gaps and overshoot, but by less than this.
    guard length > 1.7 else { return nil }
    var best: FigureCandidate?
    for sides in closedSides(fits) {
      guard let polygon = polygon(sides, fits), let candidate = figure(of: polygon) else {
        continue
      }
      if candidate.error < best?.error ?? .infinity { best = candidate }
    }
    let ellipse = ellipse(fits)
    if let ellipse, ellipse.error < best?.error ?? .infinity { best = ellipse }
    guard best == nil || best?.kind == .triangle || best?.kind == .ellipse,
      let heart = heart(fits), heart.error < (best?.error ?? .infinity) * 0.8
    else { return best }
    return heart
  }

  /// The fits whose ends may meet: all numbers of sides, also without short hooks at the ends.
  private func closedSides(_ fits: StraightFits) -> [[StraightFits.Side]] {
    var result: [[StraightFits.Side]] = []
    for count in 3...StraightFits.maximumSides where fits.errors[count] < 0.03 {
      let sides = fits.sides(count)
      result.append(sides)
      let hooks = (sides[0].length < 0.06, sides[count - 1].length < 0.06)
      if hooks.0 { result.append(Array(sides.dropFirst())) }
      if hooks.1 { result.append(Array(sides.dropLast())) }
      if hooks.0, hooks.1 { result.append(Array(sides.dropFirst().dropLast())) }
    }
    return result
  }

  /// A closed polygon through straight sides; its first corner is nearest to the hand's start. Nil
  /// if it has a number of corners that no figure has, or if its ends are too far apart.
  private func polygon(_ sides: [StraightFits.Side], _ fits: StraightFits) -> [Point]? {
    guard sides.count > 2, let first = sides.first, let last = sides.last else { return nil }
    var lines = sides.map { (center: $0.center, direction: $0.direction) }
    // The hand may start in the middle of a side.
    if abs(last.direction.turn(to: first.direction)) < 25 {
      lines.removeLast()
      lines[0] = fits.line(in: [last.from...last.to, first.from...first.to])
    }
    let count = lines.count
    guard [3, 4, 5, 10].contains(count) else { return nil }
    let gap = points[last.to].distance(to: points[first.from])
    guard gap < 0.3 else { return nil }
    var corners: [Point] = []
    for index in 0..<count {
      let (line, next) = (lines[(index + count - 1) % count], lines[index])
      guard abs(line.direction.turn(to: next.direction)) > 20,
        let corner = Point.crossing(
          line.center, along: line.direction, next.center, along: next.direction),
        max(abs(corner.x), abs(corner.y)) < 0.8
      else { return nil }
      corners.append(corner)
    }
    return corners
  }

  /// The figure that a polygon is nearly.
  private func figure(of corners: [Point]) -> FigureCandidate? {
    let count = corners.count
    let sides = (0..<count).map { corners[($0 + 1) % count] - corners[$0] }
    let around = sides.reduce(0) { $0 + $1.length }
    guard length > 0.82 * around, length < 1.3 * around else { return nil }
    // The turn at each corner.
    let turns = (0..<count).map { sides[($0 + count - 1) % count].turn(to: sides[$0]) }
    let hand = deviation(from: corners + [corners[0]])
    // Hands round corners, but not by much.
    let gaps = corners.map { corner in points.reduce(1) { min($0, $1.distance(to: corner)) } }
    let shortest = sides.reduce(1) { min($0, $1.length) }
    guard gaps.allSatisfy({ $0 < 0.1 + tremor && $0 < 0.14 * shortest + 0.03 + tremor }) else {
      return nil
    }
    switch count {
    case 3:
      guard turns.haveOneSign, turns.allSatisfy({ abs($0) < 163 }), hand.isNear(0.022, 0.065),
        (sides.map { $0.length }.min() ?? 0) > 0.1 * around
      else { return nil }
      return candidate(.triangle, corners, error: hand.mean)
    case 4:
      guard turns.haveOneSign, turns.allSatisfy({ (68...112).contains(abs($0)) }),
        hand.isNear(0.026, 0.075)
      else { return nil }
      return rectangle(corners, sides)
    case 5:
      guard turns.haveOneSign, turns.allSatisfy({ (115...172).contains(abs($0)) }),
        hand.isNear(0.028, 0.08)
      else { return nil }
      return crossedStar(corners, around: turns[0] < 0 ? -1 : 1)
    default:
      return hand.isNear(0.025, 0.075) ? outlinedStar(corners, turns) : nil
    }
  }

  /// A closed polygon that starts at the corner that is nearest to the hand's start.
  private func candidate(
    _ kind: RecognizedFigure.Kind, _ corners: [Point], error: Double
  ) -> FigureCandidate {
    let nearest =
      corners.indices.min {
        start.distance(to: corners[$0]) < start.distance(to: corners[$1])
      } ?? 0
    let ring = corners[nearest...] + corners[..<nearest]
    return FigureCandidate(kind, through: ring + [corners[nearest]], error: error)
  }

  private func rectangle(_ corners: [Point], _ sides: [Point]) -> FigureCandidate? {
    // Directions that differ by right angles are the same when they are multiplied by four.
    var fourfold = Point.zero
    for side in sides {
      guard let unit = side.normalized else { return nil }
      let twofold = unit.multiplied(by: unit)
      fourfold += twofold.multiplied(by: twofold) * side.length
    }
    var angle = mathArcTangent(fourfold.y, fourfold.x) / 4
    var axis = Point(angle: angle)
    if abs(sides[0].dot(axis)) < abs(sides[0].cross(axis)) { axis = axis.perpendicular }
    if sides[0].dot(axis) < 0 { axis = -axis }
    let normal = axis.perpendicular * (sides[1].dot(axis.perpendicular) < 0 ? -1 : 1)
    var along = (sides[0] - sides[2]).dot(axis) / 4
    var across = (sides[1] - sides[3]).dot(normal) / 4
    guard min(along, across) > 0.02 else { return nil }
    let center = corners.reduce(Point.zero, +) / 4
    func clean(_ axis: Point, _ normal: Point) -> [Point] {
      [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1)].map {
        center + axis * ($0 * along) + normal * ($1 * across)
      }
    }
    let hand = deviation(from: clean(axis, normal) + [clean(axis, normal)[0]])
    guard hand.isNear(0.03, 0.085), hand.mean < 0.13 * min(along, across) else { return nil }
    if max(along, across) < 1.1 * min(along, across) {
      (along, across) = ((along + across) / 2, (along + across) / 2)
    }
    // To the nearest axis.
    angle = axis.turn(to: Self.snapped(axis)) * (.pi / 180)
    let rotation = Point(angle: angle)
    return candidate(
      .rectangle, clean(axis.multiplied(by: rotation), normal.multiplied(by: rotation)),
      error: hand.mean)
  }

  /// A regular star of five lines that cross.
  private func crossedStar(_ corners: [Point], around sign: Double) -> FigureCandidate? {
    let unit = (0..<5).map { Point(angle: sign * Double($0) * (0.8 * .pi)) }
    guard let (center, arm, error) = Self.similarity(from: unit, to: corners),
      error < 0.17 * arm.length
    else { return nil }
    let clean = unit.map { center + $0.multiplied(by: arm) }
    let hand = deviation(from: clean + [clean[0]])
    guard hand.isNear(0.05, 0.13) else { return nil }
    return candidate(.star, clean, error: hand.mean)
  }

  /// The outline of a star with five equal points.
  private func outlinedStar(_ corners: [Point], _ turns: [Double]) -> FigureCandidate? {
    let sign = turns.reduce(0, +) < 0 ? -1.0 : 1
    let shift = turns[0] * sign > 0 ? 0 : 1
    for index in 0..<10 {
      let turn = turns[(index + shift) % 10] * sign
      guard index % 2 == 0 ? (60...175).contains(turn) : (-130 ... -15).contains(turn) else {
        return nil
      }
    }
    let outer = stride(from: 0, to: 10, by: 2).map { corners[($0 + shift) % 10] }
    let inner = stride(from: 1, to: 10, by: 2).map { corners[($0 + shift) % 10] }
    let unit = (0..<5).map { Point(angle: sign * Double($0) * (0.4 * .pi)) }
    let turned = (0..<5).map { Point(angle: sign * (Double($0) + 0.5) * (0.4 * .pi)) }
    guard let (center, arm, error) = Self.similarity(from: unit, to: outer),
      error < 0.2 * arm.length
    else { return nil }
    // The depth of the corners between the points, along their directions.
    let depth =
      zip(inner, turned).reduce(0) {
        $0 + ($1.0 - center).dot($1.1.multiplied(by: arm)) / arm.dot(arm)
      } / 5
    guard (0.2...0.72).contains(depth) else { return nil }
    let clean = (0..<5).flatMap {
      [center + unit[$0].multiplied(by: arm), center + turned[$0].multiplied(by: arm * depth)]
    }
    let hand = deviation(from: clean + [clean[0]])
    guard hand.isNear(0.05, 0.13) else { return nil }
    return candidate(.star, clean, error: hand.mean)
  }

  /// The rotation, scale and translation of points that brings them nearest to others, as the place
  /// of the origin and of 1 in the complex plane, with the mean distance that is left. The points'
  /// mean must be the origin.
  private static func similarity(
    from unit: [Point], to points: [Point]
  ) -> (center: Point, arm: Point, error: Double)? {
    let count = Double(unit.count)
    let center = points.reduce(Point.zero, +) / count
    var arm = Point.zero
    for (a, b) in zip(unit, points) {
      arm += (b - center).multiplied(by: Point(x: a.x, y: -a.y))
    }
    arm = arm / unit.reduce(0) { $0 + $1.dot($1) }
    var sum = 0.0
    for (a, b) in zip(unit, points) {
      let rest = center + a.multiplied(by: arm) - b
      sum += rest.dot(rest)
    }
    guard arm.length > 0.05 else { return nil }
    return (center, arm, (sum / count).squareRoot())
  }
}

extension Deviation {
  /// Whether both values are below limits.
  func isNear(_ mean: Double, _ maximum: Double) -> Bool {
    self.mean < mean && self.maximum < maximum
  }
}

extension [Double] {
  /// Whether all are positive or all negative.
  var haveOneSign: Bool { allSatisfy { $0 > 0 } || allSatisfy { $0 < 0 } }
}
