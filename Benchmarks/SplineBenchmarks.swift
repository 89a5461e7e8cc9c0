import Graphics
import Measurement
import Strokes

/// Points along paths: locations on the B-spline, other channels interpolated linearly.
enum SplineBenchmarks {
  static func figures(_ effort: Effort) -> [Figure] {
    let path = Workload.longStroke().strokes[0].path
    let step = 1.0 / 8
    let count = Double(path.count - 1) / step + 1
    let samples = times(
      effort,
      [
        { consume(walk(path, step: step)) }, { consume(textbook(path, step: step)) },
        { consume(locations(path, step: step)) },
      ])
    return Figure.rates(
      "spline, all channels, eighths of a span", of: count, "points", samples[0],
      peer: "the textbook's loop", samples[1], goal: .atLeast(50))
      + Figure.rates(
        "spline, single locations by parameter", of: count, "points", samples[2],
        peer: "the textbook's loop", samples[1])
  }

  @inline(never)
  private static func walk(_ path: PKStrokePath, step: Double) -> Double {
    var sum = 0.0
    for point in path.interpolatedPoints(by: .parametricStep(step)) {
      sum += point.location.x + point.location.y + point.size.width + point.force + point.opacity
    }
    return sum
  }

  @inline(never)
  private static func locations(_ path: PKStrokePath, step: Double) -> Double {
    var sum = 0.0
    for index in 0..<Int(Double(path.count - 1) / step) {
      let point = path.interpolatedLocation(at: Double(index) * step)
      sum += point.x + point.y
    }
    return sum
  }

  /// The textbook formula on control points in doubles: four weights for each point, and every
  /// channel one after the other.
  @inline(never)
  private static func textbook(_ path: PKStrokePath, step: Double) -> Double {
    let points = Array(path)
    func control(_ index: Int) -> Point {
      if index < 0 { return points[0].location * 2 - points[1].location }
      if index >= points.count {
        return points[points.count - 1].location * 2 - points[points.count - 2].location
      }
      return points[index].location
    }
    var sum = 0.0
    for index in 0...Int(Double(points.count - 1) / step) {
      let t = Double(index) * step
      let i = min(Int(t), points.count - 2)
      let u = t - Double(i)
      let s = 1 - u
      let weights = (
        s * s * s / 6, (3 * u * u * u - 6 * u * u + 4) / 6,
        (-3 * u * u * u + 3 * u * u + 3 * u + 1) / 6, u * u * u / 6
      )
      let location =
        control(i - 1) * weights.0 + control(i) * weights.1 + control(i + 1) * weights.2
        + control(i + 2) * weights.3
      let (a, b) = (points[i], points[i + 1])
      func mix(_ channel: (PKStrokePoint) -> Double) -> Double {
        channel(a) * s + channel(b) * u
      }
      let point = PKStrokePoint(
        location: location, timeOffset: mix { $0.timeOffset },
        size: Size(width: mix { $0.size.width }, height: mix { $0.size.height }),
        opacity: mix { $0.opacity }, force: mix { $0.force }, azimuth: mix { $0.azimuth },
        altitude: mix { $0.altitude }, secondaryScale: mix { $0.secondaryScale },
        threshold: mix { $0.threshold })
      sum += point.location.x + point.location.y + point.size.width + point.force + point.opacity
    }
    return sum
  }
}
