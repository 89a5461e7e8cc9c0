/// A path of a round nib in plain arrays; radii are in pixels.
struct PlainRoundPath {
  var x: [Int32]
  var y: [Int32]
  var radius: [Float]

  init(x: [Int32], y: [Int32], radius: [Float]) {
    (self.x, self.y, self.radius) = (x, y, radius)
  }
}

/// A path of an elliptic nib in plain arrays; nibs are given by M·Mᵀ in square pixels.
struct PlainEllipticPath {
  var x: [Int32]
  var y: [Int32]
  var xx: [Float]
  var xy: [Float]
  var yy: [Float]

  init(x: [Int32], y: [Int32], xx: [Float], xy: [Float], yy: [Float]) {
    (self.x, self.y) = (x, y)
    (self.xx, self.xy, self.yy) = (xx, xy, yy)
  }
}

extension PlainSamples {
  /// Adds the samples that a round nib covers between two points of a path, in the tile with its
  /// corner at `left` and `top`.
  mutating func sweep(
    _ path: PlainRoundPath, from first: Int, to end: Int, left: Int, top: Int
  ) {
    let chain = PlainRoundChain(path, perPixel: perPixel)
    for i in first...end {
      let x = split(path.x[i], edge: left)
      let y = split(path.y[i], edge: top)
      let radius = chain.radius(i)
      if chain.joint(i).isSharp {
        let weight = chain.weight(i) * chain.weight(i)
        let rows = chain.rows(i)
        let form = PlainEllipse(
          reach: radius, height: radius, above: rows.above, below: rows.below, slope: 0, ratio: 1)
        add(form, x: x, y: y, pattern: pattern(weight: weight))
      }
      guard i < end else { continue }
      let segment = chain.segment(i)
      guard segment.isLong else { continue }
      let next = chain.radius(i + 1)
      let (sine, spread) = chain.taper(i)
      let back = chain.joint(i).overlap - radius * sine
      let ahead = chain.joint(i + 1).overlap + next * sine
      let (ux, uy) = (segment.ux, segment.uy)
      let (ax, ay) = (x.fraction - ux * back, y.fraction - uy * back)
      let bx = x.fraction + segment.dx + ux * ahead
      let by = y.fraction + segment.dy + uy * ahead
      let (ha, hb) = (radius * spread, next * spread)
      add(
        [
          PlainPoint(x: ax - uy * ha, y: ay + ux * ha),
          PlainPoint(x: bx - uy * hb, y: by + ux * hb),
          PlainPoint(x: bx + uy * hb, y: by - ux * hb),
          PlainPoint(x: ax + uy * ha, y: ay - ux * ha),
        ], column: x.whole, row: y.whole,
        pattern: pattern(weight: (chain.weight(i) + chain.weight(i + 1)) * 0.5))
    }
  }

  /// `sweep` for an elliptic nib.
  mutating func sweep(
    _ path: PlainEllipticPath, from first: Int, to end: Int, left: Int, top: Int
  ) {
    for i in first...end {
      let x = split(path.x[i], edge: left)
      let y = split(path.y[i], edge: top)
      let nib = PlainNib(path, i, perPixel: perPixel)
      add(nib.ellipse, x: x, y: y, pattern: pattern(weight: nib.weight))
      guard i < end else { continue }
      let segment = PlainSegment(path.x, path.y, i, perPixel: perPixel)
      guard segment.isLong else { continue }
      let next = PlainNib(path, i + 1, perPixel: perPixel)
      let a = nib.reach(segment)
      let b = next.reach(segment)
      let (bx, by) = (x.fraction + segment.dx, y.fraction + segment.dy)
      add(
        [
          PlainPoint(x: x.fraction + a.x, y: y.fraction + a.y),
          PlainPoint(x: bx + b.x, y: by + b.y),
          PlainPoint(x: bx - b.x, y: by - b.y),
          PlainPoint(x: x.fraction - a.x, y: y.fraction - a.y),
        ], column: x.whole, row: y.whole,
        pattern: pattern(weight: (nib.weight + next.weight) * 0.5))
    }
  }

  /// Adds an ellipse around a point.
  private mutating func add(
    _ form: PlainEllipse, x: (whole: Int, fraction: Float), y: (whole: Int, fraction: Float),
    pattern: [UInt64]?
  ) {
    let columns = span(x.fraction - form.reach, x.fraction + form.reach)
    let needed = span(y.fraction + form.above, y.fraction + form.below)
    // Rounds down to whole rows of pixels.
    let first = (needed.lowerBound + y.whole) & -perPixel
    let end = (needed.upperBound + y.whole + perPixel - 1) & -perPixel
    let rows = first - y.whole..<end - y.whole
    for row in rows.clamped(to: -y.whole..<side - y.whole) {
      let v = Float(row) + (0.5 - y.fraction)
      let half = form.ratio * greater(form.height * form.height - v * v, 0).squareRoot()
      let center = x.fraction - (Float(columns.lowerBound) - 0.5) + form.slope * v
      set(
        row: y.whole + row, from: center - half, to: center + half,
        column: x.whole + columns.lowerBound, extent: columns.count, pattern: pattern)
    }
  }

  /// Adds a convex shape with four corners, which are relative to whole samples.
  private mutating func add(
    _ corners: [PlainPoint], column: Int, row: Int, pattern: [UInt64]?
  ) {
    let (xs, ys) = (corners.map(\.x), corners.map(\.y))
    let columns = span(xs.reduce(xs[0], lesser), xs.reduce(xs[0], greater))
    let rows = span(ys.reduce(ys[0], lesser), ys.reduce(ys[0], greater))
    let edges = (0..<4).map {
      PlainEdge(
        from: corners[$0], to: corners[($0 + 1) % 4], row: Float(rows.lowerBound) + 0.5,
        column: Float(columns.lowerBound) - 0.5)
    }
    for y in rows.clamped(to: -row..<side - row) {
      let behind = Float(y - rows.lowerBound)
      let bounds = edges.map { ($0.isLeft, $0.start + $0.slope * behind) }
      let low = bounds.reduce(-1e9) { $1.0 ? greater($0, $1.1) : $0 }
      let high = bounds.reduce(1e9) { $1.0 ? $0 : lesser($0, $1.1) }
      set(
        row: row + y, from: low, to: high, column: column + columns.lowerBound,
        extent: columns.count, pattern: pattern)
    }
  }

  /// The range of samples that two coordinates span.
  private func span(_ low: Float, _ high: Float) -> Range<Int> {
    Int(low.rounded(.down))..<Int(high.rounded(.down)) + 1
  }
}

struct PlainPoint {
  let x: Float
  let y: Float
}

/// An ellipse as x = slope·y ± ratio·√(height² − y²), and the rows that are drawn.
private struct PlainEllipse {
  let reach: Float
  let height: Float
  let above: Float
  let below: Float
  let slope: Float
  let ratio: Float
}

/// An edge as x = start + slope·row. Edges that go down are on the left.
private struct PlainEdge {
  let isLeft: Bool
  let start: Float
  let slope: Float

  init(from a: PlainPoint, to b: PlainPoint, row: Float, column: Float) {
    // A horizontal edge is treated as if it went down a little, so that it bounds the rows after
    // it.
    let rise = abs(b.y - a.y) < 1e-6 ? 1e-6 : b.y - a.y
    isLeft = rise > 0
    slope = (b.x - a.x) / rise
    start = a.x + (row - a.y) * slope - column
  }
}

/// The vector between two points, in samples.
private struct PlainSegment {
  let dx: Float
  let dy: Float
  let length: Float
  let ux: Float
  let uy: Float

  init(_ x: [Int32], _ y: [Int32], _ i: Int, perPixel: Int) {
    let unit = Float(perPixel) / 1024
    dx = Float(x[i + 1] - x[i]) * unit
    dy = Float(y[i + 1] - y[i]) * unit
    length = (dx * dx + dy * dy).squareRoot()
    let inverse = length > 1e-3 ? 1 / length : 0
    (ux, uy) = (dx * inverse, dy * inverse)
  }

  var isLong: Bool { length > 1e-3 }
}

/// The round nibs at the points of a path, and the joints of its segments.
private struct PlainRoundChain {
  let path: PlainRoundPath
  let perPixel: Int
  /// In pixels and in square pixels.
  private let tolerance: Float = 0.01

  init(_ path: PlainRoundPath, perPixel: Int) {
    self.path = path
    self.perPixel = perPixel
  }

  /// In samples. A hairline is two rows wide, and only some of its samples are set.
  func radius(_ i: Int) -> Float { greater(path.radius[i] * Float(perPixel), 1) }
  func weight(_ i: Int) -> Float { lesser(path.radius[i] * Float(perPixel), 1) }

  func segment(_ i: Int) -> PlainSegment { PlainSegment(path.x, path.y, i, perPixel: perPixel) }

  /// The sine of the angle by which a segment narrows, 0 if this is invisible, and the factor by
  /// which its sides are moved so that they touch the nibs.
  func taper(_ i: Int) -> (sine: Float, spread: Float) {
    let steep = (radius(i) - radius(i + 1)) / greater(segment(i).length, 1e-3)
    let square = lesser(steep * steep, 1)
    return radius(i) * square * (0.5 / Float(perPixel)) > tolerance
      ? (lesser(greater(steep, -1), 1), (1 - square).squareRoot()) : (0, 1 + square * 0.5)
  }

  /// Whether a joint needs the nib itself. Otherwise `overlap` is the length by which the segments
  /// are extended until their outer corners meet.
  func joint(_ i: Int) -> (isSharp: Bool, overlap: Float) {
    guard i > 0, i + 1 < path.x.count else { return (true, 0) }
    let (before, after) = (segment(i - 1), segment(i))
    let cosine = before.ux * after.ux + before.uy * after.uy
    let sine = abs(before.ux * after.uy - before.uy * after.ux)
    let radius = radius(i)
    let pixels = radius * (1 / Float(perPixel))
    let tangent = sine / (1 + greater(cosine, 0))
    let overlap = radius * tangent
    let tip = lesser(
      pixels * pixels * tangent * tangent * tangent * (1 / 3), pixels * tangent * tangent * 0.5)
    let isSharp =
      cosine < 0.3 || tip > tolerance || 2 * overlap > lesser(before.length, after.length)
      || taper(i - 1).sine != 0 || taper(i).sine != 0
    return (isSharp, isSharp ? 0 : overlap)
  }

  /// The rows in which a nib is needed. If it keeps its size, that is the sector in the outer angle
  /// of both segments, because the rest is beside a segment.
  func rows(_ i: Int) -> (above: Float, below: Float) {
    let radius = radius(i)
    guard i > 0, i + 1 < path.x.count, self.radius(i - 1) == radius, radius == self.radius(i + 1)
    else { return (-radius, radius) }
    let (before, after) = (segment(i - 1), segment(i))
    guard before.ux * after.ux + before.uy * after.uy > 0 else { return (-radius, radius) }
    let outer = before.ux * after.uy - before.uy * after.ux > 0 ? -radius : radius
    let (from, to) = (outer * before.ux, outer * after.ux)
    let crossesPole = (before.uy < 0) != (after.uy < 0)
    let pole = crossesPole ? (before.ux + after.ux > 0 ? outer : -outer) : 0
    // One more row on both sides, because of rounding.
    return (
      greater(lesser(lesser(from, to), lesser(pole, 0)) - 1, -radius),
      lesser(greater(greater(from, to), greater(pole, 0)) + 1, radius)
    )
  }
}

/// An elliptic nib, in samples.
private struct PlainNib {
  let xx: Float
  let xy: Float
  let yy: Float
  let weight: Float

  init(_ path: PlainEllipticPath, _ i: Int, perPixel: Int) {
    let unit = Float(perPixel * perPixel)
    let (xx, xy, yy) = (path.xx[i] * unit, path.xy[i] * unit, path.yy[i] * unit)
    let half = (xx - yy) * 0.5
    let area = xx * yy - xy * xy
    // The shorter half axis must be at least that of a hairline. Both values are squares.
    let shorter = (xx + yy) * 0.5 - (half * half + xy * xy).squareRoot()
    let missing = greater(1 - shorter, 0)
    (self.xx, self.xy, self.yy) = (xx + missing, xy, yy + missing)
    let drawn = self.xx * self.yy - xy * xy
    weight = lesser((greater(area, 0) / drawn).squareRoot(), 1)
  }

  var ellipse: PlainEllipse {
    let area = xx * yy - xy * xy
    return PlainEllipse(
      reach: xx.squareRoot(), height: yy.squareRoot(), above: -yy.squareRoot(),
      below: yy.squareRoot(), slope: xy / yy, ratio: greater(area, 0).squareRoot() / yy)
  }

  /// The nib's farthest point to the side of a segment.
  func reach(_ segment: PlainSegment) -> PlainPoint {
    let (nx, ny) = (-segment.uy, segment.ux)
    let (px, py) = (xx * nx + xy * ny, xy * nx + yy * ny)
    let scale = 1 / greater(px * nx + py * ny, 1).squareRoot()
    // Rounding must not move the point out of long thin nibs.
    let (width, height) = (xx.squareRoot(), yy.squareRoot())
    return PlainPoint(
      x: lesser(greater(px * scale, -width), width), y: lesser(greater(py * scale, -height), height)
    )
  }
}

/// The lesser of two; `b` if they cannot be compared.
private func lesser(_ a: Float, _ b: Float) -> Float { a < b ? a : b }
private func greater(_ a: Float, _ b: Float) -> Float { a > b ? a : b }
