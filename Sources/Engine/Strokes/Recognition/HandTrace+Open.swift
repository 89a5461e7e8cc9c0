import Graphics

// Figures whose ends are apart: lines, arrows and polylines.

extension HandTrace {
  /// The maximum angle from an axis at which a line is rotated to it, in degrees.
  static let snapAngle = 3.0

  /// A straight line.
  func line(_ fits: StraightFits) -> FigureCandidate? {
    let chord = start.distance(to: end)
    guard chord > 0.9, length < 1.1 * chord else { return nil }
    let (center, direction) = fits.line(in: [0...Self.stepCount])
    let ends = [start, end].map { center + direction * ($0 - center).dot(direction) }
    let deviation = deviation(from: ends)
    guard deviation.mean < 0.014 + tremor, deviation.maximum < 0.033 + tremor,
      abs(bow(0, Self.stepCount)) < 0.055
    else { return nil }
    let middle = (ends[0] + ends[1]) / 2
    let half = Self.snapped((ends[1] - ends[0]) / 2)
    return FigureCandidate(.line, through: [middle - half, middle + half], error: deviation.mean)
  }

  /// A displacement, rotated to the axis that it is nearly parallel to.
  static func snapped(_ way: Point) -> Point {
    for axis in [Point(x: 1, y: 0), Point(x: 0, y: 1)] {
      let along = way.dot(axis)
      guard abs((axis * (along < 0 ? -1 : 1)).turn(to: way)) <= snapAngle else { continue }
      return axis * (along < 0 ? -way.length : way.length)
    }
    return way
  }

  /// The height of the arc from a sample to another above its chord, as a part of the chord:
  /// positive if the hand turns like a clock's. The arc is the parabola of best fit, so trembling
  /// has little effect.
  func bow(_ from: Int, _ to: Int) -> Double {
    let way = points[to] - points[from]
    let square = way.dot(way)
    guard square > 0, to - from > 3 else { return 0 }
    var (product, norm) = (0.0, 0.0)
    let (first, steps) = (points[from], Double(to - from))
    var mean = 0.0
    for index in from...to { mean += way.cross(points[index] - first) / (steps + 1) }
    for index in from...to {
      let t = Double(index - from) / steps
      // A parabola without mean and slope.
      let shape = t * (1 - t) - (1.0 / 6 - 1 / (6 * steps))
      product += (way.cross(points[index] - first) - mean) * shape
      norm += shape * shape
    }
    return -product / norm / (4 * square)
  }
}

extension HandTrace {
  /// A straight shaft and a head of two barbs, drawn in either direction: to the tip, out along the
  /// first barb and back, and out along the second. The hand may reach the end of the first barb by
  /// the shaft instead.
  func arrow(_ fits: StraightFits) -> FigureCandidate? {
    var best: FigureCandidate?
    for count in 4...5 {
      let sides = fits.sides(count)
      let ends = [0] + sides.map { $0.to }
      let forward = arrow(ends, fits)
      let backward = arrow(ends.reversed(), fits)
      for candidate in [forward, backward].compactMap({ $0 })
      where candidate.error < best?.error ?? .infinity {
        best = candidate
      }
    }
    return best
  }

  /// An arrow whose tail, tip and barbs are at samples.
  private func arrow(_ samples: [Int], _ fits: StraightFits) -> FigureCandidate? {
    let isReversed = samples[0] > 0
    func range(_ a: Int, _ b: Int) -> ClosedRange<Int> { min(a, b)...max(a, b) }
    let shaft = range(samples[0], samples[1])
    let head = range(samples[samples.count - 3], samples[samples.count - 1])
    let ends = samples.map { points[$0] }
    let (tail, tip) = (ends[0], ends[1])
    let apex = ends[ends.count - 2]
    let barbs = [ends[ends.count - 3] - apex, ends[ends.count - 1] - apex]
    let way = tip - tail
    let length = way.length
    let reach = (barbs[0].length + barbs[1].length) / 2
    guard length > 0.4, reach > 0.05 * length, reach < 0.75 * length,
      tip.distance(to: apex) < 0.5 * reach + 0.03 * length,
      min(barbs[0].length, barbs[1].length) > 0.45 * max(barbs[0].length, barbs[1].length)
    else { return nil }
    let angles = barbs.map { (-way).turn(to: $0) }
    guard angles[0] * angles[1] < 0, angles.allSatisfy({ (8...78).contains(abs($0)) }),
      abs(abs(angles[0]) - abs(angles[1])) < 32
    else { return nil }
    // On the way by the shaft, the hand stays within the head.
    if ends.count == 6 {
      let middle = ends[2] - tip
      guard abs((-way).turn(to: middle)) < 25, middle.length < 1.5 * reach else { return nil }
    }
    let deviation = Deviation(
      points[shaft].map { $0.distance(toLineThrough: [tail, tip]) })
    guard deviation.mean < 0.025 * length, abs(bow(shaft.lowerBound, shaft.upperBound)) < 0.07
    else {
      return nil
    }
    let headError = Deviation(
      points[head].map {
        $0.distance(toLineThrough: [apex + barbs[0], apex, apex + barbs[1]])
      }
    ).mean
    guard headError < 0.14 * reach + 0.01 * length + tremor else { return nil }
    // The clean head has equal barbs.
    let (center, direction) = fits.line(in: [shaft])
    let along = isReversed ? -direction : direction
    let cleanTail = center + along * (tail - center).dot(along)
    let cleanTip = center + along * (tip - center).dot(along)
    let middle = (cleanTail + cleanTip) / 2
    let half = Self.snapped((cleanTip - cleanTail) / 2)
    guard let back = (-half).normalized else { return nil }
    let spread = (abs(angles[0]) + abs(angles[1])) / 2 * (.pi / 180)
    let side = angles[0] < 0 ? -1.0 : 1
    let tips = [side, -side].map { sign in
      middle + half + back.multiplied(by: Point(angle: sign * spread)) * reach
    }
    let corners = [middle - half, middle + half, tips[0], middle + half, tips[1]]
    return FigureCandidate(
      .arrow, through: isReversed ? corners.reversed() : corners, error: deviation.mean)
  }
}

extension HandTrace {
  /// An open line of three to nine straight sides that does not cross itself.
  func polyline(_ fits: StraightFits) -> FigureCandidate? {
    guard start.distance(to: end) > 0.12 else { return nil }
    for count in 3...9 where fits.errors[count] < 0.012 + tremor {
      let sides = fits.sides(count)
      guard let corners = polylineCorners(sides, fits) else { continue }
      let deviation = deviation(from: corners)
      let shortest = sides.reduce(1) { min($0, $1.length) } * length
      guard deviation.mean < 0.016 + tremor, deviation.mean < 0.07 * shortest + tremor,
        deviation.maximum < 0.05 + 2 * tremor,
        !Self.crossesItself(corners)
      else { continue }
      return FigureCandidate(.polyline, through: corners, error: deviation.mean)
    }
    return nil
  }

  private func polylineCorners(
    _ sides: [StraightFits.Side], _ fits: StraightFits
  ) -> [Point]? {
    let turns = zip(sides, sides.dropFirst()).map { $0.direction.turn(to: $1.direction) }
    guard turns.allSatisfy({ (34...155).contains(abs($0)) }) else { return nil }
    let shortest = 0.3 / Double(sides.count)
    guard sides.allSatisfy({ $0.length > shortest }), areCorners(sides, turns, fits) else {
      return nil
    }
    guard let first = sides.first, let last = sides.last else { return nil }
    var corners = [first.center + first.direction * (start - first.center).dot(first.direction)]
    for (side, next) in zip(sides, sides.dropFirst()) {
      guard
        let corner = Point.crossing(
          side.center, along: side.direction, next.center, along: next.direction),
        corner.distance(to: points[side.to]) < 0.16 * length * min(side.length, next.length)
          + tremor
      else { return nil }
      corners.append(corner)
    }
    return corners + [last.center + last.direction * (end - last.center).dot(last.direction)]
  }

  /// Whether the hand turns between the sides, and not along them as on a curve.
  private func areCorners(
    _ sides: [StraightFits.Side], _ turns: [Double], _ fits: StraightFits
  ) -> Bool {
    // The part of the turns that is close to the corners; at a rounded corner more than all of it.
    var (near, all) = (0.0, 0.0)
    for (index, turn) in turns.enumerated() {
      let corner = sides[index].to
      let reach = Double(min(corner - sides[index].from, sides[index + 1].to - corner))
      let (far, close) = (Int(0.6 * reach), Int(0.12 * reach + 0.5))
      let before = fits.line(in: [corner - far...corner - close], trimmed: false)
      let after = fits.line(in: [corner + close...corner + far], trimmed: false)
      let part = before.direction.turn(to: after.direction) / turn
      guard part > 0.75 else { return false }
      near += abs(turn) * min(part, 1.3)
      all += abs(turn)
    }
    guard near > 0.95 * all else { return false }
    // The turn along the sides, in the direction of the corners beside them.
    var (along, between) = (0.0, 0.0)
    for (index, side) in sides.enumerated() {
      let trim = (side.to - side.from) / 8
      let bow = bow(side.from + trim, side.to - trim)
      let beside = [index - 1, index].filter { turns.indices.contains($0) }.map { turns[$0] }
      let smallest = beside.reduce(180) { min($0, abs($1)) }
      // A parabola turns by eight times its height.
      let turn = bow * 8 * (180 / .pi)
      let isLow = abs(bow) * side.length * length < 0.007 + 0.5 * tremor
      guard isLow || abs(turn) < min(0.65 * smallest, 34) else { return false }
      if beside.haveOneSign {
        along += turn * (beside[0] < 0 ? -1 : 1)
        between += abs(beside.reduce(0, +)) / Double(beside.count)
      }
    }
    return abs(along) <= 0.3 * between
  }

  /// Whether sides that are not neighbours cross.
  static func crossesItself(_ corners: [Point]) -> Bool {
    let sides = Array(zip(corners, corners.dropFirst()))
    for (index, (a, b)) in sides.enumerated() {
      for (c, d) in sides.dropFirst(index + 2) {
        let (way, other) = (b - a, d - c)
        let area = way.cross(other)
        guard area != 0 else { continue }
        let (along, across) = ((c - a).cross(other) / area, (c - a).cross(way) / area)
        if (0...1).contains(along), (0...1).contains(across) { return true }
      }
    }
    return false
  }
}
