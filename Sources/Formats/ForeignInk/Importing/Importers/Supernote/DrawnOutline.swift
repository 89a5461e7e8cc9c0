import InkFiles
import Graphics

/// The outline of a drawn stroke: polygons, with holes in the opposite direction.
struct DrawnOutline {
  /// The corners of all polygons.
  private var corners: [SIMD2<Float>] = []
  /// The index of the first corner of each polygon, and the end.
  private var starts = [0]

  /// Reads polygons of pairs of floats, in pixels. If a corner is not a valid position, the outline
  /// is empty.
  init(_ record: inout ByteCursor) throws(ImportError) {
    let count = try record.count(
      UInt64(try record.uint32()), of: "polygons of an outline", bytesEach: 4)
    var isWhole = true
    for _ in 0..<count {
      let size = try record.count(
        UInt64(try record.uint32()), of: "corners of an outline", bytesEach: 8)
      corners.reserveCapacity(corners.count + size)
      for _ in 0..<size {
        let corner = SIMD2(
          Float(bitPattern: try record.littleEndian()),
          Float(bitPattern: try record.littleEndian()))
        // Pages have some thousand pixels.
        if !(abs(corner.x) < 1e5 && abs(corner.y) < 1e5) { isWhole = false }
        corners.append(corner)
      }
      starts.append(corners.count)
    }
    if !isWhole { (corners, starts) = ([], [0]) }
  }

  /// The excess of the ink's width over its outline's, in pixels: tablets draw up to half a pixel
  /// beyond the outline. In their own PDFs, the excess is 0.5 to 1.0 pixels.
  static let margin = 0.85

  /// The drawn width of a stroke whose width is even; nil without an outline.
  func evenWidth(along locations: [Point]) -> Double? {
    meanWidth(along: locations).map { $0 + Self.margin }
  }

  /// The width of a line of even width with round ends that has the area of the outline; nil
  /// without one.
  private func meanWidth(along locations: [Point]) -> Double? {
    let area = area
    guard area > 0 else { return nil }
    let length = zip(locations, locations.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
    return 2 * ((length * length + .pi * area).squareRoot() - length) / .pi
  }

  private var area: Double {
    var sum = 0.0
    for (start, end) in zip(starts, starts.dropFirst()) where end > start {
      var previous = corners[end - 1]
      for corner in corners[start..<end] {
        sum += Double(previous.x) * Double(corner.y) - Double(corner.x) * Double(previous.y)
        previous = corner
      }
    }
    return abs(sum) / 2
  }

  /// The drawn width at points of the stroke: twice the distance to the outline, and its margin.
  /// Nil without an outline.
  func widths(along locations: [Point], about width: Double) -> [Double]? {
    guard let mean = meanWidth(along: locations), mean > 0, !locations.isEmpty else { return nil }
    var grid = EdgeGrid(corners, starts, cell: max(0.6 * max(width, mean), 2))
    // Where the stroke crosses itself, the distance to the outline is too large.
    let widest = 2.5 * mean
    var measured: [Double] = []
    measured.reserveCapacity(locations.count)
    for location in locations {
      let distance = grid.distance(to: SIMD2(Float(location.x), Float(location.y)))
      measured.append(min(distance.map { 2 * Double($0) } ?? mean, widest))
    }
    let widths = Self.smoothed(measured)
    // Outlines have steps of a quarter of a pixel or more. The nearest edge is that of a step
    // inwards, so widths are too small; the area is exact.
    let found = Self.mean(of: widths, along: locations)
    let factor = found > 0 ? min(max(mean / found, 1), 1.5) : 1
    return widths.map { $0 * factor + Self.margin }
  }

  /// Means of five neighbours, weighted 1, 2, 3, 2, 1; fewer at the ends, as many on both sides.
  private static func smoothed(_ values: [Double]) -> [Double] {
    values.indices.map { index in
      let reach = min(2, index, values.count - 1 - index)
      var (sum, weights) = (0.0, 0.0)
      for offset in -reach...reach {
        let weight = Double(reach + 1 - abs(offset))
        sum += weight * values[index + offset]
        weights += weight
      }
      return sum / weights
    }
  }

  /// The mean over the length of the stroke.
  private static func mean(of values: [Double], along locations: [Point]) -> Double {
    var (sum, length) = (0.0, 0.0)
    for index in values.indices.dropFirst() {
      let step = locations[index].distance(to: locations[index - 1])
      sum += step * (values[index] + values[index - 1]) / 2
      length += step
    }
    return length > 0 ? sum / length : values.first ?? 0
  }
}

/// Finds the nearest edge of polygons, by square cells that list the edges in them.
private struct EdgeGrid {
  /// The ends of each edge.
  private var edges: [(SIMD2<Float>, SIMD2<Float>)] = []
  private var origin = SIMD2<Float>(0, 0)
  private var cell: Float
  private var columns = 0
  private var rows = 0
  /// For each cell, the index of its first entry; and the end.
  private var firsts: [Int32] = []
  /// The edges in the cells.
  private var entries: [Int32] = []
  /// The number of comparisons with edges that are left. Damaged outlines have thousands of edges
  /// in one cell.
  private var budget: Int

  init(_ corners: [SIMD2<Float>], _ starts: [Int], cell: Double) {
    edges.reserveCapacity(corners.count)
    for (start, end) in zip(starts, starts.dropFirst()) where end > start {
      var previous = corners[end - 1]
      for corner in corners[start..<end] {
        edges.append((previous, corner))
        previous = corner
      }
    }
    self.cell = Float(cell)
    budget = 1_000_000 + 200 * edges.count
    guard let first = corners.first else { return }
    var (low, high) = (first, first)
    for corner in corners {
      low = pointwiseMin(low, corner)
      high = pointwiseMax(high, corner)
    }
    origin = low
    // Cells are enlarged if there would be many more cells than edges.
    let limit = 16 * edges.count + 256
    while true {
      columns = Int((high.x - low.x) / self.cell) + 1
      rows = Int((high.y - low.y) / self.cell) + 1
      if columns * rows <= limit, fill(limit: limit) { return }
      self.cell *= 2
    }
  }

  /// Lists the edges in cells; false if there are too many entries.
  private mutating func fill(limit: Int) -> Bool {
    var counts = [Int32](repeating: 0, count: columns * rows + 1)
    var total = 0
    for edge in edges {
      let (x, y) = span(edge)
      total += x.count * y.count
      // With cells as large as the outline, each edge lies in at most four.
      guard total <= limit else { return false }
      for row in y { for column in x { counts[row * columns + column + 1] += 1 } }
    }
    for index in counts.indices.dropFirst() { counts[index] += counts[index - 1] }
    firsts = counts
    entries = [Int32](repeating: 0, count: total)
    for (index, edge) in edges.enumerated() {
      let (x, y) = span(edge)
      for row in y {
        for column in x {
          let place = row * columns + column
          entries[Int(counts[place])] = Int32(truncatingIfNeeded: index)
          counts[place] += 1
        }
      }
    }
    return true
  }

  private func column(_ x: Float) -> Int { min(max(Int((x - origin.x) / cell), 0), columns - 1) }
  private func row(_ y: Float) -> Int { min(max(Int((y - origin.y) / cell), 0), rows - 1) }

  /// The cells in the box of an edge.
  private func span(
    _ edge: (SIMD2<Float>, SIMD2<Float>)
  ) -> (x: ClosedRange<Int>, y: ClosedRange<Int>) {
    let (low, high) = (pointwiseMin(edge.0, edge.1), pointwiseMax(edge.0, edge.1))
    return (column(low.x)...column(high.x), row(low.y)...row(high.y))
  }

  /// The distance from a point to the nearest edge; nil if there is none near.
  mutating func distance(to point: SIMD2<Float>) -> Float? {
    let place = (point - origin) / cell
    guard place.x > -4, place.y > -4, place.x < Float(columns + 4), place.y < Float(rows + 4) else {
      return nil
    }
    let (x, y) = (
      Int(clamping: place.x.rounded(.down)), Int(clamping: place.y.rounded(.down))
    )
    var best = Float.infinity
    for reach in [1, 3] {
      for row in max(y - reach, 0)..<max(min(y + reach + 1, rows), 0, y - reach) {
        for column in max(x - reach, 0)..<max(min(x + reach + 1, columns), 0, x - reach) {
          let cell = row * columns + column
          let range = Int(firsts[cell])..<Int(firsts[cell + 1])
          budget -= range.count
          guard budget >= 0 else { return nil }
          for entry in entries[range] {
            best = min(best, Self.squaredDistance(from: point, to: edges[Int(entry)]))
          }
        }
      }
      // Edges in cells further away are at least this far.
      if best.squareRoot() <= Float(reach) * cell { break }
    }
    return best < .infinity ? best.squareRoot() : nil
  }

  private static func squaredDistance(
    from point: SIMD2<Float>, to edge: (SIMD2<Float>, SIMD2<Float>)
  ) -> Float {
    let (way, offset) = (edge.1 - edge.0, point - edge.0)
    let length = (way * way).sum()
    let share = length > 0 ? min(max((offset * way).sum() / length, 0), 1) : 0
    let rest = offset - way * share
    return (rest * rest).sum()
  }
}
