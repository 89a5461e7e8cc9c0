import Graphics
import Strokes

/// A hand that follows guides, and adds times, pressure and a little tremor.
struct Hand {
  /// The maximum distance of the hand from the guide, in points.
  var unsteadiness: Double
  /// The time between samples in seconds: 1/240 for a pencil, 1/120 for a finger.
  private static let pencilTick = 1.0 / 240
  private static let fingerTick = 1.0 / 120

  /// The stroke that a hand draws along a guide.
  func stroke(
    along guide: Guide, with brush: Brush, touch: Touch, on date: Timestamp, using dice: inout Dice
  ) -> PKStroke {
    let way = TimedWay(along: guide.shaken(by: unsteadiness, using: &dice), speed: brush.speed)
    let samples = way.samples(
      every: brush.isFinger ? Self.fingerTick : Self.pencilTick, apart: brush.step)
    let points = controlPoints(samples, of: way, with: brush, touch: touch, using: &dice)
    return PKStroke(
      ink: brush.ink,
      path: PKStrokePath(controlPoints: points, creationDate: Digitizer.moment(date)),
      randomSeed: UInt32(truncatingIfNeeded: dice.next()), id: Identifier(using: &dice))
  }

  /// The path of an eraser along a guide.
  func path(rubbingAlong guide: Guide, on date: Timestamp, using dice: inout Dice) -> PKStrokePath {
    let rubber = Brush(.monoline, .black, width: 1).moving(at: 420, step: 7)
    return stroke(along: guide, with: rubber, touch: .even, on: date, using: &dice).path
  }

  private func controlPoints(
    _ samples: [TimedWay.Sample], of way: TimedWay, with brush: Brush, touch: Touch,
    using dice: inout Dice
  ) -> [PKStrokePoint] {
    let tremor = Drift(period: 22, using: &dice)
    let lean = Drift(period: 140, using: &dice)
    let rise = Drift(period: 170, using: &dice)
    return zip(samples, Self.splineControls(samples.map(\.location))).map { sample, location in
      let distance = sample.distance
      let wanted = touch.pressure(at: distance, of: way.length, heading: sample.heading)
      let pressure = min(max(wanted * (1 + touch.tremor * tremor[distance]), 0), 1)
      return PKStrokePoint(
        location: Digitizer.location(location), timeOffset: Digitizer.time(sample.time),
        size: brush.size(pressure: pressure),
        opacity: brush.opacity(pressure: pressure),
        force: brush.isFinger ? 1 : 0.25 + 1.75 * pressure * pressure,
        azimuth: brush.isFinger ? 0 : brush.azimuth + 0.07 * lean[distance],
        altitude: brush.isFinger ? .pi / 2 : brush.altitude + 0.05 * rise[distance])
    }
  }

  /// Control points whose B-spline passes close to the given points.
  ///
  /// The spline runs a sixth of the second difference inside its control points, so they are moved
  /// outwards by that amount. This is one step towards the exact solution, and enough for points
  /// that are this close together.
  private static func splineControls(_ points: [Point]) -> [Point] {
    points.indices.map { index in
      guard index > 0, index + 1 < points.count else { return points[index] }
      let bend = points[index - 1] + points[index + 1] - points[index] * 2
      return points[index] - bend / 6
    }
  }
}

/// The screen that the hand draws on. It measures locations on a grid and time in milliseconds,
/// like the tablets of our real recordings.
private enum Digitizer {
  static func location(_ location: Point) -> Point {
    let (x, y) = (3.0 / 256, 1.0 / 64)
    return Point(x: (location.x / x).rounded() * x, y: (location.y / y).rounded() * y)
  }

  static func time(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }

  static func moment(_ date: Timestamp) -> Timestamp {
    Timestamp(secondsSinceReferenceDate: time(date.secondsSinceReferenceDate))
  }
}

extension Guide {
  /// The guide with the tremor of a hand.
  fileprivate func shaken(by amount: Double, using dice: inout Dice) -> Guide {
    // A larger tremor is slower.
    let (x, y) = (
      Drift(period: 20 + 30 * amount, using: &dice), Drift(period: 24 + 32 * amount, using: &dice)
    )
    return Guide(
      along: points.enumerated().map { index, point in
        let distance = Double(index) * Self.spacing
        return point + Point(x: x[distance], y: y[distance]) * amount
      })
  }
}

/// A guide with the moment at which the hand passes each of its points.
struct TimedWay {
  private let points: [Point]
  private let moments: [Double]
  /// The sharpness of the bend at each point, from 0 to 1.
  private let bends: [Double]

  /// One reading of the pen.
  struct Sample {
    var location: Point
    var time: Double
    /// The distance along the guide, in points.
    var distance: Double
    /// The part of the movement that goes down the page, from −1 to 1.
    var heading: Double
  }

  var length: Double { Double(max(points.count - 1, 0)) * Guide.spacing }

  /// Hands slow down in bends and at both ends of a stroke.
  init(along guide: Guide, speed: Double) {
    points = guide.points
    bends = Self.bends(of: guide.points)
    var moments: [Double] = []
    var now = 0.0
    for index in points.indices {
      moments.append(now)
      let toEnd = Double(min(index, points.count - 1 - index)) * Guide.spacing
      let pace = min(0.3 + toEnd / 14, 1) / (1 + 3.2 * bends[index])
      now += Guide.spacing / (speed * pace)
    }
    self.moments = moments
  }

  /// The bend at every point, measured and smoothed over two points to either side.
  private static func bends(of points: [Point]) -> [Double] {
    let reach = 4
    let raw = points.indices.map { index -> Double in
      guard index >= reach, index + reach < points.count,
        let before = (points[index] - points[index - reach]).normalized,
        let after = (points[index + reach] - points[index]).normalized
      else { return 0 }
      return max((1 - before.dot(after)) / 2, 0).squareRoot()
    }
    return raw.indices.map { index in
      let window = raw[max(index - reach, 0)...min(index + reach, raw.count - 1)]
      return window.reduce(0, +) / Double(window.count)
    }
  }

  /// Samples at even times, without those too close to the one before; in bends they may be closer.
  /// The first and the last point are always kept.
  func samples(every tick: Double, apart step: Double) -> [Sample] {
    guard let first = points.first, let last = points.last, points.count > 2 else {
      return points.prefix(1).map { Sample(location: $0, time: 0, distance: 0, heading: 0) }
    }
    var result = [Sample(location: first, time: 0, distance: 0, heading: heading(at: 0))]
    var next = tick
    for index in 1..<points.count {
      guard moments[index] >= next else { continue }
      next = ((moments[index] / tick).rounded(.down) + 1) * tick
      let gap = points[index].distance(to: result[result.count - 1].location)
      guard gap >= step * (1 - 0.65 * bends[index]) else { continue }
      result.append(
        Sample(
          location: points[index], time: (moments[index] / tick).rounded() * tick,
          distance: Double(index) * Guide.spacing, heading: heading(at: index)))
    }
    if last.distance(to: result[result.count - 1].location) < step / 3, result.count > 2 {
      result.removeLast()
    }
    let end = (moments[points.count - 1] / tick).rounded(.up) * tick
    result.append(
      Sample(location: last, time: end, distance: length, heading: heading(at: points.count - 1)))
    return result
  }

  private func heading(at index: Int) -> Double {
    let (a, b) = (points[max(index - 4, 0)], points[min(index + 4, points.count - 1)])
    return (b - a).normalized?.y ?? 0
  }
}
