import CRasterKernels
import Graphics

/// Which parts of which marks meet each tile, in the order of the marks.
package struct TileBins {
  /// Some neighbouring segments of a chain.
  struct Run: BitwiseCopyable {
    let mark: Int32
    let chain: Int32
    let first: Int32
    var end: Int32
    /// The next run of the tile; below 0 for none.
    var next: Int32
  }

  package static let side = Int(RasterTileSide)

  /// How many tiles lie beside and below each other.
  package let columns: Int
  package let rows: Int
  private let runs = Column<Run>()
  private var heads: [Int32]
  private var tails: [Int32]

  /// Bins for a picture.
  init(width: Int, height: Int) {
    columns = (width + Self.side - 1) / Self.side
    rows = (height + Self.side - 1) / Self.side
    heads = [Int32](repeating: -1, count: columns * rows)
    tails = heads
  }

  mutating func removeAll() {
    runs.removeAll()
    for tile in heads.indices { (heads[tile], tails[tile]) = (-1, -1) }
  }

  /// The first run of a tile, below 0 for none.
  func firstRun(_ column: Int, _ row: Int) -> Int32 { heads[row * columns + column] }

  /// Whether anything may be drawn in a tile, which is told by its number.
  func hasRuns(_ tile: Int) -> Bool { heads[tile] >= 0 }

  subscript(run: Int32) -> Run { runs[Int(run)] }

  /// Adds a chain of a mark; marks come in order.
  mutating func add(_ chain: DevicePaths.Chain, number: Int, mark: Int, of paths: DevicePaths) {
    // A dot has no segment but is drawn all the same.
    let segments = max(chain.count - 1, 1)
    if heads.count == 1 {
      append(0, mark, number, 0, segments)
      return
    }
    let (x, y) = paths.locations(of: chain)
    // The lengthened ends of segments reach half a segment further at most, inside their joints'
    // discs; a pixel more covers rounding.
    let reach = Int32(clamping: min(chain.reach + 2, 262_144)) << Int32(RasterPositionBits)
    let all = tiles(box(x, y, 0, chain.count - 1), reach)
    guard let all else { return }
    if all.count == 1 {
      append(all.top * columns + all.left, mark, number, 0, segments)
      return
    }
    for segment in 0..<segments {
      let other = min(segment + 1, chain.count - 1)
      guard let part = tiles(box(x, y, segment, other), reach) else { continue }
      for row in part.top...part.bottom {
        for column in part.left...part.right {
          append(row * columns + column, mark, number, segment, segment + 1)
        }
      }
    }
  }

  @inline(__always)
  private mutating func append(_ tile: Int, _ mark: Int, _ chain: Int, _ first: Int, _ end: Int) {
    let tail = tails[tile]
    if tail >= 0, runs[Int(tail)].chain == chain, runs[Int(tail)].mark == mark,
      runs[Int(tail)].end == first
    {
      runs.base[Int(tail)].end = Int32(end)
      return
    }
    let place = Int32(runs.count)
    runs.append(
      Run(
        mark: Int32(mark), chain: Int32(chain), first: Int32(first), end: Int32(end), next: -1))
    if tail >= 0 { runs.base[Int(tail)].next = place } else { heads[tile] = place }
    tails[tile] = place
  }

  private typealias Box = (left: Int32, top: Int32, right: Int32, bottom: Int32)

  @inline(__always)
  private func box(
    _ x: UnsafePointer<Int32>, _ y: UnsafePointer<Int32>, _ first: Int, _ last: Int
  ) -> Box {
    var box = (left: x[first], top: y[first], right: x[first], bottom: y[first])
    var place = first + 1
    while place <= last {
      box.left = min(box.left, x[place])
      box.right = max(box.right, x[place])
      box.top = min(box.top, y[place])
      box.bottom = max(box.bottom, y[place])
      place += 1
    }
    return box
  }

  private struct Tiles {
    let left: Int
    let top: Int
    let right: Int
    let bottom: Int
    var count: Int { (right - left + 1) * (bottom - top + 1) }
  }

  @inline(__always)
  private func tiles(_ box: Box, _ reach: Int32) -> Tiles? {
    let shift = Int32(RasterPositionBits) + 7
    let left = max(Int((box.left &- reach) >> shift), 0)
    let right = min(Int((box.right &+ reach) >> shift), columns - 1)
    let top = max(Int((box.top &- reach) >> shift), 0)
    let bottom = min(Int((box.bottom &+ reach) >> shift), rows - 1)
    return left <= right && top <= bottom
      ? Tiles(left: left, top: top, right: right, bottom: bottom) : nil
  }
}

extension DevicePaths {
  /// Where the points of a chain are.
  @inline(__always)
  func locations(of chain: Chain) -> (x: UnsafePointer<Int32>, y: UnsafePointer<Int32>) {
    switch chain.nib {
    case .round:
      (UnsafePointer(round.x.base) + chain.start, UnsafePointer(round.y.base) + chain.start)
    case .elliptic:
      (UnsafePointer(elliptic.x.base) + chain.start, UnsafePointer(elliptic.y.base) + chain.start)
    case .textured:
      (UnsafePointer(textured.x.base) + chain.start, UnsafePointer(textured.y.base) + chain.start)
    }
  }
}
