import Foundation
import Graphics

/// One contour of an outline as straight pieces, for drawing lines along it.
struct Polyline {
  /// No point equals the one before it.
  private(set) var points: [Point]
  /// Whether lines or curves meet at a point, so that it may be a corner.
  private(set) var isCorner: [Bool]
  var isClosed = false
  /// Whether there was a line or a curve, even of length 0.
  private(set) var hasLine = false

  init(start: Point) { (points, isCorner) = ([start], [true]) }

  mutating func add(_ point: Point, isCorner: Bool = true) {
    hasLine = true
    guard point != points.last else { return }
    points.append(point)
    self.isCorner.append(isCorner)
  }

  mutating func add(_ curve: CubicCurve, tolerance: Double) {
    let count = curve.pieceCount(tolerance: tolerance)
    for piece in 1..<max(count, 1) {
      add(curve.point(at: Double(piece) / Double(count)), isCorner: false)
    }
    add(curve.end)
  }

  mutating func close() {
    isClosed = true
    if points.count > 1, points.last == points.first {
      points.removeLast()
      isCorner.removeLast()
    }
  }

  /// The points, followed by the first one if the contour is closed.
  var wholePoints: [Point] { isClosed ? points + points.prefix(1) : points }
}

extension Path {
  /// The contours as straight pieces; none if a coordinate is infinite or NaN.
  func polylines(tolerance: Double = 0.05) -> [Polyline] {
    guard isFinite else { return [] }
    var result: [Polyline] = []
    for element in elements {
      if case .move(let to) = element {
        result.append(Polyline(start: to))
        continue
      }
      guard var line = result.popLast() else { continue }
      let pen = line.points.last ?? .zero
      switch element {
      case .move: break
      case .line(let to): line.add(to)
      case .quadratic(let to, let control):
        line.add(
          CubicCurve(start: pen, quadraticControl: control, end: to), tolerance: tolerance)
      case .cubic(let to, let control1, let control2):
        line.add(
          CubicCurve(start: pen, control1: control1, control2: control2, end: to),
          tolerance: tolerance)
      case .close: line.close()
      }
      result.append(line)
    }
    return result
  }

  /// An outline of straight pieces.
  init(_ lines: [Polyline], fillRule: FillRule) {
    self.init(fillRule: fillRule)
    for line in lines {
      for (index, point) in line.points.enumerated() {
        if index == 0 { move(to: point) } else { addLine(to: point) }
      }
      if line.isClosed { close() }
    }
  }

  /// The dashes of lines along the outline: lengths of dashes and gaps in turn, starting at a
  /// phase. An outline with more than a million dashes stays as it is.
  func dashed(lengths: [Double], phase: Double) -> Path {
    let lines = polylines()
    let pattern = lengths.map { max(0, $0) }
    let period = pattern.reduce(0, +) * (pattern.count.isMultiple(of: 2) ? 1 : 2)
    let length = lines.reduce(0) { total, line in
      total
        + zip(line.wholePoints, line.wholePoints.dropFirst()).reduce(0) {
          $0 + $1.0.distance(to: $1.1)
        }
    }
    guard period > 0, period.isFinite, phase.isFinite,
      length / period * Double(pattern.count) < 1e6
    else { return self }
    return Path(
      lines.flatMap { $0.dashes(pattern, phase: phase, period: period) }, fillRule: fillRule)
  }
}

extension Polyline {
  /// The dashes along the line.
  fileprivate func dashes(_ pattern: [Double], phase: Double, period: Double) -> [Polyline] {
    // The line's start in the pattern.
    var index = 0
    var rest = phase.truncatingRemainder(dividingBy: period)
    if rest < 0 { rest += period }
    while rest >= pattern[index % pattern.count], index < 2 * pattern.count {
      rest -= pattern[index % pattern.count]
      index += 1
    }
    var left = pattern[index % pattern.count] - rest
    var result: [Polyline] = []
    var dash = index.isMultiple(of: 2) ? Polyline(start: points[0]) : nil
    for (from, to) in zip(wholePoints, wholePoints.dropFirst()) {
      let length = from.distance(to: to)
      var done = 0.0
      while length - done > left {
        done += left
        let point = from.interpolated(to: to, at: done / length)
        if var ended = dash {
          ended.add(point)
          result.append(ended)
          dash = nil
        } else {
          dash = Polyline(start: point)
        }
        index += 1
        left = pattern[index % pattern.count]
      }
      left -= length - done
      dash?.add(to)
    }
    if let dash, dash.hasLine { result.append(dash) }
    return result
  }
}
