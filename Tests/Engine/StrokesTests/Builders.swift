import Glibc
import Graphics
import Testing

@testable import Strokes

/// A control point with defaults for all values that are not given.
func touch(
  _ x: Double, _ y: Double, time: Double = 0, size: Double = 5, azimuth: Double = 0
) -> PKStrokePoint {
  PKStrokePoint(
    location: Point(x: x, y: y), timeOffset: time, size: Size(width: size, height: size),
    opacity: 1, force: 1, azimuth: azimuth, altitude: .pi / 2)
}

/// A path of control points, a hundredth of a second apart.
func path(_ locations: [(Double, Double)], size: Double = 5) -> PKStrokePath {
  PKStrokePath(
    controlPoints: locations.enumerated().map { index, location in
      touch(location.0, location.1, time: Double(index) / 100, size: size)
    })
}

/// A horizontal line from `(0, y)` to `(length, y)` with evenly spaced control points.
func line(
  length: Double = 100, y: Double = 0, points: Int = 11, size: Double = 5
) -> PKStrokePath {
  path(
    (0..<points).map { (length * Double($0) / Double(max(points - 1, 1)), y) }, size: size)
}

/// An identifier with a number.
func name(_ number: UInt64) -> Identifier { Identifier(high: 0x4000, low: 0x8 << 60 | number) }

/// A stroke, by default of black pen ink.
func stroke(
  _ path: PKStrokePath, _ inkType: PKInk.InkType = .pen, law: PKInk.WidthLaw = .pencilKit,
  id: UInt64 = 1
) -> PKStroke {
  PKStroke(ink: PKInk(inkType, widthLaw: law), path: path, id: name(id))
}

/// A stroke of round ink whose sizes are the drawn widths.
func plain(_ path: PKStrokePath, id: UInt64 = 1) -> PKStroke {
  stroke(path, .monoline, law: .plain, id: id)
}

/// A path that bends, speeds up and changes its width, with locations that are multiples of 1/64.
let wandering = PKStrokePath(
  controlPoints: (0..<24).map { index in
    let t = Double(index)
    func exact(_ value: Double) -> Double { (value * 64).rounded() / 64 }
    return touch(
      exact(9 * t + 6 * sin(t)), exact(25 * cos(t / 2)), time: exact(t / 30 + t * t / 200),
      size: exact(5 + 2 * sin(t / 3)), azimuth: sin(t / 4))
  })

func expectClose(
  _ a: Point, _ b: Point, within tolerance: Double = 1e-9,
  _ location: SourceLocation = #_sourceLocation
) {
  #expect(a.distance(to: b) <= tolerance, "\(a) is not \(b)", sourceLocation: location)
}

func expectClose(
  _ a: Double, _ b: Double, within tolerance: Double = 1e-9,
  _ location: SourceLocation = #_sourceLocation
) {
  #expect(abs(a - b) <= tolerance, "\(a) is not \(b)", sourceLocation: location)
}

/// The length of a curve between two parameter values, as the sum of many short chords.
func chordLength(of path: PKStrokePath, from start: Double, to end: Double) -> Double {
  let steps = 1000
  var from = path.interpolatedLocation(at: start)
  var sum = 0.0
  for step in 1...steps {
    let to = path.interpolatedLocation(at: start + (end - start) * Double(step) / Double(steps))
    sum += from.distance(to: to)
    from = to
  }
  return sum
}
