import Glibc
import Graphics
import TestSupport
import Testing

@testable import Strokes

/// Samples of handwriting that turns, accelerates and presses, about five points apart.
private func handwriting(_ random: inout RandomInk, count: Int) -> [PKStrokePoint] {
  var (place, heading, bend, speed) = (Point(x: 100, y: 100), random.number(-3...3), 0.0, 5.0)
  return (0..<count).map { index in
    defer {
      bend = min(max(bend + random.number(-0.1...0.1), -0.4), 0.4)
      heading += bend
      speed = min(max(speed * random.number(0.85...1.18), 1), 9)
      place = place + Point(x: cos(heading), y: sin(heading)) * speed
    }
    return touch(
      place.x, place.y, time: Double(index) / 60, size: 5 + 2 * sin(Double(index) / 20))
  }
}

/// The maximum distance of one path from another.
private func distance(_ controls: [PKStrokePoint], from others: [PKStrokePoint]) -> Double {
  func places(_ controls: [PKStrokePoint], each step: Double) -> [Point] {
    let path = PKStrokePath(controlPoints: controls)
    return stride(from: 0, through: path.parameterRange.upperBound, by: step).map {
      path.interpolatedLocation(at: $0)
    }
  }
  let line = places(others, each: 1 / 64)
  return places(controls, each: 1 / 8).map { place in
    line.reduce(Double.infinity) { min($0, $1.distance(to: place)) }
  }.max() ?? 0
}

private func curve(_ points: [PKStrokePoint], tolerance: Double? = 0.1) -> PenCurve {
  var curve = PenCurve(tolerance: tolerance)
  for point in points { curve.append(point) }
  return curve
}

@Suite struct PenCurveTests {
  @Test(arguments: [1, 2, 7, 150, 900])
  func `the finished curve of a pen equals the fit of all its samples`(count: Int) {
    var random = RandomInk(seed: 40)
    let points = handwriting(&random, count: count)
    for tolerance in [0.1, 0.7] {
      var curve = curve(points, tolerance: tolerance)
      // Predictions are shown on a copy.
      var shown = curve
      shown.show(touch(9, 9, time: 99))
      #expect(shown.shown.last == touch(9, 9, time: 99))
      let fitted = CurveFit(tolerance: tolerance).controlPoints(through: points)
      #expect(curve.finish() == fitted)
    }
    var plain = curve(points, tolerance: nil)
    #expect(plain.shown == points && plain.finish() == points)
  }

  @Test func `ink moves less than half a point when the pen leaves the page`() {
    var random = RandomInk(seed: 41)
    var (most, before) = (0.0, 0.0)
    for _ in 0..<12 {
      let points = handwriting(&random, count: 90)
      var curve = curve(points)
      let shown = curve.shown
      let kept = curve.finish()
      #expect(kept.count < 80)
      most = max(most, distance(kept, from: shown))
      before = max(before, distance(kept, from: points))
    }
    #expect(most < 0.3)
    // If the samples were the control points, the ink would have moved far more.
    #expect(before > 2 * most)
  }

  @Test func `a sample changes the shown curve only in the two steps before it`() {
    var random = RandomInk(seed: 42)
    var curve = PenCurve(tolerance: 0.1)
    var counts = [0, 0, 0]
    for point in handwriting(&random, count: 50) {
      let before = curve.shown
      curve.append(point)
      let same = max(counts[0] - 1, 0)
      #expect(curve.shown.prefix(same) == before.prefix(same))
      #expect(curve.shown.last == point)
      counts = [counts[1], counts[2], curve.shown.count]
    }
    #expect(curve.shown.count > 60)
  }

  @Test func `a long step after a short one does not send the line back`() {
    for lengths in [[1.0, 50, 1, 50], [30, 0.01, 30], [0, 9, 0], [1e9, 1, 1e300]] {
      var x = 0.0
      let points = ([0] + lengths).map { step in
        x += step
        return touch(x, 0)
      }
      let places = curve(points).shown.map { $0.location.x }
      #expect(places == places.sorted() && places.allSatisfy(\.isFinite), "\(lengths)")
    }
  }
}
