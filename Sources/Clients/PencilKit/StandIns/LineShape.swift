import Foundation
import Graphics

/// The shape of a line of some width along an outline: a rectangle for each straight piece, joins,
/// and caps.
struct LineShape {
  let radius: Double
  let cap: CGLineCap
  let join: CGLineJoin
  let miterLimit: Double

  /// The area of the line, as polygons that do not cross.
  func outline(along path: Path) -> Path {
    guard radius > 0, radius.isFinite else { return Path() }
    let polygons = path.polylines().flatMap { pieces(along: $0) }
    // All polygons run in one direction, so that their winding numbers add up.
    return Path(polygons: polygons.map { $0.signedArea < 0 ? $0.reversed() : $0 }).union(Path())
  }

  private func pieces(along line: Polyline) -> [[Point]] {
    let points = line.points
    guard points.count > 1 else { return line.hasLine ? dot(points[0]) : [] }
    var result: [[Point]] = []
    let ends = line.wholePoints
    let directions = zip(ends, ends.dropFirst()).map { ($1 - $0) * (1 / $0.distance(to: $1)) }
    for (index, direction) in directions.enumerated() {
      let side = direction.turned * radius
      let (from, to) = (ends[index], ends[index + 1])
      result.append([from + side, to + side, to - side, from - side])
      if index > 0 {
        result.append(corner(from, directions[index - 1], direction, isSharp: line.isCorner[index]))
      }
    }
    guard let first = directions.first, let last = directions.last else { return result }
    if line.isClosed {
      result.append(corner(points[0], last, first, isSharp: true))
    } else {
      result.append(end(ends[0], first * -1))
      result.append(end(ends[ends.count - 1], last))
    }
    return result
  }

  /// The polygon between two pieces that meet at a point.
  private func corner(_ point: Point, _ from: Point, _ to: Point, isSharp: Bool) -> [Point] {
    let turn = from.cross(to)
    // The outer side of the turn.
    let sign = turn > 0 ? -1.0 : 1.0
    let (a, b) = (from.turned * (sign * radius), to.turned * (sign * radius))
    // Points within a curve always get round joins.
    if join == .round || !isSharp {
      return [point] + arc(around: point, from: a, by: atan2(a.cross(b), a.dot(b)))
    }
    // The ratio of the miter's length to the width is 1 / cos(half of the turn).
    let halfCosine = ((1 + from.dot(to)) / 2).squareRoot()
    if join == .miter, halfCosine > 0, 1 / halfCosine <= miterLimit {
      let tip = (a + b) * (1 / (2 * halfCosine * halfCosine))
      return [point, point + a, point + tip, point + b]
    }
    return [point, point + a, point + b]
  }

  /// The cap at an end, given the line's outward direction.
  private func end(_ point: Point, _ direction: Point) -> [Point] {
    let (side, ahead) = (direction.turned * radius, direction * radius)
    switch cap {
    case .butt: return []
    case .square: return [point + side, point + side + ahead, point - side + ahead, point - side]
    case .round: return arc(around: point, from: side, by: -.pi)
    }
  }

  /// A line without length.
  private func dot(_ point: Point) -> [[Point]] {
    let forwards = Point(x: 1, y: 0)
    return [end(point, forwards), end(point, forwards * -1)]
  }

  /// Points of a circle, from a corner and along an angle.
  private func arc(around center: Point, from start: Point, by angle: Double) -> [Point] {
    // The middle of a chord over an angle α is r·α²/8 inside its circle. A wide line has 128 chords
    // per circle, within 3e-4 of the radius.
    let steps = abs(angle) * min((radius / (8 * 0.02)).squareRoot(), 64 / .pi)
    let count = Int(clamping: max(steps.rounded(.up), 1))
    return (0...count).map { step in
      let turn = angle * Double(step) / Double(count)
      return center + start * cos(turn) + start.turned * sin(turn)
    }
  }
}

extension Point {
  /// The vector turned by a quarter, from the x axis towards the y axis.
  fileprivate var turned: Point { Point(x: -y, y: x) }
}
