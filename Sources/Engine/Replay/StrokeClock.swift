import Graphics
public import Strokes

/// The clock of a stroke, which gives the part that is drawn after some time.
public struct StrokeClock: Sendable {
  /// The seconds that the stroke takes.
  public let length: Double
  /// The time of each control point in seconds, never decreasing; empty if all come at once.
  private let times: [Double]

  /// The clock of a path. Without usable times of its own, the pen moves at a constant speed.
  public init(_ path: PKStrokePath) {
    let duration = path.duration
    guard path.count > 1, duration <= Timeline.maximumStrokeLength, duration > 0 else {
      (times, length) = Self.even(path)
      return
    }
    let first = Double(path.columns.float(.timeOffset, at: 0))
    var newest = 0.0
    times = (0..<path.count).map { index in
      newest = min(
        max(newest, Double(path.columns.float(.timeOffset, at: index)) - first), duration)
      return newest
    }
    length = duration
  }

  /// The times of a pen that moves along the control points at a constant speed.
  private static func even(_ path: PKStrokePath) -> (times: [Double], length: Double) {
    var way = 0.0
    var last = path.first?.location
    let ways = path.map { point in
      if let from = last {
        let (x, y) = (point.location.x - from.x, point.location.y - from.y)
        way += (x * x + y * y).squareRoot()
      }
      last = point.location
      return way
    }
    guard way > 0, way.isFinite else { return ([], 0) }
    let length = min(way / Timeline.penSpeed, Timeline.maximumUntimedLength)
    return (ways.map { $0 / way * length }, length)
  }

  /// The parameter of the path up to which it is drawn after some seconds. A binary search.
  public func parameter(after seconds: Double) -> Double {
    guard seconds < length, !times.isEmpty else { return Double(max(times.count - 1, 0)) }
    // The pen is between the control points `next - 1` and `next`.
    let next = times.partitioningIndex { $0 > seconds }
    guard next > 0 else { return 0 }
    let (from, to) = (times[next - 1], times[min(next, times.count - 1)])
    guard to > from else { return Double(next - 1) }
    return Double(next - 1) + (seconds - from) / (to - from)
  }
}
