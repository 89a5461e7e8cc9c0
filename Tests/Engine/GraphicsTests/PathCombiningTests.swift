import Testing

@testable import Graphics

/// A small generator whose numbers are the same on every run (the published SplitMix64).
private struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func point(in rect: Rect) -> Point {
    Point(
      x: .random(in: rect.minX...rect.maxX, using: &self),
      y: .random(in: rect.minY...rect.maxY, using: &self))
  }

  /// A random closed contour, which usually crosses itself.
  mutating func polygon(corners: Int, in rect: Rect, step: Double? = nil) -> [Point] {
    (0..<corners).map { _ in
      let point = point(in: rect)
      guard let step else { return point }
      return Point(x: (point.x / step).rounded() * step, y: (point.y / step).rounded() * step)
    }
  }

  mutating func path(corners: ClosedRange<Int>, in rect: Rect, step: Double? = nil) -> Path {
    let contours = (0..<Int.random(in: 1...2, using: &self)).map { _ in
      polygon(corners: .random(in: corners, using: &self), in: rect, step: step)
    }
    return Path(polygons: contours, fillRule: Bool.random(using: &self) ? .nonZero : .evenOdd)
  }
}

/// One grid unit in points, where all coordinates stay below 262,144 points.
private let gridUnit = 1.0 / 1024

private func square(_ x: Double, _ y: Double, _ side: Double) -> Path {
  Path(Rect(x: x, y: y, width: side, height: side))
}

private func length(of polygons: [[Point]]) -> Double {
  polygons.reduce(0) { sum, polygon in
    zip(polygon, polygon.dropFirst() + polygon.prefix(1)).reduce(sum) {
      $0 + $1.0.distance(to: $1.1)
    }
  }
}

private func distance(from point: Point, to polygons: [[Point]]) -> Double {
  var nearest = Double.infinity
  for polygon in polygons {
    guard var from = polygon.last else { continue }
    for to in polygon {
      let edge = to - from
      let along = edge == .zero ? 0 : (point - from).dot(edge) / edge.dot(edge)
      nearest = min(
        nearest, point.distance(to: from.interpolated(to: to, at: min(max(along, 0), 1))))
      from = to
    }
  }
  return nearest
}

/// The first violation of the promises of `union` about the form of its result; nil if none.
private func violation(in result: Path) -> String? {
  if result.fillRule != .nonZero { return "the fill rule is not nonzero" }
  let contours = result.flattened().map { contour in
    contour.map { SIMD2(Int(($0.x * 1024).rounded()), Int(($0.y * 1024).rounded())) }
  }
  func cross(_ a: SIMD2<Int>, _ b: SIMD2<Int>) -> Int { a.x * b.y - a.y * b.x }
  var edges: [(SIMD2<Int>, SIMD2<Int>)] = []
  for contour in contours {
    if contour.count < 3 { return "a contour has \(contour.count) corners" }
    if Set(contour).count != contour.count { return "a contour visits a point twice" }
    for index in contour.indices {
      let from = contour[index]
      let to = contour[(index + 1) % contour.count]
      let after = contour[(index + 2) % contour.count]
      if cross(to &- from, after &- to) == 0 { return "\(to) is no corner" }
      edges.append((from, to))
    }
  }
  edges.sort { min($0.0.y, $0.1.y) < min($1.0.y, $1.1.y) }
  for (index, (a, b)) in edges.enumerated() {
    for (c, d) in edges[(index + 1)...] {
      if min(c.y, d.y) > max(a.y, b.y) { break }
      let sides = (cross(b &- a, c &- a).signum(), cross(b &- a, d &- a).signum())
      let otherSides = (cross(d &- c, a &- c).signum(), cross(d &- c, b &- c).signum())
      if sides.0 * sides.1 < 0, otherSides.0 * otherSides.1 < 0 {
        return "\(a)–\(b) crosses \(c)–\(d)"
      }
      if sides == (0, 0) {  // on one line: they may touch but must not overlap
        func key(_ p: SIMD2<Int>) -> Int { a.x == b.x ? p.y : p.x }
        let (low, high) = (min(key(a), key(b)), max(key(a), key(b)))
        let (otherLow, otherHigh) = (min(key(c), key(d)), max(key(c), key(d)))
        if low < otherHigh, otherLow < high { return "\(a)–\(b) overlaps \(c)–\(d)" }
      }
    }
  }
  return nil
}

private struct Operation: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let isKept: @Sendable (Bool, Bool) -> Bool
  let apply: @Sendable (Path, Path) -> Path

  init(
    _ name: String, isKept: @escaping @Sendable (Bool, Bool) -> Bool,
    apply: @escaping @Sendable (Path, Path) -> Path
  ) {
    testDescription = name
    self.isKept = isKept
    self.apply = apply
  }

  static let all = [
    Operation("union", isKept: { $0 || $1 }, apply: { $0.union($1) }),
    Operation("subtracting", isKept: { $0 && !$1 }, apply: { $0.subtracting($1) }),
    Operation("intersection", isKept: { $0 && $1 }, apply: { $0.intersection($1) }),
  ]
}

private let canvas = Rect(x: -50, y: -50, width: 100, height: 100)

@Suite struct `Combining simple shapes` {
  @Test func `overlapping squares have the expected intersection, union and difference`() {
    let (a, b) = (square(0, 0, 10), square(5, 5, 10))
    #expect(a.union(b).signedArea == 175)
    #expect(a.intersection(b).signedArea == 25)
    #expect(a.subtracting(b).signedArea == 75)
    #expect(a.union(b).elements.count == 9, "eight corners and the closing")
  }

  @Test func `a square cut out of the centre leaves a counterclockwise hole`() {
    let ring = square(0, 0, 10).subtracting(square(3, 3, 4))
    let areas = ring.flattened().map(\.signedArea)
    #expect(areas == [100, -16])
    #expect(!ring.contains(Point(x: 5, y: 5)))
    #expect(ring.contains(Point(x: 1, y: 5)))
  }

  @Test func `filling the hole gives the whole square again`() {
    let ring = square(0, 0, 10).subtracting(square(3, 3, 4))
    #expect(ring.union(square(3, 3, 4)).flattened().map(\.signedArea) == [100])
    #expect(ring.union(square(2, 2, 6)).flattened().map(\.signedArea) == [100])
  }

  @Test func `squares that share a side become one rectangle without a seam`() {
    let both = square(0, 0, 10).union(square(10, 0, 10))
    #expect(both.flattened().map(\.count) == [4])
    #expect(both.signedArea == 200)
    #expect(square(0, 0, 10).intersection(square(10, 0, 10)).isEmpty)
    #expect(square(0, 0, 10).subtracting(square(10, 0, 10)).signedArea == 100)
  }

  @Test func `partly overlapping sides leave no edge inside`() {
    let both = square(0, 0, 10).union(square(10, 4, 10))
    #expect(both.signedArea == 200)
    #expect(both.flattened().map(\.count) == [8])
    #expect(violation(in: both) == nil)
  }

  @Test func `squares that touch in a corner stay two contours`() {
    let both = square(0, 0, 10).union(square(10, 10, 10))
    #expect(both.flattened().map(\.signedArea) == [100, 100])
    #expect(square(0, 0, 10).intersection(square(10, 10, 10)).isEmpty)
  }

  @Test func `a hole that touches the outline in a corner stays a hole`() {
    let diamond = Path(polygon: [
      Point(x: 5, y: 0), Point(x: 7, y: 3), Point(x: 5, y: 6), Point(x: 3, y: 3),
    ])
    let result = square(0, 0, 10).subtracting(diamond)
    #expect(result.flattened().map(\.signedArea) == [100, -12])
    #expect(result.components().count == 1)
    #expect(violation(in: result) == nil)
  }

  @Test func `a cut from side to side leaves two pieces`() {
    let result = square(0, 0, 10).subtracting(Path(Rect(x: -1, y: 4, width: 12, height: 2)))
    #expect(result.flattened().map(\.signedArea) == [40, 40])
  }

  @Test func `a path combined with itself is itself or empty`() {
    let a = Path(ellipseIn: Rect(x: 1, y: 2, width: 30, height: 20))
    let whole = a.union(Path())
    #expect(a.union(a) == whole)
    #expect(a.intersection(a) == whole)
    #expect(a.subtracting(a).isEmpty)
    #expect(abs(whole.signedArea - a.signedArea) < 0.05 * 85)
  }

  @Test func `combining with an empty path changes nothing`() {
    let (a, nothing) = (square(0, 0, 10), Path())
    #expect(a.union(nothing).signedArea == 100)
    #expect(nothing.union(a).signedArea == 100)
    #expect(a.subtracting(nothing).signedArea == 100)
    #expect(nothing.subtracting(a).isEmpty)
    #expect(a.intersection(nothing).isEmpty)
    #expect(nothing.union(nothing).isEmpty)
  }

  @Test func `each operand of a combination is filled by its own rule`() {
    let twice = [square(0, 0, 10), square(2, 2, 6)].flatMap { $0.flattened() }
    let solid = Path(polygons: twice)
    let ring = Path(polygons: twice, fillRule: .evenOdd)
    #expect(solid.union(Path()).signedArea == 100)
    #expect(ring.union(Path()).signedArea == 64)
    #expect(solid.subtracting(ring).signedArea == 36)
    #expect(ring.subtracting(solid).isEmpty)
    #expect(ring.intersection(solid).fillRule == .nonZero)
  }

  @Test func `a counterclockwise outline is reversed`() {
    let reversed = Path(polygon: Rect(x: 0, y: 0, width: 10, height: 10).corners.reversed())
    #expect(reversed.signedArea == -100)
    #expect(reversed.union(Path()).signedArea == 100)
  }

  @Test func `a figure of eight becomes two clockwise triangles`() {
    let eight = Path(polygon: [
      Point(x: 0, y: 0), Point(x: 10, y: 10), Point(x: 10, y: 0), Point(x: 0, y: 10),
    ])
    #expect(eight.signedArea == 0)
    #expect(eight.union(Path()).flattened().map(\.signedArea) == [25, 25])
  }

  @Test func `a finer tolerance makes a combination follow curves more closely`() {
    let disc = Path(ellipseIn: Rect(x: 0, y: 0, width: 100, height: 100))
    let coarse = disc.union(Path(), tolerance: 5)
    let fine = disc.union(Path(), tolerance: 0.001)
    #expect(coarse.elements.count < fine.elements.count)
    #expect(abs(fine.signedArea - 2500 * Double.pi) < 2.5)
    #expect(abs(coarse.signedArea - 2500 * Double.pi) > 2.5)
  }
}

@Suite struct `The connected pieces of a path` {
  @Test func `nested rings are separate components, each with its own hole`() {
    let target = square(0, 0, 100).subtracting(square(10, 10, 80))
      .union(square(20, 20, 60)).subtracting(square(30, 30, 40)).union(square(40, 40, 20))
    let pieces = target.components()
    let areas = pieces.map { $0.flattened().map(\.signedArea) }
    #expect(areas == [[10000, -6400], [3600, -1600], [400]])
    #expect(pieces.allSatisfy { violation(in: $0) == nil })
  }

  @Test func `several holes side by side belong to the same component`() {
    let holes = (0..<5).flatMap { column in
      (0..<4).map { row in square(2 + Double(column) * 10, 2 + Double(row) * 10, 6) }
    }
    let sieve = holes.reduce(Path(Rect(x: 0, y: 0, width: 50, height: 40))) { $0.subtracting($1) }
    let pieces = sieve.components()
    #expect(pieces.count == 1)
    #expect(pieces.first?.flattened().count == 21)
    #expect(pieces.first?.signedArea == 1280)
  }

  @Test func `squares that touch in a corner are separate components`() {
    let board = (0..<8).flatMap { row in
      (0..<8).filter { ($0 + row).isMultiple(of: 2) }.map { square(Double($0), Double(row), 1) }
    }
    let joined = board.reduce(Path()) { $0.union($1) }
    #expect(joined.components().count == 32)
    #expect(joined.components().allSatisfy { $0.signedArea == 1 })
  }

  @Test func `an empty path has no components`() {
    #expect(Path().components().isEmpty)
    #expect(Path(Rect(x: 1, y: 1, width: 5, height: 0)).components().isEmpty)
  }

  @Test(arguments: 0..<60)
  func `the union of a random path's components is the path`(seed: Int) {
    var random = SplitMix64(state: UInt64(seed))
    let path = random.path(corners: 3...14, in: canvas, step: seed.isMultiple(of: 2) ? nil : 10)
      .union(random.path(corners: 3...14, in: canvas))
    let pieces = path.components()
    let parts = pieces.map { $0.flattened() }
    let total = pieces.reduce(0) { $0 + $1.signedArea }
    #expect(abs(total - path.signedArea) <= 2 * gridUnit * length(of: path.flattened()) + 1e-9)
    for (piece, contours) in zip(pieces, parts) {
      #expect(violation(in: piece) == nil)
      #expect(contours.map { $0.signedArea > 0 } == contours.indices.map { $0 == 0 })
      #expect(piece.components().count == 1)
    }
    for _ in 0..<100 {
      let point = random.point(in: canvas)
      guard distance(from: point, to: path.flattened()) > 4 * gridUnit else { continue }
      let holders = pieces.count { $0.contains(point) }
      #expect(holders == (path.contains(point) ? 1 : 0), "at \(point)")
    }
  }
}

@Suite struct `Combining random shapes` {
  /// Checks form and membership of all three results, and that their areas fit together.
  private func check(_ a: Path, _ b: Path, using random: inout SplitMix64, in rect: Rect) {
    let edges = a.flattened() + b.flattened()
    // Snapping moves a point by less than a unit, and bending moves an edge by less than another
    // one.
    let margin = 2 * gridUnit
    let probes = (0..<60).map { _ in random.point(in: rect) }
      .filter { distance(from: $0, to: edges) > margin }
    for operation in Operation.all {
      let result = operation.apply(a, b)
      if let flaw = violation(in: result) { Issue.record("\(operation.testDescription): \(flaw)") }
      let contours = result.flattened()
      for probe in probes {
        let winding = contours.reduce(0) { $0 + $1.winding(around: probe) }
        let expected = operation.isKept(a.contains(probe), b.contains(probe)) ? 1 : 0
        #expect(winding == expected, "\(operation.testDescription) at \(probe)")
      }
    }
    let bound = 4 * margin * length(of: edges)
    let (inA, inB) = (a.union(Path()).signedArea, b.union(Path()).signedArea)
    let (both, any) = (a.intersection(b).signedArea, a.union(b).signedArea)
    #expect(abs(any - (inA + inB - both)) <= bound)
    #expect(abs(a.subtracting(b).signedArea - (inA - both)) <= bound)
  }

  @Test(arguments: 0..<150)
  func `combined paths agree with their operands away from the edges`(seed: Int) {
    var random = SplitMix64(state: UInt64(seed) &+ 1000)
    let a = random.path(corners: 3...12, in: canvas)
    let b = random.path(corners: 3...12, in: canvas)
    check(a, b, using: &random, in: canvas)
  }

  @Test(arguments: 0..<150)
  func `combined paths agree with operands that share corners and sides`(seed: Int) {
    var random = SplitMix64(state: UInt64(seed) &+ 2000)
    let rect = Rect(x: 0, y: 0, width: 8, height: 6)
    let a = random.path(corners: 3...16, in: rect, step: 1)
    let b = random.path(corners: 3...16, in: rect, step: 1)
    check(a, b, using: &random, in: rect)
  }

  @Test(arguments: 0..<60)
  func `a shape combined with its moved copy agrees with both`(seed: Int) {
    var random = SplitMix64(state: UInt64(seed) &+ 3000)
    let a = random.path(corners: 3...10, in: canvas)
    let step = random.point(in: Rect(x: -10, y: -10, width: 20, height: 20))
    let shift = seed.isMultiple(of: 3) ? step / 4096 : step
    let b = a.applying(AffineTransform(translationX: shift.x, y: shift.y))
    check(a, b, using: &random, in: canvas)
  }

  /// Nearly every crossing is rounded onto another point or edge here. So points cannot be
  /// compared, but the form of the result must be right.
  @Test(arguments: 0..<400)
  func `combined paths of a few grid units have the promised form`(seed: Int) {
    var random = SplitMix64(state: UInt64(seed) &+ 4000)
    let side = Double(Int.random(in: 3...40, using: &random)) * gridUnit
    let rect = Rect(x: 0, y: 0, width: side, height: side)
    let a = random.path(corners: 3...12, in: rect)
    let b = random.path(corners: 3...12, in: rect)
    for operation in Operation.all {
      let result = operation.apply(a, b)
      #expect(violation(in: result) == nil, "\(operation.testDescription)")
      #expect(result.flattened().joined().allSatisfy(rect.grown(by: gridUnit).contains))
      #expect((0...rect.grown(by: gridUnit).size.area).contains(result.signedArea))
      let contours = result.flattened()
      for _ in 0..<20 {
        let probe = random.point(in: rect)
        let winding = contours.reduce(0) { $0 + $1.winding(around: probe) }
        #expect((0...1).contains(winding))
      }
    }
  }

  @Test func `combined fans of nearly parallel needles have the promised form`() {
    var random = SplitMix64(state: 5)
    for _ in 0..<40 {
      func needles() -> Path {
        Path(
          polygon: (0..<40).map { index in
            Point(
              x: index.isMultiple(of: 2) ? 0 : 100,
              y: .random(in: 0...0.1, using: &random))
          }, fillRule: .evenOdd)
      }
      let (a, b) = (needles(), needles())
      for operation in Operation.all { #expect(violation(in: operation.apply(a, b)) == nil) }
    }
  }

  @Test func `repeated subtraction keeps the promised form and never adds area`() {
    var random = SplitMix64(state: 6)
    var rest = Path(ellipseIn: Rect(x: -40, y: -40, width: 80, height: 80))
    var area = rest.signedArea
    for _ in 0..<60 {
      let at = random.point(in: canvas)
      rest = rest.subtracting(Path(ellipseIn: Rect(x: at.x - 4, y: at.y - 4, width: 8, height: 8)))
      #expect(violation(in: rest) == nil)
      #expect(!rest.contains(at))
      #expect(rest.signedArea <= area + gridUnit * length(of: rest.flattened()))
      area = rest.signedArea
    }
  }

  @Test(arguments: Operation.all)
  private func `moving both operands by whole points moves the result`(operation: Operation) {
    var random = SplitMix64(state: 7)
    for _ in 0..<20 {
      let a = random.path(corners: 3...10, in: canvas, step: gridUnit)
      let b = random.path(corners: 3...10, in: canvas, step: gridUnit)
      let shift = AffineTransform(translationX: 300, y: -4000)
      #expect(
        operation.apply(a.applying(shift), b.applying(shift))
          == operation.apply(a, b).applying(shift))
    }
  }
}

@Suite struct `Combining hostile input` {
  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `a path that is not finite counts as empty in combinations`(bad: Double) {
    let whole = square(0, 0, 10)
    var broken = whole
    broken.addLine(to: Point(x: bad, y: 1))
    #expect(whole.union(broken) == whole.union(Path()))
    #expect(broken.union(whole) == whole.union(Path()))
    #expect(whole.subtracting(broken).signedArea == 100)
    #expect(broken.subtracting(whole).isEmpty)
    #expect(broken.components().isEmpty)
  }

  @Test(arguments: [1e5, 1e6, 1e12, 1e100, 1e300, Double.greatestFiniteMagnitude / 4])
  func `combining huge shapes keeps their proportions`(size: Double) {
    let a = Path(Rect(x: -size, y: -size, width: size, height: size))
    let b = Path(Rect(x: -size / 2, y: -size / 2, width: size, height: size))
    let shrunk = AffineTransform(scale: 1 / size)
    func area(_ path: Path) -> Double { path.applying(shrunk).signedArea }
    #expect(abs(area(a.intersection(b)) - 0.25) < 1e-6)
    #expect(abs(area(a.union(b)) - 1.75) < 1e-6)
    #expect(a.union(b).isFinite)
  }

  @Test func `combining shapes with the largest finite numbers does not trap`() {
    let end = Double.greatestFiniteMagnitude
    let corners = [Point(x: -end, y: -end), Point(x: end, y: -end), Point(x: end, y: end)]
    for path in [Path(polygon: corners), Path(ellipseIn: Rect(from: corners[0], to: corners[2]))] {
      for operation in Operation.all {
        #expect(operation.apply(path, square(0, 0, 10)).isFinite)
        #expect(operation.apply(square(0, 0, 10), path).isFinite)
      }
    }
  }

  @Test(arguments: [gridUnit / 4, 1e-30, Double.leastNonzeroMagnitude])
  func `combining removes shapes smaller than the grid`(size: Double) {
    #expect(square(0, 0, size).union(Path()).isEmpty)
    #expect(square(0, 0, 10).subtracting(square(2, 2, size)).signedArea == 100)
  }

  @Test(arguments: [0, -1, 1e-300, 1e300, Double.nan, .infinity])
  func `combining accepts any tolerance`(tolerance: Double) {
    let disc = Path(ellipseIn: Rect(x: 0, y: 0, width: 10, height: 10))
    let result = disc.union(square(0, 0, 5), tolerance: tolerance)
    #expect(violation(in: result) == nil)
    #expect(result.contains(Point(x: 1, y: 1)))
  }

  @Test func `points, lines and lines back and forth have no inside`() {
    let a = Point(x: 1, y: 2)
    let b = Point(x: 30, y: 40)
    var onlyMoves = Path()
    onlyMoves.move(to: a)
    onlyMoves.move(to: b)
    onlyMoves.close()
    let lines = [[a], [a, b], [a, b, a, b]].map { Path(polygon: $0) }
    for path in lines + [onlyMoves] {
      #expect(path.union(path).isEmpty)
      #expect(square(0, 0, 50).subtracting(path).flattened().map(\.signedArea) == [2500])
    }
  }

  @Test func `a thousand copies of a contour are that contour`() {
    let corners = Rect(x: 0, y: 0, width: 10, height: 10).corners
    let path = Path(polygons: Array(repeating: corners, count: 1001))
    #expect(path.union(Path()).flattened().map(\.signedArea) == [100])
    #expect(path.subtracting(square(5, 0, 10)).flattened().map(\.signedArea) == [50])
  }

  @Test(.timeLimit(.minutes(1))) func `combining thousands of edges takes less than a minute`() {
    func wheel(_ x: Double) -> Path {
      Path(
        polygon: (0..<2000).map { index in
          let turn = AffineTransform(rotation: Double(index) / 1000 * Double.pi)
          let reach = index.isMultiple(of: 2) ? 100.0 : 97
          return Point(x: reach, y: 0).applying(turn) + Point(x: x, y: 0)
        })
    }
    let (a, b) = (wheel(0), wheel(3))
    let joined = a.union(b)
    #expect(violation(in: joined) == nil)
    #expect(joined.signedArea > a.signedArea)
    #expect(joined.components().count == 1)
  }
}
