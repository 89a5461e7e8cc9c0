import Glibc
import Graphics
import Strokes
import TestSupport
import Testing

@testable import VectorExport

struct ShapeTests {
  private func shape(_ strokes: [PKStroke]) throws -> StrokeShape? {
    var work = ShapeWork()
    defer { #expect(work.pairs < 0x1p27, "\(work.pairs)") }
    return try StrokeShape(strokes, tolerance: 0.05, work: &work)
  }

  /// The maximum distance of some points from the nearest point of a path.
  private func distance(of points: [Point], from path: Path) -> Double {
    let corners = path.flattened(tolerance: 0.0005)
    var edges: [(Point, Point)] = []
    for line in corners {
      for index in line.indices { edges.append((line[index], line[(index + 1) % line.count])) }
    }
    return points.reduce(0) { most, point in
      let nearest = edges.reduce(Double.infinity) { least, edge in
        let way = edge.1 - edge.0
        let share = way.dot(way) > 0 ? (point - edge.0).dot(way) / way.dot(way) : 0
        let foot = edge.0 + way * min(max(share, 0), 1)
        return min(least, foot.distance(to: point))
      }
      return max(most, nearest)
    }
  }

  @Test(arguments: [0.5, 3, 40, 900])
  func `fitting a circle's points gives a few curves near them`(radius: Double) {
    let points = Samples.circle(120, radius: radius, around: Point(x: 50, y: -20))
    let path = CurveFitter(tolerance: 0.02).path(around: points)
    #expect(distance(of: points, from: path) <= 0.021)
    #expect(path.elements.count <= 24)
    #expect(path.elements.last == .close)
    let area = abs(path.signedArea)
    #expect(abs(area - .pi * radius * radius) < 0.05 * (2 * .pi * radius))
  }

  @Test func `fitting keeps corners and makes straight sides lines`() {
    let square = [(0, 0), (10, 0), (10, 10), (0, 10)].map {
      Point(x: Double($0.0), y: Double($0.1))
    }
    let path = CurveFitter(tolerance: 0.02).path(around: square)
    let expected = Set(square.map { "\($0)" })
    let corners = path.elements.compactMap { element -> String? in
      switch element {
      case .move(let to), .line(let to): "\(to)"
      default: nil
      }
    }
    #expect(Set(corners) == expected && path.elements.count == 6)
    // The sides of a long bar with round ends have no bulge.
    let bar =
      Samples.circle(24, radius: 2).filter { $0.x >= -1e-9 }.sorted { $0.y < $1.y }
      .map { $0 + Point(x: 100, y: 0) }
      + Samples.circle(24, radius: 2).filter { $0.x <= 1e-9 }.sorted { $0.y > $1.y }
    let rounded = CurveFitter(tolerance: 0.02).path(around: bar)
    #expect(distance(of: bar, from: rounded) <= 0.021)
    #expect(abs(rounded.bounds.height - 4) < 0.05)
  }

  @Test func `fitting follows random polygons within the tolerance`() {
    var random = SplitMix64(seed: 5)
    for _ in 0..<200 {
      let count = Int.random(in: 3...60, using: &random)
      let points = (0..<count).map { _ in
        Point(x: .random(in: 0...20, using: &random), y: .random(in: 0...20, using: &random))
      }
      let path = CurveFitter(tolerance: 0.05).path(around: points)
      #expect(distance(of: points, from: path) <= 0.051)
      let line = CurveFitter(tolerance: 0.05).path(through: points)
      let corners = line.flattened(tolerance: 0.0005)[0]
      #expect(corners.first == points.first && corners.last == points.last)
    }
  }

  @Test func `a line that ends where it began is closed`() {
    let points = [(0, 0), (50, 0), (50, 40), (0, 0)].map { Point(x: $0.0, y: $0.1) }
    let path = CurveFitter(tolerance: 0.02).path(through: points)
    #expect(path.elements.last == .line(to: .zero))
  }

  @Test func `a scribble that crosses itself is exported as its swept shape`() throws {
    let places = Samples.circle(5, radius: 90, around: Point(x: 100, y: 100))
    let path = Samples.path(
      (0..<600).map { index in
        let place = places[index * 2 % 5]
        return (place.x + Double(index) / 100, place.y, 4 + Double(index % 7))
      })
    for transform in [AffineTransform.identity, AffineTransform(scaleX: -1, y: 1)] {
      let stroke = Samples.stroke(.pen, path, transform: transform)
      let shape = try #require(try shape([stroke]))
      guard case .area(let area) = shape.form else {
        Issue.record("no area")
        return
      }
      // Uniting all crossings would give a hundred times as many elements.
      #expect(area.elements.count < 60_000, "\(area.elements.count)")
      let side = transform.a
      for (x, y) in [(100, 100), (150, 100), (60, 70), (100, 160), (15, 15)] {
        let point = Point(x: side * Double(x), y: Double(y))
        #expect(area.contains(point) == stroke.contains(point), "\(point)")
      }
    }
  }

  @Test func `fitting repeated points, or none, gives no curves`() {
    let fitter = CurveFitter(tolerance: 0.05)
    #expect(fitter.path(around: []).isEmpty)
    #expect(fitter.path(around: [.zero, .zero, .zero]).isEmpty)
    #expect(fitter.path(through: []).isEmpty)
    #expect(fitter.path(through: [.zero, .zero]).elements == [.move(to: .zero)])
  }

  @Test func `a stroke of one width is exported as a line of few curves`() throws {
    let stroke = Samples.stroke(
      .monoline, Samples.wave(y: 80, width: 3, swelling: 0),
      transform: AffineTransform(scaleX: 2, y: 2))
    let shape = try #require(try shape([stroke]))
    guard case .line(let path, let width) = shape.form else {
      Issue.record("not a line")
      return
    }
    #expect(width == 6)
    #expect(path.elements.count < 40)
    let center = stroke.nibChains(tolerance: 0.001).joined().map {
      $0.nib.center.applying(stroke.transform)
    }
    #expect(distance(of: center, from: path) <= 0.051)
  }

  @Test(arguments: Samples.inks)
  func `an outline lies within the tolerance of the swept nib`(type: PKInk.InkType) throws {
    let stroke = Samples.stroke(type, Samples.wave(y: 80, width: 6))
    let shape = try #require(try shape([stroke]))
    guard case .area(let area) = shape.form else {
      Issue.record("not an area")
      return
    }
    let fine = StrokeOutline(stroke.nibChains(tolerance: 0.002), tolerance: 0.004).path
      .union(Path(), tolerance: 0.001)
    let corners = fine.flattened(tolerance: 0.001)
    let points = corners.flatMap { $0 }
    // Where two sides meet at a sharp angle, a small shift of a side moves the corner further.
    let far = points.filter { distance(of: [$0], from: area) > 0.06 }
    #expect(far.count * 100 <= points.count && distance(of: far, from: area) <= 0.2)
    let perimeter = corners.reduce(0) { sum, polygon in
      zip(polygon, polygon.dropFirst()).reduce(sum) { $0 + $1.0.distance(to: $1.1) }
    }
    let difference =
      area.subtracting(fine, tolerance: 0.002).signedArea
      + fine.subtracting(area, tolerance: 0.002).signedArea
    #expect(difference < 0.02 * perimeter)
  }

  @Test func `wet strokes of which one is mirrored have no hole where they cross`() throws {
    let path = Samples.path([(0, 0, 6), (50, 10, 8), (100, 0, 6)])
    let strokes = [
      Samples.stroke(.pen, path),
      Samples.stroke(
        .pen, path, transform: AffineTransform(a: -1, b: 0, c: 0, d: 1, tx: 100, ty: 0)),
    ]
    let shape = try #require(try shape(strokes))
    guard case .area(let area) = shape.form else {
      Issue.record("not an area")
      return
    }
    #expect(area.contains(Point(x: 50, y: 7)))
  }

  @Test func `strokes with a degenerate transform have no shape`() throws {
    let path = Samples.path([(0, 0, 6), (50, 10, 8)])
    let transforms = [
      AffineTransform(a: .infinity, b: 0, c: 0, d: 1, tx: 0, ty: 0),
      AffineTransform(a: 0, b: 0, c: 0, d: 0, tx: 0, ty: 0),
    ]
    for transform in transforms {
      let stroke = Samples.stroke(.pen, path, transform: transform)
      #expect(try shape([stroke]) == nil)
    }
    #expect(try shape([Samples.stroke(.pen, PKStrokePath())]) == nil)
  }
}
