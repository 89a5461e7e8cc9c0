import Glibc
import Graphics
import TestSupport
import Testing

@testable import Strokes

/// Locations along a path's curve, evenly distributed over the parameter.
private struct Trace {
  /// The number of locations in each span.
  static let density = 48
  var places: [SIMD2<Double>] = []
  /// Width, height, opacity and force at each location.
  var values: [SIMD4<Double>] = []

  init(_ controls: [PKStrokePoint]) {
    func place(_ index: Int) -> SIMD2<Double> {
      let last = controls.count - 1
      if index < 0 { return 2 * place(0) - place(1) }
      if index > last { return 2 * place(last) - place(last - 1) }
      return SIMD2(controls[index].location.x, controls[index].location.y)
    }
    for index in 0..<max(controls.count - 1, 0) {
      let (a, b, c, d) = (place(index - 1), place(index), place(index + 1), place(index + 2))
      let (from, to) = (controls[index].scalars, controls[index + 1].scalars)
      for step in 0..<Self.density + (index == controls.count - 2 ? 1 : 0) {
        let u = Double(step) / Double(Self.density)
        let v = 1 - u
        let (first, last) = (v * v * v / 6, u * u * u / 6)
        let second = (3 * u * u * u - 6 * u * u + 4) / 6
        places.append(a * first + b * second + c * (1 - first - second - last) + d * last)
        values.append(from + (to - from) * u)
      }
    }
  }
}

extension PKStrokePoint {
  fileprivate var scalars: SIMD4<Double> { SIMD4(size.width, size.height, opacity, force) }
  fileprivate var place: SIMD2<Double> { SIMD2(location.x, location.y) }
}

private func distance(
  _ point: SIMD2<Double>, toLineFrom a: SIMD2<Double>, _ b: SIMD2<Double>
) -> Double {
  let way = b - a
  let square = (way * way).sum()
  let part = square > 0 ? min(max(((point - a) * way).sum() / square, 0), 1) : 0
  let offset = point - a - way * part
  return (offset * offset).sum().squareRoot()
}

/// The index of the first point that a curve misses; nil if it passes all. The curve must pass the
/// points in order, within the tolerance and with their values. Between two points its distance
/// from the straight line may be at most the tolerance plus a quarter of their distance. For a
/// point with the location of the one before, the values may differ.
private func firstMissedPoint(
  _ controls: [PKStrokePoint], _ points: [PKStrokePoint], tolerance: Double = 0.1
) -> Int? {
  let trace = Trace(controls)
  // The trace approximates the curve by straight lines.
  let slack = 0.004
  guard trace.places.count > 1 else {
    return points.firstIndex { $0.location != controls.first?.location }
  }
  /// Whether the curve can be at each short piece when it passes the point.
  var isReached = [Bool](repeating: true, count: trace.places.count - 1)
  for (index, point) in points.enumerated() {
    var isUnderway = index == 0
    var isAny = false
    let before = points[max(index - 1, 0)].place
    let step = distance(point.place, toLineFrom: before, before)
    let (place, scalars) = (point.place, point.scalars)
    let allowed = pointwiseMax(
      SIMD4(tolerance, tolerance, 0.05, 0.1),
      0.05 * SIMD4(scalars.x, scalars.y, scalars.z, scalars.w))
    for piece in isReached.indices {
      let (from, to) = (trace.places[piece], trace.places[piece + 1])
      if index > 0 {
        // The fit checks eight locations between two points, and so may slightly underestimate the
        // maximum.
        let isBeside = distance(from, toLineFrom: before, place) <= tolerance + 0.26 * step + slack
        isUnderway = isReached[piece] || (isUnderway && isBeside)
      }
      let low = pointwiseMin(trace.values[piece], trace.values[piece + 1])
      let high = pointwiseMax(trace.values[piece], trace.values[piece + 1])
      let excess = pointwiseMax(low - scalars, scalars - high) - allowed
      isReached[piece] =
        isUnderway && distance(place, toLineFrom: from, to) <= tolerance + slack
        && (excess.max() <= slack || (index > 0 && step == 0))
      isAny = isAny || isReached[piece]
    }
    if !isAny { return index }
  }
  return nil
}

/// Expects that the fitted path passes the points, and returns its control points.
@discardableResult
private func expectFit(
  _ points: [PKStrokePoint], tolerance: Double = 0.1, _ location: SourceLocation = #_sourceLocation
) -> [PKStrokePoint] {
  let controls = CurveFit(tolerance: tolerance).controlPoints(through: points)
  let missed = firstMissedPoint(controls, points, tolerance: tolerance)
  #expect(missed == nil, "point \(missed ?? 0) of \(points.count)", sourceLocation: location)
  #expect(controls.first?.location == points.first?.location, sourceLocation: location)
  #expect(controls.last?.location == points.last?.location, sourceLocation: location)
  for point in controls {
    #expect(point.location.isFinite && point.timeOffset.isFinite, sourceLocation: location)
  }
  let timesRise = zip(points, points.dropFirst()).allSatisfy { $0.timeOffset <= $1.timeOffset }
  if timesRise {
    for (a, b) in zip(controls, controls.dropFirst()) {
      #expect(a.timeOffset <= b.timeOffset, sourceLocation: location)
    }
  }
  return controls
}

/// Points on a curve that is given by a function.
private func points(
  _ count: Int, size: (Double) -> Double = { _ in 3 }, _ place: (Double) -> (Double, Double)
) -> [PKStrokePoint] {
  (0..<count).map { index in
    let t = Double(index) / Double(max(count - 1, 1))
    return touch(place(t).0, place(t).1, time: 2 * t, size: size(t))
  }
}

/// A wandering line like handwriting: bends, pauses, turns, hooks, even and uneven steps, rounded
/// or not.
private func scribble(_ random: inout RandomInk, count: Int) -> [PKStrokePoint] {
  var place = SIMD2(random.number(-300...300), random.number(-300...300))
  var (heading, bend, time, size) = (random.number(-3...3), 0.0, 0.0, random.number(0.5...9))
  let scale = [0.05, 0.4, 1, 5, 20][random.whole(0...4)]
  let grid = [0, 0, 1, 0.75][random.whole(0...3)]
  let isUneven = random.chance(0.3)
  let sizeChange = random.chance() ? 0.0 : 0.3
  return (0..<count).map { _ in
    bend = min(max(bend + random.number(-0.1...0.1), -0.5), 0.5)
    heading += bend
    if random.chance(0.03) { heading += random.number(-3...3) }
    var step = scale * random.number(0.5...1.5)
    if isUneven, random.chance(0.2) { step *= random.number(0...30) }
    if random.chance(0.03) { step = 0 }
    place += SIMD2(cos(heading), sin(heading)) * step
    time += random.number(0...0.02)
    size = min(max(size + random.number(-1...1) * sizeChange, 0.3), 12)
    func rounded(_ value: Double) -> Double { grid > 0 ? (value / grid).rounded() * grid : value }
    return touch(rounded(place.x), rounded(place.y), time: time, size: size)
  }
}

@Suite struct `The check of fitted curves` {
  @Test func `the check of a fit finds a curve that cuts bends`() {
    let circle = points(13) { (50 * cos(2 * .pi * $0), 50 * sin(2 * .pi * $0)) }
    #expect(firstMissedPoint(circle, circle) == 1)
  }

  @Test func `the check of a fit finds a detour between two points`() {
    let line = [touch(0, 0), touch(10, 0)]
    let detour = [touch(0, 0), touch(5, 9), touch(5, 9), touch(10, 0)]
    #expect(firstMissedPoint(line, line) == nil)
    #expect(firstMissedPoint(detour, line) == 1)
  }

  @Test func `the check of a fit finds a wrong width and another order of points`() {
    let line = [touch(0, 0, size: 2), touch(5, 0, size: 8), touch(10, 0, size: 2)]
    #expect(firstMissedPoint([line[0], line[2]], line) == 1)
    let back = [touch(0, 0), touch(8, 0), touch(4, 0), touch(10, 0)]
    #expect(firstMissedPoint([back[0], back[3]], back) == 2)
  }
}

@Suite struct `Fitted curves` {
  @Test func `fitting keeps up to two points unchanged`() {
    let fit = CurveFit()
    #expect(fit.controlPoints(through: []).isEmpty)
    let (first, last) = (touch(3, 4, time: 1), touch(7, 4, time: 2, size: 9))
    #expect(fit.controlPoints(through: [first]) == [first])
    #expect(fit.controlPoints(through: [first, last]) == [first, last])
  }

  @Test func `a straight line has two control points, however its points are spaced`() {
    var random = RandomInk(seed: 1)
    #expect(expectFit(points(100) { (300 * $0, 40 * $0) }).count == 2)
    let uneven = (0..<100).map { _ in random.number(0...1) }.sorted()
    #expect(expectFit(uneven.map { touch(300 * $0, 40 * $0, time: $0) }).count <= 4)
  }

  @Test func `a circle needs few control points, and more for a smaller tolerance`() {
    let circle = points(400) { (50 + 40 * cos(2 * .pi * $0), 40 * sin(2 * .pi * $0)) }
    let coarse = expectFit(circle).count
    let fine = expectFit(circle, tolerance: 0.01).count
    #expect(coarse <= 32)
    #expect(fine > coarse && fine <= 100)
  }

  @Test func `fitted curves follow spirals and waves`() {
    let spiral = points(RunLength.count(600, long: 3000)) {
      (60 * $0 * cos(60 * $0), 60 * $0 * sin(60 * $0))
    }
    #expect(expectFit(spiral).count < 300)
    let wave = points(500) { (500 * $0, 30 * sin(40 * $0 * $0)) }
    #expect(expectFit(wave).count < 120)
    // As few points as fast handwriting has.
    expectFit(points(40) { (200 * $0, 30 * sin(12 * $0)) })
  }

  @Test func `fitted curves keep corners sharp`() {
    let zigzag = (0..<20).map { touch(20 * Double($0), $0.isMultiple(of: 2) ? 0 : 30) }
    let controls = expectFit(zigzag)
    for corner in zigzag.dropFirst().dropLast() {
      #expect(controls.filter { $0.location == corner.location }.count == 3)
    }
    // Lines between the corners are straight.
    for place in Trace(controls).places {
      let distances = zip(zigzag, zigzag.dropFirst()).map {
        distance(place, toLineFrom: $0.place, $1.place)
      }
      #expect(distances.min() ?? 1 < 1e-9)
    }
    // A corner between many points is found as well.
    let hook = points(101) { $0 < 0.5 ? (80 * $0, 0) : (40, 80 * $0 - 40) }
    let hookControls = expectFit(hook)
    #expect(hookControls.count <= 8)
    #expect(hookControls.filter { $0.location == Point(x: 40, y: 0) }.count == 3)
  }

  @Test func `fitted curves have no corners in small loops`() {
    let loops = points(400) { (20 * $0 + 2 * cos(50 * $0), 2 * sin(50 * $0)) }
    let controls = expectFit(loops)
    for (a, b) in zip(controls, controls.dropFirst()) { #expect(a.location != b.location) }
  }

  @Test(arguments: [3.0, 10, 100, 1000, 100_000])
  func `a fitted curve does not bend aside next to a long straight step`(length: Double) {
    // A curve of short steps, a long step, and another curve.
    let bow = (0..<12).map { (0.1 * Double($0), 0.02 * Double($0 * $0)) }
    let line = bow + bow.reversed().map { (length + 3 - $0.0, 6 + $0.1) }
    let points = line.map { touch($0.0, $0.1) }
    let controls = expectFit(points)
    #expect(controls.count < 50)
    for place in Trace(controls).places {
      #expect(place.y >= -0.2 && place.y <= 8.7 + 0.05 * length)
    }
  }

  @Test func `a staircase of pixels is fitted by a line with few corners`() {
    let stairs = (0..<80).map { touch(Double(($0 + 1) / 2), Double($0 / 2)) }
    // Each step turns by 90°. A curve through all points would need more control points than a
    // corner saves.
    #expect(expectFit(stairs).count <= 3 * stairs.count / 2)
    let flat = (0..<80).map { touch(Double($0), Double($0 / 5)) }
    #expect(expectFit(flat).count <= flat.count)
  }

  @Test func `doubled points do not change the fitted curve`() {
    let wave = points(200) { (200 * $0, 20 * sin(9 * $0)) }
    let doubled = wave.flatMap { [$0, $0] }
    let fit = CurveFit()
    #expect(fit.controlPoints(through: doubled) == fit.controlPoints(through: wave))
    let dot = [PKStrokePoint](repeating: touch(4, 5), count: 50)
    #expect(fit.controlPoints(through: dot) == [dot[0]])
  }

  @Test func `a pen that presses without moving leaves its largest width`() {
    let dot = [1.0, 4, 7, 3].map { touch(4, 5, time: $0, size: $0) }
    let controls = CurveFit().controlPoints(through: dot)
    #expect(controls.allSatisfy { $0.location == dot[0].location })
    #expect(controls.map(\.size.width).max() == 7)
    #expect(controls.first?.size.width == 1 && controls.last?.size.width == 3)
    let line = points(30) { (60 * $0, 0) }
    expectFit(line + [touch(60, 0, time: 3, size: 9)] + line.reversed())
  }

  @Test func `fitted curves follow a line that returns on itself`() {
    let line = points(60) { (60 * $0, 5 * $0) }
    expectFit(line + line.dropLast().reversed() + line.dropFirst())
  }

  @Test func `fitted curves follow random lines of many kinds`() {
    var random = RandomInk(seed: 7)
    var (pointCount, controlCount) = (0, 0)
    for _ in 0..<RunLength.count(10, long: 200) {
      let points = scribble(&random, count: random.whole(1...240))
      let tolerance = [0.1, 0.1, 0.1, 0.02, 1][random.whole(0...4)]
      controlCount += expectFit(points, tolerance: tolerance).count
      pointCount += points.count
    }
    #expect(controlCount < pointCount)
  }

  @Test func `fitted curves follow points without any order`() {
    var random = RandomInk(seed: 8)
    for _ in 0..<60 {
      let extent = [0.01, 1, 30, 4000][random.whole(0...3)]
      expectFit(
        (0..<random.whole(2...40)).map { _ in
          touch(
            random.number(0...extent), random.number(0...extent), size: random.number(0...9))
        })
    }
  }

  @Test func `a fitted curve has a point's values where it passes the point`() {
    // A circle needs 20 control points; the width changes more often.
    let circle = points(400, size: { 4 + 3 * sin(90 * $0) }) {
      (40 * cos(2 * .pi * $0), 40 * sin(2 * .pi * $0))
    }
    #expect(expectFit(circle).count > 60)
  }

  @Test func `a value that is the same at all points is the same on the fitted curve`() {
    var model = touch(0, 0, size: 0.1)
    model.force = 0.7
    model.opacity = 1.0 / 3
    model.azimuth = 5
    model.altitude = 0.3
    model.secondaryScale = 0.1
    model.threshold = 0.9
    model.lateralJitter = 0.7
    model.edgeWidth = 0.3
    var random = RandomInk(seed: 9)
    let points = scribble(&random, count: RunLength.count(300, long: 900)).map { point in
      var result = model
      result.location = point.location
      return result
    }
    for control in expectFit(points) {
      model.location = control.location
      #expect(control == model)
    }
  }

  @Test func `the azimuth of a fitted curve takes the shorter way around`() {
    let line = points(200) { (90 * $0, 20 * $0 * $0) }.enumerated().map { index, point in
      var point = point
      point.azimuth = index.isMultiple(of: 2) ? 3.13 : -3.13
      return point
    }
    for control in expectFit(line) { #expect(abs(control.azimuth) > 3.1) }
  }

  @Test func `fitting keeps distant locations and strokes without extent`() {
    let wave = points(300) { (200 * $0, 20 * sin(9 * $0)) }
    func moved(_ scale: Double, _ offset: Double) -> [PKStrokePoint] {
      wave.map { touch(offset + scale * $0.location.x, scale * $0.location.y - offset) }
    }
    expectFit(moved(1, 1e6))
    expectFit(moved(1e-9, 5))
    expectFit(moved(1e4, 0))
    for scale in [1e20, 1e150, 1e300, .leastNonzeroMagnitude] {
      let points = moved(scale, 0)
      let controls = CurveFit().controlPoints(through: points)
      #expect(controls.allSatisfy { $0.location.isFinite })
      #expect(controls.first?.location == points.first?.location)
      #expect(controls.last?.location == points.last?.location)
    }
  }

  @Test func `a pen that trembles and then leaps gets a curve of finite locations`() {
    for odd in 0..<11 {
      // One width differs from the others beyond the tolerance, which makes spans as short as the
      // steps; then long steps follow.
      let rest = (0..<11).map { index in
        touch(
          index % 3 == 2 ? 1e-7 : 0, index % 3 == 1 ? 1e-7 : 0, size: index == odd ? 0 : 3)
      }
      expectFit([touch(0, -10, size: 3)] + rest + [touch(0, 0.03), touch(3, 2), touch(0, 0)])
    }
  }

  @Test func `interpolating between times that are extremely far apart stays finite`() {
    let (first, last) = (touch(0, 0, time: -1e308), touch(9, 0, time: 1e308))
    for part in [0, 0.5, 1] {
      #expect(abs(first.mixed(with: last, part).timeOffset) <= 1e308)
      #expect(abs(last.mixed(with: first, part).timeOffset) <= 1e308)
    }
  }

  @Test func `fitting skips points whose location is not finite`() {
    let wave = points(300) { (200 * $0, 20 * sin(9 * $0)) }
    let fit = CurveFit()
    var spoiled = wave
    spoiled.insert(touch(.nan, 3), at: 0)
    spoiled.insert(touch(4, .infinity), at: 100)
    spoiled.append(touch(-.infinity, .nan))
    #expect(fit.controlPoints(through: spoiled) == fit.controlPoints(through: wave))
  }

  @Test func `fitting a hundred thousand points takes bounded time and memory`() {
    let spiral = points(100_000) { (900 * $0 * cos(600 * $0), 900 * $0 * sin(600 * $0)) }
    #expect(CurveFit().controlPoints(through: spiral).count < 20_000)
    let line = points(100_000) { (1e5 * $0, 0) }
    #expect(CurveFit().controlPoints(through: line).count < 100)
    // All points are close together, so that each is within the tolerance of all others.
    var random = RandomInk(seed: 10)
    let knot = (0..<100_000).map { _ in touch(random.number(0...1), random.number(0...1)) }
    #expect(CurveFit().controlPoints(through: knot).count < 400_000)
  }
}

@Suite struct `A fit while the pen moves` {
  @Test func `a streaming fit finds the same control points whenever they are taken`() {
    var random = RandomInk(seed: 11)
    for count in [0, 1, 2, 100, 191, 192, 193, 1000, 9000] {
      let points = scribble(&random, count: count)
      var fit = StreamingCurveFit()
      var controls: [PKStrokePoint] = []
      for point in points {
        fit.append(point)
        if random.chance(0.1) { controls += fit.takeControlPoints() }
      }
      controls += fit.finish()
      #expect(controls == CurveFit().controlPoints(through: points))
    }
  }

  @Test func `a streaming fit returns control points soon`() {
    let wave = points(5000) { (9000 * $0, 20 * sin(900 * $0)) }
    var fit = StreamingCurveFit()
    var count = 0
    for (index, point) in wave.enumerated() {
      fit.append(point)
      count += fit.takeControlPoints().count
      // The curve needs about one control point for every four points.
      if index >= 1000 { #expect(count > (index - 600) / 8) }
    }
  }

  @Test func `a streaming fit returns control points of a long straight line`() {
    var fit = StreamingCurveFit()
    var count = 0
    for index in 0..<10_000 {
      fit.append(touch(Double(index), 0))
      count += fit.takeControlPoints().count
    }
    #expect(count > 0)
  }

  @Test func `a streaming fit begins another stroke after the end of one`() {
    var random = RandomInk(seed: 12)
    let (first, second) = (scribble(&random, count: 700), scribble(&random, count: 300))
    var fit = StreamingCurveFit(tolerance: 0.3)
    for point in first { fit.append(point) }
    #expect(fit.finish() == CurveFit(tolerance: 0.3).controlPoints(through: first))
    for point in second { fit.append(point) }
    #expect(fit.finish() == CurveFit(tolerance: 0.3).controlPoints(through: second))
  }
}
