import Foundation
import Graphics
import Strokes
import TestSupport
import Testing

/// Paths through a few points that are far apart.
struct CornerFitTests {
  private static func points(_ places: [(Double, Double)], width: Double = 3) -> [PKStrokePoint] {
    places.enumerated().map { index, place in
      PKStrokePoint(
        location: Point(x: place.0, y: place.1), timeOffset: Double(index),
        size: Size(width: width, height: width), opacity: 1, force: 1, azimuth: 0, altitude: 1)
    }
  }

  /// Expects the promise of the fit: the curve passes every point in order, and between two points
  /// its distance from the straight line is at most the tolerance plus a quarter of their distance.
  private func expectPromise(
    _ controls: [PKStrokePoint], through points: [PKStrokePoint], tolerance: Double
  ) {
    let path = PKStrokePath(controlPoints: controls)
    var last: Double?
    for (index, point) in points.enumerated() {
      // The time of a point is that of its control points. The curve passes the point at the middle
      // one.
      let own = controls.indices.filter { controls[$0].timeOffset == point.timeOffset }
      guard let first = own.first, own.count <= 3 else {
        Issue.record("point \(index) has \(own.count) control points")
        return
      }
      let parameter = Double(first) + Double(own.count - 1) / 2
      #expect(
        path.interpolatedLocation(at: parameter).distance(to: point.location) < 1e-3
          * (1 + point.location.length))
      if let last {
        let from = points[index - 1].location
        let way = point.location - from
        for step in 0...40 {
          let place = path.interpolatedLocation(at: last + (parameter - last) * Double(step) / 40)
          let offset = place - from
          let part = min(max(offset.dot(way) / max(way.dot(way), 1e-300), 0), 1)
          let distance = (offset - way * part).length
          #expect(distance <= 1.2 * tolerance + 0.25 * way.length, "before point \(index)")
        }
      }
      last = parameter
    }
  }

  @Test func `a round shape of few points takes a control point for each`() throws {
    let places = (0..<12).map { index -> (Double, Double) in
      let angle = Double(index) / 2
      return (100 + 60 * cos(angle), 100 + 60 * sin(angle))
    }
    let points = Self.points(places)
    let controls = try #require(
      CornerFit.controlPoints(through: points, tolerance: 0.1, fewerThan: 100))
    #expect(controls.count == points.count)
    expectPromise(controls, through: points, tolerance: 0.1)
  }

  @Test func `a corner stays sharp, and takes three control points at most`() throws {
    let points = Self.points([(0, 0), (50, 0), (100, 0), (100, 50), (100, 100)])
    let controls = try #require(
      CornerFit.controlPoints(through: points, tolerance: 0.1, fewerThan: 100))
    #expect(controls.count <= points.count + 2)
    let path = PKStrokePath(controlPoints: controls)
    let steps = 2_000
    let nearest = (0...steps).map { step in
      path.interpolatedPoint(at: path.parameterRange.upperBound * Double(step) / Double(steps))
        .location.distance(to: Point(x: 100, y: 0))
    }.min()
    #expect(try #require(nearest) < 0.1)
    expectPromise(controls, through: points, tolerance: 0.1)
  }

  @Test func `a corner fit of random points keeps the tolerance or gives up`() {
    var random = SplitMix64(seed: 5)
    var found = 0
    for _ in 0..<300 {
      let count = Int.random(in: 3...40, using: &random)
      let reaches: [Double] = [1, 20, 500]
      let reach = reaches[Int.random(in: 0..<3, using: &random)]
      let points = Self.points(
        (0..<count).map { _ in
          (
            Double.random(in: 0...reach, using: &random),
            Double.random(in: 0...reach, using: &random)
          )
        })
      guard
        let controls = CornerFit.controlPoints(
          through: points, tolerance: 0.1, fewerThan: 3 * count)
      else { continue }
      found += 1
      #expect(controls.count < 3 * count)
      expectPromise(controls, through: points, tolerance: 0.1)
      #expect(zip(controls, controls.dropFirst()).allSatisfy { $0.timeOffset <= $1.timeOffset })
    }
    #expect(found > 100)
  }

  @Test func `a corner fit gives up on dots and on NaN or huge coordinates`() {
    func controls(_ points: [PKStrokePoint]) -> [PKStrokePoint]? {
      CornerFit.controlPoints(through: points, tolerance: 0.1, fewerThan: 100)
    }
    #expect(controls([]) == nil)
    #expect(controls(Self.points([(1, 1), (1, 1), (1, 1)])) == nil)
    #expect(controls(Self.points([(0, 0), (1e300, 0), (0, 1e300)])) == nil)
    #expect(controls(Self.points([(0, 0), (.nan, 0), (5, 5)])) == nil)
    var changing = Self.points([(0, 0), (5, 5), (5, 5), (10, 0)])
    changing[2].size = Size(width: 9, height: 9)
    #expect(controls(changing) == nil)
  }

  @Test func `a Catmull-Rom curve is made denser only where the tolerance needs it`() {
    // A long gentle curve with one cusp: an earlier version doubled the density everywhere.
    let places = (0..<60).map { index -> (Double, Double) in
      index == 30 ? (150, 4) : (Double(index) * 5, 3 * sin(Double(index) / 6))
    }
    let points = Self.points(places)
    let controls = CatmullRomCurve(points, from: 0, to: 1).controlPoints(tolerance: 0.1)
    #expect(controls.count <= points.count, "\(controls.count)")
  }
}

/// Control points that are collected one by one.
struct ControlPointCollectorTests {
  @Test func `control points collected one by one make the path that their list makes`() {
    var random = SplitMix64(seed: 11)
    for count in [0, 1, 2, 7, 40_000] {
      for varies in 0..<4 {
        let points = (0..<count).map { index in
          PKStrokePoint(
            location: Point(x: Double(index % 77), y: Double(index % 13)),
            timeOffset: varies > 0 ? Double(index) : 0,
            size: varies > 1 && index > count / 2
              ? Size(width: Double.random(in: 1...9, using: &random), height: 4)
              : Size(width: 3, height: 3),
            opacity: varies > 2 && index == count - 1 ? 0.5 : 1, force: 1, azimuth: 0, altitude: 1)
        }
        var collector = ControlPointCollector()
        for point in points { collector.append(point) }
        #expect(collector.count == count)
        let date = Timestamp(secondsSinceReferenceDate: 5)
        #expect(
          collector.path(creationDate: date)
            == PKStrokePath(controlPoints: points, creationDate: date))
      }
    }
  }
}

/// Nibs of straight lines, without the redundant ones.
struct SparseNibTests {
  private func stroke(_ points: [PKStrokePoint], _ ink: PKInk = PKInk(.pen, widthLaw: .plain))
    -> PKStroke
  {
    PKStroke(ink: ink, path: PKStrokePath(controlPoints: points))
  }

  private func point(_ x: Double, _ y: Double, _ width: Double = 2, azimuth: Double = 0)
    -> PKStrokePoint
  {
    PKStrokePoint(
      location: Point(x: x, y: y), timeOffset: 0, size: Size(width: width, height: width),
      opacity: 1, force: 1, azimuth: azimuth, altitude: 1)
  }

  @Test func `a straight line takes two nibs, however many control points it has`() {
    let line = stroke((0..<500).map { point(Double($0), 2 * Double($0), 2 + Double($0) / 100) })
    #expect(line.sparseNibChains().map(\.count) == [2])
    let corners = (0..<1_000).flatMap { index in
      Array(repeating: point(Double(index % 2) * 300, Double(index) * 7), count: 3)
    }
    let zigzag = stroke(corners)
    let count = zigzag.sparseNibChains().joined().count
    // SVG, PDF and Xournal++ use this many nibs; there are many more samples.
    #expect(count <= 1_100, "\(count)")
    #expect(zigzag.nibChains().joined().count > 20 * count)
  }

  @Test func `every nib lies within the tolerance of the line between those that are kept`() {
    var random = SplitMix64(seed: 3)
    for round in 0..<60 {
      let isBlade = round % 2 == 0
      let steps: [Double] = [0.02, 1, 15]
      let step = steps[Int.random(in: 0..<3, using: &random)]
      var (x, y, width) = (100.0, 100.0, 4.0)
      let points = (0..<80).map { index in
        x += Double.random(in: -step...(1.5 * step), using: &random)
        y += Double.random(in: -step...step, using: &random)
        width = max(width + Double.random(in: -0.4...0.4, using: &random), 0.2)
        return point(x, y, width, azimuth: isBlade ? Double(index) / 20 : 0)
      }
      let ink = PKInk(isBlade ? .reed : .pen, widthLaw: .plain)
      let drawn = stroke(points, ink)
      let kept = drawn.sparseNibChains(tolerance: 0.05).joined().map { $0 }
      var next = 0
      for sample in drawn.nibChains(tolerance: 0.01).joined() {
        while next + 2 < kept.count, kept[next + 1].parameter < sample.parameter { next += 1 }
        let (a, b) = (kept[next].nib, kept[min(next + 1, kept.count - 1)].nib)
        let way = b.center - a.center
        let offset = sample.nib.center - a.center
        let part = min(max(offset.dot(way) / max(way.dot(way), 1e-300), 0), 1)
        #expect((offset - way * part).length <= 0.055, "round \(round)")
        let expected = a.halfExtent.width + (b.halfExtent.width - a.halfExtent.width) * part
        #expect(abs(sample.nib.halfExtent.width - expected) <= 0.1, "round \(round)")
      }
    }
  }

  @Test func `a pen that goes back on its way leaves the tip`() {
    let there = stroke([point(0, 0)] + Array(repeating: point(50, 0), count: 3) + [point(10, 0)])
    let nibs = there.sparseNibChains().joined().map { $0.nib.center }
    #expect(nibs.count == 3)
    #expect(nibs.contains { $0.distance(to: Point(x: 50, y: 0)) < 0.05 })
  }
}
