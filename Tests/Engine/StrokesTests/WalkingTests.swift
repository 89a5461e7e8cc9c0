import Glibc
import Graphics
import TestSupport
import Testing

@testable import Strokes

private func locations(
  _ path: PKStrokePath, in range: ClosedRange<Double>? = nil,
  by stride: PKStrokePath.InterpolatedSlice.Stride
) -> [Point] {
  path.interpolatedPoints(in: range, by: stride).map(\.location)
}

/// A path along the x axis with these times of its control points.
private func clocked(_ times: [Double]) -> PKStrokePath {
  PKStrokePath(
    controlPoints: times.enumerated().map { touch(Double($0) * 10, 0, time: $1) })
}

@Suite struct `Walking along a path` {
  private static let strides: [PKStrokePath.InterpolatedSlice.Stride] = [
    .parametricStep(0.37), .distance(2.9), .time(0.011),
  ]

  @Test(arguments: strides)
  func `a walk's first point is at the start and its last at the end`(
    stride: PKStrokePath.InterpolatedSlice.Stride
  ) throws {
    for range in [nil, 0...23, 2.25...17.5, 4...4.01] as [ClosedRange<Double>?] {
      let points = Array(wandering.interpolatedPoints(in: range, by: stride))
      let (first, last) = try (#require(points.first), #require(points.last))
      let ends = range ?? wandering.parameterRange
      #expect(first == wandering.interpolatedPoint(at: ends.lowerBound))
      #expect(last == wandering.interpolatedPoint(at: ends.upperBound))
    }
  }

  @Test(arguments: strides)
  func `a walk clamps its range to the path`(stride: PKStrokePath.InterpolatedSlice.Stride) {
    #expect(locations(wandering, in: -5...99, by: stride) == locations(wandering, by: stride))
    #expect(locations(wandering, in: 50...60, by: stride).count == 1)
  }

  @Test(arguments: strides)
  func `a walk along an empty range or a dot has one point`(
    stride: PKStrokePath.InterpolatedSlice.Stride
  ) {
    #expect(locations(wandering, in: 3.5...3.5, by: stride).count == 1)
    #expect(locations(wandering, in: 3...3.0.nextUp, by: stride).count == 2)
    #expect(locations(path([(1, 2)]), by: stride) == [Point(x: 1, y: 2)])
    #expect(locations(PKStrokePath(), by: stride).isEmpty)
  }

  /// The maximum difference in azimuth between the points of a walk and those of separate calls.
  private func greatestTurn(along path: PKStrokePath) -> Double {
    path.interpolatedPoints(by: .parametricStep(0.25)).enumerated().reduce(0) { turn, item in
      let asked = path.interpolatedPoint(at: Double(item.offset) / 4)
      expectClose(item.element.location, asked.location)
      expectClose(item.element.size.width, asked.size.width)
      expectClose(item.element.timeOffset, asked.timeOffset)
      return max(turn, abs(item.element.azimuth - asked.azimuth))
    }
  }

  @Test func `a walk gives the same points as separate calls`() {
    #expect(greatestTurn(along: wandering) < 1e-9)
    let turning = PKStrokePath(
      controlPoints: [3.1, -3.1, -3.1].enumerated().map {
        touch(Double($0) * 10, 0, azimuth: $1)
      })
    #expect(greatestTurn(along: turning) < 1e-9)
  }

  @Test func `steps by distance have equal lengths along the curve`() {
    var parameter = 0.0
    var steps = 0
    while true {
      let next = wandering.parametricValue(parameter, offsetBy: .distance(3))
      guard next < 23 else { break }
      // A thousand chords are shorter than their arc by a billionth.
      expectClose(chordLength(of: wandering, from: parameter, to: next), 3, within: 1e-6)
      parameter = next
      steps += 1
    }
    #expect(steps == Int(wandering.length() / 3))
    #expect(locations(wandering, by: .distance(3)).count == steps + 2)
  }

  @Test func `steps by time have equal durations`() {
    let points = Array(wandering.interpolatedPoints(by: .time(0.05)))
    for (a, b) in zip(points, points.dropFirst()).dropLast() {
      expectClose(b.timeOffset - a.timeOffset, 0.05)
    }
    #expect(points.count == Int(wandering.duration / 0.05) + 2)
  }

  @Test func `steps by parameter are counted, not added up`() {
    #expect(locations(line(), by: .parametricStep(0.1)).count == 101)
    #expect(locations(line(), by: .parametricStep(1)) == line().map(\.location))
    #expect(locations(line(), by: .parametricStep(7)).map(\.x) == [0, 70, 100])
    #expect(locations(line(), in: 1...2, by: .parametricStep(0.25)).count == 5)
    #expect(locations(line(), by: .parametricStep(.infinity)).count == 2)
  }

  @Test func `steps that fit a walk exactly leave no short step at the end`() {
    for count in 1...50 {
      #expect(locations(line(), by: .parametricStep(10 / Double(count))).count == count + 1)
    }
    for count in 1...50 {
      #expect(locations(line(), by: .distance(100 / Double(count))).count == count + 1)
    }
  }

  @Test func `a walk by time goes on where the clock stands still or runs back`() throws {
    for times in [[0, 0, 0], [2, 1, 0], [0, 1, 1, 1, 2], [0, 3, 1, 2, 4]] as [[Double]] {
      let path = clocked(times)
      let points = Array(path.interpolatedPoints(by: .time(0.5)))
      #expect(points.count <= 2 * times.count + 2)
      #expect(points.first == path.first)
      #expect(points.last?.location == path.last?.location)
      for (a, b) in zip(points, points.dropFirst()) { #expect(a.location.x < b.location.x) }
    }
  }

  @Test func `a step by time ends at the first parameter with that time`() {
    let path = clocked([0, 1, 1, 0.5, 2])
    #expect(path.parametricValue(0, offsetBy: .time(0.5)) == 0.5)
    #expect(path.parametricValue(0, offsetBy: .time(1)) == 1)
    expectClose(path.parametricValue(0, offsetBy: .time(1.25)), 3.5)
    #expect(path.parametricValue(0, offsetBy: .time(9)) == 4)
    #expect(path.parametricValue(4, offsetBy: .time(-9)) == 0)
  }
}

@Suite struct `A step from a parameter value` {
  @Test func `a step forwards and back returns to the same parameter`() {
    var random = RandomInk(seed: 3)
    for _ in 0..<200 {
      let start = random.number(8...14)
      let strides: [PKStrokePath.InterpolatedSlice.Stride] = [
        .distance(random.number(0.01...40)), .time(random.number(0.001...0.1)),
        .parametricStep(random.number(0.01...7)),
      ]
      for stride in strides {
        let there = wandering.parametricValue(start, offsetBy: stride)
        #expect(there > start)
        expectClose(wandering.parametricValue(there, offsetBy: stride.reversed), start)
        let back = wandering.parametricValue(start, offsetBy: stride.reversed)
        #expect(back < start)
        expectClose(wandering.parametricValue(back, offsetBy: stride), start)
      }
    }
  }

  @Test func `no step goes beyond the ends of a path`() {
    for stride in [.distance(1e6), .time(1e6), .parametricStep(1e6)]
      as [PKStrokePath.InterpolatedSlice.Stride]
    {
      #expect(wandering.parametricValue(9, offsetBy: stride) == 23)
      #expect(wandering.parametricValue(9, offsetBy: stride.reversed) == 0)
      #expect(wandering.parametricValue(99, offsetBy: stride) == 23)
      #expect(wandering.parametricValue(-99, offsetBy: stride.reversed) == 0)
      #expect(path([(1, 1)]).parametricValue(0, offsetBy: stride) == 0)
    }
  }

  @Test func `a step of 0 gives the same parameter value`() {
    for start in [0, 0.5, 1, 7.25, 22.9, 23] {
      for stride in [.distance(0), .time(0), .parametricStep(0)]
        as [PKStrokePath.InterpolatedSlice.Stride]
      {
        expectClose(wandering.parametricValue(start, offsetBy: stride), start, within: 1e-12)
      }
    }
  }

  @Test func `a step of no time gives the same parameter, even where the clock stands still`() {
    #expect(clocked([0, 0, 1]).parametricValue(0.5, offsetBy: .time(0)) == 0.5)
  }

  @Test func `the length of a path is the sum of its parts' lengths`() {
    var random = RandomInk(seed: 4)
    for _ in 0..<100 {
      let cuts = [random.number(0...23), random.number(0...23), random.number(0...23)].sorted()
      let parts = wandering.length(in: cuts[0]...cuts[1]) + wandering.length(in: cuts[1]...cuts[2])
      expectClose(parts, wandering.length(in: cuts[0]...cuts[2]), within: 1e-6)
    }
    expectClose(wandering.length(in: -9...99), wandering.length())
    #expect(wandering.length(in: 5...5) == 0)
  }

  @Test func `the length equals that of many short chords`() {
    for span in 0..<23 {
      let (from, to) = (Double(span), Double(span) + 1)
      expectClose(
        wandering.length(in: from...to), chordLength(of: wandering, from: from, to: to),
        within: 1e-5)
    }
    #expect(line().length() == 100)
  }

  @Test func `a path that turns back on itself has the length of both ways`() {
    let cusp = path([(0, 0), (30, 0), (0, 0)])
    // The spline turns where its speed is zero, at x = 20.
    expectClose(cusp.length(), 40, within: 0.01)
    let half = cusp.parametricValue(0, offsetBy: .distance(cusp.length() / 2))
    expectClose(half, 1, within: 0.01)
  }
}

extension PKStrokePath.InterpolatedSlice.Stride {
  fileprivate var reversed: PKStrokePath.InterpolatedSlice.Stride {
    switch self {
    case .distance(let size): .distance(-size)
    case .time(let size): .time(-size)
    case .parametricStep(let size): .parametricStep(-size)
    }
  }
}
