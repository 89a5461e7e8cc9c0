import CRasterKernels
import Graphics

/// The area in which a mask leaves a stroke visible, as edges in pixels.
struct MaskShape {
  private struct Edge {
    /// The y of the upper end and of the lower one.
    let top: Double
    let bottom: Double
    /// The edge's x at y = 0, and its change from row to row.
    let x: Double
    let slope: Double
    let winding: Int
  }

  /// The edges, from the one that begins highest on.
  private let edges: [Edge]
  /// The indices of the edges that meet each row of tiles, and where each row's begin.
  private let edgesOfRows: [Int32]
  private let starts: [Int]
  private let fillRule: Path.FillRule
  /// The number of crossings of edges with rows of samples, in the whole picture.
  let crossings: Double

  /// Pictures with more crossings are refused, so their edges are not sorted by rows, which would
  /// take memory.
  private static let maximumCrossings = 0x1p34
  /// The rows of samples in a pixel for counting work.
  private static let samplesPerPixel = 8.0

  /// A mask as it covers the first `tileRows` rows of tiles. Edges above and below them are
  /// dropped: curves may be far longer than a picture is high.
  init(_ path: Path, through transform: AffineTransform, tileRows: Int) {
    let end = Double(tileRows * TileBins.side)
    let scale = max(transform.meanScale, 1e-9)
    fillRule = path.fillRule
    let found = path.flattened(tolerance: 0.05 / scale).flatMap { polygon in
      let points = polygon.map { Self.bounded($0.applying(transform)) }
      return zip(points, points.dropFirst() + points.prefix(1)).compactMap {
        (a: Point, b: Point) -> Edge? in
        guard a.y != b.y, max(a.y, b.y) > 0, min(a.y, b.y) < end else { return nil }
        let (upper, lower, winding) = a.y < b.y ? (a, b, 1) : (b, a, -1)
        let slope = (lower.x - upper.x) / (lower.y - upper.y)
        let edge = Edge(
          top: upper.y, bottom: lower.y, x: upper.x - upper.y * slope, slope: slope,
          winding: winding)
        // An edge whose slope is not finite is so level that it lies between two rows of samples.
        return edge.x.isFinite && slope.isFinite ? edge : nil
      }
    }
    crossings = found.reduce(0) {
      $0 + (min($1.bottom, end) - max($1.top, 0)) * Self.samplesPerPixel
    }
    guard crossings <= Self.maximumCrossings else {
      (edges, edgesOfRows, starts) = ([], [], [Int](repeating: 0, count: tileRows + 1))
      return
    }
    edges = found.sorted { $0.top < $1.top }
    let rows = edges.map { edge in
      Self.row(of: edge.top, tileRows)...Self.row(of: edge.bottom, tileRows)
    }
    var places = [Int](repeating: 0, count: tileRows + 1)
    for row in rows.joined() { places[row + 1] += 1 }
    for row in 0..<tileRows { places[row + 1] += places[row] }
    starts = places
    var list = [Int32](repeating: 0, count: places[tileRows])
    for (index, rows) in rows.enumerated() {
      for row in rows {
        list[places[row]] = Int32(index)
        places[row] += 1
      }
    }
    edgesOfRows = list
  }

  /// The row of tiles that contains a height, clamped to the first and the last row.
  private static func row(of y: Double, _ tileRows: Int) -> Int {
    min(max(Int(clamping: y / Double(TileBins.side)), 0), tileRows - 1)
  }

  /// The point, clamped to `limit`. Further away, doubles do not resolve tenths of a pixel, and
  /// their products overflow. NaN becomes 0, because a contour without the point would not be
  /// closed.
  private static func bounded(_ point: Point) -> Point {
    func bounded(_ value: Double) -> Double {
      value.isNaN ? 0 : min(max(value, -limit), limit)
    }
    return Point(x: bounded(point.x), y: bounded(point.y))
  }

  /// The maximum coordinate, in pixels from a picture's corner.
  private static let limit = 0x1p48

  /// Sets `tile` to the share of each pixel that is inside. Rows of samples are crossed with the
  /// edges, and each row's intervals are exact.
  func cover(_ tile: MaskTile, left: Int, top: Int, samples: Int) {
    tile.clear()
    let row = top / TileBins.side
    var (next, end) = (starts[row], starts[row + 1])
    guard next < end else { return }
    let (scale, right) = (Double(samples), Double(TileBins.side))
    let (active, crossings) = (tile.active, tile.crossings)
    active.removeAll()
    for row in 0..<TileBins.side * samples {
      let y = Double(top + row / samples) + (Double(row % samples) + 0.5) / scale
      while next < end, edges[Int(edgesOfRows[next])].top <= y {
        active.append(edgesOfRows[next])
        next += 1
      }
      // Crossings to the left of the tile only change the winding number. Crossings to the right of
      // it have no effect.
      var winding = 0
      crossings.removeAll()
      var place = 0
      while place < active.count {
        let edge = edges[Int(active[place])]
        guard y < edge.bottom else {
          active.removeMoving(place)
          continue
        }
        place += 1
        let x = edge.x + edge.slope * y - Double(left)
        if x < 0 {
          winding += edge.winding
        } else if x < right {
          crossings.append(MaskTile.Crossing(x: x, winding: edge.winding))
        }
      }
      var sorted = UnsafeMutableBufferPointer(start: crossings.base, count: crossings.count)
      sorted.sort { $0.x < $1.x }
      var start = 0.0
      for place in 0..<crossings.count {
        let wasInside = fillRule.isInside(winding)
        winding += crossings[place].winding
        let isInside = fillRule.isInside(winding)
        if !wasInside, isInside { start = crossings[place].x }
        if wasInside, !isInside {
          tile.add(row: row / samples, from: start, to: crossings[place].x)
        }
      }
      if fillRule.isInside(winding) { tile.add(row: row / samples, from: start, to: right) }
    }
    tile.finish(samples: samples)
  }
}

/// The visible share of each pixel of a tile under a mask, from 0 to 255.
final class MaskTile {
  /// Changes from pixel to pixel, in 1/256 pixels. A row has two more entries, because an interval
  /// may end at its right edge.
  private let sums = Column<Int32>(repeating: 0, count: TileBins.side * (TileBins.side + 2))
  let coverage = Column<UInt8>(repeating: 0, count: TileBins.side * TileBins.side)
  private static let pitch = TileBins.side + 2

  /// Where an edge crosses a row of samples.
  struct Crossing: BitwiseCopyable {
    let x: Double
    let winding: Int
  }
  /// The edges that cross a row of samples, and their crossings with it.
  let active = Column<Int32>()
  let crossings = Column<Crossing>()

  func clear() {
    sums.base.update(repeating: 0, count: sums.count)
    coverage.base.update(repeating: 0, count: coverage.count)
  }

  /// Copies the coverages of a list's partial groups; all other pixels become 0.
  func set(_ list: RasterCoverage) {
    coverage.base.update(repeating: 0, count: coverage.count)
    for group in 0..<Int(list.partialCount) {
      UnsafeMutableRawPointer(coverage.base + 16 * Int(list.partial[group]))
        .copyMemory(from: list.coverage + 16 * group, byteCount: 16)
    }
  }

  /// Adds the coverages of a list, up to 255.
  func add(_ list: RasterCoverage) {
    func add(_ group: UInt16, _ byte: (Int) -> UInt8) {
      let pixels = coverage.base + 16 * Int(group)
      for pixel in 0..<16 {
        let (sum, isTooMuch) = pixels[pixel].addingReportingOverflow(byte(pixel))
        pixels[pixel] = isTooMuch ? 255 : sum
      }
    }
    for group in 0..<Int(list.partialCount) {
      add(list.partial[group]) { list.coverage[16 * group + $0] }
    }
    for group in 0..<Int(list.wholeCount) { add(list.whole[group]) { _ in 255 } }
  }

  /// Adds an interval of one row of samples.
  func add(row: Int, from: Double, to: Double) {
    let limit = Double(TileBins.side)
    add(row, at: min(max(from, 0), limit), sign: 1)
    add(row, at: min(max(to, 0), limit), sign: -1)
  }

  private func add(_ row: Int, at x: Double, sign: Int32) {
    let fixed = Int32(clamping: x * 256)
    let (pixel, part) = (Int(fixed >> 8), fixed & 255)
    let change = sums.base + row * Self.pitch + pixel
    change[0] += sign * (256 - part)
    change[1] += sign * part
  }

  /// Adds the changes up to coverages.
  func finish(samples: Int) {
    let all = Int32(256 * samples)
    for row in 0..<TileBins.side {
      var sum: Int32 = 0
      for column in 0..<TileBins.side {
        sum += sums.base[row * Self.pitch + column]
        coverage.base[row * TileBins.side + column] = UInt8((sum * 255 + all / 2) / all)
      }
    }
  }
}

/// A list of groups of pixels with their coverages, for marks with masks, thresholds or several
/// opacities.
final class CoverageList {
  private let groups = Column<UInt16>(repeating: 0, count: Int(RasterGroupsPerTile))
  private let bytes = Column<UInt8>(
    repeating: 0, count: Int(RasterGroupsPerTile) * Int(RasterGroupWidth))
  private var count = 0

  var coverage: RasterCoverage {
    RasterCoverage(
      partial: UnsafePointer(groups.base), coverage: bytes.base, partialCount: Int32(count),
      whole: UnsafePointer(groups.base), wholeCount: 0)
  }

  /// Replaces the contents with those of another list.
  func copy(_ other: RasterCoverage) {
    count = 0
    for group in 0..<Int(other.partialCount) {
      append(other.partial[group]) { other.coverage[16 * group + $0] }
    }
    for group in 0..<Int(other.wholeCount) { append(other.whole[group]) { _ in 255 } }
  }

  @inline(__always)
  private func append(_ group: UInt16, _ byte: (Int) -> UInt8) {
    groups.base[count] = group
    for pixel in 0..<16 { bytes.base[16 * count + pixel] = byte(pixel) }
    count += 1
  }

  /// Replaces the contents with those of another list, each pixel of which is a square of `1 <<
  /// shift` by `1 << shift` pixels of this one.
  func enlarge(_ other: RasterCoverage, by shift: Int) {
    count = 0
    let perRow = Int(RasterGroupsPerRow)
    for part in 0..<Int(other.partialCount) {
      let (row, column) = (Int(other.partial[part]) / perRow, Int(other.partial[part]) % perRow)
      let values = other.coverage + 16 * part
      for group in column << shift..<min((column + 1) << shift, perRow) {
        let first = count
        append(UInt16((row << shift) * perRow + group)) {
          values[(16 * group + $0) >> shift - 16 * column]
        }
        for line in 1..<1 << shift {
          groups.base[count] = groups.base[first] + UInt16(line * perRow)
          (bytes.base + 16 * count).update(from: bytes.base + 16 * first, count: 16)
          count += 1
        }
      }
    }
  }

  /// Flags the groups in the rows of a tile.
  func flag(_ rows: UnsafeMutablePointer<UInt8>) {
    let perRow = Int(RasterGroupsPerRow)
    for index in 0..<count {
      let group = Int(groups.base[index])
      rows[group / perRow] |= 1 << UInt8(group % perRow)
    }
  }

  /// Multiplies the coverages by those of a mask.
  func multiply(by mask: MaskTile) {
    for group in 0..<count {
      let first = 16 * Int(groups.base[group])
      for pixel in 0..<16 {
        let product =
          UInt32(bytes.base[16 * group + pixel]) * UInt32(mask.coverage.base[first + pixel]) + 128
        bytes.base[16 * group + pixel] = UInt8((product + product >> 8) >> 8)
      }
    }
  }

  /// Subtracts the coverages of a mask.
  func subtract(_ mask: MaskTile) {
    for group in 0..<count {
      let first = 16 * Int(groups.base[group])
      for pixel in 0..<16 {
        let covered = mask.coverage.base[first + pixel]
        let byte = bytes.base + 16 * group + pixel
        byte.pointee = byte.pointee > covered ? byte.pointee - covered : 0
      }
    }
  }

  /// Sets coverages up to a threshold to 0.
  func clear(upTo threshold: UInt8) {
    for byte in 0..<16 * count where bytes.base[byte] <= threshold { bytes.base[byte] = 0 }
  }

  /// Raises each coverage to at least `part`/255 of that in another list. `indices` maps a group of
  /// the tile to its index here, below 0 for none; it is updated.
  func raise(to other: RasterCoverage, times part: UInt8, indices: Column<Int16>) {
    func raise(_ group: UInt16, _ byte: (Int) -> UInt8) {
      if indices[Int(group)] < 0 {
        indices.base[Int(group)] = Int16(count)
        append(group) { _ in 0 }
      }
      let first = bytes.base + 16 * Int(indices[Int(group)])
      for pixel in 0..<16 {
        let product = UInt32(byte(pixel)) * UInt32(part) + 128
        first[pixel] = max(first[pixel], UInt8((product + product >> 8) >> 8))
      }
    }
    for group in 0..<Int(other.partialCount) {
      raise(other.partial[group]) { other.coverage[16 * group + $0] }
    }
    for group in 0..<Int(other.wholeCount) { raise(other.whole[group]) { _ in 255 } }
  }

  func removeAll() { count = 0 }
}
