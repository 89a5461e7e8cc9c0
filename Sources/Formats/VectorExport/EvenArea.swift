import Graphics
import Strokes

/// The area that strokes cover together; overlaps count once. It is found on a grid of samples.
struct EvenArea {
  /// The area so far, in square points.
  var area: Double { Double(count) / (scale * scale) }
  /// The work so far: the corners of the shapes that nibs sweep, and the rows and samples that
  /// these touch.
  private(set) var visits = 0.0

  private let box: Rect
  /// Samples in a point.
  private let scale: Double
  private let (width, height): (Int, Int)
  private let limit: Double
  private var count = 0
  /// Whether a sample is covered, row by row; empty for one stroke, which covers each once.
  private var isCovered: [Bool]
  private var ink: WindingGrid
  private var mask: WindingGrid?

  /// The samples in a point where strokes are small, and on the longer side where they are large.
  private static let (finest, maximumSide) = (8.0, 2_000.0)

  /// Directions around a nib. A disc loses less than a hundredth of its area.
  private static let directions = (0..<32).map { step in
    Point(x: 1, y: 0).applying(AffineTransform(rotation: .pi / 16 * Double(step)))
  }

  /// No strokes yet, in a box that contains all of them; nil if the box is empty. More work than
  /// the limit is refused.
  init?(in box: Rect, strokeCount: Int, maximumVisits limit: Double) {
    let side = max(box.width, box.height)
    guard side > 0, side.isFinite, box.minX.isFinite, box.minY.isFinite else { return nil }
    self.box = box
    self.limit = limit
    let scale = min(Self.finest, Self.maximumSide / side)
    self.scale = scale
    func samples(_ length: Double) -> Int { max(Int(clamping: (length * scale).rounded(.up)), 1) }
    (width, height) = (samples(box.width), samples(box.height))
    isCovered = [Bool](repeating: false, count: strokeCount > 1 ? width * height : 0)
    ink = WindingGrid(width: width, height: height)
  }

  /// Adds a stroke; false if that takes more work than is allowed.
  mutating func add(_ stroke: PKStroke) -> Bool {
    let transform = stroke.transform
      .concatenating(AffineTransform(translationX: -box.minX, y: -box.minY))
      .concatenating(AffineTransform(scale: scale))
    guard transform.isFinite, transform.maximumScale > 0, transform.maximumScale.isFinite else {
      return true
    }
    if let shape = stroke.mask {
      // Flattening takes time even for distant elements.
      visits += Double(8 * shape.elements.count)
      guard visits <= limit else { return false }
      var grid = mask ?? WindingGrid(width: width, height: height)
      // Two references would make a copy.
      mask = nil
      for polygon in shape.applying(transform).flattened(tolerance: 0.25) {
        guard allows(grid.add(polygon)) else { return false }
      }
      mask = grid
    }
    for chain in stroke.sparseNibChains(tolerance: 0.25 / transform.maximumScale) {
      var (corners, hull) = (Self.corners(chain[0].nib), [Point]())
      for index in 0..<max(chain.count - 1, 1) {
        let next = Self.corners(chain[min(index + 1, chain.count - 1)].nib)
        // The convex hull of two nibs.
        hull.removeAll(keepingCapacity: true)
        for (step, direction) in Self.directions.enumerated() {
          let (p, q) = (corners[step], next[step])
          hull.append((p.dot(direction) >= q.dot(direction) ? p : q).applying(transform))
        }
        guard allows(ink.add(hull)) else { return false }
        corners = next
      }
    }
    return cover(stroke.mask)
  }

  /// The farthest points of a nib in all directions.
  private static func corners(_ nib: Nib) -> [Point] { directions.map { nib.support($0) } }

  /// Counts work; false if it is too much.
  private mutating func allows(_ work: Int) -> Bool {
    visits += Double(work)
    return visits <= limit
  }

  /// Covers the samples inside of the stroke that the grids hold, and clears these.
  private mutating func cover(_ shape: Path?) -> Bool {
    let rows = ink.rows
    for row in rows {
      let columns = ink.columns(ofRow: row)
      guard !columns.isEmpty else { continue }
      visits += Double(columns.count) / 4
      if shape == nil, isCovered.isEmpty {
        count += ink.removeRow(row)
        continue
      }
      var (around, inside) = (Int32(0), Int32(0))
      if let mask { inside = mask.sum(ofRow: row, before: columns.lowerBound) }
      for column in columns {
        around &+= ink[row, column]
        if let mask { inside &+= mask[row, column] }
        guard around != 0, shape?.fillRule.isInside(Int(inside)) ?? true else { continue }
        let sample = row * width + column
        if isCovered.isEmpty {
          count += 1
        } else if !isCovered[sample] {
          isCovered[sample] = true
          count += 1
        }
      }
    }
    ink.clear()
    if shape != nil { mask?.clear() }
    return visits <= limit
  }
}

/// The winding number of polygons around each sample of a grid, as differences along the rows.
private struct WindingGrid {
  private let (width, height): (Int, Int)
  /// The change of the number at each sample, row by row.
  private var changes: [Int32]
  /// The samples of each row that differ from zero.
  private var spans: [Range<Int>]
  /// The rows that have some.
  private(set) var rows = 0..<0

  init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
    changes = [Int32](repeating: 0, count: width * height)
    spans = [Range<Int>](repeating: 0..<0, count: height)
  }

  subscript(row: Int, column: Int) -> Int32 { changes[row * width + column] }

  /// The columns from the first change of a row to the last.
  func columns(ofRow row: Int) -> Range<Int> { spans[row] }

  /// The number at the sample before a column.
  func sum(ofRow row: Int, before column: Int) -> Int32 {
    spans[row].prefix { $0 < column }.reduce(0) { $0 &+ self[row, $1] }
  }

  /// Adds a polygon, and returns the work: its corners, and the rows that it crosses.
  mutating func add(_ polygon: [Point]) -> Int {
    guard var from = polygon.last, polygon.allSatisfy({ $0.isFinite }) else { return polygon.count }
    var work = polygon.count
    for to in polygon {
      work += addEdge(from, to)
      from = to
    }
    return work
  }

  private mutating func addEdge(_ from: Point, _ to: Point) -> Int {
    let (upper, lower, change) = from.y < to.y ? (from, to, Int32(1)) : (to, from, Int32(-1))
    // The samples lie at the middles of rows and columns.
    func index(_ value: Double, limit: Int) -> Int {
      min(max(Int(clamping: (value - 0.5).rounded(.up)), 0), limit)
    }
    let edgeRows = index(upper.y, limit: height)..<index(lower.y, limit: height)
    guard !edgeRows.isEmpty else { return 0 }
    let slope = (lower.x - upper.x) / (lower.y - upper.y)
    for row in edgeRows {
      let column = index(upper.x + (Double(row) + 0.5 - upper.y) * slope, limit: width)
      // Changes after the last sample have no effect, but samples before it do.
      if column < width { changes[row * width + column] &+= change }
      let end = min(column + 1, width)
      let span = spans[row]
      spans[row] =
        span.isEmpty
        ? min(column, width - 1)..<end : min(span.lowerBound, column)..<max(span.upperBound, end)
    }
    rows =
      rows.isEmpty
      ? edgeRows
      : min(rows.lowerBound, edgeRows.lowerBound)..<max(rows.upperBound, edgeRows.upperBound)
    return edgeRows.count
  }

  /// Removes the polygons from a row, and returns the number of samples inside of them.
  mutating func removeRow(_ row: Int) -> Int {
    let columns = spans[row]
    spans[row] = 0..<0
    var (around, count) = (Int32(0), 0)
    for index in row * width + columns.lowerBound..<row * width + columns.upperBound {
      around &+= changes[index]
      changes[index] = 0
      if around != 0 { count += 1 }
    }
    return count
  }

  /// Removes all polygons.
  mutating func clear() {
    for row in rows {
      for column in spans[row] { changes[row * width + column] = 0 }
      spans[row] = 0..<0
    }
    rows = 0..<0
  }
}
